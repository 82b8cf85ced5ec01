"""A head's folder with its files and a store, for tests of backups."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from heads.world import event

from kiosk.head.head_config import HeadConfig, load_config
from kiosk.head.store import Store
from kiosk.link.table_keys import new_keys, save_keys


@dataclass(frozen=True)
class Line:
    seq: int
    type: str = "event"
    body: dict[str, object] = field(default_factory=lambda: {"ja": "黒"})


def head_folder(folder: Path, more: str = "", tables: int = 8) -> HeadConfig:
    """Write keys, event and configuration of a head; ``more``: further lines of it."""
    folder.mkdir(exist_ok=True)
    save_keys(folder / "keys.json", new_keys(range(1, tables + 1)))
    (folder / "event.json").write_text(json.dumps(event(), ensure_ascii=False), encoding="utf-8")
    (folder / "head.toml").write_text(f'data = "data"\nkeys = "keys.json"\nevent = "event.json"\nport = 0\n{more}')
    return load_config(folder / "head.toml")


def fill_store(store: Store, events: int, records: int = 5, epoch: str = "e") -> None:
    """Add notes to the audit trail, and records of table 1; close the store."""
    have = store.last_committed_seq(1, epoch)
    for number in range(events):
        store.append("note", {"n": number, "ja": "白"}).result(5)
    store.commit_records(1, epoch, [Line(have + seq) for seq in range(1, records + 1)]).result(5)
    store.close()


@contextmanager
def written_meanwhile(store: Store) -> Iterator[None]:
    """Add a record of table 1 and a note, again and again; close the store."""
    stop = threading.Event()

    def work() -> None:
        seq = store.last_committed_seq(1, "e")
        while not stop.wait(0.001):
            seq += 1
            store.commit_records(1, "e", [Line(seq)]).result(5)
            store.append("note", {"seq": seq}).result(5)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()
        store.close()
