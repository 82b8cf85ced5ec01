"""Reader of ``.ELO`` result files of international events, which returns an event file.

- Everything in the file is kept; what it lacks is left out.
- A player missing in a round had a bye, unless the points in the header show that he got nothing for it: then he was
  absent (``options.absences``) or had left. PAPP always counts byes in its points; other files may credit none at all.
  A file written by this program names byes and absences in comments.
- Discs that no game can end with are left out, with a warning, and the winner stays.
- Games under ``%%Added results`` were played after the Swiss rounds and become later rounds of stage ``knockout``, so
  the Swiss rounds keep their numbers; the same holds for finals recorded as last rounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from engine.board.variants import STANDARD
from engine.end_reason import EndReason
from engine.i18n import LocalizedError, Text, say
from engine.tournament.event_model import Game, Winner
from kiosk.records.event_file import entry_to_dict

#: a plus before the number marks a newcomer without a number on the list
_PLAYER = re.compile(r"%_%\s*(?P<new>\+?)\s*(?P<id>\d+)\s*,(?P<rest>.*)$")
_GAME = re.compile(r"\s*(\d+)\s*\(\s*(\d+)(?:\.0+)?\)\s*([<>=])\s*\(\s*(\d+)(?:\.0+)?\)\s*(\d+)\s*([BW]?)\s*$")
_ROUND = re.compile(r"%\s*Round:?\s*(\d+)", re.IGNORECASE)
_ADDED = re.compile(r"%%\s*Added results", re.IGNORECASE)
_FIELD = re.compile(r"%%(\w+):\s*(.*?)\s*$")
_BYE = re.compile(r"%\s*Bye:\s*(\d+)\s*$", re.IGNORECASE)
_AWAY = re.compile(r"%\s*Away:\s*(\d+)\s*$", re.IGNORECASE)
#: a result that is not to be rated, in a comment: a forfeit, or a game that the arbiter took out
_UNRATED = re.compile(r"%\s*(Forfeit|Unrated):\s*(\d.*)$", re.IGNORECASE)
CREATOR = "othello-kiosk"
#: the program of the world federation; the points in its header include byes
PAPP = "PAPP"
#: quarter-finals have four games
MOST_FINALS = 4
_DAY = re.compile(r"(\d\d)/(\d\d)/(\d{4})")


class EloError(LocalizedError, ValueError):
    """Error for an unusable .ELO file. The message names the line."""


@dataclass(slots=True)
class _File:
    fields: dict[str, str] = field(default_factory=dict)
    players: list[dict[str, object]] = field(default_factory=list)
    points: dict[str, int] = field(default_factory=dict)
    rounds: list[list[Game]] = field(default_factory=list)
    added: list[Game] = field(default_factory=list)
    #: round -> byes named in comments; a file with the creator's line has a comment for each bye
    byes: dict[int, list[str]] = field(default_factory=dict)
    #: round -> absent players named in comments
    away: dict[int, list[str]] = field(default_factory=dict)
    #: what was left out, and why
    warnings: list[Text] = field(default_factory=list)


def read_elo(text: str, warnings: list[Text] | None = None) -> dict[str, object]:
    """Return the object of an event file (``othello-event/1``, format ``swiss``) from the text of an .ELO file.

    :param warnings: receives a sentence for each thing left out, naming its line

    :raises EloError: naming the line that cannot be read
    """
    file = _parse(text)
    if warnings is not None:
        warnings += file.warnings
    if not file.players or not file.rounds:
        raise EloError.saying("the file has no '%_%' player lines or no '%Round' lines; is it an .ELO results file?")
    finals = _finals_as_rounds(file)
    absences = _absences(file)
    rounds: list[dict[str, object]] = []
    for number, games in enumerate(file.rounds, start=1):
        entries = list(map(entry_to_dict, games))
        entries += [{"bye": name, "stage": "league"} for name in absences.byes.get(number, [])]
        rounds.append({"round": number, "games": entries})
    for number, games in enumerate((*finals, *_after_the_swiss(file.added)), start=len(rounds) + 1):
        rounds.append({"round": number, "games": [entry_to_dict(game) | {"stage": "knockout"} for game in games]})
    for player in file.players:
        if (last := absences.withdrawn.get(str(player["id"]))) is not None:
            player["withdrawn_after_round"] = last
    event: dict[str, object] = {"schema": "othello-event/1"}
    if name := file.fields.get("Tournament"):
        event["name"] = name
    if day := _DAY.match(file.fields.get("Date", "")):
        event["date"] = f"{day[3]}-{day[2]}-{day[1]}"
    options: dict[str, object] = {"brightwell_c": 6}
    if absences.away:
        options["absences"] = {str(number): names for number, names in sorted(absences.away.items())}
    return event | {"format": "swiss", "options": options, "players": file.players, "rounds": rounds}


def _parse(text: str) -> _File:
    file = _File()
    into: list[Game] | None = None
    for number, line in lines_of(text, EloError):
        if match := _PLAYER.match(line):
            _add_player(file, match, number)
        elif _ADDED.match(line):
            into = file.added
        elif match := _ROUND.match(line):
            if int(match[1]) != len(file.rounds) + 1:
                sentence = say("line {number}: round {match} follows round {n}; number them 1, 2, 3")
                raise EloError(sentence(number=number, match=match[1], n=len(file.rounds)))
            into = []
            file.rounds.append(into)
        elif match := _BYE.match(line):
            file.byes.setdefault(len(file.rounds), []).append(match[1])
        elif match := _AWAY.match(line):
            file.away.setdefault(len(file.rounds), []).append(match[1])
        elif match := _FIELD.match(line):
            file.fields[match[1]] = match[2]
        elif (match := _UNRATED.match(line)) and into is not None:
            into.append(_game(match[2], number, file, match[1].lower()))
        elif line.strip() and not line.startswith("%"):
            if into is None:
                sentence = say("line {number}: a game before the first '%Round' line: {line}")
                raise EloError(sentence(number=number, line=repr(line.strip())))
            into.append(_game(line, number, file))
    return file


def _add_player(file: _File, match: re.Match[str], number: int) -> None:
    columns = [column.strip() for column in match["rest"].split(",")]
    if len(columns) < 4:
        text = say("line {number}: a player needs id, name, first name, country, points: {line}")
        raise EloError(text(number=number, line=repr(match[0].strip())))
    last, first, country, points = columns[:4]
    try:
        twice = round(float(points) * 2)
        rating = int(columns[5]) if len(columns) > 5 and columns[5] else 0
    except (ValueError, OverflowError):
        raise EloError.saying(
            "line {number}: points or rating is no number: {line}", number=number, line=repr(match[0].strip())
        ) from None
    player: dict[str, object] = {"id": match["id"], "name": f"{last} {first}".strip()}
    if not match["new"]:
        player["wof"] = int(match["id"])
    if country:
        player["country"] = country
    if rating:
        player["rating"] = rating
    if match["id"] in file.points:
        raise EloError.saying("line {number}: player {match} is listed twice", number=number, match=match["id"])
    file.players.append(player)
    file.points[match["id"]] = twice


def _game(line: str, number: int, file: _File, unrated: str = "") -> Game:
    """Return the game in a line. ``unrated``: "forfeit" or "unrated", if it is not rated."""
    match = _GAME.match(line)
    if match is None:
        text = say("line {number}: not a game like '5105 (30)<(34) 4001 B': {line}")
        raise EloError(text(number=number, line=repr(line.strip())))
    one, discs, sign, other_discs, other, side = match.groups()
    for name in (one, other):
        if name not in file.points:
            raise EloError.saying(
                "line {number}: player {name} is not in the list of players", number=number, name=name
            )
    black, white = (one, int(discs)), (other, int(other_discs))
    if side == "W":  # the player named first had White
        black, white, sign = white, black, {">": "<", "<": ">", "=": "="}[sign]
    end = EndReason.FORFEIT if unrated == "forfeit" else None
    game = Game(black[0], white[0], end=end, rated=False if unrated else None)
    if unrated and not black[1] and not white[1]:  # neither came
        return replace(game, black_discs=0, white_discs=0)
    game = replace(game, winner={">": Winner.BLACK, "<": Winner.WHITE, "=": Winner.DRAW}[sign])
    more = ">" if black[1] > white[1] else "<" if black[1] < white[1] else "="
    if more not in (sign, "=") or black[1] + white[1] != STANDARD.total:
        text = say("line {number}: {line} is no score of 64 discs that fits its winner; the discs are left out")
        file.warnings.append(text(number=number, line=repr(line.strip())))
    elif more == sign:  # "(32)>(32)" says only who won
        return replace(game, black_discs=black[1], white_discs=white[1])
    return game


def _finals_as_rounds(file: _File) -> list[list[Game]]:
    """Remove and return the last rounds that are finals, namely those in which most of the field has no game."""
    finals: list[list[Game]] = []
    if file.fields.get("Creator") != CREATOR:
        usual = max(map(len, file.rounds))
        while len(file.rounds) > 1 and len(file.rounds[-1]) <= MOST_FINALS and 2 * len(file.rounds[-1]) < usual:
            finals.insert(0, file.rounds.pop())
    return finals


@dataclass(slots=True)
class _Absences:
    byes: dict[int, list[str]] = field(default_factory=dict)
    withdrawn: dict[str, int] = field(default_factory=dict)
    away: dict[int, list[str]] = field(default_factory=dict)


def _absences(file: _File) -> _Absences:
    """Return which missing rounds were byes. The header of PAPP decides, and any header that counts points for a
    missing round; another file that credits none at all (some national archives leave byes out of the points) has no
    byes.
    """
    played: dict[str, dict[int, int]] = {name: {} for name in file.points}
    for number, games in enumerate(file.rounds, start=1):
        for game in games:
            for name in game.players:
                played[name][number] = game.half_points(name)
    missing = {name: [r for r in range(1, len(file.rounds) + 1) if r not in played[name]] for name in played}
    credit = {name: (file.points[name] - sum(played[name].values())) // 2 for name in played}
    has_bye_points = file.fields.get("Creator", "").startswith(PAPP) or any(value > 0 for value in credit.values())
    alone = {r for r in range(1, len(file.rounds) + 1) if sum(r in rounds for rounds in missing.values()) == 1}
    result = _Absences()
    for name, rounds in missing.items():
        byes = rounds
        if file.fields.get("Creator") == CREATOR:
            byes = [r for r in rounds if name in file.byes.get(r, ())]
        elif has_bye_points and len(rounds) > credit[name]:
            likely = sorted(rounds, key=lambda r: (r not in alone, r))
            byes = sorted(likely[: max(credit[name], 0)])
        for number in byes:
            result.byes.setdefault(number, []).append(name)
        away = [r for r in rounds if name in file.away.get(r, ())]
        last = max((*played[name], *byes, *away), default=0)
        if last < len(file.rounds):
            result.withdrawn[name] = last
        for number in (r for r in rounds if r <= last and r not in byes):
            result.away.setdefault(number, []).append(name)
    return result


def _after_the_swiss(games: list[Game]) -> list[list[Game]]:
    """Return the added games in rounds: each as early as its players are free, in the order of the file."""
    rounds: list[list[Game]] = []
    busy: dict[str, int] = {}
    for game in games:
        index = max(busy.get(name, 0) for name in game.players)
        if index == len(rounds):
            rounds.append([])
        rounds[index].append(game)
        busy |= dict.fromkeys(game.players, index + 1)
    return rounds


# Lines of untrusted text files, normalised for parsing with regular expressions.
#
# A regular expression may backtrack over every blank, so a line has a maximum length and no two blanks in a row.

LONGEST = 2000


def lines_of(text: str, error: type[LocalizedError]) -> Iterator[tuple[int, str]]:
    """Return each line with its number, from 1, and its blanks collapsed.

    :raises LocalizedError: as ``error``, for a line that is too long
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LONGEST:
            raise error(
                say("line {number} is longer than {longest} letters; is it a text?", number=number, longest=LONGEST)
            )
        yield number, " ".join(line.split())
