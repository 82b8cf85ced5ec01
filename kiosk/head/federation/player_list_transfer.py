"""Transfer of the federation's list of players to a venue: after an answer to a push, or as a file on a memory stick.

Both ways use the same file, signed with the venue's key and parsed only after its signature was checked. The list only
helps with typing. A venue accepts no list older than its own, so an old stick changes nothing.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import msgspec

from engine.tournament.player_entry_fields import KNOWN
from kiosk.head.errors import Conflict, Forbidden, HeadError
from kiosk.head.federation.push_protocol import sign, verify_signature
from kiosk.head.registration.rating_and_member_lookup import MAX_KNOWN, PlayerList
from kiosk.head.store import Store
from kiosk.json_validation import warm_up

SCHEMA = "othello-players/1"
LOADED, TAKEN = "venue-list-loaded", "venue-list-taken"
#: size of a list as JSON; the longest accepted list is a quarter of it
MOST_BYTES = 64 * 1024 * 1024
#: in place of a push's nonce, so that the signature is neither that of a push nor of an answer
_AS = "players"


class ListHeader(msgspec.Struct, frozen=True):
    """Header of a list: for which venue, since when the federation has it, and its name."""

    venue: str
    at: str
    name: str
    schema: str = SCHEMA


class PlayerListPublisher:
    """The federation's end. ``file``: its roster."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._stamp = -1
        self._current: ListHeader | None = None

    def current(self) -> ListHeader | None:
        """Return the header of the list, for no venue; None: none was loaded."""
        try:
            status = self._file.stat()
        except OSError:
            return None
        if status.st_mtime_ns != self._stamp:
            at = datetime.fromtimestamp(status.st_mtime, UTC).isoformat(timespec="milliseconds")
            self._current = ListHeader("", at, hashlib.sha256(self._file.read_bytes()).hexdigest()[:16])
            self._stamp = status.st_mtime_ns
        return self._current

    def packed(self, key: bytes, venue: str) -> bytes:
        """Return the signed list for a venue.

        :raises Conflict: no list was loaded.
        """
        if (here := self.current()) is None:
            raise Conflict.saying("the federation has no list of players; load one first")
        header = msgspec.structs.replace(here, venue=venue)
        body = msgspec.json.encode(header) + b"\n" + zlib.compress(self._file.read_bytes())
        return sign(key, _AS, body).encode() + b"\n" + body


class VenueListCopy:
    """The venue's end: the list in ``roster``, which came from the federation with this ``header``."""

    def __init__(self, store: Store, roster: PlayerList, file: Path) -> None:
        self._store, self._roster, self._file = store, roster, file
        self.header: ListHeader | None = None
        if file.is_file() and len(roster):
            with suppress(ValueError):  # truncated; it is sent again
                self.header = msgspec.json.decode(file.read_bytes(), type=warm_up(ListHeader))

    def accept(self, key: bytes, venue: str, file: bytes) -> None:
        """Accept a list, received by network or by stick, with an entry in the audit trail.

        :raises Forbidden: it is not the federation's for this venue. :raises HeadError: it is no list, or an old one.
        """
        sealed, _, body = file.partition(b"\n")
        if not verify_signature(key, _AS, body, sealed.decode("ascii", "replace")):
            raise Forbidden.saying("that file is not the federation's list for this venue; ask for another one")
        head, _, packed = body.partition(b"\n")
        try:
            header = msgspec.json.decode(head, type=warm_up(ListHeader))
            unpack = zlib.decompressobj()
            content = unpack.decompress(packed, MOST_BYTES)
            if header.venue != venue or header.schema != SCHEMA or not unpack.eof:
                raise ValueError("of another venue or version, or too long")
            if self.header is not None and header.at <= self.header.at:
                raise Conflict.saying("the list of {at} is not newer than the one that is here", at=header.at[:16])
            self._roster.replace(_iter_players(content))
        except HeadError:
            raise
        except (ValueError, zlib.error) as error:
            raise HeadError.saying(
                "the federation's list cannot be read ({error}); install the same version", error=error
            ) from error
        try:
            self._file.write_bytes(msgspec.json.encode(header))
        except OSError as error:
            raise HeadError.saying("the list's date cannot be kept ({error}); look at the disk", error=error) from error
        self.header = header
        self._store.append(TAKEN, {"at": header.at, "name": header.name, "players": len(self._roster)}).result()


def _iter_players(content: bytes) -> Iterator[dict[str, str | int]]:
    """Yield the players, parsed line by line.

    :raises ValueError: a line is invalid.
    """
    for number, raw in enumerate(BytesIO(content)):
        if not (line := raw.strip(b"[],\n")):
            continue
        player = msgspec.json.decode(line, type=dict[str, str | int])
        if number > MAX_KNOWN or not isinstance(player.get("name"), str):
            raise ValueError("too long, or a player without a name")
        yield {name: player[name] for name in KNOWN if name in player}
