"""The reasons an arbiter chooses from (K-15), each with the rulings that mostly have it.

The law: a reason is filed as it stands here, in both languages, or as ``code N`` from the hall's own list; an order is
never filed without one where the rules ask for it.
"""

from __future__ import annotations

from kiosk.table.state.arbiter_session import Task
from kiosk.table.words.players import Phrase

REASONS = (
    Phrase("時計の押し間違い・押し忘れ", "Clock pressed by mistake, or not pressed"),
    Phrase("機器の故障", "The equipment failed"),
    Phrase("盤面の誤り", "The board was not right"),
    Phrase("妨害・マナー", "Disturbance, conduct"),
    Phrase("遅刻・不在", "Late or absent"),
    Phrase("両対局者の合意", "Both players agree"),
    Phrase("規則による裁定", "Ruling by the rules"),
)
#: after the reasons: the hall's own, by its number
CODE_LINE = len(REASONS)
CODE_DIGITS = 2

_USUAL = {
    Task.SET_TIME: 0,
    Task.CHALLENGE: 6,
    Task.DEDUCT: 3,
    Task.LATE_START: 4,
    Task.FORFEIT: 6,
    Task.RESULT: 6,
    Task.RESIGNATION: 5,
    Task.UNRATED: 6,
}


def usual_line(task: Task | None) -> int:
    """The line that is marked when the list opens."""
    return 0 if task is None else _USUAL.get(task, 0)


def filed(line: int) -> str:
    phrase = REASONS[line]
    return f"{phrase.en} / {phrase.ja}"


def filed_code(figures: tuple[int, ...]) -> str:
    return f"code {''.join(map(str, figures))}"
