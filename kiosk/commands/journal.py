"""``kiosk journal``: inspection and export of a table's journal (docs/reference/link-and-journal.md).

Reading changes nothing; the table may run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.translatable_text import say, text_of
from kiosk.commands.journal_upload import hand_in
from kiosk.commands.output_helpers import as_json_option, print_answer, write_text
from kiosk.errors import InputError

if TYPE_CHECKING:
    from kiosk.table.journal import JournalEntry, RecoveredJournal

_directory = click.argument("directory", type=click.Path(path_type=Path))
NS_PER_S = 1_000_000_000


@click.group()
def journal() -> None:
    """Show, verify and export a table's journal."""


@journal.command()
@_directory
@click.option("--last", type=click.IntRange(1), help="Only the last so many records.")
@click.option("--type", "kind", help="Only records of this type: event, card, command, assigned …")
@as_json_option
def show(directory: Path, last: int | None, kind: str | None, as_json: bool) -> None:
    """List the records in DIRECTORY, a journal or a table's data directory."""
    entries = [entry for entry in recovered_in(directory).entries if kind is None or entry.type == kind]
    shown = entries[-last:] if last is not None else entries
    if as_json:
        click.echo(json.dumps([_plain(entry) for entry in shown], ensure_ascii=False))
        return
    for entry in shown:
        body = json.dumps(entry.body, ensure_ascii=False, separators=(", ", "="), sort_keys=True)
        click.echo(f"{entry.seq:6d}  {entry.at_ns / NS_PER_S:12.3f}  {entry.type:9s} {body[:160]}")


@journal.command()
@_directory
@as_json_option
def verify(directory: Path, as_json: bool) -> None:
    """Check every checksum and number in DIRECTORY. Exits 1 if records that were saved are missing.

    An end torn by a power cut was never called saved: it is told, and is no fault.
    """
    found = recovered_in(directory)
    whole = found.is_whole
    if as_json:
        click.echo(json.dumps(_report(found), ensure_ascii=False))
    else:
        for cut in found.cuts:
            print_answer(
                say(
                    "{file}: {why} at byte {offset}; {bytes_lost} bytes are not read",
                    file=cut.file,
                    why=cut.why,
                    offset=cut.offset,
                    bytes_lost=cut.bytes_lost,
                )
            )
        print_answer(
            say(
                "{n} records in epoch {epoch}, {acknowledged} of them at the head, {bytes} bytes",
                n=len(found.entries),
                epoch=found.epoch or "-",
                acknowledged=found.acknowledged,
                bytes=found.bytes,
            )
        )
        print_answer(
            say("whole") if whole else say("saved records are missing; compare the results with the head table")
        )
    if not whole:
        click.get_current_context().exit(1)


@journal.command()
@_directory
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file instead of stdout.")
def export(directory: Path, out: Path | None) -> None:
    """Write the records in DIRECTORY as JSON lines: seq, at_ns, type, body."""
    lines = (json.dumps(_plain(entry), ensure_ascii=False) for entry in recovered_in(directory).entries)
    if out is None:
        for line in lines:
            click.echo(line)
    else:
        write_text(out, "".join(f"{line}\n" for line in lines))


@journal.command()
@click.option("--head", required=True, type=click.Path(path_type=Path), help="The head's data directory or TOML file.")
@click.option("--table", "table", required=True, type=click.IntRange(1), help="The table that is replaced.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The spare's data directory.")
@as_json_option
def rebuild(head: Path, table: int, out: Path, as_json: bool) -> None:
    """Make the journal of a spare that takes a table's place, from the head's copy. The head may run.

    First give the table another key (kiosk keys new --rotate). The spare comes back with the game on hold.
    """
    from kiosk.head.backup.make_backup import store_of
    from kiosk.head.errors import HeadError
    from kiosk.head.store.table_journal_copy import copy_of_table
    from kiosk.table.journal import JournalError, rebuild_journal

    try:
        copy = copy_of_table(store_of(head), table)
        rebuild_journal(out / "journal", copy.epoch, copy.records)
    except (HeadError, JournalError, OSError) as error:
        raise InputError(text_of(error)) from error
    known, last = len(copy.records), copy.records[-1]
    if as_json:
        click.echo(json.dumps({"table": table, "epoch": copy.epoch, "records": known, "last": last.type}))
        return
    print_answer(
        say(
            "{known} records of table {table}; the last is a record of type {type}",
            known=known,
            table=table,
            type=last.type,
        )
    )
    print_answer(
        say(
            "What the table saved after record {known} never reached the head. If its card can be read, "
            "kiosk journal hand-in on it lists those moves at the desk; else ask the players about the "
            "last moves.",
            known=known,
        )
    )


journal.add_command(hand_in)


def recovered_in(directory: Path) -> RecoveredJournal:
    """Return the recovered content of a journal.

    :raises UnusableInput: there is no journal, or another version wrote it.
    """
    from kiosk.table.journal import JournalError, recover, segment_number

    inner = directory / "journal"
    place = inner if inner.is_dir() else directory
    try:
        found = recover(place)
        if not found.damaged and not any(segment_number(path.name) is not None for path in place.iterdir()):
            raise InputError(
                say("{place}: no journal there; name a table's data directory or the journal in it", place=place)
            )
        return found
    except OSError as error:
        raise InputError(
            say("{place}: {why}; name a table's data directory", place=place, why=error.strerror or error)
        ) from error
    except JournalError as error:
        raise InputError(text_of(error)) from error


def _plain(entry: JournalEntry) -> dict[str, Any]:
    return {"seq": entry.seq, "at_ns": entry.at_ns, "type": entry.type, "body": entry.body}


def _report(found: RecoveredJournal) -> dict[str, Any]:
    cuts = [{"file": c.file, "offset": c.offset, "bytes": c.bytes_lost, "why": c.why} for c in found.cuts]
    return {
        "records": len(found.entries),
        "epoch": found.epoch,
        "saved": found.saved,
        "acknowledged": found.acknowledged,
        "bytes": found.bytes,
        "cuts": cuts,
        "whole": found.is_whole,
    }
