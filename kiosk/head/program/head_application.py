"""The head as a running program: its threads, its servers and its end.

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
import threading
from collections.abc import AsyncIterator, Callable
from functools import partial

from starlette.applications import Starlette
from starlette.routing import BaseRoute, WebSocketRoute

from engine.i18n import Text, say
from kiosk.head.desk.desk_and_automatic_steps import WAITING, AutoAdvanceThread, StartupSync
from kiosk.head.desk.table_assignment import display_numbers
from kiosk.head.pages.http_app_and_security_headers import build_app
from kiosk.head.program.connection_and_traffic_limits import ENOUGH, WANTED, ConnectionLimiter
from kiosk.head.program.garbage_collection_schedule import GcPolicy
from kiosk.head.program.listening_sockets_tls_and_server import Server, make_server, serve_all
from kiosk.head.store import Store
from kiosk.head.store.high_water_mark import records_missing
from kiosk.head.web.services_for_pages import AppServices
from kiosk.platform_compat import open_files

log = logging.getLogger("kiosk.head")

#: interval of the event loop's heartbeat
BEAT_S = 1.0


class HeadApplication:
    """One head, made by ``build_head``: ``start`` it, ``run`` it, ``close`` it; its parts may be used directly in
    between.
    """

    def __init__(self, store: Store, services: AppServices, worker: AutoAdvanceThread, sync: StartupSync) -> None:
        self.store, self.services = store, services
        self.config, self.desk, self.access = services.config, services.desk, services.access
        self.live, self.devices = services.tables.live, services.devices
        self.remote, self.outbound = services.remote, services.outbound
        self.worker, self._startup_sync = worker, sync
        self._limiter = ConnectionLimiter(allowed := open_files(WANTED))
        if allowed < ENOUGH:
            log.warning("only %d open files are allowed, a large hall needs %d: kiosk doctor", allowed, ENOUGH)
        self.app = build_app(services, self._routes(), lifespan=self._lifespan)
        self.garbage = GcPolicy(lambda: self.live.no_clock_runs)
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
        self.desk.divisions.import_event_files(self.config)
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
        servers = [(make_server(self.app, self._limiter, self.config.proxies), listener)]
        if secure is not None:
            servers.append((make_server(self.app, self._limiter, self.config.proxies, secure[1]), secure[0]))
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
        loop.set_exception_handler(self._limiter.log_accept_error)
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
        waiting = self._not_heard() if self._startup_sync.over(self.desk.tables) else [WAITING]
        store = [] if self.store.writer.trouble is None else [self.store.writer.trouble]
        if tables := self.store.missing_tables():
            store.append(records_missing(tables))
        outside = self.remote.troubles() + self.outbound.troubles()
        return waiting + store + outside + self.devices.collection.troubles() + self.devices.returned.notices()

    def _not_heard(self) -> list[Text]:
        """Return which tables may have played rounds that a restored head does not know yet."""
        tables = [number for number in self.desk.tables if not self.live.has_sent_all_records(number)]
        if not tables or not self.desk.may_lack_rounds:
            return []
        text = say(
            "This head was restored and has not heard from these tables since: {tables}. It may lack rounds that they "
            "have played: connect them before you publish the next round."
        )
        return [text(tables=display_numbers(tables))]

    def _thread_died(self, args: threading.ExceptHookArgs) -> None:
        log.critical("thread %s died", args.thread, exc_info=args.exc_value)
        self._failed = True
        self.stop()
