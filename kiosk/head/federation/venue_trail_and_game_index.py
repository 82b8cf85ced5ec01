"""Index of each venue's rows in the store: how far they go, and where in the records a game is.

The index is derived from the rows alone, in the transaction that adds them, so it is always consistent with them and no
query has to scan a venue's history. A store without an index gets one at its next start; a backup has none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, Connection, Engine, Integer, Row, ScalarSelect, String, Table, func, insert, select

from kiosk.head.event.table_result_cards_and_notices import READ
from kiosk.head.federation.venue_row_validation import MAX_NAME
from kiosk.head.store import StoredRecord
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.head.store.store_rows import insert_missing_rows, storable_text, upsert_rows
from kiosk.head.store.store_schema import venue_events, venue_records
from kiosk.link.errors import MessageError
from kiosk.link.link_messages import ResultCard, from_dict

#: letters of an event's name in a list
MAX_SHOWN = 100
#: indexed record types: where a game begins at a table, and its results
PLACED = ("assigned", *READ)
_NAMING = ("event-created", "gathering-named")
_BATCH = 10_000
Journal = tuple[int, str]

_metadata = sa.MetaData()


def _key(*columns: tuple[str, type[String | Integer]]) -> list[Column[Any]]:
    return [Column(name, kind, primary_key=True, autoincrement=False) for name, kind in columns]


_VENUE, _JOURNAL = ("venue", String), (("table_no", Integer), ("epoch", String))
_trails = Table(
    "venue_trails",
    _metadata,
    *_key(_VENUE, ("trail", String)),
    Column("entries", Integer, nullable=False),
    Column("first_at", String, nullable=False),
    Column("last_at", String, nullable=False),
    Column("name", String),  # NULL: its event has none yet
    Column("date", String),
)
_journals = Table("venue_journals", _metadata, *_key(_VENUE, *_JOURNAL), Column("seq", Integer, nullable=False))
#: ``game``: empty if the record names none
_places = Table(
    "venue_places", _metadata, *_key(_VENUE, ("game", String), ("type", String), *_JOURNAL, ("seq", Integer))
)


@dataclass(frozen=True, slots=True)
class TrailSummary:
    """Summary of a trail: the name and day of its event, its number of entries, and their first and last time."""

    venue: str
    trail: str
    entries: int
    first_at: str
    last_at: str
    name: str | None = None
    date: str | None = None


def trails(connection: Connection, **where: str) -> list[TrailSummary]:
    """Return the summaries of all trails, or of those of a ``venue``, or of one ``trail`` of it."""
    return [TrailSummary(*row) for row in connection.execute(select(_trails).filter_by(**where))]


def entries(venue: str, trail: str) -> ScalarSelect[int]:
    """Return a trail's number of entries, as a subquery."""
    column = _trails.c
    return select(column.entries).where(column.venue == venue, column.trail == trail).scalar_subquery()


def journals(connection: Connection, venue: str, some: Iterable[Journal] | None = None) -> dict[Journal, int]:
    """Return the number of the last record of each of a venue's journals, or of those of ``some`` that exist."""
    column = _journals.c
    query = select(column.table_no, column.epoch, column.seq).where(column.venue == venue)
    if some is not None:
        query = query.where(sa.tuple_(column.table_no, column.epoch).in_(sorted(some)))
    return {(table, epoch): seq for table, epoch, seq in connection.execute(query)}


def count(connection: Connection, venue: str) -> tuple[int, int]:
    """Return a venue's number of journals, and of the records in them."""
    column = _journals.c
    found = connection.execute(select(func.count(), func.sum(column.seq)).where(column.venue == venue)).one()
    return found[0], int(found[1] or 0)


def places(connection: Connection, venue: str, game: str, types: Sequence[str]) -> list[tuple[int, str, int]]:
    """Return table, epoch and number of the records of these types about a game, in this order."""
    column = _places.c
    query = select(column.table_no, column.epoch, column.seq).order_by(column.table_no, column.epoch, column.seq)
    here = column.venue == venue, column.game == game, column.type.in_(types)
    return [(table, epoch, seq) for table, epoch, seq in connection.execute(query.where(*here))]


def records(connection: Connection, venue: str, games: Iterable[str], types: Sequence[str]) -> Iterator[Row[Any]]:
    """Yield the rows of the records of these types about these games."""
    place, record, wanted = _places.c, venue_records.c, iter(sorted(set(games)))
    same = (place[name] == record[name] for name in ("venue", "table_no", "epoch", "seq"))
    query = select(venue_records).join(_places, sa.and_(*same)).where(place.venue == venue, place.type.in_(types))
    while some := list(islice(wanted, _BATCH)):
        yield from connection.execute(query.where(place.game.in_(some)))


def game_of(type: str, body: Mapping[str, Any]) -> str:
    """Return the game that a record or an entry is about; empty: no game of a venue. This includes a card that cannot
    be parsed, so that it is shown in every tournament of the venue.
    """
    if type == "card":
        try:
            from_dict(ResultCard, dict(body))
        except MessageError:
            return ""
    game = body.get("game")
    return game if isinstance(game, str) and len(game) <= MAX_NAME and game.isprintable() else ""


def index_rows(
    connection: Connection, venue: str, trail: str, events: Sequence[OperatorEvent], records: Sequence[StoredRecord]
) -> None:
    """Index rows that are added in this transaction."""
    if events:
        there = trails(connection, venue=venue, trail=trail)
        summary = there[0] if there else TrailSummary(venue, trail, 0, events[0].at, "")
        for event in events:
            first_at, last_at = min(summary.first_at, event.at), max(summary.last_at, event.at)
            summary = replace(summary, entries=event.number, first_at=first_at, last_at=last_at)
            summary = _with_name(summary, event.kind, event.body)
        upsert_rows(connection, _trails, [asdict(summary)])
    ends = {(record.table, record.epoch): record.seq for record in records}
    upsert_rows(connection, _journals, [_of(venue, journal) | {"seq": seq} for journal, seq in ends.items()])
    placed = [one for one in records if one.type in PLACED]
    insert_missing_rows(
        connection, _places, [_place(venue, (one.table, one.epoch), one.seq, one.type, one.body) for one in placed]
    )


def build_index(engine: Engine) -> None:
    """Index all rows of a store that has no index yet."""
    with engine.begin() as connection:
        if sa.inspect(connection).has_table(_places.name):
            return
        _metadata.create_all(connection)
        event, record = venue_events.c, venue_records.c
        summaries: dict[tuple[str, str], TrailSummary] = {}
        ends = select(event.venue, event.trail, func.max(event.number), func.min(event.at), func.max(event.at))
        for row in connection.execute(ends.group_by(event.venue, event.trail)):
            summaries[row[0], row[1]] = TrailSummary(*row)
        naming = select(event.venue, event.trail, event.kind, event.body).where(event.kind.in_(_NAMING))
        for venue, trail, kind, body in connection.execute(naming.order_by(event.number)):
            summaries[venue, trail] = _with_name(summaries[venue, trail], kind, read_body(body) or {})
        upsert_rows(connection, _trails, [asdict(one) for one in summaries.values()])
        last = select(record.venue, record.table_no, record.epoch, func.max(record.seq))
        connection.execute(
            insert(_journals).from_select([*_journals.c], last.group_by(record.venue, record.table_no, record.epoch))
        )
        placed = select(venue_records).where(record.type.in_(PLACED)).execution_options(yield_per=_BATCH)
        for some in connection.execute(placed).partitions():
            places = [_place(r.venue, (r.table_no, r.epoch), r.seq, r.type, read_body(r.body) or {}) for r in some]
            connection.execute(insert(_places), places)


def _place(venue: str, journal: Journal, seq: int, type: str, body: Mapping[str, Any]) -> dict[str, Any]:
    return _of(venue, journal) | {"seq": seq, "type": type, "game": game_of(type, body)}


def _with_name(summary: TrailSummary, kind: str, body: Mapping[str, Any]) -> TrailSummary:
    """Take the tournament's own name, else that of its first event."""
    match kind:
        case "gathering-named":
            event: object = body
        case "event-created" if summary.name is None:
            event = body.get("event")
        case _:
            return summary
    if not isinstance(event, dict):
        return summary
    name, date = (str(event.get(field) or "") for field in ("name", "date"))
    return replace(summary, name=storable_text(name[:MAX_SHOWN]), date=storable_text(date[:10]))


def read_body(text: str) -> dict[str, Any] | None:
    """Parse a stored body. None: an older head accepted it, and ``check`` now refuses it."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _of(venue: str, journal: Journal) -> dict[str, Any]:
    return {"venue": venue, "table_no": journal[0], "epoch": journal[1]}
