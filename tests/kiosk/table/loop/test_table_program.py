"""Tests of the table program on simulated pins: one press, end to end (DESIGN.md 3)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tables.rig import LEFT, RIGHT, TableRig
from tables.states import match, table

from engine.board.color import Color
from engine.match.match_value_types import PendingPress, Phase, Seat
from hardware.real_and_simulated_time import ManualTime
from kiosk.link import no_connection_reasons
from kiosk.link.link_messages import Assignment, Command, PlayerInfo, to_dict
from kiosk.table.game.journaled_state_changes_and_recovery import JournaledTable, recover_state
from kiosk.table.game.match_steps_and_head_commands import TableGame
from kiosk.table.journal.journal_and_link_outbox import Journal, JournalCallbacks
from kiosk.table.journal.segment_files_and_recovery import recover
from kiosk.table.loop.button_processing_and_inbox import LinkChanged
from kiosk.table.state import TableState

MS = 1_000_000
MAIN_NS = 1_200_000_000_000


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[TableRig]:
    table = TableRig(tmp_path)
    yield table
    table.close()


def started(rig: TableRig) -> int:
    """Black sits left, White starts the clock; return the time of White's press."""
    rig.press(LEFT)
    rig.phase(Phase.READY)
    at_ns = rig.press(RIGHT)
    rig.phase(Phase.TURN)
    return at_ns


def assignment(game: str = "g1") -> Assignment:
    return Assignment(
        game=game, event="e", division="open", round=1, table=1, rules="m43", stage="league", label_ja="予選",
        label_en="League", main_s=600, designated=True, players=[PlayerInfo("p1", "A"), PlayerInfo("p2", "B")],
    )  # fmt: skip


def test_time_is_charged_from_edge_to_edge_to_the_nanosecond(rig: TableRig) -> None:
    """Promise 1: times are those of the button's edges, never those of a handler."""
    start_ns = started(rig)
    first_ns = rig.press(LEFT)
    rig.until(lambda _: rig.match.clock.running is Seat.RIGHT, "White's time runs")
    second_ns = rig.press(RIGHT)
    rig.until(lambda _: rig.match.clock.running is Seat.LEFT, "Black's time runs")
    assert rig.match.clock.left.left_ns == MAIN_NS - (first_ns - start_ns)
    assert rig.match.clock.right.left_ns == MAIN_NS - (second_ns - first_ns)


def test_a_press_out_of_turn_changes_nothing_and_is_not_journaled(rig: TableRig) -> None:
    started(rig)
    before = rig.match
    rig.press(RIGHT)
    rig.press(LEFT)  # the next press proves that the first one has been handled
    rig.until(lambda _: rig.match.clock.running is Seat.RIGHT, "White's time runs")
    assert rig.match.revision == before.revision + 1


def test_a_command_is_carried_out_once_and_its_outcome_is_a_record(rig: TableRig, tmp_path: Path) -> None:
    rig.order(Command("a", "assign", game="g1", body=to_dict(assignment())))
    rig.until(lambda state: state.assignment is not None and state.assignment.game == "g1", "the game is here")
    started(rig)
    rig.order(Command("a", "assign", game="g1", body=to_dict(assignment())))
    rig.order(Command("b", "assign", game="g2", body=to_dict(assignment("g2"))))
    rig.order(Command("c", "hold", game="g0", body={}))
    rig.order(Command("d", "hold", game="g1", revision=0, body={}))
    rig.order(Command("e", "arbiter", game="g1", body={"action": "deduct", "from": "black", "second": 5}))
    rig.order(Command("f", "hold", game="g1", body={"reason": "fire drill"}))
    rig.phase(Phase.HOLD)
    rig.until(lambda state: state.saved, "all is saved")
    outcomes = {
        entry.body["id"]: (entry.body["status"], json.dumps(entry.body["reason"]))
        for entry in recover(tmp_path / "journal").entries
        if entry.type == "command"
    }
    assert [outcomes[name][0] for name in "abcdef"] == ["applied", *["refused"] * 4, "applied"]
    assert "still being played" in outcomes["b"][1]
    assert "g0" in outcomes["c"][1]
    assert "revision" in outcomes["d"][1]
    assert "second" in outcomes["e"][1]


def test_the_replayed_journal_equals_the_live_state(rig: TableRig, tmp_path: Path) -> None:
    started(rig)
    for gpio in (LEFT, RIGHT, LEFT):
        running = rig.match.clock.running
        rig.press(gpio)
        rig.until(lambda _, running=running: rig.match.clock.running is not running, "the clock is switched")
    rig.until(lambda state: state.saved, "all is saved")
    rebuilt = recover_state(TableState(table=1), recover(tmp_path / "journal").entries)
    assert rebuilt.state.match == rig.match
    assert rebuilt.state.player_at == rig.state.player_at


def test_a_game_restarts_paused_and_time_without_power_is_not_charged(tmp_path: Path) -> None:
    """Promise 2: the clock is wrong by at most 1 s."""
    first = TableRig(tmp_path)
    start_ns = started(first)
    pressed_ns = first.press(LEFT)
    first.until(lambda state: state.saved and first.match.clock.running is Seat.RIGHT, "saved")
    first.close()
    stopped_ns = first.time.now_ns()

    second = TableRig(tmp_path)
    second.phase(Phase.HOLD)
    assert second.match.clock.running is None
    assert second.match.clock.left.left_ns == MAIN_NS - (pressed_ns - start_ns)
    charged_ns = MAIN_NS - second.match.clock.right.left_ns
    assert 0 <= charged_ns <= stopped_ns - pressed_ns
    assert stopped_ns - pressed_ns - charged_ns <= 1_000 * MS
    second.order(Command("r", "arbiter", body={"action": "resume", "reason": "power is back"}))
    second.phase(Phase.TURN)
    assert second.match.clock.running is Seat.RIGHT
    second.close()


def test_a_table_that_the_head_rejects_shows_why_until_it_is_connected(rig: TableRig) -> None:
    def shown() -> list[str]:
        return [trouble.kind for trouble in rig.state.troubles]

    inbox = rig.table.program.inbox
    inbox.put(LinkChanged(False, no_connection_reasons.REFUSED))
    rig.until(lambda _: shown() == ["link-refused"], "the reason is shown")
    inbox.put(LinkChanged(False, no_connection_reasons.UNREACHABLE))  # the other transport
    started(rig)
    assert shown() == ["link-refused"]
    inbox.put(LinkChanged(True))
    rig.until(lambda _: shown() == [], "nothing is shown")


def test_a_repeated_acknowledgement_does_not_change_the_state(rig: TableRig) -> None:
    """The head answers every ping with it, which must wake no thread that waits for a change."""
    rig.until(lambda state: state.saved, "what the start wrote is saved")
    table = JournaledTable(rig.state, rig.table.journal, rig.time)
    table.note_acknowledged(1)
    before = table.state
    table.note_acknowledged(1)
    assert table.state is before and before.unsynced == rig.table.journal.appended - 1


def test_a_board_that_was_not_read_before_a_restart_on_hold_is_read_again(tmp_path: Path) -> None:
    asked = list[int]()

    class Board:
        def ask(self, number: int) -> None:
            asked.append(number)

    journal = Journal(tmp_path, calls=JournalCallbacks(now_ns=lambda: 7)).start()
    press = PendingPress(3, Color.BLACK, 0, Phase.TURN, Color.BLACK)
    held = table(match(Phase.HOLD, side=Color.WHITE, resume_phase=Phase.TURN, pending=(press,)))
    game = TableGame(JournaledTable(held, journal, ManualTime(50)), Board())  # type: ignore[arg-type]
    game._pause(7)
    journal.close()
    assert asked == [3] and game.match is not None and game.match.phase is Phase.HOLD
