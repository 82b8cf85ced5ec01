"""Tests of ``kiosk play`` with the rule options of RULES.md 10.1 that a script can show, and with the additional
fields of the table script."""

from __future__ import annotations

from typing import Any

import pytest
from matches.games import PASSES, START, after, changed, turns
from matches.scripts import FINAL, LEAGUE, WHITE_FLAG, Line, game, play, result, signed

from engine.match.rule_sets_and_options import RULE_SETS, read_options
from kiosk.errors import InputError


def with_options(**options: object) -> Line:
    return {**LEAGUE, "options": options}


def test_every_rule_set_plays_and_names_itself() -> None:
    assert list(RULE_SETS) == ["m43", "m40", "team", "chouchou", "wof", "casual"]
    for name, rules in RULE_SETS.items():
        out = play({"at": 0, "press": "white"}, {"at": 1, "hold": "white"}, setup={"rules": name})
        assert (out["state"], out["remaining_ms"]["black"]) == ("HOLD", rules.main_s * 1000 - 1000)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"flag": "win"}, "unknown option 'flag'"),
        ({"flag_outcome": "loss"}, "flag_outcome must be one of choice, win, play-on"),
        ({"who_may_call": "spectators"}, "who_may_call"),
        ({"draw_submitter": "winner"}, "draw_submitter"),
        ({"target": 0}, "target"),
        ({"overtime_s": -1}, "overtime_s"),
        ({"control": "turbo"}, "control must be one of sudden-death, fischer"),
        ({"control": "fischer"}, "needs the option increment_s"),
        ({"control": "fischer", "delay_s": 5}, "delay_s does not belong to the time control fischer"),
        ({"increment_s": 5}, "increment_s does not belong to the time control sudden-death"),
        ({"control": "byo-yomi", "period_s": 30, "periods": 0}, "periods"),
        ({"control": "bronstein", "delay_s": "5"}, "delay_s"),
        ({"seats": "left"}, "seats"),
    ],
)
def test_an_invalid_option_is_named(options: Line, word: str) -> None:
    with pytest.raises(InputError) as refused:
        play(setup=with_options(**options))
    assert word in str(refused.value)


def test_fractions_of_seconds_are_exact() -> None:
    assert read_options({"control": "fischer", "increment_s": 0.1}).control.step_ns == 100_000_000
    assert play(setup=with_options(countdown_from_s=2.5))["state"] == "READY"


def test_amb_02_a_flag_may_be_called_by_the_clock() -> None:
    out = play({"at": 0, "press": "white"}, {"at": 1300, "press": "black"}, setup=with_options(who_may_call="clock"))
    assert (out["state"], out["remaining_ms"]["black"]) == ("CHOICE", 0)


@pytest.mark.parametrize(("both", "winner"), [("by-stage", "white"), ("draw", "draw"), ("right-holder", "white")])
def test_amb_07_both_flags_in_a_knockout(both: str, winner: str) -> None:
    setup = {**FINAL, "options": {"both_flags": both}}
    out = play(*WHITE_FLAG, {"at": 2401, "claim": "flag", "by": "black"}, setup=setup)
    assert out["result"] == result(winner, 32, 32, "both-flags", rated=False)


@pytest.mark.parametrize(("options", "rated"), [({}, False), ({"forfeit_rated": True}, True)])
def test_amb_09_a_forfeit_is_64_0_unrated_and_the_arbiter_may_change_it(options: Line, rated: bool) -> None:
    forfeit: Line = {"action": "forfeit", "loser": "black", "reason": "unfair"}
    out = play({"at": 0, "press": "white"}, {"at": 5, "arbiter": forfeit}, setup=with_options(**options))
    assert out["result"] == result("white", 0, 64, "forfeit", rated=rated)
    late: list[Line] = [
        {"at": 0, "arbiter": {"action": "late_start", "absent": "black"}},
        {"at": 9, "arbiter": forfeit},
    ]
    assert play(*late, setup=with_options(**options))["result"]["rated"] is False, "a chosen one never is (M43-13.3)"
    edit: Line = {"action": "result", "winner": "white", "black_discs": 31, "white_discs": 33, "reason": "milder"}
    out = play({"at": 0, "press": "white"}, {"at": 5, "arbiter": forfeit}, {"at": 6, "arbiter": edit})
    assert out["result"]["white_discs"] == 33


@pytest.mark.parametrize(("options", "who"), [({}, "Black"), ({"draw_submitter": "white"}, "White")])
def test_amb_14_who_submits_the_card_of_a_draw(options: Line, who: str) -> None:
    lines: list[Line] = [{"at": 0, "press": "white"}, {"at": 1, "press": "black"}, {"at": 2, "end": "white"}]
    draw = play(*lines, {"at": 3, "discs": {"black": 32, "white": 32}}, *signed(4), setup=with_options(**options))
    assert any(f"{who} hands the card in" in text for text in draw["shown_to_players"])
    won = play(*lines, {"at": 3, "discs": {"black": 30, "white": 34}}, *signed(4), setup=with_options(**options))
    assert any("White hands the card in" in text for text in won["shown_to_players"])


@pytest.mark.parametrize(("duty", "state"), [(True, "TURN"), (False, "CORR")])
def test_amb_19_naming_the_discs_is_a_duty_unless_waived(duty: bool, state: str) -> None:
    lines = [*game("f5d6"), {"at": 3, "claim": "illegal", "by": "black", "kind": "IM-4"}]
    assert play(*lines, setup={**LEAGUE, "rules": "team", "options": {"naming_duty": duty}})["state"] == state


@pytest.mark.parametrize(("needs", "state"), [(True, "RESULT"), (False, "CHOICE")])
def test_amb_37_a_claimant_needs_time(needs: bool, state: str) -> None:
    setup = with_options(claimant_needs_time=needs)
    assert play(*WHITE_FLAG, {"at": 2401, "claim": "flag", "by": "black"}, setup=setup)["state"] == state


@pytest.mark.parametrize("rules", ["m43", "m40", "team", "wof", "casual"])
def test_amb_40_the_late_players_time_runs(rules: str) -> None:
    late: Line = {"action": "late_start", "absent": "white"}
    setup = {**LEAGUE, "rules": rules}
    out = play({"at": 0, "arbiter": late}, {"at": 60, "arrive": True}, setup=setup)
    assert out["remaining_ms"] == {"black": 1_200_000, "white": 1_140_000}


@pytest.mark.parametrize(("window", "left"), [(None, 1_190_000), (60, 1_100_000), (0, 1_100_000)])
def test_a_press_long_after_the_order_returns_the_configured_time(window: int | None, left: int) -> None:
    """M43-12.2: the example is ordered at 0, pressed at 90 s, arrived at 100 s."""
    late: Line = {"action": "late_start", "absent": "white"}
    options = {} if window is None else {"late_start_window_s": window}
    lines: list[Line] = [{"at": 0, "arbiter": late}, {"at": 90, "press": "black"}, {"at": 100, "arrive": True}]
    assert play(*lines, setup=with_options(**options))["remaining_ms"] == {"black": 1_200_000, "white": left}


@pytest.mark.parametrize(("cost", "left"), [(0, 1_198_000), (30, 1_168_000)])
def test_amb_41_an_unfounded_challenge_costs_the_configured_time(cost: int, left: int) -> None:
    lines = [*game("f5d6"), {"at": 3, "press": "black"}, {"at": 10, "press": "white"}]
    out = play(*lines, setup=with_options(unfounded_challenge_s=cost))
    assert (out["state"], out["running"], out["remaining_ms"]["black"]) == ("TURN", "black", left)
    agreed = [*game("f5d6"), {"at": 3, "press": "black"}, {"at": 4, "agree": True}, {"at": 10, "press": "white"}]
    assert play(*agreed, setup=with_options(unfounded_challenge_s=cost))["remaining_ms"]["black"] == 1_198_000
    ruling: Line = {"action": "challenge", "upheld": False}
    ruled = [*game("f5d6"), {"at": 3, "press": "black"}, {"at": 4, "arbiter": ruling}, {"at": 4, "hold": "black"}]
    assert play(*ruled, setup=with_options(unfounded_challenge_s=cost))["remaining_ms"]["black"] == left
    wrong = changed(after("f5d6"), d5="X")
    founded: list[Line] = [*game("f5"), {"at": 1.5, "board": wrong}, {"at": 2, "press": "white"},
                           {"at": 3, "press": "black"}, {"at": 10, "press": "white"}]  # fmt: skip
    assert play(*founded, setup=with_options(unfounded_challenge_s=cost))["remaining_ms"]["black"] == 1_198_000


@pytest.mark.parametrize("charged", [True, False])
def test_amb_47_a_pass_is_charged_unless_the_local_rule_says_otherwise(charged: bool) -> None:
    number = len(list(turns(PASSES))) - 2  # Black's pass
    lines = game(PASSES)[: 2 * number - 1]
    out = play(*lines, {"at": number + 99, "press": "black"}, setup=with_options(pass_is_charged=charged))
    before = 1_200_000 - number // 2 * 1000
    assert out["remaining_ms"]["black"] == (before - 100_000 if charged else before)
    said: list[Line] = [{"at": 0, "press": "white"}, {"at": 40, "pass": "black"}, {"at": 50, "press": "black"}]
    out = play(*said, setup=with_options(pass_is_charged=charged))
    assert out["remaining_ms"]["black"] == (1_150_000 if charged else 1_200_000)


def test_unrated_events_have_unrated_games() -> None:
    assert read_options({}, "casual").rated is False
    out = play(*WHITE_FLAG, {"at": 1212, "claim": "flag", "by": "black"}, {"at": 1213, "choose": "33-31"},
               setup=with_options(rated=False))  # fmt: skip
    assert out["result"]["rated"] is False


def opened(*lines: Line) -> dict[str, Any]:
    return play(*lines, setup={**LEAGUE, "rules": "m40", "options": {"seats": "open"}})


@pytest.mark.parametrize("seat", ["left", "right"])
def test_seats_before_colours(seat: str) -> None:
    """K-01: the late player's clock runs on his seat's side; colours and the draw right are decided when he has
    arrived."""
    late: Line = {"action": "late_start", "absent": "right"}
    lines: list[Line] = [{"at": 0, "arbiter": late}, {"at": 100, "arrive": True},
                         {"at": 150, "seats": seat, "draw_right": "white"}]  # fmt: skip
    out = opened(*lines, {"at": 160, "press": "white"}, {"at": 170, "press": "black"})
    assert (out["state"], out["running"], out["rejected"]) == ("TURN", "white", [])
    late_color = "white" if seat == "left" else "black"
    used = {"black": 10_000, "white": 0}
    used[late_color] += 100_000
    assert out["remaining_ms"] == {color: 1_200_000 - spent for color, spent in used.items()}


def test_an_incomplete_setup_cannot_be_started() -> None:
    out = opened({"at": 0, "press": "white"}, {"at": 1, "board": START})
    assert (out["state"], [line["line"] for line in out["rejected"]]) == ("SETUP", [2])
