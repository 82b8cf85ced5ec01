"""``kiosk play``: one game at one table, headless, from a script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from engine.i18n import say
from kiosk.commands.command_helpers import PATH, as_json_option, read_text
from kiosk.locale import render_both


@click.command()
@click.argument("script", type=PATH)
@as_json_option
def play(script: Path, as_json: bool) -> None:
    """Play the table script SCRIPT (JSON lines, CONTRACT.md) and print the state of the game after its last line."""
    from kiosk.play.table_script_parser import read_script
    from kiosk.play.table_script_runner import play_script

    outcome = play_script(read_script(read_text(script)))
    if as_json:
        click.echo(json.dumps(outcome, ensure_ascii=False))
    else:
        click.echo("\n".join(_summary(outcome)))


def _summary(outcome: dict[str, Any]) -> list[str]:
    """Return a summary of a few lines."""
    left = ", ".join(f"{color} {ms / 1000:.3f} s" for color, ms in outcome["remaining_ms"].items())
    running = outcome["running"] or "-"
    lines = [
        f"{outcome['state']}  {render_both(say('running'))}: {running}  {render_both(say('left to each'))}: {left}"
    ]
    if result := outcome["result"]:
        rated = "" if result["rated"] else f"  {render_both(say('unrated'))}"
        discs = "" if result["black_discs"] is None else f" {result['black_discs']}-{result['white_discs']}"
        lines.append(f"{render_both(say('result'))}: {result['winner']}{discs} ({result['end']}){rated}")
    if outcome["transcript"]:
        lines.append(f"{render_both(say('transcript'))}: {outcome['transcript']}")
    lines += [
        f"{render_both(say('finding'))}: {found['ply']}. {found['kind']} {' '.join(found['squares'])}"
        for found in outcome["findings"]
    ]
    lines += [
        f"{render_both(say('rejected, line {n}', n=line['line']))}: {line['text']}" for line in outcome["rejected"]
    ]
    return lines
