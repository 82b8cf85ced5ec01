"""``kiosk journal``: inspection and export of a table's journal, its rebuilding from the head's copy, and the sending
of a broken table's records to the head (docs/reference/link-and-journal.md).

Reading changes nothing; the table may run.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.i18n import raised_as, say
from kiosk.commands.command_helpers import PATH, as_input_error, as_json_option, print_answer, print_result, write_text
from kiosk.errors import InputError
from kiosk.untrusted_file_sandbox import FOR_A_STORE, in_child

if TYPE_CHECKING:
    from kiosk.head.store.store_connections_and_locks import StoreLocation
    from kiosk.link.link_messages import TableRecord, TroubleInfo
    from kiosk.table.journal.segment_files_and_recovery import JournalEntry, RecoveredJournal

_directory = click.argument("directory", type=PATH)
#: how long the head may take to acknowledge the records
PATIENCE_S = 60.0


@click.group()
def journal() -> None:
    """Show, verify and export a table's journal."""


@journal.command()
@_directory
@click.option("--last", type=click.IntRange(1), help="Only this many records, the last ones.")
@click.option("--type", "kind", help="Only records of this type: event, card, command, assigned …")
@as_json_option
def show(directory: Path, last: int | None, kind: str | None, as_json: bool) -> None:
    """List the records in DIRECTORY, a journal or a table's data directory."""
    entries = [entry for entry in recovered_in(directory).entries if kind is None or entry.type == kind]
    shown = entries[-last:] if last is not None else entries
    if as_json:
        click.echo(json.dumps([_entry_to_dict(entry) for entry in shown], ensure_ascii=False))
        return
    for entry in shown:
        body = json.dumps(entry.body, ensure_ascii=False, separators=(", ", "="), sort_keys=True)
        click.echo(f"{entry.seq:6d}  {entry.at_ns / 1e9:12.3f}  {entry.type:9s} {body[:160]}")


@journal.command()
@_directory
@as_json_option
def verify(directory: Path, as_json: bool) -> None:
    """Check every checksum and number in DIRECTORY. Exit with 1 if saved records are missing.

    An incomplete end after a power cut was never reported as saved: it is reported, and is no fault.
    """
    found = recovered_in(directory)
    if as_json:
        cuts = [{"file": c.file, "offset": c.offset, "bytes": c.bytes_lost, "why": str(c.why)} for c in found.cuts]
        fields = {name: getattr(found, name) for name in ("epoch", "saved", "acknowledged")} | {"bytes": found.size}
        answer = {"records": len(found.entries)} | fields | {"cuts": cuts, "whole": found.is_whole}
        click.echo(json.dumps(answer, ensure_ascii=False))
    else:
        for cut in found.cuts:
            text = say("{file}: {why} at byte {offset}; {bytes_lost} bytes are not read")
            print_answer(text(file=cut.file, why=cut.why, offset=cut.offset, bytes_lost=cut.bytes_lost))
        text = say("{n} records in epoch {epoch}, {acknowledged} of them at the head, {bytes} bytes")
        n, epoch = len(found.entries), found.epoch or "-"
        print_answer(text(n=n, epoch=epoch, acknowledged=found.acknowledged, bytes=found.size))
        missing = say("saved records are missing; compare the results with the head table")
        print_answer(say("whole") if found.is_whole else missing)
    if not found.is_whole:
        click.get_current_context().exit(1)


@journal.command()
@_directory
@click.option("--out", type=PATH, help="Write to this file instead of stdout.")
def export(directory: Path, out: Path | None) -> None:
    """Write the records in DIRECTORY as JSON lines: seq, at_ns, type, body."""
    lines = (json.dumps(_entry_to_dict(entry), ensure_ascii=False) for entry in recovered_in(directory).entries)
    if out is None:
        for line in lines:
            click.echo(line)
    else:
        write_text(out, "".join(f"{line}\n" for line in lines))


@journal.command()
@click.option("--head", required=True, type=PATH, help="The head's data directory or TOML file.")
@click.option("--table", "table", required=True, type=click.IntRange(1), help="The table that is replaced.")
@click.option("--out", required=True, type=PATH, help="The spare's data directory.")
@as_json_option
def rebuild(head: Path, table: int, out: Path, as_json: bool) -> None:
    """Rebuild a table's journal from the head's copy, for a spare that takes its place. The head may run.

    First give the table another key (kiosk keys new --rotate). The spare starts with the game on hold.
    """
    from kiosk.head.backup.signed_backup_creation import store_of
    from kiosk.head.errors import HeadError
    from kiosk.table.journal.journal_and_link_outbox import rebuild_journal
    from kiosk.table.journal.journal_storage_and_sd_card_alarms import JournalError

    with as_input_error(HeadError, JournalError, OSError):
        epoch, records = copy_of_table(store_of(head), table)
        rebuild_journal(out / "journal", epoch, records)
    known, last = len(records), records[-1]
    if as_json:
        click.echo(json.dumps({"table": table, "epoch": epoch, "records": known, "last": last.type}))
        return
    text = say("{known} records of table {table}; the last is a record of type {type}")
    print_answer(text(known=known, table=table, type=last.type))
    text = say(
        "What the table saved after record {known} never reached the head. If its card can be read, "
        "kiosk journal hand-in on it lists those moves at the desk; else ask the players about the "
        "last moves."
    )
    print_answer(text(known=known))


def copy_of_table(source: Path | StoreLocation, table: int) -> tuple[str, list[TableRecord]]:
    """Return the present epoch of a table, and all records of it that a store has, from 1 on. The head may run.

    :raises StoreError: there is no store, or it has no record of that table.
    """
    from sqlalchemy import select

    from kiosk.head.errors import StoreError
    from kiosk.head.store import store_schema
    from kiosk.head.store.store_backup_check_and_restore import reading
    from kiosk.link.link_messages import TableRecord

    column = store_schema.records.c
    last = select(column.epoch).where(column.table_no == table).order_by(column.arrival.desc()).limit(1)
    with reading(source) as connection:
        epoch = connection.execute(last).scalar()
        if epoch is None:
            text = say("{source} has no record of table {table}; a spare for it starts with an empty journal")
            raise StoreError(text(source=source, table=table))
        query = select(column.seq, column.type, column.body).where(column.table_no == table, column.epoch == epoch)
        rows = connection.execute(query.order_by(column.seq)).all()
    return epoch, [TableRecord(row.seq, row.type, json.loads(row.body)) for row in rows]


def recovered_in(directory: Path) -> RecoveredJournal:
    """Return the recovered content of a journal.

    :raises InputError: there is no journal, or another version wrote it.
    """
    from kiosk.table.journal.journal_storage_and_sd_card_alarms import JournalError
    from kiosk.table.journal.segment_files_and_recovery import recover, segment_number

    inner = directory / "journal"
    place = inner if inner.is_dir() else directory
    unusable = say("{place}: {why}; name a table's data directory", place=place)
    with raised_as(InputError, unusable, OSError), as_input_error(JournalError):
        found = in_child(lambda: recover(place), FOR_A_STORE, place)
        if not found.damaged and not any(segment_number(path.name) is not None for path in place.iterdir()):
            nothing = say("{place}: no journal there; name a table's data directory or the journal in it")
            raise InputError(nothing(place=place))
        return found


def _entry_to_dict(entry: JournalEntry) -> dict[str, Any]:
    return {"seq": entry.seq, "at_ns": entry.at_ns, "type": entry.type, "body": entry.body}


@dataclass
class _MemoryCard:
    """A read-only journal (``kiosk.link.endpoints.table_link.RecordOutbox``). ``have``: what the head reports as
    committed."""

    found: RecoveredJournal
    have: int | None = None
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def epoch(self) -> str:
        return self.found.epoch or ""

    def last_seq(self) -> int:
        """Return the last readable record, also beyond those marked as saved by a later record."""
        return len(self.found.entries)

    def records_after(self, seq: int, limit: int) -> list[TableRecord]:

        entries = self.found.entries[seq : seq + limit]
        return [entry.as_sent() for entry in entries]

    def acknowledged(self, seq: int) -> None:
        self.have = seq
        if seq >= self.last_seq():
            self.done.set()


@journal.command("hand-in")
@click.argument("directory", type=PATH)
@click.option("--head", "url", required=True, help="The head's address, such as ws://127.0.0.1:8043/link")
@click.option("--key", "key_file", type=PATH, help="The card's key file; default: key.json there.")
@as_json_option
def hand_in(directory: Path, url: str, key_file: Path | None, as_json: bool) -> None:
    """Send the records on the memory card of a broken table to the head, from a card reader.

    DIRECTORY is the card's data directory (…/var/lib/othello-kiosk). The card is only read. If a spare took the table's
    place, the records that never arrived are listed at the desk; else they count as the table's.
    """
    from kiosk.link.endpoints.table_link import TableLink
    from kiosk.link.errors import LinkError
    from kiosk.link.table_keys import load_keys
    from kiosk.link.websocket_transport import WebSocketTransport

    card = _MemoryCard(recovered_in(directory))
    file = key_file or directory / "key.json"
    with as_input_error(LinkError):
        keys = load_keys(file)
        transport = WebSocketTransport(url)
    if len(keys) != 1:
        raise InputError.saying("{file}: {n} keys; name the key file of one table", file=file, n=len(keys))
    [(table, key)] = keys.items()
    troubles: list[TroubleInfo] = []

    def status(up: bool, trouble: TroubleInfo | None) -> None:
        if trouble is not None:
            troubles.append(trouble)
            card.done.set()

    link = TableLink([transport], table, key, card, on_command=lambda command: None, on_status=status)
    link.start()
    card.done.wait(PATIENCE_S)
    link.stop()
    if card.have is None or card.have < card.last_seq():
        why = troubles[-1].text if troubles else "the head does not take the records; look at its log"
        raise InputError.saying("{url}: {why}", url=url, why=why)
    last = card.last_seq()
    done = say("table {table}: the head has all {card} records of this card; look at its desk page")
    print_result({"table": table, "epoch": card.epoch, "records": last}, done(table=table, card=last), as_json)
