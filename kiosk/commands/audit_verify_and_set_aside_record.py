"""``kiosk audit``: verification of the head's append-only, hash-chained audit trail, and the setting aside of a table's
record.
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.i18n import say
from kiosk.commands.command_helpers import PATH, as_input_error, as_json_option, print_answer
from kiosk.untrusted_file_sandbox import FOR_A_STORE, in_child

if TYPE_CHECKING:
    from kiosk.head.store.hash_chain import ChainBreak
    from kiosk.head.store.high_water_mark import MissingRows
    from kiosk.head.store.store_backup_check_and_restore import StoreExtent


@click.group()
def audit() -> None:
    """Check the head's audit trail."""


@audit.command()
@click.argument("data", type=PATH)
@as_json_option
def verify(data: Path, as_json: bool) -> int:
    """Check the audit trail in DATA: a data directory, a head's TOML file or a backup. The head may run.

    Exit with 0 if every entry is unchanged, else with 1; at a federation's head the venues' trails are checked too.
    Records that a head would set aside are named. If the store ends before the mark that the head writes beside it with
    each commit, name what is missing and the tables that still have it, and exit with 1.
    """
    from kiosk.head.backup.signed_backup_creation import store_of
    from kiosk.head.errors import StoreError
    from kiosk.head.event.tournament_state_from_events import as_json as as_json_of
    from kiosk.head.event.tournament_state_from_events import display_name, quarantined_in
    from kiosk.head.federation.venue_row_store import find_broken_chains as broken_chains
    from kiosk.head.store.high_water_mark import rows_missing_in
    from kiosk.head.store.store_backup_check_and_restore import audit as walk
    from kiosk.head.store.store_backup_check_and_restore import reading

    def work() -> tuple[MissingRows, StoreExtent, ChainBreak | None, list[tuple[str, str, int]], tuple[Any, ...]]:
        store = store_of(data)
        lost = rows_missing_in(store)
        extent, broken = walk(store)
        with reading(store) as connection:
            venues = list(broken_chains(connection))
        return lost, extent, broken, venues, quarantined_in(store) if broken is None else ()

    with as_input_error(StoreError):
        lost, extent, broken, venues, quarantined = in_child(work, FOR_A_STORE, data)
    if as_json:
        report: dict[str, object] = {
            "intact": broken is None and not lost,
            "entries": extent.events,
            "last_hash": extent.last_hash or None,
            "first_broken": broken.number if broken else None,
            "why": broken.why if broken else None,
        }
        if lost:
            report["missing"] = lost.as_json()
        if venues:
            report["broken_venues"] = [{"venue": name, "trail": life, "first_broken": at} for name, life, at in venues]
        click.echo(json.dumps({**report, "set_aside": [as_json_of(one) for one in quarantined]}))
    elif broken is None:
        for sentence in lost.sentences():
            print_answer(sentence)
        last_hash = extent.last_hash or "-"
        print_answer(say("intact: {events} entries, last hash {last_hash}", events=extent.events, last_hash=last_hash))
        for one in quarantined:
            print_answer(display_name(one))
    else:
        print_answer(say("broken at entry {number}: {why}", number=broken.number, why=broken.why))
    for name, life, at in () if as_json else venues:
        text = say("broken at entry {number} of {venue}'s audit trail {trail}")
        print_answer(text(number=at, venue=name, trail=life))
    return 0 if broken is None and not venues and not lost else 1


@audit.command("set-aside")
@click.argument("data", type=PATH)
@click.argument("table", type=int)
@click.argument("epoch")
@click.argument("seq", type=int)
@click.option("--reason", required=True, help="Reason, for the audit trail.")
def set_aside(data: Path, table: int, epoch: str, seq: int, reason: str) -> None:
    """Set record SEQ of TABLE's journal EPOCH aside, while the head is down.

    DATA is the data directory or the head's TOML file. The record stays in the store; from its next start on the head
    ignores it and lists it at the desk, and the audit trail has an entry about it. ``kiosk audit verify`` names the
    records that cannot be used.
    """
    from kiosk.errors import InputError
    from kiosk.head.current_user import as_user
    from kiosk.head.errors import StoreError
    from kiosk.head.head_config import load_config
    from kiosk.head.store import Store
    from kiosk.head.store.store_connections_and_locks import STORE_FILE
    from kiosk.platform_compat import as_owner_of

    if not reason.strip():
        raise InputError.saying("--reason is empty; say why, it goes into the audit trail")
    config = load_config(data) if data.suffix == ".toml" else None
    folder = data if config is None else config.data
    if config is None and not (data / STORE_FILE).is_file():
        raise InputError.saying("{data} holds no store; name the head's data directory or its TOML file", data=data)
    with as_input_error(StoreError):
        url = config.store if config is not None else ""
        with as_owner_of(folder), closing(Store(folder, url)) as store, as_user("console"):
            event = store.set_aside(table, epoch, seq, reason.strip())
    text = say("record {seq} of table {table} is now excluded: entry {number} of the audit trail, {hash}")
    print_answer(text(seq=seq, table=table, number=event.number, hash=event.hash))
