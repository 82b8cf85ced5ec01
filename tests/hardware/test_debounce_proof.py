"""Confirmation of presses: the contact must still be closed after 50 ms, and lost edges are recovered."""

from __future__ import annotations

from random import Random

import pytest
from tables.press_profiles import PROFILES, turns_given

from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.debounce_and_button_faults import LOCKOUT_NS, PROOF_NS, QUEUE, DebouncedPress, Debouncer, Glitch, Release

MS = 1_000_000
#: ``python -m benchmarks.presses`` makes 20 000 of each
TRIES = 200


@pytest.mark.parametrize("name", PROFILES)
def test_contact_profiles_change_the_turn_as_often_as_they_must(name: str) -> None:
    random, profile = Random(name), PROFILES[name]
    assert {turns_given(profile, random) for _ in range(TRIES)} == {profile.moves}


@pytest.mark.parametrize("held_ns", [60_000, 2 * MS, 12 * MS, PROOF_NS - 1])
def test_a_contact_that_opens_before_50_ms_is_retracted(held_ns: int) -> None:
    law = Debouncer()
    assert law.feed(ButtonEdge("left", True, 0)) == (DebouncedPress("left", 0),)
    law.feed(ButtonEdge("left", False, held_ns))
    assert not law.is_proven("left")
    assert law.poll(held_ns + LOCKOUT_NS) == (Glitch("left", 0),)


def test_a_closed_contact_is_confirmed_at_50_ms() -> None:
    law = Debouncer()
    law.feed(ButtonEdge("left", True, 0))
    assert law.next_deadline_ns() == PROOF_NS
    law.poll(PROOF_NS - 1)
    assert not law.is_proven("left")
    law.poll(PROOF_NS)
    assert law.is_proven("left")
    law.feed(ButtonEdge("left", False, PROOF_NS + MS))
    assert law.opening() == ("left",)
    assert law.poll(PROOF_NS + MS + LOCKOUT_NS) == (Release("left", PROOF_NS + MS, PROOF_NS + MS),)
    assert not law.is_proven("left")


def test_the_level_is_read_after_a_full_edge_buffer() -> None:
    """The last received edge says open while the button is held."""
    law = Debouncer()
    for number in range(QUEUE):
        law.feed(ButtonEdge("left", number % 2 == 0, number * MS // 10))
    opened_ns = (QUEUE - 1) * MS // 10
    assert law.missing_edges(opened_ns) == ()
    (missing,) = law.missing_edges(opened_ns + LOCKOUT_NS)
    assert missing == ButtonEdge("left", True, opened_ns + 1)
    assert law.missing_edges(opened_ns + LOCKOUT_NS) == ()
    assert law.feed(missing) == (), "it belongs to the press that lasts"
    assert law.poll(PROOF_NS + 2 * MS) == () and law.is_proven("left")
