"""The ``kiosk`` command line (CONTRACT.md).

Every command exits 0 on success and 2 on unusable input, with one sentence on stderr. Each command lives in
``kiosk.commands`` and is imported only when it is called: a table must not pay for the head's libraries at start.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import click

from engine.text import Text, say
from kiosk.errors import UnusableInput
from kiosk.locale import render, terminal_language

#: command name -> (module below kiosk.commands, function)
COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("board", "check"),
    "replay": ("board", "replay"),
    "perft": ("board", "perft"),
    "solve": ("solve", "solve"),
    "engine": ("engine", "engine"),
    "play": ("play", "play"),
    "draw": ("draw", "draw"),
    "pair": ("event", "pair"),
    "standings": ("event", "standings"),
    "certify": ("event", "certify"),
    "convert": ("convert", "convert"),
    "simulate": ("simulate", "simulate"),
    "simulate-event": ("verify", "simulate_event"),
    "verify-event": ("verify", "verify_event"),
    "table": ("table", "table"),
    "head": ("head", "head"),
    "demo": ("demo", "demo"),
    "doctor": ("doctor", "doctor"),
    "keys": ("keys", "keys"),
    "journal": ("journal", "journal"),
    "backup": ("backup", "backup"),
    "restore": ("backup", "restore"),
    "audit": ("audit", "audit"),
    "update": ("update", "update"),
    "venue": ("venue", "venue"),
    "federation": ("federation", "federation"),
    "read-board": ("read_board", "read_board"),
    "bench-camera": ("bench_camera", "bench_camera"),
}


class _Commands(click.Group):
    """Looks a command up by name and imports its module only then."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise UnusableInput(say("there is no command {name}; `kiosk --help` lists them", name=args[0]))
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, function = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"kiosk.commands.{module}"), function)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="othello-kiosk")
def app() -> None:
    """Othello tournament tables and the head table."""


def main(args: list[str] | None = None) -> None:
    """Runs one command and exits: 0 done, 2 unusable input, 130 interrupted."""
    try:
        code = app.main(args, prog_name="kiosk", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())  # noqa: T201 - the help text
        sys.exit(0)
    except click.ClickException as error:
        _refuse(render(_misused(error), terminal_language()))
    except UnusableInput as error:
        _refuse(render(error.text, terminal_language()))
    except (KeyboardInterrupt, click.Abort):
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _misused(error: click.ClickException) -> Text:
    """What the library refuses, in our words; what it has no class for stays as it says it."""
    context = getattr(error, "ctx", None)
    asked = f"{context.command_path} --help" if context is not None else "kiosk --help"
    match error:
        case click.NoSuchOption():
            return say("there is no option {name}; `{asked}` lists them", name=error.option_name, asked=asked)
        case click.MissingParameter() if error.param is not None:
            return say("{name} is missing; `{asked}` says what is needed", name=_name(error.param), asked=asked)
        case click.BadParameter() if error.param is not None and (wanted := _wanted(error.param.type)) is not None:
            return say("{name}: {wanted} is needed", name=_name(error.param), wanted=wanted)
    return say("{why}", why=error.format_message().replace("\n", " "))


def _name(param: click.Parameter) -> str:
    return param.opts[0] if isinstance(param, click.Option) else param.human_readable_name


def _wanted(kind: Any) -> Text | None:
    match kind:
        case click.IntRange(min=int(least), max=int(most)):
            return say("a whole number from {least} to {most}", least=least, most=most)
        case click.IntRange(min=int(least)):
            return say("a whole number from {least} on", least=least)
        case click.types.IntParamType():
            return say("a whole number")
        case click.types.FloatParamType():
            return say("a number")
        case click.Choice():
            return say("one of {choices}", choices=tuple(map(str, kind.choices)))
    return None


def _refuse(sentence: str) -> None:
    click.echo(f"kiosk: {sentence}", err=True)
    sys.exit(2)
