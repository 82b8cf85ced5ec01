"""What happens in one simulated game: which record is played, who errs when. Decided by the seed and the game alone.

The law: the same seed, game and players give the same game whatever the timing, the speed or a power cut in between, so
that an event which was disturbed can be compared with one that was not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class Mishap(StrEnum):
    """What goes wrong on purpose. ``FORGOTTEN_FLIP`` … ``WRONG_SQUARE`` are challenged by the opponent."""

    NONE = "none"
    FORGOTTEN_FLIP = "forgotten-flip"
    OVER_FLIP = "over-flip"
    WRONG_SQUARE = "wrong-square"
    UNNOTICED_FLIP = "unnoticed-flip"  # nobody sees it: play goes on from the board as it is
    FALSE_PASS = "false-pass"
    WRONG_CHALLENGE = "wrong-challenge"
    CALL_ARBITER = "call-arbiter"
    FLAG_CLAIMED = "flag-claimed"
    FLAG_UNCLAIMED = "flag-unclaimed"


#: the mishaps of a round's tables in turn; every kind is met within two rounds of eight tables
TURNS = (
    Mishap.NONE, Mishap.FORGOTTEN_FLIP, Mishap.NONE, Mishap.WRONG_CHALLENGE, Mishap.CALL_ARBITER, Mishap.OVER_FLIP,
    Mishap.FLAG_CLAIMED, Mishap.NONE, Mishap.WRONG_SQUARE, Mishap.FALSE_PASS, Mishap.NONE, Mishap.UNNOTICED_FLIP,
    Mishap.FLAG_UNCLAIMED,
)  # fmt: skip


#: pieces that a turn of ChouChou captures
CAPTURES = (0, 0, 1, 1, 2, 3)


@dataclass(frozen=True, slots=True)
class Plan:
    """``ply`` is the turn of the mishap or the first later one at which it can happen. The chances are settled here:
    ``free_play`` what a winner on time chooses, ``seat_left``, ``black_first`` and ``right_to_black`` the set-up."""

    record: tuple[str, ...]
    mishap: Mishap
    ply: int
    free_play: bool
    seat_left: bool
    black_first: bool
    right_to_black: bool
    seed: str

    def chance(self, ply: int) -> Random:
        """The dice of one turn."""
        return Random(f"{self.seed}/{ply}")


def plan(seed: int, game: str, number: int, records: Sequence[tuple[str, ...]]) -> Plan:
    """The plan of the game with this id, the ``number``-th of the event."""
    dice = Random(f"{seed}/{game}")
    mishap = TURNS[number % len(TURNS)]
    ply = dice.randrange(8, 40)
    if mishap is Mishap.FLAG_UNCLAIMED:
        ply = dice.randrange(48, 54)
    return Plan(
        record=records[dice.randrange(len(records))],
        mishap=mishap,
        ply=ply,
        free_play=dice.random() < 0.5,
        seat_left=dice.random() < 0.5,
        black_first=dice.random() < 0.5,
        right_to_black=dice.random() < 0.5,
        seed=f"{seed}/{game}",
    )


def captured(plan: Plan, ply: int) -> tuple[int, int]:
    """What Black and White have captured at ChouChou when the player of turn ``ply`` has moved."""
    pieces = [0, 0]
    for each in range(ply + 1):
        pieces[each % 2] += plan.chance(each).choice(CAPTURES)
    return pieces[0], pieces[1]
