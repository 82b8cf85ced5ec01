"""Tests of the arbiters' shared PIN: set by the chief, sent to every table once, never in store, backup or pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from heads.staff import PASSWORD, add_person, first_chief, token, use_code
from heads.world import PlayedTable, running_head
from waiting import HANGS_S

from kiosk.head.backup.restore import restore
from kiosk.head.backup.signed_backup_creation import back_up
from kiosk.head.devices import ReplacedDevices
from kiosk.head.errors import HeadError
from kiosk.head.head_config import HeadConfig
from kiosk.head.program import build_head
from kiosk.link.link_messages import Command, Configuration, TableRecord, from_dict
from kiosk.link.table_keys import KeyRing, new_keys, save_keys
from kiosk.table.arbiter.arbiter_controller import is_correct_pin

PIN = "2580"


class Table(PlayedTable):
    """Writes the PIN's hash into its journal, as a table does."""

    def configure(self) -> list[Configuration]:
        """Execute the pending commands of the head."""
        self.collection.last_committed_seq(self.number, self.epoch)
        wanted: list[Command] = [one for one in self.collection.pending(self.number) if one.kind == "configure"]
        for one in wanted:
            self.send("configured", one.body)
            self.send("command", {"id": one.id, "status": "applied", "reason": ""})
        return [from_dict(Configuration, one.body) for one in wanted]


@dataclass
class World:
    directory: Path
    keys: dict[int, bytes] = field(default_factory=lambda: {1: bytes(32), 2: b"2" * 32})

    def __post_init__(self) -> None:
        self.open()

    def open(self) -> None:
        self.head = build_head(HeadConfig(data=self.directory), self.keys).start()
        self.store, self.pin, self.collection = self.head.store, self.head.devices.pin, self.head.devices.collection

    def close(self) -> None:
        self.head.close()

    def again(self) -> None:
        self.close()
        self.open()

    def statuses(self) -> dict[int, str]:
        return {table: status.value for table, status in self.pin.tables().items()}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "head")
    yield made
    made.close()


def test_every_table_gets_the_pin_once_also_over_restarts(world: World) -> None:
    one, two = Table(1, world.collection), Table(2, world.collection)
    assert one.configure() == [] and world.statuses() == {1: "waits", 2: "waits"}
    world.pin.change(PIN, PIN)
    assert [is_correct_pin(sent.arbiter_pin, (2, 5, 8, 0)) for sent in one.configure()] == [True]
    assert one.configure() == [] and world.statuses() == {1: "applied", 2: "waits"}
    world.collection.last_committed_seq(2, two.epoch)
    (waiting,) = world.collection.pending(2)
    assert world.collection.pending(2) == [waiting] and world.statuses()[2] == "sent"
    world.again()
    assert world.statuses() == {1: "applied", 2: "waits"}
    one.collection = two.collection = world.collection
    assert one.configure() == [] and len(two.configure()) == 1
    world.pin.change("975310", "９７５３１０")  # the same PIN in another Unicode form
    assert [sent.pin_digits for sent in one.configure() + two.configure()] == [6, 6]


def test_a_wiped_table_a_spare_and_a_new_table_get_the_pin_again(world: World) -> None:
    world.pin.change(PIN, PIN)
    one = Table(1, world.collection)
    assert len(one.configure()) == 1
    wiped = Table(1, world.collection, epoch="wiped")
    assert len(wiped.configure()) == 1 and wiped.configure() == []
    world.keys[1] = b"spare" + bytes(27)  # it continues the same journal
    assert world.statuses()[1] == "waits"
    assert len(wiped.configure()) == 1 and world.statuses()[1] == "applied"
    world.keys[3] = b"3" * 32
    assert len(Table(3, world.collection).configure()) == 1


def test_a_table_that_refuses_the_pin_is_shown_and_not_sent_it_again(world: World) -> None:
    world.pin.change(PIN, PIN)
    one = Table(1, world.collection)
    world.collection.last_committed_seq(1, one.epoch)
    (command,) = world.collection.pending(1)
    one.send("command", {"id": command.id, "status": "refused", "reason": "the configuration cannot be read"})
    assert world.statuses()[1] == "refused" and world.collection.pending(1) == []


def test_neither_the_pin_nor_its_hash_is_in_the_store_or_in_a_backup(world: World, tmp_path: Path) -> None:
    world.pin.change(PIN, PIN)
    one = Table(1, world.collection)
    (sent,) = one.configure()
    assert sent.arbiter_pin.startswith("$argon2id$")
    assert [record.body for record in world.store.records(type="configured")] == [{"arbiter_pin": "", "pin_digits": 4}]
    [entry] = world.store.operator_events()
    assert (entry.kind, entry.body) == ("device-pin-changed", {})
    made = back_up(world.directory, tmp_path / "stick")
    hashes = [part.encode() for part in sent.arbiter_pin.split("$")[-2:]]
    for file in [made.file, *(path for path in world.directory.iterdir() if path.name != "secrets.json")]:
        content = file.read_bytes()
        assert b"argon2" not in content and all(part not in content for part in hashes)
    restore(tmp_path / "stick", tmp_path / "spare")
    spare = World(tmp_path / "spare")
    assert spare.pin.since == "" and spare.pin.pending(1) == []
    spare.close()


@pytest.mark.parametrize(
    ("typed", "again"), [("258", "258"), ("258025802", "258025802"), ("25a0", "25a0"), (PIN, "2581"), ("1111",) * 2]
)
def test_an_invalid_pin_changes_nothing(world: World, typed: str, again: str) -> None:
    with pytest.raises(HeadError):
        world.pin.change(typed, again)
    assert world.pin.since == "" and world.store.operator_events() == []


def test_the_chief_sets_it_with_his_password_and_it_is_never_shown(tmp_path: Path) -> None:
    with running_head(tmp_path / "hall") as (program, url):
        chief = httpx.Client(base_url=url, timeout=HANGS_S, headers={"accept-language": "en"})
        first_chief(chief, program.access.setup_code)
        lund = httpx.Client(base_url=url, timeout=HANGS_S, headers={"accept-language": "en"})
        use_code(lund, add_person(chief, "Lund", "arbiter"))
        seen = lund.get("/devices/pin").text
        assert "Only the chief" in seen and 'name="pin"' not in seen
        form = {"csrf": token(lund), "pin": PIN, "pin_again": PIN, "password": PASSWORD}
        assert lund.post("/devices/pin", data=form).status_code == 403 and program.devices.pin.since == ""

        session = program.access.session(chief.cookies["kiosk_session"])
        assert session is not None
        for device in program.access._sessions.listed():
            device.password_ns = None  # the password was given too long ago
        assert 'name="password"' in chief.get("/devices/pin").text
        form = {"csrf": token(chief), "pin": PIN, "pin_again": PIN, "password": "wrong one"}
        refused = chief.post("/devices/pin", data=form)
        assert refused.status_code == 403 and PIN not in refused.text and program.devices.pin.since == ""
        refused = chief.post("/devices/pin", data=form | {"password": PASSWORD, "pin_again": "2581"})
        assert refused.status_code == 400 and "not the same" in refused.text and PIN not in refused.text
        assert chief.post("/devices/pin", data=form | {"password": PASSWORD}).status_code == 303
        page = chief.get("/devices/pin").text
        assert PIN not in page and "argon2" not in page and page.count("waiting") == 8
        trail = chief.get("/audit").text
        assert "PIN changed" in trail and PIN not in trail
        assert 'href="/devices/pin"' in chief.get("/devices").text


def test_records_of_a_replaced_device_are_kept_without_the_hash(world: World, tmp_path: Path) -> None:
    save_keys(tmp_path / "keys.json", new_keys([1]))
    returned = ReplacedDevices(world.store, KeyRing(tmp_path / "keys.json"))
    body = {"arbiter_pin": "$argon2id$v=19$secret", "pin_digits": 4}
    assert returned.commit(1, "old", [TableRecord(1, "configured", body)]) == 1
    [entry] = world.store.operator_events()
    assert entry.body["records"] == [{"seq": 1, "type": "configured", "body": {"arbiter_pin": "", "pin_digits": 4}}]
