"""Tests of a head with a full disk: it reports that in one sentence to those affected, and continues afterwards."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from heads.staff import first_chief, token
from heads.world import PlayedTable, running_head
from sqlalchemy import event as happening
from waiting import HANGS_S

from kiosk.head.program import HeadApplication


class Disk:
    """The head's SQLite, which can be made to refuse as SQLite refuses on such a disk."""

    def __init__(self, program: HeadApplication) -> None:
        self.pragma = "query_only=0"
        self._writer = program.store.writer
        happening.listen(program.store._engine, "checkout", lambda raw, *_: raw.execute(f"PRAGMA {self.pragma}"))

    def fails(self, pragma: str) -> None:
        self.pragma = pragma
        assert self._writer._connection is not None
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
def test_a_disk_that_takes_nothing_is_told_at_the_desk_and_tables_keep_their_records(
    tmp_path: Path, fails: str, well: str, said: str
) -> None:
    with (
        running_head(tmp_path, auto=True) as (program, url),
        httpx.Client(base_url=url, timeout=HANGS_S, headers={"accept-language": "en"}) as web,
    ):
        first_chief(web, program.access.setup_code)
        form = {"csrf": token(web), "name": "Spring", "date": ""}
        table, disk = PlayedTable(1, program.devices.collection), Disk(program)
        table.live()
        disk.fails(fails)
        with pytest.raises(ConnectionError, match=said):  # the link ends, the table asks again
            for _ in range(50):
                table.send("event", {"n": "x" * 8000})
        assert said in _text(web.get("/desk"))
        assert "ディスク" in _text(web.get("/desk", headers={"accept-language": "ja"}))
        if fails == "query_only=1":  # on a full disk a little fits into what is there
            refused = web.post("/desk/name", data=form)
            assert (refused.status_code, said in _text(refused)) == (503, True)
        disk.pragma = well
        assert web.post("/desk/name", data=form).status_code == 303
        assert said not in _text(web.get("/desk"))


def _text(answer: httpx.Response) -> str:
    return re.sub(r"\s+", " ", answer.text.replace("&#39;", "'"))
