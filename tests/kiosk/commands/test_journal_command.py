"""Tests of ``kiosk journal`` on complete, torn and damaged journals."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path

import pytest
from commands.called import Cli

from kiosk.table.journal.journal_and_link_outbox import Journal, JournalCallbacks


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A journal of two starts of a table with three presses each."""
    for start in range(2):
        journal = Journal(
            tmp_path / "journal", calls=JournalCallbacks(now_ns=lambda start=start: start * 10**9)
        ).start()
        for number in range(3):
            journal.append("event", {"n": number, "名": "黒"})
            assert journal.flush(5)
        assert journal.close()
    return tmp_path


def test_export_gives_every_record_as_a_line(cli: Cli, data: Path, tmp_path: Path) -> None:
    code, out, _ = cli("journal", "export", data)
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [line["seq"] for line in lines] == list(range(1, 9))
    assert [line["type"] for line in lines] == ["boot", *["event"] * 3] * 2
    assert lines[5] == {"seq": 6, "at_ns": 10**9, "type": "event", "body": {"n": 0, "名": "黒"}}
    assert cli("journal", "export", data / "journal", "--out", tmp_path / "all.jsonl") == (0, "", "")
    assert (tmp_path / "all.jsonl").read_text(encoding="utf-8") == out


def test_show_lists_the_last_or_one_type(cli: Cli, data: Path) -> None:
    _, out, _ = cli("journal", "show", data, "--last", "2")
    assert [line.split()[0] for line in out.splitlines()] == ["7", "8"]
    assert [record["seq"] for record in cli.json("journal", "show", data, "--type", "boot")] == [1, 5]


def test_verify_distinguishes_a_torn_end_from_a_loss(cli: Cli, data: Path) -> None:
    assert cli.json("journal", "verify", data)["whole"]
    first, second = sorted((data / "journal").glob("*.journal"))
    with second.open("ab") as file:
        file.write(b"torn")
    report = cli.json("journal", "verify", data)
    assert (report["records"], report["whole"]) == (8, True)
    assert [(cut["file"], cut["bytes"]) for cut in report["cuts"]] == [(second.name, 4)]
    first.write_bytes(first.read_bytes()[:120])  # damaged in the middle: saved records follow
    code, out, _ = cli("journal", "verify", data)
    assert code == 1 and "missing" in out


@pytest.mark.parametrize("command", ["show", "verify", "export"])
def test_a_missing_journal_is_an_error(cli: Cli, tmp_path: Path, command: str) -> None:
    for place in (tmp_path, tmp_path / "none"):
        assert str(place) in cli.refused("journal", command, place)


def test_a_journal_without_its_files_is_reported_as_lost(cli: Cli, data: Path) -> None:
    for segment in (data / "journal").glob("*.journal"):
        segment.unlink()
    code, out, _ = cli("journal", "verify", data)
    assert code == 1 and "saved records are missing" in out


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no such users")
def test_the_folder_of_another_user_is_named(cli: Cli, data: Path, request: pytest.FixtureRequest) -> None:
    """A volunteer forgets sudo: one sentence, no traceback."""
    assert cli("journal", "verify", data)[0] == 0
    data.chmod(0)
    request.addfinalizer(lambda: data.chmod(0o700))
    if os.geteuid() == 0:  # root may read everything
        os.seteuid(pwd.getpwnam("nobody").pw_uid)
        request.addfinalizer(lambda: os.seteuid(0))
    for command in (("journal", "verify"), ("audit", "verify")):
        said = cli.refused(*command, data)
        assert str(data) in said and "Permission denied" in said
