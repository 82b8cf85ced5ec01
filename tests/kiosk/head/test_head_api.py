"""The documented API: schemathesis sends what the description allows and what it does not, and compares the answers."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
import schemathesis
from floor_world import Floor, floor_in_play
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from kiosk.head.access.rights import Role
from kiosk.head.pages.published.api import description
from kiosk.head.pages.web import AREAS

schema = schemathesis.openapi.from_dict(description())


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with floor_in_play(tmp_path_factory.mktemp("api")) as made:
        yield made


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_as_described(case: schemathesis.Case, floor: Floor) -> None:
    case.call_and_validate(
        base_url=floor.url,
        checks=[not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance],
    )


def test_every_json_address_that_anybody_may_read_is_described() -> None:
    public = {
        address.path
        for area in AREAS
        for address in area.ADDRESSES
        if address.path.endswith(".json") and address.method == "GET" and address.role is Role.ANYBODY
    }
    assert public == set(description()["paths"])


def test_the_head_serves_its_description(floor: Floor) -> None:
    with httpx.Client(base_url=floor.url) as web:
        assert web.get("/openapi.json").json() == description()
        assert web.get("/hall.json").json()["divisions"][0] == {
            "division": "main", "title": {"ja": "", "en": ""}, "format": "m43-open", "players": 16, "rounds": 3,
            "open_games": 7,
        }  # fmt: skip
