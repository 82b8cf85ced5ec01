"""``kiosk play`` under ChouChou: the states and situations of RULES.md 3.7."""

from __future__ import annotations

from typing import Any

import pytest
from matches.scripts import Line, play, result

CHOUCHOU: Line = {"rules": "chouchou"}
START: Line = {"at": 0, "press": "white"}


def late(at: float, **line: object) -> dict[str, Any]:
    return play(START, {"at": at, **line}, setup=CHOUCHOU)


def test_the_main_time_is_ten_minutes_unless_the_set_up_says_otherwise() -> None:
    """CC-SUP-2: 10 min on 3x3, 15 min on 4x4."""
    assert late(1, press="black")["remaining_ms"] == {"black": 599_000, "white": 600_000}
    four = play(START, setup={**CHOUCHOU, "main_s": 900, "options": {"target": 15}})
    assert four["remaining_ms"] == {"black": 900_000, "white": 900_000}


def test_the_arbiter_or_the_second_player_starts_the_first_players_time() -> None:
    for start in ({"press": "white"}, {"arbiter": {"action": "resume"}}):
        out = play({"at": 0, **start}, {"at": 10, "hold": "white"}, setup=CHOUCHOU)
        assert (out["rejected"], out["remaining_ms"]["black"]) == ([], 590_000)
    assert play({"at": 0, "arbiter": {"action": "resume"}}, setup={"rules": "m43"})["state"] == "READY"


def test_main_time_used_up_leads_into_sixty_seconds_for_this_move() -> None:
    out = late(630, claim="flag", by="white")
    assert (out["state"], out["remaining_ms"]["black"], out["flags"]["black"]) == ("TURN", 30_000, False)


def test_a_switch_within_sixty_seconds_gives_a_fresh_sixty_next_time() -> None:
    lines: list[Line] = [START, {"at": 659.999, "press": "black"}]
    assert play(*lines, setup=CHOUCHOU)["remaining_ms"]["black"] == 60_000
    again: list[Line] = [*lines, {"at": 670, "press": "white"}, {"at": 729.999, "press": "black"}]
    out = play(*again, setup=CHOUCHOU)
    assert (out["state"], out["running"], out["remaining_ms"]["black"]) == ("TURN", "white", 60_000)
    whole: list[Line] = [*lines, {"at": 670, "press": "white"}, {"at": 730, "press": "black"}]
    assert play(*whole, setup=CHOUCHOU)["remaining_ms"]["black"] == 60_000, "only more than sixty seconds lose"
    over = play(*lines, {"at": 670, "press": "white"}, {"at": 730.001, "press": "black"}, setup=CHOUCHOU)
    assert (over["state"], len(over["rejected"])) == ("RESULT", 1)


def test_sixty_seconds_exceeded_lose_at_once() -> None:
    """CC-WIN-5: nobody has to claim it."""
    assert late(659.999, claim="flag", by="white")["state"] == "TURN"
    out = late(700, press="black")
    assert (out["state"], out["running"]) == ("RESULT", None)
    assert out["result"] == result("white", 0, 0, "time") | {"black_discs": None, "white_discs": None}
    assert out["remaining_ms"]["black"] == 0


@pytest.mark.parametrize("at", [500, 700])
def test_main_and_extension_exceeded_the_sheet_counts_what_was_captured(at: float) -> None:
    """AMB-27: captured less target for both, entered before the loss or after it."""
    out = play(START, {"at": at, "discs": {"black": 6, "white": 9}}, {"at": 701, "confirm": "black"}, setup=CHOUCHOU)
    assert (out["rejected"], out["result"]) == ([], result("white", 6, 9, "time"))


def test_nobody_reaches_the_target_after_his_loss_on_time() -> None:
    out = play(START, {"at": 700, "discs": {"black": 12, "white": 9}}, setup=CHOUCHOU)
    assert (out["result"]["winner"], out["result"]["black_discs"], len(out["rejected"])) == ("white", None, 1)


def test_the_first_to_reach_the_target_wins_at_once() -> None:
    """CC-WIN-1, CC-WIN-3: 12 and 7 of 10 are +2 and -3."""
    assert late(9, discs={"black": 9, "white": 7})["state"] == "TURN"
    for discs, winner in (({"black": 12, "white": 7}, "black"), ({"black": 9, "white": 10}, "white")):
        out = play(START, {"at": 5, "press": "black"}, {"at": 9, "discs": discs}, setup=CHOUCHOU)
        assert (out["state"], out["result"]) == ("RESULT", result(winner, discs["black"], discs["white"], "normal"))
    short = play(START, {"at": 9, "discs": {"black": 12, "white": 7}}, setup={**CHOUCHOU, "options": {"target": 15}})
    assert (short["state"], short["result"]) == ("TURN", None)


def test_a_score_entered_after_the_declared_end() -> None:
    lines: list[Line] = [START, {"at": 5, "press": "black"}, {"at": 9, "end": "white"}]
    out = play(*lines, {"at": 10, "discs": {"black": 3, "white": 4}}, {"at": 11, "agree": True}, setup=CHOUCHOU)
    assert (out["state"], len(out["rejected"])) == ("ENDED", 1), "nobody has captured ten"
    out = play(*lines, {"at": 10, "discs": {"black": 13, "white": 4}}, {"at": 11, "agree": True}, setup=CHOUCHOU)
    assert out["result"] == result("black", 13, 4, "normal")


def test_two_players_cannot_both_be_first() -> None:
    assert len(late(9, discs={"black": 12, "white": 10})["rejected"]) == 1


def test_chouchou_has_no_othello_board_and_no_challenge() -> None:
    out = play(START, {"at": 5, "press": "black"}, {"at": 6, "board": "-" * 64},
               {"at": 7, "claim": "illegal", "by": "white", "kind": "IM-1"}, setup=CHOUCHOU)  # fmt: skip
    assert [line["line"] for line in out["rejected"]] == [4, 5]
    assert (out["state"], out["running"], out["transcript"]) == ("TURN", "white", "")


def test_consecutive_movement_points_are_entered_by_whoever_keeps_the_score_board() -> None:
    """CC-SUP-1: five pieces go to the opponent, and can win the game."""
    out = play(START, {"at": 5, "discs": {"black": 3, "white": 6}}, {"at": 6, "discs": {"black": 3, "white": 11}},
               setup=CHOUCHOU)  # fmt: skip
    assert out["result"] == result("white", 3, 11, "normal")
