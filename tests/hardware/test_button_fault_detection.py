"""Detection of stuck, loose and silent buttons from the edges that such buttons make."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.debounce_and_button_faults import (
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


class ButtonUnderTest:
    """One button behind the real debouncer."""

    def __init__(self) -> None:
        self.debouncer, self.health, self.now_ns = Debouncer(), ButtonHealth(), 0

    def contact(self, closed_ns: int, then_open_ns: int = 200 * MS) -> None:
        for pressed, lasts_ns in ((True, closed_ns), (False, then_open_ns)):
            self._receive(self.debouncer.feed(ButtonEdge("left", pressed, self.now_ns)))
            self.wait(lasts_ns)

    def wait(self, lasts_ns: int) -> None:
        self.now_ns += lasts_ns
        self._receive(self.debouncer.poll(self.now_ns))

    def _receive(self, reports: object) -> None:
        for report in reports:  # type: ignore[attr-defined]
            self.health.receive(report)

    @property
    def fault(self) -> ButtonFault | None:
        return self.health.faults(self.now_ns).get("left")


def test_a_button_held_too_long_is_stuck_until_released() -> None:
    bench = ButtonUnderTest()
    bench._receive(bench.debouncer.feed(ButtonEdge("left", True, 0)))
    bench.wait(STUCK_NS - 1)
    assert bench.fault is None
    bench.wait(1)
    assert bench.fault is ButtonFault.STUCK
    bench._receive(bench.debouncer.feed(ButtonEdge("left", False, bench.now_ns)))
    bench.wait(LOCKOUT_NS)
    assert bench.fault is None


def test_short_contacts_are_a_loose_wire() -> None:
    bench = ButtonUnderTest()
    for number in range(SPIKES):
        assert bench.fault is None, number
        bench.contact(MS // 2)
    assert bench.fault is ButtonFault.LOOSE
    bench.contact(100 * MS)
    assert bench.fault is ButtonFault.LOOSE, "one good press proves nothing"
    bench.wait(WINDOW_NS)
    assert bench.fault is None


def test_rare_spikes_are_no_fault() -> None:
    bench = ButtonUnderTest()
    for _ in range(3 * SPIKES):
        bench.contact(MS // 5, WINDOW_NS // 2)
        assert bench.fault is None


@given(st.lists(st.integers(min_value=PROOF_NS // MS * MS, max_value=900 * MS), max_size=40))
def test_a_good_button_has_no_fault(holds_ns: list[int]) -> None:
    bench = ButtonUnderTest()
    for hold_ns in holds_ns:
        bench.contact(hold_ns)
        assert bench.fault is None


def test_a_button_without_any_press_is_silent_once_expected() -> None:
    bench = ButtonUnderTest()
    for _ in range(TRIES):
        assert bench.fault is None
        bench.health.record_out_of_turn("left")
    assert bench.fault is ButtonFault.SILENT
    bench.contact(100 * MS)
    assert bench.fault is None
    for _ in range(TRIES):
        bench.health.record_out_of_turn("left")
    assert bench.fault is None, "it was heard: somebody is impatient"
