"""``kiosk table``: runs one table's program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.i18n import raised_as, say
from kiosk.commands.command_helpers import PATH, as_input_error
from kiosk.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kiosk.platform_compat import Notifier
    from kiosk.table.table_config import TableConfig


@click.command()
@click.option(
    "--config", "config_file", required=True, type=PATH, help="The table's TOML file (docs/reference/configuration.md)."
)
@click.option("--window", is_flag=True, help="Show the screen in a window; two keys (F and J) are the buttons.")
@click.option("--camera", "again", is_flag=True, help="Set the camera up again, with the start position on the board.")
@click.option(
    "--record-pictures",
    "pictures",
    type=PATH,
    help="Store five of the camera's pictures a second in this folder (docs/setup/camera.md: ask the players first).",
)
def table(config_file: Path, window: bool, again: bool, pictures: Path | None) -> None:
    """Run one table: clock, board check, journal, link and screen."""
    import faulthandler
    from dataclasses import replace
    from functools import partial

    from hardware.errors import HardwareError
    from kiosk.locale import ENGLISH
    from kiosk.logs import start_logging
    from kiosk.platform_compat import Notifier
    from kiosk.table.board_sources.board_source_interface_and_factory import open_source
    from kiosk.table.device.health_report import status_line
    from kiosk.table.device.table_identity_and_takeover import needs_key, with_number
    from kiosk.table.device.update_and_diagnostics_client import DiagnosticsReader, MaintenanceSettings
    from kiosk.table.loop.gc_control import configure_gc
    from kiosk.table.table_assembly import Environment, build_table
    from kiosk.table.table_config import TableConfig
    from kiosk.typed_toml_reader import read_toml

    faulthandler.enable()  # systemd's watchdog ends a hung table by SIGABRT; this logs where it hung
    config = read_toml(config_file, TableConfig)
    if pictures is not None:
        _check_recording(config, config_file, pictures)
    start_logging(table=config.table)
    if window:
        config.screen.window = config.screen.enabled = True
    notifier = Notifier()
    with as_input_error(HardwareError):
        if needs_key(config) and not _wait_for_key(config, notifier):
            return
        config = with_number(config)
        environment = Environment(maintenance=MaintenanceSettings(look=DiagnosticsReader(config_file)))
        if config.board.source == "camera":
            if not _set_camera_up(config, notifier, again):
                return
            from kiosk.table.device.camera_calibration_screen import load_calibration

            opened = partial(open_source, calibration=load_calibration(config.data), recording_folder=pictures)
            environment = replace(environment, board=opened)
        made = build_table(config, environment=environment)

    made.program.on_beat = lambda: notifier.alive(status_line(made.program.state))
    _on_stop(notifier, made.stop)
    state = made.program.state
    configure_gc({*state.languages.values(), state.arbiter_language, ENGLISH})
    made.run()


def _check_recording(config: TableConfig, config_file: Path, folder: Path) -> None:
    """Check that pictures can be recorded in a folder, before a game of which none would be.

    :raises InputError: the table has no camera, or the folder is missing or cannot be written.
    """
    from tempfile import TemporaryFile

    if config.board.source != "camera":
        raise InputError.saying(
            '--record-pictures is for a table with a camera; set source = "camera" under [board] in {file}',
            file=config_file,
        )
    why = say("--record-pictures: cannot write in {folder}: {why}; make the folder, or choose another", folder=folder)
    with raised_as(InputError, why, OSError), TemporaryFile(dir=folder):
        pass


def _on_stop(notifier: Notifier, stop: Callable[[], object]) -> None:
    """Set what SIGTERM, as sent by ``systemctl stop``, does from now on."""
    import signal

    def stopped(*_: object) -> None:
        notifier.stopping()
        stop()

    signal.signal(signal.SIGTERM, stopped)


def _wait_for_key(config: TableConfig, notifier: Notifier) -> bool:
    """Show how to give this table a key until it has one; return False if it was stopped before."""
    from kiosk.table.device.pre_start_and_enrolment_screens import EnrolmentScreen

    keyless = EnrolmentScreen(config)
    _on_stop(notifier, keyless.stop)
    return keyless.run(lambda: notifier.alive(f"table {config.table or '?'}: waits for a key"))


def _set_camera_up(config: TableConfig, notifier: Notifier, again: bool) -> bool:
    """Show the camera image until the camera has been set up; return False if it was stopped before."""
    from kiosk.table.device.camera_calibration_screen import CameraSetup, load_calibration

    if not config.screen.enabled or (not again and load_calibration(config.data) is not None):
        return True
    setup = CameraSetup(config)
    _on_stop(notifier, setup.stop)
    return setup.run(lambda: notifier.alive(f"table {config.table}: sets up its camera"))
