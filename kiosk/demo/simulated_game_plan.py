"""Plan of one simulated game: which record is played, and who errs when.

The plan depends only on seed, game and players, not on timing, speed or power cuts, so that a disturbed event can be
compared with an undisturbed one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class PlayerError(StrEnum):
    """A planned error. ``FORGOTTEN_FLIP`` … ``WRONG_SQUARE`` are challenged by the opponent."""

    NONE = "none"
    FORGOTTEN_FLIP = "forgotten-flip"
    OVER_FLIP = "over-flip"
    WRONG_SQUARE = "wrong-square"
    UNNOTICED_FLIP = "unnoticed-flip"  # unnoticed: play continues from the board as it is
    FALSE_PASS = "false-pass"
    WRONG_CHALLENGE = "wrong-challenge"
    CALL_ARBITER = "call-arbiter"
    FLAG_CLAIMED = "flag-claimed"
    FLAG_UNCLAIMED = "flag-unclaimed"


#: the mistakes of a round's tables in turn; every kind occurs within two rounds of eight tables
TURNS = (
    PlayerError.NONE, PlayerError.FORGOTTEN_FLIP, PlayerError.NONE, PlayerError.WRONG_CHALLENGE,
    PlayerError.CALL_ARBITER, PlayerError.OVER_FLIP,
    PlayerError.FLAG_CLAIMED, PlayerError.NONE, PlayerError.WRONG_SQUARE, PlayerError.FALSE_PASS, PlayerError.NONE,
    PlayerError.UNNOTICED_FLIP,
    PlayerError.FLAG_UNCLAIMED,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GamePlan:
    """The plan of a game. ``ply`` is the turn of the mistake or the first later one at which it is possible. The random
    choices are made here: ``free_play`` what a winner on time chooses, ``seat_left``, ``black_first`` and
    ``right_to_black`` the set-up.
    """

    record: tuple[str, ...]
    mishap: PlayerError
    ply: int
    free_play: bool
    seat_left: bool
    black_first: bool
    right_to_black: bool
    seed: str

    def chance(self, ply: int) -> Random:
        """Return the random generator of one turn."""
        return Random(f"{self.seed}/{ply}")


def plan(seed: int, game: str, number: int, records: Sequence[tuple[str, ...]]) -> GamePlan:
    """Return the plan of the game with this id, the ``number``-th of the event."""
    dice = Random(f"{seed}/{game}")
    mishap = TURNS[number % len(TURNS)]
    ply = dice.randrange(8, 40)
    if mishap is PlayerError.FLAG_UNCLAIMED:
        ply = dice.randrange(48, 54)
    return GamePlan(
        record=records[dice.randrange(len(records))],
        mishap=mishap,
        ply=ply,
        free_play=dice.random() < 0.5,
        seat_left=dice.random() < 0.5,
        black_first=dice.random() < 0.5,
        right_to_black=dice.random() < 0.5,
        seed=f"{seed}/{game}",
    )
