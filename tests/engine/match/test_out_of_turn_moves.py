"""Tests of board changes by somebody other than the player who pressed: they are attributed to the right player."""

from __future__ import annotations

import pytest
from matches import games
from matches.steps import B, S, W, after, illegal, played, pressed, read, started

from engine.board.board_geometry import scan
from engine.board.position import Position
from engine.board.variants import VARIANTS
from engine.match import MatchState, Phase
from engine.match.model import TurnKind
from engine.match.out_of_turn_moves import first_of_two

F5 = games.after("f5")
#: after f5 Black moves again: d3 is legal for him there
SECOND = Position.from_cells(F5, B).play(Position.from_cells(F5, B).geometry.square("d3")).cells()
FORGOTTEN = games.changed(games.after("f5d6"), d5="X")


def filed(state: MatchState) -> list[tuple[int, str, str]]:
    return [(found.ply, str(found.by), found.kind) for found in state.findings]


def moved_again() -> MatchState:
    return after(pressed(started(), B, 10, F5), read(12, SECOND))


def test_a_move_out_of_turn_is_its_makers_and_the_others_press_is_the_challenge_of_it() -> None:
    state = pressed(moved_again(), W, 15, SECOND)
    assert (state.phase, state.side, state.running()) == (Phase.CORR, B, B)
    assert filed(state) == [(2, "black", "IM-2")]
    assert [turn.kind for turn in state.turns] == [TurnKind.MOVE]
    named = after(state, illegal(W, 16, "IM-2"))
    assert named.notice is not None and named.notice.kind == "challenge-confirmed"
    back = pressed(after(named, read(18, F5)), B, 20, F5)
    assert (back.phase, back.side, back.transcript) == (Phase.TURN, W, "f5")
    assert pressed(back, W, 30, games.after("f5d6")).transcript == "f5d6"


def test_his_claim_of_it_is_taken_though_the_board_was_touched() -> None:
    state = after(moved_again(), illegal(W, 15, "IM-2"))
    assert (state.phase, state.side) == (Phase.CORR, B)
    assert state.notice is not None and state.notice.kind == "challenge-confirmed"
    assert filed(state) == [(2, "black", "IM-2")]
    denied = after(moved_again(), illegal(W, 15, "IM-3"))
    assert denied.notice is not None and denied.notice.kind == "challenge-denied"


def test_a_disc_put_right_after_the_press_is_not_the_opponents_doing() -> None:
    state = pressed(pressed(started(), B, 10, F5), W, 20, FORGOTTEN)
    assert filed(state) == [(2, "white", "IM-4")]
    state = pressed(state, B, 30, games.after("f5d6c3"))
    assert filed(state) == [(2, "white", "IM-4")]
    assert (state.transcript, state.turns[-1].kind, state.phase) == ("f5d6c3", TurnKind.MOVE, Phase.TURN)


def test_what_was_left_wrong_and_moved_upon_stands() -> None:
    """IM-12, K-09: nobody put it right, so the opponent's move is judged from the board as it was."""
    state = pressed(pressed(started(), B, 10, F5), W, 20, FORGOTTEN)
    on = Position.from_cells(FORGOTTEN, B)
    square = on.geometry.names(on.legal_moves())[0]
    state = pressed(state, B, 30, on.play(on.geometry.square(square)).cells())
    assert filed(state) == [(2, "white", "IM-4")]
    assert (state.turns[-1].before, state.turns[-1].kind) == (FORGOTTEN, TurnKind.MOVE)


@pytest.mark.parametrize("replied", [True, False])
def test_a_forced_pass_without_a_press_accuses_nobody_and_the_record_is_whole(replied: bool) -> None:
    moves = [games.PASSES[at : at + 2] for at in range(0, len(games.PASSES), 2)]
    ply = moves.index("--")
    state = played("".join(moves[:ply]))
    passer, whole = state.to_move, "".join(moves[: ply + 2 + replied])
    board = games.after(whole)
    at_s = state.clock.since_ns // S + 10
    state = pressed(state, passer, at_s, board)
    assert (state.findings, state.transcript) == ((), whole)
    if replied:
        assert (state.phase, state.side) == (Phase.CHECK, passer), "it was the last move of the game"
    else:
        assert (state.phase, state.side) == (Phase.TURN, passer.opponent)
        state = pressed(state, passer.opponent, at_s + 5, board)
        assert (state.findings, state.transcript, state.side) == ((), whole, passer)


def test_a_begun_move_is_known_on_a_board_without_corners() -> None:
    """The opponent's disc is laid and has turned nothing yet."""
    before = Position.from_cells(VARIANTS["nip-octagon"].start, B, "nip-octagon")
    first = before.play(scan(before.legal_moves())[0])
    square = scan(first.legal_moves())[0]
    at = first.geometry.squares.index(square)
    cells = first.cells()[:at] + first.to_move.symbol + first.cells()[at + 1 :]
    found = first_of_two(before, cells)
    assert found is not None and found[1].cells() == first.cells()
