"""Tests of wrong configuration files: one sentence names the field and what is allowed, in the reader's language."""

from __future__ import annotations

from pathlib import Path

import pytest

from kiosk.errors import InputError
from kiosk.head.head_config import HeadConfig
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.table.table_config import TableConfig
from kiosk.typed_toml_reader import parse_toml, read_toml

TABLE = 'data = "d"\ntable = 7\n'
HEAD = 'data = "d"\n'


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [
        (TableConfig, TABLE + 'rules = "m44"\n', "rules: unknown rule set 'm44'; known: m43"),
        (TableConfig, TABLE + "main_s = -5\n", "main_s is -5, but allowed is: a number from 1 to 5999"),
        (TableConfig, TABLE + "main_s = 100000\n", "main_s is 100000, but allowed is: a number from 1 to 5999"),
        (TableConfig, TABLE + "[screen]\nsize = [0, 480]\n", "screen.size[0] is 0, but allowed is: a number from 240"),
        (TableConfig, TABLE + "[board]\nsize = [800]\n", "board.size is [800], but allowed is: a list of 2 values"),
        (TableConfig, 'data = "d"\ntable = 100000\n', "table is 100000, but allowed is: a number from 0 to 65535"),
        (TableConfig, 'data = "d"\ntable = -1\n', "table is -1, but allowed is: a number from 0"),
        (TableConfig, 'data = "d"\n', "the field table is missing; add it"),
        (TableConfig, TABLE + '[head]\nurl = "ws://h"\n', "the field head.key_file is missing; add it"),
        (TableConfig, TABLE + '[head]\nkey_file = "k"\n', "url, a serial device, or both"),
        (TableConfig, TABLE + '[head]\nkey_file = "k"\nserial = "s"\nbaud = 9600\n', "115200 baud or more"),
        (TableConfig, 'table = 7\ndata = ""\n', 'data is "", but allowed is: a text'),
        (TableConfig, TABLE + "[buttons]\nleft = -3\n", "buttons.left is -3, but allowed is: a number from 0"),
        (TableConfig, TABLE + "[buttons]\nlockout_ms = -1\n", "buttons.lockout_ms is -1"),
        (TableConfig, TABLE + "[buttons]\nglitch_ms = 0\n", "buttons.glitch_ms is 0, but allowed is: a number from 1"),
        (TableConfig, TABLE + "[buttons]\nglitch_ms = 30\n", "glitch_ms must be below lockout_ms"),
        (TableConfig, TABLE + "[buttons]\nstuck_s = 1\nproof_ms = 1000\n", "proof_ms below stuck_s"),
        (TableConfig, TABLE + "[board]\nsettle_ms = 2000\n", "settle_ms is 2000, but allowed is: a number from 1 to"),
        (TableConfig, TABLE + "[arbiter]\npin_digits = 9\n", "arbiter.pin_digits is 9, but allowed is: a number"),
        (TableConfig, TABLE + '[screen]\ntheme = "grey"\n', 'is "grey", but allowed is: "contrast", "dark", "light"'),
        (TableConfig, TABLE + "[screen]\nrotate = 45\n", "screen.rotate is 45, but allowed is: 0, 90, 180, 270"),
        (TableConfig, TABLE + "[screen]\nwindow = 1\n", "screen.window is 1, but allowed is: true, false"),
        (TableConfig, TABLE + '[access]\naudible = ["top"]\n', 'access.audible[0] is "top", but allowed is: "left"'),
        (TableConfig, TABLE + "[screen]\ncolour = 1\n", "there is no field screen.colour; remove it or correct"),
        (TableConfig, TABLE + 'screen = "big"\n', "allowed is: a table of fields"),
        (HeadConfig, HEAD + "port = 70000\n", "port is 70000, but allowed is: a number from 0 to 65535"),
        (HeadConfig, HEAD + '[tls]\ncertificate = "c"\nkey = "k"\nport = -1\n', "tls.port is -1"),
        (HeadConfig, HEAD + "[table]\nmain_s = 0\n", "table.main_s is 0, but allowed is: a number from 1 to 18000"),
        (HeadConfig, HEAD + "[table]\nmain_s = 1000000\n", "table.main_s is 1000000"),
        (HeadConfig, HEAD + '[table]\nrules = "m44"\n', "table: unknown rule set 'm44'; known: m43"),
        (HeadConfig, HEAD + '[table]\nrules = "m43"\n[table.options]\nnothing = 1\n', "table: "),
        (HeadConfig, HEAD + "speed = 0\n", "speed is 0, but allowed is: a number"),
        (HeadConfig, HEAD + "event = 3\n", "event is 3, but allowed is: a text"),
        (HeadConfig, 'data = "d"\n[publish]\n', "the field publish.to is missing; add it"),
        (HeadConfig, HEAD + 'baud = 9600\n', "baud is 9600"),
        (HeadConfig, HEAD + 'serial = ["a", "a"]\n', "serial names a port twice"),
        (HeadConfig, HEAD + 'proxies = ["*"]\n', "neither an address nor a network"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_one_sentence_in_both_languages(kind: type, text: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_toml(text.encode(), kind, "it.toml")
    english, japanese = (render(refused.value.text, language) for language in (ENGLISH, JAPANESE))
    assert english.startswith("it.toml: ") and says in english, english
    words = ("allowed", "missing", "Expected", "unknown", "correct", "names", "baud or")
    assert not any(word in japanese for word in words), japanese


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    """Editors of Windows write one."""
    (tmp_path / "table.toml").write_text(TABLE, encoding="utf-8-sig")
    assert read_toml(tmp_path / "table.toml", TableConfig).table == 7


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless file")
def test_no_more_of_a_file_is_read_than_settings_may_have(tmp_path: Path) -> None:
    """A device has no size, and a file of 100 MB took minutes."""
    long = tmp_path / "table.toml"
    long.write_text(TABLE + "# x\n" * 300_000, encoding="utf-8")
    for path in (long, Path("/dev/zero")):
        with pytest.raises(InputError, match=f"{path} is larger than 1 MB; name another file"):
            read_toml(path, TableConfig)
