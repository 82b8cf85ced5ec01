"""Tests of ``kiosk keys`` as an organiser uses it: many keys at once, listed without being shown, rotated, revoked."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from commands.called import Cli

from kiosk.cli import app
from kiosk.errors import InputError
from kiosk.link.table_keys import KeyRing, load_key, load_keys


def test_sixty_keys_are_made_at_once_and_never_shown(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "boot" / "keys"
    code, out, err = cli("keys", "new", "--tables", "1-60", "--out", folder)
    assert (code, err) == (0, "")
    known = load_keys(folder / "keys.json")
    assert sorted(known) == list(range(1, 61))
    for number, key in known.items():
        path = folder / f"table-{number}.json"
        assert load_keys(path) == {number: key}
        assert path.stat().st_mode & 0o777 == 0o600
    assert len(list(folder.iterdir())) == 61
    tables = cli.json("keys", "list", "--keys", folder)["tables"]
    assert [table["table"] for table in tables] == list(range(1, 61))
    assert len({table["check"] for table in tables}) == 60
    _, plain, _ = cli("keys", "list", "--keys", folder / "table-7.json")
    assert plain == f"table 7\tcheck {tables[6]['check']}\n"
    assert not any(key.hex()[:8] in out + str(tables) + plain for key in known.values())


def test_a_key_is_replaced_only_when_asked(cli: Cli, tmp_path: Path) -> None:
    cli("keys", "new", "--tables", "1-3", "--out", tmp_path)
    before = load_keys(tmp_path / "keys.json")
    assert "table 3 already" in cli.refused("keys", "new", "--tables", "3,5", "--out", tmp_path)
    assert load_keys(tmp_path / "keys.json") == before
    assert cli("keys", "new", "--tables", "3,5", "--out", tmp_path, "--rotate")[0] == 0
    after = load_keys(tmp_path / "keys.json")
    assert sorted(after) == [1, 2, 3, 5]
    assert (after[1], after[2]) == (before[1], before[2])
    assert after[3] == load_key(tmp_path / "table-3.json", 3) != before[3]


def test_a_running_head_rejects_a_revoked_key(cli: Cli, tmp_path: Path) -> None:
    cli("keys", "new", "--tables", "1-5", "--out", tmp_path)
    ring = KeyRing(tmp_path / "keys.json")
    assert ring.get(4) is not None
    assert cli.json("keys", "revoke", "4", "1-2", "--keys", tmp_path) == {"revoked": [1, 2, 4]}
    assert [ring.get(number) is not None for number in range(1, 6)] == [False, False, True, False, True]
    assert not (tmp_path / "table-4.json").exists()
    (tmp_path / "keys.json").write_text("spoiled")
    assert ring.get(3) is not None, "a bad file changes nothing"
    assert "no key for table 9" in cli.refused("keys", "revoke", "9", "--keys", tmp_path / "table-3.json")


def test_a_key_in_a_folder_that_cannot_be_searched_is_forgotten_only_with_sudo(cli: Cli, tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    text = 'table = 7\ndata = "."\n[head]\nserial = "/dev/null"\nkey_file = "{}"\n'
    table.write_text(text.format(tmp_path / "key.json"))
    assert "has no key" in cli.refused("keys", "forget", "--config", table)
    table.write_text(text.format("k" * 300))  # an error of the system, as without the right to search the folder
    assert "run this with sudo" in cli.refused("keys", "forget", "--config", table)


@pytest.mark.parametrize("tables", ["", "0", "5-3", "a", "1-", "-4", "1-70000", "1..4", "٣"])
def test_an_invalid_table_number_is_refused(cli: Cli, tmp_path: Path, tables: str) -> None:
    cli.refused("keys", "new", f"--tables={tables}", "--out", tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("again", ["135791", "135792"])
def test_a_pin_is_asked_for_twice_in_the_language_of_the_terminal(again: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    told = CliRunner().invoke(app, ["keys", "pin"], input=f"135791\n{again}\n")
    assert "もう一度" in told.stderr and "Repeat" not in told.stderr
    if again == "135791":
        assert 'pin = "$argon2id$' in told.stdout and "pin_digits = 6" in told.stdout
    else:
        assert isinstance(told.exception, InputError) and "argon2id" not in told.stdout
