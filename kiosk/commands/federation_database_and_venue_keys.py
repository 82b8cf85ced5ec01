"""``kiosk federation``: maintenance of a federation's database (docs/reference/federation-database.md); and
``kiosk venue``: the keys that venue heads use to send rows to a federation's head (docs/setup/federation.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.i18n import say, say_n
from kiosk.commands.command_helpers import PATH, as_input_error, as_json_option, print_answer
from kiosk.platform_compat import as_owner_of

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
    from kiosk.head.federation.database.connection_and_tables import lock

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
    from kiosk.head.federation.database.connection_and_tables import open_database
    from kiosk.head.federation.database.person_registry_and_identity_decisions import PersonRegistry
    from kiosk.head.federation.live_venue_state_and_sender_checks import Venue
    from kiosk.head.federation.push_receiver_and_venue_quarantine import banned_venues, last_contacts
    from kiosk.head.head_config import load_config
    from kiosk.head.store.store_connections_and_locks import StoreLocation
    from kiosk.head.store.store_rows import read_events

    config = load_config(head)
    if config.venues is None:
        raise InputError.saying("{head} collects no venues; name the federation's head.toml", head=head)
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


_keys = click.option(
    "--keys", "keys_file", required=True, type=PATH, help="The federation's file: venues in head.toml."
)


@click.group()
def venue() -> None:
    """Make, list and revoke the keys with which venues send their rows to a federation's head."""


@venue.command()
@click.argument("name")
@_keys
@click.option("--out", required=True, type=PATH, help="The venue's key file, to be taken there: key in its head.toml.")
@click.option("--rotate", is_flag=True, help="Replace the key of a venue that has one.")
def new(name: str, keys_file: Path, out: Path, rotate: bool) -> None:
    """Make a key for the venue NAME. The federation's head need not be restarted."""
    from kiosk.errors import InputError
    from kiosk.head.federation.venue_keys import check_venue, load_venues, new_key, save_venues

    check_venue(name)
    keys = load_venues(keys_file) if keys_file.exists() else {}
    if name in keys and not rotate:
        text = say("{keys_file}: the venue '{name}' has a key; give --rotate to make the old one void")
        raise InputError(text(keys_file=keys_file, name=name))
    keys[name] = new_key()
    for file, known in ((out, {name: keys[name]}), (keys_file, keys)):
        with as_owner_of(file.parent):
            save_venues(file, known)
    print_answer(say("{out}: the key of {name}; carry it there, and write into its head.toml:", out=out, name=name))
    click.echo(f'[federation]\nurl = "http://ADDRESS-OF-THIS-HEAD:8043"\nvenue = "{name}"\nkey = "{out.name}"')


@venue.command(name="list")
@_keys
@as_json_option
def list_(keys_file: Path, as_json: bool) -> None:
    """List the venues that have a key."""
    from kiosk.head.federation.venue_keys import load_venues

    names = sorted(load_venues(keys_file))
    click.echo(json.dumps({"venues": names}) if as_json else "\n".join(names))


@venue.command()
@click.argument("name")
@_keys
def revoke(name: str, keys_file: Path) -> None:
    """Revoke the key of the venue NAME; its rows stay."""
    from kiosk.head.federation.venue_keys import load_venue, load_venues, save_venues

    load_venue(keys_file, name)
    with as_owner_of(keys_file.parent):
        save_venues(keys_file, {one: key for one, key in load_venues(keys_file).items() if one != name})
    print_answer(say("the key of {name} is void", name=name))
