"""Tests of ``kiosk play``: flags that are claimed, declared, or not claimed."""

from __future__ import annotations

import pytest
from matches.games import START, WIPE_OUT, changed
from matches.scripts import BOARD, F5, Line, flagged, play, result

from kiosk.play.table_script_parser import read_script
from kiosk.play.table_script_runner import play_script


class TestFlags:
    """M43-15 and M43-16, to the nanosecond."""

    START: tuple[Line, ...] = ({"at": 0, "press": "white"},)

    @pytest.mark.parametrize(
        ("at", "state"), [("1199.999999999", "TURN"), ("1200", "CHOICE"), ("1200.000000001", "CHOICE")]
    )
    def test_a_flag_falls_at_zero_not_a_nanosecond_before(self, at: str, state: str) -> None:
        setup = '{"setup": {"rules": "m43"}}\n{"at": 0, "press": "white"}'
        text = f'{setup}\n{{"at": {at}, "claim": "flag", "by": "white"}}'
        out = play_script(read_script(text))
        assert out["state"] == state
        assert bool(out["rejected"]) is (state == "TURN")

    def test_a_flag_is_not_signalled(self) -> None:
        out = play(*self.START, {"at": 1300, "board": START}, setup=BOARD)
        assert out["flags"] == {"black": True, "white": False}
        assert (out["state"], out["running"], out["remaining_ms"]["black"]) == ("TURN", "black", 0)
        assert out["shown_to_players"] == out["shown_to_arbiter"] == []

    def test_the_flagged_player_cannot_claim_but_declare(self) -> None:
        out = play(*self.START, {"at": 1300, "claim": "flag", "by": "black"})
        assert out["state"] == "TURN" and len(out["rejected"]) == 1
        assert play(*self.START, {"at": 1300, "declare": "flag", "by": "black"})["state"] == "CHOICE"
        assert play(*self.START, {"at": 1300, "declare": "flag", "by": "white"})["state"] == "TURN"

    def test_after_a_flag_the_other_time_still_runs_to_zero(self) -> None:
        out = play(*self.START, {"at": 1300, "press": "black"}, {"at": 2500, "press": "white"})
        assert out["flags"] == {"black": True, "white": True}
        assert out["remaining_ms"] == {"black": 0, "white": 0}
        assert [text for text in out["shown_to_arbiter"] if "Both flags" in text]
        assert out["shown_to_players"] == []

    def test_a_claim_in_mid_move_waits_for_the_move(self) -> None:
        lines: list[Line] = [*self.START, {"at": 1201, "board": changed(START, f5="X")},
                             {"at": 1202, "claim": "flag", "by": "white"}]  # fmt: skip
        out = play(*lines)
        assert (out["state"], out["running"], out["result"]) == ("FINISH", "black", None)
        pressed = play(*lines, {"at": 1203, "board": F5}, {"at": 1204, "press": "black"})
        assert (pressed["state"], pressed["running"], pressed["transcript"]) == ("CHOICE", None, "f5")
        seen = play(*lines, {"at": 1203, "board": F5})
        assert (seen["state"], seen["transcript"]) == ("CHOICE", "f5")

    def test_a_touched_board_restored_is_no_move_in_progress(self) -> None:
        lines: list[Line] = [*self.START, {"at": 5, "board": changed(START, a1="X")}, {"at": 6, "board": START}]
        assert play(*lines, {"at": 1202, "claim": "flag", "by": "white"})["state"] == "CHOICE"

    def test_a_claim_during_hold(self) -> None:
        out = play(*self.START, {"at": 1300, "hold": "white"}, {"at": 1310, "claim": "flag", "by": "white"})
        assert out["state"] == "CHOICE"

    def test_no_clock_runs_during_hold(self) -> None:
        out = play(*self.START, {"at": 1000, "hold": "white"}, {"at": 5000, "claim": "flag", "by": "white"})
        assert (out["state"], out["remaining_ms"]["black"], len(out["rejected"])) == ("HOLD", 200_000, 1)

    def last_move(self, black_s: float, white_s: float) -> list[Line]:
        return flagged(WIPE_OUT, 9, black_s, white_s)[0]

    def test_the_last_movers_flag_may_be_claimed_until_the_result_is_agreed(self) -> None:
        lines = self.last_move(1300, 1)
        ended = [*lines, {"at": 1310, "end": "white"}, {"at": 1311, "confirm": "black"}]
        for before in (lines, ended):
            out = play(*before, {"at": 1312, "claim": "flag", "by": "white"})
            assert (out["state"], out["rejected"]) == ("CHOICE", [])
        agreed = play(*ended, {"at": 1312, "confirm": "white"}, {"at": 1313, "claim": "flag", "by": "white"})
        assert agreed["result"] == result("black", 64, 0, "normal") and len(agreed["rejected"]) == 1

    def test_free_play_after_the_last_move_is_over_at_once(self) -> None:
        out = play(
            *self.last_move(1300, 1), {"at": 1310, "claim": "flag", "by": "white"}, {"at": 1311, "choose": "free-play"}
        )
        assert out["result"] == result("white", 13, 51, "free-play")

    def test_the_checking_players_flag_is_ignored(self) -> None:
        lines = self.last_move(1, 1190)
        out = play(*lines, {"at": 1300, "claim": "flag", "by": "black"})
        assert (out["state"], out["flags"]["white"], len(out["rejected"])) == ("CHECK", True, 1)
        assert play(*lines, {"at": 1300, "declare": "flag", "by": "white"})["state"] == "CHECK"
        challenged = play(*lines, {"at": 1300, "press": "white"})
        assert (challenged["state"], challenged["running"]) == ("CORR", "black")

    def test_an_earlier_flag_of_the_checking_player_is_no_loss_but_makes_both(self) -> None:
        only = play(*self.last_move(1, 1300), {"at": 1320, "claim": "flag", "by": "black"})
        assert (only["state"], len(only["rejected"])) == ("CHECK", 1)
        both = play(*self.last_move(1300, 1300), {"at": 2700, "claim": "flag", "by": "white"})
        assert both["result"] == result("draw", 32, 32, "both-flags", rated=False)

    def test_a_flag_that_fell_while_checking_does_not_make_both(self) -> None:
        out = play(*self.last_move(1300, 1190), {"at": 2700, "claim": "flag", "by": "white"})
        assert (out["flags"], out["state"]) == ({"black": True, "white": True}, "CHOICE")
