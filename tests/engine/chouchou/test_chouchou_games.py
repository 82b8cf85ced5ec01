"""Random games of ChouChou: comparison with a brute-force oracle, conservation of pieces, replay from notation."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.chouchou import game_records_and_rule_check
from engine.chouchou.board_shapes import SHAPES, BoardKind
from engine.chouchou.errors import BadNotation, IllegalMoveEvent
from engine.chouchou.game_options_state_and_events import (
    MOVEMENTS,
    Capturing,
    ChouChouEnd,
    ChouChouOptions,
    ChouChouResult,
    ChouChouSetup,
    ChouChouState,
    ChouChouTurn,
    Event,
    Exchange,
    LineRule,
    NextPiece,
    Offender,
    Placement,
    Play,
    Switch,
    Take,
    TimeOver,
    TwoPieces,
)
from engine.chouchou.game_records_and_rule_check import read_records, setup_of
from engine.chouchou.moves import acts
from engine.chouchou.state_machine import new_game, step
from engine.chouchou.turn_and_game_notation import format_game, format_turn, parse_game, parse_turn, replay

CELLS = st.integers(0, 8)
OPTIONS = st.builds(
    ChouChouOptions,
    line_rule=st.sampled_from(LineRule),
    next_piece=st.sampled_from(NextPiece),
    offender=st.sampled_from(Offender),
    capturing=st.sampled_from([Capturing.FORGOTTEN, Capturing.AUTOMATIC]),
)
SETUPS = st.one_of(
    st.builds(ChouChouSetup, board=st.sampled_from(BoardKind), players=st.integers(2, 4), options=OPTIONS),
    st.builds(
        ChouChouSetup, board=st.sampled_from(BoardKind), players=st.just(4), pairs=st.just(True), options=OPTIONS
    ),
)
CHOICES = st.lists(st.integers(0, 1_000_000), max_size=60)


def oracle(state: ChouChouState, changed: set[int]) -> tuple[list[list[int]], int]:
    """Return the cells after all captures by RULES.md 9.4 on a plain grid, and the number of pieces captured."""
    size, color = state.setup.shape.size, state.color
    cells = [list(cell) for cell in state.cells]
    got = 0
    while True:
        victims: set[int] = set()
        for row, column, (down, right), length in product(
            range(size), range(size), ((0, 1), (1, 0), (1, 1), (1, -1)), range(3, size + 1)
        ):
            run = [(row + down * i, column + right * i) for i in range(length)]
            if not all(0 <= r < size and 0 <= c < size for r, c in run):
                continue
            line = [r * size + c for r, c in run]
            totals = {sum(cells[cell]) for cell in line}
            counts = state.setup.options.line_rule is LineRule.STANDING or set(line) & changed
            if len(totals) == 1 and totals != {0} and counts:
                victims |= {cell for cell in line if sum(cells[cell]) > cells[cell][color]}
        if not victims:
            return cells, got
        for cell in victims:
            got += sum(cells[cell]) - cells[cell][color]
            cells[cell] = [count if each == color else 0 for each, count in enumerate(cells[cell])]
        changed = victims


def random_game(setup: ChouChouSetup, choices: list[int]) -> tuple[ChouChouState, list[Event]]:
    """Return a game of random acts, some of them offences; some captures are forgotten."""
    state, events = new_game(setup), list[Event]()

    def happen(event: Event) -> None:
        nonlocal state
        state = step(state, event)
        events.append(event)

    for choice in choices:
        possible = list(acts(state))
        if possible:
            if choice % 7 == 0 and state.next_zone[state.seat] and choice % 2:
                own = [cell for cell in setup.shape.cells if state.cells[cell][state.color] > 1]
                targets = [cell for cell in setup.shape.cells if state.total(cell) + 2 <= setup.shape.limit]
                if own and targets and own[0] != targets[-1]:
                    happen(Play(TwoPieces(own[0], targets[-1])))
            if state.result is None and not state.acted:
                happen(Play(possible[choice % len(possible)]))
        while state.result is None and (cells := sorted(state.due_cells())):
            if choice % 5 == 0:
                break
            happen(Take(frozenset(cells[: 1 + choice % len(cells)])))
        if state.result is not None:
            break
        happen(Switch())
    return state, events


@pytest.mark.slow
@given(SETUPS, CHOICES)
def test_captures_agree_with_the_oracle(setup: ChouChouSetup, choices: list[int]) -> None:
    state = new_game(setup)
    for choice in choices:
        possible = list(acts(state))
        if state.result is not None or not possible:
            break
        act = possible[choice % len(possible)]
        before = sum(map(sum, state.captured))
        state_after = step(state, Play(act))
        if setup.options.capturing is Capturing.FORGOTTEN:
            match act:
                case Placement(cell):
                    changed = {cell}
                case TwoPieces(source, target):
                    changed = {source, target}
                case Exchange():
                    changed = set()
            cells, got = oracle(state_after, changed)
            while state_after.result is None and (due := state_after.due_cells()):
                state_after = step(state_after, Take(due))
            assert [list(cell) for cell in state_after.cells] == cells
            assert sum(map(sum, state_after.captured)) - before == got
        state = state_after if state_after.result is not None else step(state_after, Switch())


@pytest.mark.slow
@given(SETUPS, CHOICES)
def test_pieces_are_conserved(setup: ChouChouSetup, choices: list[int]) -> None:
    """The pieces of a colour drawn from supply and movement stock equal those on NEXT, on the board and captured.

    A cell never exceeds its limit.
    """
    state, _ = random_game(setup, choices)
    drawn = [0] * setup.colors
    zone = [False] * setup.players
    for turn in state.turns:
        match turn.act:
            case Placement(_, from_supply):
                drawn[setup.color_of(turn.seat)] += from_supply or not zone[turn.seat]
                zone[turn.seat] = zone[turn.seat] and from_supply
            case TwoPieces() | Exchange():
                zone[turn.seat] = True
    for color in range(setup.colors):
        seats = [seat for seat in setup.seats if setup.color_of(seat) == color]
        used = sum(MOVEMENTS - state.stock[seat] for seat in seats)
        on_next = sum(state.next_zone[seat] for seat in seats)
        board = sum(cell[color] for cell in state.cells)
        captured = sum(each[color] for each in state.captured)
        assert drawn[color] + used == on_next + board + captured
    assert all(sum(cell) <= setup.shape.limit and min(cell) >= 0 for cell in state.cells)
    assert sum(turn.taken for turn in state.turns) == sum(map(sum, state.captured))
    assert all(captured[setup.color_of(seat)] == 0 for seat, captured in enumerate(state.captured))


@pytest.mark.slow
@given(SETUPS, CHOICES, st.booleans())
def test_a_written_game_replays_to_the_same_game(setup: ChouChouSetup, choices: list[int], ascii_only: bool) -> None:
    state, _ = random_game(setup, choices)
    text = format_game(state.turns, setup.shape, ascii_only)
    assert text.isascii() or not ascii_only
    again = replay(setup, parse_game(text, setup.shape))
    assert again == state


@pytest.mark.slow
@given(SETUPS, CHOICES, CHOICES)
def test_exactly_the_listed_acts_are_legal(setup: ChouChouSetup, choices: list[int], more: list[int]) -> None:
    state, _ = random_game(setup, choices)
    if state.result is not None:
        return
    legal = set(acts(state))
    cells = list(setup.shape.cells)
    for choice in more:
        one, two = cells[choice % len(cells)], cells[choice // 100 % len(cells)]
        for act in (Placement(one), TwoPieces(one, two)):
            try:
                after = step(state, Play(act))
            except IllegalMoveEvent:
                assert act not in legal
            else:
                assert act in legal or after.turn.void
    with pytest.raises(IllegalMoveEvent):
        step(state, Take(frozenset({0})))


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("3B", Placement(5)),
        ("3C→1A②", TwoPieces(8, 0)),
        ("2B→3A①", Exchange(4, 2)),
        ("3b", Placement(5)),
        ("3C->1A(2)", TwoPieces(8, 0)),
        ("2B>3A1/3", Exchange(4, 2, 2)),
        ("３Ｃ→１Ａ②", TwoPieces(8, 0)),
        ("3B+", Placement(5, from_supply=True)),
        ("--", None),
    ],
)
def test_notation_of_acts(text: str, act: object) -> None:
    """CC-SUP-3: acts are written in the official notation and in plain ASCII."""
    assert parse_turn(text, SHAPES[BoardKind.THREE]).act == act


TURNS = st.builds(
    ChouChouTurn,
    st.just(0),
    st.one_of(
        st.none(),
        st.builds(Placement, CELLS, st.booleans()),
        st.builds(TwoPieces, CELLS, CELLS),
        st.builds(Exchange, CELLS, CELLS, st.none() | st.integers(0, 3)),
    ),
    st.lists(st.builds(TwoPieces, CELLS, CELLS) | st.builds(Exchange, CELLS, CELLS), max_size=2).map(tuple),
    st.just(0),
    st.sets(CELLS).map(sorted).map(tuple),
    st.booleans(),
)


@given(TURNS, st.booleans())
def test_format_and_parse_are_inverse(turn: ChouChouTurn, ascii_only: bool) -> None:
    shape = SHAPES[BoardKind.THREE]
    assert parse_turn(format_turn(turn, shape, ascii_only), shape) == turn


@given(st.text(alphabet="1234ABCDx×→>-①②()/+! ", max_size=14) | st.text(max_size=8))
def test_arbitrary_text_is_read_or_refused(text: str) -> None:
    shape = SHAPES[BoardKind.THREE]
    try:
        turn = parse_turn(text, shape)
    except BadNotation:
        return
    assert parse_turn(format_turn(turn, shape), shape) == turn


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 2: .*not an act"),
        ("4A", "'4A' is not a cell of this board; cells run from 1A to 3C"),
        ("3C→1A②/2", "belongs to an exchange"),
        ("3B?", r"character 3: '\?' is not the end of the turn"),
        ("×3B", "not a movement that was taken back"),
    ],
)
def test_a_broken_record_names_line_and_character(text: str, why: str) -> None:
    with pytest.raises(BadNotation, match=f"{why}"):
        parse_game(f"1. 3B\n2. {text or '?'}\n", SHAPES[BoardKind.THREE])


def test_a_long_turn_is_repeated_in_part() -> None:
    """A file of other content may be one line of many megabytes."""
    with pytest.raises(BadNotation, match=r"^line 1: '\?{100}', character 1:"):
        parse_game("?" * 100_000, SHAPES[BoardKind.THREE])


def test_a_fault_names_its_line_in_a_file_of_many_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each game is parsed alone, so that a file of thousands takes no time that grows with the square of its length."""
    lengths = list[int]()

    def parse(text: str, *more: Any) -> list[ChouChouTurn]:
        lengths.append(len(text))
        return parse_game(text, *more)

    monkeypatch.setattr(game_records_and_rule_check, "parse_game", parse)
    text = "1. 3B\n\n" * 1000 + "1. 3B\n2. ?\n"
    with pytest.raises(BadNotation, match="line 2002: "):
        list(read_records(text))
    assert len(lengths) == 1001 and max(lengths) <= len("1. 3B\n2. ?\n")


def test_a_set_up_that_a_record_cannot_have_is_refused() -> None:
    cases = {("5x5",): "board is '5x5'", ("3x3", "5"): "players is '5'", ("3x3", "2", "0"): "first is '0'",
             ("3x3", "2", "1", "100"): "target is '100'", ("3x3", "2", None, "x"): "target is 'x'",
             ("3x3", "2", "1" * 5000): "first is '1{40}';"}  # fmt: skip
    for fields, why in cases.items():
        with pytest.raises(BadNotation, match=why):
            setup_of(*fields)


def test_a_game_with_a_loss_on_time_replays() -> None:
    """CC-WIN-5: the others play on; of two players the other has won."""
    setup = ChouChouSetup(players=3)
    state = step(step(step(step(new_game(setup), Play(Placement(4))), TimeOver()), Play(Placement(0))), Switch())
    assert format_game(state.turns, setup.shape) == "1. 2B!\n2. 1A\n"
    assert replay(setup, parse_game("1. 2B!\n2. 1A\n", setup.shape)) == state
    assert replay(ChouChouSetup(), parse_game("2B!", setup.shape)).result == ChouChouResult(1, ChouChouEnd.TIME)
