"""Checks of a head: configuration, data, open files and address."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

from engine.i18n import say
from kiosk.doctor import system_checks
from kiosk.doctor.check_result import CheckResult, ok, problem, warning
from kiosk.doctor.table_checks import head_answers, line
from kiosk.errors import InputError
from kiosk.head.desk.tournament_and_divisions import read_event
from kiosk.head.head_config import HeadConfig, load_config
from kiosk.head.program.connection_and_traffic_limits import ENOUGH
from kiosk.link.errors import KeyFileError
from kiosk.link.table_keys import load_keys
from kiosk.platform_compat import open_files_allowed


def head_findings(config_file: Path) -> Iterator[CheckResult]:
    """Check everything a head needs. If the configuration cannot be read, check what is possible without it."""
    yield system_checks.python()
    try:
        config = load_config(config_file)
    except InputError as error:
        yield problem("config", say("The configuration cannot be used: {why}.", why=error))
        return
    yield ok("config", say("{config_file} can be used.", config_file=config_file))
    yield system_checks.packages("head", *wanted_extras(config))
    yield system_checks.data_directory(config.data)
    yield system_checks.durable_storage(config.data)
    yield system_checks.free_space(config.data)
    yield system_checks.wall_clock()
    yield open_files()
    if config.keys is not None:
        yield keys(config.keys)
    for file in config.events:
        yield event(file)
    yield address(config)
    for device in config.serial:
        yield line("line", device)


def wanted_extras(config: HeadConfig) -> Iterator[str]:
    """Yield the extras that the settings need besides ``head``."""
    if config.store:
        yield "postgres"
    if any(place is not None and place.to.startswith("sftp:") for place in (config.publish, config.relay)):
        yield "publish"


def open_files(allowed: int | None = None) -> CheckResult:
    """Check the limit of open files. ``allowed``: the highest limit this user may set; None: the system's."""
    hard = open_files_allowed() if allowed is None else allowed
    if hard is not None and 0 <= hard < ENOUGH:
        text = say(
            "This user may have {hard} files and connections open; a large hall needs {enough}: raise LimitNOFILE "
            "in the unit, or the hard limit (ulimit -Hn) of whoever starts the head."
        )
        return warning("files", text(hard=hard, enough=ENOUGH))
    return ok("files", say("Enough files and connections can be open at the same time."))


def keys(file: Path) -> CheckResult:
    try:
        known = load_keys(file)
    except KeyFileError as error:
        return problem("keys", say("The keys cannot be used: {why}.", why=error))
    if not known:
        return warning("keys", say("{file} has no keys: no table can connect.", file=file))
    return ok("keys", say("There are keys for {n} tables.", n=len(known)))


def event(file: Path) -> CheckResult:
    try:
        read_event(file)
    except InputError as error:
        return problem("event", say("The event file cannot be used: {why}.", why=error))
    return ok("event", say("The event file {file} can be read.", file=file))


def address(config: HeadConfig) -> CheckResult:
    """Check whether the head runs; if not, whether its port is free."""
    host = "127.0.0.1" if config.host in ("", "0.0.0.0", "::") else config.host
    where = f"[{host}]:{config.port}" if ":" in host else f"{host}:{config.port}"
    answer = head_answers(f"ws://{where}/link")
    if config.port and answer.verdict == "ok":
        return ok("address", say("The head runs and answers at {where}.", where=where))
    try:
        family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
        socket.create_server((config.host, config.port), family=family).close()
    except OSError as error:
        why = error.strerror or str(error)
        text = say("Port {port} of {host} cannot be used ({why}); another program has it, or choose another.")
        return problem("address", text(port=config.port, host=config.host, why=why))
    text = say("The head does not run; its port {port} is free. Start it: sudo systemctl start othello-head")
    return warning("address", text(port=config.port))
