"""Tests of ``kiosk play``: further situations of RULES.md 3, one test each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands.called import Cli
from matches.games import DRAW, START, changed, turns
from matches.scripts import F5, Line, play, result

from kiosk.errors import InputError
from kiosk.play.table_script_parser import read_script

F5D6 = list(turns("f5d6"))[1][2]
BYO_YOMI: Line = {"control": "byo-yomi", "period_s": 30, "periods": 5}


@pytest.mark.parametrize(
    ("rules", "options", "state"),
    [
        ("m43", BYO_YOMI, "CHOICE"),
        ("m43", {"countdown_from_s": 30}, "CHOICE"),
        ("m40", BYO_YOMI, "TURN"),
        ("m40", {"countdown_from_s": 30}, "TURN"),
        ("team", BYO_YOMI, "TURN"),
        ("team", {"countdown_from_s": 30}, "TURN"),
    ],
)
def test_only_m43_makes_a_time_loss_of_an_illegal_move_in_the_countdown(rules: str, options: Line, state: str) -> None:
    """M43-15.5; M40-5a and TEAM (AMB-19) have no countdown clause, so row 11 does not apply."""
    main_s = 10 if "control" in options else 60
    setup: Line = {"rules": rules, "stage": "league", "draw_right": "black", "main_s": main_s, "options": options}
    out = play(
        {"at": 0, "press": "white"},
        {"at": 1, "board": F5},
        {"at": 2, "press": "black"},
        {"at": 40, "board": changed(F5D6, d5="X")},
        {"at": 41, "press": "white"},
        {"at": 42, "press": "black"},
        {"at": 43, "agree": True},
        {"at": 44, "board": F5D6},
        {"at": 45, "press": "white"},
        setup=setup,
    )
    assert (out["state"], out["transcript"], out["rejected"]) == (state, "f5d6", [])


def test_the_press_after_a_move_that_the_board_showed_complete_is_allowed() -> None:
    """Row 16, M43-6d: only this press is allowed if the table read the complete move before the player pressed."""
    setup: Line = {"rules": "m43", "stage": "league", "main_s": 60, "options": {}}
    lines: list[Line] = [
        {"at": 0, "press": "white"},
        {"at": 59, "board": changed(START, f5="X")},
        {"at": 61, "claim": "flag", "by": "white"},
        {"at": 62, "board": F5},
        {"at": 63, "press": "black"},
    ]
    out = play(*lines, setup=setup)
    assert (out["state"], out["running"], out["transcript"], out["rejected"]) == ("CHOICE", None, "f5", [])
    again = play(*lines, {"at": 64, "press": "black"}, {"at": 65, "press": "white"}, setup=setup)
    assert (again["state"], [line["line"] for line in again["rejected"]]) == ("CHOICE", [7, 8])


def test_a_player_presses_after_his_last_move() -> None:
    """TEAM-7.7a, TEAM-10.1: the board shows the move before the press."""
    played = list(turns(DRAW))
    lines: list[Line] = [{"at": 0, "press": "white"}]
    for number, (by, _, cells) in enumerate(played[:-1], start=1):
        lines += [{"at": number, "board": cells}, {"at": number, "press": str(by)}]
    zero = {"action": "set_time", "black_s": 0, "white_s": 0, "reason": "test"}
    mover = str(played[-1][0])
    other = "black" if mover == "white" else "white"
    lines += [
        {"at": 70, "arbiter": zero},
        {"at": 70, "claim": "flag", "by": other},
        {"at": 72, "board": played[-1][2]},
        {"at": 73, "press": mover},
        {"at": 74, "agree": True},
    ]
    out = play(*lines, setup={"rules": "team", "draw_right": "white"})
    assert (out["result"], out["rejected"]) == (result("white", 32, 32, "normal"), [])


def test_a_late_player_may_arrive_while_the_clock_is_on_hold() -> None:
    """Row 3, M43-13.1: also after a power cut, and his time does not run a second time."""
    out = play(
        {"at": 0, "arbiter": {"action": "late_start", "absent": "black"}},
        {"at": 0, "press": "white"},
        {"at": 60, "power": "cut"},
        {"at": 70, "power": "on"},
        {"at": 300, "arrive": True},
    )
    assert (out["state"], out["running"], out["rejected"]) == ("READY", None, [])
    assert out["remaining_ms"] == {"black": 1_140_000, "white": 1_200_000}
    nobody = play({"at": 0, "press": "white"}, {"at": 1, "hold": "black"}, {"at": 2, "arrive": True})
    assert (nobody["state"], [line["line"] for line in nobody["rejected"]]) == ("HOLD", [4])


def test_a_rejected_line_names_the_expected_input() -> None:
    out = play({"at": 0, "confirm": "black"}, {"at": 1, "press": "white"}, {"at": 2, "choose": "33-31"})
    assert [line["text"] for line in out["rejected"]] == [
        "not possible now: White presses to start the game",
        "not possible now: the player in turn moves or passes, and presses",
    ]


@pytest.mark.parametrize("at", ["1e999999999", "1E+1000000000000000000000", "-1e999999999"])
def test_a_number_beyond_the_clock_range_is_refused_with_its_line(at: str) -> None:
    with pytest.raises(InputError, match="script line 2: "):
        read_script(f'{{"setup": {{}}}}\n{{"at": {at}, "press": "white"}}')


def test_a_script_may_contain_a_byte_order_mark_and_line_separators(tmp_path: Path, cli: Cli) -> None:
    """A leading U+FEFF is skipped; U+2028 within a text ends no line."""
    unrated = json.dumps({"at": 1, "arbiter": {"action": "unrated", "reason": "a\u2028b"}}, ensure_ascii=False)
    script = tmp_path / "script.jsonl"
    script.write_text(f'\ufeff{{"setup": {{}}}}\n{unrated}\n', encoding="utf-8")
    assert cli.json("play", script)["rejected"] == []
