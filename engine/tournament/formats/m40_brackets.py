"""``m40-17-32`` and ``m40-13-16``: the new Othello system and its modified form (RULES.md 6.5 and 6.6).

The law: the unbeaten play a knock-out; whoever loses late in it gets a second one for the 3rd place or for the
semi-finals; everybody else plays the placement league, neighbours in rank meeting (M40P17). Six rounds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.tournament.formats.finals import Entry
from engine.tournament.formats.m40_base import M40Format
from engine.tournament.formats.m40_bracket import (
    after_round,
    first_round,
    knockout_games,
    paired,
    unbeaten_and_losers,
)
from engine.tournament.formats.m40_duels import Duel, duel_entry, duels, semi_final_pairs
from engine.tournament.formats.m40_pools import Plan, Pool, Situation, ranked_pool
from engine.tournament.m40_ranking import Ranking
from engine.tournament.model import Bye, Event, Stage
from engine.tournament.othello import Direction

LAST_ROUND = 6


@dataclass(frozen=True, slots=True)
class _Bracketed(M40Format):
    """``unbeaten_rounds``: after so many rounds the unbeaten tournament has its two finalists."""

    unbeaten_rounds: int = 4

    @abstractmethod
    def knockout(self, at: Situation) -> tuple[list[Entry], list[str]]:
        """The games outside the placement league, and the warnings they need."""

    def plan(self, at: Situation) -> Plan:
        entries, warnings = self.knockout(at)
        waiting = self.waiting(at.event, at.round).get(at.round, ())
        return Plan((Pool(at.others(entries, idle=waiting), Stage.PLACEMENT),), tuple(entries), tuple(warnings))

    def waiting(self, event: Event, after: int) -> Mapping[int, Sequence[str]]:
        """The round in which the unbeaten have no opponent, and who they are."""
        at_round = self.unbeaten_rounds + 1
        if after < at_round:
            return {}
        at = self.situation(event, at_round)
        slots, _ = unbeaten_and_losers(at, self.unbeaten_rounds)
        return {at_round: [name for name in slots if name is not None and name in at.here]}

    def idle(self, event: Event, after: int) -> Mapping[int, Sequence[str]]:
        """AMB-23: they win it."""
        return {} if event.options.waiting == "nothing" else self.waiting(event, after)

    @abstractmethod
    def last_duels(self, at: Situation) -> tuple[Duel, Duel]:
        """Who is expected in the final and in the 3rd-place game."""

    def places(self, event: Event) -> dict[str, int]:
        """M40K17-1: 1st and 2nd by the final, 3rd the winner of the 3rd-place game; its loser is ranked by M40K17."""
        if len(event.rounds) < LAST_ROUND:
            return {}
        final, third = self.last_duels(self.situation(event, LAST_ROUND))
        places: dict[str, int] = {}
        for winner, loser in duels(event, LAST_ROUND, Stage.FINAL, [final]):
            places |= {name: place for name, place in ((winner, 1), (loser, 2)) if name}
        for winner, _ in duels(event, LAST_ROUND, Stage.THIRD_PLACE, [third]):
            places |= {winner: 3} if places and winner else {}
        return places

    def _finals(self, at: Situation) -> list[Entry]:
        final, third = (at.those_here(duel) for duel in self.last_duels(at))
        return [*duel_entry(*final, Stage.FINAL), *duel_entry(*third, Stage.THIRD_PLACE)]


def _idle(at: Situation, slots: Sequence[str | None]) -> list[Entry]:
    """AMB-23: the unbeaten wait with a bye, unless ``waiting`` says that it is nothing."""
    if at.event.options.waiting == "nothing":
        return []
    return [Bye(name, Stage.KNOCKOUT) for name in slots if name in at.here]


@dataclass(frozen=True, slots=True)
class M4017To32(_Bracketed):
    """M40F17: unbeaten tournament in rounds 1 to 4, 3rd-place tournament in rounds 4 and 5, final in round 6."""

    def knockout(self, at: Situation) -> tuple[list[Entry], list[str]]:
        number = at.round
        if number == 1:
            return first_round(at), []
        unbeaten, losers = unbeaten_and_losers(at, min(number - 1, 4))
        if number <= 3:
            return knockout_games(at, paired(unbeaten)), []
        third = self._third_place(at, losers)
        if number == 4:
            return [*knockout_games(at, paired(unbeaten)), *knockout_games(at, third)], []
        if number == 5:
            return [*_idle(at, unbeaten), *knockout_games(at, third)], []
        return self._finals(at), []

    def _third_place(self, at: Situation, losers: Sequence[Sequence[str | None]]) -> list[Duel]:
        """M40F17-5, M40F17-8: round 4, the round-3 losers of the same half; round 5, the two round-4 losers, and the
        two survivors; round 6, the two winners."""
        duels_of_round = paired(losers[2])
        if at.round > 4:
            survivors, _ = after_round(at, duels_of_round, 4)
            duels_of_round = [*paired(losers[3]), *paired(survivors)]
        if at.round > 5:
            winners, _ = after_round(at, duels_of_round, 5)
            duels_of_round = paired(winners)
        return duels_of_round

    def last_duels(self, at: Situation) -> tuple[Duel, Duel]:
        unbeaten, losers = unbeaten_and_losers(at, 4)
        return paired(unbeaten)[0], self._third_place(at, losers)[0]


@dataclass(frozen=True, slots=True)
class M4013To16(_Bracketed):
    """M40F13: unbeaten tournament in rounds 1 to 3, repechage in rounds 3 and 4, semi-finals in round 5."""

    def knockout(self, at: Situation) -> tuple[list[Entry], list[str]]:
        number = at.round
        if number == 1:
            return first_round(at), []
        unbeaten, losers = unbeaten_and_losers(at, min(number - 1, 3))
        if number == 2:
            return knockout_games(at, paired(unbeaten)), []
        repechage = self._repechage(at, losers)
        if number == 3:
            return [*knockout_games(at, paired(unbeaten)), *knockout_games(at, repechage)], []
        if number == 4:
            return [*_idle(at, unbeaten), *knockout_games(at, repechage)], []
        if number == 5:
            pairs, warnings = self._semi_finals(at)
            return [entry for pair in pairs for entry in duel_entry(*pair, Stage.SEMI_FINAL)], warnings
        return self._finals(at), []

    def _repechage(self, at: Situation, losers: Sequence[Sequence[str | None]]) -> list[Duel]:
        """M40F13-1, M40F17-8: round 3, the round-2 losers of the same half; round 4, a round-3 loser and the survivor
        of the other half."""
        duels_of_round = paired(losers[1])
        if at.round > 3:
            (first, second), _ = after_round(at, duels_of_round, 3)
            lost_first, lost_second = losers[2]
            duels_of_round = [(lost_first, second), (lost_second, first)]
        return duels_of_round

    def _semi_finals(self, at: Situation) -> tuple[list[Duel], list[str]]:
        """M40F13-2, M40F13-3: the two unbeaten and the two winners of the repechage; the next in rank replaces whoever
        has left."""
        unbeaten, losers = unbeaten_and_losers(at, 3)
        before = self.situation(at.event, 4)
        winners, _ = after_round(at, self._repechage(before, losers), 4)
        seats = at.ranked(name for name in (*unbeaten, *winners) if name is not None)
        added = [name for name in at.ranked(at.here) if name not in seats][: 4 - len(seats)]
        warnings = [
            f"{at.event.label(name)} takes a free place in the semi-finals, as the next in rank" for name in added
        ]
        order = at.ranked([*seats, *added])
        return semi_finals_of(at, order), warnings

    def last_duels(self, at: Situation) -> tuple[Duel, Duel]:
        pairs, _ = self._semi_finals(self.situation(at.event, 5))
        decided = duels(at.event, 5, Stage.SEMI_FINAL, pairs)
        (one, lost_one), (other, lost_other) = [*decided, (None, None), (None, None)][:2]
        return (one, other), (lost_one, lost_other)


def semi_finals_of(at: Situation, order: Sequence[str]) -> list[Duel]:
    """The semi-finals of four by the rule of M40F13-3; of fewer, the first have byes, as in M40F9-5."""
    if len(order) < 4:
        first, second, third = [*order, None, None, None][:3]
        return [duel for duel in ((first, None), (second, third)) if any(duel)]
    losses = {name: sum(not r[name].won for r in at.results if name in r) for name in order}
    return semi_final_pairs(order, losses, ranked_pool(at, order).met)


M40_17_32 = M4017To32(LAST_ROUND, (17, 32), Direction.HIGHEST, Ranking.M40K17)
M40_13_16 = M4013To16(LAST_ROUND, (13, 16), Direction.HIGHEST, Ranking.M40K17, unbeaten_rounds=3)
