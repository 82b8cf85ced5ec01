"""Tests of ``kiosk play`` under TEAM: the situations of RULES.md 3.6, one test a row."""

from __future__ import annotations

import pytest
from matches.games import DRAW, EMPTIES, FULL, PASSES, WIPE_OUT, turns
from matches.scripts import WHITE_FLAG, WHITE_FLAG_READ, Line, flagged, game, play, result, signed

TEAM: Line = {"rules": "team", "stage": "league", "draw_right": "white", "main_s": 1200, "options": {}}


def after(transcript: str, number: int) -> str:
    return list(turns(transcript))[number - 1][2]


@pytest.mark.parametrize(("transcript", "winner", "black"), [(EMPTIES, "black", 41), (FULL, "white", 12)])
def test_normal_end_empties_to_the_winner(transcript: str, winner: str, black: int) -> None:
    end = "white" if winner == "black" else "black"
    out = play(*game(transcript), {"at": 70, "end": end}, *signed(71), setup=TEAM)
    assert (out["state"], out["result"]) == ("SIGNED", result(winner, black, 64 - black, "normal"))
    assert any("the captain hands the card in" in text for text in out["shown_to_players"])


def test_extinction_is_64_0() -> None:
    out = play(*game(WIPE_OUT), {"at": 10, "end": "white"}, *signed(11), setup=TEAM)
    assert out["result"] == result("black", 64, 0, "normal")


@pytest.mark.parametrize("right", ["black", "white"])
def test_32_32_is_the_right_holders(right: str) -> None:
    out = play(*game(DRAW), {"at": 70, "end": "black"}, *signed(71), setup={**TEAM, "draw_right": right})
    assert out["result"] == result(right, 32, 32, "normal")


FLAG_WORDS: list[Line] = [
    {"claim": "flag", "by": "black"},
    {"declare": "flag", "by": "white"},
    {"claim": "flag", "by": "arbiter"},
    {"arbiter": {"action": "flag"}},
    {"arbiter": {"action": "flag", "loser": "white"}},
]


@pytest.mark.parametrize("line", FLAG_WORDS)
def test_one_flag_is_a_time_loss_with_the_choice_of_m43_15(line: Line) -> None:
    out = play(*WHITE_FLAG, {"at": 1212, **line}, {"at": 1213, "choose": "33-31"}, setup=TEAM)
    assert (out["state"], out["result"]) == ("RESULT", result("black", 33, 31, "time"))
    free = play(*WHITE_FLAG_READ, {"at": 1212, **line}, {"at": 1213, "choose": "free-play"},
                {"at": 1214, "stop": "free-play"}, setup=TEAM)  # fmt: skip
    assert free["result"] == result("black", 33, 31, "free-play")


def test_one_flag_is_an_immediate_loss_if_so_configured() -> None:
    """AMB-04, the other option."""
    setup = {**TEAM, "options": {"flag_outcome": "win"}}
    out = play(*WHITE_FLAG, {"at": 1212, "claim": "flag", "by": "black"}, setup=setup)
    assert out["result"] == result("black", 33, 31, "time")


@pytest.mark.parametrize(("rules", "alarms"), [("team", 1), ("m43", 0), ("m40", 0)])
def test_one_flag_alarms_the_arbiter_alone_and_only_in_team(rules: str, alarms: int) -> None:
    """AMB-39."""
    out = play(*WHITE_FLAG, {"at": 1300, "board": after(FULL, 1)}, setup={**TEAM, "rules": rules})
    assert out["shown_to_players"] == []
    assert len([text for text in out["shown_to_arbiter"] if "White's time is used up" in text]) == alarms
    early = play({"at": 0, "press": "white"}, {"at": 1199.999, "hold": "black"}, setup=TEAM)
    assert not any("time is used up" in text for text in early["shown_to_arbiter"])
    still = play({"at": 0, "press": "white"}, {"at": 1200, "claim": "flag", "by": "black"}, setup=TEAM)
    assert [text for text in still["shown_to_arbiter"] if "Black's time is used up" in text], "at zero, nobody pressed"


@pytest.mark.parametrize("line", FLAG_WORDS[:3])
def test_flag_while_turning_the_last_moves_discs(line: Line) -> None:
    """TEAM-7.5: the turning is completed, and the loss remains even with more discs."""
    by = {"black": "white", "white": "black"}.get(str(line.get("by")), line.get("by"))
    said = {**line, "by": by}
    lines, at = flagged(WIPE_OUT, 8)
    begun = after(WIPE_OUT, 8).replace("-", "X", 1)
    turning: list[Line] = [*lines, {"at": at + 1, "board": begun}, {"at": at + 1300, **said}]
    out = play(*turning, setup=TEAM)
    assert (out["state"], out["running"], out["result"]) == ("FINISH", "black", None)
    done = play(*turning, {"at": at + 1301, "board": after(WIPE_OUT, 9)}, {"at": at + 1302, "press": "black"},
                {"at": at + 1303, "choose": "free-play"}, setup=TEAM)  # fmt: skip
    assert done["transcript"] == WIPE_OUT
    assert done["result"] == result("white", 13, 51, "free-play"), "the empties are the winner's on time"


def test_flag_before_the_press_of_the_last_move_is_a_loss() -> None:
    """TEAM-7.5: it is claimed or called before the result is agreed, or the press itself decides."""
    lines, at = flagged(WIPE_OUT, 9, black_s=1300)
    unclaimed = play(*lines, setup=TEAM)
    assert unclaimed["state"] == "CHECK" and any("Black's time" in text for text in unclaimed["shown_to_arbiter"])
    for said in (FLAG_WORDS[1] | {"by": "black"}, {"claim": "flag", "by": "white"}, FLAG_WORDS[3]):
        for more in ([], [{"at": at + 1, "end": "white"}]):
            out = play(*lines, *more, {"at": at + 2, **said}, {"at": at + 3, "choose": "33-31"}, setup=TEAM)
            assert out["result"] == result("white", 31, 33, "time")
    strict = play(*lines, setup={**TEAM, "options": {"last_move_flag": "press"}})
    assert strict["state"] == "CHOICE"
    both, _ = flagged(WIPE_OUT, 9, black_s=1300, white_s=1300)
    assert play(*both, setup={**TEAM, "options": {"last_move_flag": "press"}})["state"] == "CHECK", "TEAM-7.7a"
    in_time, _ = flagged(WIPE_OUT, 9, black_s=1100)
    assert play(*in_time, setup={**TEAM, "options": {"last_move_flag": "press"}})["state"] == "CHECK"


def test_the_other_players_flag_can_no_longer_be_claimed_after_the_last_press() -> None:
    """TEAM-7.7c."""
    lines, at = flagged(WIPE_OUT, 9, white_s=1300)
    for said in ({"claim": "flag", "by": "black"}, FLAG_WORDS[3]):
        out = play(*lines, {"at": at + 1, **said}, setup=TEAM)
        assert (out["state"], len(out["rejected"])) == ("CHECK", 1)
    checking, at = flagged(FULL, 60, white_s=1300)
    out = play(*checking, {"at": at + 1300, **FLAG_WORDS[3]}, setup=TEAM)
    assert (out["state"], out["flags"]) == ("CHOICE", {"black": True, "white": True}), "it is White's that is called"
    assert not any("Black's time" in text for text in out["shown_to_arbiter"]), "Black only checks the last move"
    before, earlier = flagged(WIPE_OUT, 8, white_s=1300)
    out = play(*before, {"at": earlier + 1, "claim": "flag", "by": "black"}, setup=TEAM)
    assert out["state"] == "CHOICE", "before that it can"


BOTH: list[Line] = [
    *({"claim": "flag", "by": by} for by in ("white", "black", "arbiter")),
    {"arbiter": {"action": "both_flags"}},
]


@pytest.mark.parametrize("line", BOTH)
def test_both_flags_and_both_have_made_their_last_moves(line: Line) -> None:
    """TEAM-7.7a: the game counts normally."""
    lines, at = flagged(FULL, 60, black_s=1300, white_s=1300)
    out = play(*lines, {"at": at + 1, **line}, {"at": at + 2, "end": "black"}, *signed(at + 3), setup=TEAM)
    assert out["result"] == result("white", 12, 52, "normal")
    assert [line["text"] for line in out["rejected"]] == [
        "both have made their last moves: the game counts normally (TEAM-7.7a)"
    ]


@pytest.mark.parametrize("line", BOTH)
def test_both_flags_and_one_side_still_to_move(line: Line) -> None:
    """TEAM-7.7a: the other side completes its move, and the game counts normally."""
    lines, at = flagged(FULL, 59, black_s=1300, white_s=1300)
    out = play(*lines, {"at": at + 1, **line}, setup=TEAM)
    assert (out["state"], out["running"], out["result"]) == ("FINISH", None, None)
    lines += [{"at": at + 1, **line}, {"at": at + 5, "board": after(FULL, 60)}, {"at": at + 5, "press": "white"}]
    out = play(*lines, {"at": at + 6, "claim": "flag", "by": "black"}, {"at": at + 7, "agree": True}, setup=TEAM)
    assert (out["state"], out["result"]) == ("RESULT", result("white", 12, 52, "normal"))
    assert out["transcript"] == FULL


def test_both_flags_in_mid_move_the_move_is_completed_first() -> None:
    lines, at = flagged(FULL, 59, black_s=1300, white_s=1300)
    begun = after(FULL, 59).replace("-", "O", 1)
    lines += [{"at": at + 1, "board": begun}, {"at": at + 2, "claim": "flag", "by": "black"}]
    assert play(*lines, setup=TEAM)["state"] == "FINISH"
    out = play(*lines, {"at": at + 3, "board": after(FULL, 60)}, {"at": at + 4, "agree": True}, setup=TEAM)
    assert out["result"] == result("white", 12, 52, "normal")


def test_both_flags_with_one_square_left_that_either_could_play() -> None:
    """It is White's turn after Black's last move, though Black could also play on that square."""
    lines, at = flagged(DRAW, 59, black_s=1300, white_s=1300)
    lines += [{"at": at + 1, "claim": "flag", "by": "white"}]
    assert play(*lines, setup=TEAM)["state"] == "FINISH"
    out = play(*lines, {"at": at + 3, "board": after(DRAW, 60)}, {"at": at + 4, "agree": True},
               setup={**TEAM, "draw_right": "black"})  # fmt: skip
    assert out["result"] == result("black", 32, 32, "normal"), "a normal 32-32, and rated"


def test_both_flags_in_mid_move_with_both_still_to_move() -> None:
    lines, at = flagged(FULL, 20, black_s=1300, white_s=1300)
    begun = after(FULL, 20).replace("-", "X", 1)
    lines += [{"at": at + 1, "board": begun}, {"at": at + 2, "claim": "flag", "by": "white"}]
    assert (play(*lines, setup=TEAM)["state"], play(*lines, setup=TEAM)["result"]) == ("FINISH", None)
    out = play(*lines, {"at": at + 3, "board": after(FULL, 21)}, {"at": at + 3, "press": "black"}, setup=TEAM)
    assert out["result"] == result("white", 32, 32, "both-flags", rated=False)
    assert out["transcript"] == FULL[:42]


@pytest.mark.parametrize("line", BOTH)
def test_both_flags_and_both_still_to_move(line: Line) -> None:
    """TEAM-7.7b."""
    lines, at = flagged(FULL, 20, black_s=1300, white_s=1300)
    out = play(*lines, {"at": at + 1, **line}, setup=TEAM)
    assert (out["state"], out["result"]) == ("RESULT", result("white", 32, 32, "both-flags", rated=False))
    unread = play(*WHITE_FLAG, {"at": 2401, **line}, setup=TEAM)
    assert unread["result"] == result("white", 32, 32, "both-flags", rated=False)
    assert any("nobody read the board" in text for text in unread["shown_to_arbiter"])


@pytest.mark.parametrize("reading", ["right-holder", "arbiter"])
def test_both_flags_and_the_other_side_can_move_again(reading: str) -> None:
    """AMB-38: Black has to pass, only White can move, and his g1 gives Black h1."""
    before_g1 = len(list(turns(PASSES))) - 3
    lines, at = flagged(PASSES, before_g1, black_s=1300, white_s=1300)
    setup = {**TEAM, "options": {"play_out": reading}}
    lines += [{"at": at + 1, "claim": "flag", "by": "white"}]
    assert play(*lines, setup=setup)["state"] == "FINISH"
    out = play(*lines, {"at": at + 3, "board": after(PASSES, before_g1 + 2)}, setup=setup)
    if reading == "arbiter":
        assert out["result"] is None and any("arbiter decides" in text for text in out["shown_to_arbiter"])
    else:
        assert out["result"] == result("white", 32, 32, "both-flags", rated=False)


def test_withdrawal_is_64_0_for_the_opponent() -> None:
    order: Line = {"action": "forfeit", "loser": "black", "reason": "withdrew"}
    out = play({"at": 0, "press": "white"}, {"at": 60, "arbiter": order}, setup=TEAM)
    assert out["result"] == result("white", 0, 64, "forfeit", rated=False)
    rated = {**TEAM, "options": {"forfeit_rated": True}}
    assert play({"at": 0, "press": "white"}, {"at": 60, "arbiter": order}, setup=rated)["result"]["rated"] is True


LATE: Line = {"at": 0, "arbiter": {"action": "late_start", "absent": "white"}}


def test_no_opponent_the_arbiter_starts_the_late_players_clock() -> None:
    """TEAM-7.8, AMB-40: a press of the player present neither starts nor stops it."""
    out = play(LATE, {"at": 100, "press": "black"}, {"at": 300, "arrive": True}, setup=TEAM)
    assert (out["state"], out["remaining_ms"]["white"], len(out["rejected"])) == ("READY", 900_000, 1)
    instructed = play(LATE, {"at": 100, "press": "black"}, {"at": 300, "arrive": True}, setup={**TEAM, "rules": "m43"})
    assert (instructed["remaining_ms"]["white"], instructed["rejected"]) == (1_000_000, [])


def test_an_opponent_who_never_comes_loses_64_0() -> None:
    out = play(LATE, {"at": 1200, "press": "black"}, setup=TEAM)
    assert out["result"] == result("black", 64, 0, "late", rated=False)
    withdrawn: Line = {"action": "forfeit", "loser": "white", "reason": "withdrew"}
    out = play(LATE, {"at": 600, "arbiter": withdrawn}, setup=TEAM)
    assert out["result"] == result("black", 64, 0, "forfeit", rated=False), "TEAM knows no chosen forfeit"


@pytest.mark.parametrize("rules", ["team", "m43"])
def test_resignation_with_time_left_is_as_one_flag(rules: str) -> None:
    """TEAM-8.4, AMB-08."""
    order: Line = {"action": "resignation", "loser": "white", "reason": "gave up"}
    out = play({"at": 0, "press": "white"}, {"at": 5, "arbiter": order}, {"at": 6, "choose": "33-31"},
               setup={**TEAM, "rules": rules})  # fmt: skip
    assert out["result"] == result("black", 33, 31, "time")
    m40 = play({"at": 0, "press": "white"}, {"at": 5, "arbiter": order}, setup={**TEAM, "rules": "m40"})
    assert (m40["result"]["winner"], m40["result"]["end"]) == ("black", "time")
    forfeit = {**TEAM, "rules": rules, "options": {"resignation": "forfeit"}}
    out = play({"at": 0, "press": "white"}, {"at": 5, "arbiter": order}, setup=forfeit)
    assert out["result"] == result("black", 64, 0, "forfeit", rated=False)
