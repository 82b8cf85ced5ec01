"""Tests of messages between programs of different versions: link, updates and federation.

``messages_november_2026.json`` has the messages of the programs of November 2026, which reject unknown fields on the
link and at the federation: version 2 of the link, version 1 of the federation's rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.board.color import Color
from engine.match.match_events_and_effects import DeclareEnd
from kiosk.head.errors import HeadError
from kiosk.head.federation import push_protocol as rows
from kiosk.head.federation.player_list_transfer import ListHeader
from kiosk.head.federation.received_venue_broadcasts import BroadcastPush, BroadcastReply
from kiosk.head.tables.live_game_json_and_document_cache import Index
from kiosk.link import link_messages, message_macs_versions_handshake
from kiosk.link.enrolment import ControlMessage, Grant
from kiosk.link.errors import RemoteProtocolError
from kiosk.link.game_replay_and_event_encoding import event_from_dict, event_to_dict
from kiosk.link.link_messages import from_dict, to_dict
from kiosk.link.link_session import HeadSession, TableSession
from kiosk.link.link_states_and_checked_envelopes import Type, decode_envelope
from kiosk.link.message_macs_versions_handshake import VersionRange, read_message
from kiosk.update import table_update_and_diagnostics_messages as updates
from kiosk.update.table_update_and_diagnostics_messages import HeadReply, SignedRequest, TableReport

GOLDEN: dict[str, Any] = json.loads(Path(__file__).with_name("messages_november_2026.json").read_text())
KEY, HEAD_NONCE, TABLE_NONCE = bytes(range(32)), b"h" * 16, b"t" * 16


def golden(name: str) -> bytes:
    return bytes.fromhex(GOLDEN[name])


# --- messages of November 2026 --------------------------------------------------------------------------------------


def test_a_new_table_connects_to_a_head_of_november() -> None:
    """It answers the old challenge in the old version, byte for byte, and reads all messages of the old head."""
    table = TableSession(3, "epoch-1", KEY, TABLE_NONCE)
    table.receive(golden("challenge"))
    assert table.outgoing() == [golden("hello")]
    table.receive(golden("welcome"))
    (record,) = _old_records()
    table.send_records([record])
    assert table.outgoing() == [golden("records")]
    table.receive(golden("ack"))
    (heard,) = table.receive(golden("command"))
    assert heard.command.game == "g1"  # type: ignore[union-attr]
    table.ping(link_messages.Health(game="g1", last_seq=1, troubles=[]))
    for pong in GOLDEN["pongs"]:
        table.receive(bytes.fromhex(pong))


def test_a_new_head_serves_a_table_of_november(monkeypatch: pytest.MonkeyPatch) -> None:
    """The old table chooses version 2 of the offered range; the head then sends the old bytes."""
    head = HeadSession({3: KEY}.get, HEAD_NONCE)
    monkeypatch.setattr(TableSession, "versions", VersionRange(2, 2))
    table = TableSession(3, "epoch-1", KEY, TABLE_NONCE)
    (challenge,) = head.outgoing()
    assert message_macs_versions_handshake.AuthChallenge.decode(challenge).versions == VersionRange(2, 3)
    table.receive(challenge)
    (hello,) = table.outgoing()
    assert message_macs_versions_handshake.Hello.decode(hello)[0].version == 2
    head.receive(hello)
    head.welcome(0)
    assert [_payload(frame) for frame in head.outgoing()] == [_payload(golden("welcome"))]
    table.receive(challenge)
    table.close()


def _old_records() -> list[link_messages.TableRecord]:
    _, records = decode_envelope(_payload(golden("records")))
    return list(records)


def _payload(frame: bytes) -> bytes:
    return frame[message_macs_versions_handshake.SEAL_BYTES :]


def test_reports_and_replies_of_november_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """An update reaches tables of any version: the seals and the layout of both frames are the old ones."""
    told = updates.read_request(golden("question")).verify_report(KEY)
    assert (told.version, told.offer, told.done, told.versions) == ("1.0.0", "o1", 5, (1, 1))
    monkeypatch.setattr(updates.secrets, "token_bytes", lambda n: TABLE_NONCE)
    question = SignedRequest(3, KEY, b"k" * 16, TableReport("1.0.0"))
    reply = question.verify_reply(golden("answer"))
    assert reply.offer is not None and reply.offer.version == "1.1.0" and reply.piece == b"xy"
    at = updates._HEAD.size - 32
    assert question.frame[:at] == golden("question")[:at]
    old_fields = {"version", "stage", "offer", "done", "why", "rests", "takes", "want", "report"}
    assert msgspec.msgpack.decode(question.frame[updates._HEAD.size :]).keys() >= old_fields


def test_rows_and_answers_of_november_are_read() -> None:
    """A new federation reads an old venue's push, and a new venue the old federation's answer."""
    push = rows.read_push(golden("push"))
    assert push.events[0].kind == "note" and push.records[0].arrival == 7
    assert rows.sealed_by("osaka", KEY, golden("push")).items() >= GOLDEN["push_seal"].items()
    answer = rows.read_sealed(KEY, push.nonce, golden("push_answer"), GOLDEN["push_answer_seal"], rows.PushResponse)
    assert answer.ticket == "tick" and answer.other is not None and answer.other.last == 5
    rows.read_sealed(KEY, "n" * 32, golden("broadcast_answer"), GOLDEN["broadcast_answer_seal"], BroadcastReply)
    assert msgspec.msgpack.decode(golden("broadcast"), type=BroadcastPush).venue == "osaka"


def test_new_rows_are_read_by_programs_of_november() -> None:
    """Those reject unknown fields, so they are sent none."""
    push, answer = rows.read_push(golden("push")), msgspec.msgpack.decode(golden("push_answer"), type=rows.PushResponse)
    assert msgspec.msgpack.encode(push) == golden("push")
    assert msgspec.msgpack.encode(answer) == golden("push_answer")


# --- a field that this version does not know --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        link_messages.Assigned, link_messages.Command, link_messages.Configuration, link_messages.Health,
        link_messages.ResultCard, link_messages.ArbiterScreenEvent, link_messages.TableRecord, Grant, ControlMessage,
        TableReport, HeadReply, rows.Push, rows.PushResponse, BroadcastPush, BroadcastReply, ListHeader, Index,
    ],
)  # fmt: skip
def test_an_unknown_field_is_ignored(message: type[msgspec.Struct]) -> None:
    """A later version may add a field to any message."""
    body = _example(message)
    assert msgspec.convert({**body, "added later": [1]}, message) == msgspec.convert(body, message)


def _example(message: type[msgspec.Struct]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for field in msgspec.structs.fields(message):
        if not field.required:
            continue
        told[field.encode_name] = b"x" if field.type is bytes else _EXAMPLES.get(field.name, "x")
    return told


_EXAMPLES: dict[str, Any] = {
    "assignment": to_dict(from_dict(link_messages.Assigned, _old_records()[0].body).assignment),
    "has_board_source": False,
    "kind": "assign", "act": "opened", "winner": "draw", "black_discs": 32, "white_discs": 32, "rated": True, "seq": 1,
    "type": "card", "body": {}, "table": 3, "waiting": 0, "events": 0, "records": [], "number": 1,
    "now_ms": 1, "every_ms": 500, "slots": {}, "games": [], "version": "1",
}  # fmt: skip


def test_an_unknown_field_of_the_envelope_and_of_its_body_is_ignored() -> None:
    message = msgspec.msgpack.decode(_payload(golden("ping")))
    message["added"], message["body"]["added"] = 1, {"later": True}
    envelope, health = decode_envelope(msgspec.msgpack.encode(message))
    assert envelope.type is Type.PING and health.game == "g1"


def test_an_unknown_column_of_a_row_is_ignored() -> None:
    """Rows travel as lists; a later version appends to them."""
    push = msgspec.msgpack.decode(golden("push"))
    push["events"][0].append("later")
    push["records"][0].append("later")
    push["stand"].append("later")
    assert rows.read_push(msgspec.msgpack.encode(push)) == rows.read_push(golden("push"))


def test_an_event_of_a_game_is_read_completely_or_not_at_all() -> None:
    """A game follows from its events, so an event with an unknown field is rejected."""
    with pytest.raises(ValueError, match="added"):
        event_from_dict({**event_to_dict(DeclareEnd(1, Color.BLACK)), "added": 1})


# --- versions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs", "common"),
    [((1, 2), (2, 3), 2), ((2, 2), (2, 2), 2), ((1, 1), (2, 3), None), ((3, 4), (1, 2), None), ((1, 9), (3, 4), 4)],
)
def test_the_newest_common_version_is_chosen(
    ours: tuple[int, int], theirs: tuple[int, int], common: int | None
) -> None:
    assert VersionRange(*ours).common(VersionRange(*theirs)) == common


def test_two_new_sides_of_the_link_agree_on_version_3() -> None:
    head, table = HeadSession({3: KEY}.get), TableSession(3, "e", KEY)
    table.receive(head.outgoing()[0])
    hello, _ = message_macs_versions_handshake.Hello.decode(table.outgoing()[0])
    assert hello.version == message_macs_versions_handshake.VERSIONS.newest == 3


def test_a_side_that_is_too_old_or_too_new_is_named() -> None:
    """Updates and rows have a version range too; without a common version both report which side must be updated."""
    for versions, side in (((7, 9), "update this side"), ((0, 0), "update the other side")):
        with pytest.raises(RemoteProtocolError, match=side):
            message_macs_versions_handshake.check_versions(VersionRange(1, 2), VersionRange(*versions))
        with pytest.raises(HeadError, match=side):
            rows.check_peer({rows.VERSIONS_HEADER: "{}-{}".format(*versions)})
        report = SignedRequest(1, KEY, b"", TableReport("1"), VersionRange(*versions))
        with pytest.raises(RemoteProtocolError, match=side):
            updates.read_request(report.frame).verify_report(KEY)


@pytest.mark.parametrize("header", ["", "1", "a-b", "1-2-3", "-1-2", "9" * 5000 + "-1", "１-２"])
def test_a_range_that_cannot_be_read_is_refused(header: str) -> None:
    """A header is not sealed, so it may have any content."""
    with pytest.raises(HeadError):
        rows.check_peer({rows.VERSIONS_HEADER: header})


def test_a_peer_without_a_range_is_one_of_november() -> None:
    rows.check_peer({})


# --- replayed, changed and truncated ----------------------------------------------------------------------------------


def _question(frame: bytes) -> object:
    return updates.read_request(frame).verify_report(KEY)


def _answer(frame: bytes) -> object:
    question = SignedRequest(3, KEY, b"k" * 16, TableReport("1.0.0"))
    question._nonce = TABLE_NONCE
    return question.verify_reply(frame)


def _push_answer(frame: bytes) -> object:
    return rows.read_sealed(KEY, "n" * 32, frame, GOLDEN["push_answer_seal"], rows.PushResponse)


@pytest.mark.parametrize(
    ("name", "read"), [("question", _question), ("answer", _answer), ("push_answer", _push_answer)]
)
def test_no_changed_or_truncated_message_is_read(name: str, read: Callable[[bytes], object]) -> None:
    """Each byte is covered by the seal, and no part of a message is accepted as a whole one."""
    frame = golden(name)
    read(frame)
    for at in range(len(frame)):
        changed = frame[:at] + bytes([frame[at] ^ 1]) + frame[at + 1 :]
        for wrong in (changed, frame[:at]):
            with pytest.raises((RemoteProtocolError, HeadError)):
                read(wrong)


def test_an_empty_or_short_seal_proves_nothing() -> None:
    seal = message_macs_versions_handshake.Seal(KEY, b"context")
    whole = seal.of(b"message")
    assert seal.proves(whole, b"message") and seal.proves(whole, b"mess", b"age")
    assert not any(seal.proves(whole[:n], b"message") for n in range(len(whole)))
    assert not message_macs_versions_handshake.Seal(KEY, b"another").proves(whole, b"message")


def test_an_invalid_message_is_refused_with_an_error_text() -> None:
    for payload in (b"", b"\xc1", b"\x93" * 5000, msgspec.msgpack.encode({"version": 1})):
        with pytest.raises(RemoteProtocolError, match="cannot be read"):
            read_message(TableReport, payload)
    with pytest.raises(RemoteProtocolError):
        decode_envelope(msgspec.msgpack.encode({"table": 1, "type": Type.PING}))
