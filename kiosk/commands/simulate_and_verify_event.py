"""``kiosk simulate-event`` and ``kiosk verify-event``: generation of random events and verification of finished
ones.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.translatable_text import say
from kiosk.commands.output_helpers import as_json_option, print_answer, write_text
from kiosk.commands.pair_standings_certify import read_text
from kiosk.errors import InputError
from kiosk.locale import render_both

_file = click.Path(path_type=Path)


@click.command("simulate-event")
@click.argument("format_", metavar="FORMAT")
@click.option("--players", type=click.IntRange(2, 2000), default=16, show_default=True, help="How many entries.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same event.")
@click.option("--rounds", type=click.IntRange(1, 100), help="Rounds, in formats that have no last one (6 by default).")
@click.option("--restless", is_flag=True, help="Players leave, miss a round, or enter late.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the event file; repeatable."
)
@click.option("--out", type=_file, help="Write the event file here instead of printing it.")
def simulate_event(
    format_: str,
    players: int,
    seed: int,
    rounds: int | None,
    restless: bool,
    options: tuple[str, ...],
    out: Path | None,
) -> None:
    """Hold a whole random event of FORMAT and print its event file."""
    from engine.tournament import TournamentError
    from engine.tournament.formats import FORMATS
    from kiosk.records.random_event_generator import GeneratorSettings, simulate

    if format_ not in FORMATS:
        raise InputError(
            say("no format is called '{format}'; there are {known}", format=format_, known=", ".join(FORMATS))
        )
    try:
        data = simulate(GeneratorSettings(format_, players, seed, rounds, restless, dict(map(_option, options))))
    except TournamentError as error:
        raise InputError(
            say("{format} with {players} players: {why}", format=format_, players=players, why=error)
        ) from None
    text = json.dumps(data, ensure_ascii=False, indent=1)
    if out is None:
        click.echo(text)
        return
    write_text(out, text + "\n")
    players, rounds = len(data["players"]), len(data["rounds"])
    print_answer(say("{path}: {players} players, {rounds} rounds", path=out, players=players, rounds=rounds))


def _option(text: str) -> tuple[str, object]:
    """Return name and value of "finals=1-4" or "play_off=true": the value is JSON where possible, else a text."""
    name, sign, value = text.partition("=")
    if not sign:
        raise InputError(say("--option {text}: write NAME=VALUE, as in finals=1-4", text=text))
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


@click.command("verify-event")
@click.argument("event", type=_file)
@click.option("--standings", type=_file, help="A sheet printed by 'kiosk standings --json', to be checked as well.")
@as_json_option
def verify_event(event: Path, standings: Path | None, as_json: bool) -> int:
    """List every rule that the finished rounds of EVENT break.

    The checks share no code with the pairing; rules that are not named under "checked" were not looked at. Exits 0 if
    no rule is broken, 1 if one is, 2 if EVENT is no event file.
    """
    from kiosk.verify import UnreadableEventError, verify

    try:
        report = verify(_json(event), None if standings is None else _json(standings))
    except UnreadableEventError as error:
        raise InputError(say("{event}: {why}", event=event, why=error)) from None
    if as_json:
        problems = [problem.as_dict() for problem in report.problems]
        click.echo(json.dumps({"problems": problems, "checked": sorted(report.checked)}, ensure_ascii=False))
        return int(bool(problems))
    for problem in report.problems:
        click.echo(f"{render_both(say('round {n}', n=problem.round))}  {problem.rule}: {problem.text}")
    click.echo(
        render_both(say("{broken} broken; {n} rules checked", broken=len(report.problems), n=len(report.checked)))
    )
    return int(bool(report.problems))


def _json(path: Path) -> object:
    text = read_text(path)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            say("{path} is not JSON: {why}; give the JSON of this program", path=path, why=error)
        ) from None
