"""Tests of ``kiosk play`` under M40: the situations of RULES.md 3.5, one test a row."""

from __future__ import annotations

import pytest
from matches.games import DRAW, EMPTIES, FULL, WIPE_OUT, turns
from matches.scripts import FORFEIT, LATE, WHITE_FLAG, Line, game, play, signed

M40: Line = {"rules": "m40", "stage": "league", "draw_right": "white", "main_s": 1200, "options": {}}


def won(winner: str, end: str, rated: bool = True) -> Line:
    """Return the card of a game won without a disc count (M40-15.1)."""
    return {"winner": winner, "black_discs": None, "white_discs": None, "end": end, "rated": rated}


@pytest.mark.parametrize(("transcript", "winner"), [(EMPTIES, "black"), (FULL, "white"), (WIPE_OUT, "black")])
def test_normal_end_more_discs(transcript: str, winner: str) -> None:
    last = "white" if winner == "black" else "black"
    out = play(*game(transcript), {"at": 70, "end": last}, *signed(71), setup=M40)
    assert (out["state"], out["result"], out["rejected"]) == ("SIGNED", won(winner, "normal"), [])


def test_normal_end_counted_by_hand() -> None:
    out = play({"at": 0, "press": "white"}, {"at": 1, "press": "black"}, {"at": 2, "end": "white"},
               {"at": 3, "discs": {"black": 40, "white": 24}}, *signed(4), setup=M40)  # fmt: skip
    assert (out["state"], out["result"]) == ("SIGNED", won("black", "normal"))
    assert out["shown_to_arbiter"] == []


@pytest.mark.parametrize("stage", ["league", "knockout"])
@pytest.mark.parametrize("right", ["black", "white"])
def test_32_32_is_the_right_holders(stage: str, right: str) -> None:
    setup = {**M40, "stage": stage, "draw_right": right}
    out = play(*game(DRAW), {"at": 70, "end": "black"}, {"at": 71, "agree": True}, setup=setup)
    assert out["result"] == won(right, "normal")


def test_32_32_without_a_right_holder_is_decided_by_the_arbiter() -> None:
    lines = [*game(DRAW), {"at": 70, "end": "black"}, {"at": 71, "agree": True}]
    out = play(*lines, setup={**M40, "draw_right": None})
    assert (out["state"], out["result"]) == ("ENDED", None)
    order: Line = {"action": "result", "winner": "white", "black_discs": None, "white_discs": None, "reason": "lot"}
    ruled = play(*lines, {"at": 72, "arbiter": order}, setup={**M40, "draw_right": None})
    assert ruled["result"] == won("white", "arbiter")


@pytest.mark.parametrize("line", [{"claim": "flag", "by": "black"}, {"declare": "flag", "by": "white"}])
def test_one_flag_claimed_or_declared_is_an_immediate_loss(line: Line) -> None:
    out = play(*WHITE_FLAG, {"at": 1212, **line}, setup=M40)
    assert (out["state"], out["running"], out["result"]) == ("RESULT", None, won("black", "time"))


def test_one_flag_in_mid_move_is_an_immediate_loss() -> None:
    (_, _, first), (_, _, second) = list(turns(EMPTIES))[:2]
    lines: list[Line] = [{"at": 0, "press": "white"}, {"at": 1, "board": first}, {"at": 2, "press": "black"},
                         {"at": 1200, "board": second}, {"at": 1201, "claim": "flag", "by": "black"}]  # fmt: skip
    assert play(*lines, setup=M40)["result"] is None, "White has one more second"
    assert play(*lines, {"at": 1202, "claim": "flag", "by": "black"}, setup=M40)["result"] == won("black", "time")


def test_one_flag_unclaimed_is_not_signalled_and_has_no_effect() -> None:
    out = play(*WHITE_FLAG, {"at": 1300, "end": "black"}, {"at": 1301, "discs": {"black": 20, "white": 44}},
               *signed(1302), setup=M40)  # fmt: skip
    assert out["result"] == won("white", "normal")
    assert not any("time" in text.lower() for text in out["shown_to_players"] + out["shown_to_arbiter"])


def test_one_flag_cannot_be_called_by_an_arbiter() -> None:
    out = play(*WHITE_FLAG, {"at": 1212, "arbiter": {"action": "flag", "reason": "seen"}}, setup=M40)
    assert (out["state"], len(out["rejected"])) == ("TURN", 1)


def test_one_flag_of_the_last_mover_may_be_claimed_until_the_result_is_agreed() -> None:
    lines: list[Line] = [{"at": 0, "press": "white"}]
    at = 0
    for number, (by, _, cells) in enumerate(turns(WIPE_OUT), start=1):
        at += 1300 if number == 9 else 1
        lines += [{"at": at, "board": cells}, {"at": at, "press": str(by)}]
    ended: list[Line] = [*lines, {"at": 1310, "end": "white"}]
    claimed = play(*ended, {"at": 1312, "claim": "flag", "by": "white"}, setup=M40)
    assert claimed["result"] == won("white", "time")
    agreed = play(*ended, {"at": 1311, "agree": True}, {"at": 1312, "claim": "flag", "by": "white"}, setup=M40)
    assert agreed["result"] == won("black", "normal")


@pytest.mark.parametrize("by", ["black", "white"])
def test_both_flags_are_the_right_holders_and_not_rated(by: str) -> None:
    out = play(*WHITE_FLAG, {"at": 2401, "claim": "flag", "by": by}, setup=M40)
    assert out["result"] == won("white", "both-flags", rated=False)


def test_late_chooses_forfeit() -> None:
    out = play(*LATE, {"at": 300, "hold": "white"}, {"at": 310, "arbiter": FORFEIT}, setup=M40)
    assert out["result"] == won("black", "late", rated=False)


@pytest.mark.parametrize(("reading", "end", "rated"), [("forfeit", "late", False), ("choice", "time", True)])
def test_late_until_the_time_is_used_up(reading: str, end: str, rated: bool) -> None:
    before = play(*LATE, {"at": 1199.999, "claim": "flag", "by": "black"}, setup=M40)
    assert (before["state"], before["result"]) == ("LATE", None)
    setup = {**M40, "options": {"late_never_came": reading}}
    out = play(*LATE, {"at": 1200, "claim": "flag", "by": "black"}, setup=setup)
    assert (out["state"], out["result"]) == ("RESULT", won("black", end, rated))


def test_of_a_player_who_never_came_the_arbiter_reads_no_discs() -> None:
    """M40-15.1, AMB-05."""
    out = play(*LATE, {"at": 1300, "confirm": "black"}, setup=M40)
    assert out["state"] == "RESULT" and len(out["rejected"]) == 1
    assert "a loss, unrated, or lost on time, rated" in out["shown_to_arbiter"][-1]
    assert "64" not in out["shown_to_arbiter"][-1]


@pytest.mark.parametrize(("stage", "main_s"), [("league", 600), ("knockout", 900)])
def test_elementary_division_has_less_time_and_no_draws(stage: str, main_s: int) -> None:
    """AMB-21, M40E-1."""
    setup = {**M40, "stage": stage, "main_s": main_s}
    lines: list[Line] = [{"at": 0, "press": "white"}, {"at": main_s, "claim": "flag", "by": "white"}]
    assert play(*lines, setup=setup)["result"] == won("white", "time")
    assert play(*game(DRAW), {"at": 70, "end": "black"}, {"at": 71, "agree": True}, setup=setup)["result"] == won(
        "white", "normal"
    )


def test_a_challenge_has_no_countdown() -> None:
    """M40-5a: row 11 does not apply; the corrected turn returns to the challenger."""
    lines: list[Line] = [{"at": 0, "press": "white"}, {"at": 1195, "press": "black"}, {"at": 1196, "press": "white"},
                         {"at": 1197, "claim": "illegal", "by": "white", "kind": "IM-1"}, {"at": 1198, "agree": True},
                         {"at": 1199, "press": "black"}]  # fmt: skip
    out = play(*lines, setup=M40)
    assert (out["state"], out["running"], out["result"]) == ("TURN", "white", None)


def test_time_is_not_deducted_but_a_clock_can_be_corrected() -> None:
    """M40-18, M40-25."""
    deduct: Line = {"action": "deduct", "from": "black", "seconds": 60, "reason": "unfair"}
    times: Line = {"action": "set_time", "black_s": 600, "white_s": 700, "reason": "clock fault"}
    out = play({"at": 0, "press": "white"}, {"at": 1, "arbiter": deduct}, {"at": 2, "arbiter": times}, setup=M40)
    assert [line["line"] for line in out["rejected"]] == [3]
    assert out["remaining_ms"] == {"black": 600_000, "white": 700_000}
