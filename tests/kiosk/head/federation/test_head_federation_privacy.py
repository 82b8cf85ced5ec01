"""Tests of data that a venue does not send, and of anonymised persons: hash chains stay valid."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from heads.process import kiosk
from heads.staff import first_chief, token
from heads.venue_pushes import KEY, STORY, Federation, posted, push_all, push_of, record, rows_of, served_federation
from sqlalchemy import text

from kiosk.head.federation import venue_row_store
from kiosk.head.head_config import LeaveOut
from kiosk.head.store import Store

PLAYERS = [
    {"id": f"p{n}", "name": f"選手{n}", "kana": f"せんしゅ{n}", "grade": "1d", "birth_year": 1990, "club": "架空クラブ"}
    for n in range(1, 9)
]
CREATED = STORY[0][1] | {"event": STORY[0][1]["event"] | {"players": PLAYERS}}
#: a misspelt name is corrected; then another field of the same player is changed
DAY: tuple[tuple[str, Any], ...] = (
    ("event-created", CREATED),
    ("player-changed", {"player": "p3", "fields": {"name": "架空 太郎"}}),
    ("player-changed", {"player": "p3", "fields": {"kana": "かくう たろう", "remark": "車いす"}}),
    ("session-started", {"account": "審判長", "device": "d1", "address": "192.168.1.20"}),
)
SECRET = ("架空 太郎", "かくう たろう", "車いす", "せんしゅ3")


@pytest.fixture
def federation(tmp_path: Path) -> Iterator[Federation]:
    opened = Federation.open(tmp_path / "federation")
    yield opened
    opened.close()


def _sent(federation: Federation, folder: Path, leave_out: list[LeaveOut]) -> str:
    """Return what a venue with these settings sends of its day, as received."""
    store = Store(folder / "osaka")
    for kind, body in DAY:
        store.append(kind, body).result(5)
    store.commit_records(1, "e", [record(1), record(2, type="event", square="f5")]).result(5)  # type: ignore[list-item]
    bodies: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)
        return federation.answer(request)

    pusher = federation.pusher(store, folder, leave_out, answer)
    push_all(pusher)
    assert not pusher.status.refused and pusher.status.waiting == 0
    pusher.close()
    store.close()
    said = json.dumps([msgspec.msgpack.decode(body) for body in bodies], ensure_ascii=False)
    return re.sub(r'"[0-9a-f]{16,}"', '"…"', said)  # a hash or a random name may contain any year


def test_a_venue_sends_only_what_its_settings_allow(tmp_path: Path, federation: Federation) -> None:
    said = _sent(federation, tmp_path, ["staff", "moves", "birth_year", "kana", "remark"])
    for left in ("1990", "せんしゅ", "かくう", "車いす", "192.168.1.20", "審判長", '"f5"'):
        assert left not in said, left
    for there in ("選手1", "架空クラブ", "1d", "session-started"):
        assert there in said, there
    with federation.store.reading() as connection:
        assert list(venue_row_store.find_broken_chains(connection)) == []
    venue = federation.venue()
    assert venue.events == 4 and venue.records == 2 and not venue.state.aside
    assert venue.state.first.players()["p3"].name == "架空 太郎"


def test_a_venue_without_restrictions_sends_everything(tmp_path: Path, federation: Federation) -> None:
    said = _sent(federation, tmp_path, [])
    assert all(word in said for word in ("1990", "せんしゅ3", "192.168.1.20", '"f5"')) and "left_out" not in said


@pytest.mark.parametrize("before", [True, False])
def test_an_anonymised_person_is_removed_and_hash_chains_stay_valid(
    tmp_path: Path, federation: Federation, before: bool
) -> None:
    """The person is anonymised before or after the rows arrive, also under an earlier spelling of the name and after
    a restart. Two records of the table contain the name as well."""
    collector = federation.collector
    story = rows_of(DAY)
    named = [record(1, type="assigned", black="架空 太郎", white="選手4"), record(2, said={"name": "架空太郎"})]
    if before:
        collector.anonymise("架空 太郎", "he asked for it")
    for row in story:
        assert federation.push("osaka", [row]).refused is None
    assert federation.push("osaka", [], named).refused is None
    if not before:
        collector.anonymise("架空太郎", "he asked for it")

    def shown(federation: Federation) -> str:
        venue = federation.venue()
        with federation.store.reading() as connection:
            read = (
                venue_row_store.events_of(connection, "osaka", "trail"),
                venue_row_store.records_of(connection, "osaka", [""], types=["assigned", "card"]),
            )
            game = list(venue_row_store.present_game(connection, "osaka", 1, [""]))
            assert list(venue_row_store.find_broken_chains(connection)) == []
        return repr((venue.state, read, game, federation.collector.venue_after_trail(venue, "trail").state))  # type: ignore[union-attr]

    for word in SECRET:
        assert word not in shown(federation), word
    assert "選手4" in shown(federation) and "N.N. " in shown(federation)
    trail = repr(federation.store.operator_events())
    assert "架空" not in trail and "he asked for it" in trail
    stored = repr(federation.rows("osaka"))
    assert all(word in stored for word in ("架空 太郎", "車いす"))  # as sent: the chain is complete
    federation.close()
    again = Federation.open(tmp_path / "federation")
    assert all(word not in shown(again) for word in SECRET)
    again.close()


def test_the_chief_anonymises_a_person(tmp_path: Path) -> None:
    with served_federation(tmp_path / "f") as (head, url), httpx.Client(base_url=url) as web:
        posted(url, KEY, push_of("osaka", rows_of(DAY)))
        first_chief(web, head.access.setup_code)
        assert "架空 太郎" in httpx.get(f"{url}/venues/osaka").text
        form = {"csrf": token(web), "password": "", "name": "架空　太郎", "reason": "asked"}
        assert web.post("/venue/anonymous", data=form | {"name": ""}).status_code == 400
        assert web.post("/venue/anonymous", data=form).status_code == 303
        assert web.post("/venue/anonymous", data=form).status_code == 409
        for page in ("/venues", "/venues/osaka", "/venues/osaka/life/trail", "/audit"):
            assert "架空 太郎" not in web.get(page).text, page
        assert "N.N. " in httpx.get(f"{url}/venues/osaka/life/trail").text


def test_a_venues_broken_chain_is_named(tmp_path: Path, federation: Federation) -> None:
    """If somebody with the federation's disk changes a venue's entry, ``kiosk audit verify`` names venue and entry."""
    assert federation.push("osaka", rows_of(DAY)).refused is None
    assert federation.push("sapporo", rows_of(DAY)).refused is None
    data = tmp_path / "federation/data"
    assert kiosk("audit", "verify", data).returncode == 0

    def job(connection: Any) -> None:
        connection.execute(text("DROP TRIGGER venue_events_no_update"))
        connection.execute(text("UPDATE venue_events SET person = 'x' WHERE venue = 'osaka' AND number = 3"))

    federation.store.writer.submit(job).result(5)
    found = kiosk("audit", "verify", data, "--json")
    assert found.returncode == 1
    assert json.loads(found.stdout)["broken_venues"] == [{"venue": "osaka", "trail": "trail", "first_broken": 3}]
    assert "entry 3 of osaka" in kiosk("audit", "verify", data).stdout


def test_an_unmarked_entry_must_have_a_matching_hash(federation: Federation) -> None:
    """Only a row that is marked as reduced is accepted by the venue's seal, and only if the mark fits."""
    first, second = rows_of(DAY)[:2]
    bent = msgspec.structs.replace(second, person="somebody else")
    assert "does not fit" in str(federation.push("osaka", [first, bent]).refused)
    marked = msgspec.structs.replace(second, body={**second.body, "left_out": True})
    elsewhere = msgspec.structs.replace(marked, previous="0" * 64)
    assert "does not fit" in str(federation.push("osaka", [first, elsewhere]).refused)
    no_hash = msgspec.structs.replace(marked, hash="x")
    assert "does not fit" in str(federation.push("osaka", [first, no_hash]).refused)
    assert federation.push("osaka", [first, marked]).events == 2
