#!/usr/bin/env python3
"""Joins the three partitions of a card into an image, and writes the list file that rpi-imager reads.

    image.py join OUT.img BOOT ROOT DATA
    image.py list OUT.img.xz FOLDER-URL VERSION >os-list.json

The partition table is an MBR, because the boot ROM of a Pi 3 reads no other. No root and no loop device is needed, and
the same partitions give the same image, byte for byte.
"""

import datetime
import hashlib
import json
import lzma
import os
import struct
import sys
from pathlib import Path
from typing import IO, Any

SECTOR = 512
CHUNK = 1 << 20
ALIGNED = 4 * CHUNK  # the blocks in which cards erase
DISK = 0x0B3110C8  # partition 2 is PARTUUID=0b3110c8-02
FAT32, LINUX = 0x0C, 0x83
ANY_CHS = b"\xfe\xff\xff"  # cylinders and heads are not used
#: The devices that rpi-imager offers: from 1.8 on it knows only those that the list names. The tags are those of its
#: default list, where a Zero 2 has the tag of a Pi 3.
DEVICES = {
    "Raspberry Pi 4": ("pi4-64bit", "Raspberry Pi 4 Model B, 400"),
    "Raspberry Pi 3": ("pi3-64bit", "Raspberry Pi 3 Model A+ / B / B+"),
    "Raspberry Pi Zero 2 W": ("pi3-64bit", "Raspberry Pi Zero 2 W"),
}


def mbr(parts: list[tuple[int, int, int]]) -> bytes:
    """Return the first sector.

    :param parts: at most four; kind, start and size in sectors. The first one is marked active.
    """
    entries = b"".join(
        struct.pack("<B3sB3sII", 0 if number else 0x80, ANY_CHS, kind, ANY_CHS, start, size)
        for number, (kind, start, size) in enumerate(parts)
    )
    return struct.pack("<440xIxx64s2s", DISK, entries, b"\x55\xaa")


def join(out: Path, partitions: list[Path]) -> None:
    """Write boot, root and data, in this order, each at a multiple of 4 MiB. Zeros stay holes in the file."""
    parts, at = [], ALIGNED
    for kind, partition in zip((FAT32, LINUX, LINUX), partitions, strict=True):
        size = partition.stat().st_size
        if not size or size % SECTOR:
            raise SystemExit(f"image.py: {partition} has {size} bytes, which are no whole sectors")
        parts.append((kind, at // SECTOR, size // SECTOR))
        at = -(-(at + size) // ALIGNED) * ALIGNED
    with out.open("wb") as image:
        image.write(mbr(parts))
        for (_, start, _), partition in zip(parts, partitions, strict=True):
            image.seek(start * SECTOR)
            with partition.open("rb") as source:
                while chunk := source.read(CHUNK):
                    if chunk.count(0) == len(chunk):
                        image.seek(len(chunk), os.SEEK_CUR)
                    else:
                        image.write(chunk)
        image.truncate(at)


def digest(file: IO[bytes]) -> tuple[int, str]:
    """Return the length of a file in bytes, and its SHA-256."""
    size, found = 0, hashlib.sha256()
    while chunk := file.read(CHUNK):
        size += len(chunk)
        found.update(chunk)
    return size, found.hexdigest()


def os_list(compressed: Path, url: str, version: str, day: datetime.date) -> dict[str, Any]:
    """Return the list of one image. Sizes and digests must be those of the file, or rpi-imager refuses it.

    :param url: of the folder from which the image and othello.svg will be served.
    """
    with compressed.open("rb") as packed:
        packed_size, packed_sha256 = digest(packed)
    with lzma.open(compressed) as image:
        size, sha256 = digest(image)
    entry = {
        "name": f"Othello table {version} / オセロ大会の卓",
        "description": "One table of the Othello tournament kiosk; asks nothing at its first start",
        "icon": f"{url.rstrip('/')}/othello.svg",
        "url": f"{url.rstrip('/')}/{compressed.name}",
        "extract_size": size,
        "extract_sha256": sha256,
        "image_download_size": packed_size,
        "image_download_sha256": packed_sha256,
        "release_date": day.isoformat(),
        "init_format": "none",  # rpi-imager offers no user, no password and no Wi-Fi: the table has none
        "devices": sorted({tag for tag, _ in DEVICES.values()}),
    }
    devices = [
        {"name": name, "tags": [tag], "icon": entry["icon"], "description": models, "matching_type": "exclusive"}
        for name, (tag, models) in DEVICES.items()
    ]
    return {"imager": {"devices": devices}, "os_list": [entry]}


def main(arguments: list[str]) -> None:
    match arguments:
        case ["join", out, boot, root, data]:
            join(Path(out), [Path(boot), Path(root), Path(data)])
        case ["list", compressed, url, version]:
            seconds = int(os.environ["SOURCE_DATE_EPOCH"])
            day = datetime.datetime.fromtimestamp(seconds, datetime.UTC).date()
            json.dump(os_list(Path(compressed), url, version, day), sys.stdout, ensure_ascii=False, indent=1)
            sys.stdout.write("\n")
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
