"""League with adjacent pairing, and the finals after it: the base of ``adjacent``, ``m43-division``, ``m40-elementary``
and ``chouchou``.

- One order ranks the players and pairs them, wins first. Players level in it share a rank and are paired in the order
  of their lots.
- A player's lot is fixed for the whole event: ``lot`` of the entry if everybody has one (a larger lot is higher, M40L),
  else one drawn from the event's recorded seed.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.i18n import Text, say
from engine.tournament import format_spec_and_options as spec
from engine.tournament import standings_and_tie_breaks as ranking
from engine.tournament import swiss_pairing as brightwell
from engine.tournament.adjacent_pairing import cost_of_neighbours, pair_neighbours
from engine.tournament.event_model import Event, Round, Stage
from engine.tournament.formats import final_rounds
from engine.tournament.formats import format_interface as base
from engine.tournament.lots_and_leagues import LotDraw
from engine.tournament.othello_system_pairing import PoolPairing
from engine.tournament.pairing_history_and_constraints import History, history_before, present_entries, ranked_entries

#: |blacks - whites| above which the operator is warned
BALANCE_LIMIT = 2


class AdjacentLeague(base.Format):
    """Base class. Order: wins, then disc difference or the tie-breaks of the options; neighbours in rank meet; no
    rematch if avoidable."""

    #: the finals during which the other players have placement games
    placement: frozenset[final_rounds.FinalStage] = frozenset()

    def plan(self, event: Event) -> final_rounds.FinalsPlan:
        return final_rounds.plan_of(event)

    def keys(self, event: Event, after: int) -> dict[str, ranking.Key]:
        """Return what ranks the players after a round, larger is better; the first is the score in half points."""
        return ranking.league_keys(event, after, tuple(Stage), self.key_names(event)[1:])

    def key_names(self, event: Event) -> tuple[str, ...]:
        return ("wins", *ranking.criteria_of(event, ("disc_difference",)))

    def displayed_key(self, event: Event, key: ranking.Key) -> tuple[int | float, ...]:
        """Return a key as it is shown in the standings."""
        return ranking.displayed_key(key, self.key_names(event)[1:])

    def discs(self, event: Event, after: int) -> dict[str, int]:
        """Return everybody's own discs; half the board where only won or lost was recorded."""
        return {name: t.discs for name, t in ranking.scores(event, after, tuple(Stage)).items()}

    def next_round(self, event: Event) -> base.PairedRound:
        round_ = len(event.rounds) + 1
        names = [player.id for player in present_entries(event, round_)]
        step = self.plan(event).step(round_)
        if step is None:
            return self._pair(event, round_, names, Stage.LEAGUE, [], [])
        order, keys = self.order(event, round_ - 1), self.keys(event, round_ - 1)
        games, warnings = final_rounds.entries_of_step(event, round_, step, self.plan(event), order, keys)
        busy = {name for entry in games for name in entry.players}
        others = [name for name in names if name not in busy] if step in self.placement else []
        return self._pair(event, round_, others, Stage.PLACEMENT, games, warnings)

    def _pair(
        self,
        event: Event,
        round_: int,
        names: Sequence[str],
        stage: Stage,
        finals: Sequence[base.Entry],
        warnings: list[Text],
    ) -> base.PairedRound:
        """Return the round: its finals on the first tables, then ``names`` with adjacent pairing."""
        history = history_before(event, round_)
        order = [name for name in self.order(event, round_ - 1) if name in names]
        free = [name for name in order if name not in history.wishes.byes]
        if finals and len(free) < 2:
            requested = tuple(name for name in order if name not in free)
            adjacent = PoolPairing((), free[0] if free else None, (0, 0), requested)
        else:
            adjacent = self.paired(event, history, order)
        pairs = [colours(event, history, pair, stage) for pair in adjacent.pairs]
        pairing = brightwell.Pairing(
            tuple(brightwell.by_table(history, pairs)), adjacent.bye, requested=adjacent.requested
        )
        limit = BALANCE_LIMIT if event.facts.designates(stage) else len(event.rounds) + 1
        entries = [*finals, *base.games_of(pairing, stage)]
        warnings = [*warnings, *base.pairing_warnings(event, history, pairing, limit)]
        second_byes, rematches, *distances = adjacent.cost
        cost = {"second_byes": second_byes, "rematches": rematches, "distance": sum(distances)}
        return base.PairedRound(round_, tuple(entries), cost, tuple(warnings))

    def paired(self, event: Event, history: History, order: Sequence[str]) -> PoolPairing:
        """Return the pairing of players given in rank order."""
        return pair_neighbours(history, order)

    def costs_of_pairs(
        self, event: Event, history: History, order: Sequence[str], pairs: Sequence[tuple[str, str]]
    ) -> tuple[int, ...]:
        """Return the cost of these pairs, as ``paired`` computes it; a player in no pair had the bye."""
        return cost_of_neighbours(history, order, pairs)

    def order(self, event: Event, after: int) -> list[str]:
        """Return all players in rank order, level players by lot."""
        return base.in_order(event, self._ranked_keys(event, after))

    def _ranked_keys(self, event: Event, after: int) -> dict[str, ranking.Key]:
        """Return keys for a rising sort: the finals first, then the league."""
        places = final_rounds.places_in_finals(event, after)
        return {
            name: (places.get(name, 5), *(-value for value in key)) for name, key in self.keys(event, after).items()
        }

    def standings_after(self, event: Event, after: int) -> ranking.Standings:
        keys = self.keys(event, after)
        groups = base.groups_by(ranked_entries(event), self._ranked_keys(event, after))
        discs, names = self.discs(event, after), self.key_names(event)
        rows = [
            ranking.StandingsRow(
                rank, name, ranking.number(keys[name][0]), discs[name], self.displayed_key(event, keys[name]), names
            )
            for name, rank in final_rounds.ranks_with_finals(event, after, groups).items()
        ]
        return ranking.Standings(after, tuple(rows))

    def costs_of_round(self, before: Event, played: Round) -> tuple[Sequence[int], Sequence[int]]:
        stages = (Stage.LEAGUE, Stage.PLACEMENT)
        pairs = [game.players for game in played.games if game.stage in stages]
        if not pairs:
            return (0, 0), (0, 0)  # finals alone: the rules left no choice
        history = history_before(before, played.number)
        byes: list[str | None] = [bye.player for bye in played.byes if bye.stage in stages]
        prices = []
        for bye in byes or [None]:
            names = {bye, *(name for pair in pairs for name in pair)}
            order = [name for name in self.order(before, played.number - 1) if name in names]
            played_cost = self.costs_of_pairs(before, history, order, pairs)
            prices.append((played_cost, self.paired(before, history, order).cost))
        return min(prices)

    def planned_rounds(self, event: Event) -> int | None:
        return self.plan(event).last_round

    def is_over(self, event: Event) -> bool:
        return super().is_over(event) or final_rounds.nobody_left_for_final(event)

    def champion(self, event: Event) -> str | None:
        """Return the winner of the final; without finals the first of the last round, by lot if the rules leave
        several."""
        if final_rounds.FinalStage.FINAL in self.plan(event).steps:
            return final_rounds.winner_of_stage(event, Stage.FINAL)
        return self.order(event, len(event.rounds))[0] if self.is_over(event) else None


def colours(event: Event, history: History, pair: tuple[str, str], stage: Stage) -> tuple[str, str]:
    """Return (black, white) of a pair: the cheaper colours where the format designates them, else in the given
    order."""
    if not event.facts.designates(stage):
        return pair
    place = {player.id: number for number, player in enumerate(event.players)}
    lots = LotDraw(event.options.random_seed or 0, history.round, purpose=3 + place[pair[0]])
    return brightwell.choose_colours(
        brightwell.Prices(event, history, brightwell.SwissPool(pair)), history, *pair, lots
    )


# Format ``adjacent``: adjacent pairing, ranked by wins, then disc difference or the ``options.tie_breaks``.
#
# - There are as many rounds as ``options.rounds``, or as the operator decides; then the finals of ``options.finals``,
#   if any, in which the other players do not play.
# - Colours are designated and equal discs are a draw (M43-1).


class Adjacent(AdjacentLeague):
    """The league with adjacent pairing, without additions."""

    facts = spec.FormatSpec(
        "adjacent",
        (
            spec.DivisionPreset(
                "adjacent", "free", "adjacent", say("Neighbours meet"),
                say("As many rounds as you like between neighbours; easy for a club."),
                "4–", options={"rounds": 4, "finals": "none"},
            ),
        ),
        choices=(spec.ROUNDS, spec.FINALS, spec.TIE_BREAKS, spec.BYE_DISCS, spec.VARIANT),
        readings=spec.COMMON,
        open_ended=True,
    )  # fmt: skip

    def check(self, event: Event) -> None:
        super().check(event)
        base.check_draws(event)
