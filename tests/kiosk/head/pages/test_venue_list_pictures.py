"""Browser tests of the page of all venues."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsers.chromium import LANGUAGES, picture, visit
from browsers.live import number_of, wait_for_text
from heads.world import PlayedTable, quick_card, running_head
from selenium import webdriver
from waiting import until

from kiosk.head.federation.venue_keys import new_key, save_venues
from kiosk.head.head_config import FederationConfig
from kiosk.head.program import HeadApplication


def _play(head: HeadApplication, rounds: int) -> None:
    tables = [PlayedTable(number, head.devices.collection) for number in range(1, 9)]
    for number in range(rounds):
        head.desk.rounds.publish(head.desk.rounds.draft().digest)
        for table in tables:
            commands = [command for command in table.execute_commands() if command.kind == "assign"]
            if commands and (number < rounds - 1 or table.number > 5):
                table.send("card", quick_card(commands[0], 20 + 3 * table.number))
            elif commands:
                table.play(10 + 2 * table.number)
        head.desk.process_pending()


def _rows(federation: HeadApplication, name: str) -> int:
    venue = federation.remote.collector and federation.remote.collector.venue(name)
    return venue.events + venue.records if venue else 0


@pytest.mark.parametrize("lang", LANGUAGES)
def test_all_venues_and_one(browser: webdriver.Chrome, pictures: Path, tmp_path: Path, lang: str) -> None:
    keys = {name: new_key() for name in ("osaka", "sapporo", "kyoto")}
    save_venues(tmp_path / "venues.json", keys)
    config = {"venues": tmp_path / "venues.json", "tables": 0, "event": None}
    with running_head(tmp_path / "federation", **config) as (federation, url):
        for name, rounds in (("osaka", 3), ("sapporo", 1)):
            save_venues(tmp_path / f"{name}.json", {name: keys[name]})
            joined = FederationConfig(url, name, tmp_path / f"{name}.json")
            with running_head(tmp_path / name, federation=joined) as (head, own):
                _play(head, rounds)
                row_count = len(head.store.operator_events()) + len(list(head.store.records()))
                until(lambda name=name, row_count=row_count: _rows(federation, name) == row_count)
                if name == "osaka":
                    for size in ("phone", "desktop"):
                        visit(browser, size, f"{own}/venues?lang={lang}")
                        picture(browser, size, pictures / f"sending-{size}-{lang}.png")
        for size in ("phone", "desktop"):
            visit(browser, size, f"{url}/venues?lang={lang}")
            wait_for_text(browser, "春のオセロ大会")
            picture(browser, size, pictures / f"venues-{size}-{lang}.png")
            visit(browser, size, f"{url}/venues/osaka?lang={lang}")
            picture(browser, size, pictures / f"venue-{size}-{lang}.png")
            assert number_of(browser, "svg.board") == 5
