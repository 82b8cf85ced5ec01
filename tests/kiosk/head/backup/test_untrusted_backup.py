"""Tests that a backup is untrusted data: it is validated completely before a byte is written, and reported if it is of
another head."""

from __future__ import annotations

import json
import os
import pty
import shutil
import sqlite3
import subprocess
import sys
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest
from heads.backups import fill_store, head_folder
from heads.process import KIOSK, kiosk
from waiting import HANGS_S

from kiosk.errors import InputError
from kiosk.head.backup import signing_key_and_trusted_heads
from kiosk.head.backup.restore import BackupPreview, restore
from kiosk.head.backup.signed_backup_creation import BACKUP_FILE, back_up
from kiosk.head.head_config import load_config
from kiosk.head.store import Store, untrusted_store_reader_and_digest


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a head of two operator events and its backup, which each test gets a copy of."""
    folder = tmp_path_factory.mktemp("made")
    fill_store(Store(head_folder(folder / "home", tables=2).data), 2, 0)
    back_up(folder / "home" / "head.toml", folder / "stick")
    return folder


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made / "home", tmp_path / "home")


@pytest.fixture
def stick(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made / "stick", tmp_path / "stick") / BACKUP_FILE


def _change(file: Path, *statements: str | tuple[str, tuple[object, ...]], signed: bool = False) -> None:
    """Change a backup as an attacker can, who cannot sign it but can remove the signature."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in (*(() if signed else ("DROP TABLE signature",)), *statements):
            connection.execute(*((statement,) if isinstance(statement, str) else statement))


def _all(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def _refused(file: Path, tmp_path: Path) -> str:
    """Restore, which is refused before a file is written or a question is asked; return the message."""
    before = _all(tmp_path)
    with pytest.raises(InputError) as refused:
        restore(file, tmp_path / "deep" / "er" / "spare", force=True, agree=_nobody)
    assert _all(tmp_path) == before
    assert str(refused.value).isprintable()
    return str(refused.value)


def _nobody(offered: BackupPreview) -> bool:
    raise AssertionError("asked about a backup that cannot be used")


NAMES = ["../../x", "/tmp/othello-x", "a\0b", "..", "sub/x.json", "secrets.json", "signing.json", "head.sqlite"]
NAMES += ["x" * 300]


@pytest.mark.parametrize("name", NAMES)
def test_a_path_in_a_file_name_is_refused(stick: Path, tmp_path: Path, name: str) -> None:
    _change(stick, ("INSERT INTO carried_files VALUES (?, ?)", (name, b"x")))
    assert "which no head has" in _refused(stick, tmp_path)
    assert not Path("/tmp/othello-x").exists()


@pytest.mark.parametrize("name", [*NAMES, ".json"])
def test_a_path_in_the_configuration_of_the_backup_is_ignored(stick: Path, tmp_path: Path, name: str) -> None:
    toml = f'data = "."\nkeys = "keys.json"\nevent = [{json.dumps(name)}, "event.json"]\n'
    _change(
        stick,
        ("INSERT INTO carried_files VALUES (?, ?)", (name, b"{}")),
        ("UPDATE carried_files SET content = ? WHERE name = 'head.toml'", (toml.encode(),)),
    )
    if name.isprintable() and "/" not in name and not name.startswith("."):  # an unusual division name only
        done = restore(stick, tmp_path / "spare")
        mine = {"head.sqlite", "head.toml", "keys.json", "event.event"}
        assert all(file in mine or (file.endswith(".event") and "/" not in file) for file in done.files)
        assert signing_key_and_trusted_heads.own_signer(tmp_path / "spare").fingerprint == done.fingerprint
        return
    _refused(stick, tmp_path)


def test_event_files_get_safe_names(home: Path, tmp_path: Path) -> None:
    names = ["Open.json", "Women's Open.json", "小学生.json"]
    for name in names:
        (home / name).write_text("{}")
    toml = (home / "head.toml").read_text().replace('"event.json"', json.dumps(names, ensure_ascii=False))
    (home / "head.toml").write_text(toml)
    back_up(home / "head.toml", tmp_path / "stick")
    restore(tmp_path / "stick", tmp_path / "spare")
    found = [file.name for file in load_config(tmp_path / "spare/head.toml").events]
    assert found == ["open.event", "women-s-open.event", "division-3.event"]


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (["UPDATE carried_files SET content = 'text' WHERE name = 'keys.json'"], "wrong type"),
        (["UPDATE carried_files SET content = zeroblob(67108865) WHERE name = 'keys.json'"], "too big"),
        (["UPDATE carried_files SET content = x'ff' WHERE name = 'event.json'"], "not JSON"),
        (["UPDATE carried_files SET content = x'ff' WHERE name = 'head.toml'"], "not valid TOML"),
        (["DELETE FROM carried_files WHERE name = 'keys.json'"], "no keys.json"),
        (["DELETE FROM carried_files WHERE name = 'event.json'"], "lacks 'event.json'"),
        (["CREATE VIEW more AS SELECT 1"], "no store of this version"),
        (["CREATE TABLE more (x)"], "no store of this version"),
        (["CREATE TRIGGER more AFTER INSERT ON meta BEGIN DELETE FROM meta; END"], "no store of this version"),
        (["DROP TABLE venue_events", "CREATE VIEW venue_events AS SELECT 1 AS venue"], "no store of this version"),
        (["ALTER TABLE records ADD COLUMN more"], "no store of this version"),
        (["DROP TABLE venue_records"], "has no venue_records"),
        (["UPDATE meta SET value = '9' WHERE key = 'version'"], "another version"),
        (["DELETE FROM meta"], "another version"),
        (['INSERT INTO meta VALUES (\'venue:../x\', \'{"at":"","trail":"","waiting":0}\')'], "table meta"),
        (["INSERT INTO records VALUES ('x', 1, 'e', 1, 'event', '{}')"], "mismatch"),
        (["INSERT INTO records VALUES (1, 1, 'e', 1, 'event', x'00')"], "wrong type"),
        (["INSERT INTO records VALUES (1, 'one', 'e', 1, 'event', '{}')"], "wrong type"),
        (["INSERT INTO records VALUES (1, 1, 'e', 1, 'event', CAST(x'ff' AS TEXT))"], "UTF-8"),
    ],
)
def test_a_file_that_is_no_store_is_refused(stick: Path, tmp_path: Path, statements: list[str], said: str) -> None:
    try:
        _change(stick, *statements)
    except sqlite3.IntegrityError as error:  # SQLite itself does not write such a value
        assert said in str(error)
        return
    assert said in _refused(stick, tmp_path)


def test_a_deeply_nested_event_is_a_broken_entry(stick: Path, tmp_path: Path) -> None:
    deep = '{"a":' + "[" * 100_000 + "]" * 100_000 + "}"
    row = "INSERT INTO operator_events SELECT 3, at, person, kind, ?, hash, hash FROM operator_events WHERE number = 2"
    _change(stick, (row, (deep,)))
    assert "entry 3" in _refused(stick, tmp_path)


def test_thousands_of_files_and_a_file_of_gigabytes_are_refused(stick: Path, tmp_path: Path) -> None:
    _change(
        stick,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
        "INSERT INTO carried_files SELECT 'f' || i, x'' FROM n",
    )
    assert "more than 200 files" in _refused(stick, tmp_path)
    os.truncate(stick, untrusted_store_reader_and_digest.MAX_FILE + 4096)
    assert "bytes" in _refused(stick, tmp_path)


def test_reading_an_old_backup_uses_little_memory_of_the_head(home: Path, stick: Path) -> None:
    """A backup on the stick with journal names of 8 MB is read in a child process and kept beside the new one."""
    long = "INSERT INTO records VALUES (?, 1, ?, 1, 'event', '')"
    _change(stick, *((long, (number, f"{number}" * (8 << 20))) for number in range(3)))
    back_up(home / "head.toml", stick.parent / "another")  # imports all
    tracemalloc.start()
    try:
        back_up(home / "head.toml", stick.parent)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert [*stick.parent.glob("*.kept-1")]


def test_a_backup_may_be_as_large_as_a_federation_of_ten_years(stick: Path, tmp_path: Path) -> None:
    os.truncate(stick, 1_600_000_000)
    assert restore(stick, tmp_path / "spare").extent.events == 2


@pytest.mark.parametrize("name", [f"photographs/{'0' * 64}.jpg", "photographs/../head.toml", "photographs/a.jpg"])
def test_a_photograph_with_a_wrong_hash_in_its_name_is_refused(stick: Path, tmp_path: Path, name: str) -> None:
    _change(stick, ("INSERT INTO carried_files VALUES (?, ?)", (name, b"\xff\xd8\xff")))
    with pytest.raises(InputError, match="use another backup"):
        restore(stick, tmp_path / "spare")
    assert not (tmp_path / "spare" / "photographs").exists()


def test_links_are_not_followed(stick: Path, tmp_path: Path) -> None:
    (real := tmp_path / "real").mkdir()
    (link := tmp_path / "link").symlink_to(real)
    with pytest.raises(InputError, match="is a link"):
        restore(stick, link)
    secret = tmp_path / "secret"
    for name in ("head.sqlite", "head.lock", ".head.sqlite.restored", "head.toml"):
        (spare := tmp_path / f"spare-{name}").mkdir()
        (spare / name).symlink_to(secret)
        with pytest.raises(InputError, match="is a link"):
            restore(stick, spare, force=True)
    assert not secret.exists() and not any(real.iterdir())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / BACKUP_FILE).symlink_to(stick)
    with pytest.raises(InputError, match="is a link"):
        restore(tmp_path / "other", tmp_path / "spare")


def test_a_store_with_a_log_beside_it_is_no_backup(home: Path, tmp_path: Path) -> None:
    assert "kiosk backup" in _refused(home / "data" / "head.sqlite", tmp_path)


def test_the_configuration_is_written_anew(stick: Path, tmp_path: Path) -> None:
    """The new configuration names no path outside the folder; unusual values are reported."""
    toml = """
data = "/var/lib/other"
keys = "/etc/shadow"
event = "event.json"
host = "evil\\u001b[2J"
serial = ["/dev/sda", "/dev/ttyUSB0", "/dev/serial/by-id/../../sda", "/tmp/x"]
setup_code = "/etc/cron.d/x"
backup = "/etc/cron.d"
store = "postgresql://stranger/x"
speed = 50.0
tls = {certificate = "/a", key = "/b"}
[table]
options = {a = "黒\\u007f"}
"""
    _change(stick, ("UPDATE carried_files SET content = ? WHERE name = 'head.toml'", (toml.encode(),)))
    done = restore(stick, spare := tmp_path / "spare")
    config = load_config(spare / "head.toml")
    assert (config.data, config.keys, config.setup_code) == (spare, spare / "keys.json", spare / "setup-code.txt")
    assert (config.host, config.serial, config.store, config.tls) == ("0.0.0.0", ["/dev/ttyUSB0"], "", None)
    assert config.backup == stick.parent  # the folder that the person named, not the backup
    assert config.table.options == {"a": "黒\x7f"}
    told = " ".join(str(one) for one in done.unusual)
    assert all(word in told for word in ("/dev/sda", "/tmp/x", "evil", "50.0")) and told.isprintable()
    assert len(done.unusual) == 5


@pytest.mark.parametrize(
    "line",
    ["extra = 1", "speed = nan", "port = 70000", "table = {options = {a = inf}}", "event = " + "[" * 5000 + "]" * 5000]
    + [f'federation = {{url = "{url}", venue = "osaka", key = "k"}}' for url in ("file:///etc/x", "http://a\\u001b")],
)
def test_a_configuration_that_no_head_has_is_refused(stick: Path, tmp_path: Path, line: str) -> None:
    toml = f'data = "."\nkeys = "keys.json"\n{line}\n'.encode()
    _change(
        stick,
        ("UPDATE carried_files SET content = ? WHERE name = 'head.toml'", (toml,)),
        ("INSERT INTO carried_files VALUES ('venue-key.json', ?)", (b"{}",)),
    )
    _refused(stick, tmp_path)


def test_unreadable_keys_leave_the_folder_unchanged(stick: Path, tmp_path: Path) -> None:
    _change(stick, ("UPDATE carried_files SET content = ? WHERE name = 'keys.json'", (b'{"keys": 7}',)))
    (spare := tmp_path / "spare").mkdir()
    (spare / "head.toml").write_text("mine")
    with pytest.raises(InputError, match=r"invalid backup: keys\.json"):
        restore(stick, spare)
    assert {file.name for file in spare.iterdir()} == {"head.toml", "head.lock"}


# owner of the restored backup


def test_each_head_signs_with_its_own_key(home: Path, stick: Path) -> None:
    file = home / "data" / signing_key_and_trusted_heads.FILE
    seed = json.loads(file.read_text())["key"]
    assert file.stat().st_mode & 0o777 == 0o600
    assert bytes.fromhex(seed) not in stick.read_bytes() and seed.encode() not in stick.read_bytes()
    signer = signing_key_and_trusted_heads.own_signer(home / "data")
    assert back_up(home / "head.toml", stick.parent).fingerprint == signer.fingerprint


def test_a_fingerprint_is_twenty_digits_in_groups() -> None:
    assert signing_key_and_trusted_heads.fingerprint(bytes(32)) == "9864-1501-5940-0048-6728"


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO operator_events SELECT 3, at, '', kind, body, hash, hash FROM operator_events WHERE number = 2",
        "INSERT INTO records VALUES (1, 1, 'e', 1, 'event', '{}')",
        "INSERT INTO commands VALUES (1, 'c', 1, NULL, 'assign', NULL, NULL, '{}', 'sent', '', '')",
        "UPDATE carried_files SET content = x'7b7d' WHERE name = 'event.json'",
        "UPDATE signature SET head = 'another'",
        "UPDATE signature SET key = zeroblob(32)",
        "UPDATE signature SET signature = x''",
        "INSERT INTO signature SELECT * FROM signature",
        "DELETE FROM signature",
    ],
)
def test_a_backup_changed_after_signing_is_refused(stick: Path, tmp_path: Path, statement: str) -> None:
    _change(stick, statement, signed=True)
    assert "use another backup" in _refused(stick, tmp_path) or "entry 3" in _refused(stick, tmp_path)


def test_an_unknown_head_needs_confirmation(home: Path, stick: Path, tmp_path: Path) -> None:
    asked: list[BackupPreview] = []

    def agree(offered: BackupPreview) -> bool:
        asked.append(offered)
        return len(asked) > 1

    with pytest.raises(InputError, match="nothing was restored"):
        restore(stick, tmp_path / "spare", agree=agree)
    assert not (tmp_path / "spare").exists()
    own = signing_key_and_trusted_heads.own_signer(home / "data").fingerprint
    assert (asked[0].origin.fingerprint, asked[0].origin.known) == (own, False)
    done = restore(stick, tmp_path / "spare", agree=agree)
    assert done.fingerprint != own  # the spare machine signs with its own key
    for folder in (tmp_path / "spare", home / "data"):  # accepted permanently on this machine; so is the head itself
        assert restore(stick, folder, agree=_nobody).origin.known
    assert restore(stick, tmp_path / "third", made_by=own.replace("-", " "), agree=_nobody).origin.known
    with pytest.raises(InputError, match=f"signed by the head {own}"):
        restore(stick, tmp_path / "fourth", made_by="1" * 20, agree=_nobody)
    _change(stick)
    with pytest.raises(InputError, match="signed by no head"):
        restore(stick, tmp_path / "fourth", made_by=own, agree=_nobody)
    assert restore(stick, tmp_path / "spare", agree=agree).origin.fingerprint == "" and len(asked) == 3


def test_a_backup_that_changes_after_confirmation_is_refused(stick: Path, tmp_path: Path) -> None:
    """A stick may give other bytes when it is copied than when it was checked."""

    def agree(offered: BackupPreview) -> bool:
        _change(stick, "INSERT INTO records VALUES (1, 1, 'e', 1, 'event', '{}')")
        return True

    with pytest.raises(InputError, match="changed while it was read"):
        restore(stick, tmp_path / "spare", agree=agree)
    assert {file.name for file in (tmp_path / "spare").iterdir()} == {"head.lock"}


# the command


def _answered(answer: bytes, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command at a terminal, where somebody types the answer."""
    near, far = pty.openpty()
    with os.fdopen(near, "wb"), os.fdopen(far, "rb") as terminal:
        os.write(near, answer)
        command = [sys.executable, "-c", KIOSK, *map(str, arguments)]
        return subprocess.run(command, stdin=terminal, capture_output=True, text=True, timeout=HANGS_S)


def test_restoring_needs_one_command_and_one_confirmation(home: Path, stick: Path, tmp_path: Path) -> None:
    own, spare = signing_key_and_trusted_heads.own_signer(home / "data").fingerprint, tmp_path / "spare"
    assert own in kiosk("backup", home / "head.toml", stick.parent).stdout
    alone = kiosk("restore", stick, spare)
    assert (alone.returncode, alone.stdout, alone.stderr.count("\n")) == (2, "", 1)
    assert f"--from {own}" in alone.stderr and not spare.exists()
    no = _answered(b"\n", "restore", stick, spare)
    assert no.returncode == 2 and own in no.stderr and not spare.exists()
    yes = _answered(b"y\n", "restore", stick, spare, "--json")
    assert yes.returncode == 0 and "この機械が知らない本部" in yes.stderr
    told = json.loads(yes.stdout)
    assert told["made_by"]["fingerprint"] == own and not told["made_by"]["known"]
    once = _answered(b"y\n", "restore", stick, tmp_path / "once")
    assert once.returncode == 0 and (once.stderr + once.stdout).count(own) == 1
    again = kiosk("restore", stick, spare)
    assert again.returncode == 0 and "Made by this hall's head" in again.stdout and told["fingerprint"] in again.stdout
    _change(stick)
    unsigned = kiosk("restore", stick, tmp_path / "other", "--foreign")
    assert unsigned.returncode == 0 and "署名のないバックアップ" in unsigned.stdout


@pytest.mark.parametrize("journals", [2, 3])
def test_journals_are_bounded_for_each_venue(
    stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journals: int
) -> None:
    rows = [(venue, table) for venue in ("a", "b") for table in range(1, journals + 1)]
    add = "INSERT INTO venue_records VALUES (?, ?, 'e', 1, 'event', '{}', 1)"
    _change(stick, *((add, row) for row in rows))
    monkeypatch.setattr(untrusted_store_reader_and_digest, "MAX_JOURNALS", 2)
    if journals > 2:
        assert "more than 2 journals" in _refused(stick, tmp_path)
        return
    with untrusted_store_reader_and_digest.open_untrusted(stick):
        pass
