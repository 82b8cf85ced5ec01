"""Validation of a venue's rows before they reach the writer.

A row that no store could hold, or no venue could have, is refused with a message that names it; so nothing that a
venue sends can make a commit or a later start fail.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from math import isfinite
from typing import Any

from engine.i18n import Text, say
from kiosk.head.errors import HeadError
from kiosk.head.federation.push_protocol import TRAIL, EventRow, Push, RecordRow, RowRejected, Source
from kiosk.head.store.hash_chain import canonical
from kiosk.link.link_states_and_checked_envelopes import MAX_EPOCH
from kiosk.link.message_macs_versions_handshake import MAX_TABLE

#: the largest PostgreSQL integer
MAX_NUMBER = 2**31 - 1
#: most letters of a name, and of a row's body as JSON
MAX_NAME, MAX_ROW = 100, 1024 * 1024
MAX_DEPTH = 40
#: most rows of one push; a venue sends fewer (``federation_push_thread_and_outbox.BATCH``)
MAX_ROWS = 2_000


def check(push: Push) -> None:
    """Check a push.

    :raises RowRejected: a row in it is invalid; the message names it. :raises HeadError: the push is invalid.
    """
    if why := _of_push(push):
        raise HeadError.saying("the push of {venue} cannot be taken: {why}", venue=push.venue, why=why)
    last: dict[Source, int] = {}
    for row in push.rows:
        if why := _of_row(row) or _of_place(last.get(row.source), row.number):
            entry = say("entry {number} of {venue}'s audit trail cannot be taken: {why}", why=why)
            record = say("record {seq} of table {table} at {venue} cannot be taken: {why}", why=why)
            raise RowRejected(entry if row.source == TRAIL else record, push.venue, row)
        last[row.source] = row.number


def _of_push(push: Push) -> Text | None:
    if not 0 <= push.waiting <= MAX_NUMBER:
        return say("{n} is not a valid number of waiting rows", n=push.waiting)
    if (rows := len(push.rows)) > MAX_ROWS:
        return say("{rows} rows are too many at once, {most} may be", rows=rows, most=MAX_ROWS)
    if push.stand is not None and not 1 <= push.stand.number <= push.stand.last <= MAX_NUMBER:
        return say("an audit trail entry is at the wrong position")
    return (
        _of_name(say("its trail"), push.trail)
        or _of_name(say("its nonce"), push.nonce)
        or (_of_name(say("its sender"), push.sender) if push.sender else None)
        or _of_time(push.sent_at)
    )


def _of_row(row: EventRow | RecordRow) -> Text | None:
    why = _of_number(say("its number"), row.number)
    match row:
        case EventRow():
            why = why or _of_name(say("its kind"), row.kind)
            why = why or _of_name(say("its person"), row.person) or _of_time(row.at)
        case RecordRow():
            if not 1 <= row.table <= MAX_TABLE:
                return say("tables have numbers from 1 to {most}", most=MAX_TABLE)
            why = why or _of_number(say("its arrival"), row.arrival)
            why = why or _of_name(say("its epoch"), row.epoch, MAX_EPOCH) or _of_name(say("its type"), row.type)
    return why or _of_body(row.body)


def _of_place(last: int | None, number: int) -> Text | None:
    return None if last is None or number == last + 1 else say("it comes after {last} in one push", last=last)


def _of_number(what: Text, number: int) -> Text | None:
    return None if 1 <= number <= MAX_NUMBER else say("{what} is not from 1 to {most}", what=what, most=MAX_NUMBER)


def _of_name(what: Text, name: str, most: int = MAX_NAME) -> Text | None:
    if 1 <= len(name) <= most and name.isprintable():
        return None
    return say("{what} is not 1 to {most} printable letters", what=what, most=most)


def _of_time(at: str) -> Text | None:
    if why := _of_name(say("its time"), at):
        return why
    try:
        time = datetime.fromisoformat(at)
    except ValueError:
        return say("its time is not valid")
    # other years can leave the calendar when converted to another time zone
    if time.tzinfo is not None and 1970 <= time.year < 9999:
        return None
    return say("its time is not a valid time of day")


def _of_body(body: dict[str, Any]) -> Text | None:
    for value, depth in _nested_values(body):
        if depth > MAX_DEPTH:
            return say("it is nested deeper than {most}", most=MAX_DEPTH)
        match value:
            case dict() if any(type(name) is not str for name in value):
                return say("a name in it is not a text")
            case float() if not isfinite(value):
                return say("it has an infinite number")
            case None | str() | bool() | int() | float() | dict() | list():
                pass
            case _:
                return say("it has a value that JSON cannot express")
    return None if len(canonical(body)) <= MAX_ROW else say("it is longer than {most} letters", most=MAX_ROW)


def _nested_values(value: Any) -> Iterator[tuple[Any, int]]:
    """Yield every value inside a value, with its depth."""
    rest = [(value, 1)]
    while rest:
        value, depth = rest.pop()
        yield value, depth
        if depth <= MAX_DEPTH and isinstance(value, dict | list):
            rest += [(one, depth + 1) for one in (value.values() if isinstance(value, dict) else value)]
