"""Tests of games on every board and from every set-up (RULES.md 1.2 and 1.4)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.position import Position
from engine.board.variants import PLAYABLE, VARIANTS, shape_of
from engine.end_reason import EndReason
from engine.match import IllegalEvent, MatchState, Setup, new_match, proposed_result, step
from engine.match.match_events_and_effects import (
    Action,
    ArbiterOrder,
    BoardReported,
    Choose,
    ClaimKind,
    Confirm,
    DeclareEnd,
    DiscCount,
    PlayerClaim,
    Press,
    TimeWinChoice,
)
from engine.match.match_value_types import NS_PER_S, Phase, Seat, TurnKind
from engine.match.rule_sets_and_options import RuleSetError, read_options

S = NS_PER_S


def started_match(variant: str, *, read: bool = True, rules: str = "m43") -> MatchState:
    options = {"variant": variant}
    setup = Setup(rules=rules, black_seat=Seat.LEFT, has_board_source=read, main_ns=600 * S, options=options)
    starts = Seat.LEFT if VARIANTS[variant].first is Color.WHITE else Seat.RIGHT
    return step(new_match(setup), Press(S, starts))[0]


def after_turn(state: MatchState, cells: str) -> MatchState:
    """Return the state after the player in turn made this board and pressed, and the board was read."""
    at_ns, seat = state.clock.since_ns + S, state.clock.running
    assert seat is not None
    state = step(state, Press(at_ns, seat))[0]
    return step(state, BoardReported(at_ns, cells, state.asked))[0]


@pytest.mark.parametrize("variant", PLAYABLE)
def test_a_whole_game_is_played_to_its_card(variant: str) -> None:
    """Games with moves, passes, the last move, the end, the count and both signatures reach their card."""
    for seed in range(3):
        random, state = Random(f"{variant} {seed}"), started_match(variant)
        position = Position.start(variant)
        while not position.is_over:
            if position.must_pass:
                position = position.pass_turn()
                state = after_turn(state, position.cells())
                assert state.turns[-1].kind is TurnKind.PASS
                continue
            square = random.choice(scan(position.legal_moves()))
            position = position.play(square)
            state = after_turn(state, position.cells())
            assert (state.turns[-1].kind, state.turns[-1].move) == (TurnKind.MOVE, position.geometry.name(square))
        assert (state.phase, state.findings) == (Phase.CHECK, ())
        assert state.side is not None
        state = step(state, DeclareEnd(state.clock.since_ns + S, state.side.opponent))[0]
        result = proposed_result(state)
        assert result is not None and (result.black_discs, result.white_discs) == position.final_score()
        for color in Color:
            state = step(state, Confirm(state.clock.since_ns + 2 * S, color))[0]
        assert state.phase is Phase.SIGNED and state.result is not None
        assert state.result.rated is (variant == "8x8"), "no rating knows another board"


@pytest.mark.parametrize("variant", PLAYABLE)
def test_an_error_is_found_and_a_challenge_is_confirmed(variant: str) -> None:
    state, start = started_match(variant), Position.start(variant)
    while not (square := scan(start.legal_moves())[0]) or not start.flips(square):  # the original start turns none
        start = start.play(square)
        state = after_turn(state, start.cells())
    forgotten = list(start.play(square).cells())
    turned = start.geometry.names(start.flips(square))[0]
    forgotten[start.geometry.square_names.index(turned)] = start.to_move.opponent.symbol
    state = after_turn(state, "".join(forgotten))
    assert [(filed.kind, filed.squares) for filed in state.findings] == [("IM-4", (turned,))]
    claim = PlayerClaim(state.clock.since_ns + S, start.to_move.opponent, ClaimKind.ILLEGAL, "IM-4", (turned,))
    state = step(state, claim)[0]
    assert (
        state.phase is Phase.CORR and [message.kind for message in state.shown_to_players][-1] == "challenge-confirmed"
    )


@pytest.mark.parametrize(("variant", "other"), [("6x6", "8x8"), ("10x10", "88"), ("8x8", "6x6")])
def test_a_reading_of_another_board_is_refused(variant: str, other: str) -> None:
    state = started_match(variant)
    with pytest.raises(IllegalEvent, match="not a board reading"):
        step(state, BoardReported(2 * S, Position.start(other).cells()))


@pytest.mark.parametrize("variant", PLAYABLE)
def test_every_result_totals_the_squares_of_the_board(variant: str) -> None:
    """Without a board source: a count by hand, an arbiter's result, a time win, a forfeit."""
    squares = VARIANTS[variant].total
    half, state = squares // 2, started_match(variant, read=False)
    first = state.side
    assert first is not None and state.clock.running is not None
    state = step(state, Press(2 * S, state.clock.running))[0]
    for wrong in ((half, half + 1), (half + 2, half + 2)):
        order = ArbiterOrder(3 * S, Action.RESULT, "?", winner=Color.BLACK, black_discs=wrong[0], white_discs=wrong[1])
        with pytest.raises(IllegalEvent, match=f"total {squares}"):
            step(state, order)
    draw = ArbiterOrder(3 * S, Action.RESULT, "?", winner=None, black_discs=half, white_discs=half)
    assert step(state, draw)[0].result is not None
    with pytest.raises(IllegalEvent, match=f"a draw is {half}-{half}"):
        step(state, replace(draw, black_discs=half + 1, white_discs=half - 1))
    forfeit = step(state, ArbiterOrder(3 * S, Action.FORFEIT, "?", side=Color.WHITE))[0].result
    assert forfeit is not None and (forfeit.black_discs, forfeit.white_discs) == (squares, 0)
    ended = step(state, DeclareEnd(3 * S, first.opponent))[0]
    with pytest.raises(IllegalEvent, match=f"no count of {squares}"):
        step(ended, DiscCount(4 * S, squares + 1, 0))
    short = proposed_result(step(ended, DiscCount(4 * S, half + 2, half - 4))[0])
    assert short is not None and (short.black_discs, short.white_discs) == (half + 2, half - 2), "M43-18.5"
    late = step(state, PlayerClaim(700 * S, first, ClaimKind.FLAG))[0]
    assert late.phase is Phase.CHOICE
    won = step(late, Choose(701 * S, TimeWinChoice.SCORE))[0].result
    assert won is not None and {won.discs(first), won.discs(first.opponent)} == {half + 1, half - 1}
    assert won.winner is first and won.discs(first) == half + 1 and won.end is EndReason.TIME


def test_the_length_of_a_board_string_determines_its_shape() -> None:
    for name in PLAYABLE:
        variant = VARIANTS[name]
        assert variant.start == Position.start(name).cells()
        assert shape_of(variant.start) == variant.geometry


def test_both_flags_share_the_squares_of_the_board() -> None:
    """M43-16: a draw is half of the board each, 18-18 on 6x6."""
    state = started_match("6x6", read=False)
    for at_s, seat in ((700, Seat.LEFT), (1500, Seat.RIGHT)):
        state = step(state, Press(at_s * S, seat))[0]
    state = step(state, ArbiterOrder(1501 * S, Action.BOTH_FLAGS, "both have fallen"))[0]
    assert state.result is not None and (state.result.black_discs, state.result.white_discs) == (18, 18)


def test_limited_discs_are_counted_from_the_turns() -> None:
    """VAR-01: a player who has placed 32 discs passes, also if the opponent passed before."""
    position, random = Position.start("original-32"), Random("supply")
    while True:  # a game in which somebody runs out of discs before the board is full
        state, position = started_match("original-32"), Position.start("original-32")
        while not position.is_over:
            position = (
                position.pass_turn()
                if position.must_pass
                else position.play(random.choice(scan(position.legal_moves())))
            )
            state = after_turn(state, position.cells())
            assert state.turn_board is not None
            assert state.position(state.turn_board, position.to_move) == position
        if any(position.placed(color) == 32 and position.empty for color in Color):
            break
    assert (state.phase, state.findings) == (Phase.CHECK, ())


def test_options_that_fit_no_board_are_refused() -> None:
    for options, rules, why in (
        ({"variant": "9x9"}, "m43", "must be one of"),
        ({"variant": "4x4"}, "m43", "must be one of"),
        ({"variant": "6x6", "handicap": 1}, "m43", "corners"),
        ({"variant": "6x6"}, "chouchou", "boards of its own"),
    ):
        with pytest.raises(RuleSetError, match=why):
            read_options(options, rules)
