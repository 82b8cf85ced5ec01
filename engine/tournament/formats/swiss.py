"""``swiss``: the international Brightwell Swiss (PAIRING.md 2), as many rounds as the operator likes.

The law: order by points, then Brightwell points, then discs. The tie-break plays no part in pairing. Games of other
stages (finals played afterwards) count for nothing but the champion.
"""

from __future__ import annotations

from engine.tournament.formats.base import (
    PairedRound,
    entry_dicts,
    games_of,
    groups_by,
    pairing_warnings,
    require_results,
)
from engine.tournament.history import history_before, present
from engine.tournament.model import Event, Round, Stage, Winner
from engine.tournament.ranking import Row, Standings, after_round, number, shared_ranks, tally
from engine.tournament.swiss import Pool, as_cost, cheapest_round, price_round

#: a bye is entered as 40-24, as in the published results of international events
BYE_DISCS = 40
#: |blacks - whites| above which the operator is told
BALANCE_LIMIT = 2


class Swiss:
    """The base that other formats with a Brightwell league build on."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (Stage.LEAGUE, Stage.KNOCKOUT, Stage.SEMI_FINAL, Stage.THIRD_PLACE, Stage.FINAL)

    def next_round(self, event: Event) -> PairedRound:
        require_results(event)
        round_ = len(event.rounds) + 1
        history = history_before(event, round_)
        pool = Pool(tuple(player.id for player in present(event, round_)))
        pairing = cheapest_round(event, history, pool)
        return PairedRound(
            round_,
            entry_dicts(event, games_of(pairing, Stage.LEAGUE)),
            as_cost(pairing.penalty),
            tuple(pairing_warnings(event, history, pairing, BALANCE_LIMIT)),
        )

    def standings(self, event: Event, after: int | None = None) -> Standings:
        after = after_round(event, after)
        tallies = tally(event, after, (Stage.LEAGUE,), bye_discs=BYE_DISCS)
        keys = {name: (-t.score, -t.brightwell_twice, -t.discs) for name, t in tallies.items()}
        groups = groups_by(event.players, keys)
        ranks = shared_ranks(groups)
        rows = []
        for name in (name for group in groups for name in group):
            t = tallies[name]
            wins = number(t.score)
            values = (wins, number(t.brightwell_twice), t.discs)
            rows.append(Row(ranks[name], name, wins, t.discs, values, ("wins", "brightwell", "discs")))
        return Standings(after, tuple(rows))

    def price(self, before: Event, played: Round) -> tuple[int, int]:
        games = [game for game in played.games if game.stage is Stage.LEAGUE]
        byes = [bye.player for bye in played.byes if bye.stage is Stage.LEAGUE]
        return price_round(before, played, Pool((*(name for game in games for name in game.players), *byes)))

    def is_over(self, event: Event) -> bool:
        """A Swiss has no last round in its rules; a final, if one was played, ends it."""
        return self.champion(event) is not None

    def champion(self, event: Event) -> str | None:
        for round_ in reversed(event.rounds):
            for game in round_.games:
                if game.stage is Stage.FINAL and game.winner not in (None, Winner.DRAW):
                    return game.black if game.winner is Winner.BLACK else game.white
        return None
