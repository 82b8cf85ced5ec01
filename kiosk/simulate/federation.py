"""A federation above the hall: the store and the collector of its head, and the line from the hall to it.

The law: what it has answered it has, also after it was killed. A push and its answer take no time; either of them may
get lost, and somebody who heard a push may send it again.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from random import Random

import httpx

from hardware.timebase import NS_PER_S
from kiosk.head import config
from kiosk.head.errors import Forbidden, HeadError
from kiosk.head.federation.collector import Collector
from kiosk.head.federation.keys import save_venues
from kiosk.head.federation.wire import SEAL_HEADER, VENUE_HEADER
from kiosk.head.store import Store
from kiosk.head.store.writer import InlineWriter
from kiosk.simulate.clock import Crystal, VirtualTime

#: the hall's name there
VENUE = "hall"
URL = "http://federation"
#: so many pushes are remembered by somebody on the line
HEARD = 20


class Federation:
    """``collector`` None: its head is off. ``loss``: the share of pushes that get lost, and of answers."""

    def __init__(self, time: VirtualTime, directory: Path, chance: Random) -> None:
        self.crystal = Crystal(time)
        self.collector: Collector | None = None
        self.loss = 0.0
        self._directory, self._chance = directory, chance
        self._heard: deque[httpx.Request] = deque(maxlen=HEARD)
        directory.mkdir()
        self._keys = directory / "venues.json"
        save_venues(self._keys, {VENUE: chance.randbytes(32)})
        #: what the hall's head is configured with
        self.config = config.Federation(URL, VENUE, self._keys)

    def switch_on(self) -> None:
        self.store = Store(self._directory / "data", writer=InlineWriter, wall_clock=self.crystal.wall_clock)
        monotonic_s = lambda: self.crystal.now_ns() / NS_PER_S  # noqa: E731
        self.collector = Collector(self.store, self._keys, self.crystal, monotonic_s=monotonic_s)

    def kill(self) -> None:
        """What was committed stays."""
        if self.collector is not None:
            self.store.close()
            self.collector = None

    def client(self, config: config.Federation) -> httpx.Client:
        """The venue's way to here."""
        return httpx.Client(base_url=config.url, transport=httpx.MockTransport(self._answer), trust_env=False)

    def hear_again(self) -> bool:
        """An old push comes a second time; gives whether there was one."""
        if not self._heard or self.collector is None:
            return False
        self._collected(self._chance.choice(self._heard))
        return True

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if self.collector is None:
            raise httpx.ConnectError("the federation's head is off")
        if self._chance.random() < self.loss:
            raise httpx.ConnectTimeout("the line is down")
        self._heard.append(request)
        answer = self._collected(request)
        if self._chance.random() < self.loss:
            raise httpx.ReadTimeout("the answer is lost")
        return answer

    def _collected(self, request: httpx.Request) -> httpx.Response:
        assert self.collector is not None, "it is on"
        said = request.headers
        try:
            answer, own = self.collector.collect(said[VENUE_HEADER], said[SEAL_HEADER], request.content)
        except Forbidden:
            raise  # nobody else has the venue's key, and it is not barred
        except HeadError as error:
            return httpx.Response(error.status, json={"error": str(error)})
        return httpx.Response(200, content=answer, headers={SEAL_HEADER: own})
