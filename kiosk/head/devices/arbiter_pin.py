"""The arbiters' PIN: one for all tables, set by the chief arbiter and sent to every table that connects.

The digits are never stored. Their hash is a secret (docs/develop/security.md): it lies beside the store and never in
it, although tables write it to their journals. A table gets the PIN once for each PIN, key and journal, so a spare and
a wiped table get it again.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise

from msgspec.structs import replace

from kiosk.head.access import passwords_and_codes
from kiosk.head.access.authentication import Authenticator
from kiosk.head.access.credential_file import StoredPin
from kiosk.head.errors import HeadError
from kiosk.head.store import Store, StoredRecord
from kiosk.link.link_messages import Command, Configuration, TableRecord, to_dict

CHANGED = "device-pin-changed"
#: prefix of the ids of these commands
_ID = "pin-"
SHORTEST, LONGEST = 4, 8


class PinStatus(StrEnum):
    """How far the PIN has got at a table. ``WAITS``: the table has not asked since this head started."""

    WAITS = "waits"
    SENT = "sent"
    APPLIED = "applied"
    REFUSED = "refused"


class SharedPin:
    """The shared PIN and its state at the tables. May be called from any thread. ``on_order``: called with the tables
    that have a command waiting.
    """

    def __init__(
        self,
        store: Store,
        access: Authenticator,
        keys: Mapping[int, bytes],
        on_order: Callable[[Collection[int]], None] = lambda tables: None,
    ) -> None:
        self._store, self._access, self._keys, self._on_order = store, access, keys, on_order
        self._lock = threading.Lock()
        self._epochs: dict[int, str] = {}
        #: by table, the id of its last answered command, and the answer
        self._answers: dict[int, tuple[str, str]] = {}
        self._handed_out: set[str] = set()
        self.collect(store.records(type="command"))

    @property
    def since(self) -> str:
        """Return when it was set, by the head's clock; empty: this head has none."""
        pin = self._access.hall_pin
        return "" if pin is None else pin.since

    def change(self, typed: str, again: str) -> None:
        """Set the PIN of all tables.

        :raises HeadError: not 4 to 8 digits, not the same twice, or too easy to guess.
        """
        figures = unicodedata.normalize("NFKC", typed).strip()
        if figures != unicodedata.normalize("NFKC", again).strip():
            raise HeadError.saying("the two PINs are not the same; type them again")
        if not (figures.isascii() and figures.isdigit() and SHORTEST <= len(figures) <= LONGEST):
            raise HeadError.saying("a PIN has {shortest} to {longest} digits", shortest=SHORTEST, longest=LONGEST)
        if {int(b) - int(a) for a, b in pairwise(figures)} in ({0}, {1}, {-1}):
            raise HeadError.saying("that PIN is too easy to guess (like 1111 or 1234); choose another one")
        hash = passwords_and_codes.hash_password(figures)
        event = self._store.append(CHANGED, {}).result()
        self._access.keep_hall_pin(StoredPin(hash, len(figures), secrets.token_hex(8), event.at))
        self._on_order(tuple(self._keys))

    def note_journal(self, table: int, epoch: str) -> None:
        """Note the journal that a table continues."""
        with self._lock:
            self._epochs[table] = epoch

    def pending(self, table: int) -> list[Command]:
        """Return the command that the table has not answered, if a PIN is set."""
        pin, id = self._access.hall_pin, self._id(table)
        if pin is None or not id:
            return []
        with self._lock:
            if self._answers.get(table, ("", ""))[0] == id:
                return []
            self._handed_out.add(id)
        return [Command(id, "configure", body=to_dict(Configuration(pin.hash, pin.digits)))]

    def collect(self, records: Iterable[StoredRecord]) -> None:
        """Note the tables' answers among committed records."""
        for record in records:
            id = str(record.body.get("id"))
            if record.type == "command" and id.startswith(_ID):
                with self._lock:
                    self._answers[record.table] = id, str(record.body.get("status"))
                    self._epochs.setdefault(record.table, record.epoch)

    def tables(self) -> dict[int, PinStatus]:
        """Return every table and its PIN status."""
        return {table: self._status(table) for table in sorted(self._keys)}

    def _status(self, table: int) -> PinStatus:
        id = self._id(table)
        with self._lock:
            answered, status = self._answers.get(table, ("", ""))
            if id and answered == id:
                return PinStatus.APPLIED if status == "applied" else PinStatus.REFUSED
            return PinStatus.SENT if id in self._handed_out else PinStatus.WAITS

    def _id(self, table: int) -> str:
        """Return the id of this PIN at this device with this journal; empty while one of them is unknown. A spare that
        continues a table's journal has another key, so answers in that journal are the old device's.
        """
        pin = self._access.hall_pin
        if pin is None:
            return ""  # checked before the keys, which read a file
        key = self._keys.get(table)
        with self._lock:
            epoch = self._epochs.get(table)
        if key is None or epoch is None:
            return ""
        named = hashlib.sha256(key + f"|{pin.version}|{epoch}".encode())
        return f"{_ID}{table}-{named.hexdigest()[:16]}"


def without_pin(records: Sequence[TableRecord]) -> list[TableRecord]:
    """Return the records as the head keeps them, without the PIN's hash: a hash of four digits is as good as the digits
    (docs/develop/security.md).
    """
    return [
        replace(record, body={**record.body, "arbiter_pin": ""}) if record.type == "configured" else record
        for record in records
    ]
