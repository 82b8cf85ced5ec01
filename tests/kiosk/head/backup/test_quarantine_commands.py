"""Tests that ``kiosk backup`` and ``kiosk audit verify`` name what a head would quarantine, and that ``kiosk audit
set-aside`` quarantines a record while the head is down; from a file and from PostgreSQL alike."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from heads.backups import head_folder
from heads.process import kiosk
from heads.staff import chief_at
from heads.tournaments import RULES, DeskWorld
from heads.world import event
from waiting import until

from kiosk.head.desk import Desk
from kiosk.head.event.act_types import event_of
from kiosk.head.head_config import HeadConfig
from kiosk.head.store import Store
from kiosk.link.link_messages import TableRecord


@pytest.fixture
def config(request: pytest.FixtureRequest, tmp_path: Path) -> HeadConfig:
    """A head with a result of table 1 in its first round and two invalid records, as an earlier version stored.

    Its store is a file, or in PostgreSQL if the test is indirectly parametrised with True.
    """
    url = request.getfixturevalue("postgres").new() if getattr(request, "param", False) else ""
    config = head_folder(tmp_path, f'host = "127.0.0.1"\nstore = "{url}"\n')
    store = Store(config.data, url)
    hall = DeskWorld(store, Desk(store, range(1, 9)))
    hall.desk.divisions.create(event_of(event()), RULES)
    hall.publish("main")
    hall.hand_in(1)
    bad = [TableRecord(1, "card", {"game": "x", "v": float("nan")}), TableRecord(2, "trouble", {"kind": "k", "v": 1})]
    store.commit_records(8, "old", bad).result()
    store.close()
    return config


def test_backup_and_verify_name_records_to_be_quarantined(config: HeadConfig, tmp_path: Path) -> None:
    """The store is consistent, so both commands succeed, and name the record, its table and its journal."""
    toml = tmp_path / "head.toml"
    for done in (kiosk("backup", toml, tmp_path / "stick"), kiosk("audit", "verify", toml)):
        assert done.returncode == 0, done.stderr
        (line,) = [line for line in done.stdout.splitlines() if "is excluded" in line]
        assert "Record 1 of table 8 (card)" in line and line.endswith("Its journal is old.")
    made = json.loads(kiosk("backup", toml, tmp_path / "stick", "--json").stdout)
    told = json.loads(kiosk("audit", "verify", toml, "--json").stdout)
    of_copy = json.loads(kiosk("audit", "verify", made["backup"], "--json").stdout)
    assert made["set_aside"] == told["set_aside"] == of_copy["set_aside"] and told["intact"]
    (aside,) = told["set_aside"]
    assert (aside["table"], aside["epoch"], aside["seq"], aside["kind"]) == (8, "old", 1, "card")


@pytest.mark.parametrize("config", [True], indirect=True, ids=["postgresql"])
def test_a_record_is_quarantined_while_the_head_is_stopped(config: HeadConfig, tmp_path: Path) -> None:
    """Its result is removed, the desk shows it in both languages, the trail has person and reason; records of every
    type can be quarantined."""
    toml = tmp_path / "head.toml"
    done = kiosk("audit", "set-aside", toml, 1, "e", 2, "--reason", "typed by the wrong hands")
    assert done.returncode == 0 and "record 2 of table 1 is now excluded" in done.stdout, done.stderr
    assert kiosk("audit", "set-aside", toml, 8, "old", 2, "--reason", "trouble").returncode == 0
    for place, why in (
        ((1, "e", 2), "already excluded"),
        ((1, "e", 99), "no record 99 of table 1"),
        ((7, "e", 1), "no record 1 of table 7"),
        ((1, "no", 2), "no record 2 of table 1"),
    ):
        refused = kiosk("audit", "set-aside", toml, *place, "--reason", "x")
        assert refused.returncode == 2 and why in refused.stderr and refused.stderr.count("\n") <= 2, refused.stderr
    assert kiosk("audit", "set-aside", toml, 8, "old", 1, "--reason", " ").returncode == 2
    verified = json.loads(kiosk("audit", "verify", toml, "--json").stdout)
    assert verified["intact"]
    assert [(one["table"], one["seq"], one["kind"]) for one in verified["set_aside"]] == [
        (1, 2, "card"), (8, 2, "trouble"), (8, 1, "card"),
    ]  # fmt: skip
    with chief_at(tmp_path, store=config.store) as (_, web):
        games = web.get("/event.json").json()["rounds"][0]["games"]
        assert len(games) == 8 and not any("winner" in game for game in games)
        english, japanese = web.get("/desk?lang=en").text, web.get("/desk?lang=ja").text
        assert "Record 2 of table 1 (card) cannot be used and is excluded (typed by the wrong hands)" in english
        assert "1番卓の記録2(card)は使えないので除外しました(typed by the wrong hands)" in japanese
        when = re.compile(r"<small>\d\d-\d\d \d\d:\d\d:\d\d</small> \d番卓の記録")
        until(lambda: len(when.findall(web.get("/desk?lang=ja").text)) == 3)  # after startup
        assert "Record 2 of table 8 (trouble)" in english and "8番卓の記録2(trouble)" in japanese
        trail = web.get("/audit?lang=en").text
        assert "table record excluded" in trail and "console" in trail and "typed by the wrong hands" in trail
        refused = kiosk("audit", "set-aside", toml, 8, "old", 1, "--reason", "while it runs")
        assert refused.returncode == 2 and "head" in refused.stderr and refused.stderr.count("\n") <= 2
