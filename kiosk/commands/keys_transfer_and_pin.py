"""``kiosk keys send``, ``forget`` and ``pin``: key transfer over a cable, removal of a device's key, the arbiter's
PIN.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine.translatable_text import say, text_of
from kiosk.commands.output_helpers import print_answer
from kiosk.errors import InputError
from kiosk.locale import render, terminal_language

if TYPE_CHECKING:
    from hardware.serial_byte_stream import BytePort

LOOK_S = 0.5


@click.command()
@click.argument("port")
@click.option(
    "--keys",
    "place",
    type=click.Path(path_type=Path),
    default=Path("keys.json"),
    show_default=True,
    help="The head's key file, or its folder.",
)
@click.option("--tables", help="Only these tables: numbers and ranges. Without it: all that have a key.")
@click.option("--baud", default=115_200, show_default=True, help="As in the tables' configuration.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each table.")
def send(port: str, place: Path, tables: str | None, baud: int, as_json: bool) -> None:
    """Give tables their keys over one cable, table by table. PORT: the cable's device here, such as /dev/ttyUSB0.

    Plug the cable into a table that has no key, press both of its buttons together when its screen asks for it, wait
    for its line, go to the next table. A table whose configuration says table = 0 gets the lowest number that is left.
    Ends when every table has its key; Ctrl-C ends it before.
    """
    import asyncio

    from hardware.serial_byte_stream import PortError
    from kiosk.commands.keys import key_file, table_numbers
    from kiosk.link.errors import KeyFileError
    from kiosk.link.table_keys import load_keys

    try:
        keys = load_keys(key_file(place))
    except KeyFileError as error:
        raise InputError(text_of(error)) from error
    if tables is not None:
        wanted = table_numbers(tables)
        if missing := sorted(wanted - keys.keys()):
            raise InputError(
                say("--tables: no key for table {missing}; make one with kiosk keys new", missing=missing[0])
            )
        keys = {number: key for number, key in keys.items() if number in wanted}
    try:
        asyncio.run(_send_all(port, baud, keys, as_json))
    except PortError as error:
        raise InputError(text_of(error)) from error


async def _send_all(port: str, baud: int, keys: Mapping[int, bytes], as_json: bool) -> None:
    """Send the keys to table after table over the cable's device, which may disappear and return while tables are
    changed.

    :raises PortError: the cable's device is missing.
    """
    from hardware.serial_byte_stream import BytePort, PortError
    from kiosk.link.key_over_serial import CableError, give_next_key
    from kiosk.link.serial_line import SerialLine
    from kiosk.link.table_keys import check_word

    given: set[int] = set()
    told = ""
    device = BytePort(port, baud)
    try:
        while len(given) < len(keys):
            try:
                number = await give_next_key(SerialLine(device), keys, given)
            except CableError as error:
                if str(error) != told:
                    print_answer(text_of(error), err=True)
                told = str(error)
                continue
            except PortError:
                device.close()
                device = await _again(port, baud)
                continue
            given.add(number)
            told = ""
            _say(number, check_word(keys[number]), len(keys) - len(given), as_json)
    finally:
        device.close()


async def _again(port: str, baud: int) -> BytePort:
    """Wait for the device to be plugged in again and return it."""
    import asyncio

    from hardware.serial_byte_stream import BytePort, PortError

    while True:
        try:
            return BytePort(port, baud)
        except PortError:
            await asyncio.sleep(LOOK_S)


def _say(number: int, check: str, left: int, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"table": number, "check": check, "left": left}))
    else:
        print_answer(
            say(
                "table {table} has its key (check {check}); {n} left; plug in the next",
                table=number,
                check=check,
                n=left,
            )
            if left
            else say("table {table} has its key (check {check}); 0 left", table=number, check=check)
        )


@click.command()
@click.option("--config", "config_file", required=True, type=click.Path(path_type=Path), help="The table's TOML file.")
def forget(config_file: Path) -> None:
    """On a table: take its key away, so that it asks for another one. Its games stay. Then restart the table."""
    from kiosk.table.table_config import TableConfig
    from kiosk.toml_reader import read_toml

    head = read_toml(config_file, TableConfig).head
    if head is None or not head.key_file.exists():
        raise InputError(
            say("{config_file}: this table has no key; when it starts, it asks for one", config_file=config_file)
        )
    try:
        head.key_file.unlink()
    except OSError as error:
        raise InputError(
            say("{key_file}: {why}; run this with sudo", key_file=head.key_file, why=error.strerror or error)
        ) from error
    print_answer(
        say("{key_file} is gone; restart the table: sudo systemctl restart othello-table", key_file=head.key_file)
    )


@click.command()
def pin() -> None:
    """Choose the arbiter's PIN; prints the line for a table's file."""
    from kiosk.table.arbiter.pin_check import PinFormatError, hash_pin

    figures, again = (
        click.prompt(render(asked, terminal_language()), hide_input=True, err=True)
        for asked in (say("PIN"), say("PIN, once more"))
    )
    if figures != again:
        raise InputError(say("the two PINs differ; nothing was made"))
    try:
        made = hash_pin(figures)
    except PinFormatError as error:
        raise InputError(text_of(error)) from error
    click.echo(f'[arbiter]\npin = "{made}"\npin_digits = {len(figures)}')
