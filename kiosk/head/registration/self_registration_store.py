"""Registrations that players sent from their phones and that wait for the desk.

- They lie in one file beside the store, written anew at every change and readable by its owner only. The audit trail
  has nothing of them before the desk accepts them.
- What strangers can store is bounded: ``MOST_WAITING`` registrations, whose fields are bounded by their form, and
  ``PER_HOUR`` from one address in an hour. ``MOST_ANSWERED`` answers are kept, the newest ones.
- A phone shows its registration by a code. The file has only a hash of it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec

from engine.i18n import say
from kiosk.head.access.credential_file import fingerprint, write_durably
from kiosk.head.errors import Conflict, NotFound, RateLimited
from kiosk.head.hourly_storage_quota_per_key import HOUR_S, HourlyQuota
from kiosk.json_validation import warm_up

log = logging.getLogger("kiosk.head")

SCHEMA = "othello-registrations/1"
MOST_WAITING, MOST_ANSWERED, PER_HOUR = 300, 1_000, 30
CLOSED = say("registration is closed; ask at the desk")
#: above the size of a full file
_LARGEST = 8 * 1024 * 1024

_Short = Annotated[str, msgspec.Meta(max_length=100)]
_Value = Annotated[str, msgspec.Meta(max_length=200)] | int


class RegistrationStatus(StrEnum):
    WAITING = "waiting"
    ACCEPTED = "accepted"
    REFUSED = "refused"


class Registration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One registration. ``code``: a hash; ``fields``: of the player, removed when he is accepted; ``player``: his id
    in the division then.
    """

    number: int
    code: _Short
    division: _Short
    fields: dict[_Short, _Value]
    status: RegistrationStatus = RegistrationStatus.WAITING
    player: _Short = ""

    @property
    def is_waiting(self) -> bool:
        return self.status is RegistrationStatus.WAITING


class _StoredRegistrations(msgspec.Struct, forbid_unknown_fields=True):
    schema: str = SCHEMA
    until: str = ""  # when registration ends; empty: it is closed
    registrations: list[Registration] = msgspec.field(default_factory=list)


class RegistrationStore:
    """The registrations in ``file``, which need not exist. May be used from any thread."""

    def __init__(self, file: Path, wall_clock: Callable[[], str], monotonic_s: Callable[[], float]) -> None:
        self._file, self._wall_clock = file, wall_clock
        self._lock = threading.Lock()
        self._quota: HourlyQuota[str] = HourlyQuota(PER_HOUR, PER_HOUR, monotonic_s)
        self._stored = _read(file)

    @property
    def until(self) -> str:
        """Return when registration ends or ended; empty: the desk has closed it."""
        return self._stored.until

    @property
    def is_open(self) -> bool:
        until = self.until
        return bool(until) and datetime.fromisoformat(self._wall_clock()) < datetime.fromisoformat(until)

    @property
    def waiting(self) -> list[Registration]:
        return [one for one in self._stored.registrations if one.is_waiting]

    @property
    def refused(self) -> list[Registration]:
        return [one for one in self._stored.registrations if one.status is RegistrationStatus.REFUSED]

    def find(self, code: str) -> Registration | None:
        """Return the registration of a phone's code."""
        hashed = fingerprint(code)
        return next((one for one in self._stored.registrations if one.code == hashed), None)

    def set_end(self, until: str) -> None:
        """Open registration until this time; empty: close it."""
        with self._lock:
            self._write(until, self._stored.registrations)

    def add(self, code: str, division: str, fields: Mapping[str, str | int], address: str) -> None:
        """Store a registration that waits, or put it in place of the waiting one of this code.

        :raises Conflict: registration is closed, too many wait, or the desk has answered this one.
        :raises RateLimited: too many came from this address.
        """
        with self._lock:
            old, kept = self.find(code), self._stored.registrations
            if not self.is_open:
                raise Conflict(CLOSED)
            if old is not None and not old.is_waiting:
                raise Conflict.saying("the desk has answered this registration; ask there for a correction")
            if old is None and len(self.waiting) >= MOST_WAITING:
                raise Conflict.saying("too many registrations are waiting for the desk; try again later, or ask there")
            if not self._quota.count(address, [1]):
                why = say("too many registrations came from your address; wait {n} minutes, or ask at the desk")
                raise RateLimited(why(n=-(-int(HOUR_S) // PER_HOUR // 60)), int(HOUR_S) // PER_HOUR)
            number = old.number if old else max((one.number for one in kept), default=0) + 1
            new = Registration(number, fingerprint(code), division, dict(fields))
            self._write(self.until, [*(one for one in kept if one is not old), new])

    def accept(self, players: Mapping[int, str]) -> None:
        """Note which registrations became which players."""
        with self._lock:
            accepted = {"fields": {}, "status": RegistrationStatus.ACCEPTED}
            registrations = [
                msgspec.structs.replace(one, player=players[one.number], **accepted) if one.number in players else one
                for one in self._stored.registrations
            ]
            self._write(self.until, registrations)

    def set_status(self, number: int, status: RegistrationStatus) -> None:
        """Refuse a registration, or let a refused one wait again.

        :raises NotFound: it is gone, or was accepted.
        """
        with self._lock:
            old = self.open_registration(number)
            new = msgspec.structs.replace(old, status=status)
            self._write(self.until, [new if one is old else one for one in self._stored.registrations])

    def open_registration(self, number: int) -> Registration:
        """Return a registration that was not accepted.

        :raises NotFound: there is none of that number.
        """
        for one in self._stored.registrations:
            if one.number == number and one.status is not RegistrationStatus.ACCEPTED:
                return one
        raise NotFound.saying("that registration was answered already; look at the list again")

    def _write(self, until: str, registrations: Sequence[Registration]) -> None:
        answered = [one for one in registrations if not one.is_waiting][-MOST_ANSWERED:]
        held = {one.number for one in answered}
        kept = [one for one in registrations if one.is_waiting or one.number in held]
        stored = _StoredRegistrations(until=until, registrations=kept)
        write_durably(self._file, msgspec.json.encode(stored))
        self._stored = stored


def _read(file: Path) -> _StoredRegistrations:
    """Return what the file says. A damaged one is moved aside, because it must not stop the head."""
    try:
        if file.stat().st_size > _LARGEST:
            raise ValueError("it is too long")
        kept = msgspec.json.decode(file.read_bytes(), type=warm_up(_StoredRegistrations))
        if kept.schema != SCHEMA or (kept.until and datetime.fromisoformat(kept.until).tzinfo is None):
            raise ValueError("it is of another version")
        return kept
    except FileNotFoundError:
        return _StoredRegistrations()
    except (OSError, ValueError, RecursionError) as error:
        log.warning("%s cannot be used (%s); it is moved aside and registration is closed", file, error)
        file.replace(file.with_suffix(".damaged"))
        return _StoredRegistrations()
