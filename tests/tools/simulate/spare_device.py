"""Replacement of a dead table device by a spare: the product's enrolment over its own wire, with two people who compare
the codes.

Records that the old device had not sent to the head are lost; the spare continues from those that had arrived.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from kiosk.head.program.head_application import HeadApplication
from kiosk.link.enrolment import GrantedKey, TableEnrolment


async def enrol(program: HeadApplication, number: int, save: Callable[[GrantedKey], None], epoch: str = "") -> None:
    """Enrol a device as table ``number``. ``epoch``: of its existing journal. All of it happens at one instant."""
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
