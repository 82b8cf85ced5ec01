"""Detection of stuck, loose and silent buttons from the edges that such buttons make."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hardware.button_edges import ButtonEdge
from hardware.debounce import (
    LOCKOUT_NS,
    PROOF_NS,
    SPIKES,
    STUCK_NS,
    TRIES,
    WINDOW_NS,
    ButtonFault,
    ButtonHealth,
    Debouncer,
)

MS = 1_000_000


class Bench:
    """One button under the real debouncer."""

    def __init__(self) -> None:
        self.debouncer, self.health, self.now_ns = Debouncer(), ButtonHealth(), 0

    def contact(self, closed_ns: int, then_open_ns: int = 200 * MS) -> None:
        for pressed, lasts_ns in ((True, closed_ns), (False, then_open_ns)):
            self._hear(self.debouncer.feed(ButtonEdge("left", pressed, self.now_ns)))
            self.wait(lasts_ns)

    def wait(self, lasts_ns: int) -> None:
        self.now_ns += lasts_ns
        self._hear(self.debouncer.poll(self.now_ns))

    def _hear(self, reports: object) -> None:
        for report in reports:  # type: ignore[attr-defined]
            self.health.receive(report)

    @property
    def ailment(self) -> ButtonFault | None:
        return self.health.faults(self.now_ns).get("left")


def test_a_button_that_stays_down_is_stuck_until_it_is_let_go() -> None:
    bench = Bench()
    bench._hear(bench.debouncer.feed(ButtonEdge("left", True, 0)))
    bench.wait(STUCK_NS - 1)
    assert bench.ailment is None
    bench.wait(1)
    assert bench.ailment is ButtonFault.STUCK
    bench._hear(bench.debouncer.feed(ButtonEdge("left", False, bench.now_ns)))
    bench.wait(LOCKOUT_NS)
    assert bench.ailment is None


def test_contacts_that_do_not_hold_are_a_loose_wire() -> None:
    bench = Bench()
    for number in range(SPIKES):
        assert bench.ailment is None, number
        bench.contact(MS // 2)
    assert bench.ailment is ButtonFault.LOOSE
    bench.contact(100 * MS)
    assert bench.ailment is ButtonFault.LOOSE, "one good press proves nothing"
    bench.wait(WINDOW_NS)
    assert bench.ailment is None


def test_spikes_far_apart_are_static_and_no_illness() -> None:
    bench = Bench()
    for _ in range(3 * SPIKES):
        bench.contact(MS // 5, WINDOW_NS // 2)
        assert bench.ailment is None


@given(st.lists(st.integers(min_value=PROOF_NS // MS * MS, max_value=900 * MS), max_size=40))
def test_a_good_button_is_never_ill(holds_ns: list[int]) -> None:
    bench = Bench()
    for hold_ns in holds_ns:
        bench.contact(hold_ns)
        assert bench.ailment is None


def test_a_button_that_was_never_heard_and_is_awaited_is_silent_until_it_is_heard() -> None:
    bench = Bench()
    for _ in range(TRIES):
        assert bench.ailment is None
        bench.health.record_out_of_turn("left")
    assert bench.ailment is ButtonFault.SILENT
    bench.contact(100 * MS)
    assert bench.ailment is None
    for _ in range(TRIES):
        bench.health.record_out_of_turn("left")
    assert bench.ailment is None, "it was heard: somebody is impatient"
