"""From the edges of the buttons to what they mean at this table.

The law: an edge is understood by its own time and by nothing else. A press that turns out to have been a disturbance,
or part of a gesture, is taken back as if it had never been.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from engine.match.events import Retract
from engine.match.model import Seat
from hardware.debounce import Debouncer, LongPress, Press, Release, Report, Spike, Stuck
from hardware.edges import ButtonEdge
from kiosk.link.messages import Assignment, TroubleInfo
from kiosk.table import orders
from kiosk.table.conduct import respond
from kiosk.table.game import Game
from kiosk.table.gestures import Both, Down, Fingers, Gesture
from kiosk.table.kept import Kept

log = logging.getLogger(__name__)

ARBITER_LINE = "arbiter"


class Presses:
    """``next_game`` makes the next game of a table that has no head, named by a number."""

    def __init__(
        self, kept: Kept, game: Game, debouncer: Debouncer, edge_offset_ns: int, next_game: Callable[[int], Assignment]
    ) -> None:
        self._kept = kept
        self._game = game
        self._debouncer = debouncer
        self._edge_offset_ns = edge_offset_ns
        self._next_game = next_game
        self._fingers = Fingers()

    def edge(self, edge: ButtonEdge) -> None:
        self._hear(self._debouncer.feed(replace(edge, at_ns=edge.at_ns + self._edge_offset_ns)))

    def pass_time(self, now_ns: int) -> None:
        self._hear(self._debouncer.poll(now_ns))

    def next_deadline_ns(self) -> int | None:
        return self._debouncer.next_deadline_ns()

    def _hear(self, reports: tuple[Report, ...]) -> None:
        for report in reports:
            match report:
                case Press(line, at_ns) if line == ARBITER_LINE:
                    self._game.tell_all(orders.call_arbiter(self._kept.state, at_ns))
                case Press(line, at_ns):
                    self._fingers, gestures = self._fingers.down(Seat(line), at_ns)
                    self._answer(gestures)
                case Release(line, at_ns, _) if line != ARBITER_LINE:
                    self._fingers, gestures = self._fingers.up(Seat(line), at_ns)
                    self._answer(gestures)
                case Spike(line, at_ns) if line != ARBITER_LINE:
                    self._fingers = self._fingers.forget(Seat(line))
                    self._game.tell(Retract(self._kept.time.now_ns(), at_ns))
                    log.warning("a disturbance on the %s button at %d ns was taken back", line, at_ns)
                case Stuck(line, _):
                    self._kept.note_troubles(f"button-{line}", (_stuck(line),))
                case Release() | Spike() | LongPress():
                    pass
                case _:
                    assert_never(report)

    def _answer(self, gestures: tuple[Gesture, ...]) -> None:
        for gesture in gestures:
            if isinstance(gesture, Both):
                self._take_back(respond(self._kept.state, gesture).taken_back)
            response = respond(self._kept.state, gesture)
            if not self._game.tell_all(response.events):
                continue
            # The events were taken: the table's own answers (menu, set-up step) count too.
            self._kept.state = replace(response.state, match=self._kept.state.match)
            if response.seated is not None:
                self._game.seat(dict(response.seated))
            if response.next_game:
                self._game.begin(self._next_game(self._kept.journal.appended))
            if isinstance(gesture, Down) and response.events:
                self._fingers = self._fingers.spend(gesture.seat)

    def _take_back(self, presses: tuple[int, ...]) -> None:
        """Those that were refused when they came cannot be taken back, and need not be."""
        for pressed_ns in presses:
            self._game.tell(Retract(self._kept.time.now_ns(), pressed_ns))


def _stuck(line: str) -> TroubleInfo:
    return TroubleInfo(
        f"button-{line}-stuck",
        f"ボタン「{line}」が押されたままです。上に物がないか確かめてください。",
        f"The {line} button stays pressed. See that nothing lies on it.",
    )
