"""Tests of a head with a full disk: it reports that in one sentence to those affected, and continues afterwards."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import httpx
import pytest
from heads.process import HeadProcess, configured, kiosk, rows_of
from heads.staff import chief_at, token
from heads.world import PlayedTable
from links.linked_table import linked
from links.world import MemoryOutbox
from sqlalchemy import event as happening
from waiting import until

from kiosk.head.program import HeadApplication
from kiosk.link.table_keys import load_keys


class Disk:
    """The head's SQLite, which can be made to fail as on a full disk."""

    def __init__(self, program: HeadApplication) -> None:
        self.pragma = "query_only=0"
        self._writer = program.store.writer
        happening.listen(program.store._engine, "checkout", lambda raw, *_: raw.execute(f"PRAGMA {self.pragma}"))

    def fails(self, pragma: str) -> None:
        self.pragma = pragma
        self._writer._connection.exec_driver_sql(f"PRAGMA {pragma}")
        self._writer._connection.rollback()


@pytest.mark.fault(30, "the head's disk read-only, and full, in play")
@pytest.mark.parametrize(
    ("fails", "well", "said"),
    [
        ("query_only=1", "query_only=0", "the head's disk is read-only"),
        ("max_page_count=1", "max_page_count=1000000", "the head's disk is full"),
    ],
)
def test_a_full_disk_is_shown_at_the_desk_and_tables_keep_their_records(
    tmp_path: Path, fails: str, well: str, said: str
) -> None:
    with chief_at(tmp_path, language="en", auto=True) as (program, web):
        form = {"csrf": token(web), "name": "Spring", "date": ""}
        table, disk = PlayedTable(1, program.devices.collection), Disk(program)
        table.live()
        disk.fails(fails)
        with pytest.raises(ConnectionError, match=said):  # the link ends, and the table reconnects
            for _ in range(50):
                table.send("event", {"n": "x" * 8000})
        assert said in _text(web.get("/desk"))
        assert "ディスク" in _text(web.get("/desk", headers={"accept-language": "ja"}))
        if fails == "query_only=1":  # on a full disk a small record may fit into free pages
            refused = web.post("/desk/name", data=form)
            assert (refused.status_code, said in _text(refused)) == (503, True)
        disk.pragma = well
        assert web.post("/desk/name", data=form).status_code == 303
        assert said not in _text(web.get("/desk"))


@pytest.mark.slow
@pytest.mark.fault(30, "EIO of the real disk under the head (strace)")
@pytest.mark.parametrize("inject", ["fdatasync:error=EIO:when=12+7", "pwrite64:error=EIO:when=60+20"])
def test_disk_errors_lose_no_acknowledged_record(tmp_path: Path, inject: str) -> None:
    """Every seventh sync, or every twentieth write, fails; the table sends again what was not acknowledged."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed; it injects the error")
    config = configured(tmp_path, [1])
    HeadProcess(config).stop()  # the store exists before the first failure
    what = inject.partition(":")[0]
    trace = [strace, "-D", "-f", "-o", str(tmp_path / "trace"), "-e", f"trace={what}", "-e", f"inject={inject}"]
    head = HeadProcess(config, before=trace)
    outbox = MemoryOutbox()
    try:
        with linked(head.url, load_keys(tmp_path / "keys.json")[1], outbox) as table:
            for seq in range(1, 31):
                table.grow(1)
                until(lambda seq=seq: outbox.acknowledgements[-1:] == [seq])  # type: ignore[misc]
            head.lives()
    finally:
        head.kill()
    assert (tmp_path / "trace").read_text().count("EIO") >= 2
    assert [seq for seq, _, _ in rows_of(tmp_path / "data")[1, "epoch"]] == [*range(1, 31)]
    assert kiosk("audit", "verify", config).returncode == 0


def _text(answer: httpx.Response) -> str:
    return re.sub(r"\s+", " ", answer.text.replace("&#39;", "'"))
