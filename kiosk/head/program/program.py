"""The head program: store, desk, live tables, link and pages in one process.

The law: nothing is served before the store is open and verified, and nothing is closed before the last commit. An
error that nobody expected ends the program, so that systemd starts it again from the store.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from msgspec.structs import asdict
from starlette.applications import Starlette
from starlette.routing import BaseRoute, WebSocketRoute

from engine.text import say, text_of
from hardware.timebase import ScaledTime, SystemTime
from kiosk.errors import UnusableInput
from kiosk.head.access.access import Access
from kiosk.head.config import HeadConfig, division_names
from kiosk.head.desk import Desk
from kiosk.head.desk.roll_call import PATIENT_S, WAITING, Patience
from kiosk.head.desk.worker import Worker
from kiosk.head.devices import Enrolments, HallPin, ReturnedDevices
from kiosk.head.entry.roster import Roster
from kiosk.head.errors import HeadError
from kiosk.head.event.state import MAIN
from kiosk.head.federation.collector import Collector
from kiosk.head.federation.pusher import Pusher
from kiosk.head.pages.app import build_app
from kiosk.head.program.listening import addresses, check_certificate, listen, write_code
from kiosk.head.safekeeping.keeper import Keeper, Progress
from kiosk.head.safekeeping.signing import own_signer
from kiosk.head.store import Store
from kiosk.head.store.chain import canonical
from kiosk.head.tables.arbiter_acts import TableActs
from kiosk.head.tables.collection import Collection
from kiosk.head.tables.live import Live
from kiosk.head.web.render import Renderer
from kiosk.head.web.streams import Changes
from kiosk.head.web.visit import Parts
from kiosk.link.endpoint import link_endpoint
from kiosk.link.frames import MAX_FRAME
from kiosk.link.keys import KeyRing
from kiosk.link.serial_head import SerialPorts

log = logging.getLogger("kiosk.head")

#: an open page or table may take so long to let go when the head stops
GOODBYE_S = 3
#: time between two signs of life of the event loop
BEAT_S = 1.0


class HeadProgram:
    """One head. Build it, ``run`` it, ``close`` it; the parts may be used directly in between.

    ``on_beat`` is called by the event loop, and only by it, once a second while the head serves.
    """

    def __init__(self, config: HeadConfig, keys: Mapping[int, bytes], patient_s: float = 0.0) -> None:
        """``patient_s``: how long tables are heard out before anything goes on by itself.

        :raises HeadError: the store or the event cannot be used.
        """
        self.config = config
        self.changes = Changes()
        real = SystemTime()
        game_time = real if config.speed == 1 else ScaledTime(config.speed)
        self.store = Store(config.data, config.store)
        self.desk = Desk(self.store, keys, auto=config.auto, on_change=self.changes.notify)
        self.live = Live(self.store, keys, game_time)
        self.patience = Patience(patient_s, lambda: self.desk.tables, self.live.heard_out)
        self.desk.may_go_on = self.patience.over
        self.worker = Worker(self.desk.advance, self._tick, lambda sentence: self.desk.core.note("", sentence))
        self.desk.on_act = self.worker.poke
        self.access = Access(self.store, real.now_ns)
        self.pin = HallPin(self.store, self.access, keys)
        self.collection = Collection(
            self.store, keys, self.desk, self.live, self.worker, self.changes.notify, pin=self.pin
        )
        ring = keys if isinstance(keys, KeyRing) else None
        self.returned = None if ring is None else ReturnedDevices(self.store, ring, self.changes.notify, self._is_open)
        self.link = link_endpoint(self.collection, self.returned)
        self.enrolments = Enrolments(
            self.store,
            ring,
            self.link,
            self.returned,
            heard=self.collection.heard,
            on_table=self._new_table,
            on_change=self.changes.notify,
        )
        self.serial_ports = SerialPorts(self.link, config.serial, config.baud)
        self.desk.core.on_order = self.pin.on_order = self.link.wake
        self.keeper: Keeper | None = None
        if config.backup is not None:
            self.keeper = Keeper(config, config.backup, self._progress, self.changes.notify)
        renderer = Renderer(self.desk, self.live, config.speed, self._troubles)
        self.collector: Collector | None = None
        if config.venues is not None:
            self.collector = Collector(self.store, config.venues, game_time, self.changes.notify)
        self.pusher: Pusher | None = None
        if config.federation is not None:
            self.pusher = Pusher(self.store, config.federation, self.changes.notify)
        roster = Roster(config.data / "roster.json")
        access, changes = self.access, self.changes
        parts = Parts(
            self.desk,
            self.live,
            access,
            changes,
            renderer,
            config.table,
            self.enrolments,
            self.pin,
            TableActs(self.store),
            roster,
            self.collector,
            self.pusher,
            config.tls.port if config.tls is not None else None,
            _fingerprint(config.data),
        )
        tables: list[BaseRoute] = [WebSocketRoute("/link", self.link), WebSocketRoute("/enrol", self.enrolments)]
        if self.collector is not None:
            tables.append(self.collector.route())
        self.app = build_app(parts, tables, lifespan=self._lifespan)
        self._servers: list[_Server] = []
        self._failed = False
        self.on_beat: Callable[[], None] = lambda: None
        self._went_on = self.patience.over()
        self._take_events(config.events)
        self.worker.poke()
        self.live.start()
        if self.keeper is not None:
            self.keeper.start()
        if self.pusher is not None:
            self.pusher.start()

    def run(self, listener: socket.socket, secure: socket.socket | None = None) -> None:
        """Serves on ``listener``, and with TLS on ``secure``, until SIGTERM, SIGINT or ``stop``.

        :raises RuntimeError: a thread of the head died.
        """
        servers = [(self._uvicorn(), listener)]
        if secure is not None and (tls := self.config.tls) is not None:
            options = {"ssl_certfile": tls.certificate, "ssl_keyfile": tls.key, "lifespan": "off"}
            servers.append((self._uvicorn(**options), secure))
        self._servers = [server for server, _ in servers]
        threading.excepthook = self._thread_died
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: self.stop())
        asyncio.run(_serve_all(servers))
        if self._failed:
            raise RuntimeError("a thread of the head died; see the log above")

    def stop(self) -> None:
        """Ends ``run``. From any thread or a signal handler."""
        self.changes.close()
        for server in self._servers:
            server.should_exit = True

    def _uvicorn(self, **more: Any) -> _Server:
        return _Server(
            uvicorn.Config(
                self.app,
                log_config=None,
                access_log=False,
                ws="websockets-sansio",
                ws_max_size=MAX_FRAME,
                ws_ping_interval=None,
                server_header=False,
                timeout_graceful_shutdown=GOODBYE_S,
                **more,
            )
        )

    def close(self) -> None:
        """Finishes what is queued and lets go of the store."""
        self.worker.close()
        self.live.close()
        self.desk.thinking.close()
        self.link.close()
        if self.pusher is not None:
            self.pusher.close()
        if self.keeper is not None:
            self.keeper.close()
        self.store.close()

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        self.changes.attach(asyncio.get_running_loop())
        ports = asyncio.create_task(self.serial_ports.run())
        ports.add_done_callback(self._ports_ended)
        beats = asyncio.create_task(self._beat())
        yield
        beats.cancel()
        ports.cancel()

    async def _beat(self) -> None:
        while True:
            self.on_beat()
            await asyncio.sleep(BEAT_S)

    def _ports_ended(self, ports: asyncio.Task[None]) -> None:
        if not ports.cancelled() and (error := ports.exception()) is not None:
            log.critical("the serial ports died", exc_info=error)
            self._failed = True
            self.stop()

    def _is_open(self, game: str) -> bool:
        found = self.desk.state.game(game)
        return found is not None and found.is_open

    def _new_table(self, table: int) -> None:
        """A table has a key: it gets games from now on."""
        self.desk.core.know_table(table)
        self.worker.poke()

    def _tick(self) -> None:
        if not self._went_on and self.patience.over():
            self._went_on = True
            self.changes.notify()
            self.desk.advance()
        self.desk.seating.repeat_refused(self.live.game_at)

    def _progress(self) -> Progress:
        published = sum(len(division.rounds) for division in self.desk.state.divisions.values())
        return Progress(published, self.store.writer.jobs)

    def _troubles(self) -> list[tuple[str, str]]:
        trouble = self.keeper.trouble if self.keeper is not None else None
        own = ([] if self.patience.over() else [WAITING]) + ([] if trouble is None else [trouble])
        if self.pusher is not None and (sentences := self.pusher.sentences()):
            own.append(sentences)
        devices = [] if self.returned is None else self.returned.notices()
        return own + self.collection.troubles() + devices

    def _take_events(self, files: Sequence[Path]) -> None:
        """Creates a division from each event file, the first time; later the store goes on."""
        created = {
            str(event.body.get("division", MAIN)): event.body["event"]
            for event in self.desk.core.events
            if event.kind == "event-created"
        }
        names = [MAIN] if len(files) == 1 else division_names(files)
        for slug, path in zip(names, files, strict=True):
            event = read_event(path)
            if slug not in created:
                self.desk.divisions.create(event, asdict(self.config.table), slug)
            elif canonical(created[slug]) != canonical({k: v for k, v in event.items() if k != "rounds"}):
                log.warning("%s differs from the event in %s; the one in the store goes on", path, self.config.data)

    def _thread_died(self, args: threading.ExceptHookArgs) -> None:
        log.critical("thread %s died", args.thread, exc_info=args.exc_value)
        self._failed = True
        self.stop()


class _Server(uvicorn.Server):
    """Leaves the signals to the program: uvicorn would raise them again after a clean stop."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _serve_all(servers: Sequence[tuple[_Server, socket.socket]]) -> None:
    await asyncio.gather(*(server.serve(sockets=[listener]) for server, listener in servers))


def _fingerprint(data: Path) -> str:
    """A key that cannot be used is the backup's trouble and stops no head."""
    try:
        return own_signer(data).fingerprint
    except UnusableInput as error:
        log.warning("%s", error)
        return ""


def read_event(path: Path) -> dict[str, object]:
    """The event file as the desk takes it.

    :raises UnusableInput: it cannot be read, or is not a JSON object.
    """
    try:
        event = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnusableInput(
            say("{path}: {why}; name a readable event file", path=path, why=error.strerror or error)
        ) from error
    except ValueError as error:
        raise UnusableInput(say("{path}: not JSON ({why}); correct it there", path=path, why=error)) from error
    if not isinstance(event, dict):
        raise UnusableInput(say("{path}: not a JSON object; name an event file", path=path))
    return event


def serve(
    config: HeadConfig, keys: Mapping[int, bytes], say: Callable[[str], None], on_beat: Callable[[], None]
) -> None:
    """The whole life of a head. ``say`` takes the lines for the operator; the first is ``listening URL``.

    :raises UnusableInput: something in the configuration cannot be used.
    """
    with contextlib.ExitStack() as open_:
        listener = open_.enter_context(listen(config.host, config.port))
        secure = open_.enter_context(listen(config.host, config.tls.port)) if config.tls is not None else None
        try:
            if config.tls is not None:
                check_certificate(config.tls)
            program = HeadProgram(config, keys, PATIENT_S)
        except HeadError as error:
            raise UnusableInput(text_of(error)) from error
        program.on_beat = on_beat
        try:
            if config.setup_code is not None:
                write_code(config.setup_code, program.access.setup_code)
            first, *others = addresses(config.host, listener.getsockname()[1])
            say(f"listening {first}")
            for other in others:
                say(f"also at {other}")
            code = program.access.setup_code
            if config.tls is not None:
                say(f"staff at {first.replace('http:', 'https:').rpartition(':')[0]}:{config.tls.port}")
            say(f"setup code {code}" if code else f"sign in at {first}/sign-in")
            program.run(listener, secure)
        finally:
            program.close()
