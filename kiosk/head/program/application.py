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

from engine.i18n import Text, text_of
from hardware.timebase import ScaledTime
from kiosk.errors import InputError
from kiosk.head.access.authentication import Authenticator
from kiosk.head.backup.auto_backup import BackupProgress
from kiosk.head.backup.backup_files import PHOTOGRAPHS
from kiosk.head.backup.backup_signing import own_signer
from kiosk.head.config import EVERYWHERE, HeadConfig
from kiosk.head.desk import Desk
from kiosk.head.desk.auto_advance import AutoAdvanceThread
from kiosk.head.desk.startup_sync import ROLL_CALL_S, WAITING, StartupSync
from kiosk.head.devices import Enrolments, ReplacedDevices, SharedPin, Updates
from kiosk.head.devices.table_updates import FOLDER as UPDATES
from kiosk.head.errors import HeadError
from kiosk.head.federation.pusher import Pusher
from kiosk.head.pages.app import build_app
from kiosk.head.pages.broadcast.viewer import viewer_files
from kiosk.head.program.connection_limits import ENOUGH, ConnectionLimiter, raise_file_limit
from kiosk.head.program.event_file_access import import_events
from kiosk.head.program.gc_policy import GcPolicy, collection_paused
from kiosk.head.program.runtime import REAL, Runtime
from kiosk.head.program.server import Server, make_server, serve_all
from kiosk.head.program.sockets import addresses, listen, tls_context, write_setup_code
from kiosk.head.signals import Signals
from kiosk.head.store import Store
from kiosk.head.tables.arbiter_log import ArbiterLog
from kiosk.head.tables.live_state import LiveTables
from kiosk.head.tables.photographs import Photographs
from kiosk.head.tables.record_ingest import RecordIngest
from kiosk.head.web.hall_address import NO_ADDRESS, reachable
from kiosk.head.web.render import Renderer
from kiosk.head.web.services import (
    AppServices,
    DeviceServices,
    OutboundServices,
    PageServices,
    RemoteServices,
    TableServices,
)
from kiosk.head.web.shared_pages import SharedPages
from kiosk.head.web.streams import ChangeNotifier
from kiosk.link.endpoints.endpoint import LinkEndpoint
from kiosk.link.endpoints.serial_head import SerialPorts
from kiosk.link.table_keys import KeyRing
from kiosk.locale import render_both
from kiosk.platform_compat import disable_core_dumps
from kiosk.update import INSTALLED_KEY

log = logging.getLogger("kiosk.head")

#: interval after which the interpreter switches from a busy thread to another one
SWITCH_S = 0.0002
#: interval of the event loop's heartbeat
BEAT_S = 1.0


def build_head(
    config: HeadConfig, keys: Mapping[int, bytes], roll_call_s: float = 0.0, machine: Runtime = REAL
) -> HeadApplication:
    """Assemble a head. No thread runs before its ``start``. ``roll_call_s``: how long to wait for the records of tables
    before anything advances automatically.

    :raises HeadError: the store or the federation's database cannot be used.
    """
    real = machine.time
    game_time = real if config.speed == 1 else ScaledTime(config.speed)
    store = Store(config.data, config.store, machine.store_writer, machine.wall_clock)
    happened, changes = Signals(), ChangeNotifier()
    happened.state_changed.connect(changes.notify)

    # the tournament: acts of the desk, and automatic advance
    live = LiveTables(store, keys, game_time, real.now_ns, machine.wall_ns, machine.reads_ahead)
    roll_call = StartupSync(roll_call_s, live.heard_out, machine.monotonic_s)
    desk = Desk(store, keys, happened, auto=config.auto, roll_call=roll_call, quick=machine.quick)
    worker = machine.worker(desk.process_pending, partial(desk.periodic_check, live.game_at), desk.note)
    happened.act_committed.connect(worker.wake)
    happened.records_received.connect(worker.wake)

    # other machines, people, devices
    remote = RemoteServices(config, store, happened, game_time, partial(_progress, desk, store), machine.pusher)
    access = Authenticator(store, real.now_ns)
    devices = _build_devices(config, keys, store, happened, desk, live, access, remote.pusher, machine.monotonic_s)

    # pages, and what is made of them for other servers
    renderer = Renderer(desk, live, config.speed, lambda: program.troubles())
    viewer = partial(viewer_files, renderer)
    services = AppServices(
        config=config,
        desk=desk,
        access=access,
        tables=TableServices(live, ArbiterLog(store), Photographs(config.data / PHOTOGRAPHS)),
        devices=devices,
        remote=remote,
        outbound=OutboundServices(config, store, desk, live, changes, viewer, happened.state_changed),
        pages=PageServices(changes, renderer, SharedPages(changes, lambda: desk.state, live.now_ms)),
        fingerprint=_fingerprint(config.data),
    )
    program = HeadApplication(store, services, worker, roll_call)
    return program


def _build_devices(
    config: HeadConfig,
    keys: Mapping[int, bytes],
    store: Store,
    happened: Signals,
    desk: Desk,
    live: LiveTables,
    access: Authenticator,
    pusher: Pusher | None,
    monotonic_s: Callable[[], float],
) -> DeviceServices:
    ring, changed = keys if isinstance(keys, KeyRing) else None, happened.state_changed
    pin = SharedPin(store, access, keys, happened.orders_queued)
    collection = RecordIngest(store, keys, desk, live, changed, monotonic_s, pin)
    returned = None if ring is None else ReplacedDevices(store, ring, changed, desk.is_open)
    link = LinkEndpoint(collection, returned)
    happened.orders_queued.connect(link.wake)
    enrolments = Enrolments(
        store,
        ring,
        link,
        returned,
        heard=collection.heard,
        seat_of=desk.seat_of,
        sent=lambda table, epoch: pusher.has(table, epoch) if pusher else 0,
        on_table=desk.add_table,
        on_change=changed,
    )
    maker = config.update_key or INSTALLED_KEY
    updates = Updates(store, keys, config.data / UPDATES, maker, lambda: desk.state, changed)
    return DeviceServices(
        link, collection, pin, returned, enrolments, updates, SerialPorts(link, config.serial, config.baud)
    )


class HeadApplication:
    """One head, made by ``build_head``: ``start`` it, ``run`` it, ``close`` it; its parts may be used directly in
    between.
    """

    def __init__(self, store: Store, services: AppServices, worker: AutoAdvanceThread, roll_call: StartupSync) -> None:
        self.store, self.services = store, services
        self.config, self.desk, self.access = services.config, services.desk, services.access
        self.live, self.devices = services.tables.live, services.devices
        self.remote, self.outbound = services.remote, services.outbound
        self.worker, self._roll_call = worker, roll_call
        self._door = ConnectionLimiter(allowed := raise_file_limit())
        if allowed < ENOUGH:
            log.warning("only %d open files are allowed, a large hall needs %d: kiosk doctor", allowed, ENOUGH)
        self.app = build_app(services, self._routes(), lifespan=self._lifespan)
        self.garbage = GcPolicy(lambda: self.live.stands)
        self._servers: list[Server] = []
        self._failed = False
        self._on_beat: Callable[[], None] = lambda: None

    def _routes(self) -> list[BaseRoute]:
        """Return the routes that other programs use, not people."""
        tables = [WebSocketRoute("/link", self.devices.link), WebSocketRoute("/enrol", self.devices.enrolments)]
        return [*tables, *self.devices.updates.routes(), *self.remote.routes()]

    def start(self) -> HeadApplication:
        """Create the configured divisions, and start the threads.

        :raises HeadError: an event cannot be used.
        """
        self.worker.start()
        import_events(self.config, self.desk)
        self.worker.wake()
        self.live.start()
        self.remote.start()
        self.outbound.start()
        return self

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
        servers = [(make_server(self.app, self._door), listener)]
        if secure is not None:
            servers.append((make_server(self.app, self._door, secure[1]), secure[0]))
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
        self.services.pages.changes.close()
        for server in self._servers:
            server.should_exit = True

    def close(self) -> None:
        """Finish what is queued and close the store."""
        self.worker.close()
        self.outbound.close()
        self.live.close()
        self.desk.calculations.close()
        self.devices.link.close()
        self.remote.close()
        self.store.close()

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        pages, loop = self.services.pages, asyncio.get_running_loop()
        pages.changes.attach(loop)
        loop.set_exception_handler(self._door.log_accept_error)
        running = [loop.create_task(self._beat())]
        for what, work in (
            ("the serial ports", self.devices.serial_ports.run()),
            ("the broadcast", self.outbound.stages.run()),
            ("the spectators' pages", pages.shared.run()),
        ):
            running.append(task := loop.create_task(work))
            task.add_done_callback(partial(self._task_ended, what))
        yield
        for task in reversed(running):
            task.cancel()

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

    def troubles(self) -> list[Text]:
        """Return what the head's own parts cannot do at present."""
        waiting = [] if self._roll_call.over(self.desk.tables) else [WAITING]
        store = [] if self.store.writer.trouble is None else [self.store.writer.trouble]
        outside = self.remote.troubles() + self.outbound.troubles()
        devices = [] if self.devices.returned is None else self.devices.returned.notices()
        return waiting + store + outside + self.devices.collection.troubles() + devices

    def _thread_died(self, args: threading.ExceptHookArgs) -> None:
        log.critical("thread %s died", args.thread, exc_info=args.exc_value)
        self._failed = True
        self.stop()


def _progress(desk: Desk, store: Store) -> BackupProgress:
    published = sum(len(division.rounds) for division in desk.state.divisions.values())
    return BackupProgress(published, store.writer.jobs)


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
                program = open_.enter_context(contextlib.closing(build_head(config, keys, ROLL_CALL_S))).start()
        except HeadError as error:
            raise InputError(text_of(error)) from error
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
