"""Tests of ``kiosk journal`` on complete, torn and damaged journals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kiosk.cli import main
from kiosk.table.journal.journal_and_link_outbox import Journal, JournalCallbacks


def kiosk(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["journal", *map(str, arguments)])
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A journal of two starts of a table with three presses each."""
    for start in range(2):
        journal = Journal.open(
            tmp_path / "journal", calls=JournalCallbacks(now_ns=lambda start=start: start * 10**9)
        ).start()
        for number in range(3):
            journal.append("event", {"n": number, "名": "黒"})
            assert journal.flush(5)
        assert journal.close()
    return tmp_path


def test_export_gives_every_record_as_a_line(capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path) -> None:
    code, out, _ = kiosk(capsys, "export", data)
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [line["seq"] for line in lines] == list(range(1, 9))
    assert [line["type"] for line in lines] == ["boot", *["event"] * 3] * 2
    assert lines[5] == {"seq": 6, "at_ns": 10**9, "type": "event", "body": {"n": 0, "名": "黒"}}
    assert kiosk(capsys, "export", data / "journal", "--out", tmp_path / "all.jsonl") == (0, "", "")
    assert (tmp_path / "all.jsonl").read_text(encoding="utf-8") == out


def test_show_lists_the_last_or_one_type(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    _, out, _ = kiosk(capsys, "show", data, "--last", "2")
    assert [line.split()[0] for line in out.splitlines()] == ["7", "8"]
    _, out, _ = kiosk(capsys, "show", data, "--type", "boot", "--json")
    assert [record["seq"] for record in json.loads(out)] == [1, 5]


def test_verify_distinguishes_a_torn_end_from_a_loss(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    assert json.loads(kiosk(capsys, "verify", data, "--json")[1])["whole"]
    first, second = sorted((data / "journal").glob("*.journal"))
    with second.open("ab") as file:
        file.write(b"torn")
    code, out, _ = kiosk(capsys, "verify", data, "--json")
    report = json.loads(out)
    assert (code, report["records"], report["whole"]) == (0, 8, True)
    assert [(cut["file"], cut["bytes"]) for cut in report["cuts"]] == [(second.name, 4)]
    first.write_bytes(first.read_bytes()[:120])  # damaged in the middle: saved records follow
    code, out, _ = kiosk(capsys, "verify", data)
    assert code == 1
    assert "missing" in out


@pytest.mark.parametrize("command", ["show", "verify", "export"])
def test_a_missing_journal_is_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str) -> None:
    for place in (tmp_path, tmp_path / "none"):
        code, out, err = kiosk(capsys, command, place)
        assert (code, out) == (2, "")
        assert err.count("\n") == 1


def test_a_journal_without_its_files_is_reported_as_lost(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    for segment in (data / "journal").glob("*.journal"):
        segment.unlink()
    code, out, _ = kiosk(capsys, "verify", data)
    assert code == 1 and "saved records are missing" in out
