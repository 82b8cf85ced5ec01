"""Broadcasts of the venues, as each venue publishes them, served by their federation.

- The venue decides what may be seen and when, before it sends anything; the federation shows exactly that.
- A push is signed like rows, counts only with the last ticket and a higher number than before, changes no other venue's
  broadcast, and is limited in size.
- Nothing is stored: after a restart every venue sends everything again.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
from starlette.routing import BaseRoute

from kiosk.head.errors import Conflict, Forbidden, HeadError
from kiosk.head.federation.push_protocol import MAX_BODY, sealed_route, sign
from kiosk.head.federation.push_receiver_and_venue_quarantine import FederationCollector
from kiosk.head.tables.live_game_json_and_document_cache import Index, LiveGame, Table
from kiosk.json_validation import warm_up

PATH = "/federation/broadcast"
#: bytes of one game and of the index as JSON, and of a venue's whole broadcast
MAX_GAME, MAX_INDEX, MAX_ALL = 32 * 1024, 512 * 1024, 8 * 1024 * 1024
#: seconds after which data that was not sent again is dropped
KEPT_S = 3600.0


class BroadcastPush(msgspec.Struct, frozen=True):
    """One push of a venue. ``index`` and ``games``: the relay's files (docs/reference/publishing.md), only games that
    have changed. Without a ``ticket`` it is a query.
    """

    venue: str
    nonce: str
    ticket: str = ""
    number: int = 0
    index: bytes = b""
    games: dict[Table, bytes] = {}


class BroadcastReply(msgspec.Struct, frozen=True):
    """What the next push must contain, and the number that it must exceed."""

    ticket: str
    number: int


@dataclass
class _Venue:
    """State of one venue. ``told``: its latest document of each table, before persons were anonymised. ``files``: as
    they are served; None: the one that lists the games. ``ticket``: changes whenever a document was dropped."""

    ticket: str = field(default_factory=lambda: secrets.token_hex(16))
    number: int = 0
    at_s: float = 0.0
    index: Index | None = None
    told: dict[int, LiveGame] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    files: dict[int | None, bytes] = field(default_factory=dict)


class VenueBroadcasts:
    """The broadcasts of all venues. May be used from any thread."""

    def __init__(self, collector: FederationCollector, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        self._collector, self._monotonic_s = collector, monotonic_s
        self._lock = threading.Lock()
        self._venues: dict[str, _Venue] = {}

    def routes(self) -> list[BaseRoute]:
        return [sealed_route(PATH, MAX_BODY, self._collector.key_for, self.accept)]

    def accept(self, name: str, sealed: str, body: bytes) -> tuple[bytes, str]:
        """Accept a push; return the answer and its signature.

        :raises Forbidden: it is not the venue's. :raises HeadError: it cannot be read, is too large, or is an old one.
        """
        key = self._collector.key_of(name, sealed, body)
        try:
            turn = msgspec.msgpack.decode(body, type=warm_up(BroadcastPush))
            index = msgspec.json.decode(turn.index, type=warm_up(Index)) if turn.ticket else None
            games = {table: msgspec.json.decode(data, type=warm_up(LiveGame)) for table, data in turn.games.items()}
        except (ValueError, RecursionError) as error:
            raise HeadError.saying(
                "the broadcast is not of this version ({error}); install the same version", error=error
            ) from error
        if turn.venue != name or any(table != game.table for table, game in games.items()):
            raise Forbidden.saying("what {name} has sealed is not its own broadcast", name=name)
        with self._lock:
            venue = self._venues.setdefault(name, _Venue())
            if index is not None:
                self._check(venue, turn)
                self._show(venue, turn, index, games)
            data = msgspec.msgpack.encode(BroadcastReply(venue.ticket, venue.number))
        return data, sign(key, turn.nonce, data)

    def _check(self, venue: _Venue, turn: BroadcastPush) -> None:
        """Check a push.

        :raises HeadError: it does not count, or is too large.
        """
        if turn.ticket != venue.ticket or turn.number <= venue.number:
            raise Conflict.saying("another broadcast of this venue came in between; it begins anew")
        sizes = {**venue.sizes, **{table: len(data) for table, data in turn.games.items()}}
        if len(turn.index) > MAX_INDEX or max(sizes.values(), default=0) > MAX_GAME or sum(sizes.values()) > MAX_ALL:
            raise HeadError.saying("the broadcast is larger than the federation takes")

    def _show(self, venue: _Venue, turn: BroadcastPush, index: Index, games: dict[int, LiveGame]) -> None:
        venue.told |= games
        venue.sizes |= {table: len(data) for table, data in turn.games.items()}
        shown = {one.table for one in index.games} & venue.told.keys()
        for table in venue.told.keys() - shown:
            del venue.told[table], venue.sizes[table]
            venue.files.pop(table, None)
        venue.index = msgspec.structs.replace(index, games=[one for one in index.games if one.table in shown])
        venue.number, venue.at_s = turn.number, self._monotonic_s()
        venue.files |= {table: self._file(venue.told[table]) for table in games.keys() & shown}
        venue.files[None] = self._file(venue.index)

    def _file(self, document: LiveGame | Index) -> bytes:
        anonymised = self._collector.anonymised
        if anonymised.digests:
            document = msgspec.convert(anonymised.body(msgspec.to_builtins(document)), warm_up(type(document)))
        return msgspec.json.encode(document)

    def anonymise_again(self) -> None:
        """Anonymise again, because a person was anonymised."""
        with self._lock:
            for venue in self._venues.values():
                venue.files = {table: self._file(game) for table, game in venue.told.items()}
                if venue.index is not None:
                    venue.files[None] = self._file(venue.index)

    def files(self, name: str) -> dict[int | None, bytes]:
        """Return the files of a venue's shown games by table, and of the list of them (None); none: nothing may be
        shown.
        """
        with self._lock:
            venue = self._venues.get(name)
            if venue is None or not self._collector.is_shown(name):
                return {}
            if self._monotonic_s() - venue.at_s > KEPT_S:
                del self._venues[name]
                return {}
            return dict(venue.files)

    def games(self, name: str) -> list[LiveGame]:
        """Return all shown games, by table."""
        files = sorted((table, file) for table, file in self.files(name).items() if table is not None)
        return [msgspec.json.decode(file, type=warm_up(LiveGame)) for _, file in files]
