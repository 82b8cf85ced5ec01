"""Tests of the transcriber's display at ChouChou: moves are tapped, the engine proposes captures and counts."""

from __future__ import annotations

from random import Random

import pytest
from tables.manual_time_table import LEFT, StillTable

from engine.chouchou.board_shapes import BoardKind
from engine.chouchou.game_options_state_and_events import Exchange, Placement
from engine.chouchou.game_records_and_rule_check import check_record, read_records
from engine.chouchou.moves import acts
from engine.match import Seat, Setup, new_match
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.table.board_sources.chouchou_game_transcriber import (
    BACK,
    BOARD,
    CELL,
    ENTER,
    MODE,
    ChouChouSheet,
    new_sheet,
    tap,
)
from kiosk.table.scene import Touch
from kiosk.table.state.free_clock_presets_settings_games import PRESETS, Club
from kiosk.table.views.chouchou_game_transcriber_view import PLACE_KEY
from kiosk.table.views.transcriber_view import transcriber_scene


def sheet(**options: object) -> ChouChouSheet:
    return new_sheet("g", new_match(Setup(rules="chouchou", black_seat=Seat.LEFT, options=options)))


def after(one: ChouChouSheet, *actions: str) -> ChouChouSheet:
    for action in actions:
        one = tap(one, action)
    return one


def cell(one: ChouChouSheet, name: str) -> str:
    return f"{CELL}{one.now.setup.shape.cell(name)}"


def test_a_turn_is_tapped_and_its_captures_are_proposed() -> None:
    """1A, 2A, 3A makes the row 1·1·1: the enemy piece of 2A is proposed and can be accepted."""
    start = sheet()
    row = after(start, *(cell(start, name) for name in ("1A", "2A", "3A")))
    assert row.now.acted and row.now.due_cells() == {1} and row.scores == (0, 0)
    taken = tap(row, ENTER)
    assert taken.scores == (1, 0) and not taken.now.acted and len(taken.now.turns) == 3
    forgotten = after(row, cell(start, "2A"), ENTER)
    assert forgotten.scores == (0, 0) and forgotten.now.turns[-1].forgotten == (1,)
    assert after(row, cell(start, "2A"), cell(start, "2A"), ENTER) == taken, "touched twice it is proposed again"
    assert after(taken, BACK).now.acted and after(taken, BACK, BACK).now == after(start, f"{CELL}0", f"{CELL}1").now


def test_movements_and_a_movement_in_consecutive_turns() -> None:
    one = after(sheet(), *(f"{CELL}{at}" for at in (0, 8, 0, 7)))
    moved = after(one, f"{MODE}two", f"{CELL}0", f"{CELL}4")
    assert moved.now.turns[-1].act is not None and moved.now.cells[4][0] == 2
    again = after(moved, f"{CELL}6", f"{MODE}exchange-1", f"{CELL}4", f"{CELL}8")
    assert again.scores == (0, 5) and not again.now.acted and again.now.seat == 0, "CC-SUP-1: he still places a piece"
    assert after(again, f"{CELL}3").now.turns[-1].void
    refused = after(sheet(), f"{MODE}two", f"{CELL}0", f"{CELL}1")
    assert refused.refusal is not None and "CC-MOV-2" in str(refused.refusal) and not refused.now.turns


def test_the_board_is_chosen_before_the_first_turn() -> None:
    assert sheet(target=15).now.setup.board is BoardKind.FOUR
    assert tap(sheet(), BOARD).now.setup.board is BoardKind.JUNIOR_SENIOR
    assert after(sheet(), f"{CELL}0", BOARD).now.setup.board is BoardKind.THREE


@pytest.mark.parametrize("options", [{}, {"players": 3}, {"players": 4, "pairs": True, "target": 15}])
@pytest.mark.parametrize("seed", range(3))
def test_whole_games_are_those_of_the_engine_and_their_record_is_read_again(
    seed: int, options: dict[str, object]
) -> None:
    chance, one = Random(seed), sheet(**options)
    for _ in range(80):
        if one.now.result is not None:
            break
        act = chance.choice(list(acts(one.now)))
        match act:
            case Placement(at, False):
                one = tap(one, f"{CELL}{at}")
            case Placement():
                continue
            case Exchange(own, enemy, color):
                one = after(one, f"{MODE}exchange-{color}", f"{CELL}{own}", f"{CELL}{enemy}")
            case _:
                one = after(one, f"{MODE}two", f"{CELL}{act.source}", f"{CELL}{act.target}")
        while one.now.acted and one.now.result is None:
            one = tap(one, ENTER)
    (record,) = read_records(one.record)
    checked = check_record(record)
    assert checked.remarks == () and checked.state.cells == one.now.cells
    assert tuple(checked.state.score(seat) for seat in checked.state.setup.seats) == one.scores
    match = new_match(Setup(rules="chouchou", black_seat=Seat.LEFT, options=options))
    assert new_sheet("g", match, one.record).now.turns == one.now.turns
    assert new_sheet("g", match, "no record").now.turns == ()


def test_the_score_board_of_the_table_follows_the_transcriber() -> None:
    table = StillTable(rules="chouchou")
    table.table.program._set_club(Club(chosen=PRESETS.index(PRESETS[-1])))
    table.presses("lr")
    if table.state.match is not None and not table.match.clock.running:
        table.press(LEFT)
    for action in (f"{CELL}0", f"{CELL}1", f"{CELL}2", ENTER):
        table.touch("transcriber", action)
    assert table.state.captures == (1, 0)
    scene = transcriber_scene(table.state, table.time.now_ns(), (1024, 600), ENGLISH)
    drawn = {item.action for panel in scene.panels for item in panel.items if isinstance(item, Touch)}
    assert {f"{CELL}{at}" for at in range(9)} | {BACK, f"{MODE}two", f"{MODE}exchange-0"} <= drawn
    assert scene.panels[0].texts("transcript")[0].startswith("①1 ②0")
    table.close()


def test_the_key_that_places_a_piece_is_no_venue() -> None:
    """English has one word for both."""
    assert render(PLACE_KEY, JAPANESE) == "置く"
