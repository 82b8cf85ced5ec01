"""Tests of a card image, without root: its partition table, its list for rpi-imager, the files that name its
partitions."""

from __future__ import annotations

import datetime
import hashlib
import importlib.util
import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from waiting import HANGS_S

IMAGER = Path(__file__).parents[2] / "systemd/imager"
CARD = IMAGER / "card"
MB = 1 << 20


@pytest.fixture(scope="module")
def image() -> ModuleType:
    spec = importlib.util.spec_from_file_location("image", IMAGER / "image.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _partitions(tmp_path: Path, *sizes: int) -> list[Path]:
    """Return files of these sizes, which begin and end with their number."""
    files = []
    for number, size in enumerate(sizes, start=1):
        file = tmp_path / f"part{number}"
        with file.open("wb") as content:
            content.write(bytes([number]) * 100)
            content.seek(size - 100)
            content.write(bytes([number]) * 100)
        files.append(file)
    return files


def test_the_partitions_are_where_the_partition_table_says(image: ModuleType, tmp_path: Path) -> None:
    out = tmp_path / "card.img"
    sizes = [5 * MB, 9 * MB + 512, 2 * MB]
    image.join(out, _partitions(tmp_path, *sizes))
    content = out.read_bytes()
    assert content[510:512] == b"\x55\xaa"
    assert int.from_bytes(content[440:444], "little") == image.DISK
    end = 512
    for number, kind in enumerate([0x0C, 0x83, 0x83], start=1):
        entry = content[446 + 16 * (number - 1) :][:16]
        start, size = (512 * int.from_bytes(entry[at : at + 4], "little") for at in (8, 12))
        assert (entry[0], entry[4], size) == (0x80 if number == 1 else 0, kind, sizes[number - 1])
        assert start % (4 * MB) == 0 and start >= end, "in whole erase blocks, and none over another"
        end = start + size
        assert content[start : start + 100] == content[end - 100 : end] == bytes([number]) * 100
    assert content[446 + 48 : 510] == bytes(16), "a fourth there is not"
    assert len(content) >= end


def test_an_image_is_reproducible_and_sparse(image: ModuleType, tmp_path: Path) -> None:
    parts = _partitions(tmp_path, 8 * MB, 200 * MB, 8 * MB)
    for name in ("one.img", "two.img"):
        image.join(tmp_path / name, parts)
    one, two = ((tmp_path / name) for name in ("one.img", "two.img"))
    assert one.read_bytes() == two.read_bytes()
    assert one.stat().st_blocks * 512 < 20 * MB, "empty room takes no room"


@pytest.mark.parametrize("size", [0, 700])
def test_an_invalid_partition_is_refused(image: ModuleType, tmp_path: Path, size: int) -> None:
    parts = _partitions(tmp_path, 512, 512, 512)
    parts[1].write_bytes(bytes(size))
    with pytest.raises(SystemExit, match="part2"):
        image.join(tmp_path / "card.img", parts)
    assert not (tmp_path / "card.img").exists()


def test_the_list_has_the_true_sizes_and_digests(tmp_path: Path) -> None:
    """rpi-imager refuses a card whose SHA-256 differs (its schema: extract_sha256 "must be correct")."""
    content = os.urandom(100_000) + bytes(3 * MB)
    packed = tmp_path / "othello-table.img.xz"
    packed.write_bytes(lzma.compress(content))
    command = [sys.executable, IMAGER / "image.py", "list", packed, "https://example.org/cards/", "0.1.0"]
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "1764547200"}
    output = subprocess.run(command, env=environ, capture_output=True, check=True, timeout=HANGS_S).stdout
    listed = json.loads(output)
    (entry,) = listed["os_list"]
    assert entry["extract_size"] == len(content)
    assert entry["extract_sha256"] == hashlib.sha256(content).hexdigest()
    assert entry["image_download_size"] == packed.stat().st_size
    assert entry["image_download_sha256"] == hashlib.sha256(packed.read_bytes()).hexdigest()
    assert entry["url"] == "https://example.org/cards/othello-table.img.xz"
    assert entry["release_date"] == "2025-12-01"
    assert {"name", "description", "icon"} <= set(entry), "rpi-imager's schema requires them"
    assert (IMAGER / Path(entry["icon"]).name).is_file()
    assert entry["init_format"] == "none", "nothing is asked (its doc/, init_format)"
    assert set(listed) <= {"imager", "os_list"}, "the schema allows nothing beside"


def test_every_machine_that_the_image_is_for_can_be_chosen(image: ModuleType, tmp_path: Path) -> None:
    """The list names the devices for rpi-imager's first page (src/hwlistmodel.cpp), and the image has a tag of each."""
    packed = tmp_path / "othello-table.img.xz"
    packed.write_bytes(lzma.compress(bytes(MB)))
    listed = image.os_list(packed, "file:///cards", "0.1.0", datetime.date(2025, 12, 1))
    devices = {one["name"]: one for one in listed["imager"]["devices"]}
    assert set(devices) == {"Raspberry Pi 3", "Raspberry Pi 4", "Raspberry Pi Zero 2 W"}
    (entry,) = listed["os_list"]
    for one in devices.values():
        assert set(one["tags"]) & set(entry["devices"]), "the image is shown for it"
        assert one["matching_type"] in {"inclusive", "exclusive"} and one["description"] and one["icon"]


def test_the_card_names_its_own_partitions(image: ModuleType) -> None:
    """A card started beside another disk mounts only its own partitions."""
    name = f"{image.DISK:08x}"
    fstab = [line.split() for line in (CARD / "etc/fstab").read_text().splitlines() if not line.startswith("#")]
    assert [fields[:3] for fields in fstab[:2]] == [
        [f"PARTUUID={name}-01", "/boot/firmware", "vfat"],
        [f"PARTUUID={name}-03", "/data", "ext4"],
    ]
    for where in ("etc/systemd/system/othello-grow.service", "usr/local/lib/othello/grow-data.sh"):
        text = (CARD / where).read_text().replace("\\x2d", "-")
        assert f"by-partuuid-{name}-03" in text or f"by-partuuid/{name}-03" in text
    for fields in fstab:
        assert "nofail" in fields[3].split(","), "a start never ends at a prompt"


def test_persistent_data_is_on_the_data_partition() -> None:
    fstab = {
        fields[1]: fields for line in (CARD / "etc/fstab").read_text().splitlines() if len(fields := line.split()) == 6
    }
    assert fstab["/var/lib/othello-kiosk"][0].startswith("/data/")
    assert fstab["/var/lib/othello-update"][0].startswith("/data/"), "an update's trial"
    assert fstab["/var/log/journal"][0].startswith("/data/")
    assert "upperdir=/data/" in fstab["/opt/othello-kiosk"][3], "a version that the head sent"


def test_the_card_has_every_package_that_a_table_needs() -> None:
    """install.sh installs no packages into an image, so make-image.sh names them."""
    script = (IMAGER.parent / "install.sh").read_text()
    needed = script[script.index("needed() {") : script.index("\n}\n", script.index("needed() {")) + 3]
    wanted = subprocess.run(["bash", "-c", f"{needed}needed table"], capture_output=True, text=True, check=True)
    named = re.findall(r"packages\+?=,?(.*)", (IMAGER / "make-image.sh").read_text())
    assert {*wanted.stdout.split()} <= {*",".join(named).split(",")}
