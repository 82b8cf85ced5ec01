"""FAULTS.md 18: every decoder answers damaged and random input with its own error.

The long form takes ten minutes, shared by all decoders. Messages of a key holder are fed in behind the authentication.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import msgspec
import pytest
from faults.mutations import mutated_bytes, mutated_value
from heads.world import PlayedTable, event
from links.world import record
from simulate.storage_faults import FaultyStorage
from waiting import HANGS_S

from engine.match.match_value_types import MatchError
from engine.tournament.event_model import TournamentError
from hardware.sensor_board_protocol import (
    BoardRequest,
    Heartbeat,
    Identity,
    IdentityRequest,
    SensorFrame,
    from_board,
    from_table,
    to_line,
)
from hardware.serial_line_framing_and_reader import LineSplitter, decode_line
from kiosk.errors import InputError
from kiosk.head.head_config import HeadConfig
from kiosk.head.store import Store, StoredRecord
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.link import link_messages
from kiosk.link.errors import KeyFileError, MessageError, RemoteProtocolError
from kiosk.link.game_replay_and_event_encoding import event_from_dict
from kiosk.link.link_messages import Assignment, Command, Health, ResultCard, TableRecord
from kiosk.link.link_session import HeadSession, TableSession
from kiosk.link.link_states_and_checked_envelopes import Type, decode_envelope, encode_envelope
from kiosk.link.message_macs_versions_handshake import MAX_FRAME
from kiosk.link.serial_framing_and_transport import Unframer, encode_frame
from kiosk.link.table_keys import load_keys, new_keys, save_keys
from kiosk.records import event_file
from kiosk.table.journal.journal_storage_and_sd_card_alarms import JournalError
from kiosk.table.journal.segment_files_and_recovery import (
    JournalEntry,
    encode_entry,
    frame,
    new_header,
    read_segment,
    recover,
)
from kiosk.table.table_assembly import build_table
from kiosk.table.table_config import ScreenConfig, TableConfig
from kiosk.typed_toml_reader import read_toml

T = TypeVar("T")
KEYS = {1: bytes(32)}
LONG_S = 600


@dataclass
class DecoderInput:
    """Seeds for a decoder, its permitted errors, and how often it accepted and refused input."""

    accepted: int = 0
    refused: int = 0
    errors: tuple[type[Exception], ...] = ()
    seeds: list[Any] = field(default_factory=list)
    takes_all: bool = False

    def feed(self, decoder: Callable[[Any], object], value: Any) -> None:
        try:
            decoder(value)
        except self.errors:
            self.refused += 1
        else:
            self.accepted += 1


def frames(tmp_path: Path) -> Iterator[tuple[DecoderInput, Callable[[Any], object]]]:
    """Yield the decoders of frames, for a sender who knows the nonces of a new connection."""
    nonce = bytes(32)
    table, head = TableSession(1, "epoch", KEYS[1], nonce), HeadSession(KEYS.get, nonce)
    to_table = head.outgoing()
    table.receive(to_table[0])
    to_head = table.outgoing()
    head.receive(to_head[0])
    head.welcome(0)
    to_table += head.outgoing()
    table.receive(to_table[1])
    table.send_records([record(1), record(2)])
    table.ping(Health())
    to_head += table.outgoing()
    errors = (RemoteProtocolError,)
    yield DecoderInput(errors=errors, seeds=to_head), lambda data: HeadSession(KEYS.get, nonce).receive(data)
    yield DecoderInput(errors=errors, seeds=to_table), lambda data: TableSession(1, "e", KEYS[1], nonce).receive(data)


def envelopes(tmp_path: Path) -> Iterator[tuple[DecoderInput, Callable[[Any], object]]]:
    """Yield the decoder of envelopes, for another program with the key."""
    bodies: dict[Type, Any] = {
        Type.RECORDS: [record(1), record(2)], Type.COMMAND: Command("c", "hold", "g", 3, 60, {"reason": "x"}),
        Type.PING: Health("g", "TURN", 3), Type.HELLO: None, Type.ACK: None,
    }  # fmt: skip
    seeds = [encode_envelope(1, "epoch", 2, kind, body) for kind, body in bodies.items()]
    yield DecoderInput(errors=(RemoteProtocolError,), seeds=seeds), decode_envelope


def cobs_frames(tmp_path: Path) -> Iterator[tuple[DecoderInput, Callable[[Any], object]]]:
    line = Unframer()

    def feed(data: bytes) -> None:
        for found in line.feed(data):
            assert 0 < len(found) <= MAX_FRAME + 4
        assert len(line._rest) <= 2 * MAX_FRAME

    yield DecoderInput(seeds=[encode_frame(b"x"), encode_frame(bytes(300)), encode_frame(os.urandom(2000)) * 3]), feed


def journals(tmp_path: Path) -> Iterator[tuple[DecoderInput, Callable[[Any], object]]]:
    start, seed = new_header("epoch", 1)
    entries = [JournalEntry(n, n, "event", {"n": n, "text": "é" * n}, n - 1) for n in range(1, 12)]
    segment = start + b"".join(frame(encode_entry(entry), seed) for entry in entries)
    versions = DecoderInput(errors=(JournalError,), seeds=[segment], takes_all=True)
    yield versions, lambda data: read_segment("1.journal", data)

    def read(data: bytes) -> None:
        storage, cut = FaultyStorage(), len(data) // 2
        for name, part in (("00000001.journal", data), ("00000003.journal", data[cut:]), ("00000004.journal", segment)):
            storage.create(Path("/j") / name).write(part)
        found = recover(Path("/j"), storage)
        assert [entry.seq for entry in found.entries] == list(range(1, len(found.entries) + 1))

    yield DecoderInput(errors=(JournalError,), seeds=[segment], takes_all=True), read

    def whole_frames(body: Any) -> None:  # valid checksums around arbitrary content
        payload = msgspec.msgpack.encode(body)
        read_segment("1.journal", start + frame(payload, seed))
        read_segment("1.journal", b"OTHELLO\n" + frame(payload, 0) + frame(payload, seed))

    header = {"format": 1, "epoch": "e", "segment": 1, "salt": b"12345678", "afresh": False}
    bodies = [header, [1, 2, "event", {"n": 1}, 0], [3, 2, "tick", {}, 3], [3, 2, "ack", {}, 3]]
    yield DecoderInput(errors=(JournalError, TypeError, OverflowError, UnicodeEncodeError), seeds=bodies), whole_frames


def sensor_lines(tmp_path: Path) -> Iterator[tuple[DecoderInput, Callable[[Any], object]]]:
    splitter = LineSplitter()

    def feed(data: bytes) -> None:
        for line in splitter.feed(data):
            if (payload := decode_line(line)) is not None:
                from_board(payload, 0)
                from_table(payload)

    messages = (
        Identity(1, "fw-1", 8, 8),
        SensorFrame(7, 3, 40, "-XO?" * 16, 0),
        Heartbeat(7, 1000),
        BoardRequest(9),
        IdentityRequest(),
    )
    yield DecoderInput(seeds=[to_line(message) for message in messages]), feed
    payloads = [to_line(message).rsplit(b"*")[0] for message in messages]
    yield DecoderInput(seeds=payloads), lambda data: from_board(data.decode("latin-1"), 0)


def event_files(tmp_path: Path) -> Iterator[tuple[DecoderInput, Callable[[Any], object]]]:
    seed = event(8)
    score = {"winner": "black", "black_discs": 40, "white_discs": 24}
    seed["rounds"] = [{"round": 1, "games": [{"black": f"p{n}", "white": f"p{n + 4}", **score} for n in range(1, 5)]}]
    seeds = [seed, event(4, "m40-open"), event(8, "round-robin")]

    def again(data: Any) -> None:
        found = event_file.from_dict(data)
        assert event_file.to_dict(event_file.from_dict(event_file.to_dict(found))) == event_file.to_dict(found)

    yield DecoderInput(errors=(TournamentError,), seeds=seeds), again


def _played_records() -> list[TableRecord]:
    """Return the records of a whole game, as a table sends them."""

    class Nobody:
        def commit(self, table: int, epoch: str, records: list[TableRecord]) -> int:
            return records[-1].seq

    player = PlayedTable(1, Nobody())
    players = [link_messages.PlayerInfo("p1", "A"), link_messages.PlayerInfo("p2", "B")]
    player.begin(Assignment("g1", "e", "open", 1, 1, "m43", "league", "予選", "League", 1200, True, players))
    player.play(4)
    player.slip()
    player.finish()
    return player.sent


def match_events(tmp_path: Path) -> Iterator[tuple[DecoderInput, Callable[[Any], object]]]:
    seeds = [record.body["event"] for record in _played_records() if record.type == "event"]
    orders = [
        {"type": "arbiter", "at_ns": 1, "action": action, "reason": "x", "detail": {"black_s": 1, "white_s": 2}}
        for action in ("resume", "set_time", "result")
    ]

    def read(body: Any) -> None:
        event_from_dict(body if isinstance(body, dict) else {"type": body})

    yield DecoderInput(errors=(MatchError,), seeds=[*seeds, *orders]), read


def message_bodies(tmp_path: Path) -> Iterator[tuple[DecoderInput, Callable[[Any], object]]]:
    bodies = {record.type: record.body for record in _played_records()}
    for kind, seed in (
        (link_messages.Assigned, bodies["assigned"]),
        (ResultCard, bodies["card"]),
        (Health, {"game": "g"}),
    ):
        inputs = DecoderInput(errors=(MessageError,), seeds=[seed])
        yield inputs, lambda body, kind=kind: link_messages.from_dict(kind, body)  # type: ignore[misc]


def live_tables(tmp_path: Path) -> Iterator[tuple[DecoderInput, Callable[[Any], object]]]:
    """Yield the head's live state of a table with a key and another program; its records are stored."""
    store = Store(tmp_path / "head")
    clock = _Still()
    live, seq = LiveTables(store, [1], clock), [0]
    seeds = [{"type": record.type, "body": record.body} for record in _played_records()]

    def collect(value: Any) -> None:
        for each in (seeds[0], seeds[1], value, *seeds[2:4], value):
            seq[0] += 1
            found = over_the_wire(TableRecord, {"seq": seq[0], **each} if isinstance(each, dict) else each)
            body = json.loads(json.dumps(found.body))  # as the store returns it
            live.collect([StoredRecord(seq[0], 1, "e", seq[0], found.type, body)])
        live.views()

    yield DecoderInput(errors=(ValueError, TypeError), seeds=seeds), collect
    store.close()


class _Still:
    def now_ns(self) -> int:
        return 10**12

    def real_s(self, duration_ns: int) -> float:
        return 0.0


def commands_to_a_table(tmp_path: Path) -> Iterator[tuple[DecoderInput, Callable[[Any], object]]]:
    """Yield a table's loop, which must survive all commands of a head with the key and another program."""
    config = TableConfig(table=1, data=Path("/t"), screen=ScreenConfig(enabled=False))
    config.buttons.factory = "none"
    table = build_table(config, storage=FaultyStorage())
    loop = threading.Thread(target=table.run)
    loop.start()
    players = [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]
    assign = {
        "game": "g1", "event": "e", "division": "open", "round": 1, "table": 1, "rules": "m43", "stage": "league",
        "label_ja": "予選", "label_en": "League", "main_s": 600, "designated": True, "players": players, "options": {},
    }  # fmt: skip
    actions: tuple[dict[str, Any], ...] = (
        {"action": "resume", "reason": "x"},
        {"action": "set_time", "black_s": 6, "white_s": 1, "reason": "x"},
        {"action": "result", "winner": "white", "black_discs": 20, "white_discs": 44, "reason": "x"},
    )
    seeds = [{"id": "c", "kind": "assign", "game": "g1", "body": assign}, {"id": "c", "kind": "hold", "game": "g1"}]
    seeds += [{"id": "c", "kind": "arbiter", "game": None, "body": body} for body in actions]
    count = [0]

    def order(value: Any) -> None:
        count[0] += 1
        command = over_the_wire(Command, value)
        table.program.inbox.put(msgspec.structs.replace(command, id=f"{command.id}{count[0]}"))
        while table.program.inbox.qsize() > 100:
            assert loop.is_alive()
            time.sleep(0.001)
        assert loop.is_alive()

    yield DecoderInput(errors=(ValueError,), seeds=seeds), order
    time.sleep(0.1)
    assert loop.is_alive()
    table.stop()
    loop.join(HANGS_S)


def over_the_wire(kind: type[T], value: Any) -> T:
    """Return a value as the other side's decoder returns it.

    :raises ValueError: msgpack cannot encode it, or it is not accepted
    """
    try:
        return msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=kind)
    except (TypeError, OverflowError) as error:
        raise ValueError from error


def files(tmp_path: Path) -> Iterator[tuple[DecoderInput, Callable[[Any], object]]]:
    place = tmp_path / "file"
    tmp_path.mkdir(exist_ok=True)

    def put(data: bytes) -> Path:
        place.write_bytes(data)
        place.chmod(0o600)
        return place

    save_keys(place, new_keys([1, 2, 3]))
    yield DecoderInput(errors=(KeyFileError,), seeds=[place.read_bytes()]), lambda data: load_keys(put(data))
    head = b'data = "d"\nkeys = "k.json"\nhost = "127.0.0.1"\nport = 80\n[table]\nrules = "m43"\nmain_s = 1200\n'
    table = b'table = 3\ndata = "d"\n[head]\nurl = "ws://h/link"\nkey_file = "k"\n[buttons]\nleft = 17\n'
    yield DecoderInput(errors=(InputError,), seeds=[head]), lambda data: read_toml(put(data), HeadConfig)
    yield DecoderInput(errors=(InputError,), seeds=[table]), lambda data: read_toml(put(data), TableConfig)


DECODERS = (
    frames, envelopes, cobs_frames, journals, sensor_lines, event_files, match_events, message_bodies, live_tables,
    commands_to_a_table, files,
)  # fmt: skip


@pytest.mark.fault(18, "decoders fuzzed, {seconds} s each: {name}")
@pytest.mark.parametrize("decoders", DECODERS, ids=lambda decoders: decoders.__name__)
def test_every_decoder_raises_only_its_own_errors(
    decoders: Callable[[Path], Iterator[tuple[DecoderInput, Callable[[Any], object]]]],
    tmp_path: Path,
    times: Callable[[int, int], int],
    record_property: Callable[[str, object], None],
) -> None:
    seconds, tried = times(0, LONG_S) / len(DECODERS), 0
    targets = len(list(decoders(tmp_path / "count"))) if decoders is not commands_to_a_table else 1
    for number, (inputs, decode) in enumerate(decoders(tmp_path)):
        random = Random(18_000 + number)
        for seed in inputs.seeds:
            inputs.feed(decode, seed)
        assert inputs.accepted, "the seeds are what it should take"
        end_s, least = time.monotonic() + seconds / targets, 200
        while least > 0 or time.monotonic() < end_s:
            least -= 1
            seed, other = random.choice(inputs.seeds), random.choice(inputs.seeds)
            if isinstance(seed, bytes):
                inputs.feed(decode, mutated_bytes(seed, other, random))
            else:
                inputs.feed(decode, mutated_value(seed, random))
        assert inputs.refused or inputs.takes_all or not inputs.errors
        tried += inputs.accepted + inputs.refused
    record_property("tried", tried)
    record_property("seconds", round(seconds))
    record_property("name", decoders.__name__.replace("_", " "))


def test_an_event_file_that_is_no_json_is_refused(tmp_path: Path) -> None:
    from kiosk.head.desk.tournament_and_divisions import read_event

    random, seed = Random(18), json.dumps(event(4), ensure_ascii=False).encode()
    for _ in range(300):
        (tmp_path / "event.json").write_bytes(mutated_bytes(seed, seed, random))
        with contextlib.suppress(InputError):
            read_event(tmp_path / "event.json")
    (tmp_path / "event.json").write_bytes(b"[" * 100_000)
    with pytest.raises(InputError, match="not JSON"):
        read_event(tmp_path / "event.json")
