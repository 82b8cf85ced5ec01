"""Tests of ``kiosk play`` under ChouChou: the states and situations of RULES.md 3.7."""

from __future__ import annotations

from typing import Any

import pytest
from matches.scripts import Line, play, result

CHOUCHOU: Line = {"rules": "chouchou"}
START: Line = {"at": 0, "press": "white"}


def late(at: float, **line: object) -> dict[str, Any]:
    return play(START, {"at": at, **line}, setup=CHOUCHOU)


def test_the_main_time_depends_on_the_board_or_the_setup() -> None:
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


def test_a_switch_within_sixty_seconds_restores_the_sixty_seconds() -> None:
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
    """CC-WIN-5: the loss needs no claim."""
    assert late(659.999, claim="flag", by="white")["state"] == "TURN"
    out = late(700, press="black")
    assert (out["state"], out["running"]) == ("RESULT", None)
    assert out["result"] == result("white", 0, 0, "time") | {"black_discs": None, "white_discs": None}
    assert out["remaining_ms"]["black"] == 0


@pytest.mark.parametrize("at", [500, 700])
def test_after_a_loss_on_time_the_sheet_counts_the_captured_pieces(at: float) -> None:
    """AMB-27: both scores are captured pieces less the target, whether entered before the loss or after it."""
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


def test_consecutive_movement_points_are_entered_and_can_win() -> None:
    """CC-SUP-1: five pieces go to the opponent, which can win the game."""
    out = play(START, {"at": 5, "discs": {"black": 3, "white": 6}}, {"at": 6, "discs": {"black": 3, "white": 11}},
               setup=CHOUCHOU)  # fmt: skip
    assert out["result"] == result("white", 3, 11, "normal")


def chouchou_setup(players: int, *, pairs: bool = False, **options: object) -> Line:
    return {**CHOUCHOU, "main_s": 60, "options": {"players": players, "pairs": pairs, **options}}


def sheet(out: Line, field: str) -> list[Any]:
    return [row[field] for row in out["sheet"]]


def presses(*buttons: str, first: float = 10) -> list[Line]:
    """Return presses: the first player's time begins at 0, then a turn every ten seconds."""
    return [START, *({"at": first + 10 * n, "press": button} for n, button in enumerate(buttons))]


def test_the_sheet_has_signed_scores() -> None:
    """CC-SCO-1, CC-RANK-7."""
    out = late(9, discs={"black": 12, "white": 7})
    assert (sheet(out, "captured"), sheet(out, "points"), sheet(out, "side")) == ([12, 7], [2, -3], ["black", "white"])
    assert "sheet" not in play(setup={"rules": "m43"})


def test_a_pair_has_one_clock_and_its_players_take_turns() -> None:
    """CC-SEAT-3, CC-SUP-2b: the order is loser's 1, winner's 1, loser's 2, winner's 2; each pair presses its own
    button."""
    turns = [
        play(*presses(*["black", "white"] * 3)[: n + 1], setup=chouchou_setup(4, pairs=True))["turn"] for n in range(6)
    ]
    assert turns == [1, 2, 3, 4, 1, 2]
    out = play(*presses("black", "white", "black"), setup=chouchou_setup(4, pairs=True))
    assert (out["running"], out["turn"], sheet(out, "remaining_ms")) == ("white", 4, [40_000, 50_000] * 2)


def test_one_player_of_a_pair_reaches_the_target() -> None:
    """CC-WIN-4, CC-RANK-6: the target is for one player and not for the pair's sum; the winning pair may have fewer
    pieces."""
    together: Line = {"at": 5, "discs": {"players": [6, 5, 5, 9]}}
    out = play(START, together, setup=chouchou_setup(4, pairs=True))
    assert (out["state"], out["rejected"]) == ("TURN", [])
    out = play(START, together, {"at": 6, "discs": {"players": [10, 9, 0, 9]}}, setup=chouchou_setup(4, pairs=True))
    assert out["result"] == result("black", 10, 18, "normal")
    assert out["shown_to_players"][-1] == "1番が勝ちました / Player 1 has won"
    assert sheet(out, "points") == [0, -1, -10, -1]


def test_three_and_four_individuals_have_a_clock_each() -> None:
    """The even ones press Black's button, the others White's; of three, players 3 and 1 press the same one in
    succession (RULES.md 3.7 leaves it open)."""
    out = play(*presses("black", "white", "black", "black"), setup=chouchou_setup(3))
    assert (out["rejected"], out["turn"], out["running"]) == ([], 2, "white")
    assert sheet(out, "remaining_ms") == [40_000, 50_000, 50_000]
    out = play(*presses("black", "white", "black", "white"), setup=chouchou_setup(4))
    assert (out["turn"], sheet(out, "remaining_ms")) == (1, [50_000] * 4)
    assert len(play(*presses("black", "black"), setup=chouchou_setup(4))["rejected"]) == 1, "the second player's turn"


def test_a_player_who_exceeds_his_time_leaves_and_the_others_continue() -> None:
    """CC-WIN-5: a player leaves when the sixty seconds are exceeded, not when they are used up; the last one left
    wins."""
    out = play(START, {"at": 121, "press": "white"}, setup=chouchou_setup(3))
    assert (out["rejected"], out["turn"], sheet(out, "out")) == ([], 3, [True, False, False])
    assert (out["result"], sheet(out, "remaining_ms")) == (None, [0, 59_000, 60_000])
    out = play(START, {"at": 121, "press": "white"}, {"at": 300, "press": "black"}, setup=chouchou_setup(3))
    assert (out["state"], out["result"]["winner"], out["result"]["end"]) == ("RESULT", "white", "time")
    assert sheet(out, "out") == [True, False, True]
    both = play(START, {"at": 400, "claim": "flag", "by": "white"}, setup=chouchou_setup(3))
    assert (sheet(both, "out"), both["result"]["winner"]) == ([True, True, False], "black")
    assert both["shown_to_players"][-1].endswith("Player 3 has won")


@pytest.mark.parametrize(
    ("players", "options", "penalty"),
    [
        (2, {}, [0, 5]),
        (3, {}, [0, 4, 4]),
        (4, {}, [0, 3, 3, 3]),
        (4, {"pairs": True}, [0, 3, 0, 3]),
        (3, {"penalty_each": False}, [0, 2, 2]),
        (4, {"penalty_each": False}, [0, 1, 1, 1]),
    ],
)
def test_moving_pieces_twice_in_a_row_gives_pieces_to_every_opponent(
    players: int, options: dict[str, Any], penalty: list[int]
) -> None:
    """CC-SUP-1, AMB-35: his turn continues, and he still places a piece."""
    out = play(START, {"at": 5, "penalty": "black"}, setup=chouchou_setup(players, **options))
    assert (sheet(out, "captured"), out["running"], out["turn"]) == (penalty, "black", 1)
    stopped = play(
        START, {"at": 5, "hold": "white"}, {"at": 9, "penalty": "black"}, setup=chouchou_setup(players, **options)
    )
    assert (sheet(stopped, "captured"), stopped["running"]) == (penalty, "black"), "the clock goes on"


def test_the_first_opponent_in_turn_order_wins_by_a_penalty() -> None:
    """AMB-35."""
    near: Line = {"at": 5, "discs": {"players": [0, 6, 7]}}
    out = play(START, near, {"at": 6, "penalty": "black"}, setup=chouchou_setup(3))
    assert (out["state"], out["shown_to_players"][-1].split(" / ")[1]) == ("RESULT", "Player 2 has won")
    second = play(START, near, {"at": 7, "press": "black"}, {"at": 8, "penalty": "white"}, setup=chouchou_setup(3))
    assert second["shown_to_players"][-1].endswith("Player 3 has won")
    for line in ({"at": 6, "penalty": "white"}, {"at": 6, "discs": {"black": 1, "white": 1}}):
        assert len(play(START, line, setup=chouchou_setup(3))["rejected"]) == 1
    assert (
        len(play({"at": 0, "press": "white"}, {"at": 6, "penalty": "black"}, setup={"rules": "m43"})["rejected"]) == 1
    )


def test_a_power_cut_keeps_the_times_and_pieces_of_all_players() -> None:
    cut: list[Line] = [
        {"at": 41, "discs": {"players": [1, 2, 3]}},
        {"at": 41, "power": "cut"},
        {"at": 50, "power": "on"},
    ]
    out = play(*presses("black", "white", "black"), *cut, setup=chouchou_setup(3))
    assert (sheet(out, "captured"), out["state"], out["turn"]) == ([1, 2, 3], "HOLD", 1)
    assert sheet(out, "remaining_ms") == [39_000, 50_000, 50_000]
    again = play(
        *presses("black", "white", "black"), *cut, {"at": 60, "arbiter": {"action": "resume"}}, setup=chouchou_setup(3)
    )
    assert (again["turn"], again["running"]) == (1, "black")


def test_only_chouchou_allows_more_than_two_players() -> None:
    for setup in ({"rules": "m43", "options": {"players": 3}}, chouchou_setup(3, pairs=True)):
        with pytest.raises(ValueError, match="option p"):
            play(setup=setup)


def test_an_arbiter_gives_the_turn_to_a_side_that_has_a_player() -> None:
    """K-05: the turn goes to that side's next player with his own clock; of three, only the second presses White's
    button."""
    order: Line = {"action": "set_time", "black_s": 30, "white_s": 20, "turn": "white", "reason": "wrong"}
    out = play(START, {"at": 10, "hold": "white"}, {"at": 20, "arbiter": order}, setup=chouchou_setup(4))
    assert (out["rejected"], out["turn"], sheet(out, "remaining_ms")[:2]) == ([], 2, [30_000, 20_000])
    gone = play(
        *presses("black"), {"at": 140, "press": "black"}, {"at": 150, "arbiter": order}, setup=chouchou_setup(3)
    )
    assert (sheet(gone, "out"), gone["rejected"][-1]["text"]) == (
        [False, True, False],
        "white has nobody left in the game",
    )
