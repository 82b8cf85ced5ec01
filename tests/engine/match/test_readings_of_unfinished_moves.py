"""Tests of board readings in free play without a button: a move in progress is not an illegal move (M43-15b, K-07)."""

from __future__ import annotations

from engine.board.color import Color
from engine.board.position import Position
from engine.match import MatchState, Phase, Seat, Setup, new_match, step
from engine.match.match_events_and_effects import BoardReported, Choose, ClaimKind, PlayerClaim, Press, TimeWinChoice

START = Position.start()
F5 = START.play(START.geometry.square("f5"))
S = 1_000_000_000


def in_free_play() -> MatchState:
    """Return a state in which White's flag fell on move 2 and Black took free play after f5."""
    state = new_match(Setup(main_ns=60 * S, black_seat=Seat.LEFT, has_board_source=True))
    events = (
        Press(0, Seat.RIGHT), BoardReported(S, F5.cells()), Press(2 * S, Seat.LEFT), BoardReported(2 * S, F5.cells(),
        1),
        PlayerClaim(70 * S, Color.BLACK, ClaimKind.FLAG), Choose(71 * S, TimeWinChoice.FREE_PLAY),
    )  # fmt: skip
    for event in events:
        state, _ = step(state, event)
    assert state.phase is Phase.FREE
    return state


def placed(square: str) -> str:
    """Return the board with White's disc on ``square`` and nothing flipped."""
    at = START.geometry.names(START.geometry.playable).index(square)
    return F5.cells()[:at] + "O" + F5.cells()[at + 1 :]


def test_a_move_in_progress_is_no_violation() -> None:
    state, _ = step(in_free_play(), BoardReported(72 * S, placed("d6")))
    assert state.findings == ()
    completed = F5.play(START.geometry.square("d6"))
    state, effects = step(state, BoardReported(73 * S, completed.cells()))
    assert (state.moves, state.findings, effects) == (("f5", "d6"), (), ())


def test_an_unfinished_move_is_recorded_when_play_continues_from_it() -> None:
    """IM-12: without a challenge the position stands."""
    state, _ = step(in_free_play(), BoardReported(72 * S, placed("d6")))
    position = Position.from_cells(placed("d6"), Color.BLACK)
    legal = position.geometry.names(position.legal_moves())
    on = position.play(position.geometry.square(legal[0]))
    state, effects = step(state, BoardReported(73 * S, on.cells()))
    assert [(filed.kind, filed.squares) for filed in state.findings] == [("IM-4", ("d5",))]
    assert len(effects) == 1
    assert state.moves == ("f5", "d6", legal[0])


def test_a_challenged_unfinished_move_is_recorded_and_confirmed() -> None:
    """Row 25, M43-15b.1: the challenge is confirmed."""
    state, _ = step(in_free_play(), BoardReported(72 * S, placed("d6")))
    state, effects = step(state, PlayerClaim(73 * S, Color.WHITE, ClaimKind.ILLEGAL, "IM-4", ("d5",)))
    assert [filed.kind for filed in state.findings] == ["IM-4"]
    assert len(effects) == 1
    assert state.shown_to_players[-1].kind == "challenge-confirmed"


def test_a_swept_board_does_not_end_the_game() -> None:
    """IM-10: an empty reading, as from a sensor board without power, is no last move."""
    state = new_match(Setup(main_ns=60 * S, black_seat=Seat.LEFT, has_board_source=True))
    for event in (Press(0, Seat.RIGHT), Press(2 * S, Seat.LEFT), BoardReported(2 * S, "-" * 64, 1)):
        state, _ = step(state, event)
    assert (state.phase, state.side) == (Phase.TURN, Color.WHITE)
    assert [(filed.kind, filed.squares) for filed in state.findings] == [("IM-10", ("d4", "e4", "d5", "e5"))]
