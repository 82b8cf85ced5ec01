"""The player list of the pairing program PAPP, ``joueurs.txt``.

One player per line, ``number NAME, First {COUNTRY} <rating>``; ``pays = FRA`` sets the country of the following lines.
``%`` and ``#`` begin a comment, but ``%_`` hides only itself: published lists write ratings as ``%_<1565>``. A number
with only a country changes the country of a player listed before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.i18n import LocalizedError, say
from kiosk.records.rating_list_names import rating_list_numbers, split_name
from kiosk.records.text_lines import lines_of

_COUNTRY = re.compile(r"\s*pays\s*=\s*\"?([A-Za-z]+)\"?\s*$", re.IGNORECASE)
_FEDERATION = re.compile(r"\s*federation", re.IGNORECASE)
_MOVED = re.compile(r"\s*(\d+)\s*\{\s*(\w+)\s*\}\s*$")
_PLAYER = re.compile(
    r"\s*(?P<id>\d+)\s+(?P<last>[^,(){}<>]+?)\s*(?:,\s*(?P<first>[^(){}<>]*?))?\s*(?:\([^)]*\))?"
    r"\s*(?:\{\s*(?P<country>\w+)\s*\})?\s*(?:<\s*(?P<rating>-?\s*\d+)\s*>)?\s*$"
)


class PappError(LocalizedError, ValueError):
    """Error for an unusable player list. The message names the line."""


def read_players(text: str) -> dict[str, object]:
    """Return the object of an event file (format ``swiss``) with the players of a list, and no round.

    :raises PappError: as ``listed_players``
    """
    return {"schema": "othello-event/1", "format": "swiss", "players": list(listed_players(text)), "rounds": []}


def listed_players(text: str) -> Iterator[dict[str, object]]:
    """Return the players of a list, one after the other.

    :raises PappError: naming the line that cannot be read, or a number that is listed twice
    """
    moved = {match[1]: (number, match[2].upper()) for number, line in _lines_of(text) if (match := _MOVED.match(line))}
    seen: set[str] = set()
    country: str | None = None
    for number, line in _lines_of(text):
        if match := _COUNTRY.match(line):
            country = match[1].upper()
        elif (match := _MOVED.match(line)) and match[1] in seen:
            continue
        elif match := _PLAYER.match(line):
            if match["id"] in seen:
                raise PappError(
                    say(
                        "line {number}: player {player} is listed twice; remove one of the two lines",
                        number=number,
                        player=match["id"],
                    )
                )
            seen.add(match["id"])
            player = _player(match, country)
            if match["id"] in moved and moved[match["id"]][0] > number:
                player["country"] = moved[match["id"]][1]
            yield player
        else:
            raise PappError(
                say(
                    "line {number}: not a player like '5301 BERG, Anna {{DEU}} <1800>': {line}",
                    number=number,
                    line=repr(line.strip()),
                )
            )
    if not seen:
        raise PappError(say("the file names no player; is it a PAPP player list (joueurs.txt)?"))


def _lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Return the non-empty lines without their comments."""
    for number, raw in lines_of(text, PappError):
        if (line := _without_comment(raw)).strip() and not _FEDERATION.match(line):
            yield number, line


def _without_comment(line: str) -> str:
    line = line.replace("%_", " ").split("`", 1)[0]
    return re.split(r"[%#]", line, maxsplit=1)[0]


def _player(match: re.Match[str], country: str | None) -> dict[str, object]:
    name = f"{match['last']} {match['first'] or ''}".strip()
    player: dict[str, object] = {"id": match["id"], "name": name, "wof": int(match["id"])}
    if own := match["country"] or country:
        player["country"] = own.upper()
    if match["rating"]:
        player["rating"] = int(match["rating"].replace(" ", ""))
    return player


def write_players(event: dict[str, object]) -> str:
    """Return the list of an event's players, by country, each with his number on the rating list."""
    players = event["players"]
    assert isinstance(players, list)
    numbers = rating_list_numbers(players)
    lines = ["% Players by country"]
    for country in sorted({_country(player) for player in players}):
        lines += ["", f"pays = {country}", ""] if country else [""]
        for player in (player for player in players if _country(player) == country):
            last, first = split_name(player)
            rating = f"  %_<{player['rating']}>" if player.get("rating") is not None else ""
            lines.append(f"{numbers[player['id']]:>6} {last}, {first}{rating}".rstrip())
    return "\n".join(lines) + "\n"


def _country(player: dict[str, object]) -> str:
    return " ".join(str(player.get("country") or "").split())
