"""Fixtures shared by the tests of the head: a PostgreSQL server, a browser, heads with an event, clients at them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from browsers.chromium import chromium
from heads.floor import Floor, floor_in_play
from heads.postgres import Server, running_server
from heads.staff import first_chief
from heads.world import PlayedTable, running_head
from httpx import Client
from selenium import webdriver
from waiting import HANGS_S, until

from kiosk.head.access import passwords_and_codes
from kiosk.head.federation.database import background_update
from kiosk.head.federation.venue_keys import new_key, save_venues
from kiosk.head.head_config import TO_FEDERATION, FederationConfig, Relaying
from kiosk.head.program import HeadApplication

_HASHER = passwords_and_codes._hasher


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> Iterator[None]:
    """Hash passwords in a millisecond; tests of the cost itself take ``passwords_at_full_cost``."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords_and_codes, "_hasher", PasswordHasher(1, 8, 1))
        yield


@pytest.fixture
def passwords_at_full_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords_and_codes, "_hasher", _HASHER)


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


# heads and clients


@pytest.fixture
def options() -> dict[str, Any]:
    """What the head is started with: kiosks at tables 1 and 2; the event has 16 players and no round yet."""
    return {"tables": 2}


@pytest.fixture
def running(tmp_path: Path, options: dict[str, Any]) -> Iterator[tuple[HeadApplication, str]]:
    with running_head(tmp_path, **options) as started:
        yield started


@pytest.fixture
def program(running: tuple[HeadApplication, str]) -> HeadApplication:
    return running[0]


@pytest.fixture
def spectator(running: tuple[HeadApplication, str], tables: list[PlayedTable]) -> Iterator[Client]:
    """A browser that is not signed in, in a hall where a game is in play."""
    with Client(base_url=running[1], timeout=HANGS_S) as browser:
        yield browser


@pytest.fixture
def web(running: tuple[HeadApplication, str]) -> Iterator[Client]:
    """The chief arbiter's browser, in English."""
    program, url = running
    with Client(base_url=url, timeout=HANGS_S, headers={"accept-language": "en"}) as browser:
        first_chief(browser, program.access.setup_code)
        yield browser


@pytest.fixture
def tables(program: HeadApplication) -> list[PlayedTable]:
    """Tables 1 and 2 in round 1, which the head has published by itself; a game is in play at table 1."""
    until(lambda: any(game.table for game in program.desk.state.current))
    found = [PlayedTable(number, program.devices.collection) for number in (1, 2)]
    for table in found:
        table.execute_commands()
    found[0].play(9, 7.3)
    return found


@pytest.fixture(scope="session")
def hasty_federation() -> Iterator[None]:
    """Let the thread that updates a federation's database not rest after its work."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(background_update, "GATHER_S", 0.01)
        patch.setattr(background_update, "REST", 0)
        yield


@pytest.fixture
def federation(tmp_path: Path, hasty_federation: None) -> Iterator[tuple[HeadApplication, str, dict[str, Any]]]:
    """A federation's head, its address, and the options of its venue osaka, which broadcasts to it."""
    key = new_key()
    for name in ("venues", "osaka"):
        save_venues(tmp_path / f"{name}.json", {"osaka": key})
    config = {"venues": tmp_path / "venues.json", "tables": 0, "event": None}
    with running_head(tmp_path / "federation", **config) as (program, url):
        joined = FederationConfig(url, "osaka", tmp_path / "osaka.json")
        yield program, url, {"federation": joined, "relay": Relaying(TO_FEDERATION, every_s=0.5)}


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    """A hall with games and alarms of many kinds."""
    with floor_in_play(tmp_path_factory.mktemp("floor")) as made:
        yield made


@pytest.fixture(scope="module")
def arbiter(floor: Floor) -> Iterator[Client]:
    """The chief arbiter's browser at the floor."""
    with Client(base_url=floor.url, timeout=HANGS_S) as browser:
        first_chief(browser, floor.program.access.setup_code)
        yield browser
