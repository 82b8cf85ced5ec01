"""What passes between a venue's head and the federation's.

The law: every message is sealed with the venue's key (HMAC-SHA256) and says whose it is, the answer over the
question's nonce too, so neither side believes anybody else. A push counts only if it carries the ticket of the last
answer to its machine; any other, an old one that is sent again too, is a question. Rows may come in pieces; the answer
always says how far the federation has them, and which of them it does not take.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from engine.text import Text, say
from kiosk.head.errors import Conflict, Forbidden, HeadError
from kiosk.head.store.chain import OperatorEvent
from kiosk.shapes import learned

PATH, LIST_PATH = "/federation/rows", "/federation/players"
VENUE_HEADER, SEAL_HEADER, LENGTH_SEAL_HEADER = "x-venue", "x-seal", "x-length-seal"
MAX_BODY, MAX_QUESTION = 8 * 1024 * 1024, 4096
#: a body whose length is not sealed: a venue of an older version sends smaller ones when it is told so
MAX_UNSEALED = 256 * 1024
#: clocks that differ by more are told at both ends
CLOCK_S = 60

#: where in a venue rows come from: a table and an epoch of it, or the audit trail
Source = tuple[int, str]
TRAIL: Source = (0, "")
A = TypeVar("A")


class EventRow(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One line of the venue's audit trail."""

    number: int
    at: str
    person: str
    kind: str
    body: dict[str, Any]
    previous: str
    hash: str

    def event(self) -> OperatorEvent:
        return OperatorEvent(self.number, self.at, self.kind, self.body, self.previous, self.hash, self.person)


class RecordRow(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One record of a venue's table. ``arrival``: its place in the order in which the venue got them."""

    table: int
    epoch: str
    seq: int
    type: str
    body: dict[str, Any]
    arrival: int


class Stand(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """How far the venue's own audit trail goes, and the hash of its entry ``number``: of the last one that both have,
    as far as the venue knows."""

    last: int
    number: int
    hash: str


class Push(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``trail``: the name of the venue's store's life; a restored store begins another. ``sent_at``: by the venue's
    clock. ``waiting``: rows that the venue still has after these. ``sender``: the machine, as long as its head runs;
    ``ticket``: of the last answer to it. ``stand`` None: the venue's store is empty. ``all_journals``: whether the
    answer is to say how far every journal has come, and not only those of these records."""

    venue: str
    trail: str
    nonce: str
    sent_at: str
    waiting: int
    events: list[EventRow] = []
    records: list[RecordRow] = []
    sender: str = ""
    ticket: str = ""
    stand: Stand | None = None
    all_journals: bool = True


class Life(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An audit trail, as far as it goes: its last entry, and that entry's time."""

    last: int
    at: str


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far the federation has this trail's events, and the records of each table and epoch (of those of the push, if
    it counted and asked for no more). ``at``: by its clock.
    ``refused``: why the rows were not taken, none of them: for row ``number`` from ``source``. ``ticket``: for the next
    push; ``counted``: whether this one was more than a question. ``other``: what the federation has under the name of
    this trail, if it is another life than the venue's. ``machines``: whether two send in the venue's name at once.
    ``players``: the name of the federation's list of players, if it has one (``lists``)."""

    events: int
    records: list[tuple[int, str, int]]
    at: str
    refused: Text | None = None
    source: Source = TRAIL
    number: int = 0
    ticket: str = ""
    counted: bool = False
    other: Life | None = None
    machines: bool = False
    players: str = ""


class Refused(Conflict):
    """A push is not taken for one of its rows: ``number`` from ``source``."""

    def __init__(self, text: Text, source: Source, number: int) -> None:
        super().__init__(text)
        self.source = source
        self.number = number


def ahead_s(there: str, here: str) -> int:
    """How far the other end's clock is ahead of this one's."""
    return round((datetime.fromisoformat(there) - datetime.fromisoformat(here)).total_seconds())


def clocks_differ(ahead_s: int) -> bool:
    """Whether somebody should be told."""
    return abs(ahead_s) > CLOCK_S


def seal(key: bytes, nonce: str, body: bytes) -> str:
    """``nonce``: empty for a question, the question's for an answer."""
    return hmac.digest(key, nonce.encode() + b"\0" + body, "sha256").hex()


def is_sealed(key: bytes, nonce: str, body: bytes, found: str) -> bool:
    return hmac.compare_digest(seal(key, nonce, body).encode(), found.encode())


def sealed_by(venue: str, key: bytes, body: bytes) -> dict[str, str]:
    """The headers of a venue's question."""
    return {VENUE_HEADER: venue, SEAL_HEADER: seal(key, "", body), LENGTH_SEAL_HEADER: length_seal(key, len(body))}


def length_seal(key: bytes, length: int) -> str:
    """Proves before a body is read that its length is the venue's."""
    return seal(key, "length", str(length).encode())


def sealed_route(
    path: str,
    most: int,
    key_of: Callable[[str], bytes],
    answer: Callable[[str, str, bytes], tuple[bytes, str]],
    kind: str = "application/msgpack",
) -> Route:
    """Where venues send sealed bodies of at most ``most`` bytes. ``key_of`` gives a venue's key before its body is
    read. ``answer`` takes a venue's name, the seal and the body, and gives the answer and its seal, which may be empty.
    Both may raise a ``HeadError``."""

    async def endpoint(request: Request) -> Response:
        name, sealed = request.headers.get(VENUE_HEADER, ""), request.headers.get(SEAL_HEADER, "")
        try:
            key = await run_in_threadpool(key_of, name)
        except HeadError as error:
            return JSONResponse({"error": str(error)}, error.status)
        length = request.headers.get("content-length", "")
        own_length = length.isascii() and length.isdigit() and len(length) < 12
        proof = length_seal(key, int(length)) if own_length else ""
        known = hmac.compare_digest(proof.encode(), request.headers.get(LENGTH_SEAL_HEADER, "").encode())
        taken = most if known and own_length else min(most, MAX_UNSEALED)
        body = bytearray()
        if not own_length or int(length) <= taken:
            async for chunk in request.stream():
                body += chunk
                if len(body) > taken:
                    break
        if len(body) > taken or (own_length and int(length) > taken):
            return JSONResponse({"error": f"more than {taken} bytes at once; send less"}, 413)
        try:
            said, own = await run_in_threadpool(answer, name, sealed, bytes(body))
        except HeadError as error:
            return JSONResponse({"error": str(error)}, error.status)
        return Response(said, media_type=kind, headers={SEAL_HEADER: own} if own else None)

    return Route(path, endpoint, methods=["POST"])


def read_push(body: bytes) -> Push:
    """:raises HeadError: it is not one of this version."""
    try:
        return msgspec.msgpack.decode(body, type=learned(Push))
    except (ValueError, RecursionError) as error:
        raise HeadError(
            say("the rows are not of this version ({error}); install the same version at the venue", error=error)
        ) from error


def read_answer(key: bytes, nonce: str, body: bytes, found: str) -> Answer:
    """:raises HeadError: as ``read_sealed``."""
    return read_sealed(key, nonce, body, found, Answer)


def read_sealed(key: bytes, nonce: str, body: bytes, found: str, kind: type[A]) -> A:
    """:raises Forbidden: it is not from the federation. :raises HeadError: it is of another version."""
    if not is_sealed(key, nonce, body, found):
        raise Forbidden(say("the answer is not from the federation's head; see that url is its address"))
    try:
        return msgspec.msgpack.decode(body, type=learned(kind))
    except ValueError as error:
        raise HeadError(
            say("the federation's answer is not of this version ({error}); install the same version", error=error)
        ) from error
