"""The demo on virtual time: head, tables and players in this process, without waiting (docs/develop/testing.md).

The result does not depend on the machine or its load: the same event, tables, games and seed give the same event, down
to each disc.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from engine.tournament import is_over
from engine.translatable_text import say
from kiosk.demo.hall_processes import HallPlan
from kiosk.demo.recorded_games import load_records
from kiosk.demo.table_launch_settings import HallScript
from kiosk.errors import InputError
from kiosk.records.event_file import from_dict
from kiosk.simulate.day_schedule import Day, Schedule, SimulatedHall
from kiosk.simulate.fault_injection import Faults
from kiosk.simulate.scenario_size import ScenarioSize
from kiosk.simulate.simulated_day import memory_folder, run_halls


def play(plan: HallPlan, on_look: Callable[[str], None]) -> dict[str, Any]:
    """Return the event file of the finished event; the hall's programs leave their data in the plan's directory.
    ``on_look`` is called now and then with the progress.

    :raises UnusableInput: an invariant of the hall was broken, which is a bug in the program.
    """
    script = HallScript(plan.seed, plan.speed, plan.tables)
    programme = Schedule([plan.event], partial(script.plan_for, records=load_records(plan.games)), plan.rules)
    day = Day(plan.seed, ScenarioSize(str(plan.event["format"]), plan.tables, 0), Faults.NONE)
    with (
        _log(plan.directory / "hall.log"),
        tempfile.TemporaryDirectory(prefix="othello-hall-", dir=memory_folder()) as name,
    ):
        hall = SimulatedHall(day, Path(name), programme, lambda hall: on_look(hall.progress()))
        run_halls(hall)
        for place in hall.places.values():
            place.export_journal()
        shutil.copytree(name, plan.directory, dirs_exist_ok=True)
    if not is_over(from_dict(day.event)):  # violations of pairing rules are left to ``kiosk verify-event``
        raise InputError(
            say(
                "the simulation broke one of its own rules ({law}: {text}); please report this with the command",
                law=day.broken[0].law,
                text=day.broken[0].text,
            )
        )
    return day.event


@contextlib.contextmanager
def _log(file: Path) -> Iterator[None]:
    """Write the programs' logs to ``file`` meanwhile."""
    handler = logging.FileHandler(file, encoding="utf-8")
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
