"""Default penalties of the Brightwell Swiss (PAIRING.md 2), one function per term.

Scores are half points and every penalty is an integer; the cost of a round is the plain sum over its pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from engine.tournament.event_model import WIN
from engine.tournament.player_history_and_presence import ColorSide, History, PlayerHistory

#: by |blacks - whites| after the game; the last value also stands for more
COLOUR = (0, 20, 105, 225, 530, 1075)
SAME_COLOUR_AGAIN = 15
#: by score difference in half points; the last value also stands for more
FLOAT = (
    0, 20_000, 40_588, 62_785, 87_119, 114_041, 143_998, 177_453, 214_908, 256_910, 304_062, 357_037, 416_582,
    483_534, 558_828, 643_514, 738_767, 845_906, 966_413, 1_101_949, 1_254_381, 1_425_805, 1_618_578, 1_835_345,
    2_079_081,
)  # fmt: skip
FLOAT_AGAIN = 25
COMPENSATING_FLOAT = -10
COMPENSATION_FROM_ROUND = 3
SAME_COLOURS_MET = 10_000_000
REVERSED_COLOURS_MET = 5_000_000
MET_LAST_ROUND = 1
SECOND_BYE = 10_000_000
SAME_COUNTRY = 2


@dataclass(frozen=True, slots=True)
class PairingPenalty:
    """A cost split into its terms. ``rule``: for pairs that a format forbids as long as they can be avoided."""

    colour: int = 0
    float: int = 0
    repetition: int = 0
    country: int = 0
    elitism: int = 0
    rule: int = 0

    @property
    def total(self) -> int:
        return self.colour + self.float + self.repetition + self.country + self.elitism + self.rule

    def __add__(self, other: PairingPenalty) -> PairingPenalty:
        return PairingPenalty(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(PairingPenalty)))


def pair_penalty(
    history: History, black: str, white: str, *, same_country: bool = False, rule: int = 0
) -> PairingPenalty:
    """Return the penalty if the two meet in ``history.round`` with these colours."""
    one, other = history.records[black], history.records[white]
    difference = one.score - other.score
    return PairingPenalty(
        colour=colour(one, ColorSide.BLACK) + colour(other, ColorSide.WHITE),
        float=FLOAT[min(abs(difference), len(FLOAT) - 1)]
        + _float_habit(one, difference, history.round)
        + _float_habit(other, -difference, history.round),
        repetition=_repetition(history, black, white),
        country=SAME_COUNTRY if same_country else 0,
        elitism=_elitism(one.score, other.score, history.round),
        rule=rule,
    )


def bye_penalty(history: History, player: str, lowest: int, *, rule: int = 0) -> PairingPenalty:
    """Return the penalty of a bye: the opponent is a pseudo-player with half a point less than the ``lowest`` score
    present. The bye has no colour, so the player's colours do not change."""
    record = history.records[player]
    difference = record.score - (lowest - 1)
    return PairingPenalty(
        colour=COLOUR[min(abs(record.balance), len(COLOUR) - 1)],
        float=FLOAT[min(difference, len(FLOAT) - 1)] + _float_habit(record, difference, history.round),
        repetition=record.byes * SECOND_BYE,
        elitism=_elitism(record.score, lowest - 1, history.round),
        rule=rule,
    )


def colour(record: PlayerHistory, side: ColorSide) -> int:
    """Return the penalty of colour balance after the game and of the same colour twice in a row."""
    balance = record.balance + (1 if side is ColorSide.BLACK else -1)
    return COLOUR[min(abs(balance), len(COLOUR) - 1)] + (SAME_COLOUR_AGAIN if record.last_side is side else 0)


def _float_habit(record: PlayerHistory, difference: int, round_: int) -> int:
    """Return the penalty of floating the same way twice in a row; a float that compensates for the last one is
    cheaper."""
    product = difference * record.last_float
    if product > 0:
        return FLOAT_AGAIN
    if product < 0 and round_ >= COMPENSATION_FROM_ROUND:
        lost_above = record.last_float < 0 and record.last_points == 0
        won_below = record.last_float > 0 and record.last_points == WIN
        if lost_above or won_below:
            return COMPENSATING_FLOAT
    return 0


def _repetition(history: History, black: str, white: str) -> int:
    same = history.meetings.get((black, white), [])
    reverse = history.meetings.get((white, black), [])
    if not same and not reverse:
        return 0
    again = sum(round_ == history.round - 1 for round_ in (*same, *reverse))
    return len(same) * SAME_COLOURS_MET + len(reverse) * REVERSED_COLOURS_MET + again * MET_LAST_ROUND


def _elitism(one: int, other: int, round_: int) -> int:
    """Return the penalty of a difference, which weighs more between players with many points."""
    if one == other or one < 0 or other < 0:
        return 0
    factor = 100 if round_ <= 3 else 200 if round_ <= 5 else 300 if round_ <= 9 else 400
    return factor * (one + other) * abs(one - other) // 2
