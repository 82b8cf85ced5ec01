"""Assembly of one table from its configuration: pins, board, journal, link, loop and screen.

Real or simulated parts are chosen by the arguments (``time_base``, ``factory``, ``storage``), never by a condition in
the code.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from engine.i18n import raised_as, say, text_of
from engine.match.match_value_types import Phase, Seat
from engine.match.rule_sets_and_options import rule_set
from hardware.debounce_and_button_faults import Debouncer
from hardware.gpio_library_selection import open_factory
from hardware.power_failure_pin_and_supply_status import Firmware, SystemStatus, read_system_status
from hardware.reading_stability_filter import SquareFault, StableReading
from hardware.real_and_simulated_time import NS_PER_MS, OffsetTime, SystemTime, TimeBase
from kiosk.errors import InputError
from kiosk.json_validation import warm_up
from kiosk.link.endpoints.table_key_acquisition import head_page_url
from kiosk.link.endpoints.table_link import TableLink
from kiosk.link.errors import LinkError
from kiosk.link.link_messages import TroubleInfo
from kiosk.link.serial_framing_and_transport import SerialTransport
from kiosk.link.table_keys import load_key
from kiosk.link.transport_interfaces import Transport
from kiosk.link.websocket_transport import WebSocketTransport
from kiosk.stoppable_thread import StoppableThread
from kiosk.table.board_sources.board_source_interface_and_factory import BoardSource, open_source
from kiosk.table.board_sources.transcriber_source import NO_SECOND_DISPLAY, TranscriberState
from kiosk.table.device.device_settings_file import load, read_file, save
from kiosk.table.device.gpio_devices import Pins, debouncer_of, edges_of
from kiosk.table.device.health_report import HealthReporter, free_mb
from kiosk.table.device.power_monitor import PowerMonitor
from kiosk.table.device.recent_games_file import GamesFile, load_games
from kiosk.table.device.shut_down import power_off
from kiosk.table.device.table_identity_and_takeover import NOTICE_FILE
from kiosk.table.device.update_and_diagnostics_client import HttpRequester, MaintenanceClient, MaintenanceSettings
from kiosk.table.game.journaled_state_changes_and_recovery import is_over
from kiosk.table.journal.journal_and_link_outbox import Journal, JournalCallbacks, JournalWriter, WriterThread
from kiosk.table.journal.journal_storage_and_sd_card_alarms import JournalError, Storage
from kiosk.table.loop.button_processing_and_inbox import AlarmsChanged, Inbox, StopProgram, WindowInput
from kiosk.table.loop.main_loop import TableProgram
from kiosk.table.state import LinkState, TableState
from kiosk.table.state.arbiter_screen_state import Pin
from kiosk.table.state.free_clock_presets_settings_games import Club
from kiosk.table.table_config import BoardConfig, HeadAddress, TableConfig

if TYPE_CHECKING:
    from kiosk.table.screen.loudspeaker_buzzer import Loudspeaker

log = logging.getLogger("kiosk.table")

LOOK_S = 1.0


def read_notice(data: Path) -> TroubleInfo | None:
    """Return a spare's notice, until ``forget_notice``; None if there is none."""
    return read_file(data / NOTICE_FILE, msgspec.json.Decoder(warm_up(TroubleInfo)).decode, None)


def forget_notice(data: Path) -> None:
    (data / NOTICE_FILE).unlink(missing_ok=True)


class SpareNotice(StoppableThread):
    """Alarm of a spare from where its game was restored. Its file is removed when the game has resumed and that is on
    disk; a separate thread waits for it, so that neither the loop nor the journal does.
    """

    def __init__(self, data: Path, notice: TroubleInfo, program: TableProgram, inbox: Inbox) -> None:
        super().__init__("spare", 0)
        self._data, self._notice, self._program = data, notice, program
        self._set_alarms = inbox.troubles_of("spare")

    def start(self) -> None:
        self._set_alarms((self._notice,))
        super().start()

    def _run(self) -> None:
        seen = self._program.version
        while not self._stopping.is_set():
            now = self._program.wait_for_change(seen, LOOK_S)
            state = self._program.state
            held = state.match is not None and state.match.phase is Phase.HOLD
            if now != seen and state.saved and not held:
                forget_notice(self._data)
                self._set_alarms(())
                return
            seen = now


def open_transports(head: HeadAddress) -> list[Transport]:
    """Return the transports to the head, the network first."""
    transports: list[Transport] = []
    if head.url:
        transports.append(WebSocketTransport(head.url))
    if head.serial:
        transports.append(SerialTransport(head.serial, head.baud))
    return transports


@dataclass(frozen=True, slots=True)
class Environment:
    """Environment of a table besides its time, pins and disk. ``writer``: writes the journal.
    ``maintenance``: for the maintenance client, with the diagnostics of this machine.
    """

    inbox: Callable[[], Inbox] = Inbox
    monotonic_s: Callable[[], float] = time.monotonic
    wall_ns: Callable[[], int] = time.time_ns
    uniform: Callable[[float, float], float] = random.uniform
    writer: Callable[[Journal], JournalWriter] = WriterThread
    board: Callable[[BoardConfig, TimeBase, Callable[[StableReading | SquareFault], None]], BoardSource | None] = (
        open_source
    )
    transports: Callable[[HeadAddress], list[Transport]] = open_transports
    machine: Callable[[], SystemStatus] = read_system_status
    free_mb: Callable[[Path], int | None] = free_mb
    maintenance: MaintenanceSettings = field(default_factory=MaintenanceSettings)


def build_table(
    config: TableConfig,
    *,
    time_base: TimeBase | None = None,
    factory: Any = None,
    storage: Storage | None = None,
    environment: Environment | None = None,
) -> TableApp:
    """Assemble a table. The journal, the key, the pins and the board source are opened, and no thread runs before
    ``run``.

    :raises InputError: the configuration, the key file or the journal cannot be used.
    :raises hardware.errors.HardwareError: pins or serial line cannot be used.
    """
    env, head, screen = environment or Environment(), config.head, config.screen
    rule_set(config.rules)
    with ExitStack() as opened:
        base, inbox = time_base or SystemTime(), env.inbox()
        if factory is None and config.buttons.factory != "none":
            factory = open_factory(config.buttons.factory)
        journal = _open_journal(config, inbox, base, edges_of(factory), storage, env)
        opened.callback(journal.close)
        game_time = OffsetTime(base, journal.offset_ns)

        # buttons, lamps and buzzer
        board = env.board(config.board, game_time, inbox.put)
        if board is not None:
            opened.callback(board.close)
        state = _start_state(config)
        speaker = _open_speaker(state) if screen.enabled and config.sound.loudspeaker else None
        if speaker is not None:
            opened.callback(speaker.close)

        def save_club(club: Club) -> None:
            save(config.data, club)
            if speaker is not None:
                speaker.volume = club.volume or 0

        pins = Pins(config.buttons, config.power, factory, base, inbox.put_nowait)
        opened.callback(pins.close)

        # the machine, and the link to the head
        supply = PowerMonitor(
            Firmware(),
            config.power.hot_c,
            inbox.troubles_of("supply"),
            env.machine,
            inbox.battery_changed,
            env.monotonic_s,
        )
        opened.callback(supply.close)
        health = HealthReporter(
            journal,
            config.data,
            lambda: program.state,
            game_time.now_ns,
            lambda: _transport_name(link),
            lambda: supply.supply,
            env.wall_ns,
            env.machine,
            env.free_mb,
        )
        games = GamesFile(config.data)
        opened.callback(games.close)
        link = None if head is None else _open_link(config, head, journal, inbox, health, env)
        program = TableProgram(
            initial=replace(state, edge_source=pins.edge_source, edge_accuracy_ns=pins.edge_accuracy_ns),
            inbox=inbox,
            time_base=game_time,
            debouncer=_debouncer(config, pins, game_time),
            journal=journal,
            board=board,
            lamps=pins.lamps,
            buzzers=tuple(one for one in (pins.buzzer, speaker) if one is not None),
            save_club=save_club,
            save_games=games.save,
            page_of=partial(_game_page, "" if head is None else head.url),
            shut_down=power_off,
            wall_ns=env.wall_ns,
            recheck=pins.recheck,
            on_saved=(lambda: None) if link is None else link.wake,
            monotonic_s=env.monotonic_s,
        )
        workers: list[_Worker | None] = [journal, board, supply]
        if (notice := read_notice(config.data)) is not None:
            workers.append(spare := SpareNotice(config.data, notice, program, inbox))
            opened.callback(spare.close)
        if head is not None and link is not None:
            workers.append(link)
            opened.callback(link.stop)
            if head.url:
                key, ask = load_key(head.key_file, config.table), HttpRequester(head.url)
                client = MaintenanceClient(
                    config.table,
                    key,
                    config.data,
                    ask,
                    lambda: program.state,
                    lambda: link.via is not None,
                    env.maintenance,
                )
                workers.append(client)
                opened.callback(client.close)
        if head is None and program.state.match is None:
            program.next_game()
        if screen.enabled:
            program.ask_display()
        return TableApp(config, program, journal, link, game_time, workers, opened.pop_all())


class _Worker(Protocol):
    def start(self) -> object: ...


@dataclass(eq=False)
class TableApp:
    """One table, made by ``build_table``. ``run`` it; ``stop`` may be called from any thread or signal handler.

    ``_workers``: the parts with a thread of their own, in the order of their start; ``_opened``: the parts that are
    closed at the end.
    """

    _config: TableConfig
    program: TableProgram
    journal: Journal
    link: TableLink | None
    _time: OffsetTime
    _workers: Sequence[_Worker | None]
    _opened: ExitStack
    _stopped: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Run until ``stop``. The screen, if there is one, uses the calling thread.

        :raises kiosk.table.screen.ScreenError: the players' display cannot be opened.
        """
        started = partial(log.info, "the table starts", extra={"edges": self.program.state.edge_source})
        for worker in self._workers:
            if worker is not None:
                worker.start()
        loop = threading.Thread(target=self._loop, name="table loop", daemon=True)
        loop.start()
        try:
            if self._config.screen.enabled:
                from kiosk.table.device.display_loop import Display  # import pygame only where there is a screen

                board = self._config.board if self._config.board.source == "transcriber" else None
                rest_ns = (self._config.buttons.proof_ms + self._config.buttons.glitch_ms) * NS_PER_MS
                window = WindowInput(self.program.inbox, self._time, rest_ns)
                display = Display(
                    self._config.screen, self.program, self._time, window.key, self.stop, window.touch, board
                )
                if not display.is_whole:
                    self.program.inbox.put(AlarmsChanged("transcriber", (NO_SECOND_DISPLAY,)))
                started()
                display.run(self._stopped.is_set)
            else:
                started()
            while loop.is_alive():
                loop.join(1.0)  # a signal delivered to another thread is handled here only when this thread wakes
        finally:
            self.stop()
            loop.join(10)
            self.close()

    def stop(self) -> None:
        """End ``run``."""
        self._stopped.set()
        self.program.inbox.put(StopProgram())

    def close(self) -> None:
        """Close what was opened; ``run`` does it at its end."""
        self._opened.close()

    def _loop(self) -> None:
        try:
            self.program.run()
        finally:
            self._stopped.set()


def _open_journal(
    config: TableConfig,
    inbox: Inbox,
    base: TimeBase,
    about: Mapping[str, object],
    storage: Storage | None,
    env: Environment,
) -> Journal:
    directory = config.data / "journal"
    calls = JournalCallbacks(inbox.durable, inbox.acknowledged, inbox.troubles_of("journal"), base.now_ns, env.wall_ns)
    with raised_as(
        InputError, say("the journal in {directory} cannot be used: {why}", directory=directory), OSError, JournalError
    ):
        return Journal(
            directory,
            storage=storage,
            calls=calls,
            may_begin_afresh=lambda found: is_over(found, config.head is not None),
            about=about,
            writer=env.writer,
        )


def _start_state(config: TableConfig) -> TableState:
    screen, head, club = config.screen, config.head, load(config)
    club = replace(club, languages=club.languages or (screen.left_language, screen.right_language))
    languages = dict(zip((Seat.LEFT, Seat.RIGHT), club.languages, strict=True))
    return TableState(
        table=config.table,
        languages=languages,
        home_languages=languages,
        link=LinkState.NONE if head is None else LinkState.DOWN,
        head="" if head is None else head.name,
        arbiter_language=config.arbiter.language,
        pin=Pin(config.arbiter.pin, config.arbiter.pin_digits),
        sheet=TranscriberState() if config.board.source == "transcriber" else None,
        club=club,
        audible=frozenset(map(Seat, config.access.audible)),
        games=load_games(config.data),
        can_shut_down=screen.enabled and not screen.window,
        one_operates=config.access.one_operates,
    )


def _open_speaker(state: TableState) -> Loudspeaker:
    from kiosk.table.screen.loudspeaker_buzzer import Loudspeaker  # import pygame only where there is a screen

    return Loudspeaker(state.club.volume or 0)


def _debouncer(config: TableConfig, pins: Pins, time_base: TimeBase) -> Debouncer:
    debouncer = debouncer_of(config.buttons)
    for line in pins.buttons.pressed_at_start if pins.buttons is not None else ():
        debouncer.held_at_start(line, time_base.now_ns())
    return debouncer


def _open_link(
    config: TableConfig, head: HeadAddress, journal: Journal, inbox: Inbox, health: HealthReporter, env: Environment
) -> TableLink:
    try:
        return TableLink(
            env.transports(head),
            config.table,
            load_key(head.key_file, config.table),
            journal,
            on_command=inbox.put,
            on_status=inbox.link_changed,
            health=health,
            uniform=env.uniform,
        )
    except LinkError as error:
        raise InputError(text_of(error)) from error


def _game_page(link_url: str, game: str) -> str:
    """Return the address at the head where a phone finds a game; empty if the head has none."""
    return head_page_url(link_url, f"game/{game}") if link_url else ""


def _transport_name(link: TableLink | None) -> str:
    transport = None if link is None else link.via
    return "" if transport is None else "serial" if isinstance(transport, SerialTransport) else "network"
