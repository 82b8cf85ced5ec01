"""Tests of ``kiosk play``: counting the discs, signing the card, and the arbiter's commands."""

from __future__ import annotations

from typing import Any

import pytest
from matches.games import EMPTIES, WIPE_OUT
from matches.scripts import FORFEIT, LATE, LEAGUE, WHITE_FLAG, Line, game, play, result, signed


class TestCard:
    """M43-17, M43-18, RULES.md 5.1."""

    ENDED: tuple[Line, ...] = ({"at": 0, "press": "white"}, {"at": 5, "press": "black"}, {"at": 6, "end": "white"})

    @pytest.mark.parametrize(
        ("black", "white", "card"),
        [
            (34, 30, ("black", 34, 30)),
            (40, 20, ("black", 40, 24)),
            (40, 30, ("black", 34, 30)),
            (20, 40, ("white", 24, 40)),
            (33, 34, ("white", 31, 33)),
            (64, 0, ("black", 64, 0)),
            (13, 0, ("black", 64, 0)),
            (32, 32, ("draw", 32, 32)),
            (30, 30, ("draw", 32, 32)),
        ],
    )
    def test_a_count_is_read_to_the_winners_disadvantage(self, black: int, white: int, card: tuple[Any, ...]) -> None:
        out = play(*self.ENDED, {"at": 7, "discs": {"black": black, "white": white}}, *signed(8))
        assert out["result"] == result(*card, "normal")
        assert bool(out["shown_to_arbiter"]) is ((black, white) != card[1:])

    def test_a_count_that_decides_nothing_waits_for_the_arbiter(self) -> None:
        out = play(*self.ENDED, {"at": 7, "discs": {"black": 33, "white": 33}}, *signed(8))
        assert (out["state"], out["result"], len(out["rejected"])) == ("ENDED", None, 2)
        assert out["shown_to_arbiter"]

    def test_a_count_that_would_change_the_winner_may_be_left_to_the_arbiter(self) -> None:
        setup = {**LEAGUE, "options": {"turned_win": "arbiter"}}
        out = play(*self.ENDED, {"at": 7, "discs": {"black": 34, "white": 33}}, *signed(8), setup=setup)
        assert (out["state"], out["result"]) == ("ENDED", None)

    def test_nobody_signs_before_the_count(self) -> None:
        out = play(*self.ENDED, *signed(7), {"at": 8, "agree": True})
        assert (out["state"], len(out["rejected"])) == ("ENDED", 3)

    def test_each_player_signs_for_himself_once(self) -> None:
        out = play(*self.ENDED, {"at": 7, "discs": {"black": 40, "white": 24}}, {"at": 8, "confirm": "black"},
                   {"at": 9, "confirm": "black"})  # fmt: skip
        assert (out["state"], out["result"], len(out["rejected"])) == ("ENDED", None, 1)

    def test_a_new_count_takes_the_signature_back(self) -> None:
        out = play(*self.ENDED, {"at": 7, "discs": {"black": 40, "white": 24}}, {"at": 8, "confirm": "black"},
                   {"at": 9, "discs": {"black": 41, "white": 23}}, {"at": 10, "confirm": "white"})  # fmt: skip
        assert (out["state"], out["result"]) == ("ENDED", None)

    def test_a_count_that_differs_from_the_board_is_reported_to_the_arbiter(self) -> None:
        out = play(
            *game(EMPTIES), {"at": 60, "end": "white"}, {"at": 61, "discs": {"black": 42, "white": 22}}, *signed(62)
        )
        assert out["result"] == result("black", 42, 22, "normal")
        assert any("differs from the board, 40–23" in text for text in out["shown_to_arbiter"])
        same = play(
            *game(EMPTIES), {"at": 60, "end": "white"}, {"at": 61, "discs": {"black": 40, "white": 23}}, *signed(62)
        )
        assert (same["result"], same["shown_to_arbiter"]) == (result("black", 41, 23, "normal"), [])

    def test_the_end_is_declared_by_the_other_player_and_only_at_the_end(self) -> None:
        out = play(*game(WIPE_OUT), {"at": 10, "end": "black"})
        assert (out["state"], len(out["rejected"])) == ("CHECK", 1)
        assert len(play(*game("f5d6"), {"at": 5, "end": "black"})["rejected"]) == 1
        assert len(play({"at": 0, "press": "white"}, {"at": 5, "end": "black"})["rejected"]) == 1

    def test_free_play_without_a_board_source_is_counted_by_hand(self) -> None:
        lines: list[Line] = [
            *WHITE_FLAG,
            {"at": 1212, "claim": "flag", "by": "black"},
            {"at": 1213, "choose": "free-play"},
        ]
        stopped = play(*lines, {"at": 1220, "stop": "free-play"})
        assert (stopped["state"], stopped["running"], stopped["result"]) == ("FREE", None, None)
        out = play(*lines, {"at": 1220, "stop": "free-play"}, {"at": 1230, "discs": {"black": 50, "white": 10}})
        assert out["result"] == result("black", 50, 14, "free-play")
        timed = play(*lines, {"at": 3000, "discs": {"black": 50, "white": 10}})
        assert (timed["result"], timed["remaining_ms"]["black"]) == (result("black", 50, 14, "free-play"), 0)


class TestArbiter:
    """M43-20 to M43-22, M43-28, K-15."""

    HELD: tuple[Line, ...] = ({"at": 0, "press": "white"}, {"at": 100, "hold": "black"})

    def test_hold_and_resume(self) -> None:
        out = play(
            *self.HELD,
            {"at": 150, "press": "black"},
            {"at": 200, "arbiter": {"action": "resume", "reason": "ok"}},
            {"at": 210, "press": "black"},
        )
        assert (out["running"], out["remaining_ms"]) == ("white", {"black": 1_090_000, "white": 1_200_000})
        assert [line["line"] for line in out["rejected"]] == [4]

    def test_set_time_while_held(self) -> None:
        order = {"action": "set_time", "black_s": 600, "white_s": 450.5, "reason": "clock fault"}
        out = play(*self.HELD, {"at": 150, "arbiter": order})
        assert (out["state"], out["remaining_ms"]) == ("HOLD", {"black": 600_000, "white": 450_500})

    def test_set_time_removes_and_makes_a_flag(self) -> None:
        flagged: list[Line] = [{"at": 0, "press": "white"}, {"at": 1300, "hold": "black"}]
        order = {"action": "set_time", "black_s": 60, "white_s": 0, "reason": "clock fault"}
        out = play(*flagged, {"at": 1310, "arbiter": order})
        assert out["flags"] == {"black": False, "white": True}

    def test_deduct_from_a_running_clock(self) -> None:
        order = {"action": "deduct", "from": "black", "seconds": 120, "reason": "unfair play"}
        out = play({"at": 0, "press": "white"}, {"at": 100, "arbiter": order}, {"at": 110, "press": "black"})
        assert out["remaining_ms"] == {"black": 970_000, "white": 1_200_000}

    def test_deducting_the_remaining_time_is_a_flag_without_a_signal(self) -> None:
        order = {"action": "deduct", "from": "black", "seconds": 1100, "reason": "unfair play"}
        out = play({"at": 0, "press": "white"}, {"at": 100, "arbiter": order})
        assert (out["state"], out["flags"]["black"], out["shown_to_players"]) == ("TURN", True, [])

    def test_forfeit_is_64_0_and_unrated(self) -> None:
        order = {"action": "forfeit", "loser": "black", "reason": "unfair play"}
        out = play(*self.HELD, {"at": 150, "arbiter": order})
        assert (out["state"], out["result"]) == ("RESULT", result("white", 0, 64, "forfeit", rated=False))

    def test_the_arbiters_result_overrides_everything(self) -> None:
        order = {"action": "result", "winner": "white", "black_discs": 20, "white_discs": 44, "reason": "recount"}
        lines = [*game(WIPE_OUT), {"at": 10, "end": "white"}, *signed(11)]
        out = play(*lines, {"at": 12, "arbiter": order})
        assert (out["state"], out["result"]) == ("RESULT", result("white", 20, 44, "arbiter"))
        assert play(*lines, {"at": 12, "arbiter": order}, *signed(13))["state"] == "SIGNED"

    def test_the_arbiters_result_totals_64(self) -> None:
        order = {"action": "result", "winner": "white", "black_discs": 20, "white_discs": 43, "reason": "recount"}
        assert len(play(*self.HELD, {"at": 12_000, "arbiter": order})["rejected"]) == 1

    def test_unrated_before_and_after_the_result(self) -> None:
        order: Line = {"arbiter": {"action": "unrated", "reason": "exhibition"}}
        lines: list[Line] = [*game(WIPE_OUT), {"at": 10, "end": "white"}]
        for extra in ([{"at": 10, **order}, *signed(11)], [*signed(11), {"at": 12, **order}]):
            assert play(*lines, *extra)["result"] == result("black", 64, 0, "normal", rated=False)

    def test_commands_that_change_the_game_need_a_reason(self) -> None:
        out = play(*self.HELD, {"at": 150, "arbiter": {"action": "forfeit", "loser": "black"}})
        assert (out["state"], len(out["rejected"])) == ("HOLD", 1)


class TestLate:
    """M43-12 to M43-14."""

    def test_the_late_players_time_runs_and_he_keeps_the_rest(self) -> None:
        out = play(*LATE, {"at": 61.5, "hold": "white"})
        assert (out["state"], out["running"], out["remaining_ms"]["white"]) == ("READY", None, 1_138_500)
        out = play(
            *LATE,
            {"at": 61.5, "arbiter": {"action": "resume", "reason": "arrived"}},
            {"at": 70, "press": "white"},
            {"at": 75, "press": "black"},
        )
        assert (out["state"], out["remaining_ms"]) == ("TURN", {"black": 1_195_000, "white": 1_138_500})

    def test_the_press_of_the_player_present_sets_the_start(self) -> None:
        out = play(LATE[0], {"at": 5, "press": "black"}, {"at": 15, "press": "black"}, {"at": 65, "hold": "white"})
        assert (out["remaining_ms"]["white"], len(out["rejected"])) == (1_140_000, 1)

    def test_the_instruction_alone_starts_the_time(self) -> None:
        assert play(LATE[0], {"at": 60, "hold": "white"})["remaining_ms"]["white"] == 1_140_000

    def test_a_forfeit_in_the_game_is_not_the_late_players_choice(self) -> None:
        out = play(*LATE, {"at": 60, "hold": "white"}, {"at": 70, "press": "white"}, {"at": 80, "arbiter": FORFEIT})
        assert out["result"] == result("black", 64, 0, "forfeit", rated=False)
