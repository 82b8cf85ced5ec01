"""Translated help pages and usage errors of the command line.

A command's help is its docstring, paragraph by paragraph, and the ``help`` of its options; these are templates like all
others and stand in the catalogues (``said_of``). Names that are typed (commands, options, EVENT) are not translated.
None of click's own messages is shown.
"""

from __future__ import annotations

import inspect
import re
import shutil
import unicodedata
from collections.abc import Iterator
from typing import Any

import click

from engine.i18n import Text, say, say_in
from kiosk.locale import line_pieces, render, terminal_language

#: columns of a help page at most, and of the names at its left
WIDEST, WIDEST_NAMES = 80, 30


class Context(click.Context):
    """Click context with translated help."""

    def get_help(self) -> str:
        return "\n".join(line.rstrip() for line in _page(self))


def calls(above: click.Context) -> Iterator[click.Context]:
    """Yield the contexts of a command and, for a group, of all its commands."""
    yield above
    if isinstance(above.command, click.Group):
        for command in _commands(above.command, above):
            yield from calls(Context(command, info_name=command.name, parent=above))


def _commands(group: click.Group, call: click.Context) -> list[click.Command]:
    found = (group.get_command(call, name) for name in group.list_commands(call))
    return [command for command in found if command is not None]


def said_of(call: click.Context) -> Iterator[Text]:
    """Yield the templates of one command's help that are in no ``say``."""
    yield from _paragraphs(call.command)
    for param in call.command.get_params(call):
        if isinstance(param, click.Option) and param.help:
            yield Text(param.help)


def _paragraphs(command: click.Command) -> list[Text]:
    return [Text(" ".join(part.split())) for part in inspect.cleandoc(command.help or "").split("\n\n") if part]


def _page(call: click.Context) -> Iterator[str]:
    width = min(shutil.get_terminal_size().columns, WIDEST)
    yield from _lines(_rendered(say("Usage: {usage}", usage=usage(call))), width)
    for paragraph in _paragraphs(call.command):
        yield ""
        yield from (f"  {line}" for line in _lines(_rendered(paragraph), width - 2))
    options = [param for param in call.command.get_params(call) if isinstance(param, click.Option)]
    yield from _list(say("Options:"), [(_option(option, call), _meaning(option, call)) for option in options], width)
    if isinstance(call.command, click.Group):
        rows = [(str(one.name), _sentence(one)) for one in _commands(call.command, call)]
        yield from _list(say("Commands:"), rows, width)


def usage(call: click.Context) -> Text:
    """Return the usage line, such as ``kiosk pair [OPTIONS] EVENT``."""
    wanted = [param.make_metavar(call) for param in call.command.params if isinstance(param, click.Argument)]
    command = " ".join((call.command_path, "{options}", *wanted))
    more = {"options": say_in("on the command line", "[OPTIONS]")}
    if isinstance(call.command, click.Group):
        command, more = f"{command} {{command}}", more | {"command": say_in("on the command line", "COMMAND …")}
    return Text(command)(**more)


def _sentence(command: click.Command) -> str:
    """Return the first sentence of a command's help."""
    return re.split(r"(?<=\.)\s|(?<=。)", _rendered(_paragraphs(command)[0]))[0]


def _list(heading: Text, rows: list[tuple[str, str]], width: int) -> Iterator[str]:
    yield from ("", _rendered(heading))
    left = min(max(_columns(name) for name, _ in rows), WIDEST_NAMES) + 4
    for name, meaning in rows:
        first, *others = _lines(meaning, width - left)
        yield from (
            [f"  {name}", " " * left + first] if _columns(name) + 4 > left else [_pad(f"  {name}", left) + first]
        )
        yield from (" " * left + line for line in others)


def _option(option: click.Option, call: click.Context) -> str:
    names = " / ".join(", ".join(names) for names in (option.opts, option.secondary_opts) if names)
    return names if option.is_flag or option.count or not option.expose_value else f"{names} {_value(option, call)}"


def _value(option: click.Option, call: click.Context) -> str:
    match option.type:
        case _ if option.metavar is not None:
            return option.metavar
        case click.types.IntParamType() | click.types.FloatParamType():
            return _rendered(say_in("on the command line", "NUMBER"))
        case click.Path():
            return _rendered(say_in("on the command line", "PATH"))
        case click.types.StringParamType():
            return _rendered(say_in("on the command line", "TEXT"))
    return option.make_metavar(call)


def _meaning(option: click.Option, call: click.Context) -> str:
    extra = option.get_help_extra(call)
    more = [
        *([_rendered(say("default: {value}", value=extra["default"]))] if "default" in extra else ()),
        *([extra["range"]] if "range" in extra else ()),
        *([_rendered(say_in("on the command line", "required"))] if "required" in extra else ()),
    ]
    meaning = _rendered(Text(option.help or ""))
    return f"{meaning}  [{'; '.join(more)}]" if more else meaning


def _lines(text: str, width: int) -> Iterator[str]:
    """Yield the text's lines, broken by the rules of Japanese and English; a Japanese character takes two columns."""
    line = ""
    for piece in line_pieces(text):
        if line and _columns((line + piece).rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += piece if line else piece.lstrip()
    yield line.rstrip()


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _pad(text: str, columns: int) -> str:
    return text + " " * (columns - _columns(text))


def _rendered(text: Text) -> str:
    return render(text, terminal_language())


def usage_error(error: click.ClickException) -> Text:
    """Return the translated message of a click error."""
    call = getattr(error, "ctx", None)
    asked = f"{call.command_path if call is not None else 'kiosk'} --help"
    match error:
        case click.NoSuchOption():
            return say("there is no option {name}; `{asked}` lists them", name=error.option_name, asked=asked)
        case click.exceptions.NoSuchCommand():
            return say("there is no command {name}; `{asked}` lists them", name=error.command_name, asked=asked)
        case click.BadOptionUsage():
            return say("{name}: a value is missing, or there is one where none is taken", name=error.option_name)
        case click.MissingParameter() if error.param is not None:
            return say("{name} is missing; `{asked}` says what is needed", name=_name(error.param), asked=asked)
        case click.BadParameter() if (
            error.param is not None and (wanted := _expected_value(error.param.type)) is not None
        ):
            return say("{name}: {wanted} is needed", name=_name(error.param), wanted=wanted)
        case click.UsageError() if call is not None:
            return say("more was given than is taken: {usage}", usage=usage(call))
    return say("{why}", why=error.format_message().replace("\n", " "))


def _name(param: click.Parameter) -> str:
    return param.opts[0] if isinstance(param, click.Option) else param.human_readable_name


def _expected_value(kind: Any) -> Text | None:
    match kind:
        case click.IntRange(min=int(least), max=int(most)):
            return say("a whole number from {least} to {most}", least=least, most=most)
        case click.IntRange(min=int(least)):
            return say("a whole number from {least} on", least=least)
        case click.types.IntParamType():
            return say("a whole number")
        case click.FloatRange(min=float() | int() as least, max=float() | int() as most):
            return say("a number from {least} to {most}", least=least, most=most)
        case click.types.FloatParamType():
            return say("a number")
        case click.Choice():
            return say("one of {choices}", choices=tuple(map(str, kind.choices)))
        case click.Path(file_okay=False):
            return say("a folder")
    return None
