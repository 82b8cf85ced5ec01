"""Tests of backups of a head: complete or absent, usable on a spare machine, and restored only over older data."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from heads.backups import fill_store, head_folder, written_meanwhile
from heads.process import kiosk
from heads.staff import first_chief
from heads.world import PlayedTable, event, quick_card, running_head
from messages.bilingual import both
from waiting import until

from engine.tournament.event_model import Winner
from kiosk.errors import InputError
from kiosk.head.backup.non_database_files_and_config_checks import LARGEST_PHOTOGRAPH
from kiosk.head.backup.restore import restore
from kiosk.head.backup.second_disk_backup import PERIOD_S, AutoBackup, BackupProgress
from kiosk.head.backup.signed_backup_creation import BACKUP_FILE, back_up
from kiosk.head.federation.venue_keys import load_venues, new_key, save_venues
from kiosk.head.head_config import HeadConfig, load_config
from kiosk.head.program import HeadApplication, build_head
from kiosk.head.store import Store
from kiosk.head.store.store_backup_check_and_restore import StoreExtent, extent, reading
from kiosk.link.table_keys import load_keys, new_keys, save_keys
from kiosk.records.event_file import to_dict


@pytest.fixture
def config(tmp_path: Path) -> HeadConfig:
    """A head's folder with a store of three operator events and five records."""
    config = head_folder(tmp_path, '[table]\nmain_s = 900\noptions = {a = "黒"}\n')
    _write(config.data, 3)
    return config


def _write(data: Path, events: int, records: int = 5, epoch: str = "e") -> None:
    fill_store(Store(data), events, records, epoch)


PHOTOGRAPH = b"\xff\xd8\xff a board"


def _keep(config: HeadConfig, content: bytes, name: str = "") -> str:
    """Store a photograph as the head does for a ruling."""
    folder = config.data / "photographs"
    folder.mkdir(exist_ok=True)
    name = name or hashlib.sha256(content).hexdigest()
    (folder / f"{name}.jpg").write_bytes(content)
    return f"photographs/{name}.jpg"


def _dump(store: Path) -> list[str]:
    with closing(sqlite3.connect(store)) as connection:
        lines = list(connection.iterdump())
    return [
        line for line in lines if "carried_files" not in line and "'trail'" not in line
    ]  # a restored store begins another life


def test_a_backup_restores_a_whole_head_for_its_owner_only(config: HeadConfig, tmp_path: Path) -> None:
    # other files of the head beside its store
    learnt = {"roster.json": b"[]", "endings.json": b'{"f5d6": [2, -2]}', "registrations.json": b"{}"}
    for name, content in learnt.items():
        (config.data / name).write_bytes(content)
    made = back_up(config, tmp_path / "stick")
    assert made.file == tmp_path / "stick" / BACKUP_FILE and (made.extent.events, made.extent.records) == (3, 5)
    assert [file.name for file in (tmp_path / "stick").iterdir()] == [BACKUP_FILE]  # one file and no partial one
    done = restore(tmp_path / "stick", tmp_path / "spare")
    for file in (made.file, *(done.folder / name for name in done.files)):
        assert file.stat().st_mode & 0o777 == 0o600, file
    assert _dump(tmp_path / "spare/head.sqlite") == _dump(tmp_path / "data/head.sqlite")
    spare = load_config(tmp_path / "spare/head.toml")
    assert spare.data == tmp_path / "spare" and spare.table == config.table and spare.port == config.port
    assert load_keys(spare.keys) == load_keys(config.keys)
    assert [file.read_bytes() for file in spare.events] == [file.read_bytes() for file in config.events] != []
    assert {name: (spare.data / name).read_bytes() for name in learnt} == learnt
    Store(spare.data).close()


def test_a_backup_has_federation_files_and_no_machine_secrets(config: HeadConfig, tmp_path: Path) -> None:
    """The TLS certificate, the address of a database, publish targets and the command of an engine belong to the
    machine and are not in a backup."""
    for name in ("venues.json", "osaka.json"):
        save_venues(tmp_path / name, {"osaka": new_key()})
    for name in ("cert.pem", "key.pem", "federation.pem"):
        (tmp_path / name).write_text(name)
    toml = tmp_path / "head.toml"
    more = 'url = "https://x"\nvenue = "osaka"\nkey = "osaka.json"\ncertificate = "federation.pem"\n'
    more = f'[federation]\n{more}[tls]\ncertificate = "cert.pem"\nkey = "key.pem"\n'
    more += '[publish]\nto = "out"\n[relay]\nto = "out"\n[analysis]\nengine = ["edax"]\n'
    toml.write_text('venues = "venues.json"\n' + toml.read_text() + more)
    made = back_up(toml, tmp_path / "stick")
    restore(tmp_path / "stick", tmp_path / "spare")
    spare = load_config(tmp_path / "spare/head.toml")
    assert (spare.publish, spare.relay, spare.analysis) == (None, None, None)
    assert spare.tls is None and b"key.pem" not in made.file.read_bytes()
    assert spare.venues and load_venues(spare.venues) == load_venues(tmp_path / "venues.json")
    assert spare.federation and load_venues(spare.federation.key) == load_venues(tmp_path / "osaka.json")
    assert spare.federation.certificate and spare.federation.certificate.read_text() == "federation.pem"


def test_a_backup_of_a_data_directory_holds_the_store_only(config: HeadConfig, tmp_path: Path) -> None:
    back_up(config.data, tmp_path / "one.backup")
    assert restore(tmp_path / "one.backup", tmp_path / "spare").files == ("head.sqlite",)
    Store(tmp_path / "spare").close()


def test_a_backup_of_a_running_head_is_consistent(config: HeadConfig, tmp_path: Path) -> None:
    """Each backup contains what was committed when it began, and none blocks the writer."""
    with written_meanwhile(Store(config.data)):
        seen = [back_up(config, tmp_path / "stick").extent.records for _ in range(2)]
    assert seen == sorted(seen) and seen[-1] > seen[0]
    assert [file.name for file in (tmp_path / "stick").iterdir()] == [BACKUP_FILE]  # each contained the one before


def test_a_damaged_backup_is_refused_and_changes_nothing(config: HeadConfig, tmp_path: Path) -> None:
    file = back_up(config, tmp_path / "stick").file
    whole = file.read_bytes()
    _write(tmp_path / "spare", 1, 0)
    before = _dump(tmp_path / "spare/head.sqlite")
    for cut in (0, 10, 4096, len(whole) // 2, len(whole) - 4096):
        file.write_bytes(whole[:cut])
        with pytest.raises(InputError):
            restore(file, tmp_path / "spare", force=True)
    file.write_bytes(whole)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DROP TRIGGER operator_events_no_update")
        connection.execute("UPDATE operator_events SET body = '{\"n\":7}' WHERE number = 2")
    with pytest.raises(InputError, match="entry 2"):
        restore(file, tmp_path / "spare", force=True)
    assert _dump(tmp_path / "spare/head.sqlite") == before


@pytest.mark.parametrize(("events", "records", "epoch"), [(1, 0, "e"), (0, 1, "e"), (0, 1, "other")])
def test_restore_over_newer_data_is_refused_and_forced_keeps_a_copy(
    config: HeadConfig, tmp_path: Path, events: int, records: int, epoch: str
) -> None:
    back_up(config, tmp_path / "stick")
    restore(tmp_path / "stick", tmp_path / "spare")
    _write(tmp_path / "spare", events, records, epoch)
    with pytest.raises(InputError, match=rf"holds {3 + events} operator events.* {5 + records} records.*--force"):
        restore(tmp_path / "stick", tmp_path / "spare")
    newer = _dump(tmp_path / "spare/head.sqlite")
    kept = restore(tmp_path / "stick", tmp_path / "spare", force=True).kept
    assert [_dump(file) for file in kept] == [newer]
    assert _dump(tmp_path / "spare/head.sqlite") == _dump(tmp_path / "data/head.sqlite")


def test_restore_replaces_an_older_store_unless_a_head_runs(config: HeadConfig, tmp_path: Path) -> None:
    back_up(config, tmp_path / "old")
    restore(tmp_path / "old", tmp_path / "spare")
    _write(config.data, 2)
    back_up(config, tmp_path / "stick")
    running = Store(tmp_path / "spare")
    with pytest.raises(InputError, match="a head is running there"):
        restore(tmp_path / "stick", tmp_path / "spare", force=True)
    running.close()
    assert restore(tmp_path / "stick", tmp_path / "spare").extent.events == 5


def test_another_events_backup_on_the_stick_is_kept(config: HeadConfig, tmp_path: Path) -> None:
    """The first backup of a head that lost its disk does not overwrite the good one."""
    file = back_up(config, tmp_path / "stick").file
    good = file.read_bytes()
    shutil.rmtree(config.data)
    _write(config.data, 1)
    back_up(config, tmp_path / "stick")
    assert file.with_name(f"{BACKUP_FILE}.kept-1").read_bytes() == good
    with reading(file, quiet=True) as connection:
        assert extent(connection).events == 1


def test_backups_are_made_after_each_round_and_every_half_minute(config: HeadConfig, tmp_path: Path) -> None:
    now, at = [0.0], [BackupProgress(0, 10)]
    keeper = AutoBackup(config, tmp_path / "stick", lambda: at[0], monotonic_s=lambda: now[0])
    assert keeper.is_due()
    keeper.save()
    assert not keeper.is_due()
    at[0], now[0] = BackupProgress(0, 11), PERIOD_S - 1
    assert not keeper.is_due()
    now[0] = PERIOD_S
    assert keeper.is_due()
    at[0], now[0] = BackupProgress(1, 12), 1.0
    assert keeper.is_due()  # publishing a round waits for no backup


def test_a_missing_stick_is_reported_and_tried_again(config: HeadConfig, tmp_path: Path) -> None:
    now = [0.0]
    keeper = AutoBackup(config, tmp_path / "usb/othello", lambda: BackupProgress(1, 1), monotonic_s=lambda: now[0])
    keeper.save()
    assert keeper.trouble and "usb/othello" in both(keeper.trouble) and "バックアップ" in both(keeper.trouble)
    assert not keeper.is_due()
    (tmp_path / "usb").mkdir()
    now[0] = PERIOD_S
    assert keeper.is_due()
    keeper.save()
    assert keeper.trouble is None or "same disk" in str(keeper.trouble)
    assert (tmp_path / "usb/othello" / BACKUP_FILE).is_file()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 200 KB."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", place], capture_output=True)
    if mounted.returncode:
        pytest.skip("a small disk can be mounted by root only")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_stick_keeps_the_last_good_backup(config: HeadConfig, small_disk: Path) -> None:
    keeper = AutoBackup(config, small_disk, lambda: BackupProgress(1, 1))
    keeper.save()
    assert keeper.trouble is None  # the small disk is a file system of its own
    good = (small_disk / BACKUP_FILE).read_bytes()
    (small_disk / "photos").write_bytes(os.urandom(100_000))
    _write(config.data, 300)
    keeper.save()
    assert keeper.trouble and "full" in str(keeper.trouble)
    assert (small_disk / BACKUP_FILE).read_bytes() == good
    assert sorted(file.name for file in small_disk.iterdir()) == [BACKUP_FILE, "photos"]


def test_the_desk_shows_a_backup_failure_and_the_head_continues(tmp_path: Path) -> None:
    with running_head(tmp_path, backup=tmp_path / "usb/othello") as (program, url), httpx.Client(base_url=url) as web:
        first_chief(web, program.access.setup_code)
        until(lambda: "No backup can be made" in web.get("/desk?lang=en").text)
        assert "バックアップができません" in web.get("/desk?lang=ja").text
        assert "othello" not in web.get("/?lang=en").text.lower().replace("オセロ", "")  # spectators are not notified
        program.desk.rounds.publish(program.desk.rounds.draft().digest)
        assert len(program.desk.state.first.rounds) == 1


# FAULTS.md 17


def _tables(head: HeadApplication, others: list[PlayedTable] | None = None) -> list[PlayedTable]:
    if others is None:
        return [PlayedTable(number, head.devices.collection) for number in head.desk.tables]
    for table in others:  # the same tables connect to the restored head and send what it lacks
        table.collection = head.devices.collection
        have = head.devices.collection.last_committed_seq(table.number, table.epoch)
        head.devices.collection.commit(table.number, table.epoch, table.sent[have:])
    return others


def _quick_round(head: HeadApplication, tables: list[PlayedTable], but: int = 0) -> None:
    published = len(head.desk.state.first.rounds)
    head.desk.rounds.publish(head.desk.rounds.draft().digest)
    for table in tables:
        given = [command for command in table.execute_commands() if command.kind == "assign"]
        if given and table.number > but:
            table.send("card", quick_card(given[-1], 30 + 3 * ((table.number + published) % 6)))
    head.desk.process_pending()


@pytest.mark.fault(17, "head restored from an hour-old backup, and from an empty disk, in the middle of round 4")
@pytest.mark.parametrize("backup_after", [None, 2])
def test_a_restored_head_recovers_the_identical_event(tmp_path: Path, backup_after: int | None) -> None:
    """No result that the tables have is entered again: after one confirmation at the desk, the rounds that tables have
    begun are published automatically."""
    (tmp_path / "event.json").write_text(json.dumps(event()))
    config = HeadConfig(data=tmp_path / "data", keys=tmp_path / "keys.json", event=tmp_path / "event.json", port=0)
    keys = new_keys(range(1, 9))
    save_keys(config.keys, keys)
    lost = build_head(config, keys).start()
    tables = _tables(lost)
    for round in (1, 2, 3):
        _quick_round(lost, tables)
        if round == backup_after:
            back_up(config, tmp_path / "stick")
    _quick_round(lost, tables, but=3)
    tables[0].play(20)
    until(lambda: sum(game.is_open for game in lost.desk.state.current) == 3)
    before, views = lost.desk.state, lost.live.views()
    lost.close()

    if backup_after is None:
        spare = HeadConfig(data=tmp_path / "empty", keys=config.keys, event=config.event, port=0)
    else:
        restore(tmp_path / "stick", tmp_path / "spare")
        spare = load_config(tmp_path / "spare/head.toml")
    head = build_head(spare, load_keys(spare.keys)).start()
    try:
        for table in reversed(tables):  # the tables reconnect in any order
            _tables(head, [table])
        _follow(head)
        until(lambda: to_dict(head.desk.state.first.whole()) == to_dict(before.first.whole()))
        until(lambda: head.desk.state.current == before.current)  # each game is assigned to its table
        after = head.live.views()
        assert [(v.game, v.board, v.move_number) for v in after] == [(v.game, v.board, v.move_number) for v in views]
        assert not any(command.kind == "assign" for table in tables for command in table.execute_commands())
        for table in tables[:3]:
            table.finish() if table.number == 1 else table.send("card", quick_card_of(table))
        until(lambda: head.desk.state.first.round_is_complete)
        assert (
            head.desk.rounds.draft().round == 5 and len(head.desk.state.first.rounds) == 4
        )  # the next round is published by the operator
    finally:
        head.close()


def _follow(head: HeadApplication) -> None:
    """Check that nothing is published before the desk confirms the tables' reports; then confirm them."""
    rounds = len(head.desk.state.first.rounds)
    until(lambda: bool(head.desk.claims.to_follow()))
    assert len(head.desk.state.first.rounds) == rounds
    head.desk.claims.follow_tables()


def quick_card_of(table: PlayedTable) -> dict[str, object]:
    black, white = table.assignment.players
    return {
        "game": table.assignment.game, "winner": "black", "black_id": black.id, "white_id": white.id,
        "black_discs": 40, "white_discs": 24, "end": "normal", "rated": True,
    }  # fmt: skip


def test_a_round_that_differs_from_the_tables_is_left_to_the_operator(tmp_path: Path) -> None:
    """No table has a manual correction made after the backup, so the head reports the difference and publishes nothing
    automatically."""
    (tmp_path / "event.json").write_text(json.dumps(event()))
    config = HeadConfig(data=tmp_path / "data", keys=tmp_path / "keys.json", event=tmp_path / "event.json", port=0)
    lost = build_head(config, new_keys(range(1, 9))).start()
    tables = _tables(lost)
    _quick_round(lost, tables)
    game = next(game for game in lost.desk.state.current if game.outcome and game.outcome.black_discs != 32)
    turned = replace(
        game.outcome,
        winner=Winner.WHITE if game.outcome.winner is Winner.BLACK else Winner.BLACK,
        black_discs=game.outcome.white_discs,
        white_discs=game.outcome.black_discs,
    )
    lost.desk.results.correct(game.id, turned, "the other way round")
    _quick_round(lost, tables, but=8)
    lost.close()
    empty = HeadConfig(data=tmp_path / "empty", keys=config.keys, event=config.event, port=0)
    head = build_head(empty, new_keys(range(1, 9))).start()
    try:
        _tables(head, tables)
        _follow(head)
        until(lambda: "not as it would be paired now" in str(head.desk.core.problems.get("main", "")))
        assert len(head.desk.state.first.rounds) == 1
    finally:
        head.close()


# commands


def test_the_commands_report_what_they_did(config: HeadConfig, tmp_path: Path) -> None:
    toml = config.keys.with_name("head.toml")
    made = kiosk("backup", toml, tmp_path / "stick", "--json")
    assert made.returncode == 0 and json.loads(made.stdout)["events"] == 3
    done = kiosk("restore", tmp_path / "stick", tmp_path / "spare", "--from", json.loads(made.stdout)["fingerprint"])
    assert done.returncode == 0 and f"kiosk head --config {tmp_path}/spare/head.toml" in done.stdout
    for args in (
        ("backup", tmp_path / "nothing", tmp_path / "stick"),
        ("backup", toml, tmp_path / "no/such/folder"),
        ("restore", tmp_path / "nothing", tmp_path / "spare"),
        ("restore", config.keys, tmp_path / "spare"),
        ("audit", "verify", tmp_path / "nothing"),
    ):
        ended = kiosk(*args)
        assert (ended.returncode, ended.stdout) == (2, "") and ended.stderr.count("\n") == 1, (args, ended)


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ("UPDATE operator_events SET body = 'nonsense' WHERE number = 3", 3),
        ("UPDATE operator_events SET hash = previous WHERE number = 2", 2),
        ("DELETE FROM operator_events WHERE number = 1", 1),
    ],
)
def test_audit_verify_names_the_first_broken_entry(config: HeadConfig, change: str, broken: int) -> None:
    whole = kiosk("audit", "verify", config.data)
    assert whole.returncode == 0 and whole.stdout.startswith("intact: 3 entries")
    with closing(sqlite3.connect(config.data / "head.sqlite")) as connection, connection:
        connection.execute("DROP TRIGGER operator_events_no_update")
        connection.execute("DROP TRIGGER operator_events_no_delete")
        connection.execute(change)
    bent = kiosk("audit", "verify", config.data, "--json")
    assert bent.returncode == 1 and json.loads(bent.stdout)["first_broken"] == broken


def test_the_photographs_of_rulings_are_in_the_backup_within_bounds(config: HeadConfig, tmp_path: Path) -> None:
    """Only files with a valid name, content and size are included; the restored head finds them in its folder."""
    kept = _keep(config, PHOTOGRAPH)
    left = [_keep(config, PHOTOGRAPH + bytes(LARGEST_PHOTOGRAPH)), _keep(config, PHOTOGRAPH, "0" * 64)]
    assert "photographs" in back_up(config, tmp_path / "stick").carried
    done = restore(tmp_path / "stick", tmp_path / "spare")
    assert "photographs" in done.files
    assert (tmp_path / "spare" / kept).read_bytes() == PHOTOGRAPH
    assert not any((tmp_path / "spare" / name).exists() for name in left)
    back_up(config, tmp_path / "stick")
    restore(tmp_path / "stick", tmp_path / "spare")  # restored over the head itself
    assert [file.name for file in (tmp_path / "spare" / "photographs").iterdir()] == [Path(kept).name]


@pytest.mark.parametrize("at", ["", "no time", "9999-12-31T23:59:59+00:00", "2031-04-05T01:02:03"])
def test_the_extent_of_a_backup_names_any_time_that_it_holds(at: str) -> None:
    """An untrusted backup may hold any text as its last time."""
    assert str(StoreExtent(3, "", at, {(1, "e"): 5}).description()).startswith("3 operator events, the last at ")
