"""Tests of position evaluation: exact by the project's solver, otherwise by a program that may hang, die or answer
invalidly; never for a board that spectators may not see yet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from heads.world import PlayedTable, running_head
from waiting import until

from engine.board.endgame_solver import solve
from engine.board.ggf import read_ggf
from engine.board.position import Position
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.spectator_visibility import Boards, VisibilityRules
from kiosk.head.head_config import Analysis
from kiosk.head.program import HeadApplication
from kiosk.head.tables.live_game_json_and_document_cache import PositionEvaluation
from kiosk.head.tables.nboard_engine_client import NBoard
from kiosk.head.tables.position_evaluation import OWN, Evaluator
from kiosk.head.tables.public_and_arbiter_table_cards import public_cards

#: an NBoard program that logs the requested boards; its first argument selects its behaviour
TWIN = """
import os, sys, time
manner, heard = sys.argv[1], open(sys.argv[2], "a", buffering=1)
for line in sys.stdin:
    heard.write(line)
    command, _, rest = line.strip().partition(" ")
    if command == "nboard":
        print("set myname Twin 1.0")
    elif command == "hint" and manner == "dies":  # its output ends before its input, as with every program
        sys.stdout.close()
        os.close(1)
        heard.writelines(sys.stdin)
        os._exit(1)
    elif command == "hint" and manner == "hangs":
        time.sleep(600)
    elif command == "hint" and manner == "nonsense":
        print("search ? worth 0 1\\nsearch\\n\\x00\\nsearch f5 999 0 1\\nnodestats 1 1")
    elif command == "hint":
        print("status thinking\\nsearch f5 -1.00 0 1\\nsearch f5 2.50 0 9\\nnodestats 1 1")
    elif command == "ping":
        print("pong", rest)
    sys.stdout.flush()
"""


@pytest.fixture
def twin(tmp_path: Path) -> Path:
    file = tmp_path / "twin.py"
    file.write_text(TWIN)
    return file


def command(twin: Path, manner: str) -> list[str]:
    return [sys.executable, str(twin), manner, str(twin.with_suffix(".heard"))]


def asked(twin: Path) -> list[str]:
    """Return the boards of the program's log."""
    lines = twin.with_suffix(".heard").read_text().splitlines() if twin.with_suffix(".heard").exists() else []
    games = [next(read_ggf(line.removeprefix("set game "))) for line in lines if line.startswith("set game ")]
    return [game.start.cells() for game in games]


def late(empties: int) -> Position:
    """Return a board of a game with so many empty squares left."""
    position = Position.start()
    while position.empty.bit_count() > empties:
        legal = position.legal_moves()
        position = position.play((legal & -legal).bit_length() - 1) if legal else position.pass_turn()
    return position


def test_the_project_s_program_gives_exact_values_or_none() -> None:
    own = NBoard(OWN, think_s=60, pong_s=60)
    try:
        for empties in (6, 7):
            assert own.value(late(empties)) == solve(late(empties)).score
        assert own.value(Position.start()) is None and own.name == "kiosk"
    finally:
        own.close()


def test_a_programs_last_value_counts(twin: Path) -> None:
    one = NBoard(command(twin, "answers"), think_s=60, pong_s=60)
    try:
        assert one.value(Position.start()) == 2.5 and one.name == "Twin 1.0"
        assert asked(twin) == [Position.start().cells()]
    finally:
        one.close()


@pytest.mark.parametrize("manner", ["dies", "nonsense", "hangs"])
def test_a_failed_program_is_restarted_for_the_next_position(twin: Path, manner: str) -> None:
    wait_s = 0.05 if manner == "hangs" else 60
    one = NBoard(command(twin, manner), think_s=wait_s, pong_s=wait_s, pause_s=0)
    try:
        assert [one.value(Position.start()) for _ in range(2)] == [None, None]
        if manner == "dies":  # its end is noticed without a timeout
            assert "ping" not in twin.with_suffix(".heard").read_text()
        if manner == "hangs":
            assert one._process is None, "it was ended"
        else:
            assert len(asked(twin)) == 2
    finally:
        one.close()
    assert one.value(Position.start()) is None  # a closed evaluator starts no process


def test_a_missing_program_is_logged(tmp_path: Path) -> None:
    assert NBoard([str(tmp_path / "edax")]).value(Position.start()) is None


Hall = tuple[HeadApplication, PlayedTable]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with running_head(tmp_path / "head", auto=True) as (program, _):
        until(lambda: any(game.table for game in program.desk.state.current))
        table = PlayedTable(1, program.devices.collection)
        table.play(9)
        yield program, table


def test_only_visible_boards_are_evaluated_and_none_without_a_delay(hall: Hall, twin: Path) -> None:
    """Promise 3: without a delay nothing is evaluated; with a delay of moves, the evaluated board is the shown one."""
    program, table = hall
    worths = Evaluator(Analysis(command(twin, "answers"), think_s=60), own=command(twin, "answers"))
    try:

        def shown_worths() -> object:
            return next(worths(card) for card in public_cards(program.desk, program.live) if card.number == 1)

        for rule in (
            VisibilityRules(worth=True),
            VisibilityRules(Boards.FINISHED, worth=True),
            VisibilityRules(Boards.DELAYED, 4),
        ):
            program.desk.divisions.change(DivisionChanged("main", spectators=rule))
            assert shown_worths() is None
        assert asked(twin) == []
        rule = VisibilityRules(Boards.DELAYED, 4, worth=True)
        program.desk.divisions.change(DivisionChanged("main", spectators=rule))
        until(shown_worths)
        shown = table.match.turns[4]
        assert asked(twin) == [shown.after]
        black = -2.5 if shown.by.value == "black" else 2.5
        assert shown_worths() == PositionEvaluation(black=black, exact=False, by="Twin 1.0")
    finally:
        worths.close()
