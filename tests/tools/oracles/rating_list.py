"""A strict reader of files for the world rating list, written from its page and PAPP's manual, independent of our
writer.

It requires: ASCII; the first lines are Tournament, Country, Date (dd/mm/yyyy) and Sender; every player is listed once
with number, family name, first name, country, points, discs; a newcomer has a plus and no number that the list may have
assigned; rounds are numbered from 1 without a gap; nobody plays twice in a round; a game is 64 discs and its sign says
who has more (32 each stands for a result without discs); the points are those of the games, a bye is one point.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

_HEADER = ("Tournament", "Country", "Date", "Sender")
_PLAYER = re.compile(r"%_% ([+ ]) *(\d{1,6}), ([^,]+), ([^,]*), ([A-Z]{0,3}), (\d+(?:\.5)?), (\d+)(?:, (\d+))?")
_GAME = re.compile(r" *(\d+) \((\d\d)\)([<>=])\((\d\d)\) +(\d+)  B")
#: above all numbers of the list
_NEW = 990_001

Game = tuple[int, int, int, int]


@dataclass
class RatingFile:
    """A game: Black's number and discs, White's discs and number."""

    header: dict[str, str] = field(default_factory=dict)
    names: dict[int, tuple[str, str]] = field(default_factory=dict)
    newcomers: set[int] = field(default_factory=set)
    rounds: list[list[Game]] = field(default_factory=list)
    added: list[Game] = field(default_factory=list)


def strictly(data: bytes) -> RatingFile:
    """Return the parsed file.

    :raises ValueError: the rule that the file breaks, with its line.
    """
    lines = data.decode("ascii").split("\n")
    file, points, points_in_file = RatingFile(), Counter[int](), dict[int, float]()
    for name, line in zip(_HEADER, lines, strict=False):
        value = line.removeprefix(f"%%{name}: ")
        if value == line or not value.strip():
            raise ValueError(f"the first lines are {_HEADER}, not {line!r}")
        file.header[name] = value
    if file.header["Date"] != "??" and not re.fullmatch(r"\d\d/\d\d/\d{4}", file.header["Date"]):
        raise ValueError(f"a date is dd/mm/yyyy, not {file.header['Date']}")
    into: list[Game] | None = None
    for at, line in enumerate(lines[4:], start=5):
        if match := _PLAYER.fullmatch(line):
            number = int(match[2])
            if number in file.names or (match[1] == "+") != (number >= _NEW):
                raise ValueError(f"line {at}: {number} is listed twice, or is no number of such a player")
            file.names[number] = match[3], match[4]
            file.newcomers |= {number} if match[1] == "+" else set()
            points_in_file[number] = float(match[6])
        elif match := re.fullmatch(r"%Round: (\d+)", line):
            if int(match[1]) != len(file.rounds) + 1:
                raise ValueError(f"line {at}: the rounds are numbered 1, 2, 3")
            into = []
            file.rounds.append(into)
        elif line.startswith("%%Added results"):
            into = file.added
        elif match := re.fullmatch(r"% Bye: (\d+)", line):
            points[int(match[1])] += 2
        elif match := _GAME.fullmatch(line):
            game = int(match[1]), int(match[2]), int(match[4]), int(match[5])
            if into is None:
                raise ValueError(f"line {at}: a game before the first round: {line!r}")
            _check(file, game, match[3], at)
            if into is not file.added:
                if {game[0], game[3]} & {one for other in into for one in (other[0], other[3])}:
                    raise ValueError(f"line {at}: somebody plays twice in round {len(file.rounds)}")
                points[game[0]] += {">": 2, "=": 1, "<": 0}[match[3]]
                points[game[3]] += {">": 0, "=": 1, "<": 2}[match[3]]
            into.append(game)
        elif line and not line.startswith("%"):
            raise ValueError(f"line {at}: neither a comment nor a game: {line!r}")
    for number, score in points_in_file.items():
        if round(score * 2) != points[number]:
            raise ValueError(f"player {number} has {score} in the list and {points[number] / 2} by the games")
    if not file.names or not file.rounds:
        raise ValueError("no player, or no round")
    return file


def _check(file: RatingFile, game: Game, sign: str, at: int) -> None:
    black, black_discs, white_discs, white = game
    if black not in file.names or white not in file.names or black == white:
        raise ValueError(f"line {at}: no game of two listed players: {game}")
    more = (black_discs > white_discs) - (black_discs < white_discs)
    if black_discs + white_discs != 64 or more not in (0, {">": 1, "<": -1, "=": 0}[sign]):
        raise ValueError(f"line {at}: no score of 64 discs with that winner: {game}")
