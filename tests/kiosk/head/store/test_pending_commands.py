"""Tests that the cached pending commands of a table always equal those in the store."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kiosk.head.errors import StoreError
from kiosk.head.store import CommandRow, CommandStatus, Store
from kiosk.head.store.acts_records_and_commands_store import PendingCommandCache
from kiosk.link.link_messages import TableRecord


def test_the_cache_always_equals_the_store(tmp_path: Path) -> None:
    store, random, seqs = Store(tmp_path), Random(1), {1: 0, 2: 0, 3: 0}
    for number in range(150):
        table = random.choice(list(seqs))
        row = CommandRow(f"c{number}", table, "hold", "g1")
        match random.randrange(4):
            case 0:
                store.give([row]).result()
            case 1:
                store.append("note", {}, [row]).result()
            case 2:
                store.give([row, CommandRow(f"d{number}", 1 + table % 3, "assign", "g2", body={"x": (1, 2)})]).result()
            case _:
                open_ids = [each.id for each in store.commands(table, status=CommandStatus.SENT)]
                seqs[table] += 1
                body = {"id": random.choice([*open_ids, "unknown"]), "status": "applied"}
                store.commit_records(table, "e", [TableRecord(seqs[table], "command", body)]).result()
        for each in seqs:
            assert (store.pending.cached_commands(each) or store.pending.of(each)) == store.pending.of(each)
            assert list(store.pending.of(each)) == store.commands(each, status=CommandStatus.SENT)
    store.close()


def test_a_failed_commit_leaves_the_cache_correct(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.give([CommandRow("c1", 1, "hold", "g1")]).result()
    with pytest.raises(StoreError):
        store.give([CommandRow("c1", 1, "hold", "g1")]).result()
    assert store.pending.cached_commands(1) is None
    assert [row.id for row in store.pending.of(1)] == ["c1"]
    assert store.pending.cached_commands(1) == store.pending.of(1)
    store.close()


def test_commands_read_during_a_commit_are_not_cached() -> None:
    old, new = CommandRow("old", 1, "hold"), CommandRow("new", 1, "hold")
    rows = [old]

    def read(table: int) -> tuple[CommandRow, ...]:
        found = tuple(rows)
        if len(rows) == 1:  # a commit between reading and caching
            rows.append(new)
            waiting.add([new])
        return found

    waiting = PendingCommandCache(read)
    assert waiting.of(1) == (old,)
    assert waiting.of(1) == (old, new)
    waiting.remove(1, frozenset({"old"}))
    assert waiting.of(1) == (new,)
