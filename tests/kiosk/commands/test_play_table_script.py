"""Tests of ``kiosk play``: the situations of RULES.md 3.4, S1 to S13."""

from __future__ import annotations

import pytest
from matches.games import DRAW, EMPTIES, FULL, PASSES, WIPE_OUT, after, changed, turns
from matches.scripts import (
    F5,
    FINAL,
    FLOORLESS,
    FORFEIT,
    LATE,
    LEAGUE,
    WHITE_FLAG,
    WHITE_FLAG_READ,
    Line,
    game,
    play,
    result,
    signed,
    white_flag_of,
)


class TestSituations:
    """S1 to S13 of RULES.md 3.4."""

    def test_s1_more_discs_win_and_the_empties_go_to_the_winner(self) -> None:
        out = play(*game(EMPTIES, 2), {"at": 120.5, "end": "white"}, *signed(125))
        assert out["state"] == "SIGNED"
        assert out["result"] == result("black", 41, 23, "normal")
        assert out["transcript"] == EMPTIES
        assert out["rejected"] == out["findings"] == []
        # 59 turns of 2 s, Black 30 and White 29; then White checks the last move for 2.5 s.
        assert out["remaining_ms"] == {"black": 1_200_000 - 60_000, "white": 1_200_000 - 58_000 - 2_500}

    def test_s1_full_board(self) -> None:
        out = play(*game(FULL), {"at": 61, "end": "black"}, {"at": 61, "agree": True})
        assert (out["state"], out["result"]) == ("RESULT", result("white", 12, 52, "normal"))

    def test_s1_a_pass_seen_on_the_board_is_shown_and_written(self) -> None:
        out = play(*game(PASSES), {"at": 63, "end": "white"}, *signed(64))
        assert out["result"] == result("black", 44, 20, "normal")
        assert out["transcript"] == PASSES
        assert any("Black passed" in text for text in out["shown_to_players"])

    def test_s2_extinction_is_64_to_0(self) -> None:
        out = play(*game(WIPE_OUT), {"at": 10, "end": "white"}, *signed(11))
        assert out["result"] == result("black", 64, 0, "normal")

    def test_s3_equal_discs_are_a_draw_in_the_league(self) -> None:
        out = play(*game(DRAW), {"at": 61, "end": "black"}, *signed(62))
        assert out["result"] == result("draw", 32, 32, "normal")

    def test_s4_equal_discs_are_the_right_holders_in_a_knockout(self) -> None:
        out = play(*game(DRAW), {"at": 61, "end": "black"}, *signed(62), setup=FINAL)
        assert out["result"] == result("white", 32, 32, "normal")

    def test_s5_a_claimed_flag_is_33_31(self) -> None:
        out = play(*WHITE_FLAG, {"at": 1212, "claim": "flag", "by": "black"}, {"at": 1213, "choose": "33-31"})
        assert (out["state"], out["result"]) == ("RESULT", result("black", 33, 31, "time"))
        assert out["remaining_ms"] == {"black": 1_189_000, "white": 0}
        assert out["flags"] == {"black": False, "white": True}

    def test_s6_free_play_stopped_gives_the_empties_to_the_loser(self) -> None:
        moves = list(turns(EMPTIES))[:50]
        position = "".join(move or "--" for _, move, _ in moves[:3])
        lines = [*game(position[:4]), {"at": 1300, "claim": "flag", "by": "white"}, {"at": 1301, "choose": "free-play"}]
        lines += [{"at": 1302 + n, "board": cells} for n, (_, _, cells) in enumerate(moves[2:])]
        out = play(*lines, {"at": 1400, "stop": "free-play"})
        own = moves[-1][2].count("O")
        assert out["result"] == result("white", 64 - max(own, 33), max(own, 33), "free-play")
        assert out["remaining_ms"]["white"] == 1_200_000 - 1_000 - 99_000

    def test_s6_the_winners_time_runs_out_in_free_play(self) -> None:
        lines: list[Line] = [*WHITE_FLAG_READ, {"at": 1212, "claim": "flag", "by": "black"}]
        lines += [{"at": 1213, "choose": "free-play"}, {"at": 1214, "board": after("f5d6c3")}]
        still = play(*lines, {"at": 1213 + 1189 - 0.001, "board": after("f5d6c3")}, setup=FLOORLESS)
        assert (still["state"], still["running"]) == ("FREE", "black")
        out = play(*lines, {"at": 1213 + 1189, "board": after("f5d6c3")}, setup=FLOORLESS)
        assert (out["state"], out["running"]) == ("RESULT", None)
        own = after("f5d6c3").count("X")
        assert out["result"] == result("black", own, 64 - own, "free-play")

    def test_s7_free_play_to_the_natural_end_gives_the_empties_to_the_winner(self) -> None:
        lines = [*white_flag_of(EMPTIES), {"at": 1300, "choose": "free-play"}]
        lines += [{"at": 1301 + n, "board": cells} for n, (_, _, cells) in enumerate(turns(EMPTIES)) if n >= 2]
        out = play(*lines)
        assert (out["state"], out["result"]) == ("RESULT", result("black", 41, 23, "free-play"))
        assert out["transcript"] == EMPTIES

    @pytest.mark.parametrize(
        ("setup", "black"), [(LEAGUE, 33), ({**LEAGUE, "options": {"free_play_floor": False}}, 12)]
    )
    def test_s7_a_free_play_that_went_badly_falls_back_on_33_31(self, setup: Line, black: int) -> None:
        lines = [*white_flag_of(FULL), {"at": 1300, "choose": "free-play"}]
        lines += [{"at": 1301 + n, "board": cells} for n, (_, _, cells) in enumerate(turns(FULL)) if n >= 2]
        assert play(*lines, setup=setup)["result"] == result("black", black, 64 - black, "free-play")

    def test_s8_a_flag_never_claimed_before_the_end_has_no_effect(self) -> None:
        out = play(*WHITE_FLAG, {"at": 1220, "end": "black"}, {"at": 1221, "discs": {"black": 20, "white": 44}},
                   *signed(1222), {"at": 1223, "claim": "flag", "by": "black"})  # fmt: skip
        assert out["result"] == result("white", 20, 44, "normal")
        assert out["flags"]["white"] is True
        assert [line["line"] for line in out["rejected"]] == [9]

    @pytest.mark.parametrize("by", ["black", "white"])
    @pytest.mark.parametrize("word", ["claim", "declare"])
    def test_s9_both_flags_are_an_unrated_draw(self, by: str, word: str) -> None:
        out = play(*WHITE_FLAG, {"at": 2401, word: "flag", "by": by})
        assert (out["state"], out["result"]) == ("RESULT", result("draw", 32, 32, "both-flags", rated=False))

    @pytest.mark.parametrize("by", ["black", "white"])
    def test_s10_both_flags_are_the_right_holders_in_a_knockout(self, by: str) -> None:
        out = play(*WHITE_FLAG, {"at": 2401, "claim": "flag", "by": by}, setup=FINAL)
        assert out["result"] == result("white", 32, 32, "both-flags", rated=False)

    def test_s11_the_late_player_chooses_a_forfeit(self) -> None:
        out = play(*LATE, {"at": 300, "hold": "white"}, {"at": 310, "arbiter": FORFEIT})
        assert (out["state"], out["result"]) == ("RESULT", result("black", 64, 0, "late", rated=False))
        assert out["remaining_ms"] == {"black": 1_200_000, "white": 900_000}

    def test_s12_the_late_player_never_comes(self) -> None:
        before = play(*LATE, {"at": 1199.999, "claim": "flag", "by": "black"})
        assert (before["state"], before["result"], before["remaining_ms"]["white"]) == ("LATE", None, 1)
        out = play(*LATE, {"at": 1200, "claim": "flag", "by": "black"})
        assert (out["state"], out["result"]) == ("RESULT", result("black", 64, 0, "late", rated=False))
        assert any("64–0" in text for text in out["shown_to_arbiter"])

    def test_s12_as_the_text_of_m43_14_has_it(self) -> None:
        setup = {**LEAGUE, "options": {"late_never_came": "choice"}}
        out = play(*LATE, {"at": 1300, "choose": "33-31"}, setup=setup)
        assert out["result"] == result("black", 33, 31, "time")

    @pytest.mark.parametrize(("options", "state"), [({"countdown_from_s": 60}, "CHOICE"), ({}, "TURN")])
    def test_s13_an_illegal_move_in_the_countdown_is_a_time_loss_after_correction(
        self, options: Line, state: str
    ) -> None:
        wrong = changed(after("f5d6"), d5="X")
        lines: list[Line] = [
            {"at": 0, "press": "white"},
            {"at": 1, "board": F5},
            {"at": 2, "press": "black"},
            {"at": 1150, "board": wrong},
            {"at": 1152, "press": "white"},
            {"at": 1153, "press": "black"},
            {"at": 1154, "claim": "illegal", "by": "black", "kind": "IM-4", "squares": ["d5"]},
            {"at": 1155, "agree": True},
            {"at": 1156, "board": after("f5d6")},
            {"at": 1157, "press": "white"},
        ]
        out = play(*lines, setup={**LEAGUE, "options": options})
        assert out["state"] == state
        assert out["transcript"] == "f5d6"
        assert out["remaining_ms"] == {"black": 1_200_000 - 2_000 - 1_000, "white": 1_200_000 - 1_150_000 - 4_000}
        if state == "CHOICE":
            out = play(*lines, {"at": 1158, "choose": "33-31"}, setup={**LEAGUE, "options": options})
            assert out["result"] == result("black", 33, 31, "time")
