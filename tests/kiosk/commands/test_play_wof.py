"""Tests of ``kiosk play`` under international practice: draws, and the loser on time who continues to play."""

from __future__ import annotations

import pytest
from matches.games import DRAW, EMPTIES, FULL, turns
from matches.scripts import WHITE_FLAG, Line, game, play, result, signed

WOF: Line = {"rules": "wof", "main_s": 1200}


def flagged(transcript: str) -> list[Line]:
    """Return the state after Black's flag has fallen on his first move."""
    (_, _, first), *_ = turns(transcript)
    return [{"at": 0, "press": "white"}, {"at": 1201, "board": first}, {"at": 1202, "press": "black"}]


def rest(transcript: str, start: float) -> list[Line]:
    lines: list[Line] = []
    for number, (by, _, cells) in enumerate(list(turns(transcript))[1:], start=1):
        lines += [{"at": start + number, "board": cells}, {"at": start + number, "press": str(by)}]
    return lines


def test_normal_end_draw_and_extinction_are_as_in_other_rule_sets() -> None:
    assert play(*game(DRAW), {"at": 70, "end": "black"}, *signed(71), setup=WOF)["result"] == result(
        "draw", 32, 32, "normal"
    )
    out = play(*game(EMPTIES), {"at": 70, "end": "white"}, *signed(71), setup=WOF)
    assert out["result"] == result("black", 41, 23, "normal")


def test_the_loser_on_time_continues_with_two_minutes() -> None:
    out = play(*flagged(EMPTIES), {"at": 1210, "claim": "flag", "by": "white"}, setup=WOF)
    assert (out["state"], out["running"], out["result"]) == ("TURN", "white", None)
    assert (out["remaining_ms"]["black"], out["flags"]["black"]) == (120_000, False)
    assert any("plays on" in text for text in out["shown_to_players"])
    more = play(*flagged(EMPTIES), {"at": 1210, "claim": "flag", "by": "white"},
                setup={**WOF, "options": {"overtime_s": 60}})  # fmt: skip
    assert more["remaining_ms"]["black"] == 60_000


@pytest.mark.parametrize(("transcript", "end", "black"), [(EMPTIES, "white", 31), (FULL, "black", 12)])
def test_the_loser_on_time_scores_at_most_31(transcript: str, end: str, black: int) -> None:
    lines = [*flagged(transcript), {"at": 1210, "claim": "flag", "by": "white"}, *rest(transcript, 1210)]
    out = play(*lines, {"at": 1300, "end": end}, *signed(1301), setup=WOF)
    assert (out["rejected"], out["result"]) == ([], result("white", black, 64 - black, "time"))


def test_an_equal_board_is_31_33() -> None:
    lines = [*flagged(DRAW), {"at": 1210, "claim": "flag", "by": "white"}, *rest(DRAW, 1210)]
    assert play(*lines, {"at": 1300, "end": "black"}, *signed(1301), setup=WOF)["result"] == result(
        "white", 31, 33, "time"
    )


def test_a_second_flag_is_0_64() -> None:
    lines = [*flagged(EMPTIES), {"at": 1210, "claim": "flag", "by": "white"}, *rest(EMPTIES, 1219)[:2]]
    early = play(*lines, {"at": 1339.999, "claim": "flag", "by": "white"}, setup=WOF)
    assert (early["state"], len(early["rejected"])) == ("TURN", 1)
    out = play(*lines, {"at": 1340, "claim": "flag", "by": "white"}, setup=WOF)
    assert (out["state"], out["result"]) == ("RESULT", result("white", 0, 64, "time"))


def test_the_winner_on_time_cannot_lose_on_time_any_more() -> None:
    lines = [*flagged(EMPTIES), {"at": 1210, "claim": "flag", "by": "white"}]
    out = play(*lines, {"at": 2500, "claim": "flag", "by": "black"}, setup=WOF)
    assert (out["state"], out["flags"]["white"], len(out["rejected"])) == ("TURN", True, 1)
    second = play(*lines, {"at": 2500, "press": "white"}, {"at": 2700, "claim": "flag", "by": "white"}, setup=WOF)
    assert second["result"] == result("white", 0, 64, "time"), "his own late flag does not make both"
    order: Line = {"at": 2700, "arbiter": {"action": "both_flags"}}
    both = play(*lines, *rest(EMPTIES, 2498)[:2], order, setup=WOF)
    assert (both["flags"], both["state"], len(both["rejected"])) == ({"black": True, "white": True}, "TURN", 1)
    assert not any("Both flags" in text for text in both["shown_to_arbiter"])


def test_a_late_player_who_never_comes_does_not_continue() -> None:
    setup = {**WOF, "options": {"late_never_came": "choice"}}
    late: Line = {"at": 0, "arbiter": {"action": "late_start", "absent": "white"}}
    out = play(late, {"at": 2000, "confirm": "black"}, setup=setup)
    assert out["result"] == result("black", 64, 0, "late", rated=False)


def test_the_last_movers_flag_after_the_game_only_limits_the_score() -> None:
    lines: list[Line] = [{"at": 0, "press": "white"}]
    at = 0
    for number, (by, _, cells) in enumerate(turns(EMPTIES), start=1):
        at += 1300 if number == 59 else 1
        lines += [{"at": at, "board": cells}, {"at": at, "press": str(by)}]
    out = play(*lines, {"at": at + 1, "claim": "flag", "by": "white"}, {"at": at + 2, "end": "white"},
               *signed(at + 3), setup=WOF)  # fmt: skip
    assert out["result"] == result("white", 31, 33, "time")


def test_a_clock_that_calls_flags_leaves_the_winner_on_time_alone() -> None:
    setup = {**WOF, "options": {"who_may_call": "clock"}}
    out = play({"at": 0, "press": "white"}, {"at": 1210, "press": "black"}, {"at": 2500, "press": "white"}, setup=setup)
    assert (out["state"], out["running"], out["flags"]) == ("TURN", "black", {"black": False, "white": True})
    over = play({"at": 0, "press": "white"}, {"at": 1320, "press": "black"}, setup=setup)
    assert over["result"] == result("white", 0, 64, "time")


@pytest.mark.parametrize(
    ("options", "state", "black"),
    [
        ({"flag_outcome": "choice"}, "CHOICE", None),
        ({"flag_outcome": "win"}, "RESULT", 33),
        ({"overtime_s": 0}, "RESULT", 64),
    ],
)
def test_other_outcomes_are_options(options: Line, state: str, black: int | None) -> None:
    out = play(*WHITE_FLAG, {"at": 1212, "claim": "flag", "by": "black"}, setup={**WOF, "options": options})
    assert out["state"] == state
    assert (out["result"] and out["result"]["black_discs"]) == black
