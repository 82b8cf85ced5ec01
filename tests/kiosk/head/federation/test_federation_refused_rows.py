"""Tests of a venue with a refused row: it blocks only the rows after it in its table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from heads.venue_pushes import Federation, mock_client, push_all

from kiosk.head.errors import HeadError
from kiosk.head.federation import push_protocol
from kiosk.head.federation.federation_push_thread_and_outbox import Pusher
from kiosk.head.store import Store
from kiosk.link.link_messages import TableRecord
from kiosk.locale import render


@dataclass
class Hall:
    """A venue's store and its pusher, connected to a federation in this process."""

    federation: Federation
    store: Store
    pusher: Pusher

    def records(self, table: int, *bodies: Any) -> None:
        have = self.store.last_committed_seq(table, "e")
        rows = [TableRecord(have + number, "card", body) for number, body in enumerate(bodies, start=1)]
        self.store.commit_records(table, "e", rows).result(5)

    def push_all(self) -> None:
        push_all(self.pusher)

    def there(self) -> tuple[int, dict[int, int]]:
        """Return how many rows the federation has by its database."""
        known = self.federation.push("osaka", trail=self.store.trail)
        return known.events, {table: seq for table, _, seq in known.records}

    def line(self, answer: Callable[[httpx.Request], httpx.Response]) -> None:
        self.pusher._client = mock_client(answer)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    federation = Federation.open(tmp_path / "federation")
    store = Store(tmp_path / "osaka")
    hall = Hall(federation, store, federation.pusher(store, tmp_path))
    for number in range(5):
        store.append("order-given", {"n": number}).result(5)
    yield hall
    hall.pusher.close()
    store.close()
    federation.close()


def test_a_refused_row_blocks_only_its_own_table(hall: Hall) -> None:
    """A table that sends false records does not block its venue; the desk names the row and the reason."""
    hall.records(1, {"n": 1}, {"n": float("nan")}, {"n": 3})
    hall.records(2, {"n": 1}, {"n": 2})
    hall.push_all()
    assert hall.there() == (5, {1: 1, 2: 2})
    (why,) = map(str, hall.pusher.status.refused)
    assert "record 2 of table 1 at osaka" in why and "infinite" in why
    told = hall.pusher.sentence()
    assert told is not None and why in render(told, "en") and why not in render(told, "ja")
    assert hall.pusher.status.waiting == 2
    hall.records(2, {"n": 3})
    hall.store.append("order-given", {"n": 6}).result(5)
    hall.push_all()
    assert hall.there() == (6, {1: 1, 2: 3})
    assert tuple(map(str, hall.federation.venue().rejections)) == (why,)


def test_a_row_that_cannot_be_written_is_named_at_the_venue(hall: Hall) -> None:
    hall.records(1, {"n": 1}, {"n": 2**70})
    hall.records(3, {"n": 1})
    hall.push_all()
    assert hall.there() == (5, {1: 1, 3: 1})
    (why,) = map(str, hall.pusher.status.refused)
    assert "record 2 of table 1" in why and "cannot be written" in why


def _limited(hall: Hall, most: int) -> list[int]:
    """Set up a proxy that accepts at most ``most`` bytes; return the sizes of the requests."""
    sizes: list[int] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sizes.append(len(request.content))
        return httpx.Response(413, text="<html>nginx</html>") if sizes[-1] > most else hall.federation.answer(request)

    hall.line(answer)
    return sizes


def test_batches_shrink_until_they_are_accepted(hall: Hall) -> None:
    for table in (1, 2):
        hall.records(table, *({"x": "y" * 2_000} for _ in range(60)))
    sizes = _limited(hall, 20_000)
    hall.push_all()
    assert hall.there() == (5, {1: 60, 2: 60})
    assert sum(size > 20_000 for size in sizes) <= 5 and not hall.pusher.status.refused


def test_a_row_too_large_for_the_proxy_is_named_and_the_others_are_sent(hall: Hall) -> None:
    hall.records(1, {"n": 1}, {"x": "y" * 30_000}, {"n": 3})
    hall.records(2, *({"n": number} for number in range(50)))
    _limited(hall, 20_000)
    hall.push_all()
    assert hall.there() == (5, {1: 1, 2: 50})
    (why,) = map(str, hall.pusher.status.refused)
    assert "record 2 of table 1" in why and "larger" in why and "url is" not in why


@pytest.mark.parametrize(("status", "blamed"), [(404, True), (413, False), (500, False), (502, False), (503, False)])
def test_a_wrong_url_is_reported_only_if_no_federation_answers(hall: Hall, status: int, blamed: bool) -> None:
    hall.line(lambda request: httpx.Response(status, text="<html>"))
    with pytest.raises(HeadError) as raised:
        hall.pusher.push()
    assert ("url is" in str(raised.value)) == blamed and str(status) in str(raised.value)


def test_different_clocks_are_reported_at_both_ends(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    hall.push_all()
    venue = hall.federation.venue()
    assert venue.last_contact and not venue.last_contact.clocks_differ
    assert not hall.pusher.status.clocks_differ
    monkeypatch.setattr(hall.store, "wall_clock", lambda: "2031-04-05T00:00:00.000+00:00")
    hall.push_all()
    assert venue.last_contact.clocks_differ and hall.pusher.status.clocks_differ
    assert venue.last_contact.ahead_s > push_protocol.CLOCK_S and -hall.pusher.status.ahead_s > push_protocol.CLOCK_S


def test_the_pusher_knows_how_many_records_the_federation_has(hall: Hall) -> None:
    """The number is unknown before the first answer and while no push arrives."""
    hall.records(3, {"n": 1}, {"n": 2})
    assert hall.pusher.has(3, "e") is None
    hall.push_all()
    assert (hall.pusher.has(3, "e"), hall.pusher.has(4, "e")) == (2, 0)
    hall.line(lambda request: httpx.Response(502))
    hall.records(3, {"n": 3})
    hall.pusher.turn()
    assert hall.pusher.has(3, "e") is None


def test_the_rows_that_wait_are_counted_while_no_push_arrives(hall: Hall) -> None:
    """Before the first answer all of them, after an answer those that came since."""
    hall.line(lambda request: httpx.Response(502))
    hall.records(3, {"n": 1}, {"n": 2})
    hall.pusher.turn()
    assert hall.pusher.status.waiting == len(hall.store.operator_events()) + 2
    hall.line(hall.federation.answer)
    hall.push_all()
    assert hall.pusher.status.waiting == 0
    hall.line(lambda request: httpx.Response(502))
    for number in (3, 4):
        hall.records(3, {"n": number})
        hall.pusher.turn()
    assert hall.pusher.status.waiting == 2
