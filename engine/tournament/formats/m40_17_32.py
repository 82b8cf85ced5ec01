"""Format ``m40-17-32``: the new Othello system of the 40th Meijin (RULES.md 6.5).

Unbeaten tournament in rounds 1 to 4, 3rd-place tournament in rounds 4 and 5, final in round 6; all other players play
the placement league.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.tournament.format_spec import DivisionPreset, FormatSpec, LotRules
from engine.tournament.formats.m40_13_32_base import BRACKET_READINGS, LATE, M40Bracket
from engine.tournament.formats.m40_base import CHOICES
from engine.tournament.formats.m40_bracket_slots import after_round, paired, unbeaten_and_losers
from engine.tournament.formats.m40_deciding_games import Duel
from engine.tournament.formats.m40_round_plan import RoundContext
from engine.translatable_text import say


class M4017To32(M40Bracket):
    """M40F17: unbeaten tournament in rounds 1 to 4, 3rd-place tournament in rounds 4 and 5, final in round 6."""

    facts = FormatSpec(
        "m40-17-32",
        (
            DivisionPreset(
                "m40-17-32", "m40", "m40-17-32", say("17–32 players"),
                say("A bracket with placement games, six rounds."), "17–32",
                plan=("M40T", "master"),
            ),
        ),
        choices=CHOICES,
        readings=BRACKET_READINGS,
        sizes=(17, 32),
        settled_by_players=True,
        lots=LotRules(bracket=16),
        rules="m40",
        certificate=("M40C", "master"),
        late=LATE,
    )  # fmt: skip
    unbeaten_rounds = 4

    def second_knockout(self, at: RoundContext, losers: Sequence[Sequence[str | None]]) -> list[Duel]:
        """Return the games of the 3rd-place tournament (M40F17-5, M40F17-8): in round 4, the round-3 losers of the same
        half; in round 5, the two round-4 losers, and the two survivors; in round 6, the two winners."""
        duels_of_round = paired(losers[2])
        if at.round > 4:
            survivors, _ = after_round(at, duels_of_round, 4)
            duels_of_round = [*paired(losers[3]), *paired(survivors)]
        if at.round > 5:
            winners, _ = after_round(at, duels_of_round, 5)
            duels_of_round = paired(winners)
        return duels_of_round

    def last_duels(self, at: RoundContext) -> tuple[Duel, Duel]:
        unbeaten, losers = unbeaten_and_losers(at, 4)
        return paired(unbeaten)[0], self.second_knockout(at, losers)[0]
