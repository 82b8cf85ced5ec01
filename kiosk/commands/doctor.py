"""``kiosk doctor``: checks of this machine, reported in plain sentences."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.i18n import Text, raised_as, say
from kiosk.commands.command_helpers import PATH, as_input_error, as_json_option
from kiosk.errors import InputError
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.untrusted_file_sandbox import MOST_SETTINGS, read_limited_bytes

if TYPE_CHECKING:
    from kiosk.doctor.check_result import CheckResult

#: configuration and user of an installation
INSTALLED = {
    Path("/etc/othello-kiosk/table.toml"): "othello-table",
    Path("/etc/othello-kiosk/head.toml"): "othello-head",
}
_MARKS = {"ok": "OK  ", "warning": "??  ", "problem": "NO  "}


@click.command()
@click.option(
    "--config",
    "config_files",
    multiple=True,
    type=PATH,
    help="A table's or a head's TOML file; default: those of this machine's installation.",
)
@as_json_option
@click.option(
    "--buttons", is_flag=True, help="Test a table's buttons, lamps and buzzer: press them, and read what arrived."
)
@click.option("--guided", is_flag=True, help="Test everything at a table step by step, and write a report.")
@click.option(
    "--minutes",
    type=click.FloatRange(0.01, 600),
    default=1.0,
    help="How many minutes --guided measures the memory card; row 21 of the faults: 30.",
)
@click.option("--camera", is_flag=True, help="Check a table's camera over its board: light, distance, sharpness.")
def doctor(
    config_files: tuple[Path, ...], as_json: bool, buttons: bool, guided: bool, minutes: float, camera: bool
) -> int:
    """Check whether a table or a head can work on this machine; exit with 0 if nothing is missing, else with 1.

    Nothing is changed. With sudo every check runs as the user of the program, except with --buttons, --guided and
    --camera, for which the table must be stopped: sudo systemctl stop othello-table. --guided can be interrupted and
    continued in the same folder, where it keeps its report.
    """
    files = config_files or tuple(file for file in INSTALLED if file.exists())
    _require(files, say("nothing is installed in /etc/othello-kiosk; name a table's or a head's file with --config"))
    tables = [file for file in files if _side(file) == "table"]
    if guided:
        _require(tables, say("no table's file is here; name one with --config"))
        return _guided(tables[0], minutes)
    if buttons:
        _require(tables, say("no table's file is here, and a head has no buttons; name one with --config"))
        reports = [_button_report(file, as_json) for file in tables]
    elif camera:
        from kiosk.doctor.camera_checks import camera_findings

        _require(tables, say("no table's file is here, and a head has no camera; name one with --config"))
        reports = [_report_of(file, camera_findings(file)) for file in tables]
    else:
        reports = [_as_its_user(file) or _report_of(file, _findings(file)) for file in files]
    healthy = all(report["healthy"] for report in reports)
    if as_json:
        click.echo(json.dumps({"healthy": healthy, "reports": reports}, ensure_ascii=False))
    else:
        for report in reports:
            _print_report(report)
    return 0 if healthy else 1


def _require(files: Sequence[Path], otherwise: Text) -> None:
    if not files:
        raise InputError(otherwise)


def _report_of(file: Path, found: Iterable[CheckResult]) -> dict[str, Any]:
    from kiosk.doctor.check_result import all_well

    findings = [finding.as_dict() for finding in found]
    return {"config": str(file), "side": _side(file), "healthy": all_well(findings), "findings": findings}


def _show(text: Text, err: bool = False) -> None:
    click.echo(f"{render(text, ENGLISH)}\n{render(text, JAPANESE)}", err=err)


def _button_report(file: Path, quiet: bool) -> dict[str, Any]:
    """Return the report of the guided button test, run as the calling user; ``quiet``: sentences go to stderr, for use
    with JSON.
    """
    from hardware.errors import GpioError, HardwareError
    from kiosk.doctor.table_checks import button_findings

    in_use = say("{why}; if the table runs, stop it first: sudo systemctl stop othello-table")
    with as_input_error(HardwareError), raised_as(InputError, in_use, GpioError):
        return _report_of(file, button_findings(file, partial(_show, err=quiet)))


def _guided(file: Path, minutes: float) -> int:
    from hardware.gpio_library_selection import open_factory
    from hardware.power_failure_pin_and_supply_status import Firmware
    from hardware.real_and_simulated_time import SystemTime
    from kiosk.doctor.guided_table_check import READABLE, REPORT, GuidedContext, GuidedReport, Prompter, run_steps
    from kiosk.table.table_config import TableConfig
    from kiosk.typed_toml_reader import read_toml

    config, base, person = read_toml(file, TableConfig), SystemTime(), Prompter()
    kind = config.buttons.factory
    factory = None if kind == "none" else open_factory(kind)
    report = GuidedReport(Path(), config.table)
    try:
        healthy = run_steps(GuidedContext(file, config, person, factory, base, Firmware(), 60 * minutes), report)
    except (KeyboardInterrupt, click.Abort):
        person.show(say("Interrupted. Run the same command in this folder to continue."))
        return 130
    person.show(say("The report is in {json} and {text}; send both.", json=REPORT, text=READABLE))
    return 0 if healthy else 1


def _findings(file: Path) -> Iterable[CheckResult]:
    if _side(file) == "table":
        from kiosk.doctor.table_checks import table_findings

        return table_findings(file)
    from kiosk.doctor.head_checks import head_findings

    return head_findings(file)


def _side(file: Path) -> str:
    """Return whether a file configures a table or a head: a table's has ``table = 7``; a head's a section of that name,
    or nothing.

    :raises InputError: there is no such file.
    """
    import tomllib

    try:
        with raised_as(InputError, say("{file}: {why}; name a table's or a head's TOML file", file=file), OSError):
            fields = tomllib.loads(read_limited_bytes(file, MOST_SETTINGS).decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return "head" if file.name.startswith("head") else "table"  # the check of the configuration reports the fault
    if "table" in fields:
        return "head" if isinstance(fields["table"], dict) else "table"
    return "table" if file.name.startswith("table") and not {"keys", "venues"} & {*fields} else "head"


def _as_its_user(file: Path) -> dict[str, Any] | None:
    """Return the report of a run as the program's user, because root can open everything; None: the current user is
    that user.
    """
    if sys.platform != "linux":
        return None
    import grp
    import pwd
    import subprocess

    user = INSTALLED.get(file)
    if user is None or os.geteuid() != 0:
        return None
    try:
        account = pwd.getpwnam(user)
    except KeyError:
        return None
    groups = [group.gr_gid for group in grp.getgrall() if user in group.gr_mem]
    ended = subprocess.run(
        [sys.executable, "-m", "kiosk", "doctor", "--json", "--config", str(file)],
        user=account.pw_uid,
        group=account.pw_gid,
        extra_groups=groups,
        cwd="/",
        stdout=subprocess.PIPE,
        check=False,
    )
    if ended.returncode not in (0, 1):
        raise InputError.saying(
            "{file} could not be checked as user {user}; see the message above", file=file, user=user
        )
    report: dict[str, Any] = json.loads(ended.stdout)["reports"][0]
    return report


def _print_report(report: dict[str, Any]) -> None:
    click.echo(f"{report['config']}:")
    for finding in report["findings"]:
        click.echo(f"{_MARKS[finding['verdict']]}{finding['check']}: {finding['en']}")
        click.echo(f"    {finding['ja']}")
    summary = say("Nothing is missing.") if report["healthy"] else say("See the lines marked NO.")
    click.echo(f"{render(summary, ENGLISH)} {render(summary, JAPANESE)}")
