"""Shared helpers of the commands: the JSON option, printed answers, files, and errors of the user's input."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from engine.i18n import Text, raised_as, say, text_of
from kiosk.errors import InputError, unreadable
from kiosk.locale import render, terminal_language
from kiosk.untrusted_file_sandbox import read_limited


class _PathType(click.Path):
    """A path that the system can look up, whether or not there is a file: commands ask this freely, and one with a name
    that is too long, or in or below a folder of somebody else, would end them with an error of the system.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path: Any = super().convert(value, param, ctx)
        with unreadable(path):
            (path / "-").exists()
        return path


#: type of an argument or option that names a file or folder; the command itself says if it cannot be read
PATH = _PathType(readable=False, path_type=Path)
as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@contextmanager
def as_input_error(*errors: type[Exception]) -> Iterator[None]:
    """Raise those errors of the block as ``InputError`` with their own sentence."""
    try:
        yield
    except errors as error:
        raise InputError(text_of(error)) from error


def print_answer(text: Text, err: bool = False) -> None:
    """Print one line in the language of the terminal."""
    click.echo(render(text, terminal_language()), err=err)


def print_result(data: object, text: Text, as_json: bool) -> None:
    """Print ``data`` as JSON, or ``text`` as a line in the language of the terminal."""
    if as_json:
        click.echo(json.dumps(data))
    else:
        print_answer(text)


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file, without a byte order mark."""
    no_text = say("{path} is not UTF-8 text; give another file, or save it as UTF-8", path=path)
    with unreadable(path), raised_as(InputError, no_text, UnicodeDecodeError):
        return read_limited(path)


def write_text(path: Path, text: str | bytes) -> None:
    """Write a file; text in UTF-8.

    :raises InputError: the file cannot be written.
    """
    with raised_as(InputError, say("cannot write {path}: {why}; choose another path", path=path), OSError):
        path.write_bytes(text.encode() if isinstance(text, str) else text)
