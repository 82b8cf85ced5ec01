"""What a venue's rows must be before anything depends on them.

The law: a row is looked at before the writer sees it. What no store could hold, or no venue has, is refused by one
sentence that names the row; so nothing that a venue sends can make a commit fail, or a later start.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from math import isfinite
from typing import Any

from engine.text import say
from kiosk.head.errors import HeadError
from kiosk.head.federation.wire import TRAIL, EventRow, Push, RecordRow, Refused, Source
from kiosk.head.store.chain import canonical
from kiosk.link.frames import MAX_TABLE
from kiosk.link.protocol import MAX_EPOCH

#: what PostgreSQL's integer holds
MAX_NUMBER = 2**31 - 1
#: letters of a name, and of a row's body as JSON
MAX_NAME, MAX_ROW = 100, 1024 * 1024
MAX_DEPTH = 40
#: rows of one push; a venue sends fewer (``pusher.BATCH``)
MAX_ROWS = 2_000


def check(push: Push) -> None:
    """:raises Refused: a row in it cannot be; the sentence names it. :raises HeadError: the push cannot be."""
    if why := _of_push(push):
        raise HeadError(say("the push of {venue} cannot be taken: {why}", venue=push.venue, why=why))
    last: dict[Source, int] = {}
    for event in push.events:
        if why := _of_event(event) or _of_place(last.get(TRAIL), event.number):
            sentence = f"entry {event.number} of {push.venue}'s audit trail cannot be taken: {why}"
            raise Refused(sentence, TRAIL, event.number)
        last[TRAIL] = event.number
    for record in push.records:
        source = record.table, record.epoch
        if why := _of_record(record) or _of_place(last.get(source), record.seq):
            sentence = f"record {record.seq} of table {record.table} at {push.venue} cannot be taken: {why}"
            raise Refused(sentence, source, record.seq)
        last[source] = record.seq


def _of_push(push: Push) -> str:
    if not 0 <= push.waiting <= MAX_NUMBER:
        return f"{push.waiting} rows cannot wait"
    if (rows := len(push.events) + len(push.records)) > MAX_ROWS:
        return f"{rows} rows are too many at once, {MAX_ROWS} may be"
    return _of_name("its trail", push.trail) or _of_name("its nonce", push.nonce) or _of_time(push.sent_at)


def _of_event(row: EventRow) -> str:
    return (
        _of_number("its number", row.number)
        or _of_name("its kind", row.kind)
        or _of_name("its person", row.person)
        or _of_time(row.at)
        or _of_body(row.body)
    )


def _of_record(row: RecordRow) -> str:
    if not 1 <= row.table <= MAX_TABLE:
        return f"tables have numbers from 1 to {MAX_TABLE}"
    return (
        _of_number("its number", row.seq)
        or _of_number("its arrival", row.arrival)
        or _of_name("its epoch", row.epoch, MAX_EPOCH)
        or _of_name("its type", row.type)
        or _of_body(row.body)
    )


def _of_place(last: int | None, number: int) -> str:
    return "" if last is None or number == last + 1 else f"it comes after {last} in one push"


def _of_number(what: str, number: int) -> str:
    return "" if 1 <= number <= MAX_NUMBER else f"{what} is not from 1 to {MAX_NUMBER}"


def _of_name(what: str, name: str, most: int = MAX_NAME) -> str:
    return "" if 1 <= len(name) <= most and name.isprintable() else f"{what} is not 1 to {most} printable letters"


def _of_time(at: str) -> str:
    if why := _of_name("its time", at):
        return why
    try:
        time = datetime.fromisoformat(at)
    except ValueError:
        return "its time is not one"
    # other years leave the calendar in another time zone
    return "" if time.tzinfo is not None and 1970 <= time.year < 9999 else "its time is not one that a clock shows"


def _of_body(body: dict[str, Any]) -> str:
    for value, depth in _inside(body):
        if depth > MAX_DEPTH:
            return f"it is nested deeper than {MAX_DEPTH}"
        match value:
            case dict() if any(type(name) is not str for name in value):
                return "a name in it is not a text"
            case float() if not isfinite(value):
                return "it has a number without an end"
            case None | str() | bool() | int() | float() | dict() | list():
                pass
            case _:
                return "it has what JSON cannot say"
    return "" if len(canonical(body)) <= MAX_ROW else f"it is longer than {MAX_ROW} letters"


def _inside(value: Any) -> Iterator[tuple[Any, int]]:
    """Everything in a value, and how deep it stands."""
    rest = [(value, 1)]
    while rest:
        value, depth = rest.pop()
        yield value, depth
        if depth <= MAX_DEPTH and isinstance(value, dict | list):
            rest += [(one, depth + 1) for one in (value.values() if isinstance(value, dict) else value)]
