"""Tests of ``kiosk play``: scripts of presses and boards that a rule decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from matches.games import START, after, changed
from matches.scripts import BOARD, F5, Line, play

from kiosk.play.table_script_parser import read_script
from kiosk.play.table_script_runner import play_script

SCRIPTS = Path(__file__).parents[2] / "data" / "scripts"
D6 = after("f5d6")
IM2 = ("IM-2", 3)
CLOCKS_STAND = {"state": "FINISH", "running": None}


def played(name: str) -> dict[str, Any]:
    out = play_script(read_script((SCRIPTS / f"{name}.jsonl").read_text(encoding="utf-8")))
    return {**out, "findings": [(found["kind"], found["ply"]) for found in out["findings"]]}


@pytest.mark.parametrize(
    ("name", "right"),
    [
        # IM-12, K-09: the move before the one made out of turn is valid
        ("Y01", {"state": "TURN", "running": "black", "transcript": "f5d6", "findings": [IM2]}),
        # M43-9, M43-8.1, IM-8: two legal moves are two moves
        ("Y02", {"state": "TURN", "running": "black", "transcript": "f5d6", "findings": []}),
        ("Y02b", {"state": "TURN", "running": "black", "transcript": "f5d6c3d3c4b3", "findings": []}),
        # a disc that the opponent placed without turning discs is not Black's
        ("Y02c", {"state": "TURN", "running": "black", "transcript": "f5d6", "findings": []}),
        # K-09, M43-28: a move whose press was forgotten is kept when the arbiter gives the turn
        ("Y03", {"state": "TURN", "running": "black", "transcript": "f5d6", "findings": []}),
        # M43-15b.2: the count is taken after hold and resume
        ("Y08", {"state": "RESULT", "running": None}),
        ("Y09", CLOCKS_STAND),  # TEAM-7.7
        ("Y12", {"state": "TURN", "running": "black", "findings": [("IM-4", 6)]}),  # M43-6a.7
        ("Y13", {"state": "TURN", "running": "black", "transcript": "f5", "findings": []}),
    ],
)
def test_the_game_continues(name: str, right: dict[str, Any]) -> None:
    out = played(name)
    assert {key: out[key] for key in right} == right


@pytest.mark.parametrize(("name", "named"), [("Y04", "IM-7 f5"), ("Y05", "IM-3"), ("Y06", "IM-2")])
def test_a_correct_claim_is_confirmed_after_the_correction(name: str, named: str) -> None:
    """M43-6a.3/5, K-11."""
    said = played(name)["shown_to_players"]
    assert said[-1].endswith(f"Confirmed: {named}")
    assert not any("Not found" in line for line in said)


@pytest.mark.parametrize(
    ("name", "discs"),
    [
        ("Y07", (0, 64)),  # OTH-15, M43-17.1: a side without discs ends the game; the empties go to the winner
        ("Y11", (0, 64)),  # AMB-39: the arbiter calls the end of the extra time
    ],
)
def test_the_result_is(name: str, discs: tuple[int, int]) -> None:
    result = played(name)["result"]
    assert (result["winner"], result["black_discs"], result["white_discs"]) == ("white", *discs)


def test_captured_pieces_are_kept_when_an_end_is_taken_back() -> None:
    """CC-WIN-1."""
    assert [row["captured"] for row in played("Y10")["sheet"]] == [9, 3]


def test_nothing_can_be_challenged_before_free_play_has_begun() -> None:
    """M43-15b.1."""
    out = played("Y14")
    assert [refused["line"] for refused in out["rejected"]] == [12]
    assert not any("Challenged" in line for line in out["shown_to_players"])


@pytest.mark.parametrize("name", ["Y15", "Y15b"])
def test_resigning_is_refused_once_the_win_is_fixed(name: str) -> None:
    """M43-15.1, AMB-08: on HOLD as in the phase that it interrupts."""
    out = played(name)
    assert (out["state"], len(out["rejected"])) == ("HOLD", 1)


OPENING: tuple[Line, ...] = ({"at": 0, "press": "white"}, {"at": 1, "board": F5})


def test_a_move_begun_before_the_opponents_press_is_not_the_opponents() -> None:
    """Also if some of its discs are turned already, and in a correction."""
    for cells in (changed(F5, d6="O"), D6):
        out = play(*OPENING, {"at": 2, "board": cells}, {"at": 3, "press": "black"}, setup=BOARD)
        assert (out["transcript"], out["findings"], out["state"]) == ("f5", [], "TURN")
    wrong = changed(F5, e5="O")
    out = play(
        {"at": 0, "press": "white"},
        {"at": 1, "board": wrong},
        {"at": 2, "press": "black"},
        {"at": 3, "press": "white"},
        {"at": 4, "board": F5},
        {"at": 5, "board": D6},
        {"at": 6, "press": "black"},
        {"at": 7, "press": "white"},
        setup=BOARD,
    )
    assert (out["transcript"], out["state"], out["running"]) == ("f5d6", "TURN", "black")
    assert [(found["kind"], found["ply"]) for found in out["findings"]] == [("IM-4", 1)]


def test_a_disc_of_the_opponent_where_they_cannot_play_is_an_extra_disc() -> None:
    out = play(*OPENING, {"at": 2, "board": changed(F5, a1="O")}, {"at": 3, "press": "black"}, setup=BOARD)
    assert [found["kind"] for found in out["findings"]] == ["IM-6"]


def test_a_move_made_before_the_first_turn_is_taken_back() -> None:
    """IM-2 before the first turn: the record begins with Black's move."""
    white_first = changed(START, f4="O", e4="O")
    out = play(
        {"at": 0, "press": "white"},
        {"at": 1, "board": white_first},
        {"at": 2, "press": "black"},
        {"at": 3, "board": START},
        {"at": 4, "press": "white"},
        {"at": 5, "board": F5},
        {"at": 6, "press": "black"},
        setup=BOARD,
    )
    assert (out["transcript"], out["state"], out["running"]) == ("f5", "TURN", "white")
