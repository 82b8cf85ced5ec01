"""Tests of whole games at one table with each player error of the demo."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from devices.faulty_sensor_board import FaultySensorBoard
from simulate.drifting_clock import run
from tables.rig import TableRig
from tables.states import match as in_phase
from tables.states import table
from waiting import HANGS_S, until

from engine.match.match_state import MatchState
from engine.match.match_value_types import Phase, Seat
from hardware.real_and_simulated_time import ManualTime
from kiosk.demo.simulated_game_plan_and_board import START, GamePlan, PhysicalBoard, PlayerError, load_records, plan
from kiosk.demo.simulated_players import ScaledTableTime, SimulatedPlayers
from kiosk.demo.virtual_time_demo import save_table_keys
from kiosk.demo.virtual_time_loop_and_connection import VirtualTime, Wire
from kiosk.demo.virtual_time_table import VirtualTable
from kiosk.link.link_messages import Assignment, Command, PlayerInfo, to_dict
from kiosk.link.transport_interfaces import HeadChannel
from kiosk.table.game.journaled_state_changes_and_recovery import recover_state
from kiosk.table.journal.segment_files_and_recovery import recover
from kiosk.table.state import SetupStep, TableState
from kiosk.table.table_config import ButtonsConfig

SPEED = 300.0


def played_at_a_real_table(data: Path, plan: GamePlan) -> MatchState:
    """Play one game (pins, pty, loop and journal) from the first press to both signatures, and return its end."""
    time_base = ScaledTableTime(SPEED)
    board = FaultySensorBoard(time_base)
    board.set(PhysicalBoard().cells)
    rig = TableRig(data, time_base, board.device)
    program, buttons = rig.table.program, rig.config.buttons
    hands = SimulatedPlayers(program, time_base, rig.factory, buttons, board, data / "world.json", lambda game: plan)
    players = threading.Thread(target=hands.run)
    players.start()
    try:
        rig.phase(Phase.SIGNED)
        rig.until(lambda state: state.saved, "the card is saved")
        return rig.match
    finally:
        hands.stop.set()
        players.join(HANGS_S)
        rig.close()
        board.close()


def no_head(channel: HeadChannel) -> asyncio.Task[None]:
    raise ConnectionRefusedError("there is no head")


def played(data: Path, planned_error: PlayerError, *, free_play: bool = True) -> MatchState:
    """Play one game on virtual time with this error in turn 12, or later where that is impossible."""
    time = VirtualTime()
    ((number, key_file),) = save_table_keys(data, {1: bytes(32)})
    planned = replace(plan(7, "one", 0, load_records(None)), planned_error=planned_error, free_play=free_play, ply=12)
    place = VirtualTable(number, time, "7", key_file, Wire(Random(7), no_head), lambda game: planned)

    async def play() -> MatchState:
        place.switch_on()
        assert place.table is not None
        program, journal = place.table.program, place.table.journal
        program.inbox.put(assign("one"))
        while (match := program.state.match) is None or match.phase is not Phase.SIGNED:
            await asyncio.sleep(1)
            if planned_error is PlayerError.CALL_ARBITER and match is not None and match.phase is Phase.HOLD:
                program.inbox.put(Command("resume", "arbiter", body={"action": "resume", "reason": "settled"}))
            assert place.failed() is None
        place.kill()
        journal.close()
        return match

    return run(time, play)


def assign(game: str, name: str = "assign") -> Command:
    players = [PlayerInfo("p1", "A"), PlayerInfo("p2", "B")]
    body = to_dict(Assignment(game, "e", "d", 1, 1, "m43", "league", "", "", 1200, True, players))
    return Command(name, "assign", game, body=body)


def kinds(match: MatchState) -> list[str]:
    return [filed.kind for filed in match.findings]


def messages_to_players(match: MatchState) -> list[str]:
    return [message.kind for message in match.shown_to_players]


def test_an_undisturbed_game_is_read_from_the_board_move_by_move(tmp_path: Path) -> None:
    match = played_at_a_real_table(tmp_path, plan(7, "one", 0, load_records(None)))
    squares = tuple(move for move in match.moves if move != "--")
    assert squares in load_records(None), "the transcript has grown by itself"
    assert kinds(match) == []
    assert match.result is not None
    assert match.result.end == "normal"
    journal = recover(tmp_path / "journal")
    assert journal.cuts == []
    assert recover_state(TableState(table=1), journal.entries).state.match == match


@pytest.mark.parametrize(
    ("planned_error", "kind"),
    [(PlayerError.FORGOTTEN_FLIP, "IM-4"), (PlayerError.OVER_FLIP, "IM-5"), (PlayerError.WRONG_SQUARE, "IM-3")],
)
def test_a_challenged_error_is_corrected_and_the_game_follows_its_record(
    tmp_path: Path, planned_error: PlayerError, kind: str
) -> None:
    match = played(tmp_path, planned_error)
    assert kinds(match) == [kind]
    assert "challenge" in messages_to_players(match)
    assert tuple(move for move in match.moves if move != "--") in load_records(None)


def test_after_an_unnoticed_error_play_continues_from_the_board(tmp_path: Path) -> None:
    """K-08, K-09, IM-12."""
    match = played(tmp_path, PlayerError.UNNOTICED_FLIP)
    assert kinds(match) == ["IM-4"]
    assert "challenge" not in messages_to_players(match)
    assert match.result is not None


@pytest.mark.parametrize("planned_error", [PlayerError.FALSE_PASS, PlayerError.WRONG_CHALLENGE])
def test_a_press_without_a_move_is_a_challenge_and_an_unfounded_one_costs_nothing(
    tmp_path: Path, planned_error: PlayerError
) -> None:
    """M43-6a.3, AMB-41."""
    match = played(tmp_path, planned_error)
    assert kinds(match) == []
    assert "challenge" in messages_to_players(match)
    assert tuple(move for move in match.moves if move != "--") in load_records(None)


def test_a_call_for_the_arbiter_stops_the_clock_until_he_resumes(tmp_path: Path) -> None:
    match = played(tmp_path, PlayerError.CALL_ARBITER)
    assert "hold" in messages_to_players(match)
    assert [ruling.action for ruling in match.arbiter_log] == ["resume"]


def test_a_resumed_game_starts_from_its_last_position(tmp_path: Path) -> None:
    time_base = ScaledTableTime(SPEED)
    board = FaultySensorBoard(time_base)
    rig = TableRig(tmp_path, time_base, board.device)
    records = load_records(None)
    names = map(str, count())

    def is_held(state: TableState) -> bool:
        return state.match is not None and state.match.phase is Phase.HOLD

    def plan_for(game: Assignment) -> GamePlan:
        return replace(plan(7, game.game, 0, records), planned_error=PlayerError.CALL_ARBITER, ply=12)

    program, buttons = rig.table.program, rig.config.buttons
    hands = SimulatedPlayers(program, time_base, rig.factory, buttons, board, tmp_path / "world.json", plan_for)
    rig.order(assign("one", next(names)))
    rig.until(lambda state: state.assignment is not None and state.assignment.game == "one", "one")
    players = threading.Thread(target=hands.run)
    players.start()
    try:
        for game in ("one", "two"):
            until(lambda game=game: hands.world.game == game and is_held(rig.state))
            rig.order(Command(next(names), "withdraw", game))
            rig.order(assign("two" if game == "one" else "one", next(names)))
        rig.until(lambda state: state.returned_ns is not None and is_held(state), "it is back")
        until(lambda: hands.world.game == "one")
        assert hands.world.cells == rig.match.turn_board
    finally:
        hands.stop.set()
        players.join(HANGS_S)
        rig.close()
        board.close()


@pytest.mark.parametrize(("free_play", "end"), [(False, "time"), (True, "free-play")])
def test_a_claimed_flag_gives_the_choice_of_m43_15(tmp_path: Path, free_play: bool, end: str) -> None:
    match = played(tmp_path, PlayerError.FLAG_CLAIMED, free_play=free_play)
    assert match.result is not None
    assert match.result.end == end
    winner = match.result.winner
    assert winner is not None
    assert match.result.discs(winner) == 33 if end == "time" else match.result.discs(winner) >= 33
    assert kinds(match) == [], "moves in progress in free play are no findings"


def test_a_flag_that_nobody_claims_changes_nothing(tmp_path: Path) -> None:
    """S8, promise 3: the display reads 0:00 and the table gives no signal."""
    match = played(tmp_path, PlayerError.FLAG_UNCLAIMED)
    assert match.result is not None
    assert match.result.end == "normal"
    assert sum(match.flag(seat, match.clock.since_ns) for seat in Seat) == 1, "one flag fell"
    assert not {"choice", "flag"} & set(messages_to_players(match))


def test_a_late_reading_of_the_discs_answers_no_press(tmp_path: Path) -> None:
    """A simulated player whose press is followed by a late reading of the discs does not press again, which would
    choose the colours."""
    first = table(in_phase(Phase.SETUP, black_seat=None, board=64 * "X"), designated=False, step=SetupStep.ASK_PLAYER_A)
    late = replace(first, match=replace(first.match, board=START, revision=1))  # type: ignore[type-var]
    answered = replace(late, step=SetupStep.ASK_BLACK)
    shown = SimpleNamespace(state=first)
    pressed: list[int] = []
    button = SimpleNamespace(press=lambda release: len(pressed), release=lambda at_ns: None)

    class Looks:
        """Records what the display shows at each read."""

        to_come = iter((late, answered))

        async def sleep(self, duration_ns: int) -> None: ...

        async def change(self, seen: int, timeout_s: float) -> int:
            if (now := next(self.to_come, None)) is None:
                raise asyncio.CancelledError
            shown.state = now
            return seen + 1

        def now_s(self) -> float:
            return 0.0

    def finger(gpio: int) -> SimpleNamespace:
        pressed.append(gpio)
        return button

    chosen = replace(plan(7, "g1", 0, load_records(None)), seat_left=True, black_first=False)
    factory = SimpleNamespace(button=finger)
    hands = SimulatedPlayers(shown, ManualTime(), factory, ButtonsConfig(), None, None, lambda game: chosen, Looks())  # type: ignore[arg-type]
    hands.world.game = "g1"
    with pytest.raises(asyncio.CancelledError):
        hands.run()
    assert pressed == [ButtonsConfig().left, ButtonsConfig().right]
