"""Tests of backups of a head on PostgreSQL: the same file format, restored with or without a database server."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from heads.backups import fill_store, head_folder, written_meanwhile
from heads.process import kiosk
from sqlalchemy import text

from kiosk.commands.journal_export_rebuild_hand_in import copy_of_table
from kiosk.errors import InputError
from kiosk.head.backup.restore import restore
from kiosk.head.backup.signed_backup_creation import back_up, store_of
from kiosk.head.current_user import as_user
from kiosk.head.errors import StoreError
from kiosk.head.head_config import HeadConfig, load_config
from kiosk.head.store import CommandRow, Store


@pytest.fixture
def config(tmp_path: Path, postgres: Any) -> HeadConfig:
    """A head on PostgreSQL with three operator events, five records and a command."""
    config = head_folder(tmp_path, f'store = "{postgres.new()}"\n')
    store = Store(config.data, config.store)
    store.give([CommandRow("c1", 1, "assign", "g1")]).result(5)
    with as_user("佐藤"):
        fill_store(store, 3)
    return config


def _content_of(store: Store) -> tuple[Any, ...]:
    told = store.operator_events(), list(store.records()), store.commands()
    store.close()
    return told


def test_it_restores_to_a_file_and_to_another_database(config: HeadConfig, tmp_path: Path, postgres: Any) -> None:
    before = _content_of(Store(config.data, config.store))
    made = back_up(config, tmp_path / "stick")
    assert (made.extent.events, made.extent.records) == (3, 5)
    assert b"postgresql" not in made.file.read_bytes()  # the database's address may contain a password
    restore(tmp_path / "stick", tmp_path / "spare")
    assert load_config(tmp_path / "spare/head.toml").store == ""
    assert _content_of(Store(tmp_path / "spare")) == before

    other = postgres.new()
    restore(tmp_path / "stick", tmp_path / "second", store=other)
    second = load_config(tmp_path / "second/head.toml")
    assert second.store == other and not (tmp_path / "second/head.sqlite").exists()
    again = Store(second.data, second.store)
    again.give([CommandRow("c2", 1, "assign", "g2")]).result(5)  # the sequence numbers continue
    assert again.trail != Store(tmp_path / "spare").trail
    assert _content_of(again)[:2] == before[:2]
    with pytest.raises(InputError, match=r"holds a store already .3 operator events"):
        restore(tmp_path / "stick", tmp_path / "third", store=other)


def test_a_backup_of_a_running_head_is_consistent(config: HeadConfig, tmp_path: Path) -> None:
    with written_meanwhile(Store(config.data, config.store)):
        seen = [back_up(config, tmp_path / "stick").extent for _ in range(2)]
    records = [extent.records for extent in seen]
    assert records == sorted(records) and records[-1] > records[0]
    assert all(abs((extent.events - 3) - (extent.records - 5)) <= 1 for extent in seen)  # both lists are of one moment


def test_the_trail_in_the_database_is_verified_from_outside(config: HeadConfig) -> None:
    def verify() -> subprocess.CompletedProcess[str]:
        return kiosk("audit", "verify", config.keys.with_name("head.toml"), "--json")

    told = json.loads(verify().stdout)
    aside = told.pop("set_aside")
    assert told | {"last_hash": ""} == {
        "intact": True, "entries": 3, "last_hash": "", "first_broken": None, "why": None,
    }  # fmt: skip
    assert [(one["number"], one["kind"]) for one in aside] == [(1, "note"), (2, "note"), (3, "note")]
    store = Store(config.data, config.store)
    with store.reading() as connection:
        connection.execute(text("ALTER TABLE operator_events DISABLE TRIGGER ALL"))
        connection.execute(text("UPDATE operator_events SET person = 'somebody else' WHERE number = 2"))
        connection.commit()
    store.close()
    bent = verify()
    assert bent.returncode == 1 and json.loads(bent.stdout)["first_broken"] == 2


def test_a_spare_tables_journal_is_made_from_the_database(config: HeadConfig, tmp_path: Path) -> None:
    epoch, records = copy_of_table(store_of(config.keys.with_name("head.toml")), 1)
    assert (epoch, [record.seq for record in records]) == ("e", [1, 2, 3, 4, 5])
    with pytest.raises(StoreError, match="no record of table 2"):
        copy_of_table(store_of(config), 2)


def test_an_unreachable_database_is_reported_in_one_sentence(config: HeadConfig, tmp_path: Path) -> None:
    away = HeadConfig(data=config.data, keys=config.keys, store="postgresql://kiosk@/x?host=/nowhere")
    with pytest.raises(InputError) as refused:
        back_up(away, tmp_path / "stick")
    assert "\n" not in str(refused.value) and "PostgreSQL database x" in str(refused.value)
