"""The location of a store, in each of the databases that a head may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from kiosk.head.store.store_connections_and_locks import StoreLocation


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> StoreLocation:
    """The location of an empty store."""
    server = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    return StoreLocation(tmp_path / "data", server.new() if server else "")
