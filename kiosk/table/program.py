"""The table program: one loop, one writer of the table's state.

The law: everything that happens comes through the inbox and is handled here, one after the other. A press switches the
clock before anything else is done with it. What the rules accept is journaled; what they refuse changes nothing and is
logged. The loop never waits for the disk, the board, the head or the screen (promise 4).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Protocol, assert_never

from engine.match import IllegalEvent, step
from engine.match.effects import AskBoard, CallArbiter, CardReady, Effect, FindingFiled
from engine.match.events import Board, Event, Restart, Retract, Submitted, Tick, to_dict
from engine.match.model import Phase, Seat
from hardware.debounce import Debouncer, LongPress, Release, Report, Spike, Stuck
from hardware.debounce import Press as ButtonPress
from hardware.edges import ButtonEdge
from hardware.settler import Reading, SquareTrouble
from hardware.timebase import TimeBase
from kiosk.link.messages import Assigned, Assignment, Command, TroubleInfo
from kiosk.link.messages import to_dict as message_to_dict
from kiosk.table import orders
from kiosk.table.card import card_of
from kiosk.table.conduct import respond
from kiosk.table.gestures import Both, Down, Fingers, Gesture
from kiosk.table.inbox import Acknowledged, Durable, Item, LinkChanged, Stop, Troubles
from kiosk.table.journal import Journal
from kiosk.table.recovery import AT_REST, assign, rebuild, without_game
from kiosk.table.state import LinkState, TableState, Trouble

log = logging.getLogger(__name__)

#: a restored clock is at most this much too generous, plus the time one sync takes
TICK_NS = 800_000_000
#: with a scaled clock, ticks come no faster than this
TICK_REAL_S = 0.25
#: real time between two looks at the board source's health
CHECK_S = 1.0
#: real time between two signs of life of the loop
BEAT_S = 1.0
ARBITER_LINE = "arbiter"


class BoardPort(Protocol):
    """A board source: it is asked, and its settled readings come to the inbox."""

    def ask(self, number: int) -> object: ...

    def trouble(self) -> tuple[str, str] | None:
        """What an arbiter should know, in English and Japanese."""
        ...


class LampPort(Protocol):
    def show(self, lit: frozenset[str]) -> None: ...


class TableProgram:
    """One table. Made by ``kiosk.table.assembly``; the tests and the demo give it simulated edges. ``next_game`` makes
    the next game of a table that has no head, named by a number.

    ``state`` is the latest published value; ``wait_for_change`` lets another thread follow it without polling.
    ``on_beat`` is called by the loop, and only by the loop, once a second: whoever hears nothing knows that it hangs.
    """

    def __init__(
        self,
        state: TableState,
        inbox: SimpleQueue[Item],
        time_base: TimeBase,
        edge_offset_ns: int,
        debouncer: Debouncer,
        journal: Journal,
        board: BoardPort | None,
        lamps: LampPort | None,
        next_game: Callable[[int], Assignment],
    ) -> None:
        self.inbox = inbox
        self._time = time_base
        self._edge_offset_ns = edge_offset_ns
        self._debouncer = debouncer
        self._journal = journal
        self._board = board
        self._lamps = lamps
        self._next_game = next_game
        self._fingers = Fingers()
        self._last_event_seq = 0
        self._tick_due_ns = 0
        self._tick_ns = max(TICK_NS, round(TICK_NS * TICK_REAL_S / (time_base.real_s(TICK_NS) or TICK_REAL_S)))
        self._check_due_s = 0.0
        self._beat_due_s = 0.0
        self.on_beat: Callable[[], None] = lambda: None
        self._changed = threading.Condition()
        self.version = 0
        rebuilt = rebuild(state, journal.recovered.entries)
        self.state = rebuilt.state
        self._done, self._card_seq = set(rebuilt.done), rebuilt.card_seq
        self._come_back()

    # --- the loop --------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Works until ``Stop`` comes."""
        while True:
            self._beat()
            item = self._next()
            if isinstance(item, Stop):
                return
            before = self.state
            if item is not None:
                self._handle(item)
            if self.inbox.empty():
                # A gesture or a deadline is decided by edge times: edges that wait come first.
                self._pass_time(self._time.now_ns())
            if self.state is not before:
                self._publish()

    def _beat(self) -> None:
        if time.monotonic() >= self._beat_due_s:
            self._beat_due_s = time.monotonic() + BEAT_S
            self.on_beat()

    def _next(self) -> Item | None:
        try:
            return self.inbox.get(timeout=self._wait_s())
        except Empty:
            return None

    def _wait_s(self) -> float:
        """Real seconds until time alone brings something to do."""
        due = [self._debouncer.next_deadline_ns(), self._match_deadline_ns()]
        if self._is_running():
            due.append(self._tick_due_ns)
        now_ns = self._time.now_ns()
        waits = [self._time.real_s(due_ns - now_ns) for due_ns in due if due_ns is not None]
        return min([*waits, BEAT_S, CHECK_S])

    def _handle(self, item: Item) -> None:
        match item:
            case ButtonEdge():
                edge = replace(item, at_ns=item.at_ns + self._edge_offset_ns)
                self._hear(self._debouncer.feed(edge))
            case Reading():
                self._read_board(item)
            case SquareTrouble():
                self._note_squares(item)
            case Command():
                self._obey(item)
            case LinkChanged(up):
                self.state = replace(self.state, link=LinkState.UP if up else LinkState.DOWN)
            case Durable(seq):
                self._note_saved(seq)
            case Acknowledged(seq):
                self._note_acknowledged(seq)
            case Troubles(source, troubles):
                self._note_troubles(source, troubles)
            case Stop():
                pass
            case _:
                assert_never(item)

    def _pass_time(self, now_ns: int) -> None:
        self._hear(self._debouncer.poll(now_ns))
        deadline_ns = self._match_deadline_ns()
        if deadline_ns is not None and now_ns >= deadline_ns:
            self._tell(Tick(now_ns))
        if self._is_running() and now_ns >= self._tick_due_ns:
            self._journal.tick(now_ns)
            self._tick_due_ns = now_ns + self._tick_ns
        if self._board is not None and time.monotonic() >= self._check_due_s:
            self._check_due_s = time.monotonic() + CHECK_S
            told = self._board.trouble()
            self._note_troubles("board", () if told is None else (TroubleInfo("board", told[1], told[0]),))

    # --- buttons ---------------------------------------------------------------------------------------------------

    def _hear(self, reports: tuple[Report, ...]) -> None:
        for report in reports:
            match report:
                case ButtonPress(line, at_ns) if line == ARBITER_LINE:
                    self._tell_all(orders.call_arbiter(self.state, at_ns))
                case ButtonPress(line, at_ns):
                    self._fingers, gestures = self._fingers.down(Seat(line), at_ns)
                    self._answer(gestures)
                case Release(line, at_ns, _) if line != ARBITER_LINE:
                    self._fingers, gestures = self._fingers.up(Seat(line), at_ns)
                    self._answer(gestures)
                case Spike(line, at_ns) if line != ARBITER_LINE:
                    self._fingers = self._fingers.forget(Seat(line))
                    self._tell(Retract(self._time.now_ns(), at_ns))
                    log.warning("a disturbance on the %s button at %d ns was taken back", line, at_ns)
                case Stuck(line, _):
                    self._note_troubles(
                        f"button-{line}",
                        (TroubleInfo(
                            f"button-{line}-stuck",
                            f"ボタン「{line}」が押されたままです。上に物がないか確かめてください。",
                            f"The {line} button stays pressed. See that nothing lies on it.",
                        ),),
                    )  # fmt: skip
                case Release() | Spike() | LongPress():
                    pass
                case _:
                    assert_never(report)

    def _answer(self, gestures: tuple[Gesture, ...]) -> None:
        for gesture in gestures:
            if isinstance(gesture, Both):
                self._take_back(respond(self.state, gesture).taken_back)
            response = respond(self.state, gesture)
            if not self._tell_all(response.events):
                continue
            # The events were taken: the table's own answers (menu, set-up step) count too.
            self.state = replace(response.state, match=self.state.match)
            if response.seated is not None:
                self._seat(dict(response.seated))
            if response.next_game:
                self.begin(self._next_game(self._journal.appended))
            if isinstance(gesture, Down) and response.events:
                self._fingers = self._fingers.spend(gesture.seat)

    def _take_back(self, presses: tuple[int, ...]) -> None:
        """Those that were refused when they came cannot be taken back, and need not be."""
        for pressed_ns in presses:
            self._tell(Retract(self._time.now_ns(), pressed_ns))

    def _seat(self, at: dict[Seat, int]) -> None:
        self.state = replace(self.state, player_at=at)
        assert self.state.assignment is not None
        seats = {str(seat): index for seat, index in at.items()}
        self._write("seated", {"game": self.state.assignment.game, "at": seats})

    # --- the match -------------------------------------------------------------------------------------------------

    def _tell_all(self, events: tuple[Event, ...]) -> bool:
        return all(self._tell(event) for event in events)

    def _tell(self, event: Event) -> bool:
        """Takes one step of the match and journals it; False and a log line if the rules refuse it."""
        match, assignment = self.state.match, self.state.assignment
        if match is None or assignment is None:
            return False
        try:
            after, effects = step(match, event)
        except IllegalEvent as error:
            log.info("refused: %s", error)
            return False
        if after is not match:
            self.state = replace(self.state, match=after)
            self._show_lamps()
            body = {"game": assignment.game, "revision": after.revision, "event": to_dict(event)}
            self._write("event", body, event.at_ns)
        for effect in effects:
            self._carry_out(effect)
        return True

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case AskBoard(number):
                if self._board is not None:
                    self._board.ask(number)
            case CardReady():
                self._card_seq = self._write("card", message_to_dict(card_of(self.state, self._time.now_ns())))
            case CallArbiter(_, en):
                log.warning("the arbiter is called: %s", en)
            case FindingFiled(finding):
                log.info("finding filed at ply %d: %s", finding.ply, finding.kind)
            case _:
                assert_never(effect)

    def _read_board(self, reading: Reading) -> None:
        if "?" in reading.cells:
            return  # the squares that cannot be read are told as a trouble; the rules need a whole board
        match = self.state.match
        if match is None:
            return
        self._tell(Board(max(reading.at_ns, match.clock.since_ns), reading.cells, reading.answers))

    def _come_back(self) -> None:
        """After a start: a running game is paused where the journal last saw it alive."""
        match = self.state.match
        last_ns = self._journal.recovered.last_at_ns
        if match is not None and last_ns is not None and match.phase not in AT_REST:
            self._tell(Restart(max(last_ns, match.clock.since_ns)))
        self._show_lamps()

    # --- the head --------------------------------------------------------------------------------------------------

    def _obey(self, command: Command) -> None:
        """Carries a command out once; its outcome is a record, so the head learns it even after a power cut."""
        if command.id in self._done:
            return
        now_ns = self._time.now_ns()
        outcome = orders.examine(self.state, command)
        status, reason = "applied", ""
        if command.expires_s is not None and command.expires_s <= 0:
            status, reason = "expired", "it came too late"
        elif outcome.refusal:
            status, reason = "refused", outcome.refusal
        elif outcome.assignment is not None:
            self.begin(outcome.assignment)
        elif outcome.withdraws:
            self._write("withdrawn", {"game": command.game}, now_ns)
            self.state = without_game(self.state)
            self._card_seq = None
            self._show_lamps()
        elif not self._tell_all(outcome.events(now_ns)):
            status, reason = "refused", "the rules do not allow it at this moment"
        self._done.add(command.id)
        self._write("command", {"id": command.id, "status": status, "reason": reason})

    def begin(self, assignment: Assignment) -> None:
        """A new game, given by the head or, without one, by the table itself. In the loop, or before it runs."""
        now_ns = self._time.now_ns()
        assigned = Assigned(assignment, self._board is not None)
        self.state = assign(self.state, assigned, now_ns)
        self._card_seq = None
        self._write("assigned", message_to_dict(assigned), now_ns)
        self._show_lamps()

    def _note_acknowledged(self, seq: int) -> None:
        self.state = replace(self.state, unsynced=max(0, self._journal.appended - seq))
        if self._card_seq is not None and seq >= self._card_seq:
            match = self.state.match
            if match is not None and match.phase is Phase.SIGNED:
                self._tell(Submitted(self._time.now_ns()))

    # --- marks -----------------------------------------------------------------------------------------------------

    def _write(self, kind: str, body: dict[str, object], at_ns: int | None = None) -> int:
        seq = self._journal.append(kind, body, self._time.now_ns() if at_ns is None else at_ns)
        self._last_event_seq = seq
        self.state = replace(self.state, saved=False, unsynced=self.state.unsynced + 1)
        return seq

    def _note_saved(self, seq: int) -> None:
        if seq >= self._last_event_seq and not self.state.saved:
            self.state = replace(self.state, saved=True)

    def _note_squares(self, trouble: SquareTrouble) -> None:
        bad = sorted({*trouble.flickering, *trouble.dead})
        names = " ".join(f"{'abcdefgh'[square % 8]}{square // 8 + 1}" for square in bad)
        told = TroubleInfo(
            "board-squares", f"盤の {names} が読み取れません。", f"Squares {names} of the board cannot be read."
        )
        self._note_troubles("board-squares", (told,) if bad else ())

    def _note_troubles(self, source: str, troubles: tuple[TroubleInfo, ...]) -> None:
        others = tuple(trouble for trouble in self.state.troubles if trouble.source != source)
        mine = tuple(Trouble(trouble.kind, trouble.ja, trouble.en, source) for trouble in troubles)
        if others + mine == self.state.troubles:
            return
        for trouble in mine:
            if trouble not in self.state.troubles:
                self._write("trouble", {"kind": trouble.kind, "ja": trouble.ja, "en": trouble.en})
        self.state = replace(self.state, troubles=others + mine)

    def _show_lamps(self) -> None:
        """The running side's lamp is lit."""
        if self._lamps is not None:
            match = self.state.match
            running = None if match is None else match.clock.running
            self._lamps.show(frozenset() if running is None else frozenset({str(running)}))

    def _is_running(self) -> bool:
        return self.state.match is not None and self.state.match.clock.running is not None

    def _match_deadline_ns(self) -> int | None:
        return None if self.state.match is None else self.state.match.next_deadline_ns()

    # --- watching --------------------------------------------------------------------------------------------------

    def _publish(self) -> None:
        with self._changed:
            self.version += 1
            self._changed.notify_all()

    def wait_for_change(self, seen: int, timeout_s: float | None) -> int:
        """Waits until the state has changed since version ``seen``, or the time is up; gives the version now."""
        with self._changed:
            self._changed.wait_for(lambda: self.version != seen, timeout_s)
            return self.version
