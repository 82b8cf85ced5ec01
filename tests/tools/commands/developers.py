"""The developers' commands of the Makefile: ``simulate``, ``verify`` and ``random-event``.

Exit codes and refusals are those of ``kiosk``: 0 done, 1 something was found, 2 unusable input with one sentence.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from events.event_generator import GeneratorSettings, simulate
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from simulate.day_schedule import Day
from simulate.fault_injection import Faults
from simulate.scenario_size import ScenarioSize
from simulate.shrink import shrink
from simulate.simulated_day import run_day
from verify.event_parsing import UnreadableEventError
from verify.verifier import verify

from engine.tournament import TournamentError
from engine.tournament.formats import FORMATS
from kiosk.commands.command_helpers import as_json_option, read_text, write_text
from kiosk.errors import InputError

_file = click.Path(path_type=Path)


@click.group()
def app() -> None:
    """Simulated tournament days, the independent verifier, and random events."""


@app.command("simulate")
@click.option("--days", default=10, show_default=True, type=click.IntRange(1), help="How many days.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Of the first day.")
@click.option(
    "--faults",
    default="heavy",
    show_default=True,
    type=click.Choice([kind.value for kind in Faults]),
    help="How much goes wrong.",
)
@click.option("--tables", type=click.IntRange(1, 60), help="Tables; by default the seed decides.")
@click.option("--players", type=click.IntRange(2, 300), help="Players; by default the seed decides.")
@click.option("--format", "format_name", help="Format of the event; by default the seed decides.")
@click.option(
    "--malicious-tables",
    type=click.IntRange(0, 60),
    help="Devices that send false records; by default the seed decides.",
)
@click.option("--cables", type=click.IntRange(0, 60), help="Tables with a serial cable; by default the seed decides.")
@click.option("--divisions", type=click.IntRange(1, 4), help="Divisions; by default the seed decides.")
@click.option(
    "--venues", type=click.IntRange(0, 4), help="Halls under one federation, 0 for none; by default the seed decides."
)
@click.option("--fault-limit", type=click.IntRange(0), help="Only so many of a day's faults; by default all of them.")
@click.option("--log", "show_log", is_flag=True, help="Print what happened, day by day.")
@as_json_option
def simulate_days(
    days: int,
    seed: int,
    faults: str,
    tables: int | None,
    players: int | None,
    format_name: str | None,
    malicious_tables: int | None,
    cables: int | None,
    divisions: int | None,
    venues: int | None,
    fault_limit: int | None,
    show_log: bool,
    as_json: bool,
) -> int:
    """Hold whole tournament days on virtual time, with real programs in a world that one seed decides.

    Exits 0 if every invariant of docs/develop/testing.md was kept, 1 if one was broken. A day that broke one is made
    smaller; its log and the command that repeats it are printed. Ctrl-C ends after the days that were held so far.
    """
    if format_name is not None:
        _check_format(format_name)
    began = time.monotonic()
    shapes = {
        number: ScenarioSize.of(
            number, tables, players, format_name, fault_limit, malicious_tables, cables, divisions, venues
        )
        for number in range(seed, seed + days)
    }
    shape_is_given = None not in (tables, players, format_name)
    held: list[Day] = []
    with contextlib.suppress(KeyboardInterrupt):
        for day in _days(shapes, Faults(faults), make_smaller=not shape_is_given):
            held.append(day)
            if not as_json:
                _print_day(day, show_log)
    summary = _sum(held, seed, time.monotonic() - began)
    if as_json:
        click.echo(json.dumps(summary, ensure_ascii=False))
    else:
        click.echo(
            f"{len(held)} days, {summary['virtual_hours']} virtual hours, {summary['presses']} presses, "
            f"{summary['faults']} faults, {len(summary['broken'])} invariants broken; "
            f"{60 * len(held) / max(summary['seconds'], 0.01):.1f} days a minute"
        )
    return 1 if summary["broken"] else 0


def _check_format(name: str) -> None:
    if name not in FORMATS:
        raise click.ClickException(f"no format is called '{name}'; there are {', '.join(FORMATS)}")


def _days(shapes: Mapping[int, ScenarioSize], faults: Faults, make_smaller: bool) -> Iterator[Day]:
    """Yield each day when it is over, shrunk if it broke an invariant; a terminal shows a progress bar."""
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


def _print_day(day: Day, show_log: bool) -> None:
    for line in day.log if show_log or day.broken else day.log[-1:]:
        click.echo(f"{day.seed}: {line}")
    if day.broken:
        click.echo(_command(day))


def _sum(days: list[Day], first_seed: int, seconds: float) -> dict[str, Any]:
    return {
        "days": len(days),
        "first_seed": first_seed,
        "broken": [
            {"seed": day.seed, "law": one.law, "minute": one.minute, "text": one.text, "command": _command(day)}
            for day in days
            for one in day.broken
        ],
        "presses": sum(day.presses for day in days),
        "faults": sum(day.fault_count for day in days),
        "virtual_hours": round(sum(day.virtual_ns for day in days) / 3_600_000_000_000, 2),
        "seconds": round(seconds, 2),
    }


def _command(day: Day) -> str:
    shape = day.shape
    few = "" if shape.fault_limit is None else f" --fault-limit {shape.fault_limit}"
    return (
        f'make simulate ARGS="--days 1 --seed {day.seed} --faults {day.faults.value} --tables {shape.tables} '
        f"--players {shape.players} --format {shape.format} --cables {shape.cables} "
        f"--malicious-tables {shape.malicious_tables} "
        f'--divisions {shape.divisions} --venues {shape.venues}{few} --log"'
    )


@app.command("verify")
@click.argument("event", type=_file)
@click.option("--standings", type=_file, help="A sheet printed by 'kiosk standings --json', to be checked as well.")
@as_json_option
def verify_event(event: Path, standings: Path | None, as_json: bool) -> int:
    """List every rule that the finished rounds of EVENT break.

    The checks share no code with the pairing; rules that are not named under "checked" were not looked at. Exits 0 if
    no rule is broken, 1 if one is, 2 if EVENT is no event file.
    """
    try:
        report = verify(_json(event), None if standings is None else _json(standings))
    except UnreadableEventError as error:
        raise click.ClickException(f"{event}: {error}") from None
    if as_json:
        problems = [problem.as_dict() for problem in report.problems]
        click.echo(json.dumps({"problems": problems, "checked": sorted(report.checked)}, ensure_ascii=False))
        return int(bool(problems))
    for problem in report.problems:
        click.echo(f"round {problem.round}  {problem.rule}: {problem.text}")
    click.echo(f"{len(report.problems)} broken; {len(report.checked)} rules checked")
    return int(bool(report.problems))


def _json(path: Path) -> object:
    text = read_text(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.ClickException(f"{path} is not JSON: {error}; give the JSON of this program") from None


@app.command("random-event")
@click.argument("format_", metavar="FORMAT")
@click.option("--players", type=click.IntRange(2, 2000), default=16, show_default=True, help="How many entries.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same event.")
@click.option("--rounds", type=click.IntRange(1, 100), help="Rounds, in formats that have no last one (6 by default).")
@click.option("--restless", is_flag=True, help="Players leave, miss a round, or enter late.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the event file; repeatable."
)
@click.option("--out", type=_file, help="Write the event file here instead of printing it.")
def random_event(
    format_: str,
    players: int,
    seed: int,
    rounds: int | None,
    restless: bool,
    options: tuple[str, ...],
    out: Path | None,
) -> None:
    """Hold a whole random event of FORMAT and print its event file."""
    _check_format(format_)
    try:
        data = simulate(GeneratorSettings(format_, players, seed, rounds, restless, dict(map(_option, options))))
    except TournamentError as error:
        raise click.ClickException(f"{format_} with {players} players: {error}") from None
    text = json.dumps(data, ensure_ascii=False, indent=1)
    if out is None:
        click.echo(text)
        return
    write_text(out, text + "\n")
    click.echo(f"{out}: {len(data['players'])} players, {len(data['rounds'])} rounds")


def _option(text: str) -> tuple[str, object]:
    """Return name and value of "finals=1-4" or "play_off=true": the value is JSON where possible, else a text."""
    name, sign, value = text.partition("=")
    if not sign:
        raise click.ClickException(f"--option {text}: write NAME=VALUE, as in finals=1-4")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def main(args: list[str] | None = None) -> None:
    """Run one command and exit."""
    try:
        code = app.main(args, prog_name="developers", standalone_mode=False)
    except click.ClickException as error:
        _refuse(error.format_message())
    except InputError as error:
        _refuse(str(error))
    except (KeyboardInterrupt, click.Abort):
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _refuse(sentence: str) -> None:
    click.echo(f"kiosk: {sentence}", err=True)
    sys.exit(2)


if __name__ == "__main__":
    main()
