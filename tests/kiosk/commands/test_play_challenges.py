"""Tests of ``kiosk play``: illegal moves and challenges."""

from __future__ import annotations

import pytest
from matches.games import START, WIPE_OUT, after, changed
from matches.scripts import BOARD, F5, WHITE_FLAG_READ, Line, game, play


class TestChallenges:
    """M43-6a, M43-10.1, K-08, K-11."""

    #: White played d6 and did not turn d5
    WRONG = changed(after("f5d6"), d5="X")
    UNTURNED: tuple[Line, ...] = (
        {"at": 0, "press": "white"}, {"at": 1, "board": F5}, {"at": 2, "press": "black"},
        {"at": 3, "board": WRONG}, {"at": 4, "press": "white"},
    )  # fmt: skip

    def test_an_illegal_move_is_shown_to_the_arbiter_only(self) -> None:
        out = play(*self.UNTURNED)
        assert out["findings"] == [{"ply": 2, "kind": "IM-4", "squares": ["d5"]}]
        assert out["shown_to_players"] == []
        assert any("d5" in text for text in out["shown_to_arbiter"])
        assert (out["state"], out["running"]) == ("TURN", "black")

    def test_unchallenged_it_stands_and_play_goes_on_from_the_board_as_it_is(self) -> None:
        board = changed(self.WRONG, c4="X", d4="X")  # legal on the unchanged board: c4 turns d4
        out = play(*self.UNTURNED, {"at": 5, "board": board}, {"at": 6, "press": "black"})
        assert len(out["findings"]) == 1
        assert out["transcript"] == "f5d6c4"

    def test_a_press_without_a_change_is_a_challenge(self) -> None:
        out = play(*self.UNTURNED, {"at": 6, "press": "black"})
        assert (out["state"], out["running"]) == ("CORR", "white")
        assert [text for text in out["shown_to_players"] if "White's time is running: challenge" in text]
        assert not any("d5" in text or "IM-" in text for text in out["shown_to_players"])

    def test_a_correct_claim_is_confirmed_and_the_move_corrected(self) -> None:
        lines: list[Line] = [
            *self.UNTURNED,
            {"at": 6, "press": "black"},
            {"at": 7, "claim": "illegal", "by": "black", "kind": "IM-4", "squares": ["d5", "e5"]},
        ]
        out = play(*lines)
        assert any("Confirmed: IM-4 d5" in text for text in out["shown_to_players"])
        assert any("Not found: IM-4 e5" in text for text in out["shown_to_players"])
        lines += [{"at": 8, "agree": True}, {"at": 9, "board": after("f5d6")}, {"at": 10, "press": "white"}]
        out = play(*lines)
        assert (out["state"], out["running"], out["transcript"]) == ("TURN", "black", "f5d6")
        assert out["remaining_ms"] == {"black": 1_196_000, "white": 1_194_000}
        assert len(out["findings"]) == 1

    def test_errors_that_were_not_named_are_not_shown_to_the_players(self) -> None:
        out = play(*self.UNTURNED, {"at": 6, "claim": "illegal", "by": "black", "kind": "IM-5", "squares": ["c4"]})
        assert (out["state"], out["running"]) == ("CORR", "white")
        assert not any("d5" in text or "IM-4" in text for text in out["shown_to_players"])

    def test_an_ambiguous_error_is_left_to_the_players(self) -> None:
        """M43-6a.6: if two white discs were put on a1 and b1, the players say which one was the move."""
        two = changed(after("f5"), a1="O", b1="O")
        line: Line = {"at": 4, "claim": "illegal", "by": "black", "kind": "IM-6", "squares": ["b1"]}
        out = play(*self.UNTURNED[:3], {"at": 3, "board": two}, {"at": 3.5, "press": "white"}, line)
        assert not any("Confirmed" in text or "Not found" in text for text in out["shown_to_players"])
        line["kind"], line["squares"] = "IM-3", ["h8"]
        out = play(*self.UNTURNED[:3], {"at": 3, "board": two}, {"at": 3.5, "press": "white"}, line)
        assert any("Not found: IM-3 h8" in text for text in out["shown_to_players"])

    @pytest.mark.parametrize("kind", ["IM-4", "IM-5", "IM-6", "IM-7"])
    def test_discs_and_squares_must_be_named(self, kind: str) -> None:
        out = play(*self.UNTURNED, {"at": 6, "claim": "illegal", "by": "black", "kind": kind, "squares": []})
        assert (out["state"], out["running"], len(out["rejected"])) == ("TURN", "black", 1)

    def test_an_unfounded_challenge_costs_nothing_but_time(self) -> None:
        lines: list[Line] = [
            *game("f5d6"),
            {"at": 3, "press": "black"},
            {"at": 4, "claim": "illegal", "by": "black", "kind": "IM-4", "squares": ["e5"]},
        ]
        lines += [{"at": 6, "press": "white"}]
        out = play(*lines)
        assert (out["state"], out["running"], out["transcript"]) == ("TURN", "black", "f5d6")
        assert (out["findings"], out["rejected"]) == ([], [])
        again = play(*lines, {"at": 7, "press": "black"})
        assert (again["state"], again["running"]) == ("CORR", "white")
        moved = play(*lines, {"at": 8, "board": after("f5d6c3")}, {"at": 9, "press": "black"})
        assert (moved["state"], moved["transcript"]) == ("TURN", "f5d6c3")

    def test_no_agreement_stops_the_clock_for_the_arbiter(self) -> None:
        lines: list[Line] = [*self.UNTURNED, {"at": 6, "press": "black"}, {"at": 7, "agree": False}]
        out = play(*lines)
        assert (out["state"], out["running"]) == ("HOLD", None)
        out = play(*lines, {"at": 60, "arbiter": {"action": "resume", "reason": "explained"}})
        assert (out["state"], out["running"]) == ("CORR", "white")

    def test_an_error_too_large_to_point_out_goes_to_the_arbiter(self) -> None:
        chaos = changed(after("f5d6"), a1="X", a2="O", h8="O", h1="X")
        out = play(*game("f5"), {"at": 2, "board": chaos}, {"at": 3, "press": "white"}, {"at": 4, "press": "black"},
                   {"at": 5, "claim": "illegal", "by": "black"})  # fmt: skip
        assert (out["state"], out["running"]) == ("HOLD", None)
        assert out["findings"][0]["kind"] == "IM-10"

    def test_a_challenge_after_touching_the_board_is_too_late(self) -> None:
        out = play(*self.UNTURNED, {"at": 5, "board": changed(self.WRONG, c4="X")},
                   {"at": 6, "claim": "illegal", "by": "black", "kind": "IM-4", "squares": ["d5"]})  # fmt: skip
        assert (out["state"], len(out["rejected"])) == ("TURN", 1)

    def test_only_the_preceding_turn_and_only_by_the_opponent(self) -> None:
        claim: Line = {"at": 6, "claim": "illegal", "by": "white", "kind": "IM-3", "squares": []}
        assert len(play(*self.UNTURNED, claim)["rejected"]) == 1
        first = play({"at": 0, "press": "white"}, {**claim, "by": "black"}, setup=BOARD)
        assert (first["state"], len(first["rejected"])) == ("TURN", 1)

    def test_with_nothing_to_challenge_an_unchanged_board_is_a_false_pass(self) -> None:
        out = play({"at": 0, "board": START}, {"at": 1, "press": "white"}, {"at": 2, "press": "black"})
        assert (out["state"], out["running"]) == ("TURN", "white")
        assert out["findings"] == [{"ply": 1, "kind": "IM-7", "squares": ["d3", "c4", "f5", "e6"]}]
        assert out["shown_to_players"] == []
        out = play({"at": 0, "board": START}, {"at": 1, "press": "white"}, {"at": 2, "press": "black"},
                   {"at": 3, "press": "white"},
                   {"at": 4, "claim": "illegal", "by": "white", "kind": "IM-7", "squares": ["f5"]},
                   {"at": 5, "board": F5}, {"at": 6, "press": "black"})  # fmt: skip
        assert (out["state"], out["running"], out["transcript"]) == ("TURN", "white", "f5")
        assert not any("d3" in text for text in out["shown_to_players"])

    def test_the_last_move_may_be_challenged_and_corrected(self) -> None:
        right, before = after(WIPE_OUT), after(WIPE_OUT[:-2])
        extra = next(
            name for name in ("d5", "e5", "d4") if right[(int(name[1]) - 1) * 8 + "abcdefgh".index(name[0])] == "X"
        )
        wrong = changed(right, **{extra: "O"})
        assert before.count("O")
        lines = game(WIPE_OUT[:-2])
        lines += [{"at": 9, "board": wrong}, {"at": 10, "press": "black"}]
        out = play(*lines)
        assert out["findings"]
        out = play(*lines, {"at": 11, "press": "white"}, {"at": 12, "board": right}, {"at": 13, "press": "black"})
        assert (out["state"], out["running"], out["transcript"]) == ("CHECK", "white", WIPE_OUT)
        out = play(
            *game(WIPE_OUT), {"at": 10, "press": "white"}, {"at": 11, "press": "black"}, {"at": 12, "end": "white"}
        )
        assert (out["state"], out["rejected"]) == ("ENDED", [])

    def test_without_a_board_source_the_claim_says_what_the_press_was(self) -> None:
        lines: list[Line] = [{"at": 0, "press": "white"}, {"at": 1, "press": "black"}, {"at": 2, "press": "white"}]
        claim: Line = {"at": 4, "claim": "illegal", "by": "black", "kind": "IM-4", "squares": ["e5"]}
        for extra in ([], [{"at": 3, "press": "black"}]):
            out = play(*lines, *extra, claim)
            assert (out["state"], out["running"], out["rejected"]) == ("CORR", "white", [])
            back = play(*lines, *extra, claim, {"at": 5, "press": "white"})
            assert (back["state"], back["running"]) == ("TURN", "black")
            twice = play(*lines, *extra, claim, {"at": 5, "press": "white"}, {**claim, "at": 6, "by": "white"})
            assert (twice["state"], len(twice["rejected"])) == ("TURN", 1)

    def test_free_play_errors_are_corrected_on_the_winners_time(self) -> None:
        wrong = changed(after("f5d6c3"), d4="O")
        lines: list[Line] = [*WHITE_FLAG_READ, {"at": 1212, "claim": "flag", "by": "black"},
                             {"at": 1213, "choose": "free-play"}, {"at": 1215, "board": wrong}]  # fmt: skip
        assert play(*lines)["findings"] == [], "nobody has left the move yet"
        claim: Line = {"at": 1216, "claim": "illegal", "by": "white", "kind": "IM-4", "squares": ["d4"]}
        out = play(*lines, claim, {"at": 1217, "board": after("f5d6c3")}, {"at": 1218, "board": after("f5d6c3d3")})
        assert (out["state"], out["running"], out["transcript"]) == ("FREE", "black", "f5d6c3d3")
        assert out["findings"] == [{"ply": 3, "kind": "IM-4", "squares": ["d4"]}]
        assert any("Confirmed: IM-4 d4" in text for text in out["shown_to_players"])
        assert len(play(*lines, {**claim, "by": "black"})["rejected"]) == 1
