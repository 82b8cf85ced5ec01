"""Tests of old copies of a venue's disk, two machines with one key, and repeated pushes: reported at both ends,
nothing lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from heads.venue_pushes import Federation, push_all

from kiosk.head.federation.federation_push_thread_and_outbox import Pusher
from kiosk.head.store import Store
from kiosk.head.store.store_rows import LIFE_BEGUN


@dataclass
class Machine:
    """A venue's store and pusher, connected to a federation in this process; its pushes are recorded."""

    federation: Federation
    store: Store
    pusher: Pusher
    sent: list[bytes]

    @classmethod
    def start(cls, federation: Federation, folder: Path) -> Machine:
        store, sent = Store(folder), list[bytes]()

        def answer(request: httpx.Request) -> httpx.Response:
            sent.append(request.content)
            return federation.answer(request)

        return cls(federation, store, federation.pusher(store, folder.parent, answer=answer), sent)

    def say(self, *words: str) -> None:
        for word in words:
            self.store.append("order-given", {"said": word}).result(5)

    def push_all(self) -> None:
        push_all(self.pusher)

    def stop(self) -> None:
        self.pusher.close()
        self.store.close()


@pytest.fixture
def federation(tmp_path: Path) -> Iterator[Federation]:
    opened = Federation.open(tmp_path / "federation")
    yield opened
    opened.close()


def _trail_lengths(federation: Federation) -> list[tuple[str, int]]:
    """Return every life of osaka with its length."""
    return sorted((one.trail, one.entries) for one in federation.collector.trail_summaries(federation.venue()))


@pytest.mark.parametrize("typed_since", [(), ("other 4",), ("other 4", "other 5", "other 6", "other 7")])
def test_an_old_disk_image_is_reported_at_both_ends(
    tmp_path: Path, federation: Federation, typed_since: tuple[str, ...]
) -> None:
    """A disk image with three entries is restored when the federation has five: the numbers may agree, the hashes do
    not. Both lives are kept, and a person decides that the event continues here."""
    venue = Machine.start(federation, tmp_path / "osaka")
    venue.say("1", "2", "3")
    venue.push_all()
    venue.stop()
    shutil.copytree(tmp_path / "osaka", tmp_path / "image")
    venue = Machine.start(federation, tmp_path / "osaka")
    venue.say("4", "5")
    venue.push_all()
    assert venue.pusher.sentence() is None and not federation.venue().last_contact.own  # type: ignore[union-attr]
    venue.stop()

    venue = Machine.start(federation, tmp_path / "image")
    trail = venue.store.trail
    venue.say(*typed_since)
    venue.push_all()
    other, heard = venue.pusher.status.other, federation.venue().last_contact
    assert other is not None and other.last == 5 and "a different history" in str(venue.pusher.sentence())
    assert heard is not None and heard.own == 3 + len(typed_since)
    assert _trail_lengths(federation) == [(trail, 5)] and not venue.pusher.status.refused

    venue.pusher.begin_life("the card was broken; the copy of Friday")
    venue.push_all()
    assert venue.pusher.sentence() is None
    mine = 3 + len(typed_since) + 1  # and the entry that says so
    assert venue.store.operator_events()[-1].kind == LIFE_BEGUN
    assert sorted(_trail_lengths(federation)) == sorted([(trail, 5), (venue.store.trail, mine)])
    heard = federation.venue().last_contact
    assert heard is not None and (heard.trail, heard.own) == (venue.store.trail, 0)
    venue.stop()
    again = Machine.start(federation, tmp_path / "image")  # and it stays so
    again.push_all()
    assert again.store.trail == venue.store.trail and again.pusher.sentence() is None
    again.stop()


def test_two_machines_with_one_key_are_reported_at_both_ends(tmp_path: Path, federation: Federation) -> None:
    """It does not matter whether they have separate stores or copies of one; a machine that was only restarted is
    not reported."""
    first = Machine.start(federation, tmp_path / "first")
    first.say("1")
    first.push_all()
    first.stop()
    first, second = Machine.start(federation, tmp_path / "first"), Machine.start(federation, tmp_path / "second")
    second.say("other 1", "other 2")
    for machine in (first, second):
        machine.push_all()
        assert not machine.pusher.status.machines and not federation.collector.has_two_senders(federation.venue())
    for machine in (first, second):
        machine.push_all()
        assert machine.pusher.status.machines and "Another machine" in str(machine.pusher.sentence())
        assert federation.collector.has_two_senders(federation.venue())
    assert [entries for _, entries in sorted(_trail_lengths(federation), key=lambda one: one[1])] == [1, 2]
    first.stop()
    federation.collector._monotonic_s = lambda: 10**9
    second.push_all()
    assert not second.pusher.status.machines and not federation.collector.has_two_senders(federation.venue())
    second.stop()


def test_a_replayed_push_changes_nothing(tmp_path: Path, federation: Federation) -> None:
    """A push repeated by a third party changes nothing, and its earlier refusal is not reported again."""
    venue = Machine.start(federation, tmp_path / "osaka")
    venue.say("1", "2")
    venue.push_all()
    venue.say("3")
    venue.push_all()
    known = federation.venue()
    before, heard, rows = known.state, known.last_contact, federation.rows("osaka")
    for body in venue.sent:
        answer = federation.send("osaka", body)
        assert not answer.counted and answer.events == 3
    assert federation.venue().last_contact is heard and known.state is before and federation.rows("osaka") == rows
    assert not known.rejections and not federation.collector.has_two_senders(known)
    venue.say("4")
    venue.push_all()  # the venue itself continues
    assert _trail_lengths(federation)[0][1] == 4 and known.last_contact is not heard
    venue.stop()
