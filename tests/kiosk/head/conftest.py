"""Fixtures shared by the tests of the head: one PostgreSQL server, one browser, one folder of pictures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers.chromium import chromium
from heads.postgres import Server, running_server
from selenium import webdriver


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with running_server() as server:
        yield server


@pytest.fixture
def mortal_postgres() -> Iterator[Server]:
    """A PostgreSQL server for tests that kill it."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for pictures; they are written only if ``KIOSK_PICTURES=DIR`` is set."""
    kept = os.environ.get("KIOSK_PICTURES")
    directory = Path(kept) if kept else tmp_path_factory.mktemp("pictures")
    directory.mkdir(parents=True, exist_ok=True)
    return directory
