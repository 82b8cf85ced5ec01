"""Input effort of every arbiter action at the table: ``python -m benchmarks.arbiter`` prints JSON.

For each action, from the press that stops the clock to the hold that carries it out, the PIN included: the number of
presses of the three buttons, or of touches of the on-screen keys after the two presses of the arbiter's button, and the
seconds of the table's time for two presses a second, and for one. A held button counts for as long as it must be held.
Digits are turned in the direction that takes least time. Times are set from 18:59 and 20:00 to 12:30 and 15:05; the
worst case has the PIN and every digit of both clocks as far away as possible, the turn, and the number of the move.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tables.manual_time_table import ARBITER, LEFT, MS, RIGHT, StillTable

from engine.match.match_events_and_effects import Action
from engine.match.match_value_types import NS_PER_S
from kiosk.table.arbiter.arbiter_controller import hash_pin
from kiosk.table.arbiter.arbiter_screen_forms_to_orders import available_tasks
from kiosk.table.input.gesture_recognition import LONG_NS, RUN_NS
from kiosk.table.scene import Touch
from kiosk.table.state.arbiter_screen_state import ArbiterPage, Field, HomeTask, Task
from kiosk.table.table_config import ArbiterConfig, BoardConfig

if TYPE_CHECKING:
    from kiosk.table.state.arbiter_screen_state import ArbiterSession, HomeTask

SMALLEST = ("resume",)
PIN, DEAREST_PIN = "2580", "4444"
SHORT_NS = 150 * MS
#: seconds from one press to the next, of a practised user and of a beginner
PACES = {"at two a second": 0.5, "at one a second": 1.0}


@dataclass
class SimulatedInput:
    """Simulated user who presses or touches, and waits between inputs."""

    table: StillTable
    pace_s: float
    by_touch: bool
    presses: int = 0
    began_ns: int = 0

    def __post_init__(self) -> None:
        self.began_ns = self.table.time.now_ns()

    @property
    def seconds(self) -> float:
        return round((self.table.time.now_ns() - self.began_ns) / NS_PER_S, 1)

    @property
    def session(self) -> ArbiterSession:
        assert self.table.state.arbiter is not None
        return self.table.state.arbiter

    def press(self, gpio: int, hold_ns: int = SHORT_NS) -> None:
        self._after(hold_ns, lambda: self.table.press(gpio, hold_ns))

    def touch(self, action: str, hold_ns: int = SHORT_NS) -> None:
        drawn = [item.action for panel in self.table.scene().panels for item in panel.items if isinstance(item, Touch)]
        assert action in drawn, f"{action} is not on the page: {drawn}"
        self._after(hold_ns, lambda: self.table.touch("arbiter", action, hold_ns))

    def _after(self, hold_ns: int, act: Callable[[], object]) -> None:
        until_ns = self.table.time.now_ns() + int(self.pace_s * NS_PER_S) - SHORT_NS + hold_ns
        act()
        self.presses += 1
        self.table.wait(max(0, until_ns - self.table.time.now_ns()))

    # --- the pages -------------------------------------------------------------------------------------------------

    def open(self, pin: str) -> None:
        self.press(ARBITER)
        if self.session_is_closed():
            self.press(ARBITER)
        for figure in pin:
            if self.by_touch:
                self.touch(f"key-{figure}")
            else:
                self.turn(int(figure), 10, RIGHT)
                self.press(LEFT)
        while self.session.checking:
            self.table.settle()
        assert self.session.page is ArbiterPage.HOME

    def session_is_closed(self) -> bool:
        return self.table.state.arbiter is None

    def turn(self, by: int, limit: int, held_ns: int) -> None:
        """Turn one digit: taps of the right button turn it forward, the other one held turns it back."""
        if by * self.pace_s <= self.pace_s - SHORT_NS / NS_PER_S + back_ns(limit - by) / NS_PER_S:
            for _ in range(by):
                self.press(RIGHT)
        else:
            self.press(held_ns, back_ns(limit - by))

    def choose(self, task: HomeTask) -> None:
        lines = available_tasks(self.table.state.match, self.table.time.now_ns())
        if self.by_touch:
            return self.touch(f"line-{lines.index(task)}")
        for _ in range((lines.index(task) - self.session.cell) % len(lines)):
            self.press(LEFT)
        return self.press(RIGHT)

    def figures(self, wanted: dict[str, tuple[int, ...]]) -> None:
        """Fill in the form; fields with the right value are skipped, or not touched."""
        for field, first in fields(self.session.form):
            for place, value in enumerate(wanted.get(field.name, field.values)):
                self._cell(field, first, place, value)

    def _cell(self, field: Field, first: int, place: int, value: int) -> None:
        by = (value - field.values[place]) % field.limits[place] if field.is_filled else value + 1
        if by == 0:
            return None
        cell = first + place
        if self.by_touch and field.options:
            return self.touch(f"pick-{cell}-{value}")
        if self.by_touch:
            if self.session.cell != cell:
                self.touch(f"cell-{cell}")
            return self.touch(f"key-{value}")
        while self.session.cell != cell:
            self.press(LEFT)
        if field.options:
            for _ in range(by):
                self.press(RIGHT)
            return None
        return self.turn(by, field.limits[place], LEFT)

    def carry_out(self) -> None:
        """Confirm with Done, the preselected reason, and the final hold, or the page's own sequence."""
        while not self.session_is_closed() and self.session.page is not ArbiterPage.HOME:
            assert self.presses < 100, self.session
            match self.session.page:
                case ArbiterPage.REASON if self.by_touch:
                    self.touch(f"line-{self.session.cell}")
                case ArbiterPage.REASON:
                    self.press(RIGHT)
                case ArbiterPage.PREVIEW if self.by_touch:
                    self.touch("carry-out", LONG_NS + 50 * MS)
                case _ if self.by_touch:
                    self.touch("done")
                case _:
                    self.press(RIGHT, LONG_NS + 50 * MS)


def back_ns(steps: int) -> int:
    """Return how long a button is held to turn a digit back this far."""
    return LONG_NS + (steps - 1) * RUN_NS + 50 * MS


def fields(form: tuple[Field, ...]) -> Iterator[tuple[Field, int]]:
    first = 0
    for field in form:
        yield field, first
        first += len(field.values)


# --- the cases ------------------------------------------------------------------------------------------------------


def in_play(table: StillTable) -> None:
    table.press(LEFT)
    table.press(RIGHT)
    table.wait(61 * NS_PER_S)


def challenged(table: StillTable) -> None:
    in_play(table)
    table.touch("transcriber", "square-h8")
    table.touch("transcriber", "done")
    table.press(LEFT)
    table.press(RIGHT)
    table.touch("transcriber", "unchanged")


def flagged(table: StillTable) -> None:
    in_play(table)
    table.wait(1200 * NS_PER_S)


def never_came(table: StillTable) -> None:
    hand = SimulatedInput(table, 0.5, by_touch=True)
    hand.open(PIN)
    hand.choose(Action.LATE_START)
    hand.carry_out()
    table.wait(1201 * NS_PER_S)


def nothing(_: StillTable) -> None:
    """Do nothing: before the game."""


USUAL = {"black": (1, 2, 3, 0), "white": (1, 5, 0, 5), "turn": (2,)}
READING: dict[str, tuple[int, ...]] = {"reading": (1,)}
Prepared = Callable[[StillTable], None]
CASES: dict[str, tuple[HomeTask, Prepared, dict[str, tuple[int, ...]]]] = {
    "resume": (Action.RESUME, in_play, {}),
    "rule on the challenge": (Action.CHALLENGE, challenged, {}),
    "both times and the turn": (Action.SET_TIME, in_play, USUAL),
    "the number of the move": (Action.SET_TIME, in_play, {"move": (3, 1)}),
    "deduct time": (Action.DEDUCT, in_play, {}),
    "call a flag": (Action.FLAG, flagged, {}),
    "start a late player's clock": (Action.LATE_START, nothing, {}),
    "a late player never came": (Action.LATE_READING, never_came, READING),
    "enter the result": (Action.RESULT, in_play, {"winner": (1,), "black_discs": (2, 7)}),
    "forfeit": (Action.FORFEIT, in_play, {}),
    "resignation": (Action.RESIGNATION, in_play, {}),
    "unrated": (Action.UNRATED, in_play, {}),
    "notes": (Task.NOTES, in_play, {}),
    "turns": (Task.REPLAY, in_play, {}),
    "this table": (Task.TABLE, in_play, {"silenced": (1,)}),
}


def effort(pace_s: float, by_touch: bool, case: str) -> tuple[int, float]:
    """Return presses and seconds of one action."""
    dearest = case == "the dearest"
    task, prepare, wanted = (Action.SET_TIME, in_play, {}) if dearest else CASES[case]
    pin = DEAREST_PIN if dearest else PIN
    rules = "team" if task is Action.FLAG else "m43"
    table = StillTable(arbiter=ArbiterConfig(pin=hash_pin(pin)), board=BoardConfig(source="transcriber"), rules=rules)
    prepare(table)
    hand = SimulatedInput(table, pace_s, by_touch)
    hand.open(pin)
    hand.choose(task)
    if dearest:
        wanted = {field.name: far(field) for field in hand.session.form}
    if task not in (Task.NOTES, Task.REPLAY):
        hand.figures(wanted)
        hand.carry_out()
    table.close()
    return hand.presses, hand.seconds


def far(field: Field) -> tuple[int, ...]:
    """Return every digit as far away as possible for two buttons; of a choice the last one."""
    if field.options:
        return (len(field.options) - 1,)
    return tuple((value + 4 - (limit == 6)) % limit for value, limit in zip(field.values, field.limits, strict=True))


def main() -> None:
    found: dict[str, dict[str, dict[str, object]]] = {}
    for case in sys.argv[1:] or (*CASES, "the dearest"):
        for kind in ("buttons", "touch"):
            row = found.setdefault(case, {}).setdefault(kind, {})
            for name, pace_s in PACES.items():
                row["presses"], row[f"s {name}"] = effort(pace_s, kind == "touch", case)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
