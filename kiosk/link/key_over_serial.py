"""Key transfer over a serial cable: a press at the table and access to the head's USB port are the authentication
(docs/reference/link-and-journal.md, "Keys").

A table that has a key neither requests nor accepts one. The frames, in the layout of
``kiosk.link.serial_framing_and_transport``:

    OTHq, wished number (2)            the table, every second: I have no key; 0 accepts any number
    OTHg, number (2), key (32)         the answer
    OTHd, check word (8 letters)       the table: somebody pressed its buttons, and the key is saved
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable, Mapping

from engine.i18n import say
from kiosk.link.errors import LinkError
from kiosk.link.message_macs_versions_handshake import KEY_BYTES, MAX_TABLE
from kiosk.link.serial_framing_and_transport import CHALLENGE_REQUEST, SerialLine
from kiosk.link.table_keys import check_word

ASK_S = 1.0
#: wait before the port is closed, which may drop unsent bytes
LINGER_S = 0.3
#: how long somebody at the table may take to press its buttons, and the table to save its key after that
PRESS_S, SAVE_S = 60.0, 10.0

_ASK = struct.Struct(">4sH")
_GIVE = struct.Struct(f">4sH{KEY_BYTES}s")
_DONE = struct.Struct(">4s8s")
_ASK_MAGIC, _GIVE_MAGIC, _DONE_MAGIC = b"OTHq", b"OTHg", b"OTHd"


class CableError(LinkError, ValueError):
    """Error for a key that cannot be transferred over this cable. The message says what to do."""


async def ask_for_key(
    line: SerialLine, wish: int, pressed: Callable[[int], Awaitable[None]], save: Callable[[int, bytes], None]
) -> int:
    """Request a key at the table until it arrives, save number and key, and return the number. ``pressed`` waits for
    the person at the table, who confirms the number.
    """
    while True:
        await line.send(_ASK.pack(_ASK_MAGIC, wish))
        try:
            async with asyncio.timeout(ASK_S):
                frame = await line.receive()
        except TimeoutError:
            continue
        if len(frame) != _GIVE.size or not frame.startswith(_GIVE_MAGIC):
            continue
        _, number, key = _GIVE.unpack(frame)
        if not 0 < number <= MAX_TABLE or (wish and number != wish):
            continue
        try:
            async with asyncio.timeout(PRESS_S):
                await pressed(number)
        except TimeoutError:
            continue
        save(number, key)
        await line.send(_DONE.pack(_DONE_MAGIC, check_word(key).encode("ascii")))
        await asyncio.sleep(LINGER_S)
        return int(number)


async def give_next_key(line: SerialLine, keys: Mapping[int, bytes], given: set[int]) -> int:
    """Wait at the other end for a table without a key and give it its own, or, if it has no number, the lowest of
    ``keys`` that is not in ``given``. Return the table's number.

    :raises CableError: the table has a key already, or its number has none here, or it does not save it.
    """
    frame = await line.receive()
    while len(frame) != _ASK.size or not frame.startswith(_ASK_MAGIC):
        if frame == CHALLENGE_REQUEST and not given:  # a table that has a key now asks until the cable is moved
            raise CableError.saying("the table at the cable has a key already; kiosk keys forget on it takes it away")
        frame = await line.receive()
    wish = int(_ASK.unpack(frame)[1])
    number = wish or min(keys.keys() - given, default=0)
    if number not in keys:
        raise CableError(
            say("there is no key for table {wish}; make one with kiosk keys new", wish=wish)
            if wish
            else say("every key has its table")
        )
    await line.send(_GIVE.pack(_GIVE_MAGIC, number, keys[number]))
    await _wait_saved(line, number, check_word(keys[number]).encode("ascii"))
    return number


async def _wait_saved(line: SerialLine, number: int, check: bytes) -> None:
    try:
        async with asyncio.timeout(PRESS_S + SAVE_S):
            while await line.receive() != _DONE.pack(_DONE_MAGIC, check):
                pass
    except TimeoutError:
        raise CableError.saying(
            "table {number} did not confirm that its key is saved; try again", number=number
        ) from None
