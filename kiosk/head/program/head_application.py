"""The head application: store, desk, live tables, link and pages in one process.

Nothing is served before the store is open and verified, and nothing is closed before the last commit. An unexpected
error ends the program, so that systemd starts it again from the store.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import ssl
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.routing import BaseRoute, WebSocketRoute

from engine.translatable_text import Text, text_of
from hardware.timebase import ScaledTime
from kiosk.errors import InputError
from kiosk.head.access.authentication import Authenticator
from kiosk.head.backup.auto_backup import BackupProgress
from kiosk.head.backup.backup_files import PHOTOGRAPHS
from kiosk.head.backup.backup_signing import own_signer
from kiosk.head.component_signals import Signals
from kiosk.head.desk import Desk
from kiosk.head.desk.wait_for_tables_at_start import ROLL_CALL_S, WAITING, StartupSync
from kiosk.head.devices import Enrolments, ReplacedDevices, SharedPin, Updates
from kiosk.head.devices.table_updates_and_logs import FOLDER as UPDATES
from kiosk.head.errors import HeadError
from kiosk.head.head_config import EVERYWHERE, HeadConfig
from kiosk.head.pages.starlette_app import build_app
from kiosk.head.program.backup_and_federation_services import RemoteServices
from kiosk.head.program.broadcast_and_publishing_services import OutboundServices
from kiosk.head.program.clocks_and_threads import REAL, Runtime
from kiosk.head.program.connection_limits import ENOUGH, ConnectionLimiter, raise_file_limit
from kiosk.head.program.event_file_import import import_events
from kiosk.head.program.gc_policy import GcPolicy, collection_paused
from kiosk.head.program.listening_sockets_and_tls import addresses, listen, tls_context, write_setup_code
from kiosk.head.program.uvicorn_servers import Server, make_server, serve_all
from kiosk.head.quota import table_quota
from kiosk.head.store import Store
from kiosk.head.store.high_water_mark import records_missing
from kiosk.head.tables.arbiter_log import ArbiterLog
from kiosk.head.tables.board_photographs import Photographs
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.head.tables.record_ingest_and_commands import RecordIngest
from kiosk.head.web.cached_public_pages import SharedPages
from kiosk.head.web.hall_address import NO_ADDRESS, reachable
from kiosk.head.web.html_renderer import Renderer
from kiosk.head.web.live_update_streams import ChangeNotifier
from kiosk.head.web.request_context import AppServices
from kiosk.link.endpoints.head_endpoint import LinkEndpoint
from kiosk.link.endpoints.head_serial_ports import SerialPorts
from kiosk.link.table_keys import KeyRing
from kiosk.locale import render_both
from kiosk.platform_compat import disable_core_dumps
from kiosk.update import INSTALLED_KEY

log = logging.getLogger("kiosk.head")

#: interval after which the interpreter switches from a busy thread to another one
SWITCH_S = 0.0002
#: interval of the event loop's heartbeat
BEAT_S = 1.0


class HeadApplication:
    """One head. Construct it, ``run`` it, ``close`` it; its parts may be used directly in between."""

    def __init__(
        self, config: HeadConfig, keys: Mapping[int, bytes], roll_call_s: float = 0.0, machine: Runtime = REAL
    ) -> None:
        """``roll_call_s``: how long to wait for the records of tables before anything advances automatically.

        :raises HeadError: the store or the event cannot be used.
        """
        self.config = config
        real = machine.time
        game_time = real if config.speed == 1 else ScaledTime(config.speed)

        # connection limits, store and signals
        self._door = ConnectionLimiter(allowed := raise_file_limit())
        if allowed < ENOUGH:
            log.warning("only %d open files are allowed, a large hall needs %d: kiosk doctor", allowed, ENOUGH)
        self.store = Store(config.data, config.store, machine.store_writer, machine.wall_clock)
        happened = Signals()
        self.changes = ChangeNotifier()
        happened.state_changed.connect(self.changes.notify)

        # the tournament: acts of the desk, and automatic advance
        self.live = LiveTables(self.store, keys, game_time, real.now_ns, machine.wall_ns, machine.reads_ahead)
        self.roll_call = StartupSync(roll_call_s, self.live.heard_out, machine.monotonic_s)
        self.desk = Desk(self.store, keys, happened, auto=config.auto, roll_call=self.roll_call, quick=machine.quick)
        self.worker = machine.worker(
            self.desk.process_pending, partial(self.desk.periodic_check, self.live.game_at), self.desk.note
        )
        happened.act_committed.connect(self.worker.wake)
        happened.records_received.connect(self.worker.wake)

        # the tables: incoming records, outgoing orders, their keys and the arbiters' PIN
        self.access = Authenticator(self.store, machine.session_ns)
        self.pin = SharedPin(self.store, self.access, keys, happened.orders_queued)
        quota, old_devices = (table_quota(machine.monotonic_s, config.speed) for _ in range(2))
        self.collection = RecordIngest(
            self.store, keys, self.desk, self.live, happened.state_changed, machine.monotonic_s, self.pin, quota
        )
        ring = keys if isinstance(keys, KeyRing) else None
        is_open = self.desk.is_open
        self.returned = None
        if ring is not None:
            self.returned = ReplacedDevices(self.store, ring, happened.state_changed, is_open, old_devices)
        self.link = LinkEndpoint(self.collection, self.returned)
        happened.orders_queued.connect(self.link.wake)
        self.enrolments = Enrolments(
            self.store,
            ring,
            self.link,
            self.returned,
            heard=self.collection.heard,
            seat_of=self.desk.seat_of,
            sent=lambda table, epoch: self.pusher.has(table, epoch) if self.pusher else 0,
            on_table=self.desk.add_table,
            on_change=happened.state_changed,
        )
        maker = config.update_key or INSTALLED_KEY
        self.updates = Updates(
            self.store, keys, config.data / UPDATES, maker, lambda: self.desk.state, happened.state_changed
        )
        self.serial_ports = SerialPorts(self.link, config.serial, config.baud)

        # connections to other machines, publishing, pages
        self.elsewhere = RemoteServices(config, self.store, happened, machine, game_time, self._progress)
        self.pusher, self.collector = self.elsewhere.pusher, self.elsewhere.collector
        renderer = Renderer(self.desk, self.live, config.speed, self._troubles)
        self.departures = OutboundServices(config, self.store, self.desk, self.live, happened, self.changes, renderer)
        self.shared = SharedPages(self.changes, lambda: self.desk.state, self.live.now_ms)
        self.app = build_app(self._app_services(renderer), self._routes(), lifespan=self._lifespan)

        # start the threads
        self.garbage = GcPolicy(lambda: self.live.stands)
        self._servers: list[Server] = []
        self._failed = False
        self._on_beat: Callable[[], None] = lambda: None
        import_events(config, self.desk)
        self.worker.wake()
        self.live.start()
        self.elsewhere.start()
        self.departures.start()

    def _app_services(self, renderer: Renderer) -> AppServices:
        config, elsewhere, departures = self.config, self.elsewhere, self.departures
        return AppServices(
            desk=self.desk,
            live=self.live,
            access=self.access,
            changes=self.changes,
            renderer=renderer,
            table_rules=config.table,
            enrolments=self.enrolments,
            pin=self.pin,
            updates=self.updates,
            acts=ArbiterLog(self.store),
            roster=elsewhere.known,
            photographs=Photographs(config.data / PHOTOGRAPHS),
            closing=departures.closing,
            endings=departures.endings,
            collector=elsewhere.collector,
            pusher=elsewhere.pusher,
            publisher=departures.publisher,
            https_port=config.tls.port if config.tls is not None else None,
            address=config.address,
            host=config.host,
            port=config.port,
            fingerprint=_fingerprint(config.data),
            projection=elsewhere.projection,
            stages=departures.stages,
            shared=self.shared,
            relay=departures.relay,
            broadcasts=elsewhere.broadcasts,
        )

    def _routes(self) -> list[BaseRoute]:
        """Return the routes that other programs use, not people."""
        tables = [WebSocketRoute("/link", self.link), WebSocketRoute("/enrol", self.enrolments)]
        return [*tables, *self.updates.routes(), *self.elsewhere.routes()]

    def run(
        self,
        listener: socket.socket,
        secure: tuple[socket.socket, ssl.SSLContext] | None = None,
        on_beat: Callable[[], None] = lambda: None,
    ) -> None:
        """Serve on ``listener``, and on ``secure`` by TLS with that certificate, until SIGTERM, SIGINT or ``stop``.
        ``on_beat`` is called by the event loop, and only by it, once a second meanwhile.

        :raises RuntimeError: a thread of the head died.
        """
        self._on_beat = on_beat
        servers = [(make_server(self.app, self._door, self.config.proxies), listener)]
        if secure is not None:
            servers.append((make_server(self.app, self._door, self.config.proxies, secure[1]), secure[0]))
        self._servers = [server for server, _ in servers]
        threading.excepthook = self._thread_died
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: self.stop())
        asyncio.run(serve_all(servers))
        if self._failed:
            raise RuntimeError("a thread of the head died; see the log above")

    def stop(self) -> None:
        """End ``run``. May be called from any thread or a signal handler."""
        self.changes.close()
        for server in self._servers:
            server.should_exit = True

    def close(self) -> None:
        """Finish what is queued and close the store."""
        self.worker.close()
        self.departures.close()
        self.live.close()
        self.desk.calculations.close()
        self.link.close()
        self.elsewhere.close()
        self.store.close()

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self.changes.attach(asyncio.get_running_loop())
        asyncio.get_running_loop().set_exception_handler(self._door.log_accept_error)
        ports = asyncio.create_task(self.serial_ports.run())
        ports.add_done_callback(partial(self._task_ended, "the serial ports"))
        beats = asyncio.create_task(self._beat())
        stages = asyncio.create_task(self.departures.stages.run())
        stages.add_done_callback(partial(self._task_ended, "the broadcast"))
        shared = asyncio.create_task(self.shared.run())
        shared.add_done_callback(partial(self._task_ended, "the spectators' pages"))
        yield
        shared.cancel()
        stages.cancel()
        beats.cancel()
        ports.cancel()

    async def _beat(self) -> None:
        while True:
            self._on_beat()
            self.garbage.collect_if_due()
            await asyncio.sleep(BEAT_S)

    def _task_ended(self, what: str, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.critical("%s died", what, exc_info=error)
            self._failed = True
            self.stop()

    def _progress(self) -> BackupProgress:
        published = sum(len(division.rounds) for division in self.desk.state.divisions.values())
        return BackupProgress(published, self.store.writer.jobs)

    def _troubles(self) -> list[Text]:
        waiting = [] if self.roll_call.over(self.desk.tables) else [WAITING]
        store = [] if self.store.writer.trouble is None else [self.store.writer.trouble]
        if tables := self.store.missing_tables():
            store.append(records_missing(tables))
        outside = self.elsewhere.troubles() + self.departures.troubles()
        devices = [] if self.returned is None else self.returned.notices()
        return waiting + store + outside + self.collection.troubles() + devices

    def _thread_died(self, args: threading.ExceptHookArgs) -> None:
        log.critical("thread %s died", args.thread, exc_info=args.exc_value)
        self._failed = True
        self.stop()


def _fingerprint(data: Path) -> str:
    """Return the fingerprint of the key that signs backups; empty if the key cannot be used, which must not stop the
    head."""
    try:
        return own_signer(data).fingerprint
    except InputError as error:
        log.warning("%s", error)
        return ""


def serve(
    config: HeadConfig, keys: Mapping[int, bytes], tell: Callable[[str], None], on_beat: Callable[[], None]
) -> None:
    """Run a head from start to end. ``tell`` receives the lines for the operator; the first is ``listening URL``.

    :raises UnusableInput: something in the configuration cannot be used.
    """
    # An acknowledgement switches threads some ten times; it must not wait long while another thread parses a form.
    sys.setswitchinterval(SWITCH_S)
    # The memory of this process holds keys and passwords, which must not get into a core dump.
    disable_core_dumps()
    with contextlib.ExitStack() as open_:
        listener = open_.enter_context(listen(config.host, config.port))
        secure = None
        if config.tls is not None:
            secure = open_.enter_context(listen(config.host, config.tls.port)), tls_context(config.tls)
        try:
            with collection_paused():
                program = HeadApplication(config, keys, ROLL_CALL_S)
        except HeadError as error:
            raise InputError(text_of(error)) from error
        try:
            if config.setup_code is not None:
                write_setup_code(config.setup_code, program.access.setup_code)
            first, *others = addresses(config.host, listener.getsockname()[1])
            tell(f"listening {first}")
            for other in dict.fromkeys([*([config.address] if config.address else []), *others]):
                tell(f"also at {other}")
            code = program.access.setup_code
            if config.tls is not None:
                staff = (others or [first])[0]
                tell(f"staff at {staff.replace('http:', 'https:').rpartition(':')[0]}:{config.tls.port}")
            tell(f"setup code {code}" if code else f"sign in at {first}/sign-in")
            if not config.address and config.host == EVERYWHERE and not reachable(config.host):
                tell(render_both(NO_ADDRESS))
            with program.garbage.frozen():
                program.run(listener, secure, on_beat)
        finally:
            program.close()
