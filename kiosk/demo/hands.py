"""Two simulated players at one table: they see what the screen may show them, move discs and press buttons.

The law: hands touch the world only, the pins and the squares of the sensor board. They look at the table's public state
as a person looks at the display, and never at what is kept from players.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from engine.board.color import Color
from engine.board.position import Position
from engine.match.events import Choice
from engine.match.model import Phase, Seat
from engine.match.state import MatchState
from hardware.simulated import SimulatedFactory, SimulatedSensorBoard
from hardware.timebase import NS_PER_S, TimeBase
from kiosk.demo.plan import Mishap, Plan
from kiosk.demo.world import START, World, choose_move, placed_only, slipped
from kiosk.link.messages import Assignment
from kiosk.table.config import Buttons
from kiosk.table.hands.gestures import LONG_NS
from kiosk.table.loop.program import TableProgram
from kiosk.table.state import HOLD_CHOICES, TIME_WIN_CHOICES, HoldChoice, SetupStep, TableState

TAP_NS = 150_000_000
HOLD_NS = LONG_NS + 300_000_000
TURN_DISCS_NS = 700_000_000
#: what a player leaves between his last disc and the button; a sensor board settles meanwhile
LET_GO_NS = 800_000_000
THINK_S = (2.0, 9.0)
OVERTIME_NS = 4 * NS_PER_S
#: real seconds in which the table must have answered a press before the player tries again
PATIENCE_S = 3.0


class Hands:
    """Runs in a thread of its own until ``stop`` is set."""

    def __init__(
        self,
        program: TableProgram,
        time_base: TimeBase,
        factory: SimulatedFactory,
        pins: Buttons,
        board: SimulatedSensorBoard,
        world_file: Path,
        plan_for: Callable[[Assignment], Plan],
    ) -> None:
        self.program = program
        self.stop = threading.Event()
        self._time = time_base
        self._factory = factory
        self._pins = pins
        self._board = board
        self._file = world_file
        self._world = World.load(world_file)
        self._plan_for = plan_for
        self._plan: Plan | None = None

    def run(self) -> None:
        seen = -1
        while not self.stop.is_set():
            state = self.program.state
            if not self._act(state):
                seen = self.program.wait_for_change(seen, 0.5)

    # --- what to do now --------------------------------------------------------------------------------------------

    def _act(self, state: TableState) -> bool:
        """Does the next thing the display asks for; False if there is nothing to do."""
        match, game = state.match, state.assignment
        if match is None or game is None:
            return False
        if game.game != self._world.game or self._plan is None:
            self._sit_down(game)
        assert self._plan is not None
        match match.phase:
            case Phase.SETUP:
                return self._settle(state, self._plan)
            case Phase.READY:
                return self._start(match)
            case Phase.TURN:
                return not match.pending and self._turn(match, self._plan)
            case Phase.CORR:
                return not match.pending and self._correct(match)
            case Phase.CHECK:
                return not match.pending and self._check(match)
            case Phase.FREE:
                return self._free_play(match, self._plan)
            case Phase.CHOICE:
                wanted = Choice.FREE_PLAY if self._plan.free_play else Choice.SCORE
                return self._choose(match.seat_of(_side(match)), state.menu, TIME_WIN_CHOICES.index(wanted))
            case Phase.HOLD if self._plan.mishap is Mishap.FLAG_CLAIMED and match.held_by is not None:
                return self._choose(match.held_by, state.menu, HOLD_CHOICES.index(HoldChoice.CLAIM_TIME))
            case Phase.ENDED | Phase.RESULT:
                return self._sign(match)
            case _:
                return False

    def _sit_down(self, assignment: Assignment) -> None:
        self._plan = self._plan_for(assignment)
        if self._world.game != assignment.game:
            self._world = World(assignment.game)
            self._lay(START)
            self._think(3 * NS_PER_S)

    def _settle(self, state: TableState, plan: Plan) -> bool:
        """RULES.md 2: where they sit, who has Black, who holds the draw right."""
        a_seat = Seat.LEFT if plan.seat_left else Seat.RIGHT
        black = a_seat if plan.black_first or state.designated else a_seat.other
        match state.step:
            case SetupStep.ASK_PLAYER_A:
                return self._tap(a_seat)
            case SetupStep.ASK_BLACK:
                return self._tap(black)
            case SetupStep.ASK_DRAW_RIGHT:
                return self._tap(black if plan.right_to_black else black.other)
            case None:
                return False

    def _start(self, match: MatchState) -> bool:
        """M43-5. In scaled time the sensor board may still tell of the last game's discs; people are slower."""
        if match.start_board is not None:
            self._until(lambda now: now.match is None or now.match.board == START)
        return self._tap(match.seat_of(Color.WHITE))

    def _turn(self, match: MatchState, plan: Plan) -> bool:
        mover, ply = _side(match), len(match.turns)
        seat = match.seat_of(mover)
        if self._world.challenge is not None and self._world.cells != self._world.challenge:
            self._think(2 * NS_PER_S)
            return self._tap(seat)  # M43-6a.3: the challenger presses his own button
        self._world.challenge = None
        if self._world.ply == ply and self._world.moved:
            return self._tap(seat)  # the press was lost with the power
        position = Position.from_cells(self._world.before if self._world.ply == ply else self._world.cells, mover)
        if not self._world.done and ply >= plan.ply and self._stumble(match, plan, position, seat):
            return True
        if self._world.done and plan.mishap is Mishap.FLAG_CLAIMED and self._time_is_up(match, mover):
            return self._claim_time(match)
        self._think(round(plan.chance(ply).uniform(*THINK_S) * NS_PER_S))
        square = choose_move(position, plan.record, match.moves, plan.chance(ply))
        if square is not None:
            self._move(ply, position, position.play(position.geometry.square(square)).cells(), square)
        return self._tap(seat)

    def _stumble(self, match: MatchState, plan: Plan, position: Position, seat: Seat | None) -> bool:
        """The planned mishap, if this turn allows it; False: play on."""
        ply = len(match.turns)
        match plan.mishap:
            case Mishap.FALSE_PASS | Mishap.WRONG_CHALLENGE:
                self._note_done()
                return self._tap(seat)
            case Mishap.CALL_ARBITER:
                self._note_done()
                return self._press(self._pins.arbiter, TAP_NS)
            case Mishap.FLAG_CLAIMED:
                self._run_out(match)
                self._note_done()
                return self._claim_time(match)
            case Mishap.FLAG_UNCLAIMED:
                self._run_out(match)
                self._note_done()
                return False
            case Mishap.NONE:
                return False
        square = choose_move(position, plan.record, match.moves, plan.chance(ply))
        wrong = None if square is None else slipped(position, square, plan.mishap, plan.chance(ply))
        if square is None or wrong is None:
            return False
        right = position.play(position.geometry.square(square)).cells()
        self._move(ply, position, wrong, square, challenge=None if plan.mishap is Mishap.UNNOTICED_FLIP else right)
        return self._tap(seat)

    def _claim_time(self, match: MatchState) -> bool:
        """The opponent stops the clock, to claim (M43-15.2)."""
        return self._long(match.seat_of(_side(match).opponent))

    def _time_is_up(self, match: MatchState, side: Color) -> bool:
        """The display reads 0:00."""
        return match.remaining_ns(side, self._time.now_ns()) <= 0

    def _run_out(self, match: MatchState) -> None:
        left_ns = match.remaining_ns(_side(match), self._time.now_ns())
        self._think(max(left_ns, 0) + OVERTIME_NS)

    def _correct(self, match: MatchState) -> bool:
        """The offender puts the board right, or presses back if there is nothing to put right (AMB-41)."""
        self._think(3 * NS_PER_S)
        if self._world.challenge is not None:
            self._world.ply = -1
            self._lay(self._world.challenge)
            self._think(LET_GO_NS)
        return self._tap(match.seat_of(_side(match)))

    def _check(self, match: MatchState) -> bool:
        """M43-10: the checking player challenges the last move, or declares the end."""
        checker = match.seat_of(_side(match).opponent)
        self._think(2 * NS_PER_S)
        if self._world.challenge is not None and self._world.cells != self._world.challenge:
            return self._tap(checker)
        return self._long(checker)

    def _free_play(self, match: MatchState, plan: Plan) -> bool:
        """K-07: the winner on time plays both sides; no button is needed."""
        if match.turn_board is None:
            return False
        position = Position.from_cells(match.turn_board, match.to_move)
        ply = len(match.turns)
        square = choose_move(position, plan.record, match.moves, plan.chance(ply))
        if square is None:
            return False
        self._think(NS_PER_S)
        after = position.play(position.geometry.square(square)).cells()
        self._lay(placed_only(position.cells(), after))
        self._think(TURN_DISCS_NS)
        self._lay(after)
        return self._until(lambda now: now.match is None or len(now.match.turns) > ply)

    def _choose(self, seat: Seat | None, marked: int, wanted: int) -> bool:
        return self._tap(seat) if marked != wanted else self._long(seat)

    def _sign(self, match: MatchState) -> bool:
        for color in Color:
            if color not in match.confirmed:
                return self._tap(match.seat_of(color))
        return False

    # --- doing it --------------------------------------------------------------------------------------------------

    def _move(self, ply: int, position: Position, after: str, square: str, challenge: str | None = None) -> None:
        """One hand puts the disc down and turns what it turns; ``after`` is what it leaves on the board."""
        self._world.ply, self._world.before, self._world.moved = ply, position.cells(), False
        self._lay(placed_only(position.cells(), after))
        self._think(TURN_DISCS_NS)
        self._world.moved = True
        if after != position.play(position.geometry.square(square)).cells():
            self._world.done, self._world.challenge = True, challenge
        self._lay(after)
        self._think(LET_GO_NS)

    def _lay(self, cells: str) -> None:
        self._world.cells = cells
        self._world.save(self._file)
        self._board.set(cells)

    def _note_done(self) -> None:
        self._world.done = True
        self._world.save(self._file)

    def _tap(self, seat: Seat | None) -> bool:
        return seat is not None and self._press(self._pin(seat), TAP_NS)

    def _long(self, seat: Seat | None) -> bool:
        return seat is not None and self._press(self._pin(seat), HOLD_NS)

    def _pin(self, seat: Seat) -> int:
        return self._pins.left if seat is Seat.LEFT else self._pins.right

    def _press(self, gpio: int, hold_ns: int) -> bool:
        """Presses, and waits until the display has answered."""
        before = self.program.state
        self._factory.button(gpio).press(hold_ns=hold_ns)
        answered = (before.match, before.step, before.menu)
        return self._until(lambda now: (now.match, now.step, now.menu) != answered)

    def _think(self, duration_ns: int) -> None:
        self.stop.wait(self._time.real_s(duration_ns))

    def _until(self, seen: Callable[[TableState], bool]) -> bool:
        """Waits until the display shows what was expected, or patience ends."""
        version, deadline = -1, time.monotonic() + PATIENCE_S
        while not self.stop.is_set() and not seen(self.program.state) and time.monotonic() < deadline:
            version = self.program.wait_for_change(version, 0.2)
        return True


def _side(match: MatchState) -> Color:
    assert match.side is not None, "every phase in which hands act for a side has one"
    return match.side
