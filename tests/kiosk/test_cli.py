"""Tests of the command line: every command has help, refuses in one sentence with exit 2, and imports little at its
start."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kiosk.cli import COMMANDS, main

#: every command of CONTRACT.md
CONTRACT = {
    "demo", "table", "head", "play", "check", "replay", "perft", "draw", "pair", "standings", "certify", "convert",
    "read-board", "keys", "doctor", "backup", "restore",
}  # fmt: skip


def run(capfd: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(args))
    out, err = capfd.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, out, err


def test_every_command_of_the_contract_is_known() -> None:
    assert set(COMMANDS) >= CONTRACT


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, command, "--help")
    assert (code, err) == (0, "")
    assert command in out


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["frobnicate"], "frobnicate"),
        (["perft"], "DEPTH"),
        (["table", "--config", "/nonexistent/table.toml"], "/nonexistent/table.toml"),
        (["head", "--config", "/nonexistent/head.toml"], "/nonexistent/head.toml"),
        (["demo", "--speed", "fast"], "--speed"),
        (["demo", "--players", "3"], "--players"),
        (["demo", "--format", "othello-pool"], "no last round"),
    ],
)
def test_unusable_input_is_one_sentence_and_exit_2(
    args: list[str], says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capfd, *args)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("source", "folder", "says"),
    [
        ("camera", "missing", "missing: No such file or directory; make the folder"),
        ("camera", "table.toml", "table.toml: Not a directory"),
        ("none", ".", 'set source = "camera"'),
    ],
)
def test_pictures_that_could_not_be_recorded_are_refused_before_the_game(
    source: str, folder: str, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "table.toml"
    config.write_text(f'table = 1\ndata = "{tmp_path}"\n[board]\nsource = "{source}"\n')
    code, out, err = run(capfd, "table", "--config", config, "--record-pictures", tmp_path / folder)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert says in err


def test_without_a_command_the_help_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd)
    assert code == 0
    assert "standings" in out


def test_a_table_does_not_import_the_head() -> None:
    """For a fast start on a Pi, the table's parts import neither the head's libraries nor numpy."""
    code = (
        "import sys; import kiosk.table.table_assembly; "
        "print([m for m in ('starlette', 'uvicorn', 'sqlalchemy', 'jinja2', 'rustworkx', 'numpy', 'rich', 'pygame') "
        "if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_numpy_uses_one_thread() -> None:
    """NumPy's further threads would double the processor time of a table with a camera, because they wait actively."""
    code = (
        "import os; from kiosk.cli import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n"
        "import numpy; numpy.ones((500, 500)) @ numpy.ones((500, 500)); print(len(os.listdir('/proc/self/task')))"
    )
    plain = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=plain)
    assert run.stdout.split()[-1] == "1"


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"LANG": "ja_JP.UTF-8"}, "読める TOML ファイル"),
        ({"LANG": "C.UTF-8", "LC_MESSAGES": "ja"}, "読める TOML ファイル"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C.UTF-8"}, "name a readable TOML file"),
        ({"LANG": "pl_PL.UTF-8"}, "name a readable TOML file"),
        ({}, "name a readable TOML file"),
    ],
)
def test_a_refusal_is_in_the_language_of_the_terminal(
    variables: dict[str, str], says: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """LC_ALL, LC_MESSAGES, LANG select it, as with every program; a language without a catalogue gets English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    code, out, err = run(capfd, "table", "--config", "/nonexistent/table.toml")
    assert (code, out) == (2, "")
    assert says in err and "/nonexistent/table.toml" in err and err.count("\n") == 1


@pytest.mark.parametrize("language", ["C.UTF-8", "ja_JP.UTF-8"])
@pytest.mark.parametrize("content", [b"\xd0\xcf\x11\xe0 a spreadsheet", b"<html>", b'{"a": tru', b'{"a": 1}', b""])
@pytest.mark.parametrize(
    "args",
    [
        ["pair", "FILE"],
        ["convert", "FILE", "out.json"],
        ["play", "FILE"],
        ["table", "--config", "FILE"],
        ["keys", "list", "--keys", "FILE"],
        ["venue", "list", "--keys", "FILE"],
        ["update", "make", "--key", "FILE", "."],
    ],
    ids=lambda args: args[0],
)
def test_a_file_of_another_kind_is_refused_without_the_sentence_of_a_library(
    args: list[str],
    content: bytes,
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.setenv(name, language)
    file = tmp_path / "a.json"
    file.write_bytes(content)
    file.chmod(0o600)
    code, out, err = run(capfd, *(str(file) if one == "FILE" else one for one in args))
    assert (code, out, err.count("\n")) == (2, "", 1)
    found = re.search(r"Expect(ing|ed)|codec|malformed|truncated|Invalid|Unexpected|Object ", err)
    assert found is None, err


def test_an_answer_is_in_the_language_of_the_terminal(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    assert "深さ 1：4 通り" in run(capfd, "perft", "1")[1]
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert "depth 1: 4 leaves" in run(capfd, "perft", "1")[1]


def test_a_refusal_from_a_child_process_is_translated_and_printable(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    code, out, err = run(capfd, "restore", "backup\x1b[2J", "target")
    assert (code, out) == (2, "")
    assert err == "kiosk: backup�[2J を読めません：ファイルかフォルダーがありません。パスを確かめてください\n"


@pytest.mark.parametrize("args", [["pair"], ["convert", "out.csv"], ["restore", "target"], ["update", "check"]])
def test_a_file_that_cannot_be_read_is_named_in_one_sentence(
    args: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    file = str(tmp_path / "none.json")
    place = 2 if args[0] == "update" else 1
    code, out, err = run(capfd, *args[:place], file, *args[place:])
    assert (code, out, err) == (2, "", f"kiosk: cannot read {file}: No such file or directory; check the path\n")


def test_a_file_without_permission_is_not_taken_for_a_wrong_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The command reads the file and says why it cannot; click would only say that the call is wrong."""
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    (tmp_path / "event.json").write_text("{")
    assert "not JSON" in run(capfd, "pair", str(tmp_path / "event.json"))[2]


@pytest.mark.parametrize(
    "command",
    [
        ("restore", "{path}", "to"),
        ("restore", "from", "{path}"),
        ("backup", "{path}", "to"),
        ("audit", "verify", "{path}"),
        ("journal", "show", "{path}"),
        ("read-board", "{path}"),
        ("pair", "{path}"),
    ],
    ids=" ".join,
)
def test_a_name_that_no_file_can_have_is_refused(
    command: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    """``Path.exists`` raises for it, unlike for a file that is not there."""
    code, out, err = run(capfd, *(word.format(path="x" * 300) for word in command))
    assert (code, out) == (2, "")
    assert err == f"kiosk: cannot read {'x' * 300}: File name too long; check the path\n"


def test_a_terminal_without_the_characters_gets_escapes_that_json_reads(tmp_path: Path) -> None:
    """An old terminal or a redirection on Windows may know neither Japanese nor the rarer characters of names."""
    event = tmp_path / "event.json"
    event.write_text(
        '{"schema": "othello-event/1", "format": "swiss", "players": [{"id": "\U00020bb7"}, {"id": "野"}]}',
        encoding="utf-8",
    )
    for encoding in ("latin-1", "cp932", "utf-8"):
        for more in (["--json"], []):
            ended = subprocess.run(
                [sys.executable, "-m", "kiosk", "standings", str(event), *more],
                env=os.environ | {"PYTHONIOENCODING": encoding},
                capture_output=True,
                check=True,
            )
            if more:
                rows = json.loads(ended.stdout.decode(encoding))["rows"]
                assert [row["id"] for row in rows] == ["\U00020bb7", "野"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
def test_a_full_disk_behind_the_output_is_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "kiosk", "perft", "1"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
            check=False,
        )
    assert ended.returncode == 2
    assert ended.stderr == b"kiosk: the output cannot be written: No space left on device\n"
