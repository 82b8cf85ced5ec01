"""Tests of board readings that come late, out of order or never, and of retracted presses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from matches import games
from matches.steps import READ, B, S, W, after, effects, illegal, played, press, pressed, read, started

from engine.match import IllegalEvent, MatchState, Phase, ReadBoard, Seat, ViolationRecorded, new_match, step
from engine.match.match_events_and_effects import Action, ArbiterOrder, BoardReported, Hold, Restart, Retract
from engine.match.match_value_types import TurnKind

F5, D6, C3 = games.after("f5"), games.after("f5d6"), games.after("f5d6c3")
WRONG = games.changed(D6, d5="X")


def test_each_press_requests_its_own_reading() -> None:
    state = started()
    assert effects(state, press(B, 1)) == (ReadBoard(1),)
    assert effects(after(state, press(B, 1)), press(W, 2)) == (ReadBoard(2),)
    assert effects(started(replace(READ, has_board_source=False)), press(B, 1)) == ()


def test_a_late_reading_judges_the_turn_it_belongs_to() -> None:
    state = after(started(), press(B, 1), press(W, 2))
    assert (state.phase, state.side, state.move_number) == (Phase.TURN, B, 3)
    state = after(state, read(3, F5, 1), read(4, D6, 2))
    assert (state.phase, state.side, state.transcript, state.move_number) == (Phase.TURN, B, "f5d6", 3)


def test_a_late_reading_that_contains_the_next_move() -> None:
    state = after(started(), press(B, 1), press(W, 2), read(3, D6, 1), read(4, D6, 2))
    assert (state.transcript, state.findings) == ("f5d6", ())


def test_a_late_reading_that_shows_a_challenge() -> None:
    """Black presses without a move and White presses back before the first reading comes: the turn is Black's again."""
    state = after(played("f5d6"), press(B, 3), press(W, 4))
    state = after(state, read(5, D6, 3))
    assert (state.phase, state.side, state.running()) == (Phase.TURN, B, B)
    state = after(state, read(5, D6, 4))
    assert (state.phase, state.side, state.transcript) == (Phase.TURN, B, "f5d6")


def test_a_late_reading_of_the_last_move() -> None:
    state = after(played(games.WIPE_OUT[:16]), press(B, 9), press(W, 10))
    state = after(state, read(11, games.after(games.WIPE_OUT), 9))
    assert (state.phase, state.side, state.running(), state.last_move_ns) == (Phase.CORR, B, B, 9 * S)


def test_a_reading_during_a_hold_changes_the_phase_to_resume() -> None:
    state = after(played("f5d6"), press(B, 3), Hold(4 * S, Seat.RIGHT), read(5, D6, 3))
    assert (state.phase, state.resume_phase, state.side) == (Phase.HOLD, Phase.CORR, W)


def test_a_missing_reading_is_replaced_by_the_next() -> None:
    state = after(started(), press(B, 1), press(W, 2), read(3, D6, 2))
    assert (state.transcript, state.pending, state.findings) == ("f5d6", (), ())


def test_the_arbiter_is_notified_of_an_unread_board() -> None:
    state = after(started(), press(B, 1), press(W, 2), press(B, 3), read(4, C3, 3))
    assert [turn.kind for turn in state.turns] == [TurnKind.UNREAD] * 3
    assert [message.kind for message in state.shown_to_arbiter] == ["unread"]
    assert not state.findings
    state = pressed(state, W, 5, games.after("f5d6c3d3"))
    assert state.turns[-1].move == "d3"


def test_a_reading_with_an_unknown_number_is_an_ordinary_reading() -> None:
    state = after(played("f5"), read(2, D6, 77))
    assert (state.board, state.turn_board, state.mid_move) == (D6, F5, True)


def test_a_reading_older_than_the_turn_is_ignored() -> None:
    state = played("f5d6")
    assert after(state, BoardReported(state.turn_since_ns - 1, F5)) is state


def test_a_claim_makes_an_unread_press_a_challenge() -> None:
    state = after(played("f5d6"), press(B, 3), illegal(B, 4, "IM-3"))
    assert (state.phase, state.side, state.running()) == (Phase.CORR, W, W)
    assert after(state, read(5, D6, 3)).phase is Phase.CORR


def test_a_finding_is_an_effect_and_never_a_message_to_the_players() -> None:
    state = after(played("f5"), press(W, 2))
    filed = [effect for effect in effects(state, read(2, WRONG, 2)) if isinstance(effect, ViolationRecorded)]
    assert [effect.finding.squares for effect in filed] == [("d5",)]
    assert not after(state, read(2, WRONG, 2)).shown_to_players


@pytest.mark.parametrize("cells", ["", "X" * 63, games.changed(F5, a1="?"), games.changed(F5, a1="x")])
def test_an_invalid_board_is_refused(cells: str) -> None:
    with pytest.raises(IllegalEvent):
        after(started(), read(1, cells))


def test_without_a_board_source_a_reading_is_refused() -> None:
    with pytest.raises(IllegalEvent):
        after(started(replace(READ, has_board_source=False)), read(1, F5))


def test_play_begins_from_the_board_that_was_read() -> None:
    state = after(new_match(READ), read(0, D6), press(W, 1))
    assert (state.turn_board, state.mid_move) == (D6, False)
    assert [message.kind for message in state.shown_to_arbiter] == ["start-board"]
    assert pressed(state, B, 2, C3).transcript == "c3"


class TestRetract:
    def same(self, one: MatchState, other: MatchState) -> bool:
        return replace(one, undo=None, asked=0, revision=0) == replace(other, undo=None, asked=0, revision=0)

    def test_the_board_read_meanwhile_is_kept(self) -> None:
        state = played("f5")
        spiked = after(state, press(W, 2), read(2, F5, 2), Retract(3 * S, 2 * S))
        assert self.same(spiked, state)
        assert after(spiked, press(W, 4)).asked == 3

    def test_two_spikes_are_retracted_in_reverse_order(self) -> None:
        state = played("f5")
        spiked = after(state, press(W, 2), press(B, 2.001), Retract(3 * S, round(2.001 * S)), Retract(3 * S, 2 * S))
        assert self.same(spiked, state)

    def test_a_spike_followed_by_a_press_of_the_other_player(self) -> None:
        """White's spike gave Black the turn, so Black's press right after it counts for nothing."""
        state = played("f5")
        spiked = after(state, press(W, 2), press(B, 2.01), Retract(3 * S, 2 * S))
        assert self.same(spiked, state)
        retracted = after(state, press(W, 2), press(B, 2.01), Retract(3 * S))
        assert self.same(retracted, after(state, press(W, 2)))

    def test_events_since_the_retracted_press_are_applied_again(self) -> None:
        state = after(started(), press(B, 1), Hold(2 * S, Seat.LEFT), Retract(3 * S, 1 * S))
        assert (state.phase, state.side) == (Phase.HOLD, B)
        assert state.remaining_ns(B, 9 * S) == 1198 * S

    def test_only_a_recent_press_that_counted_can_be_retracted(self) -> None:
        state = played("f5")
        for at_ns in (7, None):
            with pytest.raises(IllegalEvent):
                after(state if at_ns else new_match(READ), Retract(3 * S, at_ns))
        with pytest.raises(IllegalEvent):
            after(state, read(20, D6), Retract(21 * S))


class TestRestart:
    def test_the_clock_comes_back_paused(self) -> None:
        state = after(played("f5d6"), press(B, 5))
        back, effects_of_restart = step(state, Restart(7 * S))
        assert (back.phase, back.resume_phase, back.running()) == (Phase.HOLD, Phase.TURN, None)
        assert back.remaining_ns(W, 99 * S) == state.remaining_ns(W, 7 * S)
        assert effects_of_restart == (ReadBoard(3),)
        assert back.shown_to_players[-1].kind == "recovery"

    def test_a_move_made_during_a_power_cut_is_not_attributed_to_the_last_press(self) -> None:
        """White pressed, the power failed before the board was read, and Black moved meanwhile: both moves count."""
        back = after(played("f5"), press(W, 5), Restart(7 * S), read(8, C3, 2))
        assert (back.transcript, back.findings, back.resume_phase, back.side) == ("f5d6", (), Phase.TURN, B)
        on = after(back, ArbiterOrder(9 * S, Action.RESUME), press(B, 10), read(11, C3, 3))
        assert (on.transcript, on.findings, on.phase, on.side) == ("f5d6c3", (), Phase.TURN, W)

    def test_a_restart_with_a_stopped_clock_changes_nothing(self) -> None:
        state = new_match(READ)
        assert step(state, Restart(5)) == (state, ())
        state_on_hold = after(started(), Hold(5 * S, Seat.LEFT))
        assert after(state_on_hold, Restart(6 * S)) is state_on_hold
