"""``kiosk journal hand-in``: upload of the journal on a table's card to the head, without the table."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from engine.translatable_text import say, text_of
from kiosk.commands.output_helpers import as_json_option, print_answer
from kiosk.errors import InputError

if TYPE_CHECKING:
    from kiosk.link.link_messages import RecordType, TableRecord, TroubleInfo
    from kiosk.table.journal import RecoveredJournal

PATIENCE_S = 60.0


@dataclass
class _Card:
    """A read-only journal (``kiosk.link.program_interfaces.CommandSource``). ``have``: what the head reports as
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
        from kiosk.link.link_messages import TableRecord

        entries = self.found.entries[seq : seq + limit]
        return [TableRecord(entry.seq, cast("RecordType", entry.type), entry.body) for entry in entries]

    def acknowledged(self, seq: int) -> None:
        self.have = seq
        if seq >= self.last_seq():
            self.done.set()


@click.command("hand-in")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--head", "url", required=True, help="The head's address, such as ws://127.0.0.1:8043/link")
@click.option(
    "--key", "key_file", type=click.Path(path_type=Path), help="The card's key file; default: key.json there."
)
@as_json_option
def hand_in(directory: Path, url: str, key_file: Path | None, as_json: bool) -> None:
    """Send what the card of a broken table holds to the head, from a card reader.

    DIRECTORY is the card's data directory (…/var/lib/othello-kiosk). The card is only read. If a spare took the table's
    place, the records that never arrived are listed at the desk; else they count as the table's.
    """
    from kiosk.commands.journal import recovered_in
    from kiosk.link.endpoints.table_link import TableLink
    from kiosk.link.errors import LinkError
    from kiosk.link.table_keys import load_keys
    from kiosk.link.websocket_transport import NetworkCarrier

    card = _Card(recovered_in(directory))
    file = key_file or directory / "key.json"
    try:
        keys = load_keys(file)
        carrier = NetworkCarrier(url)
    except LinkError as error:
        raise InputError(text_of(error)) from error
    if len(keys) != 1:
        raise InputError(say("{file}: {n} keys; name the key file of one table", file=file, n=len(keys)))
    [(table, key)] = keys.items()
    why: list[TroubleInfo] = []

    def status(up: bool, trouble: TroubleInfo | None) -> None:
        if trouble is not None:
            why.append(trouble)
            card.done.set()

    link = TableLink([carrier], table, key, card, on_command=lambda command: None, on_status=status)
    link.start()
    card.done.wait(PATIENCE_S)
    link.stop()
    sent = card.have is not None and card.have >= card.last_seq()
    if not sent:
        raise InputError(
            say(
                "{url}: {why}",
                url=url,
                why=why[-1].text if why else "the head does not take the records; look at its log",
            )
        )
    if as_json:
        click.echo(json.dumps({"table": table, "epoch": card.epoch, "records": card.last_seq()}))
    else:
        print_answer(
            say(
                "table {table}: the head has all {card} records of this card; look at its desk page",
                table=table,
                card=card.last_seq(),
            )
        )
