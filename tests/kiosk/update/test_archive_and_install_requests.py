"""Tests of update archives: only content signed by the maker is accepted, byte for byte."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest
from updates.signed_updates import Maker

from kiosk.errors import InputError
from kiosk.update import SECRET_FILE, archive_and_install_requests
from kiosk.update.archive_and_install_requests import ArchiveEntry, ArchiveError, Manifest


@pytest.fixture(scope="module")
def maker(tmp_path_factory: pytest.TempPathFactory) -> Maker:
    return Maker(tmp_path_factory.mktemp("maker"))


@pytest.fixture(scope="module")
def archive_bytes(maker: Maker) -> bytes:
    return maker.archive("1.2.0", maker.folder / "a.update").read_bytes()


def read(data: bytes, maker: Maker) -> Manifest:
    return archive_and_install_requests.check(io.BytesIO(data), maker.public)


def signed(maker: Maker, manifest: object, content: bytes = b"") -> bytes:
    """Sign arbitrary content with the maker's key, as after a mistake or a theft of the key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    seed = msgspec.json.decode((maker.folder / SECRET_FILE).read_bytes())["key"]
    said = msgspec.json.encode(manifest)
    mark = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed)).sign(archive_and_install_requests._SAID + said)
    first = f"{archive_and_install_requests.MAGIC} {maker.public.hex()} {mark.hex()} {len(said)}\n"
    return first.encode() + said + content


def test_an_archive_is_unpacked_unchanged(maker: Maker, archive_bytes: bytes, tmp_path: Path) -> None:
    manifest = archive_and_install_requests.unpack(io.BytesIO(archive_bytes), maker.public, tmp_path)
    assert manifest.version == "1.2.0"
    source = maker.folder / "source-1.2.0"
    for entry in manifest.files:
        wheel = entry.path.startswith("wheels/")
        origin = maker.folder / f"wheels-1.2.0/{entry.path[7:]}" if wheel else source / entry.path
        assert (tmp_path / entry.path).read_bytes() == origin.read_bytes()
    assert (tmp_path / "systemd/install.sh").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "LICENSE").stat().st_mode & 0o111 == 0


def test_an_update_of_a_head_keeps_its_guide(maker: Maker, tmp_path: Path) -> None:
    repository = Path(__file__).parents[3]
    made = archive_and_install_requests.make(repository, None, maker.folder / SECRET_FILE, tmp_path / "a.update")
    assert {"setup.py", "docs/guide/en/head-table.md"} <= {entry.path for entry in made.files}


def test_a_change_of_any_byte_is_found(maker: Maker, archive_bytes: bytes) -> None:
    """Every byte of header and list, and one in fifty of the files, is changed."""
    begin = len(archive_bytes) - read(archive_bytes, maker).size
    for at in (*range(0, begin, 3), *range(begin, len(archive_bytes), 50)):
        changed = bytearray(archive_bytes)
        changed[at] ^= 1
        with pytest.raises(ArchiveError):
            read(bytes(changed), maker)


def test_a_truncated_or_extended_archive_is_refused(maker: Maker, archive_bytes: bytes) -> None:
    for length in (*range(0, len(archive_bytes), 97), len(archive_bytes) - 1):
        with pytest.raises(ArchiveError):
            read(archive_bytes[:length], maker)
    with pytest.raises(ArchiveError, match="follows"):
        read(archive_bytes + b"\0", maker)


def test_an_archive_of_another_maker_is_refused_also_under_our_name(
    maker: Maker, archive_bytes: bytes, tmp_path: Path
) -> None:
    other = Maker(tmp_path)
    with pytest.raises(ArchiveError, match="somebody else"):
        read(other.archive("1.2.0", tmp_path / "b.update").read_bytes(), maker)
    forged = archive_bytes.replace(other.public.hex().encode(), maker.public.hex().encode())
    theirs = (tmp_path / "b.update").read_bytes().replace(other.public.hex().encode(), maker.public.hex().encode())
    assert read(forged, maker).version == "1.2.0"  # no file was present to be replaced
    with pytest.raises(ArchiveError, match="signature"):
        read(theirs, maker)


OUTSIDE = ("../x", "/etc/x", "a/../x", "a//x", ".x", "a/.x", "a\\x", "a\nx", "", "x/", "a\0")


@pytest.mark.parametrize("paths", [*((path,) for path in OUTSIDE), ("a", "a"), ("a", "a/b"), ("a/b", "a")])
def test_a_path_outside_the_folder_or_given_twice_is_refused_whoever_signed(
    maker: Maker, paths: tuple[str, ...], tmp_path: Path
) -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    manifest = Manifest("1.0", [ArchiveEntry(path, 0, empty) for path in paths])
    with pytest.raises(ArchiveError, match="not allowed"):
        archive_and_install_requests.unpack(io.BytesIO(signed(maker, manifest)), maker.public, tmp_path)
    assert len(paths) > 1 or list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "manifest",
    [
        {"version": "one", "files": []},
        {"version": "1.0", "files": [{"path": "a", "size": -1, "sha256": ""}]},
        {"version": "1.0", "files": [{"path": "a", "size": 10**12, "sha256": ""}]},
        {"version": "1.0", "files": [{"path": f"a{n}", "size": 0, "sha256": ""} for n in range(10_001)]},
        {"version": "1.0"},
        [],
    ],
)
def test_an_invalid_list_is_refused_before_a_file_is_read(maker: Maker, manifest: object) -> None:
    with pytest.raises(ArchiveError):
        read(signed(maker, manifest), maker)


def test_unknown_fields_of_the_list_are_ignored(maker: Maker) -> None:
    """A table accepts an update that is made by a newer version than it has."""
    assert read(signed(maker, {"version": "9.0", "files": [], "channel": "x"}), maker).version == "9.0"


def test_only_a_newer_version_is_an_update() -> None:
    for version, than in (("1.0.1", "1.0"), ("1.10", "1.9")):
        archive_and_install_requests.check_newer(version, than)
    for version, than in (("1.0", "1.0"), ("1.0", "1.0-2"), ("0.9", "1.0")):
        with pytest.raises(ArchiveError, match="not newer"):
            archive_and_install_requests.check_newer(version, than)


def test_a_maker_s_key_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    made = Maker(tmp_path)
    assert (tmp_path / SECRET_FILE).stat().st_mode & 0o777 == 0o600
    assert archive_and_install_requests.maker_key(made.key) == made.public
    with pytest.raises(InputError):
        archive_and_install_requests.create_maker_key(tmp_path)
    made.key.write_text("00ff")
    with pytest.raises(InputError):
        archive_and_install_requests.maker_key(made.key)
