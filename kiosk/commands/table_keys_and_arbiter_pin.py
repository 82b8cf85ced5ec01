"""``kiosk keys``: the keys shared by tables and head, which are made, listed, revoked and sent over a cable; and the
arbiter's PIN. A key is never printed (kiosk.link.table_keys).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.i18n import Text, raised_as, say, say_n, text_of
from kiosk.commands.command_helpers import PATH, as_input_error, as_json_option, print_answer, print_result
from kiosk.errors import InputError
from kiosk.locale import render, terminal_language
from kiosk.platform_compat import as_owner_of

if TYPE_CHECKING:
    from hardware.serial_byte_stream import BytePort

#: the head's file in a folder of keys
HEAD_FILE = "keys.json"
#: seconds between attempts to open a cable that was unplugged
LOOK_S = 0.5

_place = partial(
    click.option, type=PATH, default=Path(HEAD_FILE), show_default=True, help="The head's key file, or its folder."
)


@click.group()
def keys() -> None:
    """Make, list and revoke the secret keys that tables and head share."""


@keys.command()
@click.option("--tables", required=True, help="Numbers and ranges: 1-60, or 3,7,10-12.")
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help=f"Folder for {HEAD_FILE}, the head's file, and table-N.json, one for each table.",
)
@click.option("--rotate", is_flag=True, help="Replace the keys of these tables; the old ones stop working.")
@as_json_option
def new(tables: str, folder: Path, rotate: bool, as_json: bool) -> None:
    """Make keys for many tables at once, and add them to the head's file.

    Copy table-N.json to table N as its key_file. A running head uses changed keys at once, new tables after a restart.
    """
    from kiosk.link.errors import KeyFileError
    from kiosk.link.table_keys import Keys, change_keys, new_keys, save_keys

    numbers = table_numbers(tables)
    head_file = folder / HEAD_FILE
    with as_input_error(KeyFileError, OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = new_keys(sorted(numbers))

        def add(known: Keys) -> Keys:
            again = sorted(known.present.keys() & numbers)
            if again and not rotate:
                text = say("--tables: {head_file} has a key for {again} already; leave them out, or give --rotate")
                raise InputError(text(head_file=head_file, again=_tables(again)))
            for number, key in made.items():
                save_keys(table_file(folder, number), {number: key})
            return known.with_new(made)

        with as_owner_of(folder):
            change_keys(head_file, add)
    files = {str(number): str(table_file(folder, number)) for number in made}
    text = say("{n} keys: {head_file} for the head, {folder} … for the tables")
    done = text(n=len(made), head_file=head_file, folder=table_file(folder, min(made)))
    print_result({"head": str(head_file), "tables": files}, done, as_json)


@keys.command("list")
@_place("--keys", "--out", "place")
@as_json_option
def list_keys(place: Path, as_json: bool) -> None:
    """List the tables that have a key. Equal check words mean equal keys."""
    from kiosk.link.table_keys import check_word

    known = _load(place)
    if as_json:
        click.echo(json.dumps({"tables": [{"table": n, "check": check_word(key)} for n, key in sorted(known.items())]}))
        return
    for number, key in sorted(known.items()):
        click.echo(f"table {number}\tcheck {check_word(key)}")


@keys.command()
@click.argument("tables", nargs=-1, required=True)
@_place("--keys", "--out", "place")
@as_json_option
def revoke(tables: tuple[str, ...], place: Path, as_json: bool) -> None:
    """Revoke keys: the head rejects these TABLES from now on (numbers or ranges)."""
    from kiosk.link.errors import KeyFileError
    from kiosk.link.table_keys import change_keys

    known = _load(place)
    numbers = table_numbers(",".join(tables))
    missing = sorted(numbers - known.keys())
    if missing:
        text = say("{place}: no key for {missing}; kiosk keys list shows what there is")
        raise InputError(text(place=key_file(place), missing=_tables(missing)))
    with as_input_error(KeyFileError, OSError), as_owner_of(key_file(place).parent):
        change_keys(key_file(place), lambda keys: keys.without(numbers))
        for number in numbers:
            table_file(key_file(place).parent, number).unlink(missing_ok=True)
    revoked = sorted(numbers)
    print_result({"revoked": revoked}, say("revoked: {numbers}", numbers=_tables(revoked)), as_json)


def table_file(folder: Path, number: int) -> Path:
    return folder / f"table-{number}.json"


def table_numbers(text: str) -> set[int]:
    """Return the table numbers in a text such as ``1-60`` or ``3,7,10-12``.

    :raises InputError: it names no table, or has an invalid table number.
    """
    from kiosk.link.message_macs_versions_handshake import MAX_TABLE

    numbers: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isascii() and first.isdigit() and (not dash or (last.isascii() and last.isdigit()))):
            raise InputError.saying(
                "{part} is not a table number; write tables like 1-60 or 3,7,10-12", part=repr(part.strip())
            )
        low, high = int(first), int(last if dash else first)
        if not 1 <= low <= high <= MAX_TABLE:
            raise InputError.saying("tables {part}: numbers go up from 1 to {most}", part=part.strip(), most=MAX_TABLE)
        numbers |= set(range(low, high + 1))
    return numbers


def key_file(place: Path) -> Path:
    return place / HEAD_FILE if place.is_dir() else place


def _load(place: Path) -> dict[int, bytes]:
    from kiosk.link.errors import KeyFileError
    from kiosk.link.table_keys import load_keys

    with as_input_error(KeyFileError):
        return load_keys(key_file(place))


def _tables(numbers: list[int]) -> Text:
    return say_n("table {numbers}", "tables {numbers}", len(numbers), numbers=tuple(numbers))


@keys.command()
@click.argument("port")
@_place("--keys", "place")
@click.option("--tables", help="Only these tables: numbers and ranges; default: all that have a key.")
@click.option("--baud", default=115_200, show_default=True, help="As in the tables' configuration.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each table.")
def send(port: str, place: Path, tables: str | None, baud: int, as_json: bool) -> None:
    """Give tables their keys over one cable, table by table. PORT: the cable's device here, such as /dev/ttyUSB0.

    Plug the cable into a table that has no key, press both of its buttons together when its screen asks for it, wait
    for its line here, and go to the next table. A table configured with table = 0 gets the lowest free number. The
    command ends when every table has its key, or with Ctrl-C.
    """
    import asyncio

    from hardware.serial_byte_stream import PortError

    keys = _load(place)
    if tables is not None:
        wanted = table_numbers(tables)
        if missing := sorted(wanted - keys.keys()):
            text = say("--tables: no key for table {missing}; make one with kiosk keys new")
            raise InputError(text(missing=missing[0]))
        keys = {number: key for number, key in keys.items() if number in wanted}
    with as_input_error(PortError):
        asyncio.run(_send_all(port, baud, keys, as_json))


async def _send_all(port: str, baud: int, keys: Mapping[int, bytes], as_json: bool) -> None:
    """Send the keys to table after table over the cable's device, which may disappear and return while tables are
    changed.

    :raises PortError: the cable's device is missing.
    """
    import asyncio

    from hardware.serial_byte_stream import BytePort, PortError
    from kiosk.link.key_over_serial import CableError, give_next_key
    from kiosk.link.serial_framing_and_transport import SerialLine
    from kiosk.link.table_keys import check_word

    given: set[int] = set()
    last_error = ""
    device = BytePort(port, baud)
    try:
        while len(given) < len(keys):
            try:
                number = await give_next_key(SerialLine(device), keys, given)
            except CableError as error:
                if str(error) != last_error:
                    print_answer(text_of(error), err=True)
                last_error = str(error)
                continue
            except PortError:
                device.close()
                while (reopened := _reopened(port, baud)) is None:
                    await asyncio.sleep(LOOK_S)
                device = reopened
                continue
            given.add(number)
            last_error = ""
            check, left = check_word(keys[number]), len(keys) - len(given)
            if left:
                done = say("table {table} has its key (check {check}); {n} left; plug in the next")(n=left)
            else:
                done = say("table {table} has its key (check {check}); 0 left")
            answer = {"table": number, "check": check, "left": left}
            print_result(answer, done(table=number, check=check), as_json)
    finally:
        device.close()


def _reopened(port: str, baud: int) -> BytePort | None:
    """Return the device; None while it is not plugged in."""
    from hardware.serial_byte_stream import BytePort, PortError

    with suppress(PortError):
        return BytePort(port, baud)
    return None


@keys.command()
@click.option("--config", "config_file", required=True, type=PATH, help="The table's TOML file.")
def forget(config_file: Path) -> None:
    """Delete this table's key, so that it asks for another one. Its games stay. Restart the table afterwards."""
    from kiosk.table.table_config import TableConfig
    from kiosk.typed_toml_reader import read_toml

    head = read_toml(config_file, TableConfig).head
    no_key = say("{config_file}: this table has no key; when it starts, it asks for one", config_file=config_file)
    if head is None:
        raise InputError(no_key)
    with (
        raised_as(InputError, say("{key_file}: {why}; run this with sudo", key_file=head.key_file), OSError),
        raised_as(InputError, no_key, FileNotFoundError),
    ):
        head.key_file.unlink()
    text = say("{key_file} is gone; restart the table: sudo systemctl restart othello-table")
    print_answer(text(key_file=head.key_file))


@keys.command()
def pin() -> None:
    """Choose the arbiter's PIN and print the line for a table's configuration."""
    from kiosk.table.arbiter.arbiter_controller import PinFormatError, hash_pin

    figures, again = (
        click.prompt(render(asked, terminal_language()), hide_input=True, err=True)
        for asked in (say("PIN"), say("PIN, once more"))
    )
    if figures != again:
        raise InputError.saying("the two PINs differ; nothing was made")
    with as_input_error(PinFormatError):
        made = hash_pin(figures)
    click.echo(f'[arbiter]\npin = "{made}"\npin_digits = {len(figures)}')
