"""Tests of the broadcast relay on real servers, wsgidav and OpenSSH: killed during play, connections broken inside a
file, full disks. A reader always sees complete files."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from heads.relays import playing
from heads.relays import relay as relay_of
from links.file_servers import BreakableConnection, FileServer, OpenSsh, WebDav
from waiting import HANGS_S, until

from kiosk.head.export.broadcast_relay_sender_and_federation_target import INDEX, Relay
from kiosk.head.export.publish_targets import PublishTargetError, check_place, open_place
from kiosk.head.head_config import Relaying
from kiosk.head.program import HeadApplication

#: a file too large to be sent at once
LARGE = 4_000_000


@pytest.fixture(params=[WebDav, OpenSsh])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FileServer]:
    (tmp_path / "keys").mkdir()
    with request.param(tmp_path / "far", tmp_path / "keys") as server:
        yield server


@contextmanager
def relay(program: HeadApplication, config: Relaying, data: Path) -> Iterator[Relay]:
    """A relay without its thread: the test calls each push."""
    check_place(config, "relay")
    one = relay_of(program, config, data)
    try:
        yield one
    finally:
        one._close_target()


class Spectator(threading.Thread):
    """Reads the files continuously; incomplete ones are in ``torn``."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self._folder, self.read, self.over = folder, 0, threading.Event()
        self.torn: list[bytes] = []

    def run(self) -> None:
        while not self.over.is_set():
            for name in (INDEX, "1.json"):
                try:
                    said = (self._folder / name).read_bytes()
                except FileNotFoundError:
                    continue
                try:
                    json.loads(said)
                    self.read += 1
                except ValueError:
                    self.torn.append(said)

    def ended(self) -> bool:
        self.over.set()
        self.join(HANGS_S)
        return self.read > 0 and not self.torn


def turns_at(server: FileServer) -> int:
    return len(json.loads((server.folder / "live" / "1.json").read_bytes())["moves"])


@pytest.mark.slow
def test_a_server_killed_during_play_has_all_files_after_its_restart(server: FileServer, tmp_path: Path) -> None:
    with playing(tmp_path / "head") as (program, table), relay(program, server.config(), tmp_path) as one:
        until(lambda: one.push() and turns_at(server) == 9)
        spectator = Spectator(server.folder / "live")
        spectator.start()
        for played in (11, 13):
            server.kill()
            table.play(2)
            assert not one.push() and not one.push()
            assert one.status.trouble is not None and turns_at(server) == played - 2
            server.start()
            until(lambda played=played: one.push() and turns_at(server) == played)  # type: ignore[misc]
            assert one.status.trouble is None
        assert spectator.ended(), spectator.torn[:1]
        names = {file.name for file in (server.folder / "live").iterdir()}
        assert names >= {"index.html", "en.html", "live.js", "1.json", "games.pgn", "games.ggf", INDEX}
        assert not [name for name in names if name.endswith(".new")]


@pytest.mark.slow
def test_a_connection_broken_inside_a_file_leaves_the_previous_one(server: FileServer) -> None:
    before = b"1" * LARGE
    with closing(BreakableConnection(server.port)) as line:
        config = server.config(line.port)
        with closing(open_place(config)) as place:
            place.put("1.json", before)
            line.left = LARGE // 2
            with pytest.raises(PublishTargetError):
                place.put("1.json", b"2" * LARGE)
        assert (server.folder / "live" / "1.json").read_bytes() == before
        line.left = None
        with closing(open_place(config)) as place:
            place.put("1.json", b"3" * LARGE)
        assert (server.folder / "live" / "1.json").read_bytes() == b"3" * LARGE


@pytest.mark.slow
@pytest.mark.parametrize("kind", [WebDav, OpenSsh])
def test_a_full_disk_of_the_server_is_reported_and_files_stay_complete(kind: type[FileServer], tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    (tmp_path / "keys").mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", small], capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root only")
    try:
        with (
            kind(small, tmp_path / "keys") as server,
            playing(tmp_path / "head") as (program, table),
            relay(program, server.config(), tmp_path) as one,
        ):
            until(lambda: one.push() and turns_at(server) == 9)
            free = os.statvfs(small)
            (small / "ballast").write_bytes(bytes(free.f_bavail * free.f_frsize))
            table.play(2)
            until(lambda: not one.push())
            assert one.status.trouble is not None and turns_at(server) == 9
            json.loads((server.folder / "live" / INDEX).read_bytes())
            (small / "ballast").unlink()
            until(lambda: one.push() and turns_at(server) == 11)
            assert one.status.trouble is None
    finally:
        subprocess.run(["umount", small], check=True)
