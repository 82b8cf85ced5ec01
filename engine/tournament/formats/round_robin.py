"""Format ``round-robin``: everybody meets everybody, by the Berger tables.

- The numbers 1 to n are the ``lot`` of the entries if everybody has one, else their order in the event file. The
  players of round 1 form the table, which never changes; its rounds may be played in another order to keep a constraint
  of the operator.
- The first in a table's pair has Black. A player without an opponent rests: a rest is recorded as a bye and counts
  nothing, because everybody has one.
- A game that cannot be played because one player is absent or has withdrawn is lost without a disc, unrated (AMB-09).
- ``options.cycles`` 2 plays the table twice, the second time with colours reversed. Order: wins, then discs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.i18n import Text, say
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import Bye, Event, Game, Round, Stage, event_error
from engine.tournament.formats import format_interface as base
from engine.tournament.lots_and_leagues import lots_of_entries, participating_players
from engine.tournament.pairing_history_and_constraints import (
    Constraints,
    check_enough_present,
    constraints_of,
    present_entries,
)
from engine.tournament.standings_and_tie_breaks import Standings, StandingsRow, discs_in, number, shared_ranks

#: 2: the table again with colours reversed
CYCLES = spec.IntOption(
    "cycles", say("How often everybody meets"), 1, 2, (1, 2),
    (say("once"), say("twice, colours reversed")),
)  # fmt: skip


class RoundRobin(base.Format):
    """Berger table: n players have n - 1 rounds, an odd number n of players n rounds."""

    facts = spec.FormatSpec(
        "round-robin",
        (
            spec.DivisionPreset(
                "round-robin", "free", "round-robin", say("Round robin"),
                say("Everybody meets everybody."), "3–12", options={"cycles": 1},
            ),
        ),
        choices=(CYCLES, spec.VARIANT),
        readings=spec.COMMON,
        all_meet=True,
        late=(say("The table is drawn: a late entry has no game."),),
    )  # fmt: skip

    def check(self, event: Event) -> None:
        base.check_draws(event)

    def next_round(self, event: Event) -> base.PairedRound:
        round_ = len(event.rounds) + 1
        table = _table(event)
        if round_ > _rounds(event, table):
            raise event_error("the event is over after round {n}; everybody has met everybody", n=len(event.rounds))
        here = {player.id for player in present_entries(event, round_)}
        wishes = constraints_of(event, round_)
        entries: list[Game | Bye] = []
        warnings: list[Text] = []
        turn = _next_turn(event, table, wishes)
        if turn != _rounds_left(event, table)[0]:
            warnings.append(say("round {turn} of the table is played now, because of a wish", turn=turn))
        for pair in _pairs_of(table, turn):
            if len(pair) == 2 and not wishes.allows_colours(*pair):
                pair.reverse()
            if len(pair) < 2 or not here.intersection(pair):
                entries += [Bye(name) for name in pair]  # a rest; if both have withdrawn nobody wins
                continue
            game = Game(pair[0], pair[1], Stage.LEAGUE)
            missing = [name for name in pair if name not in here]
            if missing:
                game = base.forfeited(event, game, missing[0])
                warnings.append(
                    say("{label} is not present; the game is lost by forfeit", label=event.called(missing[0]))
                )
            entries.append(game)
        strangers = [player for player in event.players if player.id in here and player.id not in table]
        warnings += [
            say("{label} is not in the table of round 1 and plays no game", label=event.called(player.id))
            for player in strangers
        ]
        return base.PairedRound(round_, tuple(entries), {}, tuple(warnings))

    def standings_after(self, event: Event, after: int) -> Standings:
        scores = _scores(event, after)
        keys = {name: (-score, -discs) for name, (score, discs) in scores.items()}
        groups = base.groups_by(participating_players(event), keys)
        rows = []
        for name, rank in shared_ranks(groups).items():
            score, discs = scores[name]
            rows.append(StandingsRow(rank, name, number(score), discs, (number(score), discs), ("wins", "discs")))
        return Standings(after, tuple(rows))

    def costs_of_round(self, before: Event, played: Round) -> tuple[int, int]:
        """Return how many games differ from the best fitting round of the table among those not played yet."""
        games = {frozenset(game.players) for game in played.games}
        table = _table(before if before.rounds else replace(before, rounds=(played,)))
        return min(len(games - _pairs_of_turn(table, turn)) for turn in _rounds_left(before, table)), 0

    def planned_rounds(self, event: Event) -> int:
        return _rounds(event, _table(event))

    def is_over(self, event: Event) -> bool:
        return bool(event.rounds) and event.last_finished_round >= self.planned_rounds(event)

    def champion(self, event: Event) -> str | None:
        """Return the first of the last round, by lot if wins and discs leave several."""
        if not self.is_over(event):
            return None
        rows = self.standings(event, len(event.rounds)).rows
        lots = lots_of_entries(event)
        return max((row.id for row in rows if row.rank == 1), key=lots.__getitem__)


def berger(players: int, round_: int) -> list[tuple[int, int]]:
    """Return round ``round_`` of the Berger table as (first, second); with an odd number of players the number
    ``players + 1`` is nobody. Rounds beyond the first cycle have the colours reversed.

    The last number changes colours every round; the others form a circle that turns by half its length.
    """
    n = players + players % 2
    cycle, turn = divmod(round_ - 1, n - 1)
    lead = turn // 2 + (n // 2 if turn % 2 else 0)  # the opponent of the last number, counted from 0
    pairs = [(n, lead + 1) if turn % 2 else (lead + 1, n)]
    pairs += [((lead + step) % (n - 1) + 1, (lead - step) % (n - 1) + 1) for step in range(1, n // 2)]
    return [(other, one) for one, other in pairs] if cycle % 2 else pairs


def _table(event: Event) -> list[str]:
    """Return the players by number: those of round 1, or before it all who are present or expected."""
    names = {player.id for player in event.players if not player.absent and player.withdrawn_after_round != 0}
    names = set(event.rounds[0].players) if event.rounds else names
    entries = [player for player in event.players if player.id in names]
    check_enough_present(len(entries))
    if all(player.lot is not None for player in entries):
        entries.sort(key=lambda player: player.lot or 0)
    return [player.id for player in entries]


def _rounds(event: Event, table: Sequence[str]) -> int:
    return (len(table) - 1 + len(table) % 2) * (CYCLES.of(event) or 1)


def _pairs_of(table: Sequence[str], turn: int) -> list[list[str]]:
    """Return the pairs of a round of the table, Black first; a player without an opponent is alone."""
    return [[table[n - 1] for n in pair if n <= len(table)] for pair in berger(len(table), turn)]


def _pairs_of_turn(table: Sequence[str], turn: int) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in _pairs_of(table, turn) if len(pair) == 2}


def _rounds_left(event: Event, table: Sequence[str]) -> list[int]:
    """Return the rounds of the table not played yet in this cycle: each played round is matched to the one with which
    it has most games in common."""
    length = len(table) - 1 + len(table) % 2
    left: list[int] = []
    for index in range(len(event.rounds) + 1):
        if index % length == 0:
            left = list(range(index + 1, index + 1 + length))
        if index < len(event.rounds):
            games = {frozenset(game.players) for game in event.rounds[index].games}
            left.remove(min(left, key=lambda turn: (-len(games & _pairs_of_turn(table, turn)), turn)))
    return left


def _next_turn(event: Event, table: Sequence[str], wishes: Constraints) -> int:
    """Return the first round of the table that keeps the constraints; if none does, the first, and the constraint is
    refused."""
    left = _rounds_left(event, table)

    def keeps(turn: int) -> bool:
        pairs = _pairs_of(table, turn)
        rests = {pair[0] for pair in pairs if len(pair) == 1}
        met = [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]
        return (
            all(wishes.allows(*pair) for pair in met)
            and all(wishes.allows_bye(name) for name in rests)
            and rests.issuperset(wishes.byes)
        )

    return next((turn for turn in left if keeps(turn)), left[0])


def _scores(event: Event, after: int) -> dict[str, tuple[int, int]]:
    """Return (half points, discs) of all players; a game without disc counts as half the board."""
    scores = {player.id: (0, 0) for player in event.players}
    for round_ in event.rounds[:after]:
        for game in (game for game in round_.games if game.winner is not None):
            for name in game.players:
                score, discs = scores[name]
                scores[name] = score + game.half_points(name), discs + discs_in(event, game, name)
    return scores
