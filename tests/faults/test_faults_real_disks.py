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


@contextmanager
def hall(folder: Path, *disks: Path) -> Iterator[tuple[httpx.Client, list[TableProcess]]]:
    """Start a head and tables in play, whose data are on these disks."""
    port = free_port()
    prepare_hall(folder, event(2 * len(disks), "m43-open"), len(disks), port, auto=True)
    head = HeadProcess(folder / "head.toml")
    with ExitStack() as open_:
        open_.callback(head.stop)
        web = open_.enter_context(httpx.Client(base_url=head.url, timeout=HANGS_S, headers={"accept-language": "en"}))
        first_chief(web, head.code)
        tables = []
        for number, disk in enumerate(disks, 1):
            place = folder / f"table-{number}"
            place.mkdir()
            (place / "data").symlink_to(disk)
            tables.append(TableProcess(place, head.url, number, folder / "keys.json"))
            open_.callback(tables[-1].kill)
        for table in tables:
            table.until(phase="SETUP", link="up")
            table.press("left")
            table.until(phase="READY")
            table.press("right")
            table.until(phase="TURN", saved=True, unsynced=0)
        yield web, tables


def turns(table: TableProcess, more: int, **wanted: object) -> None:
    """Press so many times, each press with its turn."""
    for _ in range(more):
        first = table.seen[-1]["turns"]
        table.press("left" if first % 2 == 0 else "right")
        table.until(turns=first + 1, **wanted)


def _records(head: Path, table: int) -> list[tuple[int, str, object]]:
    return [row for (number, _), rows in rows_of(head).items() if number == table for row in rows]


def _saved(disk: Path) -> list[tuple[int, str, object]]:
    return [(entry.seq, entry.type, entry.body) for entry in recover(disk / "journal").entries]


@pytest.mark.fault(7, "one table's disk full, another's made read-only by the kernel, in play: only they say so")
def test_a_full_disk_of_one_table_and_one_that_the_kernel_makes_read_only(tmp_path: Path) -> None:
    if (format := shutil.which("mkfs.ext4", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")) is None:
        pytest.skip("mkfs.ext4 is not installed (apt install e2fsprogs)")
    with (image := tmp_path / "image").open("wb") as file:
        file.truncate(16 * 1024 * 1024)
    subprocess.run([format, "-q", "-F", str(image)], check=True)
    with (
        mounted(tmp_path / "small", "-t", "tmpfs", "-o", "size=64k", "tmpfs") as small,
        mounted(tmp_path / "ext4", "-o", "loop,errors=remount-ro", image) as disk,
        hall(tmp_path, small, disk) as (web, (first, second)),
    ):
        turns(first, 2, saved=True, unsynced=0)
        before = len(_records(tmp_path / "data", 1))
        with pytest.raises(OSError, match="No space"), (small / "ballast").open("wb", buffering=0) as ballast:
            while True:
                ballast.write(bytes(512))
        while first.seen[-1]["troubles"] != ["journal-disk-full"]:  # a few records fit into the last page
            turns(first, 1)
        turns(first, 2)
        first.until(saved=False, troubles=["journal-disk-full"], link="up")
        turns(second, 4, saved=True, unsynced=0, troubles=[])
        assert before <= len(_records(tmp_path / "data", 1)) <= len(_saved(small))  # no unsaved record is sent
        until(lambda: "The disk is full" in web.get("/floor").text)
        (small / "ballast").unlink()
        first.until(saved=True, unsynced=0, troubles=[])
        assert _records(tmp_path / "data", 1) == _saved(small)
        until(lambda: "The disk is full" not in web.get("/floor").text)

        error = Path(f"/sys/fs/ext4/loop{os.minor(disk.stat().st_dev)}/trigger_fs_error")
        if not error.exists():
            pytest.skip("this kernel makes no errors of ext4")
        error.write_text("1")
        with pytest.raises(OSError, match="Read-only"):
            (disk / "x").touch()
        turns(second, 4)
        second.until(saved=False, troubles=["journal-card-read-only"], link="up", turns=8)
        turns(first, 4, saved=True, unsynced=0, troubles=[])
        until(lambda: "The card is now read-only" in web.get("/floor").text)
        records = _records(tmp_path / "data", 2)
        assert records == _saved(disk)[: len(records)]
