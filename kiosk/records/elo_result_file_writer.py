"""Writer of the ``.ELO`` file of an event, for rating lists and ``kiosk.records.elo_result_file_reader``.

- A game is credited to a player's number on the rating list (``wof``) or to a newcomer, never to an own number, which
  may belong to another person on the list.
- The first four lines are tournament, country, date (of the first day) and sender; all is ASCII
  (worldothellofederation.com/ratinglist.html; PAPP marks newcomers with a plus and writes ``??`` for unknown values).
- Swiss rounds keep their order; games of the finals are written as added results.
- A bye is a point in the header and a comment in its round; an absence is a comment.
- ``(32)>(32)``: only the winner was recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.board.variants import STANDARD
from engine.i18n import Text, say, say_n
from engine.tournament import Event, standings
from engine.tournament.event_model import WIN, Game, Player, Round, Winner
from engine.tournament.pairing_history_and_constraints import LEAGUE_STAGES, away_in_round
from engine.tournament.player_entry_fields import JAPAN, country_code
from engine.tournament.standings_and_tie_breaks import discs_in
from kiosk.records.elo_result_file_reader import CREATOR, EloError
from kiosk.records.rating_list_numbers_and_names import latin_name, list_number, rating_list_numbers, split_name

#: an unknown value, as PAPP writes it
UNTOLD = "??"


@dataclass(frozen=True, slots=True)
class EloHeader:
    """Header data the rating list needs besides the event. ``title``: replaces a name that is not in Latin letters."""

    country: str = UNTOLD
    sender: str = UNTOLD
    title: str = UNTOLD


def write_elo(event: Event, sending: EloHeader | None = None) -> str:
    """Return the text of the file: header, players in rank order, rounds, added results.

    :raises EloError: see ``rejection_reason``
    """
    if (refused := rejection_reason(event)) is not None:
        raise EloError(refused)
    numbers = rating_list_numbers(event.players)
    stages = {entry.stage for round_ in event.rounds for entry in round_.entries}
    swiss = stages.intersection(LEAGUE_STAGES) or stages  # a knock-out has no other rounds
    added = [game for round_ in event.rounds for game in round_.games if game.stage not in swiss]
    rounds: list[Round] = []
    for round_ in event.rounds:  # of a match the first game: a player has one game in a round
        own = [game for game in round_.games if game.stage in swiss]
        first = {frozenset(game.players): game for game in reversed(own)}
        added += [game for game in own if first[frozenset(game.players)] is not game]
        games = tuple(game for game in own if first[frozenset(game.players)] is game)
        rounds.append(Round(round_.number, games, tuple(bye for bye in round_.byes if bye.stage in swiss)))
    lines = [*_header(event, sending or EloHeader()), "", f"%%Creator: {CREATOR}", ""]
    lines.append("%        ID, NAME, Firstname, COUNTRY, score, disc-count, rating")
    lines += _players(event, rounds, numbers)
    for number, round_ in enumerate((round_ for round_ in rounds if round_.games), start=1):
        lines += ["", f"%Round: {number}", "", *_games(event, round_.games, numbers)]
        lines += [f"% Bye: {numbers[bye.player]}" for bye in round_.byes]
        away = sorted(away_in_round(event, round_.number))
        lines += [f"% Away: {numbers[name]}" for name in away if name in numbers]
    if results := _games(event, added, numbers):
        lines += ["", "%%Added results", *results]
    return "\n".join(lines) + "\n"


def rejection_reason(event: Event) -> Text | None:
    """Return why a rating list cannot use this event, None if it can."""
    if event.facts.captures:
        return say("ChouChou counts captured pieces and no discs; rating lists do not take them, use .csv")
    if event.variant != STANDARD:
        return say("rating lists have games on 8x8 from the usual start only, use .csv")
    nameless = tuple(event.called(p.id) for p in event.players if not _latin(p.latin or p.name or p.id))
    if nameless:
        return say_n(
            "{n} player has no name in Latin letters, which rating lists need: {players}",
            "{n} players have no name in Latin letters, which rating lists need: {players}",
            len(nameless),
            players=nameless,
        )
    holders: dict[int, Player] = {}
    for player in event.players:
        wof = list_number(player.wof)
        if wof is not None and (other := holders.setdefault(wof, player)) is not player:
            text = say("the number {wof} of the rating list stands with {one} and with {other}; correct one")
            return text(wof=wof, one=event.called(other.id), other=event.called(player.id))
    return None


def missing_data(event: Event, sending: EloHeader | None = None) -> tuple[Text, ...]:
    """Return one sentence for each thing that the rating list will miss in the file."""
    return tuple(filter(None, (missing_in_header(event, sending or EloHeader()), newcomers_in(event))))


def missing_in_header(event: Event, sending: EloHeader) -> Text | None:
    """Return what is missing at the head of the file; None if nothing is."""
    values = (
        (say("name of the tournament in Latin letters"), _title(event, sending)),
        (say("country of the tournament in Latin letters"), _country(sending)),
        (say("date"), event.date),
        (say("name of the sender in Latin letters"), sending.sender),
    )
    missing = tuple(name for name, value in values if value == UNTOLD or not _latin(value or ""))
    return say("still missing: {missing}; add it before you send the file", missing=missing) if missing else None


def newcomers_in(event: Event) -> Text | None:
    """Return the players who are written as newcomers; None if there are none."""
    newcomers = tuple(event.called(player.id) for player in event.players if list_number(player.wof) is None)
    if not newcomers:
        return None
    return say_n(
        "{n} player has no number of the rating list and is written as a newcomer: {players}",
        "{n} players have no number of the rating list and are written as newcomers: {players}",
        len(newcomers),
        players=newcomers,
    )


def _title(event: Event, sending: EloHeader) -> str:
    return _latin(event.name_en or event.name or "") or _latin(sending.title)


def _country(sending: EloHeader) -> str:
    """Return the country of the tournament, which the list has by its English name."""
    return sending.country if _latin(sending.country) or country_code(sending.country) != JAPAN else "Japan"


def file_name(event: Event, title: str, end: str = "") -> str:
    """Return ``YYYYMMDD_NAME.ELO``, as the rating list requires: letters, digits and ``_``, the name at most 30
    characters. ``end``: with what it ends, if another file has the name without it.
    """
    end = "".join(f"_{word}" for word in re.findall(r"[A-Za-z0-9]+", end))[-20:]
    name = _latin(event.name_en or event.name or "")
    words = re.findall(r"[A-Za-z0-9]+", name) or re.findall(r"[A-Za-z0-9]+", title) or ["event"]
    day = (event.date or "").replace("-", "")
    return f"{day}_{'_'.join(words)[: 30 - len(end)]}{end}.ELO".lstrip("_")


def _latin(text: str) -> str:
    """Return the text without accents; empty if it has letters outside ASCII."""
    return latin_name(text, "", "ascii")


def _header(event: Event, sending: EloHeader) -> list[str]:
    day = "/".join(reversed(event.date.split("-"))) if event.date else UNTOLD
    values = {"Tournament": _title(event, sending), "Country": _country(sending), "Date": day, "Sender": sending.sender}
    return [f"%%{name}: {_latin(' '.join(value.split())) or UNTOLD}" for name, value in values.items()]


def _players(event: Event, rounds: Sequence[Round], numbers: Mapping[str, int]) -> list[str]:
    rank = {row.id: index for index, row in enumerate(standings(event).rows)}
    half_points = {player.id: 0 for player in event.players}
    discs = dict.fromkeys(half_points, 0)
    for round_ in rounds:
        for bye in round_.byes:
            half_points[bye.player] += WIN
        for game in (game for game in round_.games if game.winner is not None):
            for name in game.players:
                half_points[name] += game.half_points(name)
                discs[name] += discs_in(event, game, name)
    lines = []
    for player in sorted(event.players, key=lambda player: rank.get(player.id, len(rank))):
        last, first = map(_latin, split_name(player))
        new = "+" if list_number(player.wof) is None else " "
        score = half_points[player.id] / WIN
        country = _latin(country_code(" ".join((player.country or "").split())))
        columns = [last, first, country, f"{score:g}", str(discs[player.id])]
        columns += [str(player.rating)] if player.rating is not None else []
        lines.append(f"%_% {new}{numbers[player.id]:>6}, {', '.join(columns)}")
    return lines


def _games(event: Event, games: Sequence[Game], numbers: Mapping[str, int]) -> list[str]:
    """Return the lines of the finished games; 32 discs each where only the winner was recorded."""
    lines = []
    for game in (game for game in games if game.winner is not None):
        sign = {Winner.BLACK: ">", Winner.WHITE: "<"}.get(game.winner or Winner.DRAW, "=")
        black, white = (discs_in(event, game, name) for name in game.players)
        # M43-13.3, RULES.md 3.4: a forfeit is not rated
        comment = "" if game.over_the_board else "% Forfeit: "
        comment = comment or ("% Unrated: " if game.rated is False else "")
        line = f"{numbers[game.black]:>6} ({black:02d}){sign}({white:02d}) {numbers[game.white]:>6}  B"
        lines.append(comment + line)
    return lines
