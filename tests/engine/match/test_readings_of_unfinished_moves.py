"""Tests of board readings in free play without a button: a move in progress is not an illegal move (M43-15b, K-07)."""

from __future__ import annotations

from engine.board.color import Color
from engine.board.position import Position
from engine.match import MatchState, Phase, Setup, new_match, step
from engine.match.match_events import BoardReported, Choose, ClaimKind, PlayerClaim, Press, TimeWinChoice
from engine.match.model import Seat

START = Position.start()
F5 = START.play(START.geometry.square("f5"))
S = 1_000_000_000


def in_free_play() -> MatchState:
    """White's flag falls on move 2; Black takes free play after f5."""
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
    """White's disc lies on ``square``, nothing is turned."""
    at = START.geometry.names(START.geometry.playable).index(square)
    return F5.cells()[:at] + "O" + F5.cells()[at + 1 :]


def test_a_move_in_progress_is_filed_nowhere_and_its_completion_is_the_move() -> None:
    state, _ = step(in_free_play(), BoardReported(72 * S, placed("d6")))
    assert state.findings == ()
    done = F5.play(START.geometry.square("d6"))
    state, effects = step(state, BoardReported(73 * S, done.cells()))
    assert (state.moves, state.findings, effects) == (("f5", "d6"), (), ())


def test_a_move_left_unfinished_is_filed_when_play_goes_on_from_it() -> None:
    """IM-12: nobody challenged it; the position stands."""
    state, _ = step(in_free_play(), BoardReported(72 * S, placed("d6")))
    stood = Position.from_cells(placed("d6"), Color.BLACK)
    legal = stood.geometry.names(stood.legal_moves())
    on = stood.play(stood.geometry.square(legal[0]))
    state, effects = step(state, BoardReported(73 * S, on.cells()))
    assert [(filed.kind, filed.squares) for filed in state.findings] == [("IM-4", ("d5",))]
    assert len(effects) == 1
    assert state.moves == ("f5", "d6", legal[0])


def test_a_challenged_attempt_is_filed_and_answered() -> None:
    """Row 25, M43-15b.1."""
    state, _ = step(in_free_play(), BoardReported(72 * S, placed("d6")))
    state, effects = step(state, PlayerClaim(73 * S, Color.WHITE, ClaimKind.ILLEGAL, "IM-4", ("d5",)))
    assert [filed.kind for filed in state.findings] == ["IM-4"]
    assert len(effects) == 1
    assert state.shown_to_players[-1].kind == "challenge-confirmed"


def test_a_swept_board_does_not_end_the_game() -> None:
    """IM-10: an empty reading, say from a sensor board that lost its power, is no last move."""
    state = new_match(Setup(main_ns=60 * S, black_seat=Seat.LEFT, has_board_source=True))
    for event in (Press(0, Seat.RIGHT), Press(2 * S, Seat.LEFT), BoardReported(2 * S, "-" * 64, 1)):
        state, _ = step(state, event)
    assert (state.phase, state.side) == (Phase.TURN, Color.WHITE)
    assert [filed.kind for filed in state.findings] == ["IM-10"]
