"""Key acquisition of a table without a key: over the network with code comparison, or over the head's cable.

It runs in one thread and shows its state as an immutable value. A received key is saved before it is confirmed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from hardware.serial_byte_stream import BytePort, PortError
from kiosk.link.enrolment import OFFER_S, GrantedKey, TableEnrolment
from kiosk.link.errors import KeyFileError, RemoteProtocolError
from kiosk.link.key_over_serial import ask_for_key
from kiosk.link.serial_framing_and_transport import SerialLine
from kiosk.link.transport_interfaces import Channel, ChannelClosedError
from kiosk.link.websocket_transport import WebSocketTransport, checked_url
from kiosk.locale import render_both
from kiosk.platform_compat import is_loopback, network_addresses
from kiosk.stoppable_thread import call_soon

log = logging.getLogger(__name__)

RETRY_S = 2.0
#: limits how often an attacker can abort offers in the hope of equal codes
MAX_RETRY_S = 30.0


@dataclass(frozen=True, slots=True)
class EnrolmentView:
    """State to show at the table. ``offer``: name of the offer at the head; ``code``: the digits to compare;
    ``cable``: the number of the table whose key was sent over the cable and waits for a press; 0: none."""

    reachable: bool = False
    offer: str = ""
    code: str = ""
    agreed: bool = False
    problem: str = ""
    cable: int = 0
    done: bool = False


class KeyAcquisition:
    """Thread that obtains a key. ``save(given)`` stores the key, called in this thread; it raises ``KeyFileError`` if
    the key cannot be stored. ``on_change`` is called when ``view`` has changed.

    :param url: the link address of the head; "" without network.
    :param serial: the cable's device; "" without.
    :param wish: this table's number, 0 for any.
    :param epoch: the epoch of the existing journal.
    :raises AddressError: the URL is not a WebSocket URL.
    """

    def __init__(
        self,
        url: str,
        serial: str,
        baud: int,
        wish: int,
        epoch: str,
        save: Callable[[GrantedKey], None],
        on_change: Callable[[], None],
    ) -> None:
        self._network = WebSocketTransport(enrolment_url(url)) if url else None
        self._serial, self._baud = serial, baud
        self._wish, self._epoch, self._save, self._on_change = wish, epoch, save, on_change
        self.view = EnrolmentView()
        self._lock = threading.Lock()
        self._is_stored = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._agreed: asyncio.Event | None = None
        self._pressed: asyncio.Event | None = None
        self._main: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._run, name="key", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def agree(self) -> None:
        """Confirm for the person at the table that the codes are equal, or that the table accepts the key that was
        sent over the cable. Can be called from any thread."""
        agreed = self._pressed if self.view.cable else self._agreed
        if agreed is not None and (self.view.cable or self.view.code):
            call_soon(self._loop, agreed.set)

    def stop(self) -> None:
        if self._main is not None:
            call_soon(self._loop, self._main.cancel)
        if self._thread.is_alive():
            self._thread.join(5)

    # --- the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(self._wait())

    async def _wait(self) -> None:
        self._loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        tasks = []
        if self._network is not None:
            tasks.append(asyncio.create_task(self._over_network(self._network)))
        if self._serial:
            tasks.append(asyncio.create_task(self._over_cable()))
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        self._set_view(replace(self.view, done=self._is_stored))

    def _set_view(self, view: EnrolmentView) -> None:
        if view != self.view:
            self.view = view
            self._on_change()

    async def _over_cable(self) -> None:
        while True:
            try:
                port = BytePort(self._serial, self._baud)
            except PortError as error:
                log.debug("%s", error)
            else:
                try:
                    await ask_for_key(
                        SerialLine(port),
                        self._wish,
                        self._wait_for_press,
                        lambda table, key: self._save_once(GrantedKey(table, key, "", ())),
                    )
                    return
                except (PortError, KeyFileError) as error:
                    log.warning("%s", error)
                finally:
                    port.close()
            await asyncio.sleep(RETRY_S)

    async def _wait_for_press(self, table: int) -> None:
        """Wait until somebody at this table accepts the key that was sent over the cable."""
        self._pressed = asyncio.Event()
        self._set_view(replace(self.view, cable=table))
        try:
            await self._pressed.wait()
        finally:
            self._set_view(replace(self.view, cable=0))

    async def _over_network(self, network: WebSocketTransport) -> None:
        """Make one offer after another until one is approved."""
        pause_s = RETRY_S
        while True:
            problem = ""
            try:
                async with network.open() as channel:
                    if await self._offer(channel):
                        return
            except (RemoteProtocolError, KeyFileError) as error:
                problem = render_both(error.text)
                log.warning("no key: %s", error)
            except ChannelClosedError as error:
                log.info("the head ended the offer: %s", error)
            except OSError as error:
                log.info("the head is out of reach: %s", error)
            pause_s = min(2 * pause_s, MAX_RETRY_S) if self.view.code else RETRY_S
            self._set_view(EnrolmentView(problem=problem, cable=self.view.cable))
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))

    async def _offer(self, channel: Channel) -> bool:
        enrolment = TableEnrolment(self._wish, self._epoch)
        self._agreed = asyncio.Event()
        agreement = asyncio.create_task(self._agree_when_pressed(channel, enrolment, self._agreed))
        try:
            await _flush(channel, enrolment)
            self._set_view(EnrolmentView(reachable=True, offer=enrolment.name, cable=self.view.cable))
            async with asyncio.timeout(OFFER_S):
                while True:
                    granted = enrolment.receive(await channel.receive())
                    await _flush(channel, enrolment)
                    if granted is not None:
                        return await self._store_key(channel, enrolment, granted)
                    self._set_view(replace(self.view, code=enrolment.code or ""))
        finally:
            agreement.cancel()

    async def _store_key(self, channel: Channel, enrolment: TableEnrolment, granted: GrantedKey) -> bool:
        try:
            self._save_once(granted)
        except KeyFileError as error:
            enrolment.refuse(str(error))
            await _flush(channel, enrolment)
            raise
        enrolment.done()
        await _flush(channel, enrolment)
        return True

    async def _agree_when_pressed(self, channel: Channel, enrolment: TableEnrolment, agreed: asyncio.Event) -> None:
        await agreed.wait()
        enrolment.agree()
        self._set_view(replace(self.view, agreed=True))
        await _flush(channel, enrolment)

    def _save_once(self, granted: GrantedKey) -> None:
        with self._lock:  # network and cable may deliver a key at the same moment
            if not self._is_stored:
                self._save(granted)
                self._is_stored = True


async def _flush(channel: Channel, enrolment: TableEnrolment) -> None:
    for frame in enrolment.outgoing():
        await channel.send(frame)


def enrolment_url(link_url: str) -> str:
    """Return the enrolment URL: ``ws://head:8043/link`` → ``ws://head:8043/enrol``.

    :raises AddressError: the URL is not a WebSocket URL.
    """
    link_url = checked_url(link_url)
    return link_url.rsplit("/", 1)[0] + "/enrol" if link_url.count("/") > 2 else link_url + "/enrol"


def page_url(link_url: str, offer: str) -> str:
    """Return the page of an offer: ``http://head:8043/devices/OFFER``."""
    return head_page_url(link_url, f"devices/{offer}")


def head_page_url(link_url: str, path: str) -> str:
    """Return the address of a page that a phone opens, such as ``http://head:8043/devices/OFFER``. A head on this
    machine is named by the machine's network address; empty if it has none, because no phone can reach it then.
    """
    base = enrolment_url(link_url).removesuffix("/enrol")
    parts = urlsplit(base)
    if is_loopback(parts.hostname or ""):
        host = next(iter(network_addresses()), "")
        if not host:
            return ""
        base = parts._replace(netloc=f"{host}:{parts.port}" if parts.port else host).geturl()
    return f"http{base.removeprefix('ws')}/{path}"
