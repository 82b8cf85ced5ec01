"""``kiosk backup`` and ``kiosk restore``: the head table on another disk, and back (docs/setup/head.md)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.i18n import say
from kiosk.commands.command_helpers import PATH, as_json_option, print_answer
from kiosk.errors import InputError
from kiosk.locale import ENGLISH, JAPANESE, render, render_both
from kiosk.untrusted_file_sandbox import FOR_A_STORE, in_child

if TYPE_CHECKING:
    from kiosk.head.backup.restore import BackupOrigin, BackupPreview, Restored


_FINGERPRINT = say("this head's fingerprint")
_NEW_FINGERPRINT = say("this machine's own fingerprint from now on")
_NOTE = say("note")
_UNSIGNED = say("This backup is not signed: nobody can tell which head made it.")
_OURS = say("Made by this hall's head:")
_UNKNOWN = say("Made by a head that this machine does not know:")


@click.command()
@click.argument("source", type=PATH)
@click.argument("target", type=PATH)
@as_json_option
def backup(source: Path, target: Path, as_json: bool) -> None:
    """Back up a head table into one file, also while it runs.

    If SOURCE is the head's TOML file, the backup holds the store (SQLite or PostgreSQL), the tables' keys, the event
    and the configuration: all that a spare machine needs. If SOURCE is a data directory, the backup holds the store
    only.

    TARGET is a folder, where the backup is named othello-head.backup, or the name of the file. The backup is read again
    and checked before it gets its name; records that a head would set aside are named. An older backup that holds
    anything the new one lacks is kept beside it.
    """
    from kiosk.head.backup.signed_backup_creation import back_up
    from kiosk.head.event.tournament_state_from_events import as_json as as_json_of
    from kiosk.head.event.tournament_state_from_events import display_name, quarantined_in

    made = back_up(source, target)
    quarantined = quarantined_in(made.file)
    if as_json:
        report = {"backup": str(made.file), "events": made.extent.events, "records": made.extent.records}
        report |= {"files": list(made.carried), "fingerprint": made.fingerprint}
        report |= {"missing": made.missing.as_json()} if made.missing else {}
        click.echo(json.dumps(report | {"set_aside": [as_json_of(one) for one in quarantined]}))
        return
    click.echo(f"{made.file}: {render_both(made.extent.description())}")
    for sentence in made.missing.sentences():
        print_answer(sentence)
    for one in quarantined:
        print_answer(display_name(one))
    if made.carried:
        print_answer(say("with {carried}; keep it as safe as the keys", carried=", ".join(made.carried)))
    else:
        print_answer(say("the store only; name the head's TOML file to include the tables' keys and the event"))
    click.echo(f"{render_both(_FINGERPRINT)}: {made.fingerprint}")


@click.command()
@click.argument("source", type=PATH)
@click.argument("target", type=PATH)
@click.option("--force", is_flag=True, help="Replace a store that has entries the backup lacks; it is kept beside.")
@click.option("--store", default="", metavar="URL", help="Restore the store into this empty PostgreSQL database.")
@click.option(
    "--from",
    "made_by",
    default="",
    metavar="FINGERPRINT",
    help="Accept only a backup of the head with this fingerprint.",
)
@click.option(
    "--foreign", is_flag=True, help="Accept a backup of a head that this machine does not know, without asking."
)
@as_json_option
def restore(source: Path, target: Path, force: bool, store: str, made_by: str, foreign: bool, as_json: bool) -> None:
    """Restore a head's folder from a backup. Then run: kiosk head --config TARGET/head.toml

    SOURCE is a backup or the folder it is in. TARGET is a folder; it is created if it does not exist. Nothing in TARGET
    is lost: replaced files get another name. A backup contains no passwords: the restored head shows a setup code.

    If this machine does not know the head that made the backup, it shows that head's fingerprint and asks. The same
    fingerprint is on the head's page "Audit trail", and kiosk backup prints it.
    """
    from kiosk.head.backup.non_database_files_and_config_checks import CONFIG
    from kiosk.head.backup.restore import restore as restore_backup

    def agree(offered: BackupPreview) -> bool:
        return foreign or _ask_person(offered)

    def work() -> Restored:
        return restore_backup(source, target, force=force, store=store, made_by=made_by, agree=agree)

    done = in_child(work, FOR_A_STORE, source)
    if as_json:
        report = {"folder": str(done.folder), "events": done.extent.events, "records": done.extent.records}
        report |= {"files": list(done.files), "kept": [str(file) for file in done.kept]}
        by = {"fingerprint": done.origin.fingerprint or None, "head": done.origin.head, "known": done.origin.known}
        report |= {"made_by": by, "unusual": [str(one) for one in done.unusual], "fingerprint": done.fingerprint}
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    if done.origin.known or foreign:  # else they were shown with the question
        for line in _origin_lines(done.origin):
            click.echo(line)
        for one in done.unusual:
            click.echo(f"{render_both(_NOTE)}: {render_both(one)}")
    click.echo(f"{done.folder}: {render_both(done.extent.description())}")
    for file in done.kept:
        print_answer(say("the previous file is kept as {file}", file=file))
    click.echo(f"{render_both(_NEW_FINGERPRINT)}: {done.fingerprint}")
    if CONFIG in done.files:
        print_answer(say("start it: kiosk head --config {folder}", folder=done.folder / CONFIG))
    else:
        text = say('the backup holds no configuration; name data = "{folder}" in a head.toml')
        print_answer(text(folder=done.folder))


def _origin_lines(origin: BackupOrigin) -> list[str]:
    """Return the lines that describe whose backup it is."""
    from kiosk.head.store.store_backup_check_and_restore import local_minute

    if not origin.fingerprint:
        return [render(_UNSIGNED, lang) for lang in (JAPANESE, ENGLISH)]
    number = f"  {origin.fingerprint}  ({origin.head}, {local_minute(origin.at)})"
    return [render_both(_OURS if origin.known else _UNKNOWN), number]


def _ask_person(offered: BackupPreview) -> bool:
    """Return the answer of the person at the terminal, separate from the command's output.

    :raises InputError: there is no terminal.
    """
    number = offered.origin.fingerprint
    if not sys.stdin.isatty():
        text = say("{file} is not signed by any head; give --foreign if it is the right backup")
        if number:
            text = say(
                "{file} was made by {number}, a head that this machine does not know; give --from {number} if that is "
                "this hall's head, or --foreign"
            )
        raise InputError(text(file=offered.file, number=number))
    for line in _origin_lines(offered.origin):
        click.echo(line, err=True)
    click.echo(f"  {render_both(offered.extent.description())}", err=True)
    for one in offered.unusual:
        click.echo(f"  {render_both(_NOTE)}: {render_both(one)}", err=True)
    if number:
        click.echo(render_both(say("Is it the fingerprint on your paper?")), err=True)
    return click.confirm(render_both(say("Use this backup?")), default=False, err=True)
