"""A spare takes the place of a table's device that has died: the product's enrolment over a wire of its own, with two
people who compare the codes.

The law: what the old device had not told the head is gone with it; the spare goes on from what had arrived.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from kiosk.head.program.program import HeadProgram
from kiosk.link.enrolment import Given, TableEnrolment


async def enrol(program: HeadProgram, number: int, save: Callable[[Given], None], epoch: str = "") -> None:
    """A device becomes table ``number``. ``epoch``: of the journal that it has. All of it happens in one instant."""
    to_head: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    to_table: asyncio.Queue[Any] = asyncio.Queue()
    scope = {"type": "websocket", "path": "/enrol", "client": ("a spare", 1), "headers": []}
    to_head.put_nowait({"type": "websocket.connect"})
    head = asyncio.get_running_loop().create_task(program.enrolments(scope, to_head.get, to_table.put))
    side = TableEnrolment(number, epoch)
    try:
        while True:
            for frame in side.outgoing():
                to_head.put_nowait({"type": "websocket.receive", "bytes": frame})
            if head.done():
                return await head
            message = await to_table.get()
            if "bytes" not in message:
                continue
            given = side.receive(message["bytes"])
            if given is not None:
                save(given)
                side.done()
            elif side.code is not None and not side.agreed:
                assert program.enrolments.find(side.name).enrolment.code == side.code, "two people compare the codes"
                side.agree()
                program.enrolments.approve(side.name, number, replace=True)
    finally:
        head.cancel()
