"""What tests of the head share: one PostgreSQL server for all of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from postgres_server import Server, running_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with running_server() as server:
        yield server
