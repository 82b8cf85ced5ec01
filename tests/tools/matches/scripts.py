"""Table scripts for tests: written in Python, played as by ``kiosk play``."""

from __future__ import annotations

import json
from typing import Any

from matches.games import after, turns

from kiosk.play.table_script_parser import read_script
from kiosk.play.table_script_runner import play_script

Line = dict[str, Any]
LEAGUE: Line = {"rules": "m43", "stage": "league", "draw_right": None, "main_s": 1200, "options": {}}
BOARD: Line = {**LEAGUE, "options": {"board": True}}
FINAL: Line = {**LEAGUE, "stage": "knockout", "draw_right": "white"}
FLOORLESS: Line = {**LEAGUE, "options": {"free_play_floor": False}}
F5 = after("f5")


def play(*lines: Line, setup: Line = LEAGUE) -> dict[str, Any]:
    text = "\n".join(json.dumps(line) for line in ({"setup": setup}, *lines))
    return play_script(read_script(text))


def game(transcript: str, seconds: float = 1, start: float = 0) -> list[Line]:
    """Return the lines of a game. White starts the clock; each turn takes ``seconds``, with the board read before each
    press."""
    lines: list[Line] = [{"at": start, "press": "white"}]
    for number, (by, _, cells) in enumerate(turns(transcript), start=1):
        at = start + number * seconds
        lines += [{"at": at - seconds / 4, "board": cells}, {"at": at, "press": str(by)}]
    return lines


def flagged(transcript: str, moves: int, black_s: float = 1, white_s: float = 1) -> tuple[list[Line], float]:
    """Return the first ``moves`` turns, of which Black's last and White's last take the given times, and the time
    after them."""
    played = list(turns(transcript))[:moves]
    last = {str(by): number for number, (by, _, _) in enumerate(played)}
    slow = {last["black"]: black_s, last["white"]: white_s}
    lines, at = [{"at": 0, "press": "white"}], 0.0
    for number, (by, _, cells) in enumerate(played):
        at += slow.get(number, 1)
        lines += [{"at": at, "board": cells}, {"at": at, "press": str(by)}]
    return lines, at


def result(winner: str, black: int, white: int, end: str, rated: bool = True) -> Line:
    return {"winner": winner, "black_discs": black, "white_discs": white, "end": end, "rated": rated}


def signed(at: float) -> list[Line]:
    return [{"at": at, "confirm": "black"}, {"at": at, "confirm": "white"}]


#: White spent 1201 s on his first turn, and Black has just been given his second
WHITE_FLAG: list[Line] = [{"at": 0, "press": "white"}, {"at": 10, "press": "black"}, {"at": 1211, "press": "white"}]
#: the same with the board read: f5 d6
WHITE_FLAG_READ: list[Line] = [
    {"at": 0, "press": "white"},
    {"at": 9, "board": F5},
    {"at": 10, "press": "black"},
    {"at": 1210, "board": after("f5d6")},
    {"at": 1211, "press": "white"},
]


FORFEIT: Line = {"action": "forfeit", "loser": "white", "reason": "chosen"}
LATE: list[Line] = [
    {"at": 0, "arbiter": {"action": "late_start", "absent": "white", "reason": "absent at 10:30"}},
    {"at": 0, "press": "black"},
]


def white_flag_of(transcript: str) -> list[Line]:
    """Return White's flag, claimed, after the first two moves of a game."""
    (_, _, first), (_, _, second) = list(turns(transcript))[:2]
    return [
        {"at": 0, "press": "white"}, {"at": 1, "board": first}, {"at": 2, "press": "black"},
        {"at": 1210, "board": second}, {"at": 1211, "press": "white"}, {"at": 1212, "claim": "flag", "by": "black"},
    ]  # fmt: skip
