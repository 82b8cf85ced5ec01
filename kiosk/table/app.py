"""Assembly of one table from its configuration: pins, board, journal, link, loop and screen.

Real or simulated parts are chosen by the arguments (``time_base``, ``factory``, ``storage``), never by a condition in
the code.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.match.model import Seat
from engine.match.rulesets import rule_set
from engine.translatable_text import say, text_of
from hardware.battery_and_temperature import SystemStatus, read_system_status
from hardware.debounce import Debouncer
from hardware.gpio_library_selection import open_factory
from hardware.power_monitoring import Vcgencmd
from hardware.reading_stability_filter import SquareFault, StableReading
from hardware.timebase import NS_PER_MS, OffsetTime, SystemTime, TimeBase
from kiosk.errors import InputError
from kiosk.link.endpoints.table_link import TableLink
from kiosk.link.errors import LinkError
from kiosk.link.serial_transport import SerialCarrier
from kiosk.link.table_keys import load_key
from kiosk.link.transport_interfaces import Transport
from kiosk.link.websocket_transport import NetworkCarrier
from kiosk.table.board_sources.board_source_interface import BoardSource, open_source
from kiosk.table.board_sources.transcriber_source import NO_SECOND_DISPLAY, TranscriberState
from kiosk.table.device.device_settings import load, save
from kiosk.table.device.gpio_devices import Pins, debouncer_of, edges_of
from kiosk.table.device.health_report import HealthReporter, free_mb
from kiosk.table.device.maintenance_client import HttpRequester, MaintenanceClient
from kiosk.table.device.power_monitor import PowerMonitor
from kiosk.table.device.spare_notice import SpareNotice, read_notice
from kiosk.table.device.window_input import WindowInput
from kiosk.table.game.game_recovery import is_over
from kiosk.table.journal import Journal, JournalError, JournalWriter, Storage
from kiosk.table.loop.input_queue import AlarmsChanged, Inbox, StopProgram
from kiosk.table.loop.main_loop import TableProgram
from kiosk.table.state import LinkState, TableState
from kiosk.table.state.arbiter_session import Pin
from kiosk.table.table_config import BoardConfig, HeadAddress, TableConfig

if TYPE_CHECKING:
    from kiosk.table.screen.loudspeaker_buzzer import Loudspeaker


def open_carriers(head: HeadAddress) -> list[Transport]:
    """Return the transports to the head, the network first."""
    ways: list[Transport] = [NetworkCarrier(head.url)] if head.url else []
    return [*ways, SerialCarrier(head.serial, head.baud)] if head.serial else ways


@dataclass(frozen=True, slots=True)
class Environment:
    """Environment of a table besides its time, pins and disk. ``writer``: writes the journal (None: a thread).
    ``caretaker``: creates the maintenance client, with the diagnostics of this machine.
    """

    inbox: Callable[[], Inbox] = Inbox
    monotonic_s: Callable[[], float] = time.monotonic
    wall_ns: Callable[[], int] = time.time_ns
    uniform: Callable[[float, float], float] = random.uniform
    writer: Callable[[Journal], JournalWriter] | None = None
    board: Callable[[BoardConfig, TimeBase, Callable[[StableReading | SquareFault], None]], BoardSource | None] = (
        open_source
    )
    carriers: Callable[[HeadAddress], list[Transport]] = open_carriers
    machine: Callable[[], SystemStatus] = read_system_status
    free_mb: Callable[[Path], int | None] = free_mb
    caretaker: Callable[..., MaintenanceClient] = MaintenanceClient


class TableApp:
    """One table, ready to ``run``. ``stop`` may be called from any thread or signal handler.

    :raises UnusableInput: the configuration, the key file or the journal cannot be used.
    :raises hardware.errors.HardwareError: pins or serial line cannot be used.
    """

    def __init__(
        self,
        config: TableConfig,
        *,
        time_base: TimeBase | None = None,
        factory: Any = None,
        storage: Storage | None = None,
        surroundings: Environment | None = None,
    ) -> None:
        around = surroundings or Environment()
        base = time_base or SystemTime()
        rule_set(config.rules)
        self._config = config
        self._inbox = around.inbox()
        self._stopped = threading.Event()
        factory = self._open_factory(base) if factory is None else factory
        journal_dir = config.data / "journal"
        try:
            self.journal = Journal.open(
                journal_dir,
                storage=storage,
                on_durable=self._inbox.durable,
                on_acknowledged=self._inbox.acknowledged,
                on_trouble=self._inbox.troubles_of("journal"),
                now_ns=base.now_ns,
                may_begin_afresh=lambda found: is_over(found, config.head is not None),
                about=edges_of(factory),
                wall_ns=around.wall_ns,
                writer=around.writer,
            )
        except (OSError, JournalError) as error:
            raise InputError(
                say("the journal in {directory} cannot be used: {why}", directory=journal_dir, why=error)
            ) from error
        self._time = OffsetTime(base, self.journal.offset_ns)
        self._board = around.board(config.board, self._time, self._inbox.put)
        self._pins = Pins(config.buttons, config.power, factory, base, self._inbox.put_nowait)
        self._speaker = self._open_speaker() if config.screen.enabled and config.screen.window else None
        self._supply = PowerMonitor(
            Vcgencmd(),
            config.power.hot_c,
            self._inbox.troubles_of("supply"),
            around.machine,
            self._inbox.battery_told,
            around.monotonic_s,
        )
        self.link = None if config.head is None else self._open_link(config.head, around)
        self.program = TableProgram(
            self._start_state(),
            self._inbox,
            self._time,
            self._time.offset_ns,
            self._debouncer(),
            self.journal,
            self._board,
            self._pins.lamps,
            self._pins.buzzer or self._speaker,
            partial(save, config.data),
            self._pins.recheck,
            (lambda: None) if self.link is None else self.link.wake,
            around.monotonic_s,
        )
        self._caretaker = self._open_caretaker(config.head, around) if config.head and config.head.url else None
        told = read_notice(config.data)
        self._spare = None if told is None else SpareNotice(config.data, told, self.program, self._inbox)
        if config.head is None and self.program.state.match is None:
            self.program.next_game()
        if config.screen.enabled:
            self.program.ask_display()

    # --- running ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run until ``stop``. The screen, if there is one, uses the calling thread."""
        if self.link is not None:
            self.link.start()
        if self._spare is not None:
            self._spare.start()
        self._supply.start()
        if self._caretaker is not None:
            self._caretaker.start()
        loop = threading.Thread(target=self._loop, name="table loop", daemon=True)
        loop.start()
        try:
            if self._config.screen.enabled:
                from kiosk.table.device.display_loop import Display  # import pygame only where there is a screen

                board = self._config.board if self._config.board.source == "transcriber" else None
                rest_ns = (self._config.buttons.proof_ms + self._config.buttons.glitch_ms) * NS_PER_MS
                window = WindowInput(self._inbox, self._time, rest_ns)
                display = Display(
                    self._config.screen, self.program, self._time, window.key, self.stop, window.touch, board
                )
                if not display.is_whole:
                    self._inbox.put(AlarmsChanged("transcriber", (NO_SECOND_DISPLAY,)))
                display.run(self._stopped.is_set)
            while loop.is_alive():
                loop.join(1.0)  # a signal delivered to another thread is handled here only when this thread wakes
        finally:
            self.stop()
            loop.join(10)
            self._close()

    def stop(self) -> None:
        """End ``run``."""
        self._stopped.set()
        self._inbox.put(StopProgram())

    def _loop(self) -> None:
        try:
            self.program.run()
        finally:
            self._stopped.set()

    def _close(self) -> None:
        if self._caretaker is not None:
            self._caretaker.close()
        if self.link is not None:
            self.link.stop()
        if self._spare is not None:
            self._spare.close()
        self._supply.close()
        self._pins.close()
        if self._speaker is not None:
            self._speaker.close()
        if self._board is not None:
            self._board.close()
        self.journal.close()

    # --- the parts -------------------------------------------------------------------------------------------------

    def _start_state(self) -> TableState:
        screen, head = self._config.screen, self._config.head
        languages = {Seat.LEFT: screen.left_language, Seat.RIGHT: screen.right_language}
        return TableState(
            table=self._config.table,
            languages=languages,
            home_languages=languages,
            link=LinkState.NONE if head is None else LinkState.DOWN,
            head="" if head is None else head.url.split("//")[-1].split("/")[0] or head.serial,
            edge_source=self._pins.edge_source,
            edge_accuracy_ns=self._pins.edge_accuracy_ns,
            arbiter_language=self._config.arbiter.language,
            pin=Pin(self._config.arbiter.pin, self._config.arbiter.pin_digits),
            sheet=TranscriberState() if self._config.board.source == "transcriber" else None,
            club=load(self._config),
            audible=frozenset(map(Seat, self._config.access.audible)),
            one_operates=self._config.access.one_operates,
        )

    def _open_speaker(self) -> Loudspeaker:
        from kiosk.table.screen.loudspeaker_buzzer import Loudspeaker  # import pygame only where there is a screen

        return Loudspeaker()

    def _open_factory(self, base: TimeBase) -> Any:
        kind = self._config.buttons.factory
        return None if kind == "none" else open_factory(kind, base)

    def _debouncer(self) -> Debouncer:
        debouncer = debouncer_of(self._config.buttons)
        for line in self._pins.buttons.pressed_at_start if self._pins.buttons is not None else ():
            debouncer.held_at_start(line, self._time.now_ns())
        return debouncer

    def _open_link(self, head: HeadAddress, around: Environment) -> TableLink:
        try:
            return TableLink(
                around.carriers(head),
                self._config.table,
                load_key(head.key_file, self._config.table),
                self.journal,
                on_command=self._inbox.put,
                on_status=self._inbox.link_changed,
                health=HealthReporter(
                    self.journal,
                    self._config.data,
                    lambda: self.program.state,
                    self._time.now_ns,
                    self._via,
                    lambda: self._supply.supply,
                    around.wall_ns,
                    around.machine,
                    around.free_mb,
                ),
                uniform=around.uniform,
            )
        except LinkError as error:
            raise InputError(text_of(error)) from error

    def _open_caretaker(self, head: HeadAddress, around: Environment) -> MaintenanceClient:
        return around.caretaker(
            self._config.table,
            load_key(head.key_file, self._config.table),
            self._config.data,
            HttpRequester(head.url),
            lambda: self.program.state,
            lambda: self.link is not None and self.link.via is not None,
        )

    def _via(self) -> str:
        carrier = None if self.link is None else self.link.via
        return "" if carrier is None else "serial" if isinstance(carrier, SerialCarrier) else "network"
