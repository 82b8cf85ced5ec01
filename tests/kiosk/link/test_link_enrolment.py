"""Tests of enrolment: a table gets its key over a network that anybody can read and alter."""

from __future__ import annotations

import pytest
from links.world import record

from kiosk.link.enrolment import GrantedKey, HeadEnrolment, TableEnrolment, new_pair, offer_name
from kiosk.link.errors import LocalProtocolError, RemoteProtocolError
from kiosk.link.message_macs_versions_handshake import MAX_FRAME


class Enrolled:
    """A table and a head, connected directly, up to the code on both screens."""

    def __init__(self, wish: int = 0) -> None:
        self.table, self.head = TableEnrolment(wish, epoch="mine"), HeadEnrolment()
        self.to_head()
        self.to_table()
        self.to_head()
        self.to_table()

    def to_head(self) -> list[bytes]:
        frames = self.table.outgoing()
        for frame in frames:
            self.head.receive(frame)
        return frames

    def to_table(self) -> GrantedKey | None:
        given = None
        for frame in self.head.outgoing():
            given = self.table.receive(frame) or given
        return given

    def agreed(self) -> Enrolled:
        self.table.agree()
        self.to_head()
        return self


def test_both_screens_show_one_code_and_both_sides_get_one_key() -> None:
    pair = Enrolled(wish=7)
    assert pair.table.code == pair.head.code
    assert len(pair.table.code or "") == 6
    assert pair.head.name == pair.table.name
    assert (pair.head.wish, pair.head.agreed) == (7, False)
    pair.agreed()
    assert (pair.head.agreed, pair.head.epoch) == (True, "mine")
    pair.head.grant(7)
    given = pair.to_table()
    assert given == GrantedKey(7, pair.head.key, "", ())
    pair.table.done()
    pair.to_head()
    assert pair.head.done


def test_a_spare_gets_the_number_and_the_journal_of_the_table_that_it_replaces() -> None:
    pair = Enrolled().agreed()
    records = [record(seq, text="x" * 3000) for seq in range(1, 200)]
    pair.head.grant(12, "epoch", records)
    frames = pair.head._outgoing
    assert len(frames) > 2 and all(len(frame) <= MAX_FRAME for frame in frames)
    assert pair.to_table() == GrantedKey(12, pair.head.key, "epoch", tuple(records))


def test_codes_and_keys_and_names_differ_from_one_offer_to_the_next() -> None:
    pairs = [Enrolled().agreed() for _ in range(40)]
    assert len({pair.head.key for pair in pairs}) == len({pair.head.name for pair in pairs}) == 40
    assert len({pair.head.code for pair in pairs}) > 35


@pytest.mark.fault(34, "somebody between table and head at the enrolment: the two codes differ")
def test_a_man_in_the_middle_cannot_make_the_codes_equal() -> None:
    """A man in the middle is a head to the table and a table to the head, and has to commit to values before seeing
    the others'."""
    equal = 0
    for _ in range(300):
        table, head = TableEnrolment(), HeadEnrolment()
        false_head, false_table = HeadEnrolment(), TableEnrolment()
        for one, other in ((table, false_head), (false_table, head)):
            for _ in range(2):
                for frame in one.outgoing():
                    other.receive(frame)
                for frame in other.outgoing():
                    one.receive(frame)
        assert table.name != head.name, "the QR code leads to no offer at the head"
        equal += table.code == head.code
    assert equal <= 1


def test_a_head_that_changes_its_nonce_is_refused() -> None:
    """Otherwise it could search for a nonce that gives the wanted code, once it knows the table's."""
    table, head = TableEnrolment(), HeadEnrolment()
    head.receive(table.outgoing()[0])
    table.receive(head.outgoing()[0])
    head.receive(table.outgoing()[0])
    reveal = bytearray(head.outgoing()[0])
    reveal[-1] ^= 1
    with pytest.raises(RemoteProtocolError, match="had committed to"):
        table.receive(bytes(reveal))
    assert table.code is None
    with pytest.raises(LocalProtocolError):
        table.receive(bytes(reveal))


def test_no_key_is_accepted_before_the_confirmation_at_the_table() -> None:
    pair = Enrolled()
    with pytest.raises(LocalProtocolError, match="has not agreed"):
        pair.head.grant(3)
    with pytest.raises(LocalProtocolError, match="has not agreed"):
        _ = pair.head.key
    pair.head.agreed = True  # a head that does not wait
    pair.head.grant(3)
    with pytest.raises(RemoteProtocolError, match="before this table's person agreed"):
        pair.to_table()


def test_a_table_with_a_number_accepts_no_other() -> None:
    pair = Enrolled(wish=7).agreed()
    pair.head.grant(8)
    with pytest.raises(RemoteProtocolError, match="table 8, but it is configured as 7"):
        pair.to_table()


def test_a_confirmation_by_another_sender_is_refused() -> None:
    for changed in range(0, 60, 7):
        pair = Enrolled()
        pair.table.agree()
        frame = bytearray(pair.table.outgoing()[0])
        frame[changed % len(frame)] ^= 0x40
        with pytest.raises(RemoteProtocolError):
            pair.head.receive(bytes(frame))
        assert not pair.head.agreed
    other = Enrolled()
    other.table.agree()
    pair = Enrolled()
    with pytest.raises(RemoteProtocolError, match="does not prove the key"):
        pair.head.receive(other.table.outgoing()[0])


def test_a_repeated_confirmation_counts_once_and_a_refusal_is_reported() -> None:
    pair = Enrolled()
    pair.table.agree()
    [agree] = pair.table.outgoing()
    pair.head.receive(agree)
    pair.head.receive(agree)
    assert pair.head.agreed and not pair.head.done
    pair.table.refuse("the disk is full")
    with pytest.raises(RemoteProtocolError, match="the disk is full"):
        pair.to_head()


@pytest.mark.parametrize(
    "frame", [b"", b"OTHo", b"OTHt" + bytes(60), bytes(39), b"OTHo\x02" + bytes(34), bytes(MAX_FRAME + 1)]
)
def test_an_invalid_offer_is_refused(frame: bytes) -> None:
    head = HeadEnrolment()
    with pytest.raises(RemoteProtocolError):
        head.receive(frame)
    assert head.outgoing() == []


def test_a_public_key_of_small_order_is_refused() -> None:
    head = HeadEnrolment()
    head.receive(b"OTHo\x01\x00\x00" + bytes(32))
    head.outgoing()
    with pytest.raises(RemoteProtocolError, match="public key is none"):
        head.receive(b"OTHn" + bytes(16))


def test_the_offer_name_covers_the_whole_offer() -> None:
    pair = new_pair()
    assert TableEnrolment(1, pair=pair).name != TableEnrolment(2, pair=pair).name
    assert len(offer_name(b"x")) == 26
