"""Protocol between a venue's head and the federation's.

- Every message is signed with the venue's key (HMAC-SHA256) and names the venue; an answer's signature includes the
  query's nonce. So neither side accepts messages of others.
- A push counts only with the ticket of the last answer to its machine; any other, including a replayed one, is only a
  query.
- Fields that this version does not know are ignored (``kiosk.link.message_macs_versions_handshake``). Heads of 2026
  reject them, so each side names the versions that it reads in a header; without one it is of the first.
- Rows may be sent in parts; the answer always says how far the federation has them, and which of them it refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from hmac import compare_digest
from typing import Any, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.i18n import Text, render, say
from kiosk.head.errors import Conflict, Forbidden, HeadError
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.json_validation import warm_up
from kiosk.link.errors import RemoteProtocolError
from kiosk.link.message_macs_versions_handshake import Seal, VersionRange, check_versions, read_message

PATH, LIST_PATH = "/federation/rows", "/federation/players"
VENUE_HEADER, SEAL_HEADER, LENGTH_SEAL_HEADER = "x-venue", "x-seal", "x-length-seal"
VERSIONS_HEADER = "x-versions"
#: versions of these messages; the first rejects unknown fields
VERSIONS = VersionRange(1, 2)
_OURS, _RANGE = "{}-{}".format(*VERSIONS), re.compile("([0-9]{1,3})-([0-9]{1,3})")
MAX_BODY, MAX_QUESTION = 8 * 1024 * 1024, 4096
#: largest body whose length is not signed; venues of an older version send smaller ones after a refusal
MAX_UNSEALED = 256 * 1024
#: larger clock differences, in seconds, are reported at both ends
CLOCK_S = 60

#: source of rows within a venue: a table and its epoch, or the audit trail
Source = tuple[int, str]
TRAIL: Source = (0, "")
A = TypeVar("A")


class EventRow(msgspec.Struct, frozen=True, array_like=True):
    """One entry of the venue's audit trail."""

    number: int
    at: str
    person: str
    kind: str
    body: dict[str, Any]
    previous: str
    hash: str

    @property
    def source(self) -> Source:
        return TRAIL

    def event(self) -> OperatorEvent:
        return OperatorEvent(self.number, self.at, self.kind, self.body, self.previous, self.hash, self.person)


class RecordRow(msgspec.Struct, frozen=True, array_like=True):
    """One record of a venue's table. ``arrival``: its place in the order in which the venue received them."""

    table: int
    epoch: str
    seq: int
    type: str
    body: dict[str, Any]
    arrival: int

    @property
    def source(self) -> Source:
        return self.table, self.epoch

    @property
    def number(self) -> int:
        return self.seq


class TrailHead(msgspec.Struct, frozen=True, array_like=True):
    """Length of the venue's own audit trail, and the hash of its entry ``number``: the last one that both have, as far
    as the venue knows.
    """

    last: int
    number: int
    hash: str


class Push(msgspec.Struct, frozen=True):
    """A venue's push. ``trail``: the id of the venue's trail; a restored store begins another. ``sent_at``: by the
    venue's clock. ``waiting``: rows that the venue still has after these. ``sender``: the machine, as long as its
    head runs; ``ticket``: of the last answer to it. ``stand`` None: the venue's store is empty. ``all_journals``:
    whether the answer must cover all journals, and not only those of these records.
    """

    venue: str
    trail: str
    nonce: str
    sent_at: str
    waiting: int
    events: list[EventRow] = []
    records: list[RecordRow] = []
    sender: str = ""
    ticket: str = ""
    stand: TrailHead | None = None
    all_journals: bool = True

    @property
    def rows(self) -> list[EventRow | RecordRow]:
        return [*self.events, *self.records]


class TrailInfo(msgspec.Struct, frozen=True, array_like=True):
    """An audit trail's length: its last entry, and that entry's time."""

    last: int
    at: str


class PushResponse(msgspec.Struct, frozen=True):
    """The federation's answer: how far it has this trail's events, and the records of each table and epoch (of those in
    the push, if it counted and did not ask for all).

    ``at``: by its clock. ``refused``: why none of the rows was accepted: because of row ``number`` from ``source``.
    ``ticket``: for the next push; ``counted``: whether this push was more than a query. ``other``: what the federation
    has under this trail's id, if it conflicts with the venue's. ``machines``: whether two machines send in the venue's
    name at once. ``players``: the name of the federation's list of players, if it has one (``player_list_transfer``).
    """

    events: int
    records: list[tuple[int, str, int]]
    at: str
    refused: Text | None = None
    source: Source = TRAIL
    number: int = 0
    ticket: str = ""
    counted: bool = False
    other: TrailInfo | None = None
    machines: bool = False
    players: str = ""


class _Refusal(msgspec.Struct, frozen=True):
    """The answer to a body that is refused; ``text``: missing in older versions."""

    error: str
    text: Text | None = None


class RowRejected(Conflict):
    """A push is refused because of one of its rows: ``number`` from ``source``. ``text``: about entry ``number`` of the
    trail of ``venue``, or record ``seq`` of its ``table``.
    """

    def __init__(self, text: Text, venue: str, row: EventRow | RecordRow) -> None:
        names = ("number",) if isinstance(row, EventRow) else ("table", "seq")
        super().__init__(text(venue=venue, **{name: getattr(row, name) for name in names}))
        self.source, self.number = row.source, row.number


def ahead_s(there: str, here: str) -> int:
    """Return how far the other end's clock is ahead of this one's, in seconds."""
    return round((datetime.fromisoformat(there) - datetime.fromisoformat(here)).total_seconds())


def clocks_differ(ahead_s: int) -> bool:
    """Check whether the difference must be reported."""
    return abs(ahead_s) > CLOCK_S


def sign(key: bytes, nonce: str, body: bytes) -> str:
    """Return the signature of a body. ``nonce``: empty for a query, the query's for an answer."""
    return Seal(key, nonce.encode() + b"\0").of(body).hex()


def verify_signature(key: bytes, nonce: str, body: bytes, found: str) -> bool:
    return compare_digest(sign(key, nonce, body).encode(), found.encode())


def check_peer(headers: Mapping[str, str]) -> None:
    """Check the versions that the other side names in its headers.

    :raises HeadError: it reads none that this side reads, or they cannot be read.
    """
    named = _RANGE.fullmatch(headers.get(VERSIONS_HEADER, "1-1"))
    if named is None:
        raise HeadError.saying("the versions of the other side cannot be read; install the same version")
    try:
        check_versions(VERSIONS, VersionRange(int(named[1]), int(named[2])))
    except RemoteProtocolError as error:
        raise HeadError(error.text) from None


def sealed_by(venue: str, key: bytes, body: bytes) -> dict[str, str]:
    """Return the headers of a venue's query."""
    return {
        VENUE_HEADER: venue,
        SEAL_HEADER: sign(key, "", body),
        LENGTH_SEAL_HEADER: length_seal(key, len(body)),
        VERSIONS_HEADER: _OURS,
    }


def length_seal(key: bytes, length: int) -> str:
    """Return the signature by which the length of a body is verified before the body is read."""
    return sign(key, "length", str(length).encode())


def sealed_route(
    path: str,
    most: int,
    key_of: Callable[[str], bytes],
    answer: Callable[[str, str, bytes], tuple[bytes, str]],
    kind: str = "application/msgpack",
) -> Route:
    """Return a route to which venues send signed bodies of at most ``most`` bytes. ``key_of`` returns a venue's key
    before its body is read. ``answer`` receives a venue's name, the signature and the body, and returns the answer
    and its signature, which may be empty. Both may raise a ``HeadError``.
    """

    async def endpoint(request: Request) -> Response:
        name, sealed = request.headers.get(VENUE_HEADER, ""), request.headers.get(SEAL_HEADER, "")
        try:
            check_peer(request.headers)
            key = await run_in_threadpool(key_of, name)
        except HeadError as error:
            return _refusal(error.text, error.status)
        length = request.headers.get("content-length", "")
        own_length = length.isascii() and length.isdigit() and len(length) < 12
        proof = length_seal(key, int(length)) if own_length else ""
        known = compare_digest(proof.encode(), request.headers.get(LENGTH_SEAL_HEADER, "").encode())
        limit = most if known and own_length else min(most, MAX_UNSEALED)
        body = bytearray()
        if not own_length or int(length) <= limit:
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    break
        if len(body) > limit or (own_length and int(length) > limit):
            return _refusal(say("more than {limit} bytes at once; send less", limit=limit), 413)
        try:
            reply, own = await run_in_threadpool(answer, name, sealed, bytes(body))
        except HeadError as error:
            return _refusal(error.text, error.status)
        return Response(reply, media_type=kind, headers={VERSIONS_HEADER: _OURS} | ({SEAL_HEADER: own} if own else {}))

    return Route(path, endpoint, methods=["POST"])


def _refusal(text: Text, status: int) -> Response:
    """Return the answer to a body that is refused: the sentence in English, and as a text that each reader's language
    can render."""
    body = msgspec.json.encode(_Refusal(render(text), text))
    return Response(body, status, media_type="application/json")


def read_refusal(content: bytes) -> Text | None:
    """Return the sentence of a refusal; None if a server in between answered."""
    try:
        answer = msgspec.json.decode(content, type=warm_up(_Refusal))
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return answer.text or say("{error}", error=answer.error)


def read_push(body: bytes) -> Push:
    """Parse a push.

    :raises HeadError: it is not one of this version.
    """
    try:
        return read_message(Push, body)
    except RemoteProtocolError as error:
        raise HeadError.saying(
            "the rows are not of this version ({error}); install the same version at the venue", error=error
        ) from error


def read_sealed(key: bytes, nonce: str, body: bytes, found: str, kind: type[A]) -> A:
    """Check the signature and parse a message.

    :raises Forbidden: it is not from the federation. :raises HeadError: it is of another version.
    """
    if not verify_signature(key, nonce, body, found):
        raise Forbidden.saying("the answer is not from the federation's head; see that url is its address")
    try:
        return read_message(kind, body)
    except RemoteProtocolError as error:
        raise HeadError.saying(
            "the federation's answer is not of this version ({error}); install the same version", error=error
        ) from error
