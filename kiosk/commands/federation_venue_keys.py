"""``kiosk venue``: the keys that venue heads use to send rows to a federation's head (docs/setup/federation.md)."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.i18n import say
from kiosk.commands.command_helpers import PATH, as_json_option, print_answer
from kiosk.platform_compat import as_owner_of

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
