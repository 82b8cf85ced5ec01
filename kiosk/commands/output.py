"""What commands share in giving their answers: the option for JSON, a file that is written."""

from __future__ import annotations

from pathlib import Path

import click

from engine.text import say
from kiosk.errors import UnusableInput

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def write_text(path: Path, text: str) -> None:
    """:raises UnusableInput: the file cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnusableInput(
            say("cannot write {path}: {why}; choose another path", path=path, why=error.strerror)
        ) from None
