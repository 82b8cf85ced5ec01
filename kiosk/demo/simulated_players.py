"""Two simulated players at one table, who read the screen, move discs and press buttons.

They affect only the pins and the squares of the sensor board. They read only the table's public state, as a person
reads the display, and nothing that is hidden from players.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from engine.board.color import Color
from engine.board.position import Position
from engine.match.match_events_and_effects import TimeWinChoice
from engine.match.match_state import MatchState
from engine.match.match_value_types import Phase, Seat
from hardware.real_and_simulated_time import NS_PER_S, ScaledTime, TimeBase
from hardware.simulated_pins_and_buttons import SimulatedFactory
from kiosk.demo.simulated_game_plan_and_board import (
    START,
    GamePlan,
    PhysicalBoard,
    PlayerError,
    choose_move,
    faulty_board,
    mid_move_board,
)
from kiosk.link.link_messages import Assignment
from kiosk.table.input.gesture_recognition import LONG_NS
from kiosk.table.loop.main_loop import TableProgram
from kiosk.table.state import HOLD_CHOICES, TIME_WIN_CHOICES, HoldChoice, SetupStep, TableState
from kiosk.table.table_config import ButtonsConfig

TAP_NS = 150_000_000
HOLD_NS = LONG_NS + 300_000_000
FLIP_NS = 700_000_000
#: pause between a player's last disc and the button; a sensor board settles meanwhile
RELEASE_NS = 800_000_000
THINK_S = (2.0, 9.0)
OVERTIME_NS = 4 * NS_PER_S
#: seconds without a reaction of the table after which the player presses again
RETRY_PRESS_S = 3.0
#: factor by which waiting for the display is slower than thinking; never slower than real time
SLOWER = 16
#: real seconds between checks for a stop, for players in their own thread
STOP_S = 0.5


class Squares(Protocol):
    """A board on which discs can be laid."""

    def set(self, cells: str) -> None: ...


class PlayerTiming(Protocol):
    """Interface for waiting: in game time for players' actions, in the event loop's time for the display."""

    async def sleep(self, duration_ns: int) -> None: ...

    async def change(self, seen: int, timeout_s: float | None) -> int:
        """Wait as ``TableProgram.wait_for_change``. ``timeout_s`` None: wait for a change without limit."""


class ScaledTableTime:
    """Scaled time of a table whose players have their own process. ``speed``: how many times faster than real time they
    are.

    A player's clock measures his actions, and hardly the load of the computer. Time runs at full speed while a player
    intends to think or move, and at a sixteenth of that while he waits for the display; otherwise a table that gets the
    processor late would lose minutes at every press, and flags would fall unplanned.
    """

    def __init__(self, speed: float) -> None:
        self._fast = ScaledTime(speed)
        self._slower = max(1, min(SLOWER, int(speed)))
        self._lock = threading.Lock()
        # start of the last thought in full-speed time and in game time, and its end in game time
        self._thought = (self._fast.start_ns, self._fast.start_ns, self._fast.start_ns)

    def now_ns(self) -> int:
        return self._at(self._fast.now_ns())

    def real_s(self, duration_ns: int) -> float:
        """Return the real seconds of a duration at full speed, after which a player waiting for the display checks
        again.
        """
        return self._fast.real_s(duration_ns)

    def note_busy(self, duration_ns: int) -> None:
        """Note that a player is busy for this long from now on."""
        with self._lock:
            fast_ns = self._fast.now_ns()
            now_ns = self._at(fast_ns)
            self._thought = (fast_ns, now_ns, now_ns + max(duration_ns, 0))

    def _at(self, fast_ns: int) -> int:
        began_ns, from_ns, until_ns = self._thought
        over_ns = from_ns + fast_ns - began_ns - until_ns
        return until_ns + (over_ns if over_ns < 0 else over_ns // self._slower)


class _OwnThread:
    """Waits of players in their own thread, which drive their table's time; ``stop`` ends them."""

    def __init__(self, program: TableProgram, time_base: ScaledTableTime, stop: threading.Event) -> None:
        self._program, self._time, self._stop = program, time_base, stop

    async def sleep(self, duration_ns: int) -> None:
        self._time.note_busy(duration_ns)
        self._stop.wait(self._time.real_s(duration_ns))

    async def change(self, seen: int, timeout_s: float | None) -> int:
        return self._program.wait_for_change(seen, STOP_S if timeout_s is None else timeout_s)


class SimulatedPlayers:
    """Simulated players, run in their own thread until ``stop`` is set. ``world`` is the state of the board; without
    ``world_file`` the owner of this object stores it. ``pace`` None: the waits of a thread, with a ``ScaledTableTime``.
    """

    def __init__(
        self,
        program: TableProgram,
        time_base: TimeBase,
        factory: SimulatedFactory,
        pins: ButtonsConfig,
        board: Squares,
        world_file: Path | None,
        plan_for: Callable[[Assignment], GamePlan],
        pace: PlayerTiming | None = None,
    ) -> None:
        self.program, self.stop = program, threading.Event()
        if pace is None:
            assert isinstance(time_base, ScaledTableTime), "nothing else would make the table's time run"
            pace = _OwnThread(program, time_base, self.stop)
        self._time, self._pace = time_base, pace
        self._factory, self._pins, self._board = factory, pins, board
        self._file, self._plan_for = world_file, plan_for
        self.world = PhysicalBoard() if world_file is None else PhysicalBoard.load(world_file)
        self._plan: GamePlan | None = None

    def run(self) -> None:
        asyncio.run(self.play())

    async def play(self) -> None:
        """Run the players; a hall in one thread runs this in its own event loop, and cancels it."""
        seen = -1
        while not self.stop.is_set():
            if not await self._act(self.program.state):
                seen = await self._pace.change(seen, None)

    # --- what to do now --------------------------------------------------------------------------------------------

    async def _act(self, state: TableState) -> bool:
        """Do the next action that the display requests; return False if there is nothing to do."""
        match, game = state.match, state.assignment
        if match is None or game is None:
            return False
        if game.game != self.world.game or self._plan is None:
            await self._sit_down(game, match)
        assert self._plan is not None
        match match.phase:
            case Phase.SETUP:
                return await self._settle(state, self._plan)
            case Phase.READY:
                return await self._start(match)
            case Phase.TURN:
                return not match.pending and await self._turn(match, self._plan)
            case Phase.CORR:
                return not match.pending and await self._correct(match)
            case Phase.CHECK:
                return not match.pending and await self._check(match)
            case Phase.FREE:
                return await self._free_play(match, self._plan)
            case Phase.CHOICE:
                wanted = TimeWinChoice.FREE_PLAY if self._plan.free_play else TimeWinChoice.SCORE
                return await self._choose(match.seat_of(side_of(match)), state, TIME_WIN_CHOICES.index(wanted))
            case Phase.HOLD if self._plan.planned_error is PlayerError.FLAG_CLAIMED and match.held_by is not None:
                return await self._choose(match.held_by, state, HOLD_CHOICES.index(HoldChoice.CLAIM_TIME))
            case Phase.ENDED | Phase.RESULT:
                return await self._sign(match)
            case _:
                return False

    async def _sit_down(self, assignment: Assignment, match: MatchState) -> None:
        """A game that came back to this table is laid out as it stood."""
        self._plan = self._plan_for(assignment)
        if self.world.game != assignment.game:
            came_back = bool(match.turns)
            cells = match.turn_board or START if came_back else START
            self.world = PhysicalBoard(assignment.game, cells, done=came_back)
            self._set_board(cells)
            await self._think(3 * NS_PER_S)

    async def _settle(self, state: TableState, plan: GamePlan) -> bool:
        """Settle seats, Black, and the holder of the draw right (RULES.md 2)."""
        a_seat = Seat.LEFT if plan.seat_left else Seat.RIGHT
        black = a_seat if plan.black_first or state.designated else a_seat.other
        match state.step:
            case SetupStep.ASK_PLAYER_A:
                return await self._tap(a_seat)
            case SetupStep.ASK_BLACK:
                return await self._tap(black)
            case SetupStep.ASK_DRAW_RIGHT:
                return await self._tap(black if plan.right_to_black else black.other)
            case None:
                return False

    async def _start(self, match: MatchState) -> bool:
        """Start the game (M43-5). In scaled time the sensor board may still report the last game's discs, since people
        are slower.
        """
        if match.start_board is not None:
            await self._wait_for_display(lambda now: now.match is None or now.match.board == START)
        return await self._tap(match.seat_of(Color.WHITE))

    async def _turn(self, match: MatchState, plan: GamePlan) -> bool:
        mover, ply = side_of(match), len(match.turns)
        seat = match.seat_of(mover)
        if self.world.challenge is not None and self.world.cells != self.world.challenge:
            await self._think(2 * NS_PER_S)
            return await self._tap(seat)  # M43-6a.3: the challenger presses his own button
        self.world.challenge = None
        if self.world.ply == ply and self.world.moved:
            return await self._tap(seat)  # the press was lost in the power cut
        position = Position.from_cells(self.world.before if self.world.ply == ply else self.world.cells, mover)
        if not self.world.done and ply >= plan.ply and await self._make_error(match, plan, position, seat):
            return True
        if self.world.done and plan.planned_error is PlayerError.FLAG_CLAIMED:  # the claim was lost in the power cut
            await self._run_out(match)
            return await self._claim_time(match)
        await self._think(round(plan.chance(ply).uniform(*THINK_S) * NS_PER_S))
        square = choose_move(position, plan.record, match.moves, plan.chance(ply))
        if square is not None:
            await self._move(ply, position, position.play(position.geometry.square(square)).cells(), square)
        return await self._tap(seat)

    async def _make_error(self, match: MatchState, plan: GamePlan, position: Position, seat: Seat | None) -> bool:
        """Make the planned mistake, if this turn allows it; return False to continue play."""
        ply = len(match.turns)
        match plan.planned_error:
            case PlayerError.FALSE_PASS | PlayerError.WRONG_CHALLENGE:
                self._note_done()
                return await self._tap(seat)
            case PlayerError.CALL_ARBITER:
                self._note_done()
                return self._pins.arbiter is not None and await self._press(self._pins.arbiter, TAP_NS)
            case PlayerError.FLAG_CLAIMED:
                await self._run_out(match)
                self._note_done()
                return await self._claim_time(match)
            case PlayerError.FLAG_UNCLAIMED:
                await self._run_out(match)
                self._note_done()
                return False
            case PlayerError.NONE:
                return False
        square = choose_move(position, plan.record, match.moves, plan.chance(ply))
        wrong = None if square is None else faulty_board(position, square, plan.planned_error, plan.chance(ply))
        if square is None or wrong is None:
            return False
        right = position.play(position.geometry.square(square)).cells()
        await self._move(
            ply, position, wrong, square, challenge=None if plan.planned_error is PlayerError.UNNOTICED_FLIP else right
        )
        return await self._tap(seat)

    async def _claim_time(self, match: MatchState) -> bool:
        """Stop the clock as the opponent, to claim (M43-15.2): a short press, then a long one."""
        seat = match.seat_of(side_of(match).opponent)
        if seat is None:
            return False
        pressed_ns = self._factory.button(self._pin(seat)).press(hold_ns=TAP_NS)
        return await self._press(self._pin(seat), HOLD_NS, pressed_ns + 2 * TAP_NS)

    async def _run_out(self, match: MatchState) -> None:
        left_ns = match.remaining_ns(side_of(match), self._time.now_ns())
        await self._think(max(left_ns, 0) + OVERTIME_NS)

    async def _correct(self, match: MatchState) -> bool:
        """Correct the board as the offender, or press back if there is nothing to correct (AMB-41)."""
        await self._think(3 * NS_PER_S)
        if self.world.challenge is not None:
            self.world.ply = -1
            self._set_board(self.world.challenge)
            await self._think(RELEASE_NS)
        return await self._tap(match.seat_of(side_of(match)))

    async def _check(self, match: MatchState) -> bool:
        """Check as in M43-10: the checking player challenges the last move, or declares the end."""
        checker = match.seat_of(side_of(match).opponent)
        await self._think(2 * NS_PER_S)
        if self.world.challenge is not None and self.world.cells != self.world.challenge:
            return await self._tap(checker)
        return await self._long(checker)

    async def _free_play(self, match: MatchState, plan: GamePlan) -> bool:
        """Play both sides as the winner on time (K-07); no button is needed."""
        if match.turn_board is None:
            return False
        position = Position.from_cells(match.turn_board, match.to_move)
        ply = len(match.turns)
        square = choose_move(position, plan.record, match.moves, plan.chance(ply))
        if square is None:
            return False
        await self._think(NS_PER_S)
        after = position.play(position.geometry.square(square)).cells()
        self._set_board(mid_move_board(position.cells(), after))
        await self._think(FLIP_NS)
        self._set_board(after)
        return await self._wait_for_display(lambda now: now.match is None or len(now.match.turns) > ply)

    async def _choose(self, seat: Seat | None, state: TableState, wanted: int) -> bool:
        marked = seat is not None and state.marked(seat) == wanted
        return await self._long(seat) if marked else await self._tap(seat)

    async def _sign(self, match: MatchState) -> bool:
        for color in Color:
            if color not in match.confirmed:
                return await self._tap(match.seat_of(color))
        return False

    # --- doing it --------------------------------------------------------------------------------------------------

    async def _move(self, ply: int, position: Position, after: str, square: str, challenge: str | None = None) -> None:
        """Put the disc down and flip discs with one hand; ``after`` is the resulting board."""
        self.world.ply, self.world.before, self.world.moved = ply, position.cells(), False
        self._set_board(mid_move_board(position.cells(), after))
        await self._think(FLIP_NS)
        self.world.moved = True
        if after != position.play(position.geometry.square(square)).cells():
            self.world.done, self.world.challenge = True, challenge
        self._set_board(after)
        await self._think(RELEASE_NS)

    def _set_board(self, cells: str) -> None:
        self.world.cells = cells
        self._keep()
        self._board.set(cells)

    def _keep(self) -> None:
        if self._file is not None:
            self.world.save(self._file)

    def _note_done(self) -> None:
        self.world.done = True
        self._keep()

    async def _tap(self, seat: Seat | None) -> bool:
        return seat is not None and await self._press(self._pin(seat), TAP_NS)

    async def _long(self, seat: Seat | None) -> bool:
        return seat is not None and await self._press(self._pin(seat), HOLD_NS)

    def _pin(self, seat: Seat) -> int:
        return self._pins.left if seat is Seat.LEFT else self._pins.right

    async def _press(self, gpio: int, hold_ns: int, at_ns: int | None = None) -> bool:
        """Press, and wait until the display has reacted."""
        before = answer_of(self.program.state)
        button = self._factory.button(gpio)
        pressed_ns = button.press(release=False) if at_ns is None else button.press(at_ns, release=False)
        await self._pace.sleep(hold_ns)
        button.release(pressed_ns + hold_ns)
        return await self._wait_for_display(lambda now: answer_of(now) != before)

    async def _think(self, duration_ns: int) -> None:
        await self._pace.sleep(duration_ns)

    async def _wait_for_display(self, seen: Callable[[TableState], bool]) -> bool:
        """Wait until the display shows the expected state, or time runs out."""
        now_s = asyncio.get_running_loop().time
        version, deadline_s = -1, now_s() + RETRY_PRESS_S
        while not self.stop.is_set() and not seen(self.program.state) and now_s() < deadline_s:
            version = await self._pace.change(version, 0.2)
        return True


def answer_of(state: TableState) -> tuple[object, ...]:
    """Return the part of the state that a press changes. Discs are excluded: a late report of the board is no reaction
    to a press.
    """
    match = state.match and replace(state.match, board=None, start_board=None, revision=0)
    return match, state.step, state.menu, state.captures, state.counting


def side_of(match: MatchState) -> Color:
    assert match.side is not None, "every phase in which hands act for a side has one"
    return match.side
