"""Tests that the API for programs is described. Another test (FAULTS.md 20) compares its answers with that."""

from __future__ import annotations

from httpx import Client

from kiosk.head.access.roles import Role
from kiosk.head.pages.http_app_and_security_headers import AREAS
from kiosk.head.pages.public import description


def test_every_public_address_for_programs_is_described() -> None:
    public = {
        address.path
        for area in AREAS
        for address in area.ADDRESSES
        if address.path.endswith((".json", ".pgn", ".ggf")) and address.method == "GET" and address.role is Role.ANYBODY
    }
    assert public == set(description()["paths"])


def test_the_head_serves_its_description(web: Client) -> None:
    assert web.get("/openapi.json").json() == description()
    assert web.get("/hall.json").json()["divisions"] == [
        {"division": "main", "title": {"ja": "", "en": ""}, "format": "m43-open", "players": 16, "rounds": 0,
         "open_games": 0},
    ]  # fmt: skip
