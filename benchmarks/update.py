"""Update of sixty tables from one head: its duration, the effect on the hall, and the automatic rollback of one table.

``python -m benchmarks.update [--tables N] [--mb MB]`` prints JSON. The head is the real one, over HTTP on loopback,
with its own pace; each table is the real maintenance client with root's real installer, whose versions are folders
(tests/tools/updates). One table's new version does not start. Meanwhile the page of the hall's tables is requested
again and again.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import httpx
from heads.staff import PASSWORD, first_chief, token
from heads.world import running_head
from updates.signed_updates import Maker
from updates.updating_table import UpdatedTable
from waiting import until

from kiosk.head.devices.table_software_updates_and_logs import FOLDER, SUFFIX, Updates
from kiosk.table.device.update_and_diagnostics_client import HttpRequester

SMALLEST = ("--tables", "2", "--mb", "1")
BROKEN = 17


def run_maintenance(table: UpdatedTable, over: threading.Event) -> None:
    """Run a table's maintenance thread, which contacts the head at the intervals the head sets."""
    while not over.wait(table.step()):
        pass


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--mb", type=int, default=4, help="size of the archive")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        maker = Maker(folder / "maker")
        with running_head(folder / "head", tables=arguments.tables, update_key=maker.key) as (head, url):
            place = folder / "head/data" / FOLDER
            place.mkdir()
            archive = maker.archive("1.1.0", place / f"othello-1.1.0{SUFFIX}", arguments.mb * 1_000_000)
            tables, over = [], threading.Event()
            for number in range(1, arguments.tables + 1):
                works = (lambda version: version == "1.0.0") if number == BROKEN else (lambda version: True)
                key, ask = head.devices.link.collector.key(number) or b"", HttpRequester(f"ws{url[4:]}/link")
                tables.append(UpdatedTable(number, key, folder / f"table-{number}", maker.key, ask, works))
                tables[-1].step(), tables[-1].step()
            chief = httpx.Client(base_url=url, timeout=60)
            first_chief(chief, head.access.setup_code)
            took = offered(chief, url, tables, over, head.devices.updates)
            ended = Counter(table.stage for table in tables)
            page = chief.get("/devices", headers={"accept-language": "en"}).text
            print(
                json.dumps(
                    {
                        "tables": len(tables),
                        "archive_mb": round(archive.stat().st_size / 1e6, 1),
                        **took,
                        "ended": dict(ended),
                        "returned": [table.number for table in tables if table.machine.used[1:] == ["1.0.0"]],
                        "page_says_why": page.count("did not open its journal") == 1,
                        "load": round(os.getloadavg()[0], 1),
                    },
                    indent=2,
                )
            )


def offered(
    chief: httpx.Client, url: str, tables: list[UpdatedTable], over: threading.Event, updates: Updates
) -> dict[str, float]:
    """Offer the update to all tables by the page's form and wait until it has ended at each."""
    threads = [threading.Thread(target=run_maintenance, args=(table, over), daemon=True) for table in tables]
    answer = chief.post("/devices/update", data={"csrf": token(chief), "tables": "all", "password": PASSWORD})
    assert answer.status_code == 303, answer.text
    began, worked, opened = time.monotonic(), time.process_time(), []
    for thread in threads:
        thread.start()
    hall = httpx.Client(base_url=url, timeout=60)
    while any(table.stage not in ("done", "failed") for table in tables):
        at = time.monotonic()
        hall.get("/tables.json").raise_for_status()
        opened.append((time.monotonic() - at) * 1000)
        time.sleep(0.2)
    seconds, processor = time.monotonic() - began, time.process_time() - worked
    until(lambda: not any(table.offered for table in updates.tables()))  # a table's last report ends its offer
    over.set()
    return {
        "seconds": round(seconds, 1),
        "processor_s": round(processor, 1),
        "hall_page_ms_p50": round(statistics.median(opened), 1),
        "hall_page_ms_p99": round(sorted(opened)[int(len(opened) * 0.99)], 1),
    }


if __name__ == "__main__":
    main()
