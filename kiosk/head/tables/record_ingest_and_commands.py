"""The head's end of the link (``kiosk.link.endpoints.head_endpoint.RecordSink``): commits the tables' records and
provides commands.

Records are on the disk when ``commit`` returns; pages and desk are updated afterwards and can be derived again from the
store.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence

from engine.i18n import Text, say
from kiosk.head.desk import Desk
from kiosk.head.devices.arbiter_pin import SharedPin, without_pin
from kiosk.head.errors import StoreError, as_connection_errors
from kiosk.head.hourly_storage_quota_per_key import HourlyQuota, record_sizes, table_quota
from kiosk.head.store import CommandRow, CommandStatus, Store
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.link.link_messages import Command, Health, TableRecord, TroubleInfo

log = logging.getLogger(__name__)
#: seconds for which the desk is shown a device that was refused
REFUSED_FOR_S = 60.0


class RecordIngest:
    """The ingest of the tables' records, and the commands that wait for them."""

    def __init__(
        self,
        store: Store,
        keys: Mapping[int, bytes],
        desk: Desk,
        live: LiveTables,
        on_change: Callable[[], None] = lambda: None,
        monotonic_s: Callable[[], float] = time.monotonic,
        pin: SharedPin | None = None,
        quota: HourlyQuota[int] | None = None,
    ) -> None:
        self._store = store
        self._keys = keys
        self._desk = desk
        self._live = live
        self._on_change = on_change
        self._monotonic_s = monotonic_s
        self._pin = pin
        self._quota = quota or table_quota(monotonic_s)
        now_s = monotonic_s()
        #: by command, when it was queued; those of an earlier run of the head have expired
        self._since_s = {
            row.id: now_s - row.expires_s
            for row in store.commands(status=CommandStatus.SENT)
            if row.expires_s is not None
        }
        self._rejected_devices: dict[int, tuple[float, TroubleInfo]] = {}
        self._last_received_at: dict[int, str] = {}
        #: by table, the record of which two devices with the key have different ones
        self._conflicting_seq: dict[int, tuple[int, bytes | None]] = {}
        self._last_reported_seq: dict[int, int] = {}
        self._lock = threading.Lock()

    def key(self, table: int) -> bytes | None:
        return self._keys.get(table)

    @as_connection_errors()
    def last_committed_seq(self, table: int, epoch: str) -> int:
        if self._pin is not None:
            self._pin.note_journal(table, epoch)
        return self._store.last_committed_seq(table, epoch)

    @as_connection_errors()
    def commit(self, table: int, epoch: str, records: Sequence[TableRecord]) -> int:
        fit = self._quota.count(table, record_sizes(records))
        if fit < len(records):
            self._on_change()
        if not fit:
            return self._store.last_committed_seq(table, epoch)
        try:
            have, new = self._store.commit_records(table, epoch, without_pin(records[:fit])).result()
        except StoreError:  # the table keeps its records and tries again; the desk shows why
            self._on_change()
            raise
        if new:
            with self._lock:
                self._last_received_at[table] = time.strftime("%H:%M:%S")
            self._live.collect(new)
            if others := [record for record in new if record.type != "event"]:  # a game's events are for its view only
                if self._pin is not None:
                    self._pin.collect(others)
                self._desk.collect(others)
            self._on_change()
        return have

    @as_connection_errors()
    def compare(self, table: int, epoch: str, record: TableRecord) -> None:
        """Note at the desk that a device has another record than the one stored: two devices have one key."""
        (stored,) = without_pin([record])
        if not self._store.differs(table, epoch, stored):
            return
        log.warning("table %d sent another record %d than the one it had sent before", table, record.seq)
        with self._lock:
            self._conflicting_seq[table] = record.seq, self.key(table)
        self._on_change()

    def pending(self, table: int) -> list[Command]:
        pin = [] if self._pin is None else self._pin.pending(table)
        return pin + [
            Command(row.id, row.kind, row.game, row.revision, self._left_s(row), row.body or {})  # type: ignore[arg-type]
            for row in self._store.pending.of(table)
        ]

    def note_queued(self, tables: Collection[int]) -> None:
        """Note when the commands of these tables were queued; also a table without a connection has them from then."""
        for table in tables:
            for row in self._store.pending.of(table):
                self._left_s(row)

    def _left_s(self, row: CommandRow) -> int | None:
        """Return the seconds for which the command is valid; at 0 the table only answers that it has expired."""
        if row.expires_s is None:
            return None
        now_s = self._monotonic_s()
        return max(0, row.expires_s - int(now_s - self._since_s.setdefault(row.id, now_s)))

    def last_received(self, table: int) -> tuple[str, int]:
        """Return the wall clock of the last record received from a table since this head started, empty if none; and
        the number of the last record that the table reported, received or not.
        """
        with self._lock:
            return self._last_received_at.get(table, ""), self._last_reported_seq.get(table, 0)

    def note_rejected_device(self, table: int, why: TroubleInfo) -> None:
        with self._lock:
            self._rejected_devices[table] = self._monotonic_s(), why
        self._on_change()

    def troubles(self) -> list[Text]:
        """Return messages for the desk about devices that were refused in the last minute."""
        with self._lock:
            since_s = self._monotonic_s() - REFUSED_FOR_S
            self._rejected_devices = {
                table: refusal for table, refusal in self._rejected_devices.items() if refusal[0] >= since_s
            }
            refused = [why.text for _, (_, why) in sorted(self._rejected_devices.items())]
            refused += [
                say(
                    "Two devices have the key of table {table}: one sent another record {seq} than this head has. "
                    "Results may be missing. Switch off the one that does not belong there and register it anew.",
                    table=table,
                    seq=seq,
                )
                for table, (seq, key) in sorted(self._conflicting_seq.items())
                if key == self.key(table)
            ]
        return refused + [
            say(
                "The device of table {table} sends more than a table needs ({rows} records or {mb} MB an hour). The "
                "rest is taken later. If it goes on, its key is in other hands: replace the device.",
                table=table,
                rows=round(self._quota.rows),
                mb=round(self._quota.size / 1_000_000),
            )
            for table in sorted(self._quota.exceeded())
        ]

    def note_alive(self, table: int, health: Health) -> None:
        with self._lock:
            self._last_reported_seq[table] = health.last_seq
        self._live.note_alive(table, health)
