"""Tests of ``kiosk head`` as a process: an empty folder, its refusals, and SIGTERM."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from heads.process import KIOSK, HeadProcess, configured, kiosk
from heads.staff import first_chief
from waiting import HANGS_S

from kiosk.commands.head import _own_config


def test_an_empty_folder_becomes_a_head_without_kiosks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``kiosk head`` alone writes its files, and a division can be created at its desk."""
    config = configured(tmp_path, ())
    (tmp_path / "keys.json").unlink()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("faulthandler.enable", lambda: None)  # it needs a real file
    refused = kiosk("head")
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
    head = HeadProcess(configured(tmp_path, range(1, 9), setup_code="code.txt"))
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
def test_unusable_files_are_reported_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fields: dict[str, object], sentence: str
) -> None:
    monkeypatch.setattr("faulthandler.enable", lambda: None)
    config = configured(tmp_path, range(1, 9), **fields)
    if fields.keys() & {"event", "host"}:  # the process has begun to serve
        command = [sys.executable, "-c", KIOSK, "head", "--config", config]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=HANGS_S)
    else:
        ended = kiosk("head", "--config", config)
    assert ended.returncode == 2 and ended.stdout == ""
    assert re.search(sentence, ended.stderr) and ended.stderr.count("\n") == 1, ended.stderr
