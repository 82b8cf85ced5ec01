"""Writer of the work file of the pairing program PAPP (``papp-internal-workfile.txt``), from which it continues an
event, and of the player list it needs beside it (``joueurs.txt``).

Commands follow PAPP's own grammar, each closed by a semicolon: ``& +1 +2 -3`` presence and absence, ``(1 40 2 24)`` a
game with Black first, ``(1 2)`` one without a result yet, ``ronde-suivante`` the next round. A player who is present
and has no game has a bye. PAPP supports numbers, ASCII names and counted discs: a game of which only the winner was
recorded becomes 33-31, and a comment says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.board.variants import STANDARD
from engine.i18n import LocalizedError, say
from engine.tournament import Event
from engine.tournament.event_model import Game, Player, Winner
from engine.tournament.format_spec_and_options import ROUNDS
from engine.tournament.multi_game_matches import single_games
from engine.tournament.pairing_history_and_constraints import remaining_players
from engine.tournament.player_entry_fields import country_code
from kiosk.records.elo_result_file_reader import lines_of
from kiosk.records.rating_list_numbers_and_names import latin_name, rating_list_numbers, split_name

_RULE = "#" * 41
#: discs written where only the winner was recorded
_ALL, _HALF = STANDARD.total, STANDARD.total // 2
_UNCOUNTED = {Winner.BLACK: (_HALF + 1, _HALF - 1), Winner.WHITE: (_HALF - 1, _HALF + 1), Winner.DRAW: (_HALF, _HALF)}


def write_work_file(event: Event) -> str:
    """Return the text of the work file with all rounds; a match of several games is one game: PAPP knows no others."""
    event = single_games(event)
    numbers = rating_list_numbers(event.players)
    c = event.options.brightwell_c
    planned = max(len(event.rounds), ROUNDS.of(event) or 1)
    lines = [_RULE, "# written by othello-kiosk", _RULE]
    lines += [
        f'#_Nom-Tournoi   = "{_quote(event.name or event.date or "")}" ;',
        f"#_Nombre-Rondes = {planned} ;",
        f"#_BQ-double = {c if isinstance(c, int) else 6:.6f} ;",
    ]
    if event.date:
        lines.append(f'#_Date = "{"/".join(reversed(event.date.split("-")))}" ;')
    lines.append(_RULE)
    present: set[str] = set()
    for round_ in event.rounds:
        here = set(round_.players)
        lines += ["", f"# round {round_.number}", *_presence(present, here, numbers)]
        lines += [_game(game, numbers) for game in round_.games]
        present = here
        if round_.finished:
            lines.append("ronde-suivante;")
    if all(round_.finished for round_ in event.rounds):
        remaining = {player.id for player in remaining_players(event)}
        lines += ["", "# who is there now", *_presence(present, remaining, numbers)]
    return "\n".join(lines) + "\n"


def write_work_players(event: Event) -> str:
    """Return the list of players with names that PAPP can read; other players are listed by their id."""
    return write_players(replace(event, players=tuple(replace(one, name=_name(one)) for one in event.players)))


def _presence(before: set[str], here: set[str], numbers: Mapping[str, int]) -> list[str]:
    came = [f"+{number}" for number in sorted(numbers[id] for id in here - before)]
    left = [f"-{number}" for number in sorted(numbers[id] for id in before - here)]
    return [f"& {' '.join([*came, *left])};"] if came or left else []


def _game(game: Game, numbers: Mapping[str, int]) -> str:
    black, white, winner = numbers[game.black], numbers[game.white], game.winner
    if winner is Winner.NEITHER:
        return f"# {black} - {white}: neither came"
    if winner is None:
        return f"({black} {white});"
    own, his = game.black_discs, game.white_discs
    if not game.over_the_board:
        if own is None or his is None:
            own, his = {Winner.BLACK: (_ALL, 0), Winner.WHITE: (0, _ALL)}.get(winner, _UNCOUNTED[Winner.DRAW])
        return f"({black} {own} {white} {his});  # not played"
    if own is not None and his is not None and own + his == _ALL and (own != _HALF or winner is Winner.DRAW):
        return f"({black} {own} {white} {his});"
    one, other = _UNCOUNTED[winner]
    return f"({black} {one} {white} {other});  # only the winner was recorded"


def _name(player: Player) -> str:
    """Return the name with "no" before each word that begins with no letter: PAPP reads such a word as a number."""
    name = latin_name(player.name or "", "", "ascii") or f"Player {player.id}"
    words = "".join(letter if letter.isalnum() or letter in "'-." else " " for letter in name).split()
    return " ".join(word if word[0].isalpha() else f"no{word}" for word in words)


def _quote(text: str) -> str:
    return " ".join(text.replace('"', "'").split())


# The player list of the pairing program PAPP, ``joueurs.txt``.
#
# One player per line, ``number NAME, First {COUNTRY} <rating>``; ``pays = FRA`` sets the country of the following
# lines. ``%`` and ``#`` begin a comment, but ``%_`` hides only itself: published lists write ratings as ``%_<1565>``. A
# number with only a country changes the country of a player listed before.

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
    moved = {match[1]: (number, match[2].upper()) for number, line in _rows_of(text) if (match := _MOVED.match(line))}
    seen: set[str] = set()
    country: str | None = None
    for number, line in _rows_of(text):
        if match := _COUNTRY.match(line):
            country = match[1].upper()
        elif (match := _MOVED.match(line)) and match[1] in seen:
            continue
        elif match := _PLAYER.match(line):
            if match["id"] in seen:
                sentence = say("line {number}: player {player} is listed twice; remove one of the two lines")
                raise PappError(sentence(number=number, player=match["id"]))
            seen.add(match["id"])
            player = _player(match, country)
            if match["id"] in moved and moved[match["id"]][0] > number:
                player["country"] = moved[match["id"]][1]
            yield player
        else:
            sentence = say("line {number}: not a player like '5301 BERG, Anna {{DEU}} <1800>': {line}")
            raise PappError(sentence(number=number, line=repr(line.strip())))
    if not seen:
        raise PappError.saying("the file names no player; is it a PAPP player list (joueurs.txt)?")


def _rows_of(text: str) -> Iterator[tuple[int, str]]:
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


def write_players(event: Event) -> str:
    """Return the list of an event's players, by country, each with his number on the rating list."""
    numbers = rating_list_numbers(event.players)
    lines = ["% Players by country"]
    for country in sorted({_country(player) for player in event.players}):
        lines += ["", f"pays = {country}", ""] if country else [""]
        for player in (player for player in event.players if _country(player) == country):
            last, first = split_name(player)
            rating = f"  %_<{player.rating}>" if player.rating is not None else ""
            lines.append(f"{numbers[player.id]:>6} {last}, {first}{rating}".rstrip())
    return "\n".join(lines) + "\n"


def _country(player: Player) -> str:
    return country_code(" ".join((player.country or "").split()))
