"""Tests of ChouChou's score board with two buttons: what is entered, what the match receives, what ends the game."""

from __future__ import annotations

from dataclasses import replace

from tables.manual_time_table import RIGHT as RIGHT_PIN
from tables.manual_time_table import StillTable
from tables.states import LEFT, RIGHT, SECOND, table

from engine.match import GameResult, Phase, Seat, Setup, new_match, step
from engine.match.match_events_and_effects import CapturePenalty, DiscCount, Event, Press, Tick
from kiosk.table.game.chouchou_capture_count_entry import after_penalty
from kiosk.table.input.gesture_recognition import BothPressed, ButtonDown, Gesture, LongPress, ShortPress
from kiosk.table.input.gesture_responses import respond
from kiosk.table.state import HoldChoice, TableState
from kiosk.table.table_config import BoardConfig


class Game:
    """A ChouChou table whose match receives the effects of the buttons, as in the loop. LEFT moves first."""

    def __init__(self, main_s: int = 600, **options: object) -> None:
        match = new_match(Setup(rules="chouchou", black_seat=LEFT, main_ns=main_s * SECOND, options=options))
        captures = (0,) * match.options.players
        self.state: TableState = replace(table(match), match=match, captures=captures)
        self.at_ns = 0
        self.do(ButtonDown(RIGHT, 0))

    def do(self, gesture: Gesture) -> tuple[Event, ...]:
        response = respond(self.state, gesture)
        self.state = response.state
        for event in response.events:
            before = self.state.match
            assert before is not None
            match = step(before, event)[0]
            self.state = replace(self.state, match=match)
            if isinstance(event, CapturePenalty):
                self.state = replace(self.state, captures=after_penalty(self.state.captures, before, match))
        return response.events

    def press(self, seat: Seat, times: int = 1) -> None:
        for _ in range(times):
            self.at_ns += SECOND
            self.do(ButtonDown(seat, self.at_ns))
            self.do(ShortPress(seat, self.at_ns))

    def both(self) -> tuple[Event, ...]:
        self.at_ns += SECOND
        return self.do(BothPressed(self.at_ns, (self.at_ns, self.at_ns)))

    @property
    def count(self) -> tuple[int, int] | None:
        assert self.state.match is not None
        return self.state.match.count


def test_the_score_board_is_opened_filled_in_and_closed() -> None:
    game = Game()
    assert game.both() == () and game.state.counting
    game.press(LEFT, 3)
    game.press(RIGHT)
    game.do(LongPress(LEFT, game.at_ns))
    assert game.state.captures == (2, 1) and game.count is None
    assert game.state.match is not None and game.state.match.clock.running is LEFT, "a count is no move"
    game.both()
    assert game.count == (2, 1) and not game.state.counting


def test_the_target_ends_the_game_only_when_both_confirm() -> None:
    """CC-WIN-1, CC-SUP-2c: entered scores are sent with the next press, except a score that ends the game."""
    game = Game()
    game.both()
    game.press(LEFT, 12)
    assert game.state.match is not None and game.state.match.phase is Phase.TURN
    game.both()
    assert game.state.match.result is not None and game.state.match.result.black_discs == 12

    played = Game()
    played.state = replace(played.state, captures=(10, 0))
    assert played.do(ButtonDown(LEFT, SECOND)) == (Press(SECOND, LEFT),)
    noted = Game()
    noted.state = replace(noted.state, captures=(4, 0))
    assert noted.do(ButtonDown(LEFT, SECOND)) == (DiscCount(SECOND, 4, 0), Press(SECOND, LEFT))


def lost_on_time() -> Game:
    game = Game(main_s=1)
    assert game.state.match is not None
    match, _ = step(game.state.match, Tick(100 * SECOND))
    game.state, game.at_ns = replace(game.state, match=match), 100 * SECOND
    return game


def test_after_a_loss_on_time_long_presses_complete_the_score_sheet() -> None:
    """AMB-27: neither can have reached the target, so the numbers wrap below it."""
    game = lost_on_time()
    assert game.state.match is not None and game.state.match.phase is Phase.RESULT
    for _ in range(12):
        game.do(LongPress(LEFT, game.at_ns))
    game.do(LongPress(RIGHT, game.at_ns))
    assert game.state.captures == (2, 1)
    game.both()
    result = game.state.match.result
    assert isinstance(result, GameResult) and (result.black_discs, result.white_discs) == (2, 1)


def test_of_a_pair_the_player_in_turn_counts_or_the_next_one() -> None:
    """CC-WIN-4: each has a score of his own; the match receives all with the next press."""
    game = Game(players=4, pairs=True)
    for pieces, seat in ((2, LEFT), (1, RIGHT), (3, LEFT), (4, RIGHT)):
        game.both()
        game.press(seat, pieces)
        game.both()
        game.do(ButtonDown(seat, game.at_ns))
    match = game.state.match
    assert match is not None and match.company is not None
    assert (match.company.captured, match.count, match.company.turn) == ((2, 1, 3, 4), (5, 5), 0)
    game.both()
    game.press(RIGHT)
    assert game.state.captures == (2, 2, 3, 4), "the second is the next who plays at the right"


def test_a_penalty_needs_a_claim_and_the_opponent_s_agreement() -> None:
    """CC-SUP-1: the waiting player stops the clock and claims it; the offender holds his button, and his turn
    continues. Entered scores that were not sent yet are kept."""
    game = Game(players=3)
    game.state = replace(game.state, captures=(1, 2, 0))
    game.do(LongPress(RIGHT, SECOND, pressed_before=True))
    assert game.state.match is not None and game.state.match.phase is Phase.HOLD
    assert game.state.hold_choices[:2] == (HoldChoice.ARBITER, HoldChoice.PENALTY)
    game.do(ShortPress(RIGHT, 2 * SECOND))
    game.do(LongPress(RIGHT, 3 * SECOND))
    assert game.state.offered is not None and game.state.match.phase is Phase.HOLD
    game.do(LongPress(LEFT, 5 * SECOND))
    assert game.state.match.phase is Phase.TURN and game.state.match.clock.running is LEFT
    assert game.state.captures == (1, 6, 4) and game.state.match.company is not None
    assert game.state.match.company.captured == (0, 4, 4)


def test_the_score_board_is_filled_in_by_touch_and_the_target_is_confirmed_by_both_buttons() -> None:
    still = StillTable(rules="chouchou", board=BoardConfig())
    still.presses("lrl")
    for action in (*3 * ("captured+1",), "captured-1"):
        still.touch("right", action)
    assert (still.state.captures, still.match.count) == ((0, 2), None)
    still.press(RIGHT_PIN)
    assert still.match.count == (0, 2)
    for _ in range(10):
        still.touch("left", "captured+1")
    assert (still.state.captures, still.match.phase) == ((10, 2), Phase.TURN), "no touch ends a game"
    still.both()
    assert still.match.phase is Phase.RESULT
    still.close()
