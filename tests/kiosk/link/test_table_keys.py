"""Tests of key files: saved, loaded, changed by two programs, invalid."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest

from kiosk.link import key_over_serial
from kiosk.link.errors import KeyFileError
from kiosk.link.key_over_serial import CableError, ask_for_key, give_next_key
from kiosk.link.serial_framing_and_transport import CHALLENGE_REQUEST, SerialLine
from kiosk.link.table_keys import MAX_RETIRED, KeyRing, change_keys, load_key, load_keys, new_keys, read_keys, save_keys


def test_keys_are_saved_and_loaded_and_only_the_owner_can_read_them(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    keys = new_keys(range(1, 501))
    save_keys(path, keys)
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_keys(path) == keys
    assert len(set(keys.values())) == 500
    assert {len(key) for key in keys.values()} == {32}
    assert load_key(path, 500) == keys[500]
    assert [each.name for each in tmp_path.iterdir()] == ["keys.json"]


def written(path: Path, keys: object, schema: str = "othello-keys/1", mode: int = 0o600) -> Path:
    path.write_text(json.dumps({"schema": schema, "keys": keys}), encoding="utf-8")
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"0": "00" * 32}, "'0' is not a table number"),
        ({"01": "00" * 32}, "'01' is not a table number"),
        ({"x": "00" * 32}, "'x' is not a table number"),
        ({"70000": "00" * 32}, "'70000' is not a table number"),
        ({"1": "00" * 31}, "the key of table 1 is not 64 hexadecimal digits"),
        ({"1": "zz" * 32}, "the key of table 1 is not 64 hexadecimal digits"),
        ({"1": 5}, "not a key file"),
        ([], "not a key file"),
    ],
)
def test_an_invalid_key_file_is_reported_in_one_sentence(tmp_path: Path, keys: object, sentence: str) -> None:
    path = written(tmp_path / "k", keys)
    with pytest.raises(KeyFileError, match=sentence) as caught:
        load_keys(path)
    assert str(path) in str(caught.value)
    assert "zz" not in str(caught.value)


def test_a_key_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "k", {"1": "00" * 32}, mode=0o640)
    with pytest.raises(KeyFileError, match="0640 lets others read the keys; run: chmod 600"):
        load_keys(path)


def test_a_missing_file_table_or_schema_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="No such file"):
        load_keys(tmp_path / "none")
    with pytest.raises(KeyFileError, match="no key for table 2; it has 1"):
        load_key(written(tmp_path / "k", {"1": "00" * 32}), 2)
    with pytest.raises(KeyFileError, match="schema 'othello-keys/9'"):
        load_keys(written(tmp_path / "k", {}, schema="othello-keys/9"))
    with pytest.raises(KeyFileError, match="choose a place that can be written"):
        save_keys(tmp_path / "no" / "such" / "place", {1: bytes(32)})


def test_a_replaced_key_is_retired_and_a_revoked_one_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    first, second = new_keys([7, 8]), new_keys([7])
    save_keys(path, first)
    ring = KeyRing(path)
    assert dict(ring) == first
    ring.put(7, second[7])
    assert (ring[7], ring.retired(7), ring[8], ring.retired(8)) == (second[7], (first[7],), first[8], ())
    assert read_keys(path).retired == {7: (first[7],)}
    ring.put(7, second[7])
    assert ring.retired(7) == (first[7],), "the same key again replaces nothing"
    change_keys(path, lambda keys: keys.without({7}))
    assert (ring.get(7), ring.retired(7), sorted(ring)) == (None, (), [8])
    for _ in range(20):
        ring.put(8, new_keys([8])[8])
    assert len(ring.retired(8)) == MAX_RETIRED
    assert [each.name for each in tmp_path.iterdir()] == ["keys.json"]


def test_a_file_without_replaced_keys_has_no_such_field(tmp_path: Path) -> None:
    save_keys(tmp_path / "k", {1: bytes(32)})
    assert json.loads((tmp_path / "k").read_text()) == {"schema": "othello-keys/1", "keys": {"1": "00" * 32}}


def test_two_programs_that_change_a_file_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    save_keys(path, {})
    threads = [
        threading.Thread(target=lambda n=n: change_keys(path, lambda keys: keys.with_new({n: bytes([n]) * 32})))
        for n in range(1, 30)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(load_keys(path)) == list(range(1, 30))


class Cable(SerialLine):
    """The end of a cable at which these frames arrive, one after the other."""

    def __init__(self, *frames: bytes) -> None:
        self.arriving, self.sent = [*frames][::-1], list[bytes]()

    async def receive(self) -> bytes:
        return self.arriving.pop()

    async def send(self, frame: bytes) -> None:
        self.sent.append(frame)


def test_other_frames_on_the_cable_are_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the table a key for another number is none either, and one that nobody accepts in time is asked for again; at
    the other end a request needs its exact length."""
    monkeypatch.setattr(key_over_serial, "LINGER_S", 0)
    key, saved, presses = bytes(range(32)), list[tuple[int, bytes]](), list[int]()

    async def pressed(number: int) -> None:
        presses.append(number)
        if len(presses) == 1:
            raise TimeoutError

    def given(number: int) -> bytes:
        return b"OTHg" + number.to_bytes(2, "big") + key

    table = Cable(b"noise", given(7)[:-1], given(0), given(8), given(7), given(7))
    assert asyncio.run(ask_for_key(table, 7, pressed, lambda *one: saved.append(one))) == 7
    assert saved == [(7, key)] and table.sent[:-1] == [b"OTHq\0\7"] * 6 and presses == [7, 7]
    head = Cable(b"noise", b"OTHq\0\7\0", b"OTHx\0\x08", b"OTHq\0\7", table.sent[-1])
    assert asyncio.run(give_next_key(head, {7: key}, set())) == 7
    assert head.sent == [given(7)]


@pytest.mark.parametrize(
    ("frame", "given", "sentence"),
    [
        (CHALLENGE_REQUEST, set(), "has a key already"),
        (b"OTHq\0\x09", set(), "no key for table 9; make one"),
        (b"OTHq\0\0", {1, 2}, "every key has its table"),
    ],
)
def test_a_key_that_cannot_be_given_is_reported(frame: bytes, given: set[int], sentence: str) -> None:
    with pytest.raises(CableError, match=sentence):
        asyncio.run(give_next_key(Cable(frame), {1: bytes(32), 2: bytes(32)}, given))


def test_a_table_without_a_number_gets_the_lowest_key_that_is_left() -> None:
    """A table that has its key now asks to connect until the cable is moved."""
    keys = {number: bytes([number]) * 32 for number in (7, 8, 9)}
    head = Cable(CHALLENGE_REQUEST, b"OTHq\0\0", b"OTHd" + key_over_serial.check_word(keys[8]).encode())
    assert asyncio.run(give_next_key(head, keys, {7})) == 8 and head.sent == [b"OTHg\0\x08" + keys[8]]
