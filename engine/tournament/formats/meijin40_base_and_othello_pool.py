"""Base of the M40 formats, and format ``othello-pool``, which adds nothing to it: one pool, with as many rounds as the
operator decides.

- A round is planned as fixed games and pools, and every pool is paired by PAIRING.md 1.
- A format decides who belongs where before a round, only from who won, not from the labels of earlier pairings.
- Provisional ranks decide the pairing; final places follow from the deciding games alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from engine.i18n import Text, say
from engine.tournament import format_spec_and_options as spec
from engine.tournament import othello_system_pairing as othello_system
from engine.tournament.event_model import Bye, Event, EventError, Game, Round, Stage, Winner, event_error
from engine.tournament.formats import format_interface as base
from engine.tournament.formats import meijin40_ranking_pools_and_finals as m40
from engine.tournament.lots_and_leagues import draw_lots, lots_of, participating_players
from engine.tournament.pairing_history_and_constraints import (
    LEAGUE_STAGES,
    check_enough_present,
    history_before,
    present_entries,
)
from engine.tournament.standings_and_tie_breaks import Standings, StandingsRow, discs_in

#: options offered at the desk that the formats of M40 share
CHOICES = (spec.PROFILE, spec.NO_SHOWS)
READINGS = (*spec.COMMON, spec.DIRECTION, spec.RANKING, spec.FLOATER, spec.FIRST_ROUND)


def m40_spec(
    name: str,
    title: Text,
    about: Text,
    sizes: tuple[int, int],
    lots: spec.LotRules,
    *,
    readings: tuple[spec.RuleOption[Any], ...],
    usual_players: str = "",
    division: str = "master",
    first_lot: int = 1,
    late: tuple[Text, ...] = (),
) -> spec.FormatSpec:
    """Return the description of a format of M40 for so many players. ``usual_players``: for how many its preset is
    meant, where those are others. ``division``: the column of its certificates; that of ``master`` is changed by the
    organiser."""
    options = {} if division == "master" else {"division": division}
    plan = ("M40T", division)
    players = usual_players or f"{sizes[0]}–{sizes[1]}"
    return spec.FormatSpec(
        name,
        (spec.DivisionPreset(name, "m40", name, title, about, players, options=options, plan=plan),),
        choices=CHOICES,
        readings=readings,
        sizes=sizes,
        settled_by_players=True,
        lots=lots,
        rules="m40",
        first_lot=first_lot,
        certificate=("M40C", division),
        late=late,
    )


class M40Format(base.Format):
    """Base class. A format adds ``facts``, ``last_round``, ``plan``, ``idle`` and ``expected_finals``; for explanations
    also ``why_bye`` outside its pools, and ``why_semi_final`` where the order does not decide. ``third_place``: whether
    there is a game for 3rd place; without it the losers of the semi-finals share it."""

    last_round: int | None = 6
    direction = othello_system.Direction.LOWEST
    ranking = m40.M40Ranking.M40K
    why_bye = say("the only unbeaten player of league {league} (M40P-4)")
    why_semi_final: Text | None = None
    third_place = True

    @abstractmethod
    def plan(self, at: m40.RoundContext) -> m40.RoundPlan:
        """Return the round ``at.round`` before its pools are paired."""

    def idle(self, event: Event, after: int) -> Mapping[int, Sequence[str]]:
        """Return round -> players who won it without a game, even if no bye is recorded (M40K-11, AMB-23)."""
        return {}

    def expected_finals(self, at: m40.RoundContext) -> tuple[m40.Duel, m40.Duel]:
        """Return the players expected in the final and in the 3rd-place game of the last round."""
        return (None, None), (None, None)

    def has_fourth(self, event: Event) -> bool:
        """Return whether the loser of the 3rd-place game is 4th; else he is ranked like all others."""
        return True

    def finals(self, at: m40.RoundContext) -> tuple[list[base.Entry], list[Text]]:
        """Return the final and the 3rd-place game of the last round, and the operator's warnings."""
        final, third = self.expected_finals(at)
        third_place = at.games([third], Stage.THIRD_PLACE) if self.third_place else []
        return [*at.games([final], Stage.FINAL), *third_place], m40.no_final(at, final)

    def places(self, event: Event) -> dict[str, int]:
        """Return the places given by the deciding games, once they have been played; else nothing (M40R-1, M40F33-5,
        M40F9-6, M40K17-1)."""
        last = self.last_round
        if last is None or len(event.rounds) < last:
            return {}
        final, third = self.expected_finals(self.situation(event, last))
        places: dict[str, int] = {}
        for winner, loser in m40.deciding_games(event, last, Stage.FINAL, [final]):
            places |= _named((winner, 1), (loser, 2))
        if not places:
            return {}
        if not self.third_place:
            return places | _named(*((name, 3) for name in third))
        for winner, loser in m40.deciding_games(event, last, Stage.THIRD_PLACE, [third]):
            places |= _named((winner, 3), (loser if self.has_fourth(event) else None, 4))
        return places

    def rules(self, event: Event) -> othello_system.OthelloSystemRules:
        for reading, own in ((spec.DIRECTION, self.direction), (spec.RANKING, self.ranking)):
            if (option := reading.of(event)) not in (None, own):
                raise event_error(
                    "options.{name} is {wanted!r}, but {format!r} has {value!r}; remove it",
                    name=reading.name,
                    wanted=option,
                    format=event.format,
                    value=own.value,
                )
        return m40.rules_of(event, self.direction)

    def ranking_of(self, event: Event) -> m40.M40Ranking:
        return self.ranking

    def next_round(self, event: Event) -> base.PairedRound:
        number = len(event.rounds) + 1
        if self.last_round is not None and number > self.last_round:
            raise event_error("the event is over: all {last_round} rounds have been played", last_round=self.last_round)
        at = self.situation(event, number)
        warnings = [*self._size_warnings(at), *_lot_warnings(at)]
        rules = self.rules(event)
        plan = self.plan(at)
        entries = list(plan.fixed)
        total: tuple[int, ...] = (0, 0)
        for pool in plan.pools:
            games, cost = m40.paired_pool(at, pool, rules)
            entries += games
            if pool.by_halves and spec.FIRST_ROUND.of(event) != "pool" and m40.halves(at, pool) is None:
                warnings.append(say("{name} is not paired by halves (M40P-3), because of a wish", name=pool.name))
            total = m40.add_costs(total, cost)
        warnings += [*plan.warnings, *_pairing_warnings(at, entries)]
        cost_names = {"second_byes": total[0], "rematches": total[1], "differences": list(total[2:])}
        entries.sort(key=lambda entry: isinstance(entry, Bye))
        return base.PairedRound(number, tuple(entries), cost_names, tuple(warnings))

    def situation(self, event: Event, number: int) -> m40.RoundContext:
        """Return the event as it was before round ``number``."""
        here = {player.id for player in present_entries(event, number)}
        everybody = [player.id for player in participating_players(event)]
        lots = lots_of(event)
        lots = {name: lots[name] for name in everybody}
        results = m40.results_of(event, number - 1, self.idle(event, number - 1))
        placed = self._rank_players(event, lots, results)
        return m40.RoundContext(event, number, lots, results, tuple(p.id for p in placed), frozenset(here))

    def _rank_players(
        self, event: Event, lots: Mapping[str, int], results: Sequence[m40.RoundResults]
    ) -> list[m40.Placed]:
        return (m40.m40k if self.ranking_of(event) is m40.M40Ranking.M40K else m40.m40k17)(lots, results)

    def _size_warnings(self, at: m40.RoundContext) -> list[Text]:
        low, high = self.facts.sizes
        count = len(at.here)
        if at.round > 1:
            return []
        check_enough_present(count)
        if low <= count <= high:
            return []
        warning = say(
            "{count} players are present; {format!r} is for {low} to {high}",
            count=count,
            format=at.event.format,
            low=low,
            high=high,
        )
        if count > high:
            raise EventError(warning)
        return [warning]

    def standings_after(self, event: Event, after: int) -> Standings:
        """Return the provisional ranking; after the last round the final one (M40R-1, M40R-2, M40K17-1)."""
        at = self.situation(event, after + 1)
        placed = self._rank_players(event, at.lots, at.results)
        shares = False
        places: dict[str, int] = {}
        if after == self.last_round and (places := self.places(event)):
            shares = self.ranking_of(event) is m40.M40Ranking.M40K
        # Unused places are closed up: after a final without an opponent there is no 2nd. But nobody is 1st without
        # having won the final: if neither finalist came, both are 2nd.
        first = min(places.values(), default=1)
        # Two who did not come to their game have the last place that it is for (AMB-49).
        games = [game for round_ in event.rounds[:after] for game in round_.games if game.stage is Stage.THIRD_PLACE]
        missed = {name for game in games if game.winner is Winner.NEITHER for name in game.players}
        better = {
            name: sum(other < place for other in places.values()) + (name in missed) for name, place in places.items()
        }
        places = {name: min(place, first + better[name]) for name, place in places.items()}
        below = len(placed) + 1
        placed.sort(key=lambda p: places.get(p.id, below))
        names = m40.M40K_KEYS if self.ranking_of(event) is m40.M40Ranking.M40K else m40.M40K17_KEYS
        rows: list[StandingsRow] = []
        for number, p in enumerate(placed, start=1):
            rank = places.get(p.id, number)
            # M40R-2 has no further criterion: equal wins share the rank
            if shares and rows and p.id not in places and rows[-1].id not in places and rows[-1].wins == p.wins:
                rank = rows[-1].rank
            rows.append(StandingsRow(rank, p.id, p.wins, discs_of(event, p.id, after), p.keys, names))
        return Standings(after, tuple(rows))

    def costs_of_round(self, before: Event, played: Round) -> tuple[base.Cost, base.Cost]:
        """Return the tuples (second byes, rematches, pairs with the largest difference, …, with a difference of 1),
        summed over the pools of the round; a round of fixed games alone costs nothing."""
        at = self.situation(before, played.number)
        rules = self.rules(before)
        byes = [bye.player for bye in played.byes]
        cost: tuple[int, ...] = (0, 0)
        optimum: tuple[int, ...] = (0, 0)
        pools = m40.merged_pools([set(pool.players) for pool in self.plan(at).pools if pool.players], played.games)
        for names in pools:
            pairs = [game.players for game in played.games if set(game.players) <= names]
            # an even number of players needs no bye; with several byes all but one were given for other reasons
            candidates: list[str | None] = [name for name in byes if name in names] or [None]
            prices = [m40.cost_of_pool(at, pairs, bye, rules) for bye in candidates]
            one, best = min(prices)
            cost, optimum = m40.add_costs(cost, one), m40.add_costs(optimum, best)
        width = max(len(cost), len(optimum))
        return m40.widened(cost, width), m40.widened(optimum, width)

    def planned_rounds(self, event: Event) -> int | None:
        return self.last_round

    def champion(self, event: Event) -> str | None:
        return next((name for name, place in self.places(event).items() if place == 1), None)


class OthelloPool(M40Format):
    """``options.direction`` and ``options.ranking`` choose between the two systems of M40. Under ``lowest`` round 1 is
    drawn by halves (M40P-1 to 3), under ``highest`` neighbours by lot meet."""

    facts = spec.FormatSpec(
        "othello-pool",
        (
            spec.DivisionPreset(
                "othello-pool", "free", "othello-pool", say("Othello system"),
                say("One pool; the desk decides when it ends."),
                "4–", options={"direction": "lowest", "ranking": "m40k"},
            ),
        ),
        choices=(spec.DIRECTION, spec.PROFILE, spec.VARIANT),
        readings=(*spec.COMMON, spec.RANKING, spec.FLOATER, spec.FIRST_ROUND, spec.NO_SHOWS),
        settled_by_players=True,
        lots=spec.LotRules(needed=False),
        rules="m40",
        open_ended=True,
    )  # fmt: skip
    last_round = None

    def rules(self, event: Event) -> othello_system.OthelloSystemRules:
        return m40.rules_of(event)

    def ranking_of(self, event: Event) -> m40.M40Ranking:
        """Return the ranking: by default M40K17 with ``highest``, as in 13 to 32; the options can choose either."""
        fitting = "m40k17" if spec.DIRECTION.of(event) == othello_system.Direction.HIGHEST else "m40k"
        return m40.M40Ranking(spec.RANKING.of(event) or fitting)

    def plan(self, at: m40.RoundContext) -> m40.RoundPlan:
        by_halves = at.round == 1 and self.rules(at.event).direction is othello_system.Direction.LOWEST
        return m40.RoundPlan((m40.M40Pool(at.ranked(at.here), Stage.LEAGUE, by_halves=by_halves),))


def _named(*places: tuple[str | None, int]) -> dict[str, int]:
    """Return the places that have a player."""
    return {name: place for name, place in places if name}


def _lot_warnings(at: m40.RoundContext) -> list[Text]:
    draw = draw_lots(at.event, leagues=False)
    if at.round > 1 and not draw.written:
        return [say("the lots are not in the event file; write the draw into it, so that a late entry changes nothing")]
    return list(draw.warnings) if at.round == 1 else []


def _pairing_warnings(at: m40.RoundContext, entries: Sequence[base.Entry]) -> list[Text]:
    """Return the warnings of second byes and rematches, which M40P-5 and M40P-6 only minimise."""
    event, warnings, history = at.event, list[Text](), history_before(at.event, at.round, tuple(Stage))
    for entry in entries:
        if isinstance(entry, Game):
            warnings += base.rematch_warnings(event, history, [entry.players])
        elif history.records[entry.player].byes and entry.stage in LEAGUE_STAGES:
            warnings.append(say("second bye: {label} already had a bye", label=event.called(entry.player)))
    return warnings


def discs_of(event: Event, player: str, after: int) -> int:
    """Return a player's discs; half the board for a bye and for a game of which only the winner was recorded."""
    total = 0
    for round_ in event.rounds[:after]:
        total += event.half * sum(bye.player == player for bye in round_.byes)
        for game in round_.games:
            if player in game.players and game.winner is not None:
                total += discs_in(event, game, player)
    return total
