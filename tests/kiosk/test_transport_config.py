"""Tests of the configuration of transports at a table and at a head."""

from __future__ import annotations

from pathlib import Path

import pytest

from kiosk.head.head_config import HeadConfig
from kiosk.input_errors_and_missing_extras import InputError
from kiosk.table.table_config import TableConfig
from kiosk.typed_toml_reader import read_toml


def table(path: Path, lines: str) -> TableConfig:
    file = path / "table.toml"
    file.write_text(f'table = 7\ndata = "d"\n[head]\nkey_file = "k"\n{lines}', encoding="utf-8")
    return read_toml(file, TableConfig)


def test_a_table_names_the_network_a_cable_or_both(tmp_path: Path) -> None:
    for lines in ('url = "ws://h/link"', 'serial = "/dev/ttyUSB0"', 'url = "ws://h/link"\nserial = "/dev/ttyUSB0"'):
        head = table(tmp_path, lines).head
        assert head is not None
        assert head.baud == 115_200
    with pytest.raises(InputError, match="url, a serial device, or both"):
        table(tmp_path, "")
    with pytest.raises(InputError, match="115200 baud or more"):
        table(tmp_path, 'serial = "/dev/ttyUSB0"\nbaud = 9600')


def test_a_head_names_each_port_once(tmp_path: Path) -> None:
    file = tmp_path / "head.toml"
    file.write_text('data = "d"\nkeys = "k"\nserial = ["/dev/a", "/dev/b"]\nbaud = 921600\n', encoding="utf-8")
    config = read_toml(file, HeadConfig)
    assert (config.serial, config.baud) == (["/dev/a", "/dev/b"], 921_600)
    file.write_text('data = "d"\nkeys = "k"\nserial = ["/dev/a", "/dev/a"]\n', encoding="utf-8")
    with pytest.raises(InputError, match="twice"):
        read_toml(file, HeadConfig)


def test_an_unknown_rule_set_of_a_head_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "head.toml"
    file.write_text('data = "d"\n[table]\nrules = "team"\n', encoding="utf-8")
    assert read_toml(file, HeadConfig).table.rules == "team"
    file.write_text('data = "d"\n[table]\nrules = "m44"\n', encoding="utf-8")
    with pytest.raises(InputError, match="table: unknown rule set 'm44'; known: m43, "):
        read_toml(file, HeadConfig)
