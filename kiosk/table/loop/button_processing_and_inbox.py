"""Processing of button edges up to their meaning at this table; the inbox of the main loop.

- An edge is interpreted by its own time only. A player's press counts at its edge. One that turns out to be noise, or
  part of a gesture, is undone completely.
- What cannot be undone (an arbiter's order or a hold) waits until its press is confirmed.
- A press of the other button sooner after a turn's press than anyone could reply is not a reply: both were pressed at
  once, and only the mover's press counts.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import assert_never

from engine.copy_with_changes import replace
from engine.i18n import say
from engine.match.match_events_and_effects import Retract
from engine.match.match_value_types import Phase, Seat
from hardware import debounce_and_button_faults as debounce
from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.power_failure_pin_and_supply_status import PowerEdge
from hardware.reading_stability_filter import SquareFault, StableReading
from hardware.real_and_simulated_time import NS_PER_S, OffsetTime
from kiosk.link.link_messages import Command, TroubleInfo
from kiosk.table.arbiter.arbiter_controller import ArbiterController
from kiosk.table.arbiter.two_button_form_input import ArbiterInput
from kiosk.table.game.journaled_state_changes_and_recovery import JournaledTable
from kiosk.table.game.match_steps_and_head_commands import TableGame
from kiosk.table.input import gesture_recognition, gesture_responses
from kiosk.table.state import AfterChoice, Battery
from kiosk.table.state.arbiter_screen_state import ArbiterPage

log = logging.getLogger(__name__)

ARBITER_LINE = "arbiter"
#: prefix of the line of a finger on a display half that replaces its button
TOUCH_LINE = "touch-"
#: a display reports no noise: a touch is taken to last at least this long
SHORTEST_TOUCH_NS = 60_000_000
#: how long a player sees why a press had no effect
HINT_NS = 3_000_000_000
#: fields of the table's state that a gesture may change without the match
TABLE_FIELDS = (
    "step", "black_seat", "player_at", "menu", "claims_since_ns", "black_count", "languages", "captures", "counting",
    "offer", "naming",
)  # fmt: skip
#: panel name of the arbiter's screens
ARBITER_PANEL = "arbiter"


@dataclass(eq=False)
class ButtonPipeline:
    """Pipeline from edges to actions. ``after_game`` does what a player chose when the game was over."""

    _table: JournaledTable
    _game: TableGame
    _arbiter: ArbiterController
    _debouncer: debounce.Debouncer
    _edge_offset_ns: int
    _after_game: Callable[[AfterChoice], None]
    _buttons: gesture_recognition.ButtonState = field(default_factory=gesture_recognition.ButtonState)
    _counts_on: bool = False  # the current hold counted discs, and continues to do so while it lasts
    _touches: gesture_recognition.TouchState = field(default_factory=gesture_recognition.TouchState)
    _arbiter_ns: int | None = None  # time of an arbiter's press that is not confirmed yet
    _health: debounce.ButtonHealth = field(default_factory=debounce.ButtonHealth)
    _known_faults: dict[str, debounce.ButtonFault] = field(default_factory=dict)

    def edge(self, edge: ButtonEdge) -> None:
        self._feed(replace(edge, at_ns=edge.at_ns + self._edge_offset_ns))
        self._publish_holds()

    def touch(self, touched: TouchEvent) -> None:
        """Handle a touch of the display. On the place of a button it counts as that button, where buttons are faulty
        and where no clock is in use; everywhere else it takes effect when the finger is lifted.
        """
        button = touched.action == gesture_recognition.BUTTON
        if touched.down:
            if button and not self._is_button(Seat(touched.panel)):
                return
            self._touches = self._touches.down(touched.panel, touched.action, touched.at_ns)
            if button:
                self._feed(ButtonEdge(TOUCH_LINE + touched.panel, True, touched.at_ns))
            return
        since_ns = self._touches.since_ns.get((touched.panel, touched.action))
        self._touches, tap = self._touches.up(touched.panel, touched.action, touched.at_ns)
        if button and since_ns is not None:
            at_ns = max(touched.at_ns, since_ns + SHORTEST_TOUCH_NS)
            self._feed(ButtonEdge(TOUCH_LINE + touched.panel, False, at_ns))
        elif tap is not None:
            self._tap(tap)
        self._publish_holds()

    def advance_time(self, now_ns: int) -> None:
        if self._is_at_rest():
            return
        known_ns = now_ns - MAX_EDGE_DELAY_NS
        self._handle_reports(self._debouncer.poll(known_ns))
        self._check_arbiter_press()
        if not self._may_have_ended():
            self._buttons, held = self._buttons.held_until(known_ns)
            self._handle_gestures(held)
        self._touches, taps = self._touches.held_until(now_ns)
        for tap in taps:
            self._tap(tap)
        self._publish_holds()
        self._forget_hints(now_ns)
        self._report_faults(now_ns)

    def _is_at_rest(self) -> bool:
        """Return whether no button or touch is held, displayed or awaited, so that time alone changes nothing."""
        state = self._table.state
        busy = self._debouncer.is_busy or self._touches.since_ns or self._known_faults or state.hints or state.holding
        return not busy and self._buttons.left_since_ns is self._buttons.right_since_ns is None

    def missing_edges(self, now_ns: int) -> tuple[ButtonEdge, ...]:
        """Return the edges that may have been lost, as ``Debouncer.missing_edges`` does, by the buttons' own time."""
        lost = self._debouncer.missing_edges(now_ns - MAX_EDGE_DELAY_NS)
        return tuple(replace(edge, at_ns=edge.at_ns - self._edge_offset_ns) for edge in lost)

    def stuck_lines(self) -> dict[str, bool]:
        """Return the lines assumed pressed for too long, to be compared with their real level."""
        return {line: True for line, fault in self._known_faults.items() if fault is debounce.ButtonFault.STUCK}

    def _feed(self, edge: ButtonEdge) -> None:
        self._arbiter.advance_time(edge.at_ns)  # a countdown that ended before this edge has started the clock
        self._handle_reports(self._debouncer.feed(edge))
        self._check_arbiter_press()

    def _is_button(self, seat: Seat) -> bool:
        match = self._table.state.match
        return seat in self._table.state.by_touch or match is None or match.phase not in gesture_responses.CLOCK_PHASES

    def next_deadline_ns(self) -> int | None:
        if self._is_at_rest():
            return None
        hold_ns = None if self._may_have_ended() else self._buttons.next_due_ns()
        seen = (self._debouncer.next_deadline_ns(), hold_ns)
        due = [due_ns + MAX_EDGE_DELAY_NS for due_ns in seen if due_ns is not None]
        due += [until_ns for _, until_ns in self._table.state.hints.values()]
        touched_ns = self._touches.next_due_ns()
        return min(due if touched_ns is None else [*due, touched_ns], default=None)

    def _may_have_ended(self) -> bool:
        """Return whether a hold may have ended: a held contact is open, a bounce or a release, or in accelerated time
        the edge that ends it may arrive seconds late.
        """
        is_fast = 0 < self._table.time.real_s(NS_PER_S) < 1
        return is_fast or any(line != ARBITER_LINE for line in self._debouncer.opening())

    def _handle_reports(self, reports: tuple[debounce.Report, ...]) -> None:
        for report in reports:
            if not report.line.startswith(TOUCH_LINE):
                self._health.receive(report)
            match report:
                case debounce.DebouncedPress(line, at_ns) if line == ARBITER_LINE:
                    self._arbiter_ns = at_ns
                case debounce.Release(line, _, _) if line == ARBITER_LINE:
                    self._arbiter_pressed()
                case debounce.Glitch(line, _) if line == ARBITER_LINE:
                    self._arbiter_ns = None
                case debounce.DebouncedPress(line, at_ns):
                    self._buttons, gestures = self._buttons.down(_seat(line), at_ns)
                    self._handle_gestures(gestures)
                case debounce.Release(line, at_ns, _):
                    self._buttons, gestures = self._buttons.up(_seat(line), at_ns)
                    self._handle_gestures(gestures)
                case debounce.Glitch(line, at_ns):
                    self._buttons = self._buttons.forget(_seat(line))
                    self._game.notify(Retract(self._table.time.now_ns(), at_ns))
                    log.warning("a disturbance on the %s button at %d ns was taken back", line, at_ns)
                case debounce.StuckButton(line, _) if line != ARBITER_LINE:
                    self._buttons = self._buttons.forget(_seat(line))  # its release will have no effect
                case debounce.StuckButton():
                    pass
                case _:
                    assert_never(report)

    def _check_arbiter_press(self) -> None:
        if self._debouncer.is_proven(ARBITER_LINE):
            self._arbiter_pressed()

    def _arbiter_pressed(self) -> None:
        """Carry out the arbiter's press as of its edge, or as of the players' last action since."""
        at_ns, self._arbiter_ns = self._arbiter_ns, None
        if at_ns is not None:
            match = self._table.state.match
            self._arbiter.button(at_ns if match is None else max(at_ns, match.clock.since_ns))

    def _handle_gestures(self, gestures: tuple[gesture_recognition.Gesture, ...]) -> None:
        for gesture in gestures:
            if self._arbiter.is_open:
                self._arbiter.gesture(gesture)
                continue
            if isinstance(gesture, gesture_recognition.HoldRepeat) and not self._counts_on:
                continue
            counted = self._table.state.black_count
            if isinstance(gesture, gesture_recognition.BothPressed | gesture_recognition.LongPress):
                self._take_back(gesture_responses.respond(self._table.state, gesture).taken_back)
            response = gesture_responses.respond(self._table.state, gesture)
            if isinstance(gesture, gesture_recognition.ButtonDown) and self._is_too_early(response, gesture):
                self._buttons = self._buttons.mark_used(gesture.seat)
                continue
            before = self._table.state
            accepted = self._apply_response(response)
            if not isinstance(gesture, gesture_recognition.HoldRepeat):
                self._counts_on = (
                    isinstance(gesture, gesture_recognition.LongPress) and self._table.state.black_count != counted
                )
            if isinstance(gesture, gesture_recognition.ButtonDown) and response.events:
                if accepted:
                    clock_runs = before.match is not None and before.match.phase in gesture_responses.STOPPED_BY_ONE
                    holdable = before.one_operates and clock_runs
                    self._buttons = self._buttons.mark_used(gesture.seat, holdable=holdable)
                else:
                    self._note_out_of_turn(gesture.seat)
            self._show_hint(response, gesture, accepted)

    def _is_too_early(self, response: gesture_responses.Response, down: gesture_recognition.ButtonDown) -> bool:
        match = self._table.state.match
        if match is None or match.phase not in (Phase.TURN, Phase.CORR) or not response.events:
            return False
        return down.at_ns - match.turn_since_ns < self._debouncer.reply_ns

    def _show_hint(
        self, response: gesture_responses.Response, gesture: gesture_recognition.Gesture, accepted: bool
    ) -> None:
        """Show a player why a press had no effect. A hold of both buttons needs no hint."""
        match = self._table.state.match
        why = response.hint
        if match is not None and not accepted:
            why = gesture_responses.why_refused(match, gesture, response)
        elif isinstance(gesture, gesture_recognition.LongPress | gesture_recognition.BothPressed) and response.events:
            self._forget_hints(HINT_NS + gesture.at_ns)  # hints of the presses with which the hold began
        if why is not None and not isinstance(gesture, gesture_recognition.BothPressed):
            hints = {**self._table.state.hints, gesture.seat: (why, gesture.at_ns + HINT_NS)}
            self._table.change(hints=hints)

    def _forget_hints(self, now_ns: int) -> None:
        hints = self._table.state.hints
        if not hints:
            return
        current = {seat: hint for seat, hint in hints.items() if hint[1] > now_ns}
        if current != hints:
            self._table.change(hints=current)

    def _publish_holds(self) -> None:
        """Publish the held buttons and keys, for the bar that shows the remaining hold time."""
        pending = self._buttons.pending_gesture()
        holding: dict[tuple[str, str], int] = {}
        if pending is not None and self._has_effect(pending):
            seats = tuple(Seat) if isinstance(pending, gesture_recognition.BothPressed) else (pending.seat,)
            holding = {
                (str(seat), gesture_recognition.BUTTON): pending.at_ns - gesture_recognition.LONG_NS for seat in seats
            }
        touched, known = self._touches.since_ns.items(), self._touches.reported
        holding |= {
            place: since for place, since in touched if place[1] != gesture_recognition.BUTTON and place not in known
        }
        if holding != self._table.state.holding:
            self._table.change(holding=holding)

    def _has_effect(self, pending: gesture_recognition.LongPress | gesture_recognition.BothPressed) -> bool:
        if self._arbiter.is_open:
            return True
        response = gesture_responses.respond(self._table.state, pending)
        return response.hint is None and response != gesture_responses.Response(self._table.state)

    def _tap(self, tap: gesture_recognition.Tap) -> None:
        if tap.panel == ARBITER_PANEL:
            self._arbiter.act(ArbiterInput(tap.action, tap.held, tap.at_ns))
        elif not self._arbiter.is_open and tap.panel in tuple(Seat):
            self._apply_response(gesture_responses.respond_to_touch(self._table.state, tap))

    def _apply_response(self, response: gesture_responses.Response) -> bool:
        before = self._table.state
        if not self._game.notify_all(response.events):
            return False
        # The events were accepted: apply the table's own changes (menu, set-up step) too, and nothing else of that
        # state.
        changed = {name: getattr(response.state, name) for name in TABLE_FIELDS}
        self._table.change(**{name: new for name, new in changed.items() if new is not getattr(before, name)})
        if response.seated is not None:
            self._game.assign(dict(response.seated))
        if response.after is not None:
            self._after_game(response.after)
        if response.settings:
            self._arbiter.open_page(ArbiterPage.CLUB_HOME)
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
        faulty = self._health.faults(now_ns)
        if faulty == self._known_faults:
            return
        for line in {**faulty, **self._known_faults}:  # sorted, so that every run has the same order
            alarms = (_fault_alarm(line, faulty[line]),) if line in faulty else ()
            self._table.note_troubles(f"button-{line}", alarms)
        self._known_faults = faulty
        self.allow_touch()

    def allow_touch(self) -> None:
        """Set the halves where a touch replaces the button: those an arbiter selected, and those with a fault."""
        faulty = frozenset(
            seat
            for seat in Seat
            if self._known_faults.get(seat) in (debounce.ButtonFault.STUCK, debounce.ButtonFault.LOOSE)
        )
        allowed = self._table.state.touch_ordered | faulty
        if allowed != self._table.state.by_touch:
            self._table.change(by_touch=allowed)


def _seat(line: str) -> Seat:
    return Seat(line.removeprefix(TOUCH_LINE))


_BUTTON_NAMES = {"left": say("left button"), "right": say("right button"), ARBITER_LINE: say("arbiter's button")}
_FAULT_TEXTS = {
    debounce.ButtonFault.STUCK: say("The {button} stays pressed. See that nothing lies on it."),
    debounce.ButtonFault.LOOSE: say("The {button} makes poor contact. Check its wires."),
    debounce.ButtonFault.SILENT: say("Is the {button} working? Press it once."),
}


def _fault_alarm(line: str, fault: debounce.ButtonFault) -> TroubleInfo:
    return TroubleInfo(f"button-{line}-{fault}", _FAULT_TEXTS[fault](button=_BUTTON_NAMES.get(line, line)))


# --- input queue of the main loop, into which all threads put their messages -----------------------------------------

#: time by which an edge may be processed late when the machine is busy. Nothing is decided by the passing of time alone
#: before it is over; otherwise noise whose end is still unprocessed would count as a press, or as a power failure
MAX_EDGE_DELAY_NS = 20_000_000


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

    def battery_changed(self, battery: Battery | None) -> None:
        self.put(BatteryStatus(battery))

    def troubles_of(self, source: str) -> Callable[[tuple[TroubleInfo, ...]], None]:
        """Return the callback for all alarms of ``source``, called whenever they change."""
        return lambda troubles: self.put(AlarmsChanged(source, troubles))


class WindowInput:
    """Input of a window or a touch display: keys that stand for the buttons, touches of the picture.

    A key's or finger's time is when it was polled. A key does not bounce: however late both its edges are polled, its
    press is made longer than noise (``rest_ns``).
    """

    def __init__(self, inbox: Inbox, time_base: OffsetTime, rest_ns: int) -> None:
        self._inbox, self._time, self._rest_ns = inbox, time_base, rest_ns
        self._down_ns = 0

    def key(self, line: str, pressed: bool) -> None:
        at_ns = self._time.now_ns() - self._time.offset_ns
        if pressed:
            self._down_ns = at_ns
        else:
            at_ns = max(at_ns, self._down_ns + self._rest_ns)
        self._inbox.put(ButtonEdge(line, pressed, at_ns))

    def touch(self, panel: str, action: str, down: bool) -> None:
        self._inbox.put(TouchEvent(panel, action, down, self._time.now_ns()))
