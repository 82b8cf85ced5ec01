"""A relay between table and head that resets, drops, delays, or blocks one direction."""

from __future__ import annotations

import asyncio
import threading

from waiting import HANGS_S


class Relay:
    """A TCP relay in a thread. ``way`` sets what happens to bytes: open, slow, black hole, to head, to table (drop that
    direction); or refuse, which accepts no connection."""

    def __init__(self, port: int) -> None:
        self.way = "open"
        self._target = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        self._ready.wait(HANGS_S)

    def reset(self) -> None:
        self._loop.call_soon_threadsafe(self._abort_all)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(HANGS_S)

    def _abort_all(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        self._abort_all()
        server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.way == "refuse":
            writer.transport.abort()
            return
        there = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, there[1]}
        await asyncio.gather(self._pump("to head", reader, there[1]), self._pump("to table", there[0], writer))

    async def _pump(self, direction: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(1000):
                if self.way in {"black hole", direction}:
                    continue  # bytes in the direction of "to head" or "to table" are dropped
                if self.way == "slow":
                    await asyncio.sleep(0.05)
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        writer.transport.abort()
