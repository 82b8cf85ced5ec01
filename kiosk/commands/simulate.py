"""``kiosk simulate``: whole tournament days on virtual time, disturbed by chance, and looked at by the laws."""

from __future__ import annotations

import contextlib
import json
import time
from typing import TYPE_CHECKING, Any

import click

from engine.text import say
from kiosk.commands.output import as_json_option
from kiosk.errors import UnusableInput

if TYPE_CHECKING:
    from kiosk.simulate.day import Day


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
    troubles: int | None,
    show_log: bool,
    as_json: bool,
) -> int:
    """Hold whole tournament days on virtual time, with real programs in a world that one seed decides.

    Exits 0 if every law of docs/simulation.md was kept, 1 if one was broken. A day that broke one is made smaller; its
    log and the command that repeats it are printed. Ctrl-C ends after the days that were held so far.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from engine.tournament.formats import FORMATS
    from kiosk.simulate.day import Shape, hold
    from kiosk.simulate.faults import Faults
    from kiosk.simulate.shrink import shrink

    if format_name is not None and format_name not in FORMATS:
        raise UnusableInput(
            say("no format is called '{format}'; there are {known}", format=format_name, known=", ".join(FORMATS))
        )
    held: list[Day] = []
    broken: list[Day] = []
    given = None not in (tables, players, format_name)
    console = Console(stderr=True)
    began = time.monotonic()
    bar = Progress(BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), console=console)
    with contextlib.suppress(KeyboardInterrupt), bar:
        task = bar.add_task("", total=days, visible=console.is_terminal)
        for number in range(seed, seed + days):
            day = hold(number, Faults(faults), Shape.of(number, tables, players, format_name, troubles))
            held.append(day)
            if day.broken:
                broken.append(day := day if given else shrink(day))
            if not as_json:
                for line in day.log if show_log or day.broken else day.log[-1:]:
                    click.echo(f"{number}: {line}")
                if day.broken:
                    click.echo(_command(day))
            a_minute = 60 * len(held) / (time.monotonic() - began)
            bar.update(task, advance=1, description=f"{a_minute:.1f} days/min, {len(broken)} broken")
    seconds = round(time.monotonic() - began, 2)
    told: dict[str, Any] = {
        "days": len(held),
        "first_seed": seed,
        "broken": [
            {"seed": day.seed, "law": one.law, "minute": one.minute, "text": one.text, "command": _command(day)}
            for day in broken
            for one in day.broken
        ],
        "presses": sum(day.presses for day in held),
        "faults": sum(day.troubles for day in held),
        "virtual_hours": round(sum(day.virtual_ns for day in held) / 3_600_000_000_000, 2),
        "seconds": seconds,
    }
    if as_json:
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        minutes = max(seconds, 0.01) / 60
        click.echo(
            f"{len(held)} days, {told['virtual_hours']} virtual hours, {told['presses']} presses, "
            f"{told['faults']} faults, {len(told['broken'])} laws broken; {len(held) / minutes:.1f} days a minute"
        )
    return 1 if told["broken"] else 0


def _command(day: Day) -> str:
    shape = day.shape
    few = "" if shape.troubles is None else f" --troubles {shape.troubles}"
    return (
        f"kiosk simulate --days 1 --seed {day.seed} --faults {day.faults.value} --tables {shape.tables} "
        f"--players {shape.players} --format {shape.format}{few} --log"
    )
