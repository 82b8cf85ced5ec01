"""Base of ``m40-17-32`` and ``m40-13-16``: the new Othello system and its modified form (RULES.md 6.5 and 6.6).

The unbeaten play a knock-out. Players who lose late in it play a second one for 3rd place or for the semi-finals. All
others play the placement league with adjacent pairing (M40P17). Six rounds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from engine.tournament.event_model import Bye, Event, Stage
from engine.tournament.format_spec import ChoiceOption
from engine.tournament.formats.m40_base import READINGS, M40Format
from engine.tournament.formats.m40_bracket_slots import first_round, knockout_games, paired, unbeaten_and_losers
from engine.tournament.formats.m40_deciding_games import Duel, deciding_games, duel_entry, semi_final_pairs
from engine.tournament.formats.m40_round_plan import M40Pool, RoundContext, RoundPlan, no_final, ranked_pool
from engine.tournament.formats.shared_finals_stages import Entry
from engine.tournament.m40_ranking import M40Ranking
from engine.tournament.othello_system_pairing import Direction
from engine.tournament.shared_format_options import SEED_PLACES
from engine.translatable_text import Text, say

LAST_ROUND = 6
#: what the round counts in which the unbeaten wait: AMB-23
WAITING = ChoiceOption("waiting", None, ("win", "nothing"))
#: the readings of a format with a bracket
BRACKET_READINGS = (*READINGS, SEED_PLACES, WAITING)
LATE = (say("A late entry plays in the placement league only."),)


class M40Bracket(M40Format):
    """Base class. ``unbeaten_rounds``: after so many rounds the unbeaten tournament has its two finalists."""

    direction = Direction.HIGHEST
    ranking = M40Ranking.M40K17
    unbeaten_rounds: int

    def knockout(self, at: RoundContext) -> tuple[list[Entry], list[Text]]:
        """Return the games outside the placement league, and the warnings they need."""
        number = at.round
        if number == 1:
            return first_round(at), []
        if number > self.unbeaten_rounds + 1:
            return self.finals(at)
        unbeaten, losers = unbeaten_and_losers(at, min(number - 1, self.unbeaten_rounds))
        entries = knockout_games(at, paired(unbeaten)) if number <= self.unbeaten_rounds else idle_byes(at, unbeaten)
        beside = self.second_knockout(at, losers) if number >= self.unbeaten_rounds else []
        return [*entries, *knockout_games(at, beside)], []

    @abstractmethod
    def second_knockout(self, at: RoundContext, losers: Sequence[Sequence[str | None]]) -> list[Duel]:
        """Return the games of the players who lost late, from the last round of the unbeaten tournament on. ``losers``:
        by round."""

    def plan(self, at: RoundContext) -> RoundPlan:
        entries, warnings = self.knockout(at)
        waiting = self.waiting(at.event, at.round).get(at.round, ())
        return RoundPlan((M40Pool(at.others(entries, idle=waiting), Stage.PLACEMENT),), tuple(entries), tuple(warnings))

    def waiting(self, event: Event, after: int) -> Mapping[int, Sequence[str]]:
        """Return the round in which the unbeaten have no opponent, and these players."""
        at_round = self.unbeaten_rounds + 1
        if after < at_round:
            return {}
        at = self.situation(event, at_round)
        slots, _ = unbeaten_and_losers(at, self.unbeaten_rounds)
        return {at_round: [name for name in slots if name is not None and name in at.here]}

    def idle(self, event: Event, after: int) -> Mapping[int, Sequence[str]]:
        """Return the rounds that waiting players win without a game (AMB-23)."""
        return {} if WAITING.of(event) == "nothing" else self.waiting(event, after)

    @abstractmethod
    def last_duels(self, at: RoundContext) -> tuple[Duel, Duel]:
        """Return the players expected in the final and in the 3rd-place game."""

    def places(self, event: Event) -> dict[str, int]:
        """Return the places (M40K17-1): 1st and 2nd by the final, 3rd the winner of the 3rd-place game; its loser is
        ranked by M40K17."""
        if len(event.rounds) < LAST_ROUND:
            return {}
        final, third = self.last_duels(self.situation(event, LAST_ROUND))
        places: dict[str, int] = {}
        for winner, loser in deciding_games(event, LAST_ROUND, Stage.FINAL, [final]):
            places |= {name: place for name, place in ((winner, 1), (loser, 2)) if name}
        for winner, _ in deciding_games(event, LAST_ROUND, Stage.THIRD_PLACE, [third]):
            places |= {winner: 3} if places and winner else {}
        return places

    def finals(self, at: RoundContext) -> tuple[list[Entry], list[Text]]:
        final, third = self.last_duels(at)
        third_place = duel_entry(*at.those_here(third), Stage.THIRD_PLACE)
        return [*duel_entry(*at.those_here(final), Stage.FINAL), *third_place], no_final(at, final)


def idle_byes(at: RoundContext, slots: Sequence[str | None]) -> list[Entry]:
    """Return the byes of the waiting unbeaten players (AMB-23), none if ``waiting`` is "nothing"."""
    if WAITING.of(at.event) == "nothing":
        return []
    return [Bye(name, Stage.KNOCKOUT) for name in slots if name in at.here]


def semi_finals_of(at: RoundContext, order: Sequence[str]) -> list[Duel]:
    """Return the semi-finals of four by the rule of M40F13-3; of fewer, the first have byes, as in M40F9-5."""
    if len(order) < 4:
        first, second, third = [*order, None, None, None][:3]
        return [duel for duel in ((first, None), (second, third)) if any(duel)]
    losses = {name: sum(not r[name].won for r in at.results if name in r) for name in order}
    return semi_final_pairs(order, losses, ranked_pool(at, order).met)
