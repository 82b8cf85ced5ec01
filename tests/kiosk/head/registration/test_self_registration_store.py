"""Tests of the store of registrations by phone: what is bounded, what survives a restart, what the file says."""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kiosk.head.errors import Conflict, HeadError, NotFound, RateLimited
from kiosk.head.registration.self_registration_store import (
    MOST_ANSWERED,
    MOST_WAITING,
    PER_HOUR,
    RegistrationStatus,
    RegistrationStore,
)

UNTIL = "2031-04-05T09:00:00+09:00"
ANNA = {"name": "Anna Orre", "grade": "3d", "birth_year": 2012}


@dataclass
class Desk:
    file: Path
    clock: str = "2031-04-05T08:00:00+09:00"
    monotonic_s: float = 0.0
    store: RegistrationStore = field(init=False)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self.store = RegistrationStore(self.file, lambda: self.clock, lambda: self.monotonic_s)

    def send(self, number: int, address: str = "10.0.0.1", name: str = "Anna Orre") -> None:
        self.store.add(f"{number:032x}", "main", {**ANNA, "name": name}, address)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path / "registrations.json")
    desk.store.set_end(UNTIL)
    return desk


def test_a_registration_waits_through_a_restart(desk: Desk) -> None:
    """So do answers and the closing time. The file is its owner's, and has the phones' codes as hashes only."""
    for number in range(3):
        desk.send(number)
    desk.store.accept({1: "p9"})
    desk.store.set_status(2, RegistrationStatus.REFUSED)
    desk.restart()
    assert desk.store.is_open and desk.store.until == UNTIL
    assert [(one.number, one.fields) for one in desk.store.waiting] == [(3, ANNA)]
    accepted, refused = desk.store.find(f"{0:032x}"), desk.store.find(f"{1:032x}")
    assert accepted is not None and (accepted.player, accepted.fields) == ("p9", {}), "the name is with the player now"
    assert refused is not None and refused.fields == ANNA
    assert stat.S_IMODE(desk.file.stat().st_mode) == 0o600
    assert f"{2:032x}" not in desk.file.read_text()


@pytest.mark.parametrize(("until", "clock"), [("", "2031-04-05T08:00:00+09:00"), (UNTIL, "2031-04-05T00:00:00+00:00")])
def test_nothing_is_stored_before_the_opening_or_from_the_closing_time_on(desk: Desk, until: str, clock: str) -> None:
    desk.store.set_end(until)
    desk.clock = clock
    with pytest.raises(Conflict, match="closed"):
        desk.send(1)
    assert not desk.store.is_open and not desk.store.waiting


def test_registrations_of_an_address_are_limited_per_hour(desk: Desk) -> None:
    """Corrections count too. Another address is not affected, and the wait that the sentence names is enough."""
    for number in range(PER_HOUR):
        desk.send(number // 2)
    with pytest.raises(RateLimited, match="too many") as refused:
        desk.send(PER_HOUR)
    desk.send(PER_HOUR, "10.0.0.2")
    desk.monotonic_s += refused.value.wait_s
    desk.send(PER_HOUR + 1)


def test_waiting_registrations_and_stored_answers_are_limited(desk: Desk) -> None:
    """A full list refuses new ones, not corrections; what strangers send never makes the file grow further."""
    for number in range(MOST_WAITING):
        desk.send(number, f"10.0.{number // PER_HOUR}.1")
    with pytest.raises(Conflict, match="too many registrations are waiting"):
        desk.send(MOST_WAITING, "10.9.9.9")
    desk.send(0, "10.9.9.9", "Anna Corrected")
    assert len(desk.store.waiting) == MOST_WAITING and len(desk.file.read_bytes()) < MOST_WAITING * 400
    told = json.loads(desk.file.read_text())
    answered = [{**told["registrations"][0], "number": n, "status": "accepted"} for n in range(1, MOST_ANSWERED + 9)]
    desk.file.write_text(json.dumps({**told, "registrations": answered}))
    desk.restart()
    desk.send(MOST_WAITING, "10.9.9.9")
    kept = json.loads(desk.file.read_text())["registrations"]
    assert len(kept) == MOST_ANSWERED + 1 and kept[0]["number"] == 9


def test_an_answered_registration_is_not_answered_or_corrected_again(desk: Desk) -> None:
    """A refused one can wait again."""
    desk.send(1)
    desk.store.set_status(1, RegistrationStatus.REFUSED)
    with pytest.raises(Conflict, match="ask there"):
        desk.send(1)
    desk.store.set_status(1, RegistrationStatus.WAITING)
    desk.store.accept({1: "p1"})
    for act in (lambda: desk.store.set_status(1, RegistrationStatus.REFUSED), lambda: desk.store.open_registration(7)):
        with pytest.raises(NotFound):
            act()


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[" * 100_000, b'{"schema": "othello-registrations/2"}', b'{"until": "2031-04-05T09:00:00"}',
        b'{"until": "soon"}', b'{"more": 1}', b" " * (8 * 1024 * 1024 + 1),
        json.dumps({"registrations": [{"number": 1, "code": "x", "division": "main", "fields": {"name": "x" * 201}}]})
        .encode(),
    ],
)  # fmt: skip
def test_a_damaged_file_does_not_stop_the_head(tmp_path: Path, content: bytes) -> None:
    """It is moved aside: nobody's registration is overwritten."""
    file = tmp_path / "registrations.json"
    file.write_bytes(content)
    desk = Desk(file)
    assert not desk.store.is_open and not desk.store.waiting
    assert file.with_suffix(".damaged").read_bytes() == content
    desk.store.set_end(UNTIL)
    desk.send(1)


def test_a_full_disk_is_reported_and_loses_no_registration(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.send(1)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kiosk.head.access.credential_file.write_secret", full)
    with pytest.raises(HeadError, match="No space left"):
        desk.send(2)
    assert [one.number for one in desk.store.waiting] == [1]
