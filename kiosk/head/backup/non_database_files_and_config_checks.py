"""Files that a backup contains beside the store, and the configuration that it is restored with.

A backup's content is untrusted. Files get names of a fixed list, whatever the backup calls them. The configuration is
not copied but written from the fields that a head knows; each field that could reach beyond the restored folder (a
device, an address, another disk) is left out, renamed, or reported to the person.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from engine.i18n import Text, raised_as, say
from kiosk.errors import InputError, sanitized_text
from kiosk.head.federation.venue_keys import check_venue
from kiosk.head.head_config import EVERYWHERE, HeadConfig, division_names
from kiosk.typed_toml_reader import parse_toml

#: names of the files in a backup and in a restored folder
CONFIG, KEYS, EVENT, VENUES, VENUE_KEY = "head.toml", "keys.json", "event.json", "venues.json", "venue-key.json"
SEASONS = "seasons.toml"
ROSTER, ENDINGS, REGISTRATIONS = "roster.json", "endings.json", "registrations.json"
FEDERATION_CERTIFICATE = "federation-cert.pem"
SETUP_CODE = "setup-code.txt"
#: arbiters' photographs, each named by its hash (``kiosk.head.tables.photograph_board_reading_and_storage``): most of
#: them, the newest first, and largest size
PHOTOGRAPHS = "photographs"
MOST_PHOTOGRAPHS, LARGEST_PHOTOGRAPH = 100, 256 * 1024

#: what a head writes beside its store while it runs
_LEARNT = (ROSTER, ENDINGS, REGISTRATIONS)
_FIXED = frozenset({CONFIG, KEYS, EVENT, VENUES, SEASONS, VENUE_KEY, *_LEARNT, FEDERATION_CERTIFICATE})

#: the serial lines that a head may open; also in systemd/othello-head.service
_SERIAL = re.compile(r"/dev/tty(ACM|USB|AMA|S)[0-9]{1,3}|/dev/(serial/by-(id|path)/|othello-)[A-Za-z0-9_:.+-]{1,200}")
_PHOTOGRAPH = re.compile(PHOTOGRAPHS + r"/([0-9a-f]{64})\.jpg")
_MAX_TEXT = 200


def collect_files(config: HeadConfig) -> dict[str, bytes]:
    """Return the files that a spare machine needs beside the store: configuration, keys, event; no certificate, which
    belongs to one machine.

    :raises OSError: a file cannot be read.
    """
    events = _event_files(config)
    paths = _named_files(config) | dict(zip(events, config.events, strict=True))
    paths |= {name: file for name in _LEARNT if (file := config.data / name).is_file()}
    files = {name: path.read_bytes() for name, path in paths.items()}
    written = _text(_config_for_folder(config, events, config.backup))
    return files | _photographs(config.data) | {CONFIG: written.encode()}


def _named_files(config: HeadConfig) -> dict[str, Path]:
    """Return the files that a configuration names, besides those of its events, by their names in a backup."""
    federation = config.federation
    named = {
        KEYS: config.keys,
        VENUES: config.venues,
        SEASONS: config.seasons,
        VENUE_KEY: None if federation is None else federation.key,
        FEDERATION_CERTIFICATE: None if federation is None else federation.certificate,
    }
    return {name: path for name, path in named.items() if path is not None}


def check_files(files: Mapping[str, bytes], *, backup: Path, store: str) -> tuple[dict[str, bytes], list[Text]]:
    """Return the files of a backup, checked and renamed for a folder of this machine, and messages about unusual
    content.

    ``backup``: the folder for the restored head's own backup, if the lost one kept one; ``store``: the address of the
    database that its store is put into.

    :raises InputError: a file is none that a head has, or its content does not match its name.
    """
    if not files:
        return {}, []
    if CONFIG not in files:
        raise InputError.saying("the backup carries files, but no {name}; use another backup", name=CONFIG)
    config = parse_toml(files[CONFIG], HeadConfig, f"{CONFIG} in the backup")
    if config.keys is not None and KEYS not in files:
        raise InputError.saying("the backup carries files, but no {name}; use another backup", name=KEYS)
    named = {str(file) for file in config.events}
    photographs = {name: content for name, content in files.items() if _PHOTOGRAPH.fullmatch(name)}
    if len(photographs) > MOST_PHOTOGRAPHS or not all(_is_photograph(*one) for one in photographs.items()):
        raise InputError.saying("the backup's photographs are not what their names say; use another backup")
    for name in files.keys() - photographs.keys():
        if "/" in name or not name.isprintable() or name.startswith(".") or name not in _FIXED | named:
            text = say("the backup carries a file '{name}', which no head has; use another backup")
            raise InputError(text(name=sanitized_text(name)))
    if missing := sorted(named - {*files}):
        text = say("the backup lacks '{missing}', which its {config} names; use another backup")
        raise InputError(text(missing=sanitized_text(missing[0]), config=CONFIG))
    events = _event_files(config)
    present = _present(files, config, events)
    for name, content in present.items():
        if name.endswith((".json", ".event")):
            no_json = say("{name} in the backup is not JSON; use another backup", name=name)
            with raised_as(InputError, no_json, ValueError, RecursionError):
                msgspec.json.decode(content)
    checked, unusual = _checked(config)
    written = _text(_config_for_folder(checked, events, backup if config.backup else None), store)
    unusable = say("{config} in the backup cannot be rewritten ({why}); use another backup", config=CONFIG)
    with raised_as(InputError, unusable, InputError):
        parse_toml(written.encode(), HeadConfig, CONFIG)
    return present | photographs | {CONFIG: written.encode()}, unusual


def _present(files: Mapping[str, bytes], config: HeadConfig, events: Sequence[str]) -> dict[str, bytes]:
    """Return the files of a backup by their names in the restored folder; ``events``: those of the event files.

    :raises InputError: one is missing that the configuration names.
    """
    present = {name: files[name] for name in (KEYS, *_LEARNT) if name in files}
    present |= {new: files[str(old)] for new, old in zip(events, config.events, strict=True)}
    for name in _named_files(config):
        if name not in files:
            text = say("the backup lacks {name}, which its {config} names; use another backup")
            raise InputError(text(name=name, config=CONFIG))
        present[name] = files[name]
    return present


def names_for_display(files: Iterable[str]) -> tuple[str, ...]:
    """Return the names for display, all photographs as one."""
    return tuple(sorted({name.split("/")[0] for name in files}))


def _photographs(data: Path) -> dict[str, bytes]:
    """Return the newest photographs kept with rulings; one that is damaged on the disk is left out."""
    newest = sorted((data / PHOTOGRAPHS).glob("*.jpg"), key=lambda file: -file.stat().st_mtime_ns)[:MOST_PHOTOGRAPHS]
    found = {f"{PHOTOGRAPHS}/{file.name}": file.read_bytes() for file in newest}
    return {name: content for name, content in found.items() if _is_photograph(name, content)}


def _is_photograph(name: str, content: bytes) -> bool:
    match = _PHOTOGRAPH.fullmatch(name)
    small = content[:3] == b"\xff\xd8\xff" and len(content) <= LARGEST_PHOTOGRAPH
    return match is not None and small and hashlib.sha256(content).hexdigest() == match[1]


def _event_files(config: HeadConfig) -> list[str]:
    """Return the event files' names beside the store. Of several each has the name of its division, and a suffix that
    no other file of a head has: a division may be called "secrets".
    """
    if len(config.events) == 1:
        return [EVENT]
    return [f"{name}.event" for name in division_names(config.events)]


def _checked(config: HeadConfig) -> tuple[HeadConfig, list[Text]]:
    """Return the configuration without fields that reach beyond the folder, and messages about them."""
    unusual = []
    host = config.host
    if host != EVERYWHERE:
        try:
            ipaddress.ip_address(host)
            unusual.append(say("It listens at {host} only.", host=host))
        except ValueError:
            host = EVERYWHERE
            unusual.append(say("Its host '{host}' is no address and is left out.", host=sanitized_text(config.host)))
    serial = [port for port in config.serial if _SERIAL.fullmatch(port) and ".." not in port]
    unusual += [
        say("'{port}' is no serial port of a table and is left out.", port=sanitized_text(port))
        for port in config.serial
        if port not in serial
    ]
    if config.federation is not None:
        url, venue = config.federation.url, check_venue(config.federation.venue)
        if not _is_address(url):
            raise InputError.saying(
                "the federation's address in the backup is '{url}'; use another backup", url=sanitized_text(url)
            )
        unusual.append(say("It sends its records to {url} as '{venue}'.", url=url, venue=venue))
    if config.proxies:
        unusual.append(say("Its proxies are left out; name those of this machine again."))
    if config.speed != 1:
        unusual.append(say("Clocks run {speed} times as fast.", speed=config.speed))
    return msgspec.structs.replace(config, host=host, serial=serial, proxies=[]), unusual


def _is_address(url: str) -> bool:
    if not url.isascii() or not url.isprintable() or len(url) > _MAX_TEXT:
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        return False


def _config_for_folder(config: HeadConfig, events: list[str], backup: Path | None) -> HeadConfig:
    """Return the configuration for a folder that contains everything: data, keys and event. Left out are the database's
    address, which may contain a password and a server that the spare machine lacks, and what belongs to one machine:
    certificates, the publish targets with their passwords, and the command of an engine.
    """
    federation = config.federation
    if federation is not None:
        certificate = None if federation.certificate is None else Path(FEDERATION_CERTIFICATE)
        federation = msgspec.structs.replace(federation, key=Path(VENUE_KEY), certificate=certificate)
    names = {"keys": KEYS, "setup_code": SETUP_CODE, "venues": VENUES, "seasons": SEASONS}
    local = {field: Path(name) for field, name in names.items() if getattr(config, field) is not None}
    return msgspec.structs.replace(
        config,
        data=Path(),
        event=list(events) or None,
        backup=backup,
        store="",
        tls=None,
        publish=None,
        relay=None,
        analysis=None,
        update_key=None,
        federation=federation,
        **local,
    )


def _text(config: HeadConfig, store: str = "") -> str:
    fields = msgspec.to_builtins(config, enc_hook=str) | {"store": store or None}
    return "".join(f"{name} = {_toml(value)}\n" for name, value in fields.items() if value is not None)


def _toml(value: object) -> str:
    """Return a value in TOML; strings, numbers and lists look as in JSON."""
    match value:
        case dict():
            pairs = (f"{json.dumps(str(key))} = {_toml(one)}" for key, one in value.items() if one is not None)
            return "{" + ", ".join(pairs) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case bool() | int() | float():
            return json.dumps(value)
        case _:
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
