"""Tests of a table without a key: its enrolment screen, and what happens to its former journal."""

from __future__ import annotations

import asyncio
from pathlib import Path
from unittest.mock import create_autospec

import msgspec
import pytest
import segno

from engine.i18n import say
from kiosk.errors import InputError
from kiosk.link.endpoints import table_key_acquisition
from kiosk.link.endpoints.table_key_acquisition import enrolment_url, page_url
from kiosk.link.enrolment import GrantedKey
from kiosk.link.errors import KeyFileError, RemoteProtocolError
from kiosk.link.link_messages import Assignment, PlayerInfo, TableRecord
from kiosk.link.table_keys import load_keys, new_keys, save_keys
from kiosk.link.websocket_transport import WebSocketTransport
from kiosk.locale import render_both
from kiosk.table.device.pre_start_and_enrolment_screens import qr_modules
from kiosk.table.device.table_identity_and_takeover import become_table, needs_key, own_epoch, with_number
from kiosk.table.journal.journal_and_link_outbox import Journal
from kiosk.table.journal.segment_files_and_recovery import recover
from kiosk.table.scene import Box
from kiosk.table.table_assembly import forget_notice, read_notice
from kiosk.table.table_config import HeadAddress, TableConfig
from kiosk.table.views.enrolment_view import EnrolmentViewModel, enrolment_scene

URL = "http://192.168.10.1:8043/devices/ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SIZES = [(800, 480), (480, 800), (1920, 1080), (1024, 600)]
STATES = [
    EnrolmentViewModel(7, "192.168.10.1:8043"),
    EnrolmentViewModel(0, "192.168.10.1:8043", cable=True),
    EnrolmentViewModel(7, "h", qr_modules(URL), "ABCDEFGH"),
    EnrolmentViewModel(0, "h", qr_modules(URL), "ABCDEFGH", "004711"),
    EnrolmentViewModel(7, "h", qr_modules(URL), "ABCDEFGH", "004711", agreed=True),
    EnrolmentViewModel(
        7,
        "h",
        problem=render_both(
            say("the head's nonce is not the one it had committed to; someone may be intercepting the connection")
        ),
    ),
]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("state", STATES, ids=range(len(STATES)))
def test_all_items_are_on_the_screen_in_both_languages_without_overlap(
    state: EnrolmentViewModel, size: tuple[int, int]
) -> None:
    [panel] = enrolment_scene(state, size).panels
    for item in panel.items:
        assert panel.local.contains(item.box)
    words = [item for item in panel.items if item.name in ("title", "message", "letters", "problem")]
    ground = panel.named("qr-ground") or panel.named("no-link")
    for one in words:
        assert not one.box.overlaps(ground[0].box)
        assert not any(one.box.overlaps(other.box) for other in words if other is not one)
    assert len(panel.texts("message")) == 2
    assert ("004 711" in panel.texts()) == bool(state.code)


def test_the_drawn_qr_code_is_readable() -> None:
    """Every module is as a camera sees it: dark where a box is, with a quiet zone of four modules."""
    [panel] = enrolment_scene(STATES[3], (800, 480)).panels
    wanted = segno.make_qr(URL, error="m").matrix
    [ground] = panel.named("qr-ground")
    module = ground.box.w // (len(wanted) + 8)
    assert module >= 6, "to be read by a phone at arm's length"
    dark = {
        ((box.x - ground.box.x) // module - 4 + at, (box.y - ground.box.y) // module - 4)
        for item in panel.named("qr")
        if isinstance(item, Box)
        for box in [item.box]
        for at in range(box.w // module)
    }
    assert dark == {(x, y) for y, row in enumerate(wanted) for x, value in enumerate(row) if value}


def test_the_qr_code_has_the_table_s_address_of_the_head() -> None:
    assert enrolment_url("ws://192.168.0.10:8043/link") == "ws://192.168.0.10:8043/enrol"
    assert page_url("ws://192.168.0.10:8043/link", "ABC") == "http://192.168.0.10:8043/devices/ABC"
    assert page_url("wss://head.example/x/link", "ABC") == "https://head.example/x/devices/ABC"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_a_head_on_the_tables_own_machine_is_named_by_the_address_in_its_network(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """The QR code is for a phone: 127.0.0.1 would be the phone itself."""
    monkeypatch.setattr(table_key_acquisition, "network_addresses", lambda: ["10.42.0.1"])
    assert page_url(f"ws://{host}:8043/x/link", "ABC") == "http://10.42.0.1:8043/x/devices/ABC"
    monkeypatch.setattr(table_key_acquisition, "network_addresses", list)
    assert page_url(f"ws://{host}:8043/x/link", "ABC") == ""


def played(data: Path, table: int) -> str:
    """Play a game at a table's device; return the epoch of its journal."""
    journal = Journal(data / "journal").start()
    game = Assignment(
        "g1", "e", "", 1, table, "m43", "league", "", "", 600, True, [PlayerInfo("a", "A"), PlayerInfo("b", "B")]
    )
    journal.append("assigned", {"assignment": msgspec.to_builtins(game), "has_board_source": False})
    assert journal.flush(10)
    journal.close()
    return journal.epoch


def copy_of(data: Path, journal: str = "journal") -> tuple[TableRecord, ...]:
    return tuple(TableRecord(entry.seq, entry.type, entry.body) for entry in recover(data / journal).entries)  # type: ignore[arg-type]


def test_a_spare_renames_its_own_journal_and_begins_with_the_table_s(tmp_path: Path) -> None:
    before = played(tmp_path / "spare", 9)
    epoch = played(tmp_path / "old", 4)
    data, [key] = tmp_path / "spare", new_keys([4]).values()
    become_table(data, data / "key.json", GrantedKey(4, key, epoch, copy_of(tmp_path / "old")))
    assert own_epoch(data) == epoch
    assert recover(data / "journal-set-aside-1").epoch == before
    assert load_keys(data / "key.json") == {4: key}
    told = read_notice(data)
    assert told is not None and "move 0" in str(told.text)
    forget_notice(data)
    assert read_notice(data) is None
    become_table(data, data / "key.json", GrantedKey(9, key, before, copy_of(data, "journal-set-aside-1")))
    assert own_epoch(data) == before
    assert recover(data / "journal-set-aside-2").epoch == epoch, "nothing is ever removed"


def test_a_table_that_only_lost_its_key_keeps_its_journal_and_another_table_does_not(tmp_path: Path) -> None:
    epoch = played(tmp_path, 4)
    become_table(tmp_path, tmp_path / "key.json", GrantedKey(4, bytes(32), "", ()))
    assert own_epoch(tmp_path) == epoch
    become_table(tmp_path, tmp_path / "key.json", GrantedKey(5, bytes(32), "", ()))
    assert own_epoch(tmp_path) == ""
    assert recover(tmp_path / "journal-set-aside-1").epoch == epoch


def test_no_key_is_stored_if_the_journal_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    epoch = played(tmp_path / "old", 4)

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kiosk.table.device.table_identity_and_takeover.rebuild_journal", full)
    given = GrantedKey(4, bytes(32), epoch, copy_of(tmp_path / "old"))
    with pytest.raises(KeyFileError, match="see that the disk has room"):
        become_table(tmp_path / "new", tmp_path / "new" / "key.json", given)
    assert not (tmp_path / "new" / "key.json").exists()


def test_a_spare_has_the_number_of_its_key(tmp_path: Path) -> None:
    config = TableConfig(table=0, data=tmp_path, head=HeadAddress(tmp_path / "key.json", "ws://h/link"))
    assert needs_key(config)
    save_keys(tmp_path / "key.json", new_keys([12]))
    assert not needs_key(config)
    assert with_number(config).table == 12
    save_keys(tmp_path / "key.json", new_keys([1, 2]))
    with pytest.raises(InputError, match="2 keys"):
        with_number(config)


def test_a_refusal_is_shown_in_both_languages() -> None:
    shown, url = asyncio.Event(), "ws://192.168.10.1:8043/link"
    network = create_autospec(WebSocketTransport, instance=True)
    network.open.side_effect = RemoteProtocolError.saying("the head gave a key before this table's person agreed")
    acquisition = table_key_acquisition.KeyAcquisition(url, "", 0, 7, "", lambda given: None, shown.set)

    async def first_try() -> None:
        trying = asyncio.create_task(acquisition._over_network(network))
        await asyncio.wait_for(shown.wait(), 30)
        trying.cancel()

    asyncio.run(first_try())
    japanese, _, english = acquisition.view.problem.partition(" / ")
    assert not japanese.isascii() and english == "the head gave a key before this table's person agreed"
