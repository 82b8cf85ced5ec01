"""``kiosk federation``: maintenance of a federation's database (docs/reference/federation-database.md)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.i18n import say, say_n
from kiosk.commands.command_helpers import PATH, as_input_error, print_answer

if TYPE_CHECKING:
    from kiosk.head.federation.database.background_update import Projection

_head = click.argument("head", type=PATH)


@click.group()
def federation() -> None:
    """Maintain the database of a federation's events. HEAD is its head.toml."""


@federation.command()
@_head
def rebuild(head: Path) -> None:
    """Rebuild the database of HEAD from the venues' rows. The head may run; events are missing until it is done."""
    from kiosk.head.federation.database.background_update import empty

    with _projection(head) as projection:
        empty(projection.engine)
        count = 0

        def print_progress(venue: str, trail: str) -> None:
            nonlocal count
            count += 1
            click.echo(f"{count}\t{venue}\t{trail}")

        projection.catch_up(print_progress)
    print_answer(say_n("{n} event was made anew", "{n} events were made anew", count))


@federation.command("keep-moves")
@_head
@click.option(
    "--years", required=True, type=click.IntRange(0, 1000), help="Number of years, this year included; 0: keep all."
)
def keep_moves(head: Path, years: int) -> None:
    """Keep the moves of games for a number of years only, from now on. Results and transcripts stay."""
    from kiosk.head.federation.database import tournament_writer
    from kiosk.head.federation.database.connection_and_migration import lock

    with _projection(head) as projection, projection.engine.begin() as connection:
        lock(connection)
        removed = tournament_writer.keep_moves(connection, years, datetime.now().year)
    for year in removed:
        print_answer(say("the moves of {year} are gone", year=year))


@contextmanager
def _projection(head: Path) -> Iterator[Projection]:
    from hardware.real_and_simulated_time import SystemTime
    from kiosk.errors import InputError
    from kiosk.head.errors import HeadError
    from kiosk.head.federation import venue_trail_and_game_index
    from kiosk.head.federation.database.background_update import Projection
    from kiosk.head.federation.database.connection_and_migration import open_database
    from kiosk.head.federation.database.person_registry_and_identity_decisions import PersonRegistry
    from kiosk.head.federation.live_venue_state_and_sender_checks import Venue
    from kiosk.head.federation.push_receiver_and_venue_quarantine import banned_venues, last_contacts
    from kiosk.head.head_config import load_config
    from kiosk.head.store.store_connections_and_locks import StoreLocation
    from kiosk.head.store.store_rows import read_events
    from kiosk.platform_compat import as_owner_of

    config = load_config(head)
    if config.venues is None:
        raise InputError(say("{head} collects no venues; name the federation's head.toml", head=head))
    with ExitStack() as undo:
        undo.enter_context(as_owner_of(config.data))
        with as_input_error(HeadError):
            store = StoreLocation(config.data, config.store).engine()
            undo.callback(store.dispose)
            venue_trail_and_game_index.build_index(store)
            with store.connect() as connection:
                contacts, events = last_contacts(connection), list(read_events(connection))
            venues = {name: Venue(name, store.connect, SystemTime()) for name in contacts}
            for name, venue in venues.items():
                venue.last_contact = contacts[name]
            database, hidden = open_database(config.data, config.store), banned_venues(events)
            register = PersonRegistry(None, events)
            projection = Projection(
                store.connect, database, register, venues.get, is_shown=lambda name: name not in hidden
            )
            undo.callback(projection.close)
        yield projection
