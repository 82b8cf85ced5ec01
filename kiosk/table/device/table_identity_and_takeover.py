"""Identity of this table: its number, its key, and the journal that belongs to the number; and how a device becomes
another table.

- A device that becomes another table starts with that table's journal. Its former journal is renamed and never removed.
- The key is saved last: after a power cut before that, the device enrols again.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from engine.i18n import raised_as, say, text_of
from kiosk.errors import InputError
from kiosk.link.enrolment import GrantedKey
from kiosk.link.errors import KeyFileError
from kiosk.link.link_messages import TroubleInfo
from kiosk.link.table_keys import load_keys, save_keys
from kiosk.table.game.journaled_state_changes_and_recovery import recover_state
from kiosk.table.journal.journal_and_link_outbox import rebuild_journal
from kiosk.table.journal.journal_storage_and_sd_card_alarms import JournalError
from kiosk.table.journal.segment_files_and_recovery import RecoveredJournal, recover
from kiosk.table.state import TableState
from kiosk.table.table_config import TableConfig

#: file with what a spare shows the arbiter until the game resumes
NOTICE_FILE = "spare.json"
JOURNAL, FRESH, ASIDE = "journal", "journal-new", "journal-set-aside"


def needs_key(config: TableConfig) -> bool:
    return config.head is not None and not config.head.key_file.exists()


def with_number(config: TableConfig) -> TableConfig:
    """Return the configuration with the table's number: for a spare (``table = 0``) that of its key.

    :raises InputError: the key file cannot be used, or does not have exactly one key.
    """
    if config.table:
        return config
    if config.head is None:
        return msgspec.structs.replace(config, table=1)
    try:
        keys = load_keys(config.head.key_file)
    except KeyFileError as error:
        raise InputError(text_of(error)) from error
    if len(keys) != 1:
        text = say("{key_file}: {n} keys; a table with table = 0 needs exactly its own")
        raise InputError(text(key_file=config.head.key_file, n=len(keys)))
    return msgspec.structs.replace(config, table=next(iter(keys)))


def own_epoch(data: Path) -> str:
    """Return the epoch of this device's journal, empty if it has none."""
    return (_recover_journal(data / JOURNAL) or RecoveredJournal()).epoch or ""


def become_table(data: Path, key_file: Path, granted: GrantedKey) -> None:
    """Make this device the table that the head assigned to it.

    :raises KeyFileError: the disk cannot store it; the device has no key then.
    """
    with raised_as(
        KeyFileError,
        say("{data}: {why}; see that the disk has room and can be written", data=data),
        OSError,
        JournalError,
    ):
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = _recover_journal(data / JOURNAL)
        if granted.records:
            _prepare_folder(data, granted)
        elif found is not None and _table_of(found) not in (None, granted.table):
            _set_aside(data)
        save_keys(key_file, {granted.table: granted.key})


def _prepare_folder(data: Path, granted: GrantedKey) -> None:
    fresh = data / FRESH
    for left in fresh.glob("*"):  # left by an earlier power cut
        left.unlink()
    rebuild_journal(fresh, granted.epoch, granted.records)
    if (data / JOURNAL).exists():
        _set_aside(data)
    fresh.rename(data / JOURNAL)
    (data / NOTICE_FILE).write_bytes(msgspec.json.encode(_spare(granted.table, data / JOURNAL)))
    _sync(data)


def _set_aside(data: Path) -> None:
    number = 1
    while (aside := data / f"{ASIDE}-{number}").exists():
        number += 1
    (data / JOURNAL).rename(aside)
    _sync(data)


def _spare(table: int, journal: Path) -> TroubleInfo:
    match = recover_state(TableState(table), recover(journal).entries).state.match
    moves = 0 if match is None else len(match.turns)
    text = say("Spare: restored up to move {moves}, as the head had it. Settle later moves and times with the arbiter.")
    return TroubleInfo("spare", text(moves=moves))


def _recover_journal(journal: Path) -> RecoveredJournal | None:
    return recover(journal) if journal.is_dir() else None


def _table_of(found: RecoveredJournal) -> int | None:
    """Return the table at which the journal's last game from a head was played."""
    games = [entry.body["assignment"] for entry in found.entries if entry.type == "assigned"]
    return next((int(game["table"]) for game in reversed(games) if game["event"]), None)


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
