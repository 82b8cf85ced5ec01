"""Tests of the two link sessions without a transport: the order of messages, and what is refused."""

from __future__ import annotations

import msgspec
import pytest
from links.world import MemoryOutbox, record

from kiosk.link import message_macs_versions_handshake
from kiosk.link.errors import LocalProtocolError, MessageError, ProofError, RemoteProtocolError, VersionError
from kiosk.link.link_messages import SET_ASIDE, Command, Configuration, Health, TableRecord, from_dict
from kiosk.link.link_session import (
    CommandReceived,
    HeadEvent,
    HeadSession,
    Opened,
    PingReceived,
    RecordRepeated,
    RecordsAcknowledged,
    RecordsReceived,
    TableEvent,
    TableProven,
    TableSession,
    VersionsDiffer,
)
from kiosk.link.link_states_and_checked_envelopes import (
    HEAD_MESSAGES,
    MAX_BYTES,
    MAX_DEPTH,
    MAX_EPOCH,
    MAX_VALUES,
    TABLE_MESSAGES,
    TRANSITIONS,
    ConnectionState,
    Type,
    encode_envelope,
)
from kiosk.link.message_macs_versions_handshake import MAX_FRAME, VERSIONS, AuthChallenge, Hello, VersionRange

KEY = b"k" * 32
EPOCH = "epoch"


class Pair:
    """A table and a head, connected directly. ``have``: the records that the head has committed."""

    def __init__(self, have: int = 0) -> None:
        self.table = TableSession(3, EPOCH, KEY)
        self.head = HeadSession({3: KEY}.get)
        self.have = have

    def to_table(self) -> list[TableEvent]:
        return [event for frame in self.head.outgoing() for event in self.table.receive(frame)]

    def to_head(self) -> list[HeadEvent]:
        return [event for frame in self.table.outgoing() for event in self.head.receive(frame)]

    def opened(self) -> Pair:
        assert self.to_table() == []
        assert self.to_head() == [TableProven(3, EPOCH)]
        self.head.welcome(self.have)
        assert self.to_table() == [Opened(self.have)]
        return self

    def send_to_head(self, kind: Type, seq: int, body: object) -> None:
        """Send a message of a key holder whose program differs."""
        self.head.receive(self.table._mac_writer.seal(encode_envelope(3, EPOCH, seq, kind, body)))

    def say_to_table(self, kind: Type, seq: int = 0, body: object = None) -> list[TableEvent]:
        return self.table.receive(self.head._mac_writer.seal(encode_envelope(3, EPOCH, seq, kind, body)))


def records(first: int, last: int) -> list[TableRecord]:
    return [record(seq) for seq in range(first, last + 1)]


def test_a_handshake_opens_both_sides() -> None:
    pair = Pair(have=7).opened()
    assert pair.table.state is pair.head.state is ConnectionState.OPEN
    assert pair.table.sendable_records() == (6, 256)  # the last one again, for comparison


def test_records_are_acknowledged_after_they_are_committed() -> None:
    pair = Pair(have=2).opened()
    pair.table.send_records(records(2, 5))
    assert pair.to_head() == [RecordRepeated(record(2)), RecordsReceived(records(3, 5))]
    assert pair.to_table() == []
    pair.head.committed(5)
    assert pair.to_table() == [RecordsAcknowledged(5)]


def test_duplicates_are_skipped_and_acknowledged_again() -> None:
    pair = Pair(have=4).opened()
    pair.send_to_head(Type.RECORDS, 2, records(2, 4))
    assert pair.to_table() == [RecordsAcknowledged(4)]
    events = []
    frame = pair.table._mac_writer.seal(encode_envelope(3, EPOCH, 3, Type.RECORDS, records(3, 6)))
    events = pair.head.receive(frame)
    assert events == [RecordRepeated(record(4)), RecordsReceived(records(5, 6))]


def test_records_that_were_not_accepted_are_requested_with_the_next_ping() -> None:
    pair = Pair().opened()
    pair.table.send_records(records(1, 4))
    assert pair.to_head() == [RecordsReceived(records(1, 4))]
    pair.head.committed(2, refused=True)
    assert pair.to_table() == [RecordsAcknowledged(2)]
    pair.table.send_records(records(5, 6))
    assert pair.to_head() == [] and pair.to_table() == []  # not at once, or the table would send continuously
    pair.table.ping(Health(last_seq=6))
    pair.to_head()
    pair.to_table()
    assert pair.table.sendable_records() == (2, 256)


def test_a_gap_is_reported_once_until_the_next_ping() -> None:
    pair = Pair().opened()
    for first in (1, 3, 5):
        pair.table.send_records(records(first, first + 1))
        frames = pair.table.outgoing() if first > 1 else pair.table.outgoing()[1:]  # the first one is lost
        assert [event for frame in frames for event in pair.head.receive(frame)] == []
    assert len(pair.head._outgoing) == 1 and pair.to_table() == []
    assert pair.table.sendable_records() == (0, 256)


def test_the_window_limits_unacknowledged_records() -> None:
    pair = Pair().opened()
    outbox = MemoryOutbox(count=10_000)
    sent = 0
    while want := pair.table.sendable_records():
        batch = outbox.records_after(*want)
        pair.table.send_records(batch)
        sent += len(batch)
    assert sent == 2048
    received = pair.to_head()
    pair.head.committed(1)
    pair.to_table()
    assert pair.table.sendable_records() == (2048, 1)
    for event in received:
        pair.head.committed(event.records[-1].seq)
    pair.to_table()
    assert pair.table.sendable_records() == (2048, 256)


def test_a_frame_is_never_larger_than_the_limit() -> None:
    pair = Pair().opened()
    pair.table.send_records([record(seq, text="x" * 60_000) for seq in range(1, 21)])
    [frame] = pair.table.outgoing()
    assert len(frame) <= MAX_FRAME
    [event] = pair.head.receive(frame)
    assert pair.table.sendable_records() == (len(event.records), 256)
    with pytest.raises(LocalProtocolError, match="does not fit into a frame"):
        pair.table.send_records([record(len(event.records) + 1, text="x" * MAX_FRAME)])
    with pytest.raises(RemoteProtocolError, match="the maximum is 262144"):
        pair.head.receive(bytes(MAX_FRAME + 1))
    assert pair.head.state is ConnectionState.CLOSED


def test_commands_are_sent_once_and_again_when_asked() -> None:
    pair = Pair().opened()
    pending = [Command(f"c{number}", "hold") for number in range(40)]
    pair.head.send_commands(pending)
    assert pair.to_table() == [CommandReceived(command) for command in pending[:32]]
    pair.head.send_commands(pending)
    assert pair.to_table() == []
    pair.head.send_commands(pending[30:])
    assert pair.to_table() == [CommandReceived(command) for command in pending[32:]]
    pair.head.send_commands(pending[38:], again=True)
    assert pair.to_table() == [CommandReceived(command) for command in pending[38:]]


@pytest.mark.parametrize("kind", Type)
@pytest.mark.parametrize("state", ConnectionState)
def test_an_unexpected_message_closes_the_receiving_side(state: ConnectionState, kind: Type) -> None:
    """Every message is sent in every state by a holder of the key."""
    body = {Type.RECORDS: records(1, 1), Type.COMMAND: Command("c", "hold"), Type.PING: Health()}.get(kind)
    seq = 1 if kind is Type.RECORDS else 0
    for said_by, hearer in ((HEAD_MESSAGES, "table"), (TABLE_MESSAGES, "head")):
        pair = Pair().opened()
        session = getattr(pair, hearer)
        sealer = (pair.head if hearer == "table" else pair.table)._mac_writer
        session.state, session.closed = state, state is ConnectionState.CLOSED
        frame = sealer.seal(encode_envelope(3, EPOCH, seq, kind, body))
        if state is ConnectionState.CLOSED:
            with pytest.raises(LocalProtocolError):
                session.receive(frame)
            continue
        handshake = (hearer, state) in {("table", ConnectionState.START), ("head", ConnectionState.CHALLENGED)}
        if kind in said_by and (state, kind) in TRANSITIONS and not handshake:
            session.receive(frame)
            assert session.state is TRANSITIONS[state, kind]
        else:
            with pytest.raises(RemoteProtocolError):
                session.receive(frame)
            assert session.state is ConnectionState.CLOSED


def test_local_protocol_errors_raise_and_change_nothing() -> None:
    table, head = TableSession(3, EPOCH, KEY), HeadSession({3: KEY}.get)
    head.outgoing()
    with pytest.raises(LocalProtocolError, match="ping message cannot be sent in state START"):
        table.ping(Health())
    with pytest.raises(LocalProtocolError):
        table.send_records(records(1, 1))
    with pytest.raises(LocalProtocolError):
        head.welcome(0)
    with pytest.raises(LocalProtocolError):
        head.send_commands([Command("c", "hold")])
    assert table.outgoing() == head.outgoing() == []
    assert (table.state, head.state) == (ConnectionState.START, ConnectionState.CHALLENGED)
    pair = Pair().opened()
    with pytest.raises(LocalProtocolError, match="records after 0 were wanted"):
        pair.table.send_records(records(2, 3))
    with pytest.raises(LocalProtocolError, match="5 committed"):
        pair.head.committed(5)


@pytest.mark.parametrize(
    ("kind", "seq", "body"),
    [
        (Type.RECORDS, 1, []),
        (Type.RECORDS, 2, records(1, 1)),
        (Type.RECORDS, 1, [record(1), record(3)]),
        (Type.RECORDS, 1, [{"seq": 1, "type": "gossip", "body": {}}]),
        (Type.RECORDS, 1, [{"seq": 1, "type": "event", "body": []}]),
        (Type.RECORDS, 1, "text"),
        (Type.PING, 0, {"last_seq": "1"}),
        (Type.PING, 0, [1]),
    ],
)
def test_a_key_holder_with_a_wrong_program_is_refused(kind: Type, seq: int, body: object) -> None:
    pair = Pair().opened()
    with pytest.raises(RemoteProtocolError):
        pair.send_to_head(kind, seq, body)
    assert pair.head.state is ConnectionState.CLOSED


def _nested(levels: int) -> object:
    return [_nested(levels - 1)] if levels > 1 else 1


#: what a record's body may be at most, and the next larger one with the reason why it is not kept as it is
LIMITS: list[tuple[object, object, str]] = [
    (2**63 - 1, 2**63, "a number of more than 64 bits"),
    (-(2**63), 2**64 - 1, "a number of more than 64 bits"),
    (1e308, float("inf"), "a number that is not finite"),
    ("", "\0", "a text with NUL"),
    (True, b"", "a value of the kind bytes"),
    ({"1": None}, {1: None}, "a name that is no text"),
    ([0] * (MAX_VALUES - 4), [0] * (MAX_VALUES - 3), f"more than {MAX_VALUES} values"),
    (_nested(MAX_DEPTH - 1), _nested(MAX_DEPTH), f"more than {MAX_DEPTH} levels"),
    ("x" * (MAX_BYTES - 33), "x" * (MAX_BYTES - 32), f"{MAX_BYTES + 1} bytes; a record has {MAX_BYTES} at most"),
]


@pytest.mark.parametrize(("kept", "excluded", "why"), LIMITS, ids=[why for _, _, why in LIMITS])
def test_a_record_that_no_store_can_keep_is_set_aside_and_blocks_no_other(
    kept: object, excluded: object, why: str
) -> None:
    pair, sent = Pair().opened(), [record(1, x=kept), record(2, x=excluded), record(3)]
    received: list[TableRecord] = []
    for one in sent:
        pair.table.send_records([one])
        (event,) = pair.to_head()
        received += event.records
    first, aside, last = received
    assert [first, last] == [sent[0], sent[2]]
    assert (aside.seq, aside.type, aside.body["why"]) == (2, SET_ASIDE, why)
    assert bytes.fromhex(aside.body["raw"]) == msgspec.msgpack.encode(sent[1])


@pytest.mark.parametrize("payload", [b"", b"\xc1", b"\x81\xa1\xff\x01", b"\xa4\xff\xff\xff\xff", b"\x90" * 100_000])
def test_a_sealed_payload_that_is_no_message_is_refused(payload: bytes) -> None:
    pair = Pair().opened()
    with pytest.raises(RemoteProtocolError):
        pair.head.receive(pair.table._mac_writer.seal(payload))


def test_a_message_for_another_table_or_epoch_is_refused() -> None:
    for table, epoch in ((4, EPOCH), (3, "other")):
        pair = Pair().opened()
        with pytest.raises(RemoteProtocolError, match=r"in the session of (table 3|epoch 'epoch')"):
            envelope = encode_envelope(table, epoch, 1, Type.RECORDS, records(1, 1))
            pair.head.receive(pair.table._mac_writer.seal(envelope))


def test_the_head_cannot_acknowledge_what_was_not_sent() -> None:
    pair = Pair(have=3).opened()
    pair.table.send_records(records(3, 5))
    for kind, seq in ((Type.ACK, 6), (Type.RESEND, 2)):
        fresh = Pair(have=3).opened()
        fresh.table.send_records(records(3, 5))
        with pytest.raises(RemoteProtocolError, match="3 is acknowledged and 5 sent"):
            fresh.say_to_table(kind, seq)


@pytest.mark.parametrize("epoch", ["", "e" * (MAX_EPOCH + 1), "e\n"])
def test_an_epoch_that_cannot_be_shown_is_refused(epoch: str) -> None:
    head, table = HeadSession({3: KEY}.get), TableSession(3, epoch, KEY)
    table.receive(head.outgoing()[0])
    with pytest.raises(RemoteProtocolError, match=f"an epoch of {len(epoch)} characters"):
        head.receive(table.outgoing()[0])


def test_an_invalid_message_names_its_kind_and_field() -> None:
    for kind, body, why in (
        (Command, {"kind": "hold"}, "Command: .*`id`"), (Health, {"game": 1}, r"Health: .*\.game"),
        (Configuration, {"pin_digits": 3}, "not 3"), (Configuration, {"pin_digits": 9}, "not 9"),
    ):  # fmt: skip
        with pytest.raises(MessageError, match=why):
            from_dict(kind, body)
    assert [from_dict(Configuration, {"pin_digits": digits}).pin_digits for digits in (4, 8)] == [4, 8]
    with pytest.raises(RemoteProtocolError, match="cannot be read"):
        message_macs_versions_handshake.read_message(Health, b"\xc1")


def test_no_common_version_is_known_to_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table learns it from the challenge, the head from a table that proved its key and chose what was not
    offered; messages after the proof are not read."""
    offer = AuthChallenge(VersionRange(8, 9), bytes(16))
    table = TableSession(3, EPOCH, KEY)
    assert table.receive(offer.encode()) == [VersionsDiffer(8, 9)]
    [hello] = table.outgoing()
    with pytest.raises(LocalProtocolError):
        table.send_records(records(1, 1))
    head = HeadSession({3: KEY}.get)
    head._challenge = offer
    monkeypatch.setattr("kiosk.link.link_session.envelopes.decode_envelope", lambda payload: pytest.fail("was read"))
    with pytest.raises(VersionError, match="table 3 speaks protocol version 3, this head 8 to 9; update the table"):
        head.receive(hello)
    assert head.state is ConnectionState.CLOSED


def test_an_unproved_table_number_is_reported_as_unproved() -> None:
    head, table = HeadSession({3: KEY}.get), TableSession(3, EPOCH, b"x" * 32)
    table.receive(head.outgoing()[0])
    with pytest.raises(ProofError, match="table 3 does not prove the key") as caught:
        head.receive(table.outgoing()[0])
    assert caught.value.table == 3


def test_a_duplicated_or_late_frame_has_no_effect() -> None:
    pair = Pair()
    [challenge] = pair.head.outgoing()
    assert pair.table.receive(challenge) == pair.table.receive(challenge) == []
    [hello] = pair.table.outgoing()
    assert pair.head.receive(hello) == [TableProven(3, EPOCH)]
    assert pair.head.receive(hello) == []
    pair.head.welcome(0)
    assert pair.head.receive(hello) == []
    [welcome] = pair.head.outgoing()
    assert pair.table.receive(welcome) == [Opened(0)]
    assert pair.table.receive(welcome) == pair.table.receive(challenge) == []
    pair.table.send_records(records(1, 1))
    pair.table.send_records(records(2, 2))
    early, late = pair.table.outgoing()
    assert pair.head.receive(late) == []  # a gap
    assert pair.head.receive(early) == []  # too late: it is requested again
    assert pair.to_table() == []
    assert pair.table.sendable_records() == (0, 256)
    pair.table.send_records(records(1, 2))
    assert pair.to_head() == [RecordsReceived(records(1, 2))]


def test_a_newer_head_is_answered_in_the_common_version_and_a_changed_offer_is_noticed() -> None:
    table = TableSession(3, EPOCH, KEY)
    table.receive(AuthChallenge(VersionRange(1, 9), bytes(16)).encode())
    claim, _ = Hello.decode(table.outgoing()[0])
    assert claim.version == VERSIONS.newest
    table, head = TableSession(3, EPOCH, KEY), HeadSession({3: KEY}.get)
    offer = AuthChallenge.decode(head.outgoing()[0])
    table.receive(AuthChallenge(VersionRange(offer.versions.oldest, offer.versions.newest + 1), offer.nonce).encode())
    with pytest.raises(RemoteProtocolError, match="does not prove the key"):
        head.receive(table.outgoing()[0])


def test_nothing_of_an_unauthenticated_peer_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    def decode(payload: bytes) -> None:
        raise AssertionError("decoded before the proof")

    monkeypatch.setattr("kiosk.link.link_session.envelopes.decode_envelope", decode)
    hello = TableSession(3, EPOCH, b"x" * 32)
    hello.receive(HeadSession({3: KEY}.get).outgoing()[0])
    for frame in (hello.outgoing()[0], b"", b"OTHt", bytes(40), b"OTHt" + bytes(60), b"\x00" * 300):
        head = HeadSession({3: KEY}.get)
        with pytest.raises(RemoteProtocolError):
            head.receive(frame)
        assert head.state is ConnectionState.CLOSED
        assert head.outgoing() == []
    for frame in (b"", b"OTHh", bytes(22), b"OTHt" + bytes(18)):
        with pytest.raises(RemoteProtocolError):
            TableSession(3, EPOCH, KEY).receive(frame)


def test_a_head_without_the_key_cannot_open_a_table() -> None:
    table, false_head = TableSession(3, EPOCH, KEY), HeadSession({3: b"x" * 32}.get)
    table.receive(false_head.outgoing()[0])
    with pytest.raises(RemoteProtocolError):
        false_head.receive(table.outgoing()[0])
    challenge = false_head._challenge
    claim = Hello(VERSIONS.newest, 3, table._nonce)
    sealer = message_macs_versions_handshake.MacWriter(
        b"x" * 32,
        message_macs_versions_handshake.handshake_bytes(challenge, claim),
        message_macs_versions_handshake.FrameDirection.TO_TABLE,
    )
    with pytest.raises(RemoteProtocolError):
        table.receive(sealer.seal(encode_envelope(3, EPOCH, 99, Type.WELCOME)))
    assert table.state is ConnectionState.CLOSED


def test_a_table_rejects_its_own_frames() -> None:
    pair = Pair().opened()
    pair.table.send_records(records(1, 1))
    [frame] = pair.table.outgoing()
    with pytest.raises(RemoteProtocolError, match="does not prove the key"):
        pair.table.receive(frame)


def test_envelopes_are_plain_msgpack() -> None:
    """This is the wire format that docs/reference/link-and-journal.md describes."""
    assert msgspec.msgpack.decode(encode_envelope(3, EPOCH, 5, Type.ACK)) == {
        "table": 3,
        "epoch": EPOCH,
        "seq": 5,
        "type": "ack",
        "body": None,
    }


def test_a_gap_reported_twice_does_not_end_the_session() -> None:
    """On a lossy line a ping repeats the request while the answer to the first is already in transit."""
    pair = Pair().opened()
    pair.table.send_records(records(1, 3))
    pair.table.outgoing()  # lost
    for _ in range(2):
        pair.table.ping(Health())
    assert pair.to_head() == [PingReceived(Health())] * 2
    asked = pair.head.outgoing()
    pair.table.receive(asked[0])
    pair.table.send_records(records(1, 3))
    assert pair.to_head() == [RecordsReceived(records(1, 3))]
    pair.head.committed(3)
    for frame in asked[1:]:
        pair.table.receive(frame)  # requested again before it arrived
    assert pair.to_table() == [RecordsAcknowledged(3)]
    assert pair.table.sendable_records() == (3, 256)


def test_a_ping_brings_an_acknowledgement_that_was_lost() -> None:
    pair = Pair().opened()
    pair.table.send_records(records(1, 3))
    pair.to_head()
    pair.head.committed(3)
    pair.head.outgoing()  # lost
    pair.table.ping(Health())
    pair.to_head()
    assert pair.to_table() == [RecordsAcknowledged(3)]


def test_a_transport_may_need_short_frames_and_a_long_record_is_sent_alone() -> None:
    pair = Pair()
    pair.table = TableSession(3, EPOCH, KEY, frame_bytes=1024)
    pair.opened()
    long = [record(seq, text="x" * (5000 if seq == 4 else 100)) for seq in range(1, 40)]
    sizes = []
    taken: list[int] = []
    while (want := pair.table.sendable_records()) and want[0] < 39:
        pair.table.send_records(long[want[0] : want[0] + want[1]])
        [frame] = pair.table.outgoing()
        sizes.append(len(frame))
        [event] = pair.head.receive(frame)
        taken += [each.seq for each in event.records]
    assert taken == list(range(1, 40))
    assert sorted(sizes)[-1] > 5000 > 1300 > sorted(sizes)[-2]
