"""``kiosk draw``: lots, preliminary numbers and leagues of an M40 event (CONTRACT.md)."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.i18n import raised_as, say
from kiosk.commands.command_helpers import PATH, as_json_option, write_text
from kiosk.commands.pair_standings_certify import load_event
from kiosk.errors import InputError
from kiosk.locale import render_both


@click.command()
@click.argument("event", type=PATH)
@click.option("--out", type=PATH, help="Write the event with the drawn lots and leagues to this file.")
@as_json_option
def draw(event: Path, out: Path | None, as_json: bool) -> None:
    """Draw the lots of EVENT, an event file, and form the leagues.

    Lots in the file are kept. The others come from the three ballots of the opening, or from the recorded seed; the
    same file always gives the same draw. Write it into the file before round 1.
    """
    from engine.tournament import TournamentError
    from engine.tournament.meijin40_lots_in_event_file import as_dict, drawn_players, with_draw
    from kiosk.records.event_file import to_dict

    loaded = load_event(event)
    with raised_as(InputError, say("{event}: {why}", event=event), TournamentError):
        players, drawn = drawn_players(loaded)
        data = as_dict(loaded, players, drawn)
        filled = to_dict(with_draw(loaded, players))
    if out is not None:
        write_text(out, json.dumps(filled, ensure_ascii=False, indent=1) + "\n")
    if as_json:
        click.echo(json.dumps(data, ensure_ascii=False))
        return
    click.echo(render_both(say("lots")))
    for player in sorted(players, key=lambda player: (player.lot is None, player.lot)):
        lot = f"  {render_both(say('absent'))}" if player.lot is None else f"{player.lot:>4}"
        league = f"  {player.league}" if player.league else ""
        number = f"  ({player.preliminary})" if player.preliminary is not None else ""
        click.echo(f"{lot}{league}  {loaded.called(player.id)}{number}")
    for name, from_, to in drawn.moves:
        click.echo(f"! {loaded.called(name)}: {from_} → {to}")
    for warning in drawn.warnings:
        click.echo(f"! {render_both(warning)}")
