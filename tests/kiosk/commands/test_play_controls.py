"""Tests of ``kiosk play`` with every time control: the displayed times in milliseconds, and when the flag falls."""

from __future__ import annotations

from typing import Any

import pytest
from matches.scripts import Line, game, play

MAIN = 300


def play_casual(*lines: Line, **options: object) -> dict[str, Any]:
    return play(*lines, setup={"rules": "casual", "main_s": MAIN, "options": options})


def presses(*ats: float) -> list[Line]:
    """Return presses: White starts at the first time; then Black and White in turn."""
    return [{"at": at, "press": "white" if number % 2 == 0 else "black"} for number, at in enumerate(ats)]


def left(out: dict[str, Any]) -> tuple[int, int]:
    return out["remaining_ms"]["black"], out["remaining_ms"]["white"]


def test_sudden_death() -> None:
    assert left(play_casual(*presses(0, 10, 25.5))) == (290_000, 284_500)


def test_fischer_adds_the_increment_after_every_turn() -> None:
    assert left(play_casual(*presses(0, 10, 12), control="fischer", increment_s=5)) == (295_000, 303_000)
    assert left(play_casual(*presses(0, 10, 12, 14.25), control="fischer", increment_s=0.5)) == (288_750, 298_500)


def test_fischer_adds_nothing_for_a_challenge() -> None:
    """The press that is a challenge completed no turn."""
    claim: Line = {"at": 21, "claim": "illegal", "by": "black", "kind": "IM-1"}
    out = play_casual(*presses(0, 10, 12, 20), claim, control="fischer", increment_s=5)
    assert (out["state"], out["running"], left(out)) == ("CORR", "white", (300_000 - 10_000 + 5_000 - 8_000, 302_000))


def test_fischer_adds_nothing_for_a_challenge_shown_by_the_board() -> None:
    lines = [*game("f5d6"), {"at": 10, "press": "black"}]
    out = play_casual(*lines, control="fischer", increment_s=5)
    assert (out["state"], out["running"], left(out)) == ("CORR", "white", (300_000 - 1_000 + 5_000 - 8_000, 304_000))


def test_bronstein_gives_back_what_the_turn_took_up_to_the_delay() -> None:
    options = {"control": "bronstein", "delay_s": 5}
    assert left(play_casual(*presses(0, 10, 12), **options)) == (295_000, 300_000)
    held: list[Line] = [*presses(0), {"at": 3, "hold": "black"}, {"at": 100, "arbiter": {"action": "resume"}},
                        {"at": 104, "press": "black"}]  # fmt: skip
    assert left(play_casual(*held, **options))[0] == 298_000, "three and four seconds are one turn"


def test_simple_delay_charges_nothing_for_the_first_seconds_of_a_turn() -> None:
    options = {"control": "simple-delay", "delay_s": 5}
    assert left(play_casual(*presses(0, 4, 12), **options)) == (300_000, 297_000)
    assert left(play_casual(*presses(0), {"at": 4.999, "claim": "flag", "by": "white"}, **options)) == (
        300_000,
        300_000,
    )
    held: list[Line] = [*presses(0), {"at": 3, "hold": "black"}, {"at": 100, "arbiter": {"action": "resume"}},
                        {"at": 104, "press": "black"}]  # fmt: skip
    assert left(play_casual(*held, **options))[0] == 298_000, "two free seconds were left"
    flag = play_casual(*presses(0), {"at": 304.999, "claim": "flag", "by": "white"}, **options)
    assert flag["state"] == "TURN"
    assert play_casual(*presses(0), {"at": 305, "claim": "flag", "by": "white"}, **options)["state"] == "RESULT"


def test_byo_yomi_periods_follow_the_main_time() -> None:
    options = {"control": "byo-yomi", "period_s": 30, "periods": 3}
    assert left(play_casual(*presses(0), {"at": 310, "hold": "white"}, **options))[0] == 20_000
    assert left(play_casual(*presses(0, 310), **options))[0] == 30_000, "a turn within a period leaves it whole"
    assert left(play_casual(*presses(0), {"at": 365, "hold": "white"}, **options))[0] == 25_000, "the third has begun"
    assert left(play_casual(*presses(0, 365, 366), {"at": 395.999, "hold": "white"}, **options))[0] == 1
    again = play_casual(*presses(0, 365, 366), {"at": 396, "claim": "flag", "by": "white"}, **options)
    assert again["state"] == "RESULT", "two periods were lost with the first turn"
    fresh = play_casual(*presses(0), {"at": 389.999, "claim": "flag", "by": "white"}, **options)
    assert (fresh["state"], left(fresh)[0]) == ("TURN", 1)
    assert play_casual(*presses(0), {"at": 390, "claim": "flag", "by": "white"}, **options)["state"] == "RESULT"


def test_hourglass_adds_the_time_used_to_the_opponents_clock() -> None:
    assert left(play_casual(*presses(0, 10, 12.5), control="hourglass")) == (292_500, 307_500)
    running = play_casual(*presses(0), {"at": 100, "claim": "flag", "by": "black"}, control="hourglass")
    assert left(running) == (200_000, 400_000)
    over = play_casual(*presses(0), {"at": 300, "claim": "flag", "by": "white"}, control="hourglass")
    assert (over["state"], left(over)) == ("RESULT", (0, 600_000))


def test_per_move_limit_begins_anew_with_every_turn() -> None:
    options = {"control": "per-move", "limit_s": 20}
    assert left(play_casual(*presses(0, 15, 30), {"at": 33, "hold": "white"}, **options)) == (17_000, 20_000)
    assert play_casual(*presses(0, 19.999, 30), **options)["flags"] == {"black": False, "white": False}
    assert play_casual(*presses(0), {"at": 20, "claim": "flag", "by": "white"}, **options)["state"] == "RESULT"


def test_up_count_shows_the_time_used_and_never_runs_out() -> None:
    out = play_casual(*presses(0, 1000, 1002), {"at": 5000, "claim": "flag", "by": "white"}, control="up-count")
    assert (out["state"], left(out), out["flags"]) == ("TURN", (4_998_000, 2_000), {"black": False, "white": False})
    late: Line = {"at": 0, "arbiter": {"action": "late_start", "absent": "white"}}
    assert (
        play_casual(late, {"at": 9, "press": "black"}, {"at": 20, "arrive": True}, control="up-count")["state"]
        == "READY"
    )


def test_the_clock_can_be_set_to_call_the_flag() -> None:
    out = play_casual(*presses(0, 10), {"at": 400, "press": "white"}, who_may_call="clock")
    assert (out["state"], out["result"]["winner"], out["result"]["end"]) == ("RESULT", "black", "time")
    assert left(out) == (290_000, 0)


@pytest.mark.parametrize("control", ["fischer", "bronstein", "simple-delay", "per-move", "byo-yomi"])
def test_a_power_cut_in_mid_turn_keeps_the_control(control: str) -> None:
    step = {"fischer": "increment_s", "per-move": "limit_s", "byo-yomi": "period_s"}.get(control, "delay_s")
    lines: list[Line] = [*presses(0, 10, 12), {"at": 20, "power": "cut"}, {"at": 90, "power": "on"}]
    cut = play_casual(*lines, control=control, **{step: 60})
    held = play_casual(*presses(0, 10, 12), {"at": 20, "hold": "black"}, control=control, **{step: 60})
    assert (cut["state"], left(cut)) == ("HOLD", left(held))


def test_a_control_may_be_set_in_any_rule_set() -> None:
    """AMB-01: M43-15.5 is in force where the clock has a countdown, and only there."""
    lines: list[Line] = [*presses(0, 1210, 1212), {"at": 1213, "claim": "illegal", "by": "white", "kind": "IM-1"},
                         {"at": 1214, "agree": True}, {"at": 1215, "press": "black"}]  # fmt: skip
    period: Line = {"control": "byo-yomi", "period_s": 30}
    out = play(*lines, setup={"rules": "m43", "options": period})
    assert (out["state"], out["rejected"]) == ("CHOICE", [])
    assert play(*lines, setup={"rules": "m43", "main_s": 1300, "options": period})["state"] == "TURN"
