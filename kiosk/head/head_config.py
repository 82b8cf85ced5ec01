"""The configuration file of the head (TOML; docs/reference/configuration.md lists every field)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from engine.i18n import raised_as, say
from engine.match.rule_sets_and_options import RuleSetError, read_options
from engine.tournament.player_entry_fields import OPTIONAL
from kiosk.errors import InputError, unreadable
from kiosk.platform_compat import is_loopback
from kiosk.typed_toml_reader import read_toml

EVERYWHERE = "0.0.0.0"

_Port = Annotated[int, msgspec.Meta(ge=0, le=65_535)]


class TableRulesConfig(msgspec.Struct, forbid_unknown_fields=True):
    """Rules sent to every table for its games. ``rules`` empty: as the event's format says."""

    rules: str = ""  # rule set; left out: that of the format
    main_s: Annotated[int, msgspec.Meta(ge=1, le=18_000)] = 1200  # main time in seconds
    options: dict[str, Any] = msgspec.field(default_factory=dict)  # options of the rule set

    def __post_init__(self) -> None:
        with raised_as(InputError, say("table: {why}"), RuleSetError):
            if self.rules:
                read_options(self.options, self.rules)


class Tls(msgspec.Struct, forbid_unknown_fields=True):
    """Certificate and key of the second port, which serves HTTPS (docs/develop/security.md)."""

    certificate: Path  # certificate in PEM
    key: Path  # its key
    port: _Port = 8443  # port for staff


#: what a venue may leave out: rows about staff and devices only, the moves, or these fields of each player
LeaveOut: Any = Literal[("staff", "moves", *OPTIONAL)]


class FederationConfig(msgspec.Struct, forbid_unknown_fields=True):
    """The federation's head that this venue sends its rows to: its address, this venue's name and key file, and the
    certificate to trust if that head uses a self-signed one. ``leave_out``: what is not sent
    (docs/setup/federation.md).
    """

    url: str  # address of the federation's head
    venue: str  # name of this venue
    key: Path  # key file of this venue
    certificate: Path | None = None  # the federation's certificate, if it made it itself
    leave_out: list[LeaveOut] = msgspec.field(default_factory=list)  # what is not sent


class RemoteTarget(msgspec.Struct, forbid_unknown_fields=True):
    """A remote target: a folder, https://… (WebDAV) or sftp://user@host/folder. ``password``: a file that holds it;
    ``key``, ``known_hosts``: for SFTP, where they are not OpenSSH's own.
    """

    to: str  # a folder, https://… (WebDAV) or sftp://user@host/folder
    password: Path | None = None  # file that holds the password
    key: Path | None = None  # SFTP key, where it is not that of OpenSSH
    known_hosts: Path | None = None  # known hosts, where they are not those of OpenSSH


class Publishing(RemoteTarget, kw_only=True):
    """Target to which the tournament is published (docs/reference/publishing.md)."""

    each_round: bool = True  # after each round and correction, too


#: value of ``to`` in a relay: the head that ``[federation]`` names
TO_FEDERATION = "federation"


class Relaying(RemoteTarget, kw_only=True):
    """Target of the broadcast, which may be the federation's head, and how often it is pushed."""

    every_s: Annotated[float, msgspec.Meta(ge=0.5, le=60)] = 3.0  # seconds between two transfers


class Analysis(msgspec.Struct, forbid_unknown_fields=True):
    """The engine that evaluates positions, by the NBoard protocol (docs/reference/publishing.md).

    ``think_s``: seconds per position.
    """

    engine: Annotated[list[str], msgspec.Meta(min_length=1)]  # command of an NBoard program
    depth: Annotated[int, msgspec.Meta(ge=1, le=60)] = 16  # depth it is asked for
    think_s: Annotated[float, msgspec.Meta(gt=0, le=60)] = 2.0  # seconds after which its last value counts


class HeadConfig(msgspec.Struct, forbid_unknown_fields=True):
    """Configuration of one head. Relative paths are resolved against the configuration file's folder.

    ``keys``: the tables' keys (``kiosk keys``); a table without a key is refused. None: there are no tables. ``event``:
    an event file with the players, or a list of them, one for each division; None: the event is entered on the desk
    page. ``port`` 0: any free port. ``proxies``: reverse proxies in front of this head. ``serial``: the ports at which
    tables with a cable connect; any table may use any of them. ``backup``: a folder on another disk for the head's
    backup. ``store``: the address of a PostgreSQL database that holds the store instead of a file in ``data``.
    ``venues``: the keys of the venues whose rows this head collects (``kiosk venue new``); ``seasons``: the rules of
    rankings over their events. ``update_key``: the public key of the tables' updates; None: the installation's
    (docs/setup/updates.md). ``address``: the address on posters, badges and slips, such as ``http://10.42.0.1:8043``;
    empty: taken from this machine's own networks. ``speed``: how many times faster than real time the tables' clocks
    run; used only by the demo.
    """

    data: Path  # folder of the store; one head at a time
    keys: Path | None = None  # the tables' keys; left out: no tables
    # event file, or one for each division; left out: divisions are made at the desk
    event: str | list[str] | None = None
    host: str = EVERYWHERE  # network interface
    port: _Port = 8043  # 0: any free port
    # addresses or networks of proxies whose X-Forwarded-For and -Proto are believed; left out: none
    proxies: list[str] = msgspec.field(default_factory=list)
    serial: list[str] = msgspec.field(default_factory=list)  # ports with a table's cable
    baud: int = 115_200  # of these cables, 115200 or more
    auto: bool = False  # rounds are published without a person
    setup_code: Path | None = None  # file for the setup code; mode 0600
    backup: Path | None = None  # folder on another disk for the backup
    store: str = ""  # address of a PostgreSQL database for the store; left out: SQLite in data
    venues: Path | None = None  # keys of the venues that this head collects
    seasons: Path | None = None  # rules of rankings over their events
    federation: FederationConfig | None = None
    tls: Tls | None = None
    publish: Publishing | None = None
    relay: Relaying | None = None
    analysis: Analysis | None = None
    update_key: Path | None = None  # public key of the tables' updates; left out: /etc/othello-kiosk/update-key
    address: str = ""  # address on posters, badges and slips; left out: of this machine
    speed: Annotated[float, msgspec.Meta(gt=0, le=1000)] = (
        1.0  # factor by which the tables' clocks run faster; for demos
    )
    table: TableRulesConfig = msgspec.field(default_factory=TableRulesConfig)

    @property
    def events(self) -> list[Path]:
        """Return the event files, one for each division."""
        if self.event is None:
            return []
        return [Path(file) for file in (self.event if isinstance(self.event, list) else [self.event])]

    def __post_init__(self) -> None:
        for proxy in self.proxies:
            try:
                ipaddress.ip_network(proxy)
            except ValueError:
                raise InputError.saying(
                    'proxies names "{proxy}", which is neither an address nor a network; write it like "127.0.0.1"',
                    proxy=proxy,
                ) from None
        if len(set(self.serial)) != len(self.serial):
            raise InputError.saying("serial names a port twice; name each once")
        if self.baud < 115_200:
            raise InputError.saying("baud is {baud}, but a line to a table has 115200 baud or more", baud=self.baud)
        self.address = self.address.rstrip("/")
        if self.address and not _opens_elsewhere(self.address):
            raise InputError.saying(
                'address is "{address}", but phones need the address of this head in their network: write it like '
                '"http://10.42.0.1:8043", with http or https, no page behind it, and not 127.0.0.1 or localhost',
                address=self.address,
            )


def check_url(field: str, url: str) -> None:
    """Check that a server can be looked up by an address.

    :raises InputError: it cannot; a request to it would end in an error of another kind than an answer's.
    """
    import httpx

    try:
        impossible = not httpx.URL(url).host.encode("idna")
    except (httpx.InvalidURL, UnicodeError):
        impossible = True
    if impossible:
        raise InputError.saying("{field} names no server; correct it", field=field)  # it may hold a password


def _opens_elsewhere(address: str) -> bool:
    """Check whether this is the address of a site that another machine may open."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        named = re.fullmatch(r"https?://(\[[0-9a-fA-F:]+\]|[0-9A-Za-z.-]+)(:[0-9]{1,5})?", address)
        return named is not None and parts.port != 0 and not is_loopback(host)
    except ValueError:
        return False


def load_config(path: Path) -> HeadConfig:
    """Read the configuration.

    :raises InputError: the file cannot be read, or a field is missing, unknown or impossible.
    """
    config = read_toml(path, HeadConfig)
    base = path.resolve().parent
    files = dict(_with_absolute_paths(config, base))
    config.event = [str(base / file) for file in config.events] or None
    files |= {f"event {number}": file for number, file in enumerate(config.events, start=1)}
    for target in (config.publish, config.relay):
        to_federation = isinstance(target, Relaying) and target.to == TO_FEDERATION
        if target is not None and "://" not in target.to and not to_federation:
            target.to = str(base / target.to)
    for name, file in files.items():
        with unreadable(file):  # for this user
            missing = name not in _MADE_LATER and not file.is_file()
        if missing:
            raise InputError.saying(
                "{path}: {name} names {file}, which is not a file; create it or correct the path",
                path=path,
                name=name,
                file=file,
            )
    return config


#: fields that name a folder, or a file that need not be there yet
_MADE_LATER = ("data", "setup_code", "backup", "update_key")


def _with_absolute_paths(part: msgspec.Struct, base: Path, within: str = "") -> Iterator[tuple[str, Path]]:
    """Make the paths of a part and of the parts in it absolute, so that the start folder does not matter. Yield each
    with the name of its field.
    """
    for name in part.__struct_fields__:
        value = getattr(part, name)
        if isinstance(value, Path):
            setattr(part, name, base / value)
            yield f"{within}{name}", base / value
        elif isinstance(value, msgspec.Struct):
            yield from _with_absolute_paths(value, base, f"{name}.")


def division_names(files: Sequence[Path]) -> list[str]:
    """Return the divisions' short names, which are the names of their files."""
    names = [re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")[:30] for file in files]
    return [name if name and names.count(name) == 1 else f"division-{n}" for n, name in enumerate(names, start=1)]
