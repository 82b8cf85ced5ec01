"""Builds the rows of the federation's database from a tournament's state; all functions are pure.

Rows contain only what is public: the event as the division's own settings show it, with hidden names left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Column, Integer

from engine.board.errors import BoardError
from engine.board.transcript import PASS, parse_transcript, plies
from engine.match.match_events_and_effects import ArbiterOrder
from engine.tournament import Event
from engine.tournament.event_model import Bye, Game, Player, Team, TournamentError
from kiosk.head.errors import HeadError
from kiosk.head.event.pairings_standings_and_correction_impact import ExplainedStandings, explained_standings
from kiosk.head.event.publication_redaction_and_latin_names import named_players, redact_event
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.head.federation.database import database_schema as db
from kiosk.head.publish.prizes_and_certificates import certificates_of
from kiosk.head.publish.published_event import Book, PublishedDivision, book_of
from kiosk.head.store import StoredRecord
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.head.tables.game_turn_times import turn_times_by_game
from kiosk.link.errors import MessageError
from kiosk.link.game_replay_and_event_encoding import event_from_dict
from kiosk.records.event_file import to_dict
from kiosk.records.japanese_name_search_and_order import search_key
from kiosk.records.rating_list_numbers_and_names import list_number

Row = dict[str, Any]
#: rulings of the desk, in addition to the orders at tables
DESK = ("result-corrected", "result-taken-back", "round-amended", "round-undone", "player-withdrawn")


@dataclass(frozen=True, slots=True)
class DivisionRows:
    """A division as rows: ``players``, and rows that refer to them by their entry (``black``, ``white``, ``player``,
    ``team``). ``games``: the venue's id of each game by (round, number).
    """

    row: Row
    players: list[Row]
    games: list[Row]
    standings: list[Row]
    certificates: list[Row]
    names: Mapping[tuple[int, int], str]


def day_of(state: TournamentState, first_at: str) -> date:
    """Return the date of a tournament: the one that was entered, if it is valid."""
    dates = (state.date, *(division.event.date or "" for division in state.divisions.values()), first_at)
    for text in dates:
        try:
            return date.fromisoformat(text[:10])
        except ValueError:
            continue
    return date(1970, 1, 1)


def rows_of(division: DivisionState, ranking: ExplainedStandings | None = None, day: str = "") -> DivisionRows:
    """Return the public rows of a division, and the numbers that identify persons. ``day``: the tournament's date."""
    shown = _shown(division, ranking, day)
    event = shown.event
    names: dict[tuple[int, int], str] = {}
    for number, games in enumerate(division.rounds, start=1):
        played = (game for game in games if not game.is_bye)
        names |= {(number, at): game.id for at, game in enumerate(played, start=1)}
    ja, en = division.title
    file = to_dict(event)
    row = {
        "slug": division.slug,
        "source": division.event_id,
        "title_ja": ja or en or event.name or division.slug,
        "title_en": en or ja or event.name or division.slug,
        "format": event.format,
        "entrants": len({name for round_ in event.rounds for name in round_.players}),
        "rounds": len(event.rounds),
        "over": bool(event.rounds) and ranking is not None and ranking.over,
        "file": json.dumps(file, ensure_ascii=False, separators=(",", ":")),
    }
    book = book_of([shown])
    return DivisionRows(
        row,
        list(_players(event, named_players(division.event, division.spectators.naming, event.date or ""))),
        list(_games(event)),
        list(_standings(ranking)),
        list(_certificates(book)),
        names,
    )


def standings_or_none(division: DivisionState) -> ExplainedStandings | None:
    """Return its standings; None: there are none yet, or they cannot be computed."""
    try:
        return explained_standings(division.whole()) if division.rounds else None
    except HeadError:
        return None


def _shown(division: DivisionState, ranking: ExplainedStandings | None, day: str) -> PublishedDivision:
    rule, over = division.spectators, ranking is not None and ranking.over
    event = redact_event(division.whole(), rule, over=over, day=day)
    table = None if ranking is None else ranking.standings
    return PublishedDivision(division.slug, division.title, event, table)


def _players(event: Event, numbered: Mapping[str, Player]) -> Iterator[Row]:
    team_of = {name: team.id for team in event.teams for name in team.players}
    entries: tuple[Player | Team, ...] = (*event.teams, *event.players)
    for entry in entries:
        name = entry.name or entry.id
        person = entry if isinstance(entry, Player) else None
        known = None if person is None else numbered.get(person.id)
        yield {
            "entry": entry.id,
            "name": name,
            "sought": search_key(name),
            **{one.name: _value(one, person, known) for one in db.ENTRY_FIELDS},
            "is_team": isinstance(entry, Team),
            "team": team_of.get(entry.id),
        }


def _value(column: Column[Any], shown: Player | None, named: Player | None) -> object:
    """Return the value of a column: as it may be shown, or a number that identifies a person published by name."""
    if not column.nullable:
        return getattr(shown, column.name, None) or ""
    number = getattr(named, column.name, None)
    return list_number(number) if isinstance(column.type, Integer) else str(number) if number else None


def _games(event: Event) -> Iterator[Row]:
    for round_ in event.rounds:
        for number, entry in enumerate(round_.entries, start=1):
            yield {"round": round_.number, "number": number, "stage": entry.stage.value, **_game_row(entry)}


def _game_row(entry: Game | Bye) -> Row:
    if isinstance(entry, Bye):
        nothing = dict.fromkeys(("table_no", "white", "black_discs", "white_discs", "winner", "transcript"))
        return {"black": entry.player, "ending": "bye", "rated": False, **nothing}
    over = entry.winner is not None
    return {
        "table_no": entry.table,
        "black": entry.black,
        "white": entry.white,
        "black_discs": entry.black_discs,
        "white_discs": entry.white_discs,
        "winner": entry.winner.value if entry.winner is not None else None,
        "ending": entry.end.value if entry.end is not None else None,
        "rated": (entry.over_the_board if entry.rated is None else entry.rated) if over else None,
        "transcript": entry.transcript if over else None,  # a game in progress may not be published
    }


def _standings(ranking: ExplainedStandings | None) -> Iterator[Row]:
    if ranking is None or not ranking.standings.after_round:
        return
    for row in ranking.standings.rows:
        keys = json.dumps(list(zip(row.key_names, row.keys, strict=True)))
        yield {"player": row.id, "rank": row.rank, "wins": float(row.wins), "discs": row.discs, "keys": keys}


def _certificates(book: Book) -> Iterator[Row]:
    try:
        granted = certificates_of(book)
    except TournamentError:
        return
    for one in granted:
        award = one.award if one.kind in ("grade", "oza") else None
        yield {
            "player": one.id,
            "kind": one.kind,
            "rank": one.rank,
            "grade": (award and one.kind == "grade" and award.grade) or "",
            "rule": award.rule if award else "",
            "fee": bool(award and one.kind == "grade" and award.fee),
        }


def moves_of(transcript: str, times: Sequence[int] = ()) -> list[Row]:
    """Return the moves of a game; none if they are illegal."""
    try:
        squares = [square or PASS for square, _ in plies(parse_transcript(transcript))]
    except BoardError:
        return []
    known = times if len(times) == len(squares) else [None] * len(squares)
    return [{"ply": ply, "square": one, "ms": ms} for ply, (one, ms) in enumerate(zip(squares, known, strict=True), 1)]


def desk_rulings(events: Iterable[OperatorEvent]) -> Iterator[tuple[str, Row]]:
    """Yield the desk's rulings, with the id of the game concerned."""
    for event in events:
        if event.kind in DESK:
            fields = {name: str(event.body.get(name) or "") for name in ("game", "reason")}
            row = {"source": "desk", "number": event.number, "at": event.at, "person": event.person}
            yield fields["game"], {**row, "action": event.kind, "reason": fields["reason"]}


def turn_times_and_rulings(records: Sequence[StoredRecord]) -> tuple[tuple[int, ...], list[Row]]:
    """Return the times of a game's turns, and an arbiter's rulings in it. ``records``: of one journal, from the
    assignment to the card.
    """
    found = []
    for record in records:
        event = _event(record)
        if isinstance(event, ArbiterOrder):
            source = f"{record.table}/{record.epoch}/{record.seq}"
            row = {"source": source, "number": 0, "at": "", "person": "", "action": event.action.value}
            found.append({**row, "reason": event.reason})
    return next(iter(turn_times_by_game(records).values()), ()), found


def _event(record: StoredRecord) -> object:
    event = record.body.get("event") if record.type == "event" else None
    if not isinstance(event, Mapping) or event.get("type") != "arbiter":
        return None
    try:
        return event_from_dict(event)
    except (MessageError, ValueError, TypeError):
        return None
