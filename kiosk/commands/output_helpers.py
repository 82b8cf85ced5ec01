"""Shared output helpers of the commands: the JSON option, a translated line, a written file."""

from __future__ import annotations

from pathlib import Path

import click

from engine.i18n import Text, raised_as, say
from kiosk.errors import InputError
from kiosk.locale import render, terminal_language

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_answer(text: Text, err: bool = False) -> None:
    """Print one line in the language of the terminal."""
    click.echo(render(text, terminal_language()), err=err)


def write_text(path: Path, text: str | bytes) -> None:
    """Write a file; text in UTF-8.

    :raises InputError: the file cannot be written.
    """
    with raised_as(InputError, say("cannot write {path}: {why}; choose another path", path=path), OSError):
        path.write_bytes(text.encode() if isinstance(text, str) else text)
