"""``kiosk play``: one game at one table, headless, from a script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from engine.text import say
from kiosk.commands.output import as_json_option
from kiosk.errors import UnusableInput
from kiosk.play.driver import play_script
from kiosk.play.script import read_script


@click.command()
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@as_json_option
def play(script: Path, as_json: bool) -> None:
    """Play the table script SCRIPT (JSON lines, CONTRACT.md) and say where the game stands at its last line."""
    try:
        text = script.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableInput(say("{script}: cannot be read as UTF-8 text: {why}", script=script, why=error)) from error
    outcome = play_script(read_script(text))
    if as_json:
        click.echo(json.dumps(outcome, ensure_ascii=False))
    else:
        click.echo("\n".join(_summary(outcome)))


def _summary(outcome: dict[str, Any]) -> list[str]:
    """A few lines for a person."""
    left = ", ".join(f"{color} {ms / 1000:.3f} s" for color, ms in outcome["remaining_ms"].items())
    running = outcome["running"] or "-"
    lines = [f"{outcome['state']}  計時中/running: {running}  残り/left: {left}"]
    if result := outcome["result"]:
        rated = "" if result["rated"] else "  レート対象外/unrated"
        discs = "" if result["black_discs"] is None else f" {result['black_discs']}-{result['white_discs']}"
        lines.append(f"結果/result: {result['winner']}{discs} ({result['end']}){rated}")
    if outcome["transcript"]:
        lines.append(f"棋譜/transcript: {outcome['transcript']}")
    lines += [
        f"指摘/finding: {found['ply']}. {found['kind']} {' '.join(found['squares'])}" for found in outcome["findings"]
    ]
    lines += [f"不可/rejected: line {line['line']}: {line['text']}" for line in outcome["rejected"]]
    return lines
