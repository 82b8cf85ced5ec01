"""``kiosk simulate``: whole tournament days on virtual time, disturbed by chance, and looked at by the laws."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from engine.text import say
from kiosk.commands.output import as_json_option
from kiosk.errors import UnusableInput

if TYPE_CHECKING:
    from kiosk.simulate.day import Shape


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
@click.option("--log", "show_log", is_flag=True, help="Print what happened, day by day.")
@as_json_option
def simulate(
    days: int,
    seed: int,
    faults: str,
    tables: int | None,
    players: int | None,
    format_name: str | None,
    show_log: bool,
    as_json: bool,
) -> int:
    """Hold whole tournament days on virtual time, with real programs in a world that one seed decides.

    Exits 0 if every law of docs/simulation.md was kept, 1 if one was broken; then the command that repeats the day is
    printed.
    """
    from engine.tournament.formats import FORMATS
    from kiosk.simulate.day import Shape, hold
    from kiosk.simulate.faults import Faults

    if format_name is not None and format_name not in FORMATS:
        raise UnusableInput(
            say("no format is called '{format}'; there are {known}", format=format_name, known=", ".join(FORMATS))
        )
    began = time.monotonic()
    told: dict[str, Any] = {"days": days, "first_seed": seed, "broken": [], "presses": 0, "faults": 0}
    virtual_ns = 0
    for number in range(seed, seed + days):
        day = hold(number, Faults(faults), Shape.of(number, tables, players, format_name))
        virtual_ns += day.virtual_ns
        told["presses"] += day.presses
        told["faults"] += day.troubles
        again = _command(number, faults, day.shape)
        told["broken"] += [
            {"seed": number, "law": one.law, "minute": one.minute, "text": one.text, "command": again}
            for one in day.broken
        ]
        if not as_json:
            for line in day.log if show_log else day.log[-1:]:
                click.echo(f"{number}: {line}")
            for _ in day.broken:
                click.echo(again)
    told["virtual_hours"] = round(virtual_ns / 3_600_000_000_000, 2)
    told["seconds"] = round(time.monotonic() - began, 2)
    if as_json:
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        minutes = max(told["seconds"], 0.01) / 60
        click.echo(
            f"{days} days, {told['virtual_hours']} virtual hours, {told['presses']} presses, {told['faults']} faults, "
            f"{len(told['broken'])} laws broken; {days / minutes:.1f} days a minute"
        )
    return 1 if told["broken"] else 0


def _command(seed: int, faults: str, shape: Shape) -> str:
    return (
        f"kiosk simulate --days 1 --seed {seed} --faults {faults} --tables {shape.tables} "
        f"--players {shape.players} --format {shape.format} --log"
    )
