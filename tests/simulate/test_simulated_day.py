"""Simulated days: each ends with a champion, is reproducible by its seed, and breaks no invariant."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from commands.developers import simulate_days
from simulate import simulated_day as day_module
from simulate.day_schedule import Day, Schedule, SimulatedHall
from simulate.drifting_clock import run
from simulate.fault_injection import FaultInjector, Faults
from simulate.scenario_size import ScenarioSize
from simulate.simulated_day import run_day, run_halls
from simulate.simulated_head import SimulatedHead
from simulate.simulated_staff import Operators

from engine.tournament.formats import FORMATS
from kiosk.demo.virtual_time_loop_and_connection import VirtualTime
from kiosk.link.table_keys import save_keys

SMALL = ["--tables", "1", "--players", "3", "--format", "round-robin"]
_TELL = """
import json, sys
from kiosk.demo import virtual_time_demo
from simulate.simulated_day import run_day
from simulate.fault_injection import Faults
from simulate.scenario_size import ScenarioSize
virtual_time_demo.YOUNG = int(sys.argv[1]), 10, 10
day = run_day(5, Faults.HEAVY, ScenarioSize("round-robin", 1, 3, cables=1))
print(json.dumps([day.event, day.log, day.presses, day.fault_count, day.virtual_ns, [str(one) for one in day.broken]]))
"""


def _day_in_new_process(hash_seed: str, garbage: str) -> str:
    """Return a day simulated in a new process.

    Sets there have another order, objects other addresses, and garbage is collected at other times (0: never).
    """
    tools = Path(__file__).parents[1] / "tools"
    env = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(tools)}
    completed = subprocess.run(
        [sys.executable, "-c", _TELL, garbage], env=env, capture_output=True, text=True, check=True
    )
    return completed.stdout


def test_the_same_seed_is_the_same_day_to_the_nanosecond() -> None:
    """Days of one seed have the same event with every disc, the same log with every fault, and the same end."""
    first = _day_in_new_process("1", "50")
    assert first == _day_in_new_process("2", "0")
    event, log, presses, faults, virtual_ns, broken = json.loads(first)
    assert broken == []
    assert len(event["rounds"]) == 3
    assert faults > 5
    assert presses > 100
    assert virtual_ns > 0
    assert log[-1].split("  ")[1].startswith("champion ")


def test_faults_do_not_change_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Days of one seed with and without faults have the same games."""
    monkeypatch.setattr(Operators, "act", lambda self: None)
    calm, rough = (run_day(6, faults, ScenarioSize("round-robin", 1, 3)) for faults in (Faults.NONE, Faults.HEAVY))
    assert (calm.broken, rough.broken) == ([], [])
    assert rough.fault_count > 5
    assert _results(calm.event) == _results(rough.event)


def _results(event: dict[str, Any]) -> list[set[tuple[object, ...]]]:
    names = ("black", "white", "black_discs", "white_discs", "winner", "end")
    return [{tuple(game.get(name) for name in names) for game in round_["games"]} for round_ in event["rounds"]]


def test_the_output_of_the_command_is_as_documented() -> None:
    ran = CliRunner().invoke(
        simulate_days, ["--days", "1", "--seed", "3", "--faults", "none", *SMALL, "--json"], standalone_mode=False
    )
    output = json.loads(ran.output)
    assert ran.return_value == 0
    assert set(output) == {"days", "first_seed", "broken", "presses", "faults", "virtual_hours", "seconds"}
    assert (output["days"], output["first_seed"], output["broken"], output["faults"]) == (1, 3, [], 0)
    assert output["presses"] > 100
    assert 0.2 < output["virtual_hours"] < 2


def test_a_malicious_table_does_not_affect_other_games() -> None:
    """The table has a key of its own, knows everything published, and sends cards, games and answers of others."""
    honest, attacked = (
        run_day(3, Faults.NONE, ScenarioSize("knockout", 2, 4, malicious_tables=malicious_tables))
        for malicious_tables in (0, 1)
    )
    assert (honest.broken, attacked.broken) == ([], [])
    assert attacked.false_records > 20
    assert _results(honest.event) == _results(attacked.event)


def test_lost_heads_and_tables_lose_only_data_that_nobody_else_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heads are restored from backups, spares are enrolled in mid-game, and a table sends false records.

    No invariant breaks, and no false game is accepted.
    """
    monkeypatch.setattr(FaultInjector, "_table_is_killed", FaultInjector._table_is_replaced)
    monkeypatch.setattr(FaultInjector, "_table_loses_power", FaultInjector._head_is_lost)
    day = run_day(3, Faults.HEAVY, ScenarioSize("round-robin", 2, 4, malicious_tables=1))
    assert day.broken == []
    log = "\n".join(day.log)
    assert log.count("a spare has taken its place") >= 1
    assert log.count("a spare head goes on from the backup") >= 1
    assert "at 3; believed: none" in log


def test_divisions_share_a_hall_and_each_has_its_champion() -> None:
    """Each division has its own format and game."""
    day = run_day(9, Faults.NONE, ScenarioSize("knockout", 2, 4, divisions=2))
    assert day.broken == []
    assert [event["format"] for event in day.events.values()] == ["knockout", "chouchou"]
    assert len([line for line in day.log if "champion" in line]) == 2


def test_a_federation_has_the_data_of_each_hall_unmixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the end a federation has both halls as they are, and keeps the data of earlier lives.

    Before, pushes are lost, heads killed, old disks and backups restored, second machines started, and pushes sent in
    another's name.
    """
    monkeypatch.setattr(FaultInjector, "_table_is_killed", FaultInjector._federation_suffers)
    monkeypatch.setattr(FaultInjector, "_cable_is_pulled", _disk_is_put_back_after_a_push)
    monkeypatch.setattr(FaultInjector, "_table_loses_power", FaultInjector._head_is_lost)
    monkeypatch.setattr(FaultInjector, "_switch_restarts", FaultInjector._second_machine_runs)
    monkeypatch.setattr(FaultInjector, "_people_change", FaultInjector._federation_is_killed)
    monkeypatch.setattr(FaultInjector, "_one_way", FaultInjector._old_push_is_forged)
    monkeypatch.setattr(day_module, "small_hall", lambda seed, number: ScenarioSize("round-robin", 1, 3))
    day = run_day(7, Faults.HEAVY, ScenarioSize("round-robin", 1, 3, venues=2))
    assert day.broken == []
    log = "\n".join(day.log)
    assert "the federation has another life" in log
    assert "a spare head goes on from the backup" in log
    assert "the federation's head is back" in log
    assert "the federation hears two machines with this venue's key" in log
    assert "an old push in another hall's name" in log
    assert log.count("champion") == 2


async def _disk_is_put_back_after_a_push(faults: FaultInjector) -> None:
    """Restore a copy of the head's disk once the federation has an act that the copy lacks; it tries until one round
    lasts long enough.
    """
    head = faults._hall.head

    def pushed() -> int:
        pusher = head.program and head.program.remote.pusher
        return pusher._known.events if pusher and pusher._known else 0

    is_back = False
    while not is_back:
        while not pushed():
            await asyncio.sleep(1)
        head.take_image()
        program, first = head.program, pushed()
        while head.program is program and pushed() <= first:
            await asyncio.sleep(1)
        is_back = head.program is program and head.restore_image()
    faults._hall.note("a copy of the head's disk is put back")


def test_a_stolen_key_affects_no_other_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The desk is notified, the table gets a spare with another key, and its game continues."""
    monkeypatch.setattr(FaultInjector, "_table_is_killed", FaultInjector._key_is_stolen)
    monkeypatch.setattr(FaultInjector, "_table_loses_power", FaultInjector._key_is_stolen)
    day = run_day(3, Faults.HEAVY, ScenarioSize("knockout", 2, 4))
    assert day.broken == []
    log = "\n".join(day.log)
    assert log.count("its key is stolen") >= 2
    assert log.count("the thief sent") >= 2


def test_a_refused_device_gets_a_new_key_and_keeps_its_journal(tmp_path: Path) -> None:
    """The head's file of keys has another key for table 1, as in an old copy of its disk (seed 60207)."""
    day, shape, journals = (
        Day(4, ScenarioSize("round-robin", 1, 3), Faults.NONE),
        ScenarioSize("round-robin", 1, 3),
        set[str](),
    )

    def look(hall: SimulatedHall) -> None:
        table = hall.places[1].table
        if table is not None and table.journal.epoch:
            journals.add(table.journal.epoch)
        if "the key is lost" not in " ".join(day.log) and hall.minute > 2:
            hall.note("the key is lost")
            save_keys(tmp_path / "keys.json", {1: bytes(32)})
            hall.wires[1].reset()

    run_halls(SimulatedHall(day, tmp_path, Schedule.of(4, shape), look))
    assert day.broken == []
    log = [line.split("  ")[1] for line in day.log]
    assert log[:2] == ["the key is lost", "table 1: its device has asked for another key"]
    assert log[-1].startswith("champion ")
    assert len(journals) == 1


def test_a_disk_copy_is_restored_only_on_its_own_machine(tmp_path: Path) -> None:
    """A copy is not put into the spare machine that took its place, whose disk holds the keys too (seed 60006)."""
    time, shape = VirtualTime(), ScenarioSize("round-robin", 1, 3)

    async def main() -> list[bool]:
        head = SimulatedHead(time, tmp_path, {1: bytes(32)}, Schedule.of(1, shape).events)
        put_back = []
        head.switch_on()
        for is_lost in (False, True):
            head.take_image()
            head.back_up()
            if is_lost:
                head.restore()
            put_back.append(head.restore_image())
        head.kill()
        return put_back

    assert run(time, main) == [True, False]


def test_a_disk_copy_is_not_restored_after_a_round_was_paired_again(tmp_path: Path) -> None:
    """The number of rounds is then the same, but the games differ (seed 60006, three tables)."""
    time, shape = VirtualTime(), ScenarioSize("round-robin", 1, 3)

    async def main() -> bool:
        head = SimulatedHead(time, tmp_path, {1: bytes(32)}, Schedule.of(1, shape).events)
        head.switch_on()
        assert head.program is not None
        rounds = head.program.desk.rounds
        rounds.publish(rounds.draft().digest)
        head.take_image()
        rounds.undo("main", 1, "drawn with a wrong result")
        rounds.publish(rounds.draft().digest)
        put_back = head.restore_image()
        head.kill()
        return put_back

    assert run(time, main) is False


def test_games_without_a_board_and_events_without_an_end() -> None:
    chouchou, pool = (
        run_day(1, Faults.HEAVY, ScenarioSize("chouchou", 1, 2)),
        run_day(2, Faults.NONE, ScenarioSize("othello-pool", 1, 2)),
    )
    assert (chouchou.broken, pool.broken) == ([], [])
    for round_ in chouchou.event["rounds"]:
        for game in round_["games"]:
            assert game["end"] != "normal" or max(game["black_discs"], game["white_discs"]) >= 10
    assert len(pool.event["rounds"]) == 3


def test_every_seed_has_a_hall_that_its_format_can_fill() -> None:
    """The seeds include every format."""
    shapes = [ScenarioSize.of(seed) for seed in range(2_000)]
    assert {shape.format for shape in shapes} == set(FORMATS)
    for shape in shapes:
        fewest, most = FORMATS[shape.format].facts.sizes
        assert max(4, fewest) <= shape.players <= most
        assert (
            shape.malicious_tables <= shape.tables and shape.cables <= shape.tables and shape.divisions <= shape.tables
        )
    assert max(shape.tables for shape in shapes) == 60
    assert all(any(getattr(shape, what) for shape in shapes) for what in ("malicious_tables", "cables", "venues"))
    assert any(shape.divisions > 1 for shape in shapes)
