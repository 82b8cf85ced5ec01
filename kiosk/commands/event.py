"""``kiosk pair``, ``kiosk standings`` and ``kiosk convert``: an event file in, the next round or the ranking out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kiosk.errors import NotYet, UnusableInput

if TYPE_CHECKING:
    from engine.tournament import Event

_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_file = click.Path(path_type=Path)


@click.command()
@click.argument("event", type=_file)
@click.option("--cost", "cost_round", type=int, help="Price the pairing that was played in this round instead.")
@_as_json
def pair(event: Path, cost_round: int | None, as_json: bool) -> None:
    """Pair the next round of EVENT, an event file.

    The answer depends on the file alone: the same file gives the same round again.
    """
    from engine.tournament import TournamentError, cost_of_round, next_round

    loaded = load_event(event)
    try:
        if cost_round is not None:
            cost = cost_of_round(loaded, cost_round)
            _print(cost, as_json, [f"round {cost['round']}: played {cost['played']}, optimum {cost['optimum']}"])
            return
        paired = next_round(loaded)
    except TournamentError as error:
        raise UnusableInput(f"{event}: {error}") from None
    cost_words = ", ".join(f"{name} {value}" for name, value in paired.cost.items() if value)
    lines = [f"第{paired.round}回戦 / round {paired.round}  {cost_words}".rstrip()]
    lines += [_game_line(loaded, game) for game in paired.games]
    lines += [f"! {warning}" for warning in paired.warnings]
    _print(paired.as_dict(), as_json, lines)


@click.command()
@click.argument("event", type=_file)
@click.option("--after", type=int, help="After this round; by default the last finished one.")
@_as_json
def standings(event: Path, after: int | None, as_json: bool) -> None:
    """Rank the players of EVENT, an event file."""
    from engine.tournament import TournamentError
    from engine.tournament import standings as ranking

    loaded = load_event(event)
    try:
        table = ranking(loaded, after)
    except TournamentError as error:
        raise UnusableInput(f"{event}: {error}") from None
    lines = [f"第{table.after_round}回戦終了 / after round {table.after_round}"]
    for row in table.rows:
        keys = "  ".join(f"{name} {value}" for name, value in zip(row.key_names, row.keys, strict=True))
        lines.append(f"{row.rank:>4}  {loaded.label(row.id)}  {keys}")
    _print(table.as_dict(), as_json, lines)


@click.command()
@click.argument("source", type=_file)
@click.argument("target", type=_file)
@_as_json
def convert(source: Path, target: Path, as_json: bool) -> None:
    """Convert SOURCE to TARGET; the extensions say from what to what (.ELO to event .json)."""
    from engine.tournament import EventError, from_dict, to_dict
    from kiosk.records.elo import EloError, read_elo

    kinds = source.suffix.lower(), target.suffix.lower()
    if kinds != (".elo", ".json"):
        raise NotYet(f"converting '{kinds[0]}' to '{kinds[1]}' is not yet in this version; it has .ELO to .json")
    try:
        loaded = from_dict(read_elo(_read(source)))
    except (EloError, EventError) as error:
        raise UnusableInput(f"{source}: {error}") from None
    try:
        target.write_text(json.dumps(to_dict(loaded), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise UnusableInput(f"cannot write {target}: {error.strerror}; choose another path") from None
    counts = {"players": len(loaded.players), "rounds": len(loaded.rounds)}
    _print(counts, as_json, [f"{target}: {counts['players']} players, {counts['rounds']} rounds"])


def load_event(path: Path) -> Event:
    """The event of an event file.

    :raises UnusableInput: if the file cannot be read or is no event file; the message names file and field
    """
    from engine.tournament import EventError, from_dict

    text = _read(path)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnusableInput(f"{path} is not JSON: {error}; give an event file (CONTRACT.md)") from None
    try:
        return from_dict(data)
    except EventError as error:
        raise UnusableInput(f"{path}: {error}") from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UnusableInput(f"cannot read {path}: {error.strerror}; check the path") from None
    except UnicodeDecodeError:
        raise UnusableInput(f"{path} is not UTF-8 text; save it as UTF-8") from None


def _game_line(event: Event, game: dict[str, object]) -> str:
    if "bye" in game:
        return f"   -  {event.label(str(game['bye']))}  不戦勝 / bye"
    names = f"{event.label(str(game['black']))} - {event.label(str(game['white']))}"
    notes = "" if game["stage"] == "league" else f"  {game['stage']}"
    if game.get("end") == "not-played":
        notes += "  引き分け / not played, a draw"
    return f"{game['table']:>4}  {names}{notes}"


def _print(data: object, as_json: bool, lines: list[str]) -> None:
    if as_json:
        click.echo(json.dumps(data, ensure_ascii=False))
    else:
        click.echo("\n".join(lines))
