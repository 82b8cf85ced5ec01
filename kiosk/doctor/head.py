"""Checks of one head."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

from kiosk.doctor import machine
from kiosk.doctor.finding import Finding, ok, problem, warning
from kiosk.doctor.table import head_answers, line
from kiosk.errors import UnusableInput
from kiosk.head.config import HeadConfig, load_config
from kiosk.head.program import read_event
from kiosk.link.errors import KeyFileError
from kiosk.link.keys import load_keys


def head_findings(config_file: Path) -> Iterator[Finding]:
    """Everything a head needs. If the configuration cannot be read, what can be checked without it."""
    yield machine.python()
    yield machine.fonts(needed=False)
    try:
        config = load_config(config_file)
    except UnusableInput as error:
        yield problem("config", f"{error}.", f"設定ファイルが使えません：{error}")
        return
    yield ok("config", f"{config_file} can be used.", f"{config_file} は使えます。")
    yield machine.data_directory(config.data)
    yield machine.lasting(config.data)
    yield machine.free_space(config.data)
    yield machine.wall_clock()
    yield keys(config.keys)
    for file in config.events:
        yield event(file)
    yield address(config)
    for device in config.serial:
        yield line("line", device)


def keys(file: Path) -> Finding:
    try:
        known = load_keys(file)
    except KeyFileError as error:
        return problem("keys", f"{error}.", f"鍵が使えません：{error}")
    if not known:
        return warning(
            "keys", f"{file} has no keys: no table is heard.", f"{file} に鍵がなく、どの卓もつながりません。"
        )
    return ok("keys", f"There are keys for {len(known)} tables.", f"{len(known)} 卓の鍵があります。")


def event(file: Path) -> Finding:
    try:
        read_event(file)
    except UnusableInput as error:
        return problem("event", f"{error}.", f"大会ファイルが読めません：{error}")
    return ok("event", f"The event file {file} can be read.", f"大会ファイル {file} は読めます。")


def address(config: HeadConfig) -> Finding:
    """Whether the head runs; if not, whether its port is free for it."""
    host = "127.0.0.1" if config.host in ("", "0.0.0.0", "::") else config.host
    where = f"[{host}]:{config.port}" if ":" in host else f"{host}:{config.port}"
    answer = head_answers(f"ws://{where}/link")
    if config.port and answer.verdict == "ok":
        return ok("address", f"The head runs and answers at {where}.", f"本部は {where} で動いています。")
    try:
        family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
        socket.create_server((config.host, config.port), family=family).close()
    except OSError as error:
        why = error.strerror or str(error)
        return problem(
            "address",
            f"Port {config.port} of {config.host} cannot be used ({why}); another program has it, or choose another.",
            f"{config.host} のポート {config.port} が使えません（{why}）。別のプログラムか、設定を確かめてください。",
        )
    return warning(
        "address",
        f"The head does not run; its port {config.port} is free. Start it: sudo systemctl start othello-head",
        f"本部は動いていません（ポート {config.port} は空いています）。起動：sudo systemctl start othello-head",
    )
