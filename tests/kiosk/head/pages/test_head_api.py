"""Tests of the documented API: schemathesis sends valid and invalid requests and compares the answers with the
description."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
import schemathesis
from heads.process import HeadProcess
from heads.world import PlayedTable, quick_card, running_head
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from waiting import until

from kiosk.head.access.roles import Role
from kiosk.head.pages.http_app_and_security_headers import AREAS
from kiosk.head.pages.public import description
from kiosk.link.table_keys import new_keys, save_keys

schema = schemathesis.openapi.from_dict(description())


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A head in round 2, in a process of its own: hypothesis changes the recursion limit of every thread of this
    process, and Python 3.11 then refuses what a thread of the head compiles at that moment."""
    home = tmp_path_factory.mktemp("api")
    with running_head(home, auto=True) as (program, _):
        until(lambda: all(game.table for game in program.desk.state.current) and program.desk.state.current)
        for table in [PlayedTable(number, program.devices.collection) for number in range(1, 9)]:
            (command,) = table.execute_commands()
            table.send("card", quick_card(command, 20 + 3 * table.number))
        until(lambda: len(program.desk.state.first.rounds) == 2)
    save_keys(home / "keys.json", new_keys(range(1, 9)))
    (home / "head.toml").write_text('data = "data"\nkeys = "keys.json"\nhost = "127.0.0.1"\nport = 0\n')
    head = HeadProcess(home / "head.toml")
    try:
        yield head.url
    finally:
        head.stop()


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_as_described(case: schemathesis.Case, url: str) -> None:
    case.call_and_validate(
        base_url=url,
        checks=[not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance],
    )


def test_every_public_address_for_programs_is_described() -> None:
    public = {
        address.path
        for area in AREAS
        for address in area.ADDRESSES
        if address.path.endswith((".json", ".pgn", ".ggf")) and address.method == "GET" and address.role is Role.ANYBODY
    }
    assert public == set(description()["paths"])


def test_the_head_serves_its_description(url: str) -> None:
    with httpx.Client(base_url=url) as web:
        assert web.get("/openapi.json").json() == description()
        assert web.get("/hall.json").json()["divisions"][0] == {
            "division": "main", "title": {"ja": "", "en": ""}, "format": "m43-open", "players": 16, "rounds": 2,
            "open_games": 8,
        }  # fmt: skip
