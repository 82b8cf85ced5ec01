"""Format ``m40-13-16``: the modified new Othello system of the 40th Meijin (RULES.md 6.6).

Unbeaten tournament in rounds 1 to 3, repechage in rounds 3 and 4, semi-finals in round 5, final in round 6; all other
players play the placement league.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.tournament.event_model import Stage
from engine.tournament.format_spec import DivisionPreset, FormatSpec, LotRules
from engine.tournament.formats.m40_13_32_base import BRACKET_READINGS, LATE, M40Bracket, semi_finals_of
from engine.tournament.formats.m40_base import CHOICES
from engine.tournament.formats.m40_bracket_slots import after_round, paired, unbeaten_and_losers
from engine.tournament.formats.m40_deciding_games import Duel, deciding_games, duel_entry
from engine.tournament.formats.m40_round_plan import RoundContext
from engine.tournament.formats.shared_finals_stages import Entry
from engine.translatable_text import Text, say


class M4013To16(M40Bracket):
    """M40F13: unbeaten tournament in rounds 1 to 3, repechage in rounds 3 and 4, semi-finals in round 5."""

    facts = FormatSpec(
        "m40-13-16",
        (
            DivisionPreset(
                "m40-13-16", "m40", "m40-13-16", say("13–16 players"),
                say("A bracket with repechage, six rounds."), "13–16",
                plan=("M40T", "master"),
            ),
        ),
        choices=CHOICES,
        readings=BRACKET_READINGS,
        sizes=(13, 16),
        settled_by_players=True,
        lots=LotRules(bracket=8),
        rules="m40",
        certificate=("M40C", "master"),
        late=LATE,
    )  # fmt: skip
    unbeaten_rounds = 3

    def second_knockout(self, at: RoundContext, losers: Sequence[Sequence[str | None]]) -> list[Duel]:
        """Return the repechage games (M40F13-1, M40F17-8): in round 3, the round-2 losers of the same half; in round 4,
        a round-3 loser and the survivor of the other half."""
        duels_of_round = paired(losers[1])
        if at.round > 3:
            (first, second), _ = after_round(at, duels_of_round, 3)
            lost_first, lost_second = losers[2]
            duels_of_round = [(lost_first, second), (lost_second, first)]
        return duels_of_round

    def knockout(self, at: RoundContext) -> tuple[list[Entry], list[Text]]:
        if at.round != 5:
            return super().knockout(at)
        pairs, warnings = self._semi_finals(at)
        return [entry for pair in pairs for entry in duel_entry(*pair, Stage.SEMI_FINAL)], warnings

    def _semi_finals(self, at: RoundContext) -> tuple[list[Duel], list[Text]]:
        """Return the semi-finals of the two unbeaten and the two winners of the repechage (M40F13-2, M40F13-3); the
        next in rank replaces a player who has withdrawn."""
        unbeaten, losers = unbeaten_and_losers(at, 3)
        before = self.situation(at.event, 4)
        winners, _ = after_round(at, self.second_knockout(before, losers), 4)
        seats = at.ranked(name for name in (*unbeaten, *winners) if name is not None)
        added = [name for name in at.ranked(at.here) if name not in seats][: 4 - len(seats)]
        warnings = [
            say("{label} takes a free place in the semi-finals, as the next in rank", label=at.event.called(name))
            for name in added
        ]
        order = at.ranked([*seats, *added])
        return semi_finals_of(at, order), warnings

    def last_duels(self, at: RoundContext) -> tuple[Duel, Duel]:
        pairs, _ = self._semi_finals(self.situation(at.event, 5))
        decided = deciding_games(at.event, 5, Stage.SEMI_FINAL, pairs)
        (one, lost_one), (other, lost_other) = [*decided, (None, None), (None, None)][:2]
        return (one, other), (lost_one, lost_other)
