"""``kiosk backup`` and ``kiosk restore``: the head table on another disk, and back (docs/handover.md)."""

from __future__ import annotations

import json
from pathlib import Path

import click

_path = click.Path(path_type=Path)
_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command()
@click.argument("source", type=_path)
@click.argument("target", type=_path)
@_as_json
def backup(source: Path, target: Path, as_json: bool) -> None:
    """Back up a head table into one file, also while it runs.

    SOURCE is the head's TOML file: then the backup holds the store, the tables' keys, the event and the configuration,
    all that a spare machine needs, whether the store is in SQLite or in PostgreSQL. SOURCE may be a data directory too:
    then it holds the store only.

    TARGET is a folder, where the backup is named othello-head.backup, or the name of the file. The backup is read again
    and checked before it gets its name, and folded: what a head would set aside is named. A backup that is there and
    holds anything the new one lacks is kept beside it.
    """
    from kiosk.head.backup import back_up
    from kiosk.head.ledger.whole import set_aside_in, spoken

    made = back_up(source, target)
    aside = set_aside_in(made.file)
    if as_json:
        report = {"backup": str(made.file), "events": made.extent.events, "records": made.extent.records}
        click.echo(json.dumps(report | {"files": list(made.carried), "set_aside": len(aside)}))
        return
    click.echo(f"{made.file}: {made.extent.spoken()}")
    for one in aside:
        click.echo(spoken(one))
    if made.carried:
        click.echo(f"with {', '.join(made.carried)}; keep it as safe as the keys")
    else:
        click.echo("the store only; name the head's TOML file to take the tables' keys and the event along")


@click.command()
@click.argument("source", type=_path)
@click.argument("target", type=_path)
@click.option("--force", is_flag=True, help="Also over a store that has what the backup lacks; it is kept beside.")
@click.option("--store", default="", metavar="URL", help="Put the store into this empty PostgreSQL database.")
@_as_json
def restore(source: Path, target: Path, force: bool, store: str, as_json: bool) -> None:
    """Make a head's folder from a backup; then: kiosk head --config TARGET/head.toml

    SOURCE is a backup or the folder it is in. TARGET is a folder; it is made if need be. Nothing that is in TARGET is
    lost: what is replaced gets another name. Passwords are in no backup: the restored head shows a setup code.
    """
    from kiosk.head.backup import CONFIG
    from kiosk.head.backup import restore as restore_backup

    done = restore_backup(source, target, force=force, store=store)
    if as_json:
        report = {"folder": str(done.folder), "events": done.extent.events, "records": done.extent.records}
        report |= {"files": list(done.files), "kept": [str(file) for file in done.kept]}
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    click.echo(f"{done.folder}: {done.extent.spoken()}")
    for file in done.kept:
        click.echo(f"what was there before is kept as {file}")
    if CONFIG in done.files:
        click.echo(f"start it: kiosk head --config {done.folder / CONFIG}")
    else:
        click.echo(f'the backup holds no configuration; name data = "{done.folder}" in a head.toml')
