"""Tests of the broadcast relay: what is uploaded and what is not, broken connections, the viewer page."""

from __future__ import annotations

import functools
import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browsers.chromium import look, visit
from browsers.live import wait_for
from heads.relays import playing
from heads.relays import relay as relay_of
from heads.world import PlayedTable
from links.watched_target import WatchedTarget
from selenium import webdriver
from waiting import HANGS_S, until

from engine.board.pgn import read_pgn
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.spectator_visibility import Boards, NamePolicy, NameStyle, VisibilityRules
from kiosk.head.export.broadcast_relay_sender_and_federation_target import INDEX, Relay
from kiosk.head.export.publish_targets import Opener, open_place
from kiosk.head.head_config import Relaying
from kiosk.head.program import HeadApplication

Hall = tuple[HeadApplication, PlayedTable, Path]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A game of nine turns at table 1, and a folder that a file server serves."""
    with playing(tmp_path / "head") as (program, table):
        yield program, table, tmp_path / "site"


def relay(hall: Hall, opener: Opener = open_place) -> Relay:
    program, _, folder = hall
    return relay_of(program, Relaying(str(folder)), folder.parent, opener)


def up(folder: Path, name: str = INDEX) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / name).read_text(encoding="utf-8"))
    return found


def pushed(one: Relay, folder: Path, moves: int) -> None:
    """Push until the target has so many moves of the game; several changes may be pushed as one."""
    until(lambda: one.push() and len(up(folder, "1.json")["moves"]) == moves)


def test_a_game_is_one_small_file_and_only_changes_are_uploaded(hall: Hall) -> None:
    _, table, folder = hall
    place = WatchedTarget()
    one = relay(hall, place)
    pushed(one, folder, 9)
    assert {"index.html", "en.html", "live.js", "1.json", "games.pgn", INDEX} <= set(place.since())
    assert (folder / "1.json").stat().st_size < 4000
    entry = next(game for game in up(folder)["games"] if game["table"] == 1)
    table.play(1)
    pushed(one, folder, 10)
    assert set(place.since()) <= {"1.json", INDEX, "games.pgn", "games.ggf"}
    assert next(game for game in up(folder)["games"] if game["table"] == 1)["number"] != entry["number"]
    assert one.status.trouble is None and one.status.games == len(up(folder)["games"])


def test_uploads_are_delayed_and_have_the_published_names(hall: Hall) -> None:
    program, _, folder = hall
    rule = VisibilityRules(Boards.DELAYED, 4, NamePolicy(NameStyle.IDS, NameStyle.IDS))
    program.desk.divisions.change(DivisionChanged("main", spectators=rule))
    one = relay(hall)
    pushed(one, folder, 5)
    everything = b"".join(file.read_bytes() for file in folder.iterdir() if file.suffix in (".json", ".pgn", ".ggf"))
    assert not any(str(player.name).encode() in everything for player in program.desk.state.first.event.players)
    assert next(read_pgn((folder / "games.pgn").read_text(encoding="utf-8"))).moves == tuple(
        line["move"] for line in up(folder, "1.json")["moves"]
    )


def test_after_a_broken_connection_later_changes_are_uploaded(hall: Hall) -> None:
    _, table, folder = hall
    place = WatchedTarget()
    one = relay(hall, place)
    pushed(one, folder, 9)
    place.left = 0
    table.play(2)
    until(lambda: not one.push())
    assert one.status.trouble is not None and len(up(folder, "1.json")["moves"]) == 9
    place.left = None
    place.since()
    pushed(one, folder, 11)
    assert one.status.trouble is None and place.opened == 2 and "live.js" not in place.since()


def test_a_restarted_head_removes_files_of_hidden_games(hall: Hall) -> None:
    _, _, folder = hall
    one = relay(hall)
    pushed(one, folder, 9)
    (folder / "77.json").write_text("{}")
    notes = folder.parent / "relayed.json"
    noted = json.loads(notes.read_text())
    notes.write_text(json.dumps(noted | {"files": ["1.json", "77.json"]}))
    (before := notes.with_name("before")).hardlink_to(notes)
    again = relay(hall)
    assert again.push() and not (folder / "77.json").exists() and (folder / "1.json").exists()
    assert json.loads(notes.read_text()) == noted
    assert "77.json" in before.read_text(), "the notes are replaced: a power cut leaves the old ones or the new ones"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A plain file server of the folder."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join(HANGS_S)
        server.server_close()


DISCS = "return document.querySelectorAll('{} svg circle.black, {} svg circle.white').length".replace("{}", "{0}")


def test_the_viewer_on_a_file_server_shows_all_boards_and_one(
    browser: webdriver.Chrome, hall: Hall, pictures: Path
) -> None:
    """The viewer page follows the games without a head."""
    program, table, folder = hall
    program.desk.divisions.set_slot("final", 1)
    one = relay(hall)
    one.start()
    try:
        until(lambda: (folder / INDEX).exists())
        with served(folder) as url:
            visit(browser, "desktop", f"{url}/index.html")
            wait_for(browser, "return document.querySelectorAll('.boards a').length > 0")
            look(browser, pictures / "relay-all-desktop-ja.png")
            visit(browser, "desktop", f"{url}/en.html#final")
            wait_for(browser, f"{DISCS.format('.stage')} === 13")
            table.play(1)
            wait_for(browser, f"{DISCS.format('.stage')} === 14")
            clock = "return document.querySelector('.stage .running [data-of=clock]').textContent"
            before = wait_for(browser, clock)
            wait_for(browser, f"return ({clock.removeprefix('return ')}) !== arguments[0]", before)
            look(browser, pictures / "relay-one-desktop-en.png")
    finally:
        one.close()
