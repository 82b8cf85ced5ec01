"""Tests of two devices with one key, as after copying a memory card: their journals have one name and differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from heads.staff import chief_at
from links.linked_table import linked
from links.world import MemoryOutbox
from waiting import until

from kiosk.link.link_messages import TableRecord


@pytest.mark.parametrize("grown", [0, 1], ids=["as long", "one record longer"])
def test_a_record_of_the_copy_that_differs_is_named_at_the_desk(tmp_path: Path, grown: int) -> None:
    """The copy continued from record 5 while the other device was off; both have a record 6 of their own, and the
    head acknowledged both. Without a notice the result of one would be missing."""
    with chief_at(tmp_path, 2) as (program, web):
        copy, original = MemoryOutbox(count=6), MemoryOutbox(count=5)
        original.records.append(TableRecord(6, "event", {"n": "another"}))
        original.grow(grown)
        key = program.devices.collection.key(2)
        with linked(str(web.base_url), key, copy, table=2):
            until(lambda: copy.last_seq() in copy.acknowledgements)
        with linked(str(web.base_url), key, original, table=2):
            # the head acknowledges its record 6 when the connection opens, before this device has sent its own
            until(lambda: "Two devices have the key of table 2" in web.get("/desk?lang=en").text)


def test_a_reconnected_table_is_not_reported_as_a_copy(tmp_path: Path) -> None:
    with chief_at(tmp_path, 2) as (program, web):
        outbox = MemoryOutbox(count=3)
        outbox.records.append(TableRecord(4, "configured", {"arbiter_pin": "$hash$", "pin_digits": 4}))
        for _ in range(3):
            with linked(str(web.base_url), program.devices.collection.key(2), outbox, table=2) as table:
                until(lambda: outbox.last_seq() in outbox.acknowledgements)
                outbox.acknowledgements.clear()
                table.grow(1)
                until(lambda: outbox.last_seq() in outbox.acknowledgements)
                outbox.acknowledgements.clear()
        assert "Two devices" not in web.get("/desk?lang=en").text
