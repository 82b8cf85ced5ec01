"""Tests that journals whose messages are texts in two languages, not templates, are still read."""

from __future__ import annotations

from pathlib import Path

from engine.match.match_events_and_effects import Action
from kiosk.link.link_messages import TableRecord, localize_reason
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.table.arbiter.arbiter_screen_forms_to_orders import REASONS, recorded_reason
from kiosk.table.game.journaled_state_and_recovery import recover_state
from kiosk.table.journal.journal_and_link_outbox import rebuild_journal
from kiosk.table.journal.segment_files_and_recovery import recover
from kiosk.table.state import TableState

PLAYERS = [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]
ASSIGNMENT = {
    "game": "g", "event": "e", "division": "open", "round": 1, "table": 1, "rules": "m43", "stage": "league",
    "label_ja": "予選", "label_en": "League", "main_s": 600, "designated": True, "players": PLAYERS,
}  # fmt: skip
REASON = "Clock pressed by mistake, or not pressed / 時計の押し間違い・押し忘れ"
TROUBLE = {"kind": "journal-disk-full", "ja": "ディスクがいっぱいです。", "en": "The disk is full."}


def event_body(event: dict[str, object]) -> dict[str, object]:
    return {"game": "g", "revision": 1, "event": event}


RECORDS = [
    TableRecord(1, "assigned", {"assignment": ASSIGNMENT, "has_board_source": False}),
    TableRecord(2, "trouble", TROUBLE),
    TableRecord(3, "seated", {"at": {"left": 0, "right": 1}}),
    TableRecord(
        4,
        "event",
        {"game": "g", "revision": 1, "event": {"type": "seats", "at_ns": 0, "black_seat": "left", "draw_right": None}},
    ),
    TableRecord(5, "event", event_body({"type": "press", "at_ns": 1, "seat": "right"})),
    TableRecord(
        6,
        "event",
        {"game": "g", "revision": 1, "event": {"type": "arbiter", "at_ns": 2, "action": "hold", "reason": REASON}},
    ),
]


def test_alarms_and_reasons_in_two_languages_are_read(tmp_path: Path) -> None:
    rebuild_journal(tmp_path / "journal", "0123456789abcdef", RECORDS)
    match = recover_state(TableState(table=1), recover(tmp_path / "journal").entries).state.match
    assert match is not None
    (ruling,) = match.arbiter_log
    assert (ruling.action, ruling.reason) == (Action.HOLD, REASON)
    assert render(localize_reason(ruling.reason), JAPANESE) == render(REASONS[0], JAPANESE)
    assert render(localize_reason(ruling.reason), ENGLISH) == "Clock pressed by mistake, or not pressed"


def test_a_reason_in_the_present_format_is_read_in_both_languages() -> None:
    assert render(localize_reason(recorded_reason(0)), JAPANESE) == render(REASONS[0], JAPANESE)
    assert render(localize_reason("code 12"), JAPANESE) == "code 12"
