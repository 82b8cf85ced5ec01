"""Invariants of a federation above the hall."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from simulate.simulated_staff import NEVER
from simulate.venue_links import content_of
from sqlalchemy import select

from kiosk.head.federation import venue_row_store, venue_trail_and_game_index
from kiosk.head.federation.live_venue_state_and_sender_checks import Venue
from kiosk.head.store import store_schema

if TYPE_CHECKING:
    from simulate.day_schedule import SimulatedHall


def what_a_federation_has_it_keeps(hall: SimulatedHall) -> str | None:
    """Check that no life of the hall stored by a federation becomes shorter, whatever is sent or happens to its head;
    and that it has no life the hall never had, whatever others send.
    """
    line = hall.line
    if line is None or line.federation.collector is None:
        return None
    with line.federation.store.reading() as connection:
        there = {life.trail: life.entries for life in venue_trail_and_game_index.trails(connection, venue=line.venue)}
    for trail, entries in hall.memory.lives.items():
        if there.get(trail, 0) < entries:
            return f"the federation had {entries} entries of the life {trail}, and has {there.get(trail, 0)}"
    if strange := there.keys() - hall.head.lives:
        return f"the federation has lives which the hall never had: {', '.join(sorted(strange))}"
    hall.memory.lives = there
    return None


def a_federation_has_the_hall(hall: SimulatedHall) -> str | None:
    """Check that the federation has every entry of the audit trail and every record of the tables as the head has them,
    and derives the same events, whatever other halls send. A malicious table may send records that no federation
    accepts.
    """
    line, program = hall.line, hall.head.program
    if line is None:
        return None
    federation, name = line.federation, line.venue
    assert program is not None and program.remote.pusher is not None and federation.collector is not None, (
        "all of it is on"
    )
    venue = federation.collector.venue(name)
    why = program.remote.pusher.status
    if venue is None or venue.last_contact is None or venue.last_contact.trail != program.store.trail:
        return f"the federation does not have the hall's life {program.store.trail}: {why}"
    with federation.store.reading() as connection:
        events = venue_row_store.events_of(connection, name, program.store.trail)
        theirs = {
            (number, record.epoch, record.seq): (record.type, record.body)
            for number, epoch in {(record.table, record.epoch) for record in program.store.records()}
            for record in venue_row_store.records_between(connection, name, number, epoch, 1, NEVER)
        }
    if events != (mine := program.store.operator_events()):
        return f"the hall has {len(mine)} entries of its audit trail and the federation {len(events)}: {why}"
    for record in program.store.records():
        place = record.table, record.epoch, record.seq
        if (
            record.table in hall.places
            and record.epoch not in hall.thieves
            and theirs.get(place) != (record.type, record.body)
        ):
            return f"record {place} is {(record.type, record.body)} and at the federation {theirs.get(place)}: {why}"
    for slug, division in program.desk.state.divisions.items():
        if venue.state.divisions[slug].whole() != division.whole():
            return f"the federation makes another event of {slug}"
    return None


def a_venues_rows_are_its_own(hall: SimulatedHall) -> str | None:
    """Check that every row stored in the hall's name was committed by a machine of the hall, in that life of it."""
    line = hall.line
    if line is None or line.federation.collector is None:
        return None
    entry, record = store_schema.venue_events.c, store_schema.venue_records.c
    with line.federation.store.reading() as connection:
        entries = connection.execute(select(store_schema.venue_events).where(entry.venue == line.venue)).all()
        records = connection.execute(select(store_schema.venue_records).where(record.venue == line.venue)).all()
    for row in entries:
        if row.hash not in line.committed.get((row.trail, row.number), ()):
            return f"the federation has entry {row.number} of {row.trail}, which {line.venue} never had: {row.body}"
    for row in records:
        place = row.table_no, row.epoch, row.seq
        if content_of(row.type, json.loads(row.body)) not in line.committed.get(place, ()):
            return f"the federation has record {place}, which {line.venue} never had: {row.type} {row.body}"
    return None


def a_venue_is_the_fold_of_its_rows(hall: SimulatedHall) -> str | None:
    """Check that the federation's view of the hall, and its data derived from rows, equal a new projection of the
    rows.
    """
    line = hall.line
    if line is None or line.federation.collector is None:
        return None
    venue, store = line.federation.collector.venue(line.venue), line.federation.store
    if venue is None or venue.last_contact is None:
        return None
    made = Venue(line.venue, store.reading, line.federation.crystal)
    made.last_contact = venue.last_contact
    made.start()
    for what in ("state", "events", "records"):
        shown, expected = getattr(venue, what), getattr(made, what)
        if shown != expected:
            return f"the federation's {what} of {line.venue}: {shown}; its rows give {expected}"
    with store.reading() as connection:
        records = connection.execute(
            select(store_schema.venue_records).where(store_schema.venue_records.c.venue == line.venue)
        )
        ends: dict[tuple[int, str], int] = {}
        placed: dict[str, set[tuple[int, str, int]]] = {}
        for row in records:
            ends[row.table_no, row.epoch] = max(row.seq, ends.get((row.table_no, row.epoch), 0))
            if row.type in venue_trail_and_game_index.PLACED:
                game = venue_trail_and_game_index.game_of(row.type, json.loads(row.body))
                placed.setdefault(game, set()).add((row.table_no, row.epoch, row.seq))
        noted = venue_trail_and_game_index.journals(connection, line.venue)
        if noted != ends:
            return f"the federation notes that the journals of {line.venue} end at {noted}; they end at {ends}"
        for game, there in placed.items():
            index = venue_trail_and_game_index
            if set(index.places(connection, line.venue, game, index.PLACED)) != there:
                return f"the federation does not note where {game or 'no game'} is in the records of {line.venue}"
        for life in venue_trail_and_game_index.trails(connection, venue=line.venue):
            if life.entries != len(venue_row_store.events_of(connection, line.venue, life.trail)):
                return f"the federation notes {life.entries} entries of {life.trail}, which it does not have"
    return None
