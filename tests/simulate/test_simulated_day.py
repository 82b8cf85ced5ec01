"""A whole day on virtual time: it ends with a champion, is reproducible by its seed, and breaks no invariant."""

from __future__ import annotations

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
from kiosk.demo.virtual_time import VirtualTime
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
print(json.dumps([day.event, day.log, day.presses, day.troubles, day.virtual_ns, [str(one) for one in day.broken]]))
"""


def _told(hash_seed: str, garbage: str) -> str:
    """In a process of its own, in which sets of texts have another order, everything lies at another address, and the
    collector comes at another time (0: never)."""
    tools = Path(__file__).parents[1] / "tools"
    env = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(tools)}
    done = subprocess.run([sys.executable, "-c", _TELL, garbage], env=env, capture_output=True, text=True, check=True)
    return done.stdout


def test_the_same_seed_is_the_same_day_to_the_nanosecond() -> None:
    """The event with every disc, the log with every fault, and the instant at which it ended."""
    first = _told("1", "50")
    assert first == _told("2", "0")
    event, log, presses, faults, virtual_ns, broken = json.loads(first)
    assert broken == []
    assert len(event["rounds"]) == 3
    assert faults > 5
    assert presses > 100
    assert virtual_ns > 0
    assert log[-1].split("  ")[1].startswith("champion ")


def test_an_undisturbed_day_and_a_disturbed_one_of_the_same_seed_have_the_same_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The players decide the games; faults must not change one result."""
    monkeypatch.setattr(Operators, "act", lambda self: None)
    calm, rough = (run_day(6, faults, ScenarioSize("round-robin", 1, 3)) for faults in (Faults.NONE, Faults.HEAVY))
    assert (calm.broken, rough.broken) == ([], [])
    assert rough.troubles > 5
    assert _results(calm.event) == _results(rough.event)


def _results(event: dict[str, Any]) -> list[set[tuple[object, ...]]]:
    names = ("black", "white", "black_discs", "white_discs", "winner", "end")
    return [{tuple(game.get(name) for name in names) for game in round_["games"]} for round_ in event["rounds"]]


def test_the_command_tells_what_the_contract_says() -> None:
    ran = CliRunner().invoke(
        simulate_days, ["--days", "1", "--seed", "3", "--faults", "none", *SMALL, "--json"], standalone_mode=False
    )
    told = json.loads(ran.output)
    assert ran.return_value == 0
    assert set(told) == {"days", "first_seed", "broken", "presses", "faults", "virtual_hours", "seconds"}
    assert (told["days"], told["first_seed"], told["broken"], told["faults"]) == (1, 3, [], 0)
    assert told["presses"] > 100
    assert 0.2 < told["virtual_hours"] < 2


def test_a_table_that_lies_does_not_touch_the_event_of_the_others() -> None:
    """It has a key of its own, knows everything published, and sends cards, games and answers that are not its own."""
    honest, lied_to = (run_day(3, Faults.NONE, ScenarioSize("knockout", 2, 4, liars=liars)) for liars in (0, 1))
    assert (honest.broken, lied_to.broken) == ([], [])
    assert lied_to.lies > 20
    assert _results(honest.event) == _results(lied_to.event)


def test_what_is_lost_with_a_head_or_a_table_is_only_what_nobody_else_had(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heads are lost with their disks and restored from a backup, spares are enrolled in mid-game, and a table sends
    false records: no invariant breaks, and the desk accepts none of that table's games."""
    monkeypatch.setattr(FaultInjector, "_table_is_killed", FaultInjector._table_is_replaced)
    monkeypatch.setattr(FaultInjector, "_table_loses_power", FaultInjector._head_is_lost)
    day = run_day(3, Faults.HEAVY, ScenarioSize("round-robin", 2, 4, liars=1))
    assert day.broken == []
    told = "\n".join(day.log)
    assert told.count("a spare has taken its place") >= 1
    assert told.count("a spare head goes on from the backup") >= 1
    assert "at 3; believed: none" in told


def test_divisions_share_a_hall_and_each_has_its_champion() -> None:
    """Each has a format and a game of its own."""
    day = run_day(9, Faults.NONE, ScenarioSize("knockout", 2, 4, divisions=2))
    assert day.broken == []
    assert [event["format"] for event in day.events.values()] == ["knockout", "chouchou"]
    assert len([line for line in day.log if "champion" in line]) == 2


def test_a_federation_gets_every_life_of_each_hall_and_nothing_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lines lose pushes, its head is killed, old copies of a hall's disk are put back, backups restored, second
    machines started with a venue's key, and pushes sent in another's name: in the end it has both halls as they are,
    and has kept the lives that were."""
    monkeypatch.setattr(FaultInjector, "_table_is_killed", FaultInjector._federation_suffers)
    monkeypatch.setattr(FaultInjector, "_cable_is_pulled", FaultInjector._disk_is_put_back)
    monkeypatch.setattr(FaultInjector, "_table_loses_power", FaultInjector._head_is_lost)
    monkeypatch.setattr(FaultInjector, "_switch_restarts", FaultInjector._second_machine_runs)
    monkeypatch.setattr(day_module, "small_hall", lambda seed, number: ScenarioSize("round-robin", 1, 3))
    day = run_day(7, Faults.HEAVY, ScenarioSize("round-robin", 1, 3, venues=2))
    assert day.broken == []
    told = "\n".join(day.log)
    assert "the federation has another life" in told
    assert "a spare head goes on from the backup" in told
    assert "the federation's head is back" in told
    assert "the federation hears two machines with this venue's key" in told
    assert "an old push in another hall's name" in told
    assert told.count("champion") == 2


def test_a_thief_with_the_key_of_a_table_in_play_touches_no_other_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The desk is notified, the table gets a spare with another key, and its game continues."""
    monkeypatch.setattr(FaultInjector, "_table_is_killed", FaultInjector._key_is_stolen)
    monkeypatch.setattr(FaultInjector, "_table_loses_power", FaultInjector._key_is_stolen)
    day = run_day(3, Faults.HEAVY, ScenarioSize("knockout", 2, 4))
    assert day.broken == []
    told = "\n".join(day.log)
    assert told.count("its key is stolen") >= 2
    assert told.count("the thief told") >= 2


def test_a_device_that_the_head_refuses_gets_another_key_and_keeps_its_journal(tmp_path: Path) -> None:
    """Seed 60207 (two tables, heavy faults): a copy of the head's disk had the keys from before a spare came. Here the
    head's file of keys has another key for table 1 after two minutes."""
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
    told = [line.split("  ")[1] for line in day.log]
    assert told[:2] == ["the key is lost", "table 1: its device has asked for another key"]
    assert told[-1].startswith("champion ")
    assert len(journals) == 1


def test_a_copy_of_a_disk_goes_back_into_its_own_machine_only(tmp_path: Path) -> None:
    """Seed 60006 (three tables, ``adjacent``, heavy faults): a copy of the head's disk was put into the spare machine
    that had taken its place meanwhile, whose disk holds the keys too; the head did not start."""
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


def test_a_copy_of_a_disk_does_not_go_back_where_a_round_was_paired_again(tmp_path: Path) -> None:
    """Seed 60006 once more (``--tables 3``, whole): the round of the copy was taken back and paired again, so there
    were as many rounds, and other games; tables played on in a round that nobody waited for."""
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


def test_a_game_without_a_board_and_an_event_without_an_end_are_held() -> None:
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
    """Every format comes; a new one would too."""
    shapes = [ScenarioSize.of(seed) for seed in range(2_000)]
    assert {shape.format for shape in shapes} == set(FORMATS)
    for shape in shapes:
        fewest, most = FORMATS[shape.format].facts.sizes
        assert max(4, fewest) <= shape.players <= most
        assert shape.liars <= shape.tables and shape.cables <= shape.tables and shape.divisions <= shape.tables
    assert max(shape.tables for shape in shapes) == 60
    assert all(any(getattr(shape, what) for shape in shapes) for what in ("liars", "cables", "venues"))
    assert any(shape.divisions > 1 for shape in shapes)
