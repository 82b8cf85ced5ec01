"""The ``kiosk`` command line (CONTRACT.md).

Every command exits 0 on success and 2 on unusable input, with one sentence on stderr. The module of a command in
``kiosk.commands`` is imported only when the command is called, so that a table does not load the head's libraries at
start.
"""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from traceback import walk_tb

import click

from engine.i18n import reason_of, say
from kiosk.commands.translated_help_and_usage_errors import Context, usage_error
from kiosk.errors import InputError, missing_extra, sanitized_text
from kiosk.locale import render, terminal_language

#: command name -> (module below kiosk.commands, function)
COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("check_replay_perft_solve", "check"),
    "replay": ("check_replay_perft_solve", "replay"),
    "perft": ("check_replay_perft_solve", "perft"),
    "solve": ("check_replay_perft_solve", "solve"),
    "engine": ("endgame_solver_as_nboard_engine", "engine"),
    "play": ("play_table_script", "play"),
    "draw": ("draw_pair_standings_certify", "draw"),
    "pair": ("draw_pair_standings_certify", "pair"),
    "standings": ("draw_pair_standings_certify", "standings"),
    "certify": ("draw_pair_standings_certify", "certify"),
    "convert": ("convert_event_and_game_files", "convert"),
    "table": ("table", "table"),
    "head": ("head", "head"),
    "demo": ("demo", "demo"),
    "doctor": ("doctor", "doctor"),
    "keys": ("table_keys_and_arbiter_pin", "keys"),
    "journal": ("journal_export_rebuild_hand_in", "journal"),
    "backup": ("backup_and_restore", "backup"),
    "restore": ("backup_and_restore", "restore"),
    "audit": ("audit_verify_and_set_aside_record", "audit"),
    "update": ("update_make_publish_install", "update"),
    "venue": ("federation_database_and_venue_keys", "venue"),
    "federation": ("federation_database_and_venue_keys", "federation"),
    "read-board": ("read_board_picture_or_video", "read_board"),
    "bench-camera": ("benchmark_board_reader", "bench_camera"),
}

#: command -> the extra that is named first if several have what it lacks; the others: ``head``
EXTRA_OF = {"table": "table", "doctor": "camera", "read-board": "camera", "bench-camera": "camera", "demo": "demo"}


#: name of the handler of characters that stdout cannot encode
_ESCAPE = "othello-kiosk-escape"

#: characters of a printed error, which may repeat what a file says
LONGEST_REFUSAL = 1000


class _Commands(click.Group):
    """Command group that finds a command by name and imports its module only then."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            missing = missing_extra(error, EXTRA_OF.get(ctx.invoked_subcommand or "", "head"))
            if missing is None:
                raise
            raise missing from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, function = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"kiosk.commands.{module}"), function)
        return command


#: context class of every command, those of groups included
click.Command.context_class = Context


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="othello-kiosk", message="%(prog)s %(version)s")
def app() -> None:
    """Othello tournament tables and the head table."""


def main(args: list[str] | None = None) -> None:
    """Run one command and exit: 0 done, 2 unusable input, 130 interrupted."""
    # The matrices here are small, so more NumPy threads would only wait. NumPy reads this variable on import.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name, quiet in (("OPENCV_LOG_LEVEL", "OFF"), ("OPENCV_FFMPEG_LOGLEVEL", "-8")):  # only we explain errors
        os.environ.setdefault(name, quiet)
    if isinstance(sys.stdout, TextIOWrapper):
        with suppress(OSError):  # whoever started this may have exchanged the file behind it
            sys.stdout.reconfigure(errors=_ESCAPE)
    try:
        code = app.main(args, prog_name="kiosk", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())  # noqa: T201 - the help text
        sys.exit(0)
    except click.ClickException as error:
        _refuse(render(usage_error(error), terminal_language()))
    except InputError as error:
        _refuse(render(error.text, terminal_language()))
    except (KeyboardInterrupt, click.Abort):
        sys.exit(130)
    except OSError as error:
        if not _is_of_output(error):
            raise
        _refuse(render(say("the output cannot be written: {why}", why=reason_of(error)), terminal_language()))
    sys.exit(code if isinstance(code, int) else 0)


def _is_of_output(error: OSError) -> bool:
    """Return whether the error is one of stdout, such as a full disk behind ``>``, and not of the program's files."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return frames[-1].f_code is click.echo.__code__


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Return characters that the terminal's encoding lacks as JSON's escapes, so that JSON stays JSON."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end


codecs.register_error(_ESCAPE, _escape)


def _refuse(sentence: str) -> None:
    """Print the sentence and end. What it repeats of a stranger's file has no power over the terminal."""
    click.echo(f"kiosk: {sanitized_text(sentence, LONGEST_REFUSAL)}", err=True)
    sys.exit(2)
