"""``kiosk audit``: the head's append-only, hash-chained list of what operators did."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.text import text_of


@click.group()
def audit() -> None:
    """Check the head's audit trail."""


@audit.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(data: Path, as_json: bool) -> int:
    """Walk the audit trail in DATA: a data directory, a head's TOML file or a backup. The head may run.

    Exits 0 if every entry is as it was written, 1 if not. The last hash stands for the whole trail: written down, it
    shows later that nothing was cut off the end.
    """
    from kiosk.errors import UnusableInput
    from kiosk.head.errors import StoreError
    from kiosk.head.safekeeping.backup import store_of
    from kiosk.head.store.snapshot import audit as walk

    try:
        extent, broken = walk(store_of(data))
    except StoreError as error:
        raise UnusableInput(text_of(error)) from error
    if as_json:
        report = {"intact": broken is None, "entries": extent.events, "last_hash": extent.last_hash or None}
        report |= {"first_broken": broken.number if broken else None, "why": broken.why if broken else None}
        click.echo(json.dumps(report))
    elif broken is None:
        click.echo(f"intact: {extent.events} entries, last hash {extent.last_hash or '-'}")
    else:
        click.echo(f"broken at entry {broken.number}: {broken.why}")
    return 0 if broken is None else 1
