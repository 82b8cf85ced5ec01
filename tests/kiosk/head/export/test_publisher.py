"""Tests of publishing to a folder and to WebDAV and SFTP servers on loopback: broken connections, forbidden writes."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncssh
import pytest
from heads.tournaments import DeskWorld, two_divisions
from links.file_servers import PASSWORD, WebDav
from links.watched_target import WatchedTarget
from waiting import HANGS_S, until

from kiosk.errors import InputError
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.spectator_visibility import read_spectators
from kiosk.head.export import publisher as publisher_module
from kiosk.head.export.publish_targets import PublishTargetError, check_place, open_place
from kiosk.head.export.published_event_builder import public_book
from kiosk.head.export.publisher import Publisher
from kiosk.head.head_config import Publishing
from kiosk.head.publish.static_site import Site


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DeskWorld]:
    """A tournament in which round 1 of both divisions is played; a publisher looks often for what is new."""
    monkeypatch.setattr(publisher_module, "LOOK_S", 0.05)
    with two_divisions(tmp_path / "head") as world:
        for slug in ("open", "juniors"):
            world.publish(slug)
            world.finish(slug)
        yield world


def publisher(world: DeskWorld, tmp_path: Path, config: Publishing, **more: object) -> Publisher:
    return Publisher(world.desk, config, tmp_path, **more)  # type: ignore[arg-type]


def published(world: DeskWorld) -> dict[str, bytes]:
    """Return the files that should be published."""
    return {path: make().data for path, make in Site(public_book(world.desk)).files.items()}


def uploaded(folder: Path) -> dict[str, bytes]:
    """Return the published files; a file may be removed during the listing."""
    found = {}
    for file in (file for file in folder.rglob("*") if file.is_file() and not file.name.startswith(".")):
        with suppress(FileNotFoundError):
            found[str(file.relative_to(folder))] = file.read_bytes()
    return found


@contextmanager
def sftp(folder: Path, keys: Path) -> Iterator[tuple[str, Path]]:
    """An SFTP server that knows one password, and the file of its host key."""
    folder.mkdir(exist_ok=True)
    host_key = asyncssh.generate_private_key("ssh-ed25519")

    class Door(asyncssh.SSHServer):
        def password_auth_supported(self) -> bool:
            return True

        def validate_password(self, username: str, password: str) -> bool:
            return (username, password) == ("club", PASSWORD)

    def files(channel: asyncssh.SSHServerChannel[bytes]) -> asyncssh.SFTPServer:
        return asyncssh.SFTPServer(channel, chroot=str(folder).encode())

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def listen() -> asyncssh.SSHAcceptor:
        return await asyncssh.listen(
            "127.0.0.1", 0, server_factory=Door, server_host_keys=[host_key], sftp_factory=files
        )

    async def shut(server: asyncssh.SSHAcceptor) -> None:
        server.close()
        await server.wait_closed()

    server = asyncio.run_coroutine_threadsafe(listen(), loop).result(20)
    try:
        port = server.get_port()
        known = keys / "known_hosts"
        known.write_text(f"[127.0.0.1]:{port} {host_key.export_public_key().decode()}")
        yield f"sftp://club@127.0.0.1:{port}/site/record", known
    finally:
        asyncio.run_coroutine_threadsafe(shut(server), loop).result(20)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(HANGS_S)
        loop.close()


def secret(tmp_path: Path, said: str = PASSWORD) -> Path:
    file = tmp_path / f"password-{said.split()[0]}.txt"
    file.write_text(said + "\n")
    return file


def test_a_folder_is_ready_for_github_pages_and_receives_changed_files_only(world: DeskWorld, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    one = publisher(world, tmp_path, Publishing(str(folder)))
    one.publish()
    assert one.status.trouble is None and uploaded(folder) == published(world)
    assert (folder / ".nojekyll").read_bytes() == b"" and one.status.up == len(published(world))
    style = folder / "style.css"
    style.write_text("mine")
    publisher(world, tmp_path, Publishing(str(folder))).publish()  # a restarted head knows what is published
    assert style.read_text() == "mine"
    publisher(world, tmp_path, Publishing(str(tmp_path / "other"))).publish()
    assert uploaded(tmp_path / "other") == published(world)


def test_webdav_publishes_with_a_password(world: DeskWorld, tmp_path: Path) -> None:
    with WebDav(tmp_path / "dav", tmp_path) as server:
        to = server.config().to
        config = Publishing(to, password=secret(tmp_path))
        check_place(config)
        one = publisher(world, tmp_path, config)
        one.publish()
        assert one.status.trouble is None and uploaded(tmp_path / "dav" / "live") == published(world)
        place = open_place(config)
        place.remove("index.html")
        place.remove("index.html")
        assert not (tmp_path / "dav" / "live" / "index.html").exists()
        place.close()
        wrong = publisher(world, tmp_path, Publishing(to + "2", password=secret(tmp_path, "wrong")))
        wrong.publish()
        assert "refuses the user or the password" in str(wrong.status.trouble) and wrong.status.waiting
    one.publish()
    assert one.status.trouble is None  # no file was left to upload
    world.publish("open")
    one.publish()
    assert "does not answer" in str(one.status.trouble)


def test_sftp_publishes_to_known_hosts_only(world: DeskWorld, tmp_path: Path) -> None:
    with sftp(tmp_path / "far", tmp_path) as (to, known):
        config = Publishing(to, password=secret(tmp_path), known_hosts=known)
        check_place(config)
        one = publisher(world, tmp_path, config)
        one.publish()
        assert one.status.trouble is None, str(one.status.trouble)
        assert uploaded(tmp_path / "far" / "site" / "record") == published(world)
        place = open_place(config)
        place.remove("index.html")
        place.remove("index.html")
        place.put("index.html", b"new")
        place.close()
        assert (tmp_path / "far" / "site" / "record" / "index.html").read_bytes() == b"new"
        (tmp_path / "nobody").write_text("")
        for wrong in (
            Publishing(to, password=secret(tmp_path, "wrong"), known_hosts=known),
            Publishing(to, password=secret(tmp_path), known_hosts=tmp_path / "nobody"),
        ):
            with pytest.raises(PublishTargetError):
                open_place(wrong)


def test_after_a_broken_connection_the_next_attempt_continues(world: DeskWorld, tmp_path: Path) -> None:
    """No file is sent twice; the attempt after an error starts automatically."""
    folder, whole, place = tmp_path / "site", published(world), WatchedTarget(7)
    one = publisher(world, tmp_path, Publishing(str(folder)), opener=place, retry_s=0.0)
    one.publish()
    log = place.log
    assert one.status.trouble is not None and one.status.up == 7 and set(log).isdisjoint(one.status.waiting[7:])
    one.publish()
    place.left = None
    one.start()
    try:
        until(lambda: one.status.trouble is None and not one.status.running)
        assert sorted(log) == sorted(whole) and uploaded(folder) == whole
    finally:
        one.close()


def test_each_round_is_published_automatically_and_hidden_data_removed(world: DeskWorld, tmp_path: Path) -> None:
    """Names that are hidden now are hidden at the target: by a corrected birth year, and by another rule."""
    folder, desk = tmp_path / "site", world.desk
    desk.divisions.change(DivisionChanged("open", spectators=read_spectators({"names": {"minors": "ids"}})))
    for player in ("p1", "p2"):
        desk.players.change("open", player, {"birth_year": 1970})
    one = publisher(world, tmp_path, Publishing(str(folder)))

    def wait_until_published() -> str:
        allowed = published(world)
        until(lambda: uploaded(folder) == allowed and not one.status.running)
        return b"".join(data for path, data in allowed.items() if "open" in path).decode(errors="ignore")

    one.start()
    try:
        one.publish_soon()
        wait_until_published()
        world.publish("open")
        world.finish("open")
        assert "青木" in wait_until_published()
        desk.players.change("open", "p1", {"birth_year": 2020})
        pages = wait_until_published()
        assert "青木" not in pages and "Beatrix" in pages
        names = {"everybody": "ids", "minors": "ids"}
        desk.divisions.change(DivisionChanged("open", spectators=read_spectators({"names": names})))
        assert "Beatrix" not in wait_until_published()
    finally:
        one.close()


@pytest.mark.parametrize(
    ("to", "password", "why"),
    [
        ("ftp://club@example.org/x", False, "write a folder"),
        ("https://club:secret@example.org/x", False, "holds a password"),
        ("http://club@example.org/x", True, "https:// only"),
        ("sftp://example.org/x", True, "sftp://user@host/folder"),
        ("sftp://club@[::1/x", False, "names no server"),
        ("https:///x", False, "names no server"),
        ("https://club:secret@club..example/", False, "names no server"),
        ("https://club.example:abc/", False, "names no server"),
    ],
)
def test_an_insecure_or_unusable_address_is_refused(to: str, password: bool, why: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=why) as caught:
        check_place(Publishing(to, password=secret(tmp_path) if password else None))
    assert "secret" not in str(caught.value)


def test_an_unreadable_key_or_password_is_reported(tmp_path: Path) -> None:
    """The head goes on: such files raise other errors than a server that refuses."""
    encrypted, damaged = tmp_path / "encrypted", tmp_path / "damaged"
    asyncssh.generate_private_key("ssh-ed25519").write_private_key(encrypted, "pkcs8-pem", "secret words")
    damaged.write_text("no key\n")
    for key in (encrypted, damaged):
        with pytest.raises(PublishTargetError, match="by SFTP"):
            open_place(Publishing("sftp://club@127.0.0.1:1/x", key=key))
    damaged.write_bytes(b"\xff")
    with pytest.raises(PublishTargetError, match="the password in"):
        open_place(Publishing("https://club@127.0.0.1:1/x", password=damaged))


def test_a_missing_stick_is_reported_in_one_sentence(world: DeskWorld, tmp_path: Path) -> None:
    one = publisher(world, tmp_path, Publishing(str(tmp_path / "media" / "usb")))
    one.publish()
    assert "is the stick in" in str(one.status.trouble)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        dead = publisher(world, tmp_path, Publishing(f"sftp://a@127.0.0.1:{nobody.getsockname()[1]}/x"))
        dead.publish()
    assert "SFTP" in str(dead.status.trouble)
