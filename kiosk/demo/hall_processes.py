"""Processes of a simulated hall: a head and its tables, with start, supervision and restart.

- Each program runs in its own process with its own configuration, as in a real hall, and the demo uses the head only
  through its pages.
- A table that dies is restarted, as systemd does on a Pi.
- No program outlives the hall: Ctrl-C, SIGTERM and a closed terminal end them all.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import msgspec

from hardware.simulated_serial_cable import SimulatedWire
from kiosk.demo.simulated_game_plan_and_board import HallScript
from kiosk.errors import InputError
from kiosk.link.table_keys import new_keys, save_keys

#: signals that end the hall
ENDING: tuple[signal.Signals, ...] = (signal.SIGINT, signal.SIGTERM)
if sys.platform != "win32":
    ENDING += (signal.SIGHUP,)


def _stop(signum: int, frame: FrameType | None) -> None:
    for number in ENDING:
        signal.signal(number, _ignore)
    raise KeyboardInterrupt


def _ignore(signum: int, frame: FrameType | None) -> None:
    """Ignore a second signal: it must not break off the ending, which leaves no process behind."""


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Turn the first signal that ends the hall into an interrupt of the block, as Ctrl-C does.

    After an interrupt the process ignores these signals until it has ended. SIG_IGN, since the interpreter resets other
    handlers before its own end.
    """
    before = {number: signal.signal(number, _stop) for number in ENDING}
    try:
        yield
    except KeyboardInterrupt:
        before = dict.fromkeys(ENDING, signal.SIG_IGN)
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _deferred_signals() -> Iterator[None]:
    """Defer such signals until the block is done, so that no program is started and lost, or only half stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda signum, frame: came.append(signum)) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for signum in came[:1]:
        signal.raise_signal(signum)


@dataclass(frozen=True, slots=True)
class HallPlan:
    """Options of ``kiosk demo``. ``window``: table 1 opens its screen. ``serial``: tables have cables and no network.
    ``rules`` empty: those of the format. ``eye``: cameras read rendered boards, instead of sensor boards.
    """

    event: Mapping[str, object]
    tables: int
    speed: float
    seed: int
    directory: Path
    port: int = 0
    games: Path | None = None
    window: bool = False
    serial: bool = False
    rules: str = ""
    eye: bool = False


@dataclass(slots=True)
class ChildProcess:
    """One program of the hall."""

    command: Sequence[str]
    log: Path
    restarts: int = 0
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        with self.log.open("a", encoding="utf-8") as log, _deferred_signals():
            self.process = subprocess.Popen(
                self.command, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, text=True
            )

    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def request_stop(self) -> None:
        if self.process is not None:
            self.process.terminate()

    def end(self) -> None:
        """Stop the process and wait; kill it if it does not end."""
        if self.process is None:
            return
        self.request_stop()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


class DemoHall:
    """Context manager of a running hall. ``url`` is the head's address, ``code`` its one-time setup code."""

    def __init__(self, plan: HallPlan) -> None:
        self.plan = plan
        self.url = self.code = ""
        self.wires = [SimulatedWire() for _ in range(plan.tables)] if plan.serial else []
        self._prepare()
        python, directory = sys.executable, plan.directory
        head = [python, "-m", "kiosk", "head", "--config", str(directory / "head.toml")]
        self.head = ChildProcess(head, directory / "head.log")
        program, folders = [python, "-m", "kiosk.demo.simulated_table_program"], self._table_folders()
        self.tables = [
            ChildProcess([*program, str(folder / "table.toml"), str(directory / "hall.json")], folder / "table.log")
            for folder in folders
        ]

    def __enter__(self) -> DemoHall:
        try:
            self.head.start()
            assert self.head.process is not None
            assert self.head.process.stdout is not None
            self._await_head(self.head.process.stdout)
            for number, (folder, table) in enumerate(zip(self._table_folders(), self.tables, strict=True), 1):
                self._configure_table(number, folder)
                table.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with _deferred_signals():
            for child in (*self.tables, self.head):
                child.request_stop()
            for child in (*self.tables, self.head):
                child.end()
            for wire in self.wires:
                wire.close()
            self.wires = []

    def restart_dead_tables(self) -> None:
        """Restart tables that have died.

        :raises InputError: the head has died; its log gives the reason.
        """
        if not self.head.alive():
            raise InputError.saying("the head program has ended; {log} says why", log=self.head.log)
        for table in self.tables:
            if not table.alive():
                table.end()
                table.restarts += 1
                table.start()

    # --- files -----------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        plan, directory = self.plan, self.plan.directory
        keys = new_keys(range(1, plan.tables + 1))
        save_keys(directory / "keys.json", keys)
        for folder, (number, key) in zip(self._table_folders(), keys.items(), strict=True):
            folder.mkdir(parents=True, exist_ok=True)
            save_keys(folder / "key.json", {number: key})
        (directory / "start.json").write_text(json.dumps(plan.event, ensure_ascii=False), encoding="utf-8")
        script = HallScript(plan.seed, plan.speed, plan.tables, None if plan.games is None else str(plan.games))
        (directory / "hall.json").write_bytes(msgspec.json.encode(script))
        ports = json.dumps([wire.right for wire in self.wires])
        (directory / "head.toml").write_text(
            f'data = "head"\nkeys = "keys.json"\nevent = "start.json"\nhost = "127.0.0.1"\nport = {plan.port}\n'
            f"serial = {ports}\n"
            f"auto = true\nspeed = {float(plan.speed)}\n"
            f'[table]\nrules = "{plan.rules}"\n',
            encoding="utf-8",
        )

    def _table_folders(self) -> list[Path]:
        return [self.plan.directory / f"table-{number}" for number in range(1, self.plan.tables + 1)]

    def _configure_table(self, number: int, directory: Path) -> None:
        link = f'url = "{self.url.replace("http://", "ws://", 1)}/link"'
        if self.wires:
            link = f'serial = "{self.wires[number - 1].left}"'
        source = "camera" if self.plan.eye else "sensor"
        window = self.plan.window and number == 1
        (directory / "table.toml").write_text(
            f'table = {number}\ndata = "{directory}"\n'
            f'[head]\n{link}\nkey_file = "{directory / "key.json"}"\n'
            f'[buttons]\narbiter = 22\nstuck_s = 3600\n[board]\nsource = "{source}"\ndevice = "demo"\nsettle_ms = 200\n'
            f'[screen]\nfacing = "opposite"\n'
            f"enabled = {str(window).lower()}\nwindow = {str(window).lower()}\n",
            encoding="utf-8",
        )

    def _await_head(self, lines: Iterable[str]) -> None:
        """Wait until the head has printed its address and its setup code."""
        for line in lines:
            if line.startswith("listening "):
                self.url = line.split()[1]
            elif line.startswith("setup code "):
                self.code = line.split()[-1]
                return
        raise InputError.saying("the head program did not start; {log} says why", log=self.head.log)
