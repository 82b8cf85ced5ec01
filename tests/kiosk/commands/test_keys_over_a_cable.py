"""Tests of ``kiosk keys send`` to several tables over one cable: two real programs, connected by a pair of ptys."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from commands.called import Cli
from devices.faulty_cable import FaultyCable
from waiting import HANGS_S, until

from kiosk.link.endpoints.table_key_acquisition import KeyAcquisition
from kiosk.link.table_keys import check_word, load_keys, new_keys, save_keys
from kiosk.table.device.table_identity_and_takeover import become_table
from kiosk.table.scene import SceneText
from kiosk.table.views.enrolment_view import EnrolmentViewModel, enrolment_scene

KIOSK = [sys.executable, "-c", "from kiosk.cli import main; main()"]


def receive(folder: Path, device: str, wish: int) -> dict[int, bytes]:
    """Run a table without a key at the end of the cable until it has one."""
    save = lambda given: become_table(folder, folder / "key.json", given)  # noqa: E731
    waiter = KeyAcquisition("", device, 115_200, wish, "", save, lambda: None)
    waiter.start()
    until(lambda: waiter.view.cable)
    assert not (folder / "key.json").exists() and not waiter.view.done, "nobody has pressed yet"
    assert wish in (0, waiter.view.cable)
    waiter.agree()
    until(lambda: waiter.view.done)
    waiter.stop()
    return load_keys(folder / "key.json")


def test_three_tables_get_their_keys_over_one_cable(tmp_path: Path) -> None:
    keys = new_keys([3, 4, 7])
    save_keys(tmp_path / "keys.json", keys)
    with closing(FaultyCable()) as wire:
        sender = subprocess.Popen(
            [*KIOSK, "keys", "send", wire.left, "--keys", str(tmp_path), "--json"], stdout=subprocess.PIPE, text=True
        )
        try:
            assert receive(tmp_path / "spare", wire.right, 0) == {3: keys[3]}
            assert receive(tmp_path / "seven", wire.right, 7) == {7: keys[7]}
            assert receive(tmp_path / "other", wire.right, 0) == {4: keys[4]}
            out, _ = sender.communicate(timeout=HANGS_S)
        finally:
            sender.kill()
    told = [json.loads(line) for line in out.splitlines()]
    assert [(line["table"], line["left"]) for line in told] == [(3, 2), (7, 1), (4, 0)]
    assert [line["check"] for line in told] == [check_word(keys[n]) for n in (3, 7, 4)]
    assert sender.returncode == 0
    assert not any(key.hex() in out for key in keys.values())


def test_a_key_that_cannot_be_sent_is_an_error(cli: Cli, tmp_path: Path) -> None:
    assert "No such file" in cli("keys", "send", "/dev/null", "--keys", tmp_path / "none")[2]
    save_keys(tmp_path / "keys.json", new_keys([1]))
    assert "no key for table 2" in cli("keys", "send", "x", "--keys", tmp_path, "--tables", "1-3")[2]
    assert "no-device" in cli.refused("keys", "send", tmp_path / "no-device", "--keys", tmp_path)


def test_a_table_forgets_its_key(cli: Cli, tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(
        f'table = 7\ndata = "{tmp_path}"\n[head]\nurl = "ws://h/link"\nkey_file = "{tmp_path}/key.json"\n'
    )
    save_keys(tmp_path / "key.json", new_keys([7]))
    code, out, _ = cli("keys", "forget", "--config", config)
    assert code == 0 and "restart the table" in out
    assert not (tmp_path / "key.json").exists()
    assert "has no key" in cli("keys", "forget", "--config", config)[2]


def test_the_screen_names_the_table_that_it_becomes() -> None:
    scene = enrolment_scene(EnrolmentViewModel(0, "head", code="123456", becomes=7, cable=True), (800, 480))
    words = [item.text for panel in scene.panels for item in panel.items if isinstance(item, SceneText)]
    assert any("this becomes table 7" in text for text in words)
    assert not any(item.name == "code" for panel in scene.panels for item in panel.items)
