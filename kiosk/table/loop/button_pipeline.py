"""Processing of button edges up to their meaning at this table.

- An edge is interpreted by its own time only. A player's press counts at its edge. One that turns out to be noise, or
  part of a gesture, is undone completely.
- What cannot be undone (an arbiter's order or a hold) waits until its press is confirmed.
- A press of the other button sooner after a turn's press than anyone could reply is not a reply: both were pressed at
  once, and only the mover's press counts.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import assert_never

from engine.copy_with_changes import replace
from engine.i18n import say
from engine.match.match_events_and_effects import Retract
from engine.match.model import Phase, Seat
from hardware.button_edge_types import ButtonEdge
from hardware.debounce_and_button_faults import (
    ButtonFault,
    ButtonHealth,
    DebouncedPress,
    Debouncer,
    Glitch,
    Release,
    Report,
    StuckButton,
)
from hardware.power_monitoring import PowerEdge
from hardware.reading_stability_filter import SquareFault, StableReading
from hardware.timebase import NS_PER_S
from kiosk.link.link_messages import Command, TroubleInfo
from kiosk.table.arbiter.arbiter_controller import ArbiterController
from kiosk.table.arbiter.two_button_form_input import ArbiterInput
from kiosk.table.game.table_game import JournaledTable, TableGame
from kiosk.table.input.gesture_recognition import (
    BUTTON,
    LONG_NS,
    BothPressed,
    ButtonDown,
    ButtonState,
    Gesture,
    HoldRepeat,
    LongPress,
    Tap,
    TouchState,
)
from kiosk.table.input.gesture_responses import (
    CLOCK_PHASES,
    STOPPED_BY_ONE,
    Response,
    respond,
    respond_to_touch,
    why_refused,
)
from kiosk.table.state import AfterChoice, Battery

log = logging.getLogger(__name__)

ARBITER_LINE = "arbiter"
#: prefix of the line of a finger on a display half that replaces its button
TOUCH_LINE = "touch-"
#: a display reports no noise: a touch is taken to last at least this long
SHORTEST_TOUCH_NS = 60_000_000
#: how long a player sees why a press had no effect
HINT_NS = 3_000_000_000
#: parts of the table's state that a gesture may change without the match
OWN_ANSWERS = (
    "step",
    "black_seat",
    "player_at",
    "menu",
    "claims_since_ns",
    "black_count",
    "languages",
    "captures",
    "counting",
    "offer",
    "naming",
)
#: panel name of the arbiter's screens
ARBITER_PANEL = "arbiter"


class ButtonPipeline:
    """Pipeline from edges to actions. ``after_game`` does what a player chose when the game was over."""

    def __init__(
        self,
        table: JournaledTable,
        game: TableGame,
        desk: ArbiterController,
        debouncer: Debouncer,
        edge_offset_ns: int,
        after_game: Callable[[AfterChoice], None],
    ) -> None:
        self._table = table
        self._game = game
        self._desk = desk
        self._debouncer = debouncer
        self._edge_offset_ns = edge_offset_ns
        self._after_game = after_game
        self._fingers = ButtonState()
        self._counts_on = False  # the current hold counted discs, and continues to do so while it lasts
        self._touching = TouchState()
        self._arbiter_ns: int | None = None  # time of an arbiter's press that is not confirmed yet
        # In accelerated time, the edge that ends a hold may arrive seconds late, so it is waited for.
        self._fast = 0 < table.time.real_s(NS_PER_S) < 1
        self._health = ButtonHealth()
        self._known_faults: dict[str, ButtonFault] = {}

    def edge(self, edge: ButtonEdge) -> None:
        self._feed(replace(edge, at_ns=edge.at_ns + self._edge_offset_ns))
        self._show_fingers()

    def touch(self, touched: TouchEvent) -> None:
        """Handle a touch of the display. On the place of a button it counts as that button, where buttons are faulty
        and where no clock is in use; everywhere else it takes effect when the finger is lifted.
        """
        button = touched.action == BUTTON
        if touched.down:
            if button and not self._is_button(Seat(touched.panel)):
                return
            self._touching = self._touching.down(touched.panel, touched.action, touched.at_ns)
            if button:
                self._feed(ButtonEdge(TOUCH_LINE + touched.panel, True, touched.at_ns))
            return
        since_ns = self._touching.since_ns.get((touched.panel, touched.action))
        self._touching, tap = self._touching.up(touched.panel, touched.action, touched.at_ns)
        if button and since_ns is not None:
            at_ns = max(touched.at_ns, since_ns + SHORTEST_TOUCH_NS)
            self._feed(ButtonEdge(TOUCH_LINE + touched.panel, False, at_ns))
        elif tap is not None:
            self._tap(tap)
        self._show_fingers()

    def advance_time(self, now_ns: int) -> None:
        if self._is_at_rest():
            return
        known_ns = now_ns - ON_ITS_WAY_NS
        self._handle_reports(self._debouncer.poll(known_ns))
        self._arbiter_proven()
        if not self._is_lifting() and not self._fast:
            self._fingers, held = self._fingers.held_until(known_ns)
            self._answer(held)
        self._touching, taps = self._touching.held_until(now_ns)
        for tap in taps:
            self._tap(tap)
        self._show_fingers()
        self._forget_hints(now_ns)
        self._report_faults(now_ns)

    def _is_at_rest(self) -> bool:
        """Return whether no button or touch is held, displayed or awaited, so that time alone changes nothing."""
        state = self._table.state
        busy = self._debouncer.is_busy or self._touching.since_ns or self._known_faults or state.hints or state.holding
        return not busy and self._fingers.left_since_ns is self._fingers.right_since_ns is None

    def missing_edges(self, now_ns: int) -> tuple[ButtonEdge, ...]:
        """Return the edges that may have been lost, as ``Debouncer.missing_edges`` does, by the buttons' own time."""
        lost = self._debouncer.missing_edges(now_ns - ON_ITS_WAY_NS)
        return tuple(replace(edge, at_ns=edge.at_ns - self._edge_offset_ns) for edge in lost)

    def stuck_lines(self) -> dict[str, bool]:
        """Return the lines assumed pressed for too long, to be compared with their real level."""
        return {line: True for line, ailment in self._known_faults.items() if ailment is ButtonFault.STUCK}

    def _feed(self, edge: ButtonEdge) -> None:
        self._desk.advance_time(edge.at_ns)  # a countdown that ended before this edge has started the clock
        self._handle_reports(self._debouncer.feed(edge))
        self._arbiter_proven()

    def _is_button(self, seat: Seat) -> bool:
        match = self._table.state.match
        return seat in self._table.state.by_touch or match is None or match.phase not in CLOCK_PHASES

    def next_deadline_ns(self) -> int | None:
        if self._is_at_rest():
            return None
        seen = [
            self._debouncer.next_deadline_ns(),
            None if self._is_lifting() or self._fast else self._fingers.next_due_ns(),
        ]
        due = [due_ns + ON_ITS_WAY_NS for due_ns in seen if due_ns is not None]
        due += [until_ns for _, until_ns in self._table.state.hints.values()]
        touched_ns = self._touching.next_due_ns()
        return min(due if touched_ns is None else [*due, touched_ns], default=None)

    def _is_lifting(self) -> bool:
        """Return whether a held contact is open: it is not known yet whether this is a bounce or a release."""
        return any(line != ARBITER_LINE for line in self._debouncer.opening())

    def _handle_reports(self, reports: tuple[Report, ...]) -> None:
        for report in reports:
            if not report.line.startswith(TOUCH_LINE):
                self._health.receive(report)
            match report:
                case DebouncedPress(line, at_ns) if line == ARBITER_LINE:
                    self._arbiter_ns = at_ns
                case Release(line, _, _) if line == ARBITER_LINE:
                    self._arbiter_pressed()
                case Glitch(line, _) if line == ARBITER_LINE:
                    self._arbiter_ns = None
                case DebouncedPress(line, at_ns):
                    self._fingers, gestures = self._fingers.down(_seat(line), at_ns)
                    self._answer(gestures)
                case Release(line, at_ns, _):
                    self._fingers, gestures = self._fingers.up(_seat(line), at_ns)
                    self._answer(gestures)
                case Glitch(line, at_ns):
                    self._fingers = self._fingers.forget(_seat(line))
                    self._game.notify(Retract(self._table.time.now_ns(), at_ns))
                    log.warning("a disturbance on the %s button at %d ns was taken back", line, at_ns)
                case StuckButton(line, _) if line != ARBITER_LINE:
                    self._fingers = self._fingers.forget(_seat(line))  # its release will have no effect
                case StuckButton():
                    pass
                case _:
                    assert_never(report)

    def _arbiter_proven(self) -> None:
        if self._debouncer.is_proven(ARBITER_LINE):
            self._arbiter_pressed()

    def _arbiter_pressed(self) -> None:
        """Carry out the arbiter's press as of its edge, or as of the players' last action since."""
        at_ns, self._arbiter_ns = self._arbiter_ns, None
        if at_ns is not None:
            match = self._table.state.match
            self._desk.button(at_ns if match is None else max(at_ns, match.clock.since_ns))

    def _answer(self, gestures: tuple[Gesture, ...]) -> None:
        for gesture in gestures:
            if self._desk.is_open:
                self._desk.gesture(gesture)
                continue
            if isinstance(gesture, HoldRepeat) and not self._counts_on:
                continue
            counted = self._table.state.black_count
            if isinstance(gesture, BothPressed | LongPress):
                self._take_back(respond(self._table.state, gesture).taken_back)
            response = respond(self._table.state, gesture)
            if isinstance(gesture, ButtonDown) and self._is_no_reply(response, gesture):
                self._fingers = self._fingers.mark_used(gesture.seat)
                continue
            before = self._table.state
            accepted = self._apply_response(response)
            if not isinstance(gesture, HoldRepeat):
                self._counts_on = isinstance(gesture, LongPress) and self._table.state.black_count != counted
            if isinstance(gesture, ButtonDown) and response.events:
                if accepted:
                    stops = before.one_operates and before.match and before.match.phase in STOPPED_BY_ONE
                    self._fingers = self._fingers.mark_used(gesture.seat, holdable=bool(stops))
                else:
                    self._note_out_of_turn(gesture.seat)
            self._show_hint(response, gesture, accepted)

    def _is_no_reply(self, response: Response, down: ButtonDown) -> bool:
        match = self._table.state.match
        if match is None or match.phase not in (Phase.TURN, Phase.CORR) or not response.events:
            return False
        return down.at_ns - match.turn_since_ns < self._debouncer.reply_ns

    def _show_hint(self, response: Response, gesture: Gesture, accepted: bool) -> None:
        """Show a player why a press had no effect. A hold of both buttons needs no hint."""
        match = self._table.state.match
        why = response.hint
        if match is not None and not accepted:
            why = why_refused(match, gesture, response)
        elif isinstance(gesture, LongPress | BothPressed) and response.events:
            self._forget_hints(HINT_NS + gesture.at_ns)  # hints of the presses with which the hold began
        if why is not None and not isinstance(gesture, BothPressed):
            hints = {**self._table.state.hints, gesture.seat: (why, gesture.at_ns + HINT_NS)}
            self._table.change(hints=hints)

    def _forget_hints(self, now_ns: int) -> None:
        hints = self._table.state.hints
        if not hints:
            return
        current = {seat: hint for seat, hint in hints.items() if hint[1] > now_ns}
        if current != hints:
            self._table.change(hints=current)

    def _show_fingers(self) -> None:
        """Publish the held buttons and keys, for the bar that shows the remaining hold time."""
        coming = self._fingers.pending_gesture()
        holding: dict[tuple[str, str], int] = {}
        if coming is not None and self._will_mean(coming):
            seats = tuple(Seat) if isinstance(coming, BothPressed) else (coming.seat,)
            holding = {(str(seat), BUTTON): coming.at_ns - LONG_NS for seat in seats}
        touched = self._touching.since_ns.items()
        holding |= {place: since for place, since in touched if place[1] != BUTTON and place not in self._touching.told}
        if holding != self._table.state.holding:
            self._table.change(holding=holding)

    def _will_mean(self, coming: LongPress | BothPressed) -> bool:
        if self._desk.is_open:
            return True
        response = respond(self._table.state, coming)
        return response.hint is None and response != Response(self._table.state)

    def _tap(self, tap: Tap) -> None:
        if tap.panel == ARBITER_PANEL:
            self._desk.act(ArbiterInput(tap.action, tap.held, tap.at_ns))
        elif not self._desk.is_open and tap.panel in tuple(Seat):
            self._apply_response(respond_to_touch(self._table.state, tap))

    def _apply_response(self, response: Response) -> bool:
        before = self._table.state
        if not self._game.notify_all(response.events):
            return False
        # The events were accepted: apply the table's own changes (menu, set-up step) too, and nothing else of that
        # state.
        answered = {name: getattr(response.state, name) for name in OWN_ANSWERS}
        self._table.change(**{name: new for name, new in answered.items() if new is not getattr(before, name)})
        if response.seated is not None:
            self._game.assign(dict(response.seated))
        if response.next_game:
            self._after_game(AfterChoice.NEW_GAME)
        if response.after is not None:
            self._after_game(response.after)
        if response.settings:
            self._desk.open_settings(self._table.time.now_ns())
        return True

    def _take_back(self, presses: tuple[int, ...]) -> None:
        """Undo presses. Those that were refused on arrival need no undoing."""
        for pressed_ns in presses:
            self._game.notify(Retract(self._table.time.now_ns(), pressed_ns))

    # --- faulty buttons --------------------------------------------------------------------------------------------

    def _note_out_of_turn(self, pressed: Seat) -> None:
        match = self._table.state.match
        if match is not None and match.clock.running is pressed.other:
            self._health.record_out_of_turn(pressed.other)

    def _report_faults(self, now_ns: int) -> None:
        """Report faulty buttons, and accept touches of that half of the display instead."""
        ill = self._health.faults(now_ns)
        if ill == self._known_faults:
            return
        for line in {**ill, **self._known_faults}:  # sorted, so that every run has the same order
            alarms = (_ailment(line, ill[line]),) if line in ill else ()
            self._table.note_troubles(f"button-{line}", alarms)
        self._known_faults = ill
        self.allow_touch()

    def allow_touch(self) -> None:
        """Set the halves where a touch replaces the button: those an arbiter selected, and those with a fault."""
        ill = frozenset(seat for seat in Seat if self._known_faults.get(seat) in (ButtonFault.STUCK, ButtonFault.LOOSE))
        allowed = self._table.state.touch_ordered | ill
        if allowed != self._table.state.by_touch:
            self._table.change(by_touch=allowed)


def _seat(line: str) -> Seat:
    return Seat(line.removeprefix(TOUCH_LINE))


_PLACES = {"left": say("left button"), "right": say("right button"), ARBITER_LINE: say("arbiter's button")}
_ILL = {
    ButtonFault.STUCK: say("The {button} stays pressed. See that nothing lies on it."),
    ButtonFault.LOOSE: say("The {button} makes poor contact. Check its wires."),
    ButtonFault.SILENT: say("Is the {button} working? Press it once."),
}


def _ailment(line: str, ailment: ButtonFault) -> TroubleInfo:
    return TroubleInfo(f"button-{line}-{ailment}", _ILL[ailment](button=_PLACES.get(line, line)))


# Input queue of the main loop. All threads put their messages here.

#: time by which an edge may be processed late when the machine is busy. Nothing is decided by the passing of time alone
#: before it is over; otherwise noise whose end is still unprocessed would count as a press, or as a power failure
ON_ITS_WAY_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """The connection to the head was made or lost, with the reason."""

    up: bool
    why: TroubleInfo | None = None


@dataclass(frozen=True, slots=True)
class RecordsSaved:
    """The journal has this record, and all before it, on disk."""

    seq: int


@dataclass(frozen=True, slots=True)
class CardAcknowledged:
    """The head has committed this record, and all before it."""

    seq: int


@dataclass(frozen=True, slots=True)
class AlarmsChanged:
    """All present alarms of one ``source``; an empty tuple: none."""

    source: str
    troubles: tuple[TroubleInfo, ...]


@dataclass(frozen=True, slots=True)
class BatteryStatus:
    """The present charge of the battery; None: there is no battery."""

    battery: Battery | None


@dataclass(frozen=True, slots=True)
class TouchEvent:
    """A finger touched what a scene calls ``action``, or was lifted from it."""

    panel: str
    action: str
    down: bool
    at_ns: int


@dataclass(frozen=True, slots=True)
class PinChecked:
    """Whether the entered digits are the arbiter's PIN."""

    right: bool


@dataclass(frozen=True, slots=True)
class StopProgram:
    """Request to end the program after what is already in the inbox."""


Item = (
    ButtonEdge | PowerEdge | TouchEvent | StableReading | SquareFault | Command | PinChecked | LinkChanged
    | RecordsSaved
    | CardAcknowledged | AlarmsChanged | BatteryStatus | StopProgram
)  # fmt: skip


class Inbox(SimpleQueue[Item]):
    """The queue, with the callbacks for the components that fill it."""

    def durable(self, seq: int) -> None:
        self.put(RecordsSaved(seq))

    def acknowledged(self, seq: int) -> None:
        self.put(CardAcknowledged(seq))

    def link_changed(self, up: bool, why: TroubleInfo | None) -> None:
        self.put(LinkChanged(up, why))

    def pin_checked(self, right: bool) -> None:
        self.put(PinChecked(right))

    def battery_told(self, battery: Battery | None) -> None:
        self.put(BatteryStatus(battery))

    def troubles_of(self, source: str) -> Callable[[tuple[TroubleInfo, ...]], None]:
        """Return the callback for all alarms of ``source``, called whenever they change."""
        return lambda troubles: self.put(AlarmsChanged(source, troubles))
