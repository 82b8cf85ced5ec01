"""Tests of one real table under noise of every kind: it never crashes, and its journal always equals the game."""

from __future__ import annotations

import random
import time
from pathlib import Path

from devices.faulty_pins import WORN_SWITCH_NS
from devices.faulty_sensor_board import FaultySensorBoard
from tables.rig import ARBITER, LEFT, RIGHT, TableRig

from engine.board.position import Position
from hardware.real_and_simulated_time import ScaledTime
from kiosk.link.link_messages import Command
from kiosk.table.game.journaled_state_changes_and_recovery import recover_state
from kiosk.table.journal.segment_files_and_recovery import recover
from kiosk.table.loop.button_processing_and_inbox import CardAcknowledged, LinkChanged
from kiosk.table.state import TableState

START = Position.start().cells()
MS = 1_000_000
ORDERS: tuple[dict[str, object], ...] = (
    {"action": "resume", "reason": "go on"},
    {"action": "set_time", "black_s": 600, "white_s": 1, "reason": "mended"},
    {"action": "deduct", "from": "white", "seconds": 30, "reason": "unfair"},
    {"action": "forfeit", "loser": "black", "reason": "left"},
    {"action": "result", "winner": "white", "black_discs": 20, "white_discs": 44, "reason": "ruling"},
    {"action": "late_start", "absent": "left", "reason": "late"},
    {"action": "unrated", "reason": "exhibition"},
    {"action": "nonsense"},
    {"action": "set_time", "black_s": "x"},
)


def disturb(dice: random.Random, rig: TableRig, board: FaultySensorBoard, number: int) -> None:
    """Do one random disturbance of a hall."""
    running = rig.match.clock.running
    likely = (LEFT, RIGHT) if running is None else ({"left": LEFT, "right": RIGHT}[running],)
    button = rig.factory.button(dice.choice((*likely, *likely, *likely, LEFT, RIGHT, ARBITER)))
    match dice.randrange(12):
        case 0 | 1 | 2 | 3:
            button.press(hold_ns=dice.choice((40, 150, 1_200)) * MS, bounce_ns=dice.choice(((), WORN_SWITCH_NS)))
        case 4:
            button.spike(width_ns=dice.randrange(50_000, 1_500_000))
        case 5:
            button.press(release=False)
            rig.factory.button(LEFT).press(hold_ns=1_300 * MS)
            button.release()
        case 6:
            board.set("".join(dice.choice("XO-") if dice.random() < 0.05 else cell for cell in START))
        case 7:
            cells = board_cells(rig)
            position = Position.from_cells(cells, rig.match.to_move)
            legal = position.geometry.names(position.legal_moves())
            if legal:
                board.set(position.play(position.geometry.square(dice.choice(legal))).cells())
        case 8:
            board.faults.missing = set(dice.sample(range(64), dice.randrange(3)))
            board.faults.corrupted = dice.choice((0.0, 0.02))
        case 9:
            rig.order(Command(f"c{number}", "arbiter", body=dice.choice(ORDERS)))
        case 10:
            kind, game = dice.choice((("hold", None), ("hold", "g0"), ("withdraw", "g0"), ("assign", None)))
            rig.order(Command(f"h{number}", kind, game=game))
        case _:
            rig.table.program.inbox.put(dice.choice((LinkChanged(True), LinkChanged(False), CardAcknowledged(number))))


def board_cells(rig: TableRig) -> str:
    match = rig.state.match
    return START if match is None or match.turn_board is None else match.turn_board


def test_a_disturbed_table_continues_and_its_journal_equals_the_game(tmp_path: Path) -> None:
    seed = 1
    dice = random.Random(seed)
    time_base = ScaledTime(40)
    board = FaultySensorBoard(time_base, seed=seed)
    board.set(START)
    revisions = 0
    for start in range(3):  # a power cut in between, as the program sees it
        rig = TableRig(tmp_path, time_base, board.device)
        try:
            for number in range(80):
                if rig.state.match is not None:
                    disturb(dice, rig, board, 1000 * start + number)
                    time.sleep(dice.choice((0.0, 0.002, 0.01)))
                else:
                    rig.table.program.inbox.put(LinkChanged(True))
            rig.until(lambda state: state.saved, "everything is saved")
            time.sleep(0.1)
            rig.until(lambda state: state.saved, "everything is saved")
        finally:
            rig.close()
        journal = recover(tmp_path / "journal")
        rebuilt = recover_state(TableState(table=1), journal.entries).state
        assert journal.cuts == []
        assert rebuilt.match == rig.state.match
        assert rebuilt.assignment == rig.state.assignment
        revisions += 0 if rig.state.match is None else rig.state.match.revision
    assert revisions > 20, "something happened"
    board.close()
