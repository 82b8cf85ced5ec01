"""FAULTS.md 7 and 30 in a hall: the disk of one table is full, or becomes read-only, while all tables play.

Real programs and real file systems: a small one in memory that is filled, and an ext4 on which the kernel meets an
error.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from halls.many_tables import prepare_hall
from heads.process import HeadProcess, free_port, rows_of
from heads.staff import first_chief
from heads.world import event
from tables.process import TableProcess
from waiting import HANGS_S, until

from kiosk.table.journal.segment_files_and_recovery import recover


@contextmanager
def mounted(place: Path, *what: object) -> Iterator[Path]:
    place.mkdir()
    completed = subprocess.run(["mount", *map(str, what), str(place)], capture_output=True, text=True, check=False)
    if completed.returncode:
        pytest.skip(f"nothing can be mounted here (root is needed): {completed.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@dataclass(frozen=True)
class Hall:
    """A head and three tables in play: the first one's data are on ``small``, the second one's on ``disk`` (None: no
    ext4 can be made here)."""

    folder: Path
    web: httpx.Client
    small: Path
    disk: Path | None
    tables: tuple[TableProcess, ...]


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    folder, port = tmp_path_factory.mktemp("hall"), free_port()
    prepare_hall(folder, event(6, "m43-open"), 3, port, auto=True)
    with ExitStack() as open_:
        small = open_.enter_context(mounted(folder / "small", "-t", "tmpfs", "-o", "size=64k", "tmpfs"))
        disk = _ext4(folder, open_)
        head = HeadProcess(folder / "head.toml")
        open_.callback(head.stop)
        web = open_.enter_context(httpx.Client(base_url=head.url, timeout=HANGS_S, headers={"accept-language": "en"}))
        first_chief(web, head.code)
        tables = []
        for number, data in ((1, small), (2, disk), (3, None)):
            place = folder / f"table-{number}"
            place.mkdir()
            if data is not None:
                (place / "data").symlink_to(data)
            tables.append(TableProcess(place, head.url, number, folder / "keys.json"))
            open_.callback(tables[-1].kill)
        for table in tables:
            table.until(phase="SETUP", link="up")
            table.press("left")
            table.until(phase="READY")
            table.press("right")
            table.until(phase="TURN", saved=True, unsynced=0)
        yield Hall(folder, web, small, disk, tuple(tables))


def _ext4(folder: Path, open_: ExitStack) -> Path | None:
    if (format := shutil.which("mkfs.ext4", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")) is None:
        return None
    with (folder / "image").open("wb") as file:
        file.truncate(16 * 1024 * 1024)
    subprocess.run([format, "-q", "-F", str(folder / "image")], check=True)
    return open_.enter_context(mounted(folder / "ext4", "-o", "loop,errors=remount-ro", folder / "image"))


def turns(table: TableProcess, more: int, **wanted: object) -> None:
    """Press so many times, each press with its turn."""
    for _ in range(more):
        first = table.seen[-1]["turns"]
        table.press("left" if first % 2 == 0 else "right")
        table.until(turns=first + 1, **wanted)


def _records(head: Path, table: int) -> list[tuple[int, str, object]]:
    return [row for (number, _), rows in rows_of(head).items() if number == table for row in rows]


@pytest.mark.fault(7, "a table's disk full in a hall: it plays on and says so, the others know nothing of it")
def test_a_full_disk_of_one_table(hall: Hall) -> None:
    small, (first, _, second), rows = hall.small, hall.tables, hall.folder / "data"
    turns(first, 2, saved=True, unsynced=0)
    before = len(_records(rows, 1))
    with pytest.raises(OSError, match="No space"), (small / "ballast").open("wb", buffering=0) as ballast:
        while True:
            ballast.write(bytes(512))
    while first.seen[-1]["troubles"] != ["journal-disk-full"]:  # a few records fit into the last page
        turns(first, 1)
    turns(first, 2)
    first.until(saved=False, troubles=["journal-disk-full"], link="up")
    turns(second, 6, saved=True, unsynced=0, troubles=[])
    saved = len(recover(small / "journal").entries)
    assert before <= len(_records(rows, 1)) <= saved  # no unsaved record is sent
    until(lambda: "The disk is full" in hall.web.get("/floor").text)
    (small / "ballast").unlink()
    first.until(saved=True, unsynced=0, troubles=[])
    entries = recover(small / "journal").entries
    assert _records(rows, 1) == [(entry.seq, entry.type, entry.body) for entry in entries]
    until(lambda: "The disk is full" not in hall.web.get("/floor").text)


@pytest.mark.fault(30, "a table's disk made read-only by the kernel, in play: it plays on and says so")
def test_a_disk_of_one_table_that_the_kernel_makes_read_only(hall: Hall) -> None:
    disk, (_, first, second), rows = hall.disk, hall.tables, hall.folder / "data"
    if disk is None:
        pytest.skip("mkfs.ext4 is not installed (apt install e2fsprogs)")
    error = Path(f"/sys/fs/ext4/loop{os.minor(disk.stat().st_dev)}/trigger_fs_error")
    if not error.exists():
        pytest.skip("this kernel makes no errors of ext4")
    turns(first, 2, saved=True, unsynced=0)
    error.write_text("1")
    with pytest.raises(OSError, match="Read-only"):
        (disk / "x").touch()
    turns(first, 6)
    first.until(saved=False, troubles=["journal-card-read-only"], link="up", turns=8)
    turns(second, 6, saved=True, unsynced=0, troubles=[])
    until(lambda: "The card is now read-only" in hall.web.get("/floor").text)
    saved = [(entry.seq, entry.type, entry.body) for entry in recover(disk / "journal").entries]
    assert _records(rows, 2) == saved[: len(_records(rows, 2))]
