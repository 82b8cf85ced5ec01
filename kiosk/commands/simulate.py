"""``kiosk simulate``: tournament days on virtual time with injected faults, checked against invariants."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from engine.translatable_text import say
from kiosk.commands.output_helpers import as_json_option
from kiosk.errors import InputError

if TYPE_CHECKING:
    from kiosk.simulate.day_schedule import Day
    from kiosk.simulate.fault_injection import Faults
    from kiosk.simulate.scenario_size import ScenarioSize


@click.command()
@click.option("--days", default=10, show_default=True, type=click.IntRange(1), help="How many days.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Of the first day.")
@click.option(
    "--faults",
    default="heavy",
    show_default=True,
    type=click.Choice(["none", "light", "heavy"]),
    help="How much goes wrong.",
)
@click.option("--tables", type=click.IntRange(1, 60), help="Tables; by default the seed decides.")
@click.option("--players", type=click.IntRange(2, 300), help="Players; by default the seed decides.")
@click.option("--format", "format_name", help="Format of the event; by default the seed decides.")
@click.option("--liars", type=click.IntRange(0, 60), help="Devices that lie; by default the seed decides.")
@click.option("--cables", type=click.IntRange(0, 60), help="Tables with a serial cable; by default the seed decides.")
@click.option("--divisions", type=click.IntRange(1, 4), help="Divisions; by default the seed decides.")
@click.option(
    "--venues",
    type=click.IntRange(0, 4),
    help="Halls under one federation, 0 for none; by default the seed decides.",
)
@click.option("--troubles", type=click.IntRange(0), help="Only so many of a day's faults; by default all of them.")
@click.option("--log", "show_log", is_flag=True, help="Print what happened, day by day.")
@as_json_option
def simulate(
    days: int,
    seed: int,
    faults: str,
    tables: int | None,
    players: int | None,
    format_name: str | None,
    liars: int | None,
    cables: int | None,
    divisions: int | None,
    venues: int | None,
    troubles: int | None,
    show_log: bool,
    as_json: bool,
) -> int:
    """Hold whole tournament days on virtual time, with real programs in a world that one seed decides.

    Exits 0 if every law of docs/develop/testing.md was kept, 1 if one was broken. A day that broke one is made
    smaller; its log and the command that repeats it are printed. Ctrl-C ends after the days that were held so far.
    """
    from engine.tournament.formats import FORMATS
    from kiosk.simulate.fault_injection import Faults
    from kiosk.simulate.scenario_size import ScenarioSize

    if format_name is not None and format_name not in FORMATS:
        raise InputError(
            say("no format is called '{format}'; there are {known}", format=format_name, known=", ".join(FORMATS))
        )
    began = time.monotonic()
    shapes = {
        number: ScenarioSize.of(number, tables, players, format_name, troubles, liars, cables, divisions, venues)
        for number in range(seed, seed + days)
    }
    given = None not in (tables, players, format_name)
    held: list[Day] = []
    with contextlib.suppress(KeyboardInterrupt):
        for day in _days(shapes, Faults(faults), make_smaller=not given):
            held.append(day)
            if not as_json:
                _tell(day, show_log)
    told = _sum(held, seed, time.monotonic() - began)
    if as_json:
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        click.echo(
            f"{len(held)} days, {told['virtual_hours']} virtual hours, {told['presses']} presses, "
            f"{told['faults']} faults, {len(told['broken'])} laws broken; "
            f"{60 * len(held) / max(told['seconds'], 0.01):.1f} days a minute"
        )
    return 1 if told["broken"] else 0


def _days(shapes: Mapping[int, ScenarioSize], faults: Faults, make_smaller: bool) -> Iterator[Day]:
    """Yield each day when it is over, shrunk if it broke an invariant; a terminal shows a progress bar."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from kiosk.simulate.shrink import shrink
    from kiosk.simulate.simulated_day import run_day

    began, broken = time.monotonic(), 0
    console = Console(stderr=True)
    with Progress(BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), console=console) as bar:
        task = bar.add_task("", total=len(shapes), visible=console.is_terminal)
        for done, (number, shape) in enumerate(shapes.items(), start=1):
            day = run_day(number, faults, shape)
            broken += bool(day.broken)
            yield shrink(day) if day.broken and make_smaller else day
            a_minute = 60 * done / (time.monotonic() - began)
            bar.update(task, advance=1, description=f"{a_minute:.1f} days/min, {broken} broken")


def _tell(day: Day, show_log: bool) -> None:
    for line in day.log if show_log or day.broken else day.log[-1:]:
        click.echo(f"{day.seed}: {line}")
    if day.broken:
        click.echo(_command(day))


def _sum(held: list[Day], first_seed: int, seconds: float) -> dict[str, Any]:
    return {
        "days": len(held),
        "first_seed": first_seed,
        "broken": [
            {"seed": day.seed, "law": one.law, "minute": one.minute, "text": one.text, "command": _command(day)}
            for day in held
            for one in day.broken
        ],
        "presses": sum(day.presses for day in held),
        "faults": sum(day.troubles for day in held),
        "virtual_hours": round(sum(day.virtual_ns for day in held) / 3_600_000_000_000, 2),
        "seconds": round(seconds, 2),
    }


def _command(day: Day) -> str:
    shape = day.shape
    few = "" if shape.troubles is None else f" --troubles {shape.troubles}"
    return (
        f"kiosk simulate --days 1 --seed {day.seed} --faults {day.faults.value} --tables {shape.tables} "
        f"--players {shape.players} --format {shape.format} --liars {shape.liars} --cables {shape.cables} "
        f"--divisions {shape.divisions} --venues {shape.venues}{few} --log"
    )
