"""Tests of ``kiosk head`` as a process: an empty folder, its refusals, and SIGTERM."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from heads.process import KIOSK, HeadProcess
from heads.staff import first_chief
from heads.world import event
from waiting import HANGS_S

from kiosk.commands.head import _own_config
from kiosk.link.table_keys import new_keys, save_keys

COMMAND = [sys.executable, "-c", KIOSK, "head"]


def _prepare(directory: Path, **fields: object) -> Path:
    (directory / "event.json").write_text(json.dumps(event(), ensure_ascii=False), encoding="utf-8")
    save_keys(directory / "keys.json", new_keys(range(1, 9)))
    values = {"data": "data", "keys": "keys.json", "event": "event.json", "host": "127.0.0.1", "port": 0, **fields}
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    (directory / "head.toml").write_text("\n".join(lines), encoding="utf-8")
    return directory / "head.toml"


def test_an_empty_folder_becomes_a_head_without_kiosks(tmp_path: Path) -> None:
    """``kiosk head`` alone writes its files, and a division can be created at its desk."""
    config = tmp_path / "head.toml"
    config.write_text('data = "data"\nkeys = "keys.json"\nport = 0\nhost = "127.0.0.1"\n')
    refused = subprocess.run(COMMAND, cwd=tmp_path, capture_output=True, text=True, timeout=HANGS_S)
    assert refused.returncode != 0 and "keys.json" in refused.stderr  # an incomplete folder is reported
    config.unlink()
    _own_config(config)
    config.write_text(config.read_text() + 'host = "127.0.0.1"\nport = 0\n')
    head = HeadProcess(config)
    try:
        with httpx.Client(base_url=head.url, timeout=HANGS_S) as web:
            first_chief(web, head.code)
            assert web.get("/desk").status_code == 200
    finally:
        head.kill()


def test_sigterm_ends_it_cleanly_even_with_open_pages(tmp_path: Path) -> None:
    head = HeadProcess(_prepare(tmp_path, setup_code="code.txt"))
    with httpx.stream("GET", f"{head.url}/stream/tables") as stream:
        next(stream.iter_lines())
        file = tmp_path / "code.txt"
        assert file.read_text().strip() == head.code and file.stat().st_mode & 0o777 == 0o600
        head.stop()
    assert head.process.returncode == 0


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"prot": 80}, "prot"),
        ({"keys": "nix.json"}, "keys names .*nix.json, which is not a file"),
        ({"event": "keys.json"}, "schema"),
        ({"host": "203.0.113.7"}, "cannot listen on 203.0.113.7"),
    ],
)
def test_unusable_files_are_reported_in_one_sentence(tmp_path: Path, fields: dict[str, object], sentence: str) -> None:
    ended = subprocess.run(
        [*COMMAND, "--config", str(_prepare(tmp_path, **fields))], capture_output=True, text=True, timeout=HANGS_S
    )
    assert ended.returncode == 2 and ended.stdout == ""
    assert re.search(sentence, ended.stderr) and ended.stderr.count("\n") == 1, ended.stderr
