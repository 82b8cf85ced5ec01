"""Simulated arbiter of a demo hall, who answers calls through the head's table pages, as with a browser."""

from __future__ import annotations

import re
import secrets
import time
from typing import Any

import httpx

from engine.i18n import say
from kiosk.locale import render_both

#: real seconds before the arbiter arrives, in which a player can act
WALK_S = 1.2

#: name of the demo's chief arbiter
NAME = "Demo"


class SimulatedArbiter:
    """The chief arbiter, created with the one-time setup code. ``password`` also gives a person access to the staff
    pages.

    :raises httpx.HTTPError: the head does not answer.
    """

    def __init__(self, url: str, code: str) -> None:
        self._client = httpx.Client(base_url=url, timeout=10)
        self.password = secrets.token_hex(5)
        form = {"code": code, "name": NAME, "password": self.password, "again": self.password}
        self._client.post("/sign-in/password", data=form, follow_redirects=True).raise_for_status()
        self._calls: dict[tuple[int, str], float] = {}

    def __enter__(self) -> SimulatedArbiter:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def event(self) -> dict[str, Any]:
        return self._json("/event.json")

    def tables(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._json("/tables.json")["tables"]
        return found

    def answer_calls(self, tables: list[dict[str, Any]]) -> None:
        """Visit each table on hold, check it, and resume play."""
        now = time.monotonic()
        waiting = {(table["table"], table["game"]) for table in tables if table["phase"] == "HOLD"}
        self._calls = {call: self._calls.get(call, now) for call in waiting}
        for call, since in list(self._calls.items()):
            if now - since >= WALK_S:
                self._resume(call[0])
                self._calls[call] = now

    def _resume(self, table: int) -> None:
        page = self._client.get(f"/floor/{table}")
        page.raise_for_status()
        fields = dict(re.findall(r'name="(csrf|revision)" value="([^"]+)"', page.text))
        if "csrf" not in fields:
            raise httpx.HTTPError("the table's page has no form; the arbiter is not signed in")
        # A table in a newer state refuses; it is visited again with the next call.
        form = fields | {"reason": render_both(say("play goes on"))}
        self._client.post(f"/floor/{table}/resume", data=form, follow_redirects=False)

    def _json(self, path: str) -> dict[str, Any]:
        answer = self._client.get(path)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found
