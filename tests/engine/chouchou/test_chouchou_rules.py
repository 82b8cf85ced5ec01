"""ChouChou, rule by rule (RULES.md 9 and 3.7)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.chouchou.board_shapes import SHAPES, BoardKind, lines
from engine.chouchou.errors import BadSetup, IllegalMoveEvent
from engine.chouchou.game_options_state_and_events import (
    Capturing,
    ChouChouEnd,
    ChouChouOptions,
    ChouChouResult,
    ChouChouSetup,
    ChouChouState,
    LineRule,
    NextPiece,
    Offender,
    PenaltyTo,
    Play,
    Switch,
    Take,
    TimeOver,
)
from engine.chouchou.state_machine import new_game, step
from engine.chouchou.turn_and_game_notation import parse_turn


def started(**fields: object) -> ChouChouState:
    options = ChouChouOptions(**{name: fields.pop(name) for name in list(fields) if name in ChouChouOptions.__slots__})  # type: ignore[arg-type]
    return new_game(ChouChouSetup(options=options, **fields))  # type: ignore[arg-type]


def board(state: ChouChouState, **cells: tuple[int, ...]) -> ChouChouState:
    """Return the state with these cells, named A1 (row, column) because a keyword cannot begin with a digit."""
    shape = state.setup.shape
    placed = {shape.cell(name[1] + name[0]): counts for name, counts in cells.items()}
    return replace(state, cells=tuple(placed.get(cell, (0,) * state.setup.colors) for cell in shape.cells))


def play(state: ChouChouState, text: str) -> ChouChouState:
    act = parse_turn(text, state.setup.shape).act
    assert act is not None
    return step(state, Play(act))


def turn(state: ChouChouState, text: str) -> ChouChouState:
    return step(play(state, text), Switch())


def take_all(state: ChouChouState) -> ChouChouState:
    return step(state, Take(state.due_cells()))


def due(state: ChouChouState) -> set[str]:
    return {state.setup.shape.name(cell) for cell in state.due_cells()}


def content(state: ChouChouState, name: str) -> tuple[int, ...]:
    return state.cells[state.setup.shape.cell(name)]


@pytest.mark.parametrize(("size", "count"), [(3, 8), (4, 34)])
def test_lines_against_brute_force_over_all_sets_of_cells(size: int, count: int) -> None:
    """CC-CAP-1, CC-CAP-2: a line is a set of 3 or more cells in one row, column or diagonal without a gap."""
    found = set()
    for mask in range(1 << size * size):
        if not 3 <= mask.bit_count() <= size:
            continue
        cells = [divmod(cell, size) for cell in range(size * size) if mask >> cell & 1]
        rows, columns = [row for row, _ in cells], [column for _, column in cells]
        straight = (
            len(set(rows)) == 1
            or len(set(columns)) == 1
            or len({row - column for row, column in cells}) == 1
            or len({row + column for row, column in cells}) == 1
        )
        if straight and max(max(rows) - min(rows), max(columns) - min(columns)) == len(cells) - 1:
            found.add(frozenset(cell for cell in range(size * size) if mask >> cell & 1))
    assert set(lines(size)) == found
    assert len(lines(size)) == count


def test_there_are_24_runs_of_three_and_10_of_four_on_the_umin_board() -> None:
    assert [sum(len(line) == length for line in lines(4)) for length in (3, 4)] == [24, 10]


@pytest.mark.parametrize(("name", "limit", "target"), [("3x3", 5, 10), ("j&s", 3, 10), ("4x4", 5, 15)])
def test_the_boards(name: str, limit: int, target: int) -> None:
    shape = SHAPES[BoardKind(name)]
    assert (shape.limit, shape.target) == (limit, target)


def test_cells_are_column_and_row_seen_from_the_clock() -> None:
    """CC-SUP-3: rows A, B, C from the far side, columns 1, 2, 3 from the left."""
    shape = SHAPES[BoardKind.THREE]
    assert [shape.name(cell) for cell in shape.cells] == ["1A", "2A", "3A", "1B", "2B", "3B", "1C", "2C", "3C"]


@pytest.mark.parametrize(
    "fields",
    [{"players": 1}, {"players": 5}, {"players": 3, "pairs": True}, {"first": 2}, {"target": 0}],
)
def test_a_setup_outside_the_rules_is_refused(fields: dict[str, int]) -> None:
    with pytest.raises(BadSetup):
        ChouChouSetup(**fields)  # type: ignore[arg-type]


def test_a_cell_holds_five_pieces_and_three_in_junior_and_senior() -> None:
    """CC-PUT-3: a cell holds five pieces, or three in junior and senior."""
    for name, limit in (("3x3", 5), ("j&s", 3)):
        full = board(started(board=BoardKind(name)), A1=(1, limit - 1))
        with pytest.raises(IllegalMoveEvent, match="1A is full"):
            play(full, "1A")
        assert content(play(board(full, A1=(1, limit - 2)), "1A"), "1A") == (2, limit - 2)


def test_a_turn_is_one_act_and_a_press() -> None:
    state = started()
    with pytest.raises(IllegalMoveEvent, match="a turn is a piece placed or moved"):
        step(state, Switch())
    with pytest.raises(IllegalMoveEvent, match="this turn's action is complete"):
        play(play(state, "1A"), "1B")


def test_two_pieces_move_and_use_a_movement_piece() -> None:
    """CC-MOV-1, CC-MOV-2, CC-MOV-5: two pieces move, and a movement piece is used."""
    state = play(board(started(), A1=(3, 1), C3=(0, 3)), "1A→3C②")
    assert (content(state, "1A"), content(state, "3C")) == ((1, 1), (2, 3))
    assert (state.next_zone, state.stock) == ((True, False), (8, 9))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1A→1B②", "no room for two"),
        ("1A→1A②", "another cell"),
        ("1B→1A②", "no two own pieces"),
        ("2B→1A①", "no own piece"),
        ("1A→2B①", "no such enemy piece"),
        ("1A→1A①", "two cells"),
    ],
)
def test_movements_that_are_not_possible(text: str, why: str) -> None:
    state = board(started(), A1=(2, 1), B1=(1, 3))
    with pytest.raises(IllegalMoveEvent, match=why):
        play(state, text)


def test_an_exchange_changes_no_total_and_makes_no_line() -> None:
    """CC-MOV-3, AMB-33: an exchange changes no total and completes no line."""
    state = play(board(started(), A1=(1, 0), A2=(0, 1), A3=(0, 1), C1=(0, 1)), "1A→1C①")
    assert (content(state, "1A"), content(state, "1C")) == ((0, 1), (1, 0))
    assert due(state) == set()


def test_no_movement_in_consecutive_turns_or_with_a_piece_on_next() -> None:
    """CC-MOV-4, CC-MOV-6: movement is refused after a movement, and as long as the piece is on NEXT."""
    state = turn(turn(board(started(), A1=(4, 0), C3=(0, 1)), "1A→2B②"), "3A")
    later = turn(turn(state, "3B+"), "3A")
    assert later.next_zone == (True, False)
    assert not later.may_move(0)
    used = turn(turn(state, "3B"), "3A")
    assert used.next_zone == (False, False)
    assert used.may_move(0)


def test_the_next_piece_may_be_made_compulsory() -> None:
    """AMB-34: an option makes playing the piece on NEXT compulsory."""
    state = turn(turn(board(started(next_piece=NextPiece.COMPULSORY), A1=(4, 0)), "1A→2B②"), "3A")
    with pytest.raises(IllegalMoveEvent, match="NEXT must be placed"):
        play(state, "3B+")
    assert play(state, "3B").next_zone == (False, False)


def test_there_are_nine_movements() -> None:
    """CC-MOV-5: a tenth movement is refused."""
    state = replace(board(started(), A1=(4, 0)), stock=(0, 9))
    with pytest.raises(IllegalMoveEvent, match="all 9 movements are used"):
        play(state, "1A→2B②")


def test_a_line_of_equal_totals_captures_its_enemy_pieces() -> None:
    """CC-CAP-1: own and enemy pieces count for the total; the enemy's are captured."""
    state = play(board(started(), A1=(0, 2), A2=(1, 1), A3=(1, 0)), "3A")
    assert due(state) == {"1A", "2A"}
    state = take_all(state)
    assert [content(state, name) for name in ("1A", "2A", "3A")] == [(0, 0), (1, 0), (2, 0)]
    assert state.captured[0] == (0, 3)


def test_a_run_of_four_counts_as_one_line() -> None:
    """CC-CAP-2: the far end is captured although the run of three there has no changed cell."""
    state = play(board(started(board=BoardKind.FOUR), A1=(0, 2), A2=(0, 3), A3=(0, 3), A4=(0, 3)), "1A")
    assert due(state) == {"1A", "2A", "3A", "4A"}


def test_lines_completed_at_once_are_taken_together() -> None:
    """CC-CAP-3: lines completed by one act are captured together."""
    state = play(board(started(), A2=(0, 1), A3=(0, 1), B1=(0, 1), C1=(0, 1)), "1A")
    assert due(state) == {"2A", "3A", "1B", "1C"}
    assert take_all(state).captured[0] == (0, 4)


def test_a_chain_is_taken_after_the_first_capture() -> None:
    """CC-CAP-4: 2A falls from 2 to 1 and completes column 2."""
    state = play(board(started(), A1=(0, 2), A2=(1, 1), A3=(1, 0), B2=(0, 1), C2=(0, 1)), "3A")
    assert due(state) == {"1A", "2A"}
    state = take_all(state)
    assert due(state) == {"2B", "2C"}
    assert take_all(state).captured[0] == (0, 5)


def test_a_chain_is_judged_after_the_whole_simultaneous_capture() -> None:
    """CC-CAP-5: column 2 would be 1-1-1 with only the row captured, but not with both lines captured."""
    cells = {"A1": (1, 0), "A2": (1, 1), "A3": (0, 2), "B1": (0, 2), "C1": (0, 2), "B2": (0, 1), "C2": (0, 1)}
    state = play(board(started(), **cells), "1A")
    assert due(state) == {"2A", "3A", "1B", "1C"}
    row = step(state, Take(frozenset({1, 2})))
    assert due(row) == {"1B", "1C"}
    assert due(take_all(row)) == {"2B", "2C"}


def test_captures_not_taken_before_the_press_are_lost() -> None:
    """CC-CAP-7, AMB-36: a press ends the right to capture."""
    state = play(board(started(), A2=(0, 1), A3=(0, 1), B1=(0, 1), C1=(0, 1)), "1A")
    state = step(step(state, Take(frozenset({1, 2}))), Switch())
    assert (state.captured[0], state.turns[-1].forgotten) == ((0, 2), (3, 6))
    with pytest.raises(IllegalMoveEvent, match="only the enemy pieces of a line"):
        step(play(state, "3C"), Take(frozenset({3})))


def test_captures_may_be_compulsory_or_automatic() -> None:
    """AMB-36: options make captures compulsory or automatic."""
    cells = {"A2": (0, 1), "A3": (0, 1)}
    with pytest.raises(IllegalMoveEvent, match="to be taken first, in 2A 3A"):
        turn(board(started(capturing=Capturing.COMPULSORY), **cells), "1A")
    assert turn(board(started(capturing=Capturing.AUTOMATIC), **cells), "1A").captured[0] == (0, 2)


def test_a_line_that_existed_before_captures_only_if_old_lines_count() -> None:
    """AMB-33: after an exchange the row is mixed, but no total has changed."""
    cells = {"A1": (0, 1), "A2": (0, 1), "A3": (0, 1), "C3": (1, 0)}
    assert due(play(board(started(), **cells), "2C")) == set()
    standing = board(started(line_rule=LineRule.STANDING), **cells)
    assert due(play(standing, "2C")) == {"1A", "2A", "3A"}


def test_ten_captures_win_and_the_surplus_counts() -> None:
    """CC-WIN-1, CC-WIN-3, CC-RANK-7: the target of ten wins, and pieces above it are the plus."""
    state = replace(board(started(), A2=(0, 3), A3=(2, 1), A1=(2, 0)), captured=((0, 8), (7, 0)))
    state = take_all(play(state, "1A"))
    assert state.result == ChouChouResult(0, ChouChouEnd.TARGET)
    assert [state.score(seat) for seat in state.setup.seats] == [12, 7]
    with pytest.raises(IllegalMoveEvent, match="the game is over"):
        step(state, Switch())


def test_the_target_counts_when_the_capture_ends() -> None:
    state = replace(board(started(), A2=(0, 1), A3=(0, 1), B1=(0, 1), C1=(0, 1)), captured=((0, 8), (0, 0)))
    state = step(play(state, "1A"), Take(frozenset({1, 2})))
    assert state.result is None
    assert take_all(state).score(0) == 12
    ended = step(state, Switch())
    assert (ended.result, ended.score(0)) == (ChouChouResult(0, ChouChouEnd.TARGET), 10)


def offence(**fields: object) -> ChouChouState:
    """Return the state in which the first player, at seat 0, has moved pieces in two consecutive turns."""
    state = started(first=0, **fields)
    colors = state.setup.colors
    state = turn(board(state, A1=(5,) + (0,) * (colors - 1)), "1A→2B②")
    for name in ("2A", "3A", "3B", "3C")[: state.setup.players - 1]:
        state = turn(state, name)
    return play(state, "2B→1A②")


@pytest.mark.parametrize(
    ("fields", "penalty"),
    [
        ({"players": 2}, (0, 5)),
        ({"players": 3}, (0, 4, 4)),
        ({"players": 4}, (0, 3, 3, 3)),
        ({"players": 4, "pairs": True}, (0, 3, 0, 3)),
        ({"players": 3, "penalty_to": PenaltyTo.DIVIDED}, (0, 2, 2)),
        ({"players": 4, "penalty_to": PenaltyTo.DIVIDED}, (0, 1, 1, 1)),
    ],
)
def test_movement_in_consecutive_turns_is_void_and_gives_the_opponents_pieces(
    fields: dict[str, object], penalty: tuple[int, ...]
) -> None:
    """CC-SUP-1, CC-SUP-1a, AMB-35: the movement is void and the opponents receive pieces."""
    state = offence(**fields)
    assert state.penalty == penalty
    assert (content(state, "1A")[0], content(state, "2B")[0]) == (3, 2)
    assert not state.acted
    assert not play(state, "1B").next_zone[0]


def test_the_turn_of_an_offender_may_end() -> None:
    """AMB-35: an option ends the offender's turn."""
    assert offence(offender=Offender.TURN_ENDS).acted


def test_penalty_pieces_can_win_first_opponent_in_turn_order() -> None:
    """AMB-35: penalty pieces can reach the target, for the first opponent in turn order, unless the option says no."""
    assert offence(players=3, target=4).result == ChouChouResult(1, ChouChouEnd.PENALTY)
    assert offence(players=3, target=4, penalty_wins=False).result is None


def test_penalty_pieces_that_cannot_win_wait_for_a_capture() -> None:
    """AMB-35: where penalty pieces cannot win, they count once the player captures."""
    state = replace(board(started(penalty_wins=False), A1=(0, 1), A2=(0, 1)), penalty=(10, 0))
    assert turn(state, "3C").result is None
    assert take_all(play(state, "3A")).result == ChouChouResult(0, ChouChouEnd.TARGET)


def test_partners_share_a_colour_but_not_the_target() -> None:
    """CC-BRD-3, CC-WIN-4, CC-SEAT-3, CC-RANK-6: partners of one colour each have their own target."""
    state = started(players=4, pairs=True, board=BoardKind.FOUR)
    assert state.seat == 1
    state = replace(board(state, A1=(1, 0), A2=(1, 0)), captured=((0, 14), (13, 0), (0, 14), (2, 0)))
    state = take_all(play(state, "3A"))
    assert state.result == ChouChouResult(1, ChouChouEnd.TARGET)


def test_of_three_players_the_others_continue_after_a_loss_on_time() -> None:
    """CC-WIN-5: who exceeds the time is out, and the last one left wins."""
    state = step(started(players=3), TimeOver())
    assert (state.seat, state.out) == (1, {0})
    over = step(state, TimeOver())
    assert over.result == ChouChouResult(2, ChouChouEnd.TIME)
    with pytest.raises(IllegalMoveEvent, match="the game is over"):
        step(over, Switch())


def test_reaching_the_target_wins_before_a_later_loss_on_time() -> None:
    state = replace(board(started(), A2=(0, 1), A3=(0, 1), B1=(0, 1), C1=(0, 1)), captured=((0, 9), (0, 0)))
    state = step(play(state, "1A"), Take(frozenset({1})))
    assert step(state, TimeOver()).result == ChouChouResult(0, ChouChouEnd.TARGET)


def test_a_player_without_a_legal_act_passes() -> None:
    full = replace(started(), cells=((5, 0),) * 9, stock=(0, 0))
    assert step(full, Switch()).seat == 1


def test_an_exchange_must_name_the_colour_where_several_are_in_a_cell() -> None:
    state = board(started(players=3), A1=(1, 0, 0), A2=(0, 1, 1))
    with pytest.raises(IllegalMoveEvent, match="say whose"):
        play(state, "1A→2A①")
    assert content(play(state, "1A→2A①/3"), "2A") == (1, 1, 0)
