"""Tests of ``kiosk head`` as a process: its first line, its refusals, SIGTERM, and kill -9 in the middle of a round."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from heads.staff import first_chief, follow_tables, sign_in, token
from heads.world import event, quick_card
from waiting import HANGS_S, until

from kiosk.commands.head import _own_config
from kiosk.link.endpoints.table_link import TableLink
from kiosk.link.link_messages import Command, Health, TableRecord, from_dict, to_dict
from kiosk.link.link_messages import CommandDone as Done
from kiosk.link.table_keys import load_keys, new_keys, save_keys
from kiosk.link.websocket_transport import WebSocketTransport


def _prepare(directory: Path, **fields: object) -> Path:
    (directory / "event.json").write_text(json.dumps(event(), ensure_ascii=False), encoding="utf-8")
    save_keys(directory / "keys.json", new_keys(range(1, 9)))
    values = {"data": "data", "keys": "keys.json", "event": "event.json", "host": "127.0.0.1", "port": 0, **fields}
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    (directory / "head.toml").write_text("\n".join(lines), encoding="utf-8")
    return directory / "head.toml"


@contextmanager
def _head(config: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Start a head in its own process; return its address and its setup code."""
    command = [sys.executable, "-c", "from kiosk.cli import main; main()", "head", "--config", str(config)]
    with (config.parent / "log").open("a") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    try:
        first, second = process.stdout.readline(), process.stdout.readline()
        assert first.startswith("listening http://127.0.0.1:"), (config.parent / "log").read_text()
        yield process, first.split()[1], second.split()[-1]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_an_empty_folder_becomes_a_head_without_kiosks(tmp_path: Path) -> None:
    """``kiosk head`` alone writes its files, and a division can be created at its desk."""
    command = [sys.executable, "-c", "from kiosk.cli import main; main()", "head"]
    (tmp_path / "head.toml").write_text('data = "data"\nkeys = "keys.json"\nport = 0\nhost = "127.0.0.1"\n')
    with (tmp_path / "log").open("a") as log:
        refused = subprocess.run(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=log, timeout=HANGS_S)
    assert refused.returncode != 0 and "keys.json" in (tmp_path / "log").read_text()  # an incomplete folder is reported
    (tmp_path / "head.toml").unlink()
    _own_config(tmp_path / "head.toml")
    config = tmp_path / "head.toml"
    config.write_text(config.read_text() + 'host = "127.0.0.1"\nport = 0\n')
    with _head(config) as (_, url, code), httpx.Client(base_url=url, timeout=HANGS_S) as web:
        first_chief(web, code)
        assert web.get("/desk").status_code == 200


class Table:
    """A table with a real link, whose players submit their cards at once. Its journal is a list."""

    epoch = "e1"

    def __init__(self, number: int, key: bytes, url: str, journal: list[TableRecord], cards: bool) -> None:
        self.journal, self.acked, self._cards = journal, 0, cards
        self._done = {from_dict(Done, record.body).id for record in journal if record.type == "command"}
        self._lock = threading.Lock()
        self.link = TableLink(
            [WebSocketTransport(url.replace("http", "ws", 1) + "/link")],
            number,
            key,
            self,
            on_command=self._execute_once,
            on_status=lambda up, why: None,
            health=lambda: Health(last_seq=len(self.journal), unsynced=len(self.journal) - self.acked),
        )
        self.link.start()

    def _execute_once(self, command: Command) -> None:
        with self._lock:
            if command.id in self._done:
                return
            self._done.add(command.id)
            self._add("command", to_dict(Done(command.id, "applied")))
            if command.kind == "assign":
                self._add("assigned", {"assignment": command.body, "has_board_source": False})
                if self._cards:
                    self._add("card", quick_card(command, 36))
        self.link.wake()

    def _add(self, type: str, body: dict[str, object]) -> None:
        self.journal.append(TableRecord(len(self.journal) + 1, type, body))  # type: ignore[arg-type]

    def last_seq(self) -> int:
        return len(self.journal)

    def records_after(self, seq: int, limit: int) -> list[TableRecord]:
        return self.journal[seq : seq + limit]

    def acknowledged(self, seq: int) -> None:
        self.acked = seq


def _operate(url: str, code: str) -> tuple[httpx.Client, str]:
    """Sign in as chief arbiter. After the first start no code is shown."""
    web = httpx.Client(base_url=url, timeout=HANGS_S)
    sign_in(web) if "/" in code else first_chief(web, code)
    return web, token(web)


def _results(web: httpx.Client) -> int:
    return sum("winner" in game for game in web.get("/event.json").json()["rounds"][0]["games"])


@pytest.mark.fault(9, "kill -9 of the head in a round, 1 kill")
def test_a_head_killed_during_a_round_restarts_with_the_identical_event(tmp_path: Path) -> None:
    """Promise 2: what was acknowledged is committed: cards over the link, manual results and corrections."""
    config = _prepare(tmp_path)
    keys = load_keys(tmp_path / "keys.json")
    journals: dict[int, list[TableRecord]] = {number: [] for number in keys}
    with _head(config) as (process, url, code):
        web, token = _operate(url, code)
        digest = re.search(r'name="digest" value="([^"]+)"', web.get("/division/main/round").text)
        assert (
            digest and web.post("/division/main/publish", data={"csrf": token, "digest": digest[1]}).status_code == 303
        )
        tables = [Table(number, keys[number], url, journals[number], cards=number < 5) for number in keys]
        until(lambda: all(table.acked == len(table.journal) >= 2 for table in tables))
        games = re.findall(r'href="(/division/main/game/[^"]+-1-\d+)"', web.get("/division/main/results").text)
        by_hand = next(game for game in games if game.endswith("-1-6"))
        form = {"csrf": token, "black_discs": "50", "white_discs": "14", "end": "normal"}
        assert web.post(f"{by_hand}/enter", data=form).status_code == 303
        seen = re.search(r'name="seen" value="([^"]+)"', web.get(by_hand).text)
        assert seen
        form |= {"black_discs": "14", "white_discs": "50", "reason": "the other way round", "seen": seen[1]}
        assert web.post(f"{by_hand}/correct", data=form).status_code == 303
        until(lambda: _results(web) == 5)
        before = web.get("/event.json").content
        standings = web.get("/standings.json").content
        process.send_signal(signal.SIGKILL)
        process.wait()
        for table in tables:
            table.link.stop()
    with _head(config) as (_, url, code):
        web, _token = _operate(url, code)
        assert web.get("/event.json").content == before
        assert web.get("/standings.json").content == standings
        tables = [Table(number, keys[number], url, journals[number], cards=True) for number in keys]
        until(lambda: all(table.acked == len(table.journal) for table in tables))
        assert web.get("/event.json").content == before  # nothing was sent or applied twice
        for table in tables:
            table.link.stop()


def test_a_head_that_lost_its_disk_recovers_the_identical_state(tmp_path: Path) -> None:
    """FAULTS.md 17: tables keep their records, the same event file gives the same names of games, and a person at
    the desk confirms the tables' reports."""
    config = _prepare(tmp_path, auto=True)
    keys = load_keys(tmp_path / "keys.json")
    journals: dict[int, list[TableRecord]] = {number: [] for number in keys}
    with _head(config) as (_, url, _code):
        tables = [Table(number, keys[number], url, journals[number], cards=True) for number in keys]
        until(lambda: len(httpx.get(f"{url}/event.json").json()["rounds"]) == 8)
        until(lambda: all(table.acked == len(table.journal) for table in tables))
        until(lambda: all("winner" in game for game in httpx.get(f"{url}/event.json").json()["rounds"][7]["games"]))
        before = httpx.get(f"{url}/event.json").json()
        for table in tables:
            table.link.stop()
    (tmp_path / "data").rename(tmp_path / "lost")
    with _head(config) as (_, url, code):
        tables = [Table(number, keys[number], url, journals[number], cards=True) for number in keys]
        follow_tables(url, code)  # the only step that a person does
        until(lambda: httpx.get(f"{url}/event.json").json() == before)
        for table in tables:
            table.link.stop()


def test_sigterm_ends_it_cleanly_even_with_open_pages(tmp_path: Path) -> None:
    config = _prepare(tmp_path, setup_code="code.txt")
    with _head(config) as (process, url, code), httpx.stream("GET", f"{url}/stream/tables") as stream:
        next(stream.iter_lines())
        file = tmp_path / "code.txt"
        assert file.read_text().strip() == code and file.stat().st_mode & 0o777 == 0o600
        process.terminate()
        assert process.wait(HANGS_S) == 0


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"prot": 80}, "prot"),
        ({"port": 70000}, "port is 70000"),
        ({"keys": "nix.json"}, "keys names .*nix.json, which is not a file"),
        ({"event": "keys.json"}, "schema"),
        ({"host": "203.0.113.7"}, "cannot listen on 203.0.113.7"),
        ({"speed": 0}, "speed is 0"),
        ({"table": {"main_s": 0}}, "main_s"),
    ],
)
def test_unusable_files_are_reported_in_one_sentence(tmp_path: Path, fields: dict, sentence: str) -> None:
    table = fields.pop("table", None)
    config = _prepare(tmp_path, **fields)
    if table:
        config.write_text(config.read_text() + "\n[table]\nmain_s = 0\n")
    command = [sys.executable, "-c", "from kiosk.cli import main; main()", "head", "--config", str(config)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=HANGS_S)
    assert ended.returncode == 2 and ended.stdout == ""
    assert re.search(sentence, ended.stderr) and ended.stderr.count("\n") == 1, ended.stderr
