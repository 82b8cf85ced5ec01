"""FAULTS.md 24 at the federation: a venue with a valid key sends arbitrary data.

Its pushes are those of a real venue, altered: bytes, values, numbers, correctly chained entries with impossible
content, repeated pushes. The federation's head must answer each with one sentence, stay alive, restart with the same
state, and keep every column of the other venues' rows.
"""

from __future__ import annotations

import logging
import shutil
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import httpx
import msgspec
import pytest
from faults.hostile_values import mutated
from faults.mutations import mutated_bytes, mutated_value
from heads.postgres import running_server
from heads.venue_pushes import AT, answered, push_of, rows_in, rows_of_store
from heads.world import PlayedTable, quick_card, running_head
from waiting import HANGS_S

from kiosk.head.errors import HeadError
from kiosk.head.event.act_types import SHAPES
from kiosk.head.federation.push_protocol import EventRow, Push, PushResponse, RecordRow, TrailHead, sign
from kiosk.head.federation.venue_keys import new_key, save_venues
from kiosk.head.federation.venue_row_validation import check
from kiosk.head.program import HeadApplication
from kiosk.head.store.hash_chain import append_link

#: pushes to one store, after which a fresh one is used
BLOCK = 10_000
QUIET = ("kyoto", "sapporo")
Story = tuple[list[EventRow], list[RecordRow]]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Return what a venue sends of two rounds on four tables, the second in play."""
    with running_head(tmp_path_factory.mktemp("venue"), tables=8) as (program, _):
        tables = [PlayedTable(number, program.devices.collection) for number in range(1, 9)]
        desk = program.desk
        for last in (False, True):
            desk.rounds.publish(desk.rounds.draft().digest)
            for table in tables:
                for command in table.execute_commands():
                    if command.kind == "assign" and not last:
                        table.send("card", quick_card(command, 24 + 2 * table.number))
                if last and table.number < 4:
                    table.play(6)
            desk.process_pending()
        return rows_of_store(program.store)


class MaliciousVenue:
    """A venue with the valid key that continues from what the federation has of it."""

    def __init__(self, program: HeadApplication, key: bytes, story: Story, random: Random) -> None:
        self._program, self._key, self._random = program, key, random
        self._events, self._records = story
        self._trail, self._trails, self._last = "trail-0", 0, None
        self._seqs: dict[tuple[int, str], int] = {}
        self._sent: list[bytes] = []
        self._ticket = ""
        self.outcomes: Counter[str] = Counter()

    def send(self) -> None:
        body = self._next()
        sealed = sign(self._key, "", body) if self._random.random() > 0.01 else "00"
        try:
            response, _ = self._program.remote.federation.collector.collect("osaka", sealed, body)
        except HeadError as error:
            assert len(str(error)) < 600, error
            self.outcomes["no push"] += 1
            return
        answer = msgspec.msgpack.decode(response, type=PushResponse)
        assert len(str(answer.refused)) < 600 and "\n" not in str(answer.refused), answer.refused
        self.outcomes["refused" if answer.refused else "taken"] += 1
        self._ticket = answer.ticket
        self._seqs = {(table, epoch): seq for table, epoch, seq in answer.records}
        if self._random.random() < 0.02:
            self._sent.append(body)

    def _next(self) -> bytes:
        match self._random.randrange(20):
            case kind if kind < 8:
                return mutated_bytes(self._honest(), self._honest(), self._random)
            case kind if kind < 16:
                return self._mutated_push()
            case 16 | 17:
                return self._chained()
            case 18:
                return self._false_record()
            case _:
                return self._random.choice(self._sent) if self._sent else self._honest()

    def _some(self) -> Push:
        at, of = self._random.randrange(len(self._events)), self._random.randrange(len(self._records))
        rows = self._events[at : at + self._random.randrange(3)], self._records[of : of + self._random.randrange(4)]
        return self._push(*rows, sent_at=AT)

    def _push(self, *rows: Any, **other: Any) -> Push:
        """Return a push of one machine that has read the last answer."""
        tells = self._random.random() < 0.2  # else a mismatch would begin another life, and not be refused
        there = self._last and tells and self._random.choice((self._last, self._random.choice(self._events)))
        stand = (
            TrailHead(max(there.number, self._last.number), there.number, there.hash) if there and self._last else None
        )
        return push_of(
            "osaka", *rows, trail=self._trail, sender="another-head", ticket=self._ticket, stand=stand, **other
        )

    def _honest(self) -> bytes:
        return msgspec.msgpack.encode(self._some())

    def _mutated_push(self) -> bytes:
        while True:
            push = msgspec.to_builtins(self._some())
            rows = {name: push[name] for name in ("events", "records")}
            # most mutations are in the rows: a push without its ticket is only a question
            mutate_all = self._random.random() < 0.3 or not any(rows.values())
            value = mutated_value(push, self._random) if mutate_all else push | _rows(mutated_value(rows, self._random))
            try:
                return msgspec.msgpack.encode(value)
            except (ValueError, OverflowError, TypeError, RecursionError):  # msgpack cannot encode it
                continue

    def _chained(self) -> bytes:
        """Return a push of correctly chained entries with arbitrary content."""
        if self._last is None or self._last.number > 60:
            self._trails, self._last = self._trails + 1, None
            self._trail = f"trail-{self._random.randrange(10**9)}-{self._trails}"
        rows: list[EventRow] = []
        for _ in range(self._random.randint(1, 4)):
            due = self._last.number if self._last else 0
            row = self._events[due % len(self._events)]
            kind, body = row.kind, dict(row.body)
            if due and self._random.random() < 0.6:
                row = self._random.choice(self._events)
                kind, body = row.kind, mutated(row.body, self._random)
                if self._random.random() < 0.2:
                    kind = self._random.choice([*SHAPES, "nothing", "order-given"])
            try:
                entry = append_link(self._last, AT, kind, body, "Lund")
                body = msgspec.msgpack.decode(msgspec.msgpack.encode(body))
            except (ValueError, OverflowError, TypeError, RecursionError):
                continue
            row = EventRow(entry.number, entry.at, entry.person, entry.kind, body, entry.previous, entry.hash)
            if _is_accepted(row):
                self._last = entry
                rows.append(row)
        return msgspec.msgpack.encode(self._push(rows))

    def _false_record(self) -> bytes:
        """Return the next record of a table, of an existing type with arbitrary content."""
        row, other = self._random.choice(self._records), self._random.choice(self._records)
        table, epoch = self._random.randint(1, 9), self._random.choice("ef")
        body = row.body if self._random.random() < 0.4 else mutated(row.body, self._random)
        type = row.type if self._random.random() < 0.9 else other.type
        false = RecordRow(
            table, epoch, self._seqs.get((table, epoch), 0) + 1, type, body, self._random.randint(1, 9999)
        )
        try:
            return msgspec.msgpack.encode(self._push((), [false]))
        except (ValueError, OverflowError, TypeError, RecursionError):
            return self._honest()


def _rows(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"events": value}


def _is_accepted(row: EventRow) -> bool:
    """Return whether the federation accepts the row, so that the chain goes on."""
    try:
        check(push_of("osaka", [row]))
    except HeadError:
        return False
    return True


def _start(folder: Path, store: str) -> Any:
    return running_head(folder, tables=0, event=None, store=store, venues=folder / "venues.json")


def _sent(program: HeadApplication, name: str, key: bytes, body: bytes) -> PushResponse:
    return msgspec.msgpack.decode(
        program.remote.federation.collector.collect(name, sign(key, "", body), body)[0], type=PushResponse
    )


def _pictures(program: HeadApplication) -> dict[str, Any]:
    venues = program.remote.federation.collector.venues()
    return {venue.name: (venue.state, venue.events, venue.records) for venue in venues}


def _pages(url: str) -> None:
    with httpx.Client(base_url=url, timeout=HANGS_S) as web:
        for page in ("/venues", "/venues?lang=en", "/venues/osaka", "/venues/sapporo", "/"):
            assert web.get(page).status_code == 200, page


def _attack_federation(folder: Path, url: str, story: Story, pushes: int, random: Random) -> Counter[str]:
    """Return the outcomes of pushes to a federation with an empty store."""
    folder.mkdir()
    keys = {name: new_key() for name in ("osaka", *QUIET)}
    save_venues(folder / "venues.json", keys)
    with _start(folder, url) as (program, address):
        for name in QUIET:
            answered(partial(_sent, program, name, keys[name]), push_of(name, *story))
        before = {name: rows_in(program.store, name) for name in QUIET}
        quiet = {name: picture for name, picture in _pictures(program).items() if name in QUIET}
        malicious_venue = MaliciousVenue(program, keys["osaka"], story, random)
        for number in range(pushes):
            malicious_venue.send()
            if number % 1_000 == 999:
                _pages(address)
        last = _pictures(program)
        _pages(address)
    with _start(folder, url) as (program, address):
        again = _pictures(program)
        assert {name: rows_in(program.store, name) for name in QUIET} == before
        assert {name: again[name] for name in QUIET} == quiet
        assert again["osaka"] == last["osaka"]
        _pages(address)
    return malicious_venue.outcomes


def _run_block(folder: Path, url: str, story: Story, pushes: int, seed: str) -> tuple[Counter[str], list[str]]:
    """Return the outcomes of one block of pushes, in any process, and every error that the head logged."""
    errors: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: errors.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    logging.disable(logging.WARNING)  # pytest stores all log records, which are many for a million pushes
    try:
        return _attack_federation(folder, url, story, pushes, Random(seed)), errors
    finally:
        logging.disable(logging.NOTSET)
        logging.getLogger().removeHandler(handler)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.fault(24, "a venue's valid key at the federation: mutated pushes, {outcomes}")
@pytest.mark.timeout(0)
def test_a_malicious_venue_harms_only_itself(
    tmp_path: Path,
    story: Story,
    times: Callable[[int, int], int],
    progress: Callable[[int, int], None],
    record_property: Callable[[str, object], None],
) -> None:
    """Blocks are independent, so that the long form runs a process on each core."""
    wanted, outcomes = times(1_000, 1_000_000), Counter[str]()
    blocks = [
        (tmp_path / str(block), "", story, min(BLOCK, wanted - first), f"24-{block}")
        for block, first in enumerate(range(0, wanted, BLOCK))
    ]
    with ExitStack() as open_:
        ran: Any = (_run_block(*block) for block in blocks)
        if len(blocks) > 1:
            pool = open_.enter_context(ProcessPoolExecutor(mp_context=get_context("fork")))
            ran = (each.result() for each in as_completed(pool.submit(_run_block, *block) for block in blocks))
        for some, errors in ran:
            assert not errors
            outcomes += some
            progress(outcomes.total(), wanted)
    assert outcomes.total() == wanted and all(outcomes[what] > wanted // 50 for what in ("taken", "refused", "no push"))
    record_property("tried", wanted)
    record_property("outcomes", ", ".join(f"{count} {what}" for what, count in sorted(outcomes.items())))


@pytest.mark.fault(24, "the same on PostgreSQL: {outcomes}")
@pytest.mark.timeout(0)
def test_a_malicious_venue_harms_only_itself_on_postgresql(
    tmp_path: Path,
    story: Story,
    times: Callable[[int, int], int],
    record_property: Callable[[str, object], None],
) -> None:
    wanted, outcomes = times(100, 20_000), Counter[str]()
    with running_server() as server:
        for block, first in enumerate(range(0, wanted, BLOCK)):
            pushes = min(BLOCK, wanted - first)
            some, errors = _run_block(tmp_path / str(block), server.new(), story, pushes, f"24-postgresql-{block}")
            assert not errors
            outcomes += some
    assert outcomes.total() == wanted
    record_property("tried", wanted)
    record_property("outcomes", ", ".join(f"{count} {what}" for what, count in sorted(outcomes.items())))
