"""Tests of enrolment offers at the head: used once, limited in number, expiring, recorded in the audit trail."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from links.world import MemoryCollector
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from waiting import HANGS_S, until
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from kiosk.head.current_user import as_user
from kiosk.head.devices import Enrolments, ReplacedDevices
from kiosk.head.devices import pending_enrolments as module
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.store import Store
from kiosk.link.endpoints.head_endpoint import LinkEndpoint
from kiosk.link.enrolment import GrantedKey, TableEnrolment
from kiosk.link.link_messages import TableRecord
from kiosk.link.table_keys import KeyRing, check_word, load_keys, new_keys, save_keys
from kiosk.locale import render


class Head:
    """Enrolment offers of a head with a real server, a real store and a real key file."""

    def __init__(self, folder: Path) -> None:
        save_keys(folder / "keys.json", new_keys([1]))
        self.file = folder / "keys.json"
        self.ring = KeyRing(self.file)
        self.store = Store(folder / "head")
        self.link = LinkEndpoint(MemoryCollector({}))
        self.returned = ReplacedDevices(self.store, self.ring)
        self.tables: list[int] = []
        self.enrolments = Enrolments(self.store, self.ring, self.link, self.returned, on_table=self.tables.append)
        self._listener = socket.create_server(("127.0.0.1", 0))
        app = Starlette(routes=[WebSocketRoute("/enrol", self.enrolments)])
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws="websockets-sansio"))
        self._thread = threading.Thread(target=self._server.run, args=([self._listener],), daemon=True)
        self._thread.start()
        until(lambda: self._server.started)

    def connect(self) -> ClientConnection:
        return connect(f"ws://127.0.0.1:{self._listener.getsockname()[1]}/enrol", proxy=None, close_timeout=1)

    def close(self) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(HANGS_S)
        self._listener.close()
        self.link.close()
        self.store.close()

    def trail(self) -> list[tuple[str, str]]:
        return [(event.kind, event.person) for event in self.store.operator_events()]


@pytest.fixture
def head(tmp_path: Path) -> Iterator[Head]:
    made = Head(tmp_path)
    yield made
    made.close()


def received_frame(line: ClientConnection) -> bytes:
    frame = line.recv(20)
    assert isinstance(frame, bytes)
    return frame


def say(line: ClientConnection, table: TableEnrolment) -> None:
    for frame in table.outgoing():
        line.send(frame)


def to_the_code(line: ClientConnection, table: TableEnrolment) -> None:
    for _ in range(2):
        say(line, table)
        table.receive(received_frame(line))


@contextmanager
def offered(head: Head, wish: int = 0) -> Iterator[tuple[ClientConnection, TableEnrolment]]:
    """Yield a table that shows its code, and its connection to the head."""
    with head.connect() as line:
        table = TableEnrolment(wish)
        to_the_code(line, table)
        yield line, table


def press(line: ClientConnection, table: TableEnrolment) -> None:
    """Press both buttons: the codes are equal."""
    table.agree()
    say(line, table)


def all_of_it(line: ClientConnection, table: TableEnrolment) -> GrantedKey:
    while (given := table.receive(received_frame(line))) is None:
        pass
    return given


def test_a_key_needs_approval_at_the_page_and_at_the_table(head: Head) -> None:
    with offered(head, 5) as (line, table):
        waiting = head.enrolments.find(table.name[:8].lower())
        full_width = "".join(chr(ord(letter) + 0xFEE0) for letter in table.name[:8])
        assert head.enrolments.find(f"{full_width[:4]}ー{full_width[4:]}") is waiting
        assert (waiting.enrolment.code, waiting.enrolment.wish) == (table.code, 5)
        with pytest.raises(Conflict, match="set to be table 5, not 6"):
            head.enrolments.approve(table.name, 6, False)
        press(line, table)
        until(lambda: waiting.enrolment.agreed)
        assert 5 not in load_keys(head.file), "nobody at the page has said so yet"
        with as_user("審判 A"):
            head.enrolments.approve(table.name, 5, False)
        given = all_of_it(line, table)
        assert given == GrantedKey(5, load_keys(head.file)[5], "", ())
        table.done()
        say(line, table)
        with pytest.raises(ConnectionClosed) as ended:
            received_frame(line)
    assert ended.value.rcvd.code == 1000
    assert head.tables == [5]
    assert head.trail() == [("device-enrolled", "審判 A")]
    [event] = head.store.operator_events()
    assert (event.body["table"], event.body["check"]) == (5, check_word(given.key))
    assert given.key.hex() not in str(event.body)
    with pytest.raises(Conflict, match="is no longer waiting"):
        head.enrolments.approve(table.name, 5, True)


def test_an_offer_is_used_once(head: Head) -> None:
    table = TableEnrolment()
    [offer] = table.outgoing()
    with head.connect() as first:
        first.send(offer)
        received_frame(first)
        with head.connect() as second:
            second.send(offer)
            with pytest.raises(ConnectionClosed):
                received_frame(second)
    with head.connect() as third, pytest.raises(ConnectionClosed):
        third.send(offer)
        received_frame(third)


def test_an_offer_without_approval_expires(head: Head, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "OFFER_S", 0.3)
    with offered(head) as (line, table), pytest.raises(ConnectionClosed) as ended:
        received_frame(line)
    assert ended.value.rcvd.code == module.CODE_EXPIRED
    assert str(head.enrolments.find(table.name).problem) == "nobody approved it in time"
    with pytest.raises(Conflict):
        head.enrolments.approve(table.name, 2, False)
    assert head.trail() == []


def test_the_number_of_offers_is_bounded(head: Head, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FROM_ADDRESS", 2)
    with head.connect(), head.connect(), head.connect() as third:
        with pytest.raises(ConnectionClosed) as ended:
            received_frame(third)
        assert ended.value.rcvd.code == module.CODE_BUSY


def test_a_table_with_a_device_is_not_replaced_by_mistake(head: Head) -> None:
    before = load_keys(head.file)[1]
    with offered(head) as (_, table):
        with pytest.raises(Conflict, match="table 1 has a device already"):
            head.enrolments.approve(table.name, 1, False)
        for number in (0, 70_000):
            with pytest.raises(HeadError, match="numbers go from 1"):
                head.enrolments.approve(table.name, number, True)
    assert load_keys(head.file)[1] == before


def test_a_number_is_reserved_by_its_approval(head: Head) -> None:
    """Of two devices that are approved as one table before a button is pressed, only the one that the arbiter named as
    the replacement gets the key."""
    with offered(head) as (one, first), offered(head) as (other, second):
        head.enrolments.approve(first.name, 5, False)
        head.enrolments.approve(first.name, 5, False)  # pressed twice at the page
        with pytest.raises(Conflict, match="table 5 has a device already"):
            head.enrolments.approve(second.name, 5, False)
        head.enrolments.approve(second.name, 5, True)
        press(one, first)
        with pytest.raises(ConnectionClosed):
            all_of_it(one, first)
        assert str(head.enrolments.find(first.name).problem) == "another device takes the place of table 5"
        press(other, second)
        assert all_of_it(other, second).key == load_keys(head.file)[5]


def test_a_number_that_has_a_device_meanwhile_is_not_used_again(head: Head) -> None:
    with offered(head) as (line, table):
        head.enrolments.approve(table.name, 5, False)
        head.ring.put(5, bytes(32))
        press(line, table)
        with pytest.raises(ConnectionClosed):
            all_of_it(line, table)
    assert load_keys(head.file)[5] == bytes(32)


@pytest.mark.parametrize("letters", ["", "ABC", "ABCDEFGH", "%%%%%%%%"])
def test_wrong_letters_show_no_offer(head: Head, letters: str) -> None:
    with head.connect() as line:
        to_the_code(line, TableEnrolment())
        with pytest.raises(NotFound, match="no waiting device has these letters"):
            head.enrolments.find(letters)


@pytest.mark.parametrize("frame", [b"", b"OTHt" + bytes(60), b"\\xff" * 300])
def test_an_invalid_message_ends_only_its_connection(head: Head, frame: bytes) -> None:
    with head.connect() as line, pytest.raises(ConnectionClosed):
        line.send(frame)
        received_frame(line)
    assert head.enrolments._waiting == []


def test_the_key_of_a_device_that_disconnected_is_stored(head: Head) -> None:
    """The page does not report success, and the arbiter repeats the enrolment."""
    with offered(head) as (line, table):
        press(line, table)
        head.enrolments.approve(table.name, 9, False)
        all_of_it(line, table)
    until(lambda: not head.enrolments._waiting)
    assert str(head.enrolments.find(table.name).problem) == "the device went away"
    assert head.trail()[0][0] == "device-enrolled"


def records_of(devices: ReplacedDevices) -> list[TableRecord]:
    """Return the records that replaced devices sent."""
    return [record for records in devices._unseen.values() for record in records]


def test_a_replaced_devices_records_are_kept_in_order_once_and_listed(tmp_path: Path, head: Head) -> None:
    body: dict[str, Any] = {"table": 1, "epoch": "e", "have": 2, "game": "g", "move": 7, "at": "12:03:20", "missing": 3}
    head.returned.apply_enrolment(body)
    [told] = head.returned.notices()
    ja, en = render(told, "ja"), render(told, "en")
    assert "up to move 7 (last heard 12:03:20)" in en and "at least 3 more records" in en
    assert "7手目(最後の記録 12:03:20)まで" in ja and "少なくとも3件" in ja
    records = [TableRecord(seq, "event", {"n": seq}) for seq in range(1, 6)]
    assert head.returned.last_committed_seq(1, "e") == 2
    assert head.returned.commit(1, "e", records[3:]) == 2, "a gap"
    assert head.returned.commit(1, "e", records[:4]) == 4
    assert head.returned.commit(1, "e", records) == 5
    assert head.returned.commit(1, "e", records) == 5
    assert [record.seq for record in records_of(head.returned)] == [3, 4, 5]
    assert "handed in 3 records" in str(head.returned.notices()[0])
    again = ReplacedDevices(head.store, head.ring)
    assert [record.seq for record in records_of(again)] == [3, 4, 5], "from the audit trail"
    over = ReplacedDevices(head.store, head.ring, is_open=lambda game: False)
    over.apply_enrolment(body)
    assert over.notices() == []


def test_only_missing_records_of_a_manually_replaced_device_are_kept(head: Head) -> None:
    """After ``kiosk keys new --rotate`` and ``kiosk journal rebuild`` the spare's records have the numbers of the old
    ones."""
    old = [TableRecord(seq, "event", {"n": seq}) for seq in range(1, 8)]
    spares = [*old[:4], *(TableRecord(seq, "event", {"spare": seq}) for seq in range(5, 10))]
    head.store.commit_records(1, "e", spares).result()
    assert head.returned.last_committed_seq(1, "e") == 0
    assert head.returned.commit(1, "e", old[:3]) == 3
    assert head.trail() == []
    assert head.returned.commit(1, "e", old) == 7
    assert records_of(head.returned) == old[4:]
    assert "handed in 3 records" in str(head.returned.notices()[0])


def test_a_spare_continues_the_tables_journal_and_not_a_forged_one(head: Head) -> None:
    """Whoever had the table's key wrote last, about games of other tables, unknown games, a game assigned later, or
    only the last two (simulated day 60199). A restored head knows no game and takes the newest journal."""
    seats = {"own": 1, "other": 2, "later": 1}

    def given(seq: int, game: object) -> TableRecord:
        return TableRecord(seq, "assigned", {"assignment": game if game is None else {"game": game}})

    own = [given(1, "own"), TableRecord(2, "event", {"n": 2}), given(3, "later")]
    lies = [given(1, "other"), given(2, "next"), given(3, 7), given(4, None)]
    head.store.commit_records(1, "table", own).result()
    head.store.commit_records(1, "thief", [*lies, given(5, "later")]).result()
    enrolments = Enrolments(head.store, head.ring, head.link, head.returned, seat_of=seats.get)
    assert enrolments._journal_of(1) == ("table", own)
    head.store.commit_records(1, "clever thief", [given(1, "later"), given(2, "next")]).result()
    assert enrolments._journal_of(1) == ("table", own)
    head.store.commit_records(3, "thief", lies).result()
    assert enrolments._journal_of(3) == ("", [])
    assert head.enrolments._journal_of(1)[0] == "clever thief"


@pytest.mark.parametrize(("sent", "is_the_same"), [(0, True), (2, True), (3, False), (None, False)])
def test_a_spare_does_not_continue_a_journal_that_is_longer_at_the_federation(
    head: Head, sent: int | None, is_the_same: bool
) -> None:
    """If a restored head has less of a journal than the federation, a spare that continued it would write other
    records under the same numbers."""
    records = [TableRecord(1, "assigned", {"assignment": {"game": "own"}}), TableRecord(2, "event", {"n": 2})]
    head.store.commit_records(1, "table", records).result()
    head.enrolments._sent = lambda table, epoch: sent if (table, epoch) == (1, "table") else 0
    with offered(head) as (line, table):
        press(line, table)
        head.enrolments.approve(table.name, 1, True)
        given = all_of_it(line, table)
    assert (given.epoch == "table", list(given.records)) == (is_the_same, records)
    assert head.store.last_committed_seq(1, given.epoch) == 2, "as the device believes"
    assert head.store.operator_events()[-1].body["epoch"] == "table", "what the old device may hand in later"


def test_two_simultaneous_approvals_give_one_key(head: Head) -> None:
    with offered(head) as (line, table):
        press(line, table)
        threads = [threading.Thread(target=head.enrolments.approve, args=(table.name, 3, True)) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all_of_it(line, table).table == 3
    assert [kind for kind, _ in head.trail()] == ["device-enrolled"]
