"""ChouChou's score board by the two buttons: what is noted, what the match is told, what ends the game."""

from __future__ import annotations

from dataclasses import replace

from tables.states import LEFT, RIGHT, SECOND, table

from engine.match import Setup, new_match, step
from engine.match.events import Discs, Event, Press, Tick
from engine.match.model import Phase, Result, Seat
from kiosk.table.hands.conduct import respond
from kiosk.table.hands.gestures import Both, Down, Gesture, Long, Short
from kiosk.table.state import TableState


class Game:
    """A ChouChou table whose match takes what the buttons mean, as the loop does. LEFT moves first."""

    def __init__(self, main_s: int = 600) -> None:
        match = new_match(Setup(rules="chouchou", black_seat=LEFT, main_ns=main_s * SECOND))
        self.state: TableState = replace(table(match), match=match)
        self.at_ns = 0
        self.do(Down(RIGHT, 0))

    def do(self, gesture: Gesture) -> tuple[Event, ...]:
        response = respond(self.state, gesture)
        self.state = response.state
        for event in response.events:
            assert self.state.match is not None
            self.state = replace(self.state, match=step(self.state.match, event)[0])
        return response.events

    def press(self, seat: Seat, times: int = 1) -> None:
        for _ in range(times):
            self.at_ns += SECOND
            self.do(Down(seat, self.at_ns))
            self.do(Short(seat, self.at_ns))

    def both(self) -> tuple[Event, ...]:
        self.at_ns += SECOND
        return self.do(Both(self.at_ns, (self.at_ns, self.at_ns)))

    @property
    def count(self) -> tuple[int, int] | None:
        assert self.state.match is not None
        return self.state.match.count


def test_both_open_the_score_board_presses_count_and_both_close_it() -> None:
    game = Game()
    assert game.both() == () and game.state.counting
    game.press(LEFT, 3)
    game.press(RIGHT)
    game.do(Long(LEFT, game.at_ns))
    assert game.state.captures == (2, 1) and game.count is None
    assert game.state.match is not None and game.state.match.clock.running is LEFT, "a count is no move"
    game.both()
    assert game.count == (2, 1) and not game.state.counting


def test_the_target_ends_the_game_only_when_both_say_so() -> None:
    """CC-WIN-1, CC-SUP-2c: what was noted before is told with the next press, but never a score that ends the game."""
    game = Game()
    game.both()
    game.press(LEFT, 12)
    assert game.state.match is not None and game.state.match.phase is Phase.TURN
    game.both()
    assert game.state.match.result is not None and game.state.match.result.black_discs == 12

    played = Game()
    played.state = replace(played.state, captures=(10, 0))
    assert played.do(Down(LEFT, SECOND)) == (Press(SECOND, LEFT),)
    noted = Game()
    noted.state = replace(noted.state, captures=(4, 0))
    assert noted.do(Down(LEFT, SECOND)) == (Discs(SECOND, 4, 0), Press(SECOND, LEFT))


def lost_on_time() -> Game:
    game = Game(main_s=1)
    assert game.state.match is not None
    match, _ = step(game.state.match, Tick(100 * SECOND))
    game.state, game.at_ns = replace(game.state, match=match), 100 * SECOND
    return game


def test_after_a_loss_on_time_long_presses_complete_the_score_sheet() -> None:
    """AMB-27: neither can have reached the target, so the figures go round below it."""
    game = lost_on_time()
    assert game.state.match is not None and game.state.match.phase is Phase.RESULT
    for _ in range(12):
        game.do(Long(LEFT, game.at_ns))
    game.do(Long(RIGHT, game.at_ns))
    assert game.state.captures == (2, 1)
    game.both()
    result = game.state.match.result
    assert isinstance(result, Result) and (result.black_discs, result.white_discs) == (2, 1)
