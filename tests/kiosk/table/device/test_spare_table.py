"""Tests of a spare that replaces a table in the middle of a game, from the head's records."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from commands.called import kiosk
from tables.rig import LEFT, RIGHT, TableRig

from engine.i18n import say
from engine.match.match_value_types import Phase, Seat
from kiosk.head.store import Store
from kiosk.link.link_messages import Command, TroubleInfo
from kiosk.table.device.table_identity_and_takeover import NOTICE_FILE
from kiosk.table.journal.segment_files_and_recovery import recover
from kiosk.table.table_assembly import read_notice


def test_the_game_continues_at_the_spare_from_the_head_s_records(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    old = TableRig(tmp_path / "old")
    old.press(LEFT)
    old.phase(Phase.READY)
    for gpio, side in ((RIGHT, Seat.LEFT), (LEFT, Seat.RIGHT), (RIGHT, Seat.LEFT)):
        old.press(gpio)
        old.until(lambda state, side=side: state.match is not None and state.match.clock.running is side, "switched")
    old.until(lambda state: state.saved, "saved")
    before, journal = old.match, old.table.journal
    store = Store(tmp_path / "head")
    records = journal.records_after(0, 1000)
    have, _ = store.commit_records(1, journal.epoch, records).result()
    old.press(LEFT)  # the head never receives this one
    old.close()

    code, out, err = kiosk(
        capsys, "journal", "rebuild", "--head", tmp_path / "head", "--table", 1, "--out", tmp_path / "new", "--json"
    )
    assert (code, err) == (0, "")
    assert json.loads(out) == {"table": 1, "epoch": journal.epoch, "records": have, "last": "event"}
    found = recover(tmp_path / "new" / "journal")
    assert (found.epoch, found.acknowledged, found.saved, found.damaged) == (journal.epoch, have, have, False)

    spare = TableRig(tmp_path / "new")
    spare.phase(Phase.HOLD)
    assert spare.match.turns == before.turns
    for seat in Seat:
        running = before.clock.since_ns  # the running side is charged to the last event that the head has
        assert spare.match.remaining_ns(seat, running) == before.remaining_ns(seat, running)
    spare.order(Command("r", "arbiter", body={"action": "resume", "reason": "the spare is here"}))
    spare.phase(Phase.TURN)
    spare.until(lambda state: state.saved, "saved")
    after = [record.seq for record in spare.table.journal.records_after(have, 100)]
    assert after == list(range(have + 1, have + 1 + len(after)))
    assert store.commit_records(1, journal.epoch, spare.table.journal.records_after(have, 100)).result()[0] > have
    spare.close()
    store.close()


def test_the_notice_is_shown_until_the_arbiter_resumes_the_game(tmp_path: Path) -> None:
    """It is shown again after restarts."""
    before = TableRig(tmp_path)
    before.press(LEFT)
    before.phase(Phase.READY)
    before.press(RIGHT)
    before.phase(Phase.TURN)
    before.close()
    (tmp_path / NOTICE_FILE).write_bytes(msgspec.json.encode(TroubleInfo("spare", say("A spare."))))
    for first in (True, False):
        spare = TableRig(tmp_path)
        spare.phase(Phase.HOLD)
        spare.until(lambda state: "spare" in [trouble.kind for trouble in state.troubles], "the notice")
        if first:
            spare.close()
    spare.order(Command("r", "arbiter", body={"action": "resume", "reason": "the spare is here"}))
    spare.until(lambda state: not state.troubles, "the notice to go")
    assert spare.match.phase is Phase.TURN and read_notice(tmp_path) is None
    spare.close()


def test_a_journal_that_cannot_be_rebuilt_is_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rebuild = ("journal", "rebuild", "--table", 3, "--out", tmp_path / "new", "--head")
    assert "not there" in kiosk(capsys, *rebuild, tmp_path)[2]
    store = Store(tmp_path / "head")
    code, _, err = kiosk(capsys, *rebuild, tmp_path / "head")
    assert (code, err.count("\n")) == (2, 1)
    assert "no record of table 3" in err
    store.close()
