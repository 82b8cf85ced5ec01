"""Tests that the pending commands of a table in memory always equal those in the store."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from engine.i18n import say
from kiosk.head.errors import StoreError
from kiosk.head.store import CommandRow, CommandStatus, Store
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
            assert list(store.pending.of(each)) == store.commands(each, status=CommandStatus.SENT)
    store.close()


def test_after_a_failed_commit_the_commands_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the next one that the store allows to be read: what failed may have been committed nevertheless."""
    store = Store(tmp_path)
    first, second = CommandRow("c1", 1, "hold", "g1"), CommandRow("c2", 1, "hold")
    store.give([first]).result()
    with pytest.raises(StoreError):
        store.give([second, first]).result()
    assert [row.id for row in store.pending.of(1)] == ["c1"]

    def refuse() -> list[CommandRow]:
        raise StoreError(say("no"))

    read, store.pending._read = store.pending._read, refuse
    store.append("note", {}).result()
    assert [row.id for row in store.pending.of(1)] == ["c1"]
    store.pending._read = lambda: [*read(), second]
    store.append("note", {}).result()
    assert [row.id for row in store.pending.of(1)] == ["c1", "c2"]
    store.close()
