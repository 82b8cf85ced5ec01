"""Devices that a spare replaced, and the records they send when they come back.

Records of a replaced device never count as its table's. Those that had not arrived are kept in the audit trail, in
their order, and listed for the arbiter; no result follows from them automatically.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from engine.i18n import Text, say
from engine.match import MatchState
from engine.match.match_value_types import TurnKind
from kiosk.head.devices.arbiter_pin import without_pin
from kiosk.head.errors import as_connection_errors
from kiosk.head.hourly_storage_quota_per_key import HourlyQuota, record_sizes, table_quota
from kiosk.head.store import Store
from kiosk.json_validation import warm_up
from kiosk.link.errors import UnfollowableRecordError
from kiosk.link.game_replay_and_event_encoding import NO_GAME, replay_record
from kiosk.link.link_messages import TableRecord, to_dict
from kiosk.link.table_keys import KeyRing

log = logging.getLogger(__name__)

ENROLLED, RETURNED = "device-enrolled", "device-returned"


@dataclass(frozen=True, slots=True)
class Replacement:
    """A spare that continued the ``epoch`` of a table after record ``have``. ``at``: wall clock of the last record that
    had arrived, empty if this head did not see it arrive; ``missing``: records that the old device had reported.
    """

    table: int
    epoch: str
    have: int
    game: str = ""
    move: int = 0
    at: str = ""
    missing: int = 0


class _HandedIn(msgspec.Struct, frozen=True):
    """The body of a ``device-returned`` event."""

    table: int
    epoch: str
    records: list[TableRecord]


class ReplacedDevices:
    """Records of replaced devices: ``kiosk.link.endpoints.head_endpoint.ReplacedDeviceHandler`` over the audit trail.
    ``is_open(game)``: whether a
    game still waits for its result; notices about finished games are dropped.
    """

    def __init__(
        self,
        store: Store,
        ring: KeyRing | None,
        on_change: Callable[[], None] = lambda: None,
        is_open: Callable[[str], bool] = lambda game: True,
        quota: HourlyQuota[int] | None = None,
    ) -> None:
        self._store, self._ring, self._on_change, self._is_open = store, ring, on_change, is_open
        self._quota = quota or table_quota()
        self._lock = threading.Lock()
        self._replacements: dict[tuple[int, str], Replacement] = {}
        self._unseen: dict[tuple[int, str], list[TableRecord]] = {}
        self._heard: dict[tuple[int, str], int] = {}
        for event in store.operator_events():
            try:
                self._note(event.kind, event.body)
            except (LookupError, ValueError) as error:  # another installation's backup may contain anything
                log.warning("entry %d of the audit trail (%s) cannot be used: %r", event.number, event.kind, error)

    def keys(self, table: int) -> Sequence[bytes]:
        return () if self._ring is None else self._ring.retired(table)

    def last_committed_seq(self, table: int, epoch: str) -> int:
        """Return the number of the last record to skip. For a device that was replaced by hand no position was
        recorded, so all its records are requested.
        """
        place = (table, epoch)
        with self._lock:
            replacement, unseen = self._replacements.get(place), self._unseen.get(place)
            have = 0 if replacement is None else replacement.have
            return max(have, unseen[-1].seq if unseen else 0, self._heard.get(place, 0))

    @as_connection_errors()
    def commit(self, table: int, epoch: str, records: list[TableRecord]) -> int:
        have = self.last_committed_seq(table, epoch)
        new = [record for record in without_pin(records) if record.seq > have]
        if not new or new[0].seq != have + 1:
            return have
        new = new[: self._quota.count(table, record_sizes(new))]
        if not new:
            return have
        arrived = {record.seq: record for record in self._received_records(table, epoch)}
        unknown = [record for record in new if arrived.get(record.seq) != record]
        body = {"table": table, "epoch": epoch, "records": [to_dict(record) for record in unknown]}
        if unknown:
            self._store.append(RETURNED, body).result()
        with self._lock:
            self._heard[table, epoch] = new[-1].seq
            if unknown:
                self._note(RETURNED, body)
        self._on_change()
        return new[-1].seq

    def apply_enrolment(self, body: dict[str, Any]) -> None:
        """Apply a device's enrolment; ``body`` is the event's body."""
        with self._lock:
            self._note(ENROLLED, body)
        self._on_change()

    def notices(self) -> list[Text]:
        """Return the notices for the desk."""
        with self._lock:
            replacements = dict(self._replacements)
            unseen = {place: list(many) for place, many in self._unseen.items() if many}
        result = []
        for place, one in sorted(replacements.items()):
            many = unseen.pop(place, [])
            if not one.game or self._is_open(one.game):
                result.append(_came_back(one, self._moves(one, many), many) if many else _replacement_notice(one))
        for place, many in sorted(unseen.items()):
            one = self._by_hand(*place, have=many[0].seq - 1)
            result.append(_came_back(one, self._moves(one, many), many))
        return result

    def _by_hand(self, table: int, epoch: str, have: int) -> Replacement:
        known = [record for record in self._received_records(table, epoch) if record.seq <= have]
        return Replacement(table, epoch, have, move=len(_turns_of(known)))

    def _moves(self, replacement: Replacement, unseen: Sequence[TableRecord]) -> list[str]:
        records = self._received_records(replacement.table, replacement.epoch)
        known = [record for record in records if record.seq <= replacement.have]
        return _turns_of([*known, *unseen])[len(_turns_of(known)) :]

    def _received_records(self, table: int, epoch: str) -> list[TableRecord]:
        return [stored.as_sent() for stored in self._store.records(table=table) if stored.epoch == epoch]

    def _note(self, kind: str, body: Mapping[str, Any]) -> None:
        if kind == ENROLLED and body.get("have"):
            replacement = msgspec.convert({name: body[name] for name in Replacement.__slots__}, warm_up(Replacement))
            self._replacements.setdefault((replacement.table, replacement.epoch), replacement)
        elif kind == RETURNED:
            returned = msgspec.convert(body, warm_up(_HandedIn))
            self._unseen.setdefault((returned.table, returned.epoch), []).extend(returned.records)


def last_match(records: Iterable[TableRecord]) -> tuple[str, MatchState | None]:
    """Return the last game in a table's records and its state; no game: an empty name."""
    game = NO_GAME
    for record in records:
        try:
            game = replay_record(game, record)
        except UnfollowableRecordError:
            return game.name, None  # kept like any other; only its position is lost
    return game.name, game.match


def _turns_of(records: Sequence[TableRecord]) -> list[str]:
    """Return the turns in written form: a square, ``--`` for a pass, ``?`` for one that no board source saw."""
    _, match = last_match(records)
    turns = () if match is None else match.turns
    return [turn.move or ("--" if turn.kind is TurnKind.PASS else "?") for turn in turns]


def _replacement_notice(one: Replacement) -> Text:
    move = say("move {n}", n=one.move)
    if one.at:
        move = say("move {n} (last heard {at})", n=one.move, at=one.at)
    gone = say(
        "A spare has taken the place of table {table}. Its game had arrived up to {move}; moves since then were never "
        "received. Ask the players. Switch the old device on: it hands in the rest.",
        table=one.table,
        move=move,
    )
    if not one.missing:
        return gone
    return say("{gone} The old device had at least {n} more records.", gone=gone, n=one.missing)


def _came_back(one: Replacement, moves: Sequence[str], records: Sequence[TableRecord]) -> Text:
    back = say(
        "The old device of table {table} handed in {n} records that had never arrived. Moves after move {move}: "
        "{moves}. No result follows from them by itself; an arbiter decides.",
        table=one.table,
        n=len(records),
        move=one.move,
        moves=" ".join(moves) or "-",
    )
    if any(record.type == "card" for record in records):
        return say("{back} A result card is among them.", back=back)
    return back
