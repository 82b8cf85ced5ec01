"""Tests of one real table on simulated pins: faulty buttons, power failure, lamps, the buzzer, one person who
presses for both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from devices.power import SimulatedSupply
from tables.rig import ARBITER, LEFT, RIGHT, TableRig
from tables.states import match, table

from engine.board.color import Color
from engine.match.match_value_types import Phase, Seat
from hardware.power_failure_pin_and_supply_status import PowerEdge
from hardware.real_and_simulated_time import ManualTime, ScaledTime
from kiosk.link.link_messages import Command
from kiosk.table.game.journaled_state_changes_and_recovery import JournaledTable
from kiosk.table.game.match_steps_and_head_commands import TableGame
from kiosk.table.journal.journal_and_link_outbox import Journal, JournalCallbacks
from kiosk.table.journal.journal_storage_and_sd_card_alarms import Storage
from kiosk.table.journal.segment_files_and_recovery import recover
from kiosk.table.loop.main_loop import GLITCH_NS, PowerFailHandler
from kiosk.table.state import TableState
from kiosk.table.table_config import ButtonsConfig, PowerConfig

LAMPS, BUZZER, SIGNAL = {Seat.LEFT: 23, Seat.RIGHT: 24}, 18, 5


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[TableRig]:
    buttons = ButtonsConfig(arbiter=ARBITER, lamp_left=LAMPS[Seat.LEFT], lamp_right=LAMPS[Seat.RIGHT], buzzer=BUZZER)
    rig = TableRig(tmp_path, buttons=buttons, power=PowerConfig(signal=SIGNAL))
    yield rig
    rig.close()


def started(rig: TableRig) -> None:
    rig.press(LEFT)  # Black sits at the left
    rig.phase(Phase.READY)
    rig.press(RIGHT)
    rig.phase(Phase.TURN)


def kinds(state: TableState) -> set[str]:
    return {trouble.kind for trouble in state.troubles}


def lit(rig: TableRig) -> set[Seat]:
    return {seat for seat, gpio in LAMPS.items() if rig.factory.is_high(gpio)}


def wait_for_lamps(rig: TableRig, seats: set[Seat]) -> None:
    rig.until(lambda state: lit(rig) == seats, f"the lamps of {seats}")


def test_the_awaited_button_is_lit(rig: TableRig) -> None:
    wait_for_lamps(rig, {Seat.LEFT, Seat.RIGHT})
    rig.press(LEFT)
    wait_for_lamps(rig, {Seat.RIGHT})  # M43-5: White starts
    rig.press(RIGHT)
    wait_for_lamps(rig, {Seat.LEFT})
    rig.press(LEFT)
    wait_for_lamps(rig, {Seat.RIGHT})
    rig.press(ARBITER)
    rig.phase(Phase.HOLD)
    wait_for_lamps(rig, {Seat.LEFT, Seat.RIGHT})  # both have a menu
    rig.press(ARBITER)
    wait_for_lamps(rig, set())  # the arbiter's screen is open


def test_a_power_failure_stops_the_clock_at_its_edge_and_saves_everything(rig: TableRig) -> None:
    started(rig)
    began_ns = rig.match.clock.since_ns
    supply = SimulatedSupply(rig.factory.pin(SIGNAL), rig.time)
    failed_ns = supply.fail()
    rig.phase(Phase.HOLD)
    rig.until(lambda state: state.saved and "power-failing" in kinds(state), "the stop on the disk")
    assert rig.match.remaining_ns(Seat.LEFT, failed_ns) == 1200 * 10**9 - (failed_ns - began_ns)
    supply.come_back()
    rig.until(lambda state: not kinds(state), "the trouble to end")
    assert rig.match.phase is Phase.HOLD, "play goes on only when somebody says so"


@pytest.mark.parametrize(("lasts_ns", "stops"), [(20_000, False), (GLITCH_NS - 1, False), (GLITCH_NS, True)])
def test_a_spike_on_the_power_line_stops_nothing(tmp_path: Path, lasts_ns: int, stops: bool) -> None:
    """It is recognised by the times of its edges, however late they are read."""
    time_base = ManualTime(50)
    journal = Journal(tmp_path, calls=JournalCallbacks(now_ns=time_base.now_ns)).start()
    game = replace(table(match(Phase.TURN, Seat.LEFT, side=Color.BLACK)), saved=True)
    journaled = JournaledTable(game, journal, time_base)
    blackout = PowerFailHandler(journaled, TableGame(journaled, None), 0)
    blackout.edge(PowerEdge(True, 1000))
    blackout.advance_time(1000 + GLITCH_NS)  # the end of a spike may still arrive
    blackout.edge(PowerEdge(False, 1000 + lasts_ns))
    blackout.advance_time(10**12)
    journal.close()
    after = journaled.state.match
    assert after is not None and (after.phase is Phase.HOLD) is stops and not journaled.state.troubles
    assert after.clock.since_ns == (1000 if stops else 0)


def test_a_lost_release_is_detected(tmp_path: Path) -> None:
    """The kernel queues 16 edges of a line and drops more."""
    rig = TableRig(tmp_path, ScaledTime(8), buttons=ButtonsConfig(stuck_s=2))
    try:
        started(rig)
        rig.factory.button(LEFT).stick()
        pin = rig.factory.pin(LEFT)
        listener, pin._when_changed = pin._when_changed, None
        rig.factory.button(LEFT).release()
        pin._when_changed = listener
        rig.until(lambda state: "button-left-stuck" in kinds(state), "the stuck button")
        rig.until(lambda state: not kinds(state), "the line to be looked at")
    finally:
        rig.close()


@pytest.mark.parametrize(("rules", "sounds"), [("casual", True), ("m43", False)])
def test_the_end_of_the_time_sounds_only_if_the_rules_allow_it(
    tmp_path: Path, rules: str, sounds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K-02: otherwise nothing reveals a flag."""
    rig = TableRig(tmp_path, ScaledTime(4), rules=rules, main_s=3, buttons=ButtonsConfig(buzzer=BUZZER))
    levels: list[float] = []
    pin = rig.factory.pin(BUZZER)
    change = pin._change_state

    def noted(value: float) -> bool:  # a tick may end before this thread runs again
        levels.append(value)
        return bool(change(value))

    monkeypatch.setattr(pin, "_change_state", noted)
    try:
        started(rig)
        rig.until(lambda _: rig.match.flag(Seat.LEFT, rig.time.now_ns()), "the end of the time")
        if sounds:
            rig.until(lambda _: 1 in levels, "the buzzer")
        rig.order(Command("h", "hold", body={}))
        rig.phase(Phase.HOLD)  # the loop has processed all of that time
        assert (1 in levels) is sounds
    finally:
        rig.close()


def test_the_journal_names_the_source_of_button_times(tmp_path: Path) -> None:
    rig = TableRig(tmp_path)
    rig.close()
    found = recover(tmp_path / "journal", Storage())
    boot = next(entry.body for entry in found.entries if entry.type == "boot")
    assert (boot["edges"], boot["edge_accuracy_ns"]) == ("simulated", 0)
