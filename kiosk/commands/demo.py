"""``kiosk demo``: a tournament with simulated players on one machine."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.i18n import raised_as, say
from kiosk.commands.command_helpers import PATH
from kiosk.errors import InputError
from kiosk.locale import render_both

if TYPE_CHECKING:
    from rich.console import Console

#: of real programs, as fast as a small machine can follow; at higher speeds the players' reactions would take minutes
#: of game time
MAX_SPEED = 400.0


@click.command()
@click.option(
    "--tables", default=8, show_default=True, type=click.IntRange(1, 64), help="Number of tables with a kiosk."
)
@click.option("--players", default=16, show_default=True, type=click.IntRange(4, 300), help="Players.")
@click.option("--format", "format_name", default="m43-open", show_default=True, help="Format of the event.")
@click.option("--rules", default="", help="Rule set at the tables; by default that of the format.")
@click.option("--seed", default=43, show_default=True, type=int, help="Seed of the draw, the games and the mistakes.")
@click.option("--games", type=PATH, help="A WTHOR .wtb file whose games are played.")
@click.option(
    "--speed",
    default="100",
    show_default=True,
    help="Speed relative to real time, or 'max': without waiting and without pages.",
)
@click.option(
    "--carrier",
    default="network",
    show_default=True,
    type=click.Choice(["network", "serial"]),
    help="Connection of the tables to the head; serial: simulated cables (ptys).",
)
@click.option(
    "--eye", is_flag=True, help="Read drawn boards by simulated cameras instead of sensor boards; try --speed 16."
)
@click.option("--window", is_flag=True, help="Open the screen of table 1; F and J press its buttons too.")
@click.option("--exit", "leave", is_flag=True, help="End after the last round instead of keeping the pages open.")
@click.option("--out", type=PATH, help="Write event.json, standings.json and the journals here.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port of the head's pages; 0: any free one.")
def demo(
    tables: int,
    players: int,
    format_name: str,
    rules: str,
    seed: int,
    games: Path | None,
    speed: str,
    carrier: str,
    eye: bool,
    window: bool,
    leave: bool,
    out: Path | None,
    port: int,
) -> None:
    """Run a whole tournament on this machine: a head, its tables, and simulated players who press, move and make
    mistakes.

    With --speed max everything runs on virtual time: the same options and seed give the same event, byte for byte, on
    every machine. At other speeds, and with --window, --eye or --carrier serial, the real programs run, each in its own
    process. Drawing pictures takes real time: --eye has no virtual time.
    """
    from rich.console import Console

    from kiosk.demo.hall_processes import DemoHall, HallPlan, ended_by_signals
    from kiosk.demo.run_to_end_at_terminal import watch
    from kiosk.demo.simulated_game_plan_and_board import load_records

    _check_rules(rules, format_name)
    load_records(games)
    event = _event(format_name, players, seed)
    console = Console()
    started = time.monotonic()
    with ended_by_signals(), _directory(out) as directory:
        games_file = games and games.resolve()
        serial = carrier == "serial"
        plan = HallPlan(event, tables, _speed(speed), seed, directory, port, games_file, window, serial, rules, eye)
        if speed == "max" and not (serial or window or eye):
            from kiosk.demo.virtual_time_demo import play

            with console.status("") as status:  # virtual time shows only the result
                finished = play(plan, status.update)
            _report_result(finished, out, console, started)
        else:
            with DemoHall(plan) as hall:
                size = say("{players} players, {tables} tables with a kiosk, speed ×{speed}")
                shown = render_both(size(players=players, tables=tables, speed=f"{plan.speed:g}"))
                console.print(f"{render_both(say('Head table'))}: {hall.url}   {shown}", soft_wrap=True)
                _report_result(watch(hall, console), out, console, started)
                if not leave and sys.stdout.isatty():
                    console.print(render_both(say("The pages stay open at {url}. Ctrl-C ends.", url=hall.url)))
                    with contextlib.suppress(KeyboardInterrupt):
                        while True:
                            hall.restart_dead_tables()
                            time.sleep(1)
        if out is not None:
            for number in range(1, tables + 1):
                shutil.copytree(directory / f"table-{number}" / "journal", out / "journals" / f"table-{number}")


def _report_result(event: dict[str, Any], out: Path | None, console: Console, started: float) -> None:
    """Print and write the result of the event."""
    from engine.tournament import standings
    from kiosk.demo.run_to_end_at_terminal import announce
    from kiosk.records.event_file import from_dict

    ranking = dict(standings(from_dict(event)).as_dict())
    announce(event, ranking, console)
    console.print(f"{time.monotonic() - started:.1f} s")
    if out is not None:
        for name, content in (("event.json", event), ("standings.json", ranking)):
            text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
            (out / name).write_text(text, encoding="utf-8")


def _check_rules(rules: str, format_name: str) -> None:
    from engine.match import MatchError
    from engine.match.rule_sets_and_options import rule_set
    from engine.tournament.formats import FORMATS

    usual = [FORMATS[format_name].facts.rules] if format_name in FORMATS else []
    with raised_as(InputError, say("--rules {rules}: {why}", rules=rules), MatchError):
        played = [rule_set(name) for name in (rules, *usual) if name]
    if not all(one.board for one in played):
        raise InputError.saying("a simulated hall plays Othello only; ChouChou has no board that could be read")


def _event(format_name: str, players: int, seed: int) -> dict[str, object]:
    """Return the event file before the first round.

    :raises InputError: the format does not allow it.
    """
    from engine.tournament import TournamentError, next_round
    from engine.tournament.formats import FORMATS
    from kiosk.demo.fictitious_players_and_teams import EVENT, teams
    from kiosk.demo.fictitious_players_and_teams import players as made_players
    from kiosk.records.event_file import from_dict

    event: dict[str, object] = {"schema": "othello-event/1", "name": EVENT, "format": format_name}
    event |= {"options": {"random_seed": seed}, "players": made_players(players)}
    facts = FORMATS[format_name].facts if format_name in FORMATS else None
    if facts is not None and facts.endless:
        raise InputError.saying("--format {format_name} has no last round; name another", format_name=format_name)
    if facts is not None and facts.open_ended:
        event["options"] = {"random_seed": seed, "rounds": (players - 1).bit_length() + 1}
    if facts is not None and facts.teams:
        event |= {"teams": teams(players), "players": made_players(players - players % 3)}
    unfit = say("--format {format_name} --players {players}: {why}", format_name=format_name, players=players)
    with raised_as(InputError, unfit, TournamentError):
        next_round(from_dict(event))
    return event


def _speed(text: str) -> float:
    try:
        speed = MAX_SPEED if text == "max" else float(text)
    except ValueError:
        raise InputError.saying("--speed {text!r} is neither a number nor 'max'", text=text) from None
    if not 0.1 <= speed <= 10_000:
        raise InputError.saying("--speed {text} is out of range; use 0.1 to 10000, or 'max'", text=text)
    return speed


@contextlib.contextmanager
def _directory(out: Path | None) -> Iterator[Path]:
    """Provide the data directory of the programs while they run.

    :raises InputError: ``out`` cannot be written, or holds data of an earlier run.
    """
    if out is not None:
        with raised_as(InputError, say("--out {out}: {why}; name a folder that can be made", out=out), OSError):
            out.mkdir(parents=True, exist_ok=True)
        if (out / "event.json").exists() or (out / "hall").exists():
            raise InputError.saying("--out {out}: an earlier demo is there; name another folder", out=out)
        (out / "hall").mkdir()
        yield (out / "hall").resolve()
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="othello-hall-") as name:
        yield Path(name)
