"""Tests of a federation: venue heads push their rows to a head, and both ends report the progress."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from heads.process import kiosk
from heads.venue_pushes import mock_client, post_push, posted, push_of, record, rows_of
from heads.world import PlayedTable, quick_card, running_head
from waiting import HANGS_S, until

from kiosk.errors import InputError
from kiosk.head.backup.restore import restore
from kiosk.head.backup.signed_backup_creation import back_up
from kiosk.head.federation import federation_push_thread_and_outbox as pusher_module
from kiosk.head.federation.federation_push_thread_and_outbox import Pusher
from kiosk.head.federation.push_protocol import (
    LENGTH_SEAL_HEADER,
    PATH,
    SEAL_HEADER,
    VENUE_HEADER,
    length_seal,
    read_push,
    sealed_by,
    sign,
)
from kiosk.head.federation.venue_keys import load_venue, load_venues, new_key, save_venues
from kiosk.head.head_config import FederationConfig
from kiosk.head.program import HeadApplication
from kiosk.head.store import Store
from kiosk.link.table_keys import save_keys


@dataclass
class Venue:
    """A venue's head with its tables."""

    program: HeadApplication
    tables: list[PlayedTable]
    url: str

    def round(self, but: int = 0) -> None:
        """Publish a round and submit the cards of all games but ``but``."""
        desk = self.program.desk
        desk.rounds.publish(desk.rounds.draft().digest)
        for table in self.tables:
            for command in table.execute_commands():
                if command.kind == "assign" and table.number > but:
                    table.send("card", quick_card(command, 24 + 2 * table.number))
        desk.process_pending()

    @property
    def sent(self) -> Any:
        assert self.program.remote.pusher is not None
        return self.program.remote.pusher.status


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the intervals between a venue's pushes and attempts."""
    monkeypatch.setattr(pusher_module, "LOOK_S", 0.05)
    monkeypatch.setattr(pusher_module, "RETRY_S", 0.1)
    monkeypatch.setattr(pusher_module, "BATCH", 20)


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    made = {name: new_key() for name in ("osaka", "sapporo")}
    save_venues(tmp_path / "venues.json", made)
    for name, key in made.items():
        save_venues(tmp_path / f"{name}.json", {name: key})
    return tmp_path / "venues.json"


Federations = Callable[[], Any]


on_postgresql = pytest.mark.parametrize("federation", ["postgresql"], indirect=True)


@pytest.fixture
def federation(tmp_path: Path, keys: Path, request: pytest.FixtureRequest) -> Federations:
    """Start the federation's head; the second call uses the same database."""
    url = request.getfixturevalue("postgres").new() if hasattr(request, "param") else ""
    port = 0

    @contextmanager
    def start() -> Iterator[tuple[HeadApplication, str]]:
        nonlocal port
        with running_head(tmp_path / "federation", tables=0, event=None, store=url, venues=keys, port=port) as (
            program,
            address,
        ):
            port = int(address.rpartition(":")[2])
            yield program, address

    return start


@contextmanager
def _venue(directory: Path, name: str, keys: Path, url: str) -> Iterator[Venue]:
    config = FederationConfig(url, name, keys.with_name(f"{name}.json"))
    with running_head(directory, tables=8, federation=config) as (program, address):
        yield Venue(program, [PlayedTable(number, program.devices.collection) for number in range(1, 9)], address)


def _rows(program: HeadApplication, venue: str) -> tuple[int, int]:
    found = program.remote.federation.collector.venue(venue)
    assert found is not None
    return found.events, found.records


def _all_there(federation: HeadApplication, venue: Venue, name: str) -> Callable[[], bool]:
    store = venue.program.store
    return lambda: _rows(federation, name) == (len(store.operator_events()), len(list(store.records())))


@on_postgresql
def test_two_venues_play_and_the_federation_follows(tmp_path: Path, federation: Federations, keys: Path) -> None:
    with (
        federation() as (head, url),
        _venue(tmp_path / "osaka", "osaka", keys, url) as osaka,
        _venue(tmp_path / "sapporo", "sapporo", keys, url) as sapporo,
    ):
        osaka.round()
        osaka.round(but=2)
        osaka.tables[0].play(12)
        sapporo.round()
        until(_all_there(head, osaka, "osaka"))
        until(_all_there(head, sapporo, "sapporo"))
        until(lambda: osaka.sent.waiting == 0 and osaka.sent.last_at != "" and not osaka.sent.trouble)
        for name, venue in (("osaka", osaka), ("sapporo", sapporo)):
            found = head.remote.federation.collector.venue(name)
            # the same events give the same state
            assert found and found.state.divisions == venue.program.desk.state.divisions
            assert found.last_contact and not found.rejections and not found.state.aside
        with httpx.Client(base_url=url) as web:
            page = web.get("/venues?lang=en").text
            assert "osaka" in page and "sapporo" in page and "Round 2" in page and "everything is here" in page
            one = web.get("/venues/osaka?lang=en").text
            assert "Tables in play" in one and one.count('class="board"') == 2 and "青木 みどり" in one
            assert web.get("/venues/nowhere").status_code == 404
            assert "IM-" not in page + one
        own = httpx.get(f"{osaka.url}/venues?lang=en").text
        assert "Sending to the federation" in own and url in own


def test_a_venue_sends_missing_rows_after_a_long_disconnection(
    tmp_path: Path, federation: Federations, keys: Path
) -> None:
    with federation() as (head, url), _venue(tmp_path / "osaka", "osaka", keys, url) as osaka:
        osaka.round()
        until(_all_there(head, osaka, "osaka"))
    with _venue(tmp_path / "osaka", "osaka", keys, url) as osaka:  # the network fails here
        osaka.tables = [replace(table, collection=osaka.program.devices.collection) for table in osaka.tables]
        for table in osaka.tables:
            table.seq = osaka.program.store.last_committed_seq(table.number, table.epoch)
        osaka.round()
        until(lambda: "does not answer" in str(osaka.sent.trouble))
        osaka.round()  # no act waits for the network
        with federation() as (head, _):
            known = head.remote.federation.collector.venue("osaka")
            assert known and len(known.state.first.rounds) == 1  # the number of rows there is known at once
            until(_all_there(head, osaka, "osaka"))
            until(lambda: not osaka.sent.trouble and osaka.sent.waiting == 0)
            assert known.state.divisions == osaka.program.desk.state.divisions


def test_a_restored_venue_continues_under_a_new_trail(tmp_path: Path, federation: Federations, keys: Path) -> None:
    """Its audit trail continues from the backup and differs from the lost one; both are kept."""
    with federation() as (head, url):
        with _venue(tmp_path / "osaka", "osaka", keys, url) as osaka:
            osaka.round()
            back_up(tmp_path / "osaka/data", tmp_path / "stick.backup")
            osaka.round()
            until(_all_there(head, osaka, "osaka"))
        (tmp_path / "osaka/data").rename(tmp_path / "lost")
        restore(tmp_path / "stick.backup", tmp_path / "osaka/data")
        with _venue(tmp_path / "osaka", "osaka", keys, url) as osaka:
            until(lambda: osaka.sent.last_at != "" and osaka.sent.waiting == 0)
            assert not osaka.sent.refused
            found = head.remote.federation.collector.venue("osaka")
            assert found and found.state.divisions == osaka.program.desk.state.divisions


def _refusal(url: str, venue: str, key: bytes, *rows: Any) -> str:
    """Send rows; return why they are refused, if they are."""
    return str(posted(url, key, push_of(venue, *rows)).refused or "")


def test_a_venue_is_authenticated_before_its_body_is_read(federation: Federations, keys: Path) -> None:
    key, large = load_venue(keys, "osaka"), 1_000_000

    def answer_before_the_body(url: str, wait_s: float = HANGS_S, **headers: str) -> int | None:
        """Return the status of a push of which only the headers were sent; None if the head waits for the body."""
        host, port = url.removeprefix("http://").split(":")
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        with socket.create_connection((host, int(port)), timeout=wait_s) as one:
            one.sendall(f"POST {PATH} HTTP/1.1\r\nHost: head\r\nContent-Length: {large}\r\n{lines}\r\n".encode())
            with contextlib.suppress(TimeoutError):
                return int(one.recv(12).split()[1])
        return None

    with federation() as (_, url):
        assert answer_before_the_body(url) == 403
        assert answer_before_the_body(url, **{VENUE_HEADER: "nowhere"}) == 403
        osaka = {VENUE_HEADER: "osaka"}
        assert answer_before_the_body(url, **osaka) == 413, "an older venue sends less when it is told so"
        assert answer_before_the_body(url, **osaka, **{LENGTH_SEAL_HEADER: length_seal(new_key(), large)}) == 413
        assert answer_before_the_body(url, **osaka, **{LENGTH_SEAL_HEADER: length_seal(key, large - 1)}) == 413
        assert answer_before_the_body(url, 0.3, **osaka, **{LENGTH_SEAL_HEADER: length_seal(key, large)}) is None
        body = bytes(large)
        whole = httpx.post(url + PATH, content=body, headers=sealed_by("osaka", key, body))
        assert whole.status_code == 400 and "same version" in whole.json()["error"], "it was read"
        for name, wrong in (("osaka", new_key()), ("sapporo", key), ("nowhere", key)):
            answer = post_push(url, name, wrong, b"")
            assert answer.status_code == 403 and "ask the federation for a key file" in answer.json()["error"]
        assert "infinite" in _refusal(url, "osaka", key, [], [record(1, n=float("inf"))])
        assert "infinite" in httpx.get(f"{url}/venues?lang=en").text


def test_a_venue_accepts_answers_of_the_federation_only(tmp_path: Path, keys: Path) -> None:
    """An answer without the key cannot acknowledge a venue's rows."""

    def answer(request: httpx.Request) -> httpx.Response:
        push = read_push(request.content)
        body = msgspec.msgpack.encode({"events": 10**6, "records": [], "refused": None})
        return httpx.Response(200, content=body, headers={SEAL_HEADER: sign(new_key(), push.nonce, body)})

    store = Store(tmp_path / "data")
    store.append("note", {}).result(5)
    with pytest.raises(InputError, match="names no server"):
        Pusher(store, FederationConfig("https://federation..example", "osaka", keys.with_name("osaka.json")))
    made = Pusher(store, FederationConfig("http://federation.example", "osaka", keys.with_name("osaka.json")))
    made._client = mock_client(answer)
    with pytest.raises(ValueError, match="not from the federation"):
        made.push()
    made.close()
    store.close()


def test_keys_of_venues_are_made_listed_and_revoked(tmp_path: Path, federation: Federations, keys: Path) -> None:
    venue = partial(kiosk, "venue")
    with federation() as (_, url):
        out = tmp_path / "kyoto.json"
        assert venue("new", "kyoto", "--keys", keys, "--out", out).returncode == 0
        assert out.stat().st_mode & 0o777 == 0o600 and set(load_venues(keys)) == {"kyoto", "osaka", "sapporo"}
        key = load_venue(out, "kyoto")
        assert _refusal(url, "kyoto", key, rows_of()) == ""  # the head has read the file again
        again = venue("new", "kyoto", "--keys", keys, "--out", out)
        assert again.returncode == 2 and "--rotate" in again.stderr
        assert venue("revoke", "kyoto", "--keys", keys).returncode == 0
        assert post_push(url, "kyoto", key, b"").status_code == 403
        assert venue("list", "--keys", keys).stdout.split() == ["osaka", "sapporo"]
        assert venue("new", "Kyōto", "--keys", keys, "--out", out).returncode == 2


@on_postgresql
def test_a_federations_backup_holds_the_venues_rows(
    tmp_path: Path, federation: Federations, keys: Path, postgres: Any
) -> None:
    with federation() as (head, url):
        assert _refusal(url, "osaka", load_venue(keys, "osaka"), rows_of()[:1], [record(1)]) == ""
        save_keys(head.config.keys, {})
        back_up(head.config, tmp_path / "stick")
    restore(tmp_path / "stick", tmp_path / "spare", store=(spare := postgres.new()))
    store = Store(tmp_path / "spare", spare)
    with store.reading() as connection:
        for table in ("venue_events", "venue_records"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 1
    store.close()
