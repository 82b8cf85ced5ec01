"""Rules of the debouncer, as a table of traces and as properties. Times in the tables are microseconds."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.debounce_and_button_faults import DebouncedPress, Debouncer, Glitch, Release, Report, StuckButton

US = 1_000
MS = 1_000_000
LOCKOUT, GLITCH, STUCK = 30 * MS, 2 * MS, 10_000 * MS


def debouncer() -> Debouncer:
    """Return a debouncer without a minimum length of presses, which ``test_debounce_proof`` tests."""
    return Debouncer(LOCKOUT, GLITCH, STUCK, proof_ns=0)


def trace(*microseconds: int, line: str = "left") -> list[ButtonEdge]:
    """Return edges that alternate closed, open, closed … at these times."""
    return [ButtonEdge(line, i % 2 == 0, at * US) for i, at in enumerate(microseconds)]


def run(edges: list[ButtonEdge], until_us: int) -> list[Report]:
    """Feed the edges, polling at every deadline in between, as the table's loop does."""
    debouncer_under_test, reports = debouncer(), []
    for edge in edges:
        while (due := debouncer_under_test.next_deadline_ns()) is not None and due < edge.at_ns:
            reports += debouncer_under_test.poll(due)
        reports += debouncer_under_test.feed(edge)
    while (due := debouncer_under_test.next_deadline_ns()) is not None and due <= until_us * US:
        reports += debouncer_under_test.poll(due)
    return reports


def press(at_us: int, line: str = "left") -> DebouncedPress:
    return DebouncedPress(line, at_us * US)


def spike(at_us: int, line: str = "left") -> Glitch:
    return Glitch(line, at_us * US)


def release(at_us: int, held_us: int, line: str = "left") -> Release:
    return Release(line, at_us * US, held_us * US)


BOUNCING_5_MS = (0, 100, 400, 450, 1_300, 1_350, 2_900, 3_000, 4_900)

CASES = {
    "a clean press": (trace(0, 120_000), [press(0), release(120_000, 120_000)]),
    "a press that bounces for 5 ms counts once, at its first edge": (
        trace(*BOUNCING_5_MS, 120_000),
        [press(0), release(120_000, 120_000)],
    ),
    "an opening that bounces makes no press, and ends with its last opening": (
        trace(0, 120_000, 120_200, 121_000, 121_100, 122_000),
        [press(0), release(122_000, 122_000)],
    ),
    "a lone spike of 50 µs is retracted": (trace(0, 50), [press(0), spike(0)]),
    "a lone spike of 1 ms is retracted": (trace(0, 1_000), [press(0), spike(0)]),
    "just under the glitch width": (trace(0, 1_999), [press(0), spike(0)]),
    "exactly the glitch width is a press": (trace(0, 2_000), [press(0), release(2_000, 2_000)]),
    "a burst of short spikes is one spike": (trace(0, 200, 700, 1_000, 9_000, 9_500), [press(0), spike(0)]),
    "a chatter of 100 Hz switches the clock once and is retracted when it ends": (
        trace(*(t for burst in range(150) for t in (burst * 10_000, burst * 10_000 + 300))),
        [press(0), spike(0)],
    ),
    "a spike in a held button changes nothing": (
        trace(0, 60_000, 60_200, 120_000),
        [press(0), release(120_000, 120_000)],
    ),
    "a finger within the lockout of a spike is one press": (
        trace(0, 100, 10_000, 90_000),
        [press(0), release(90_000, 90_000)],
    ),
    "a finger after the lockout of a spike is a press of its own": (
        trace(0, 100, 40_000, 140_000),
        [press(0), spike(0), press(40_000), release(140_000, 100_000)],
    ),
    "two presses": (
        trace(0, 80_000, 200_000, 290_000),
        [press(0), release(80_000, 80_000), press(200_000), release(290_000, 90_000)],
    ),
    "closing again just before the lockout ends goes on with the press": (
        trace(0, 50_000, 79_999, 150_000),
        [press(0), release(150_000, 150_000)],
    ),
    "closing again when the lockout has ended is a new press": (
        trace(0, 50_000, 80_000, 150_000),
        [press(0), release(50_000, 50_000), press(80_000), release(150_000, 70_000)],
    ),
    "a long press": (trace(0, 1_500_000), [press(0), release(1_500_000, 1_500_000)]),
    "a stuck button is told once and still released": (
        trace(0, 20_000_000),
        [press(0), StuckButton("left", 0), release(20_000_000, 20_000_000)],
    ),
    "an opening without a closing is nothing": ([ButtonEdge("left", False, 0)], []),
    "levels that repeat (RPi.GPIO) are nothing": (
        [
            ButtonEdge("left", pressed, at * US)
            for pressed, at in [(True, 0), (True, 1), (True, 90_000), (False, 120_000)]
        ],
        [press(0), release(120_000, 120_000)],
    ),
    "a level that repeats does not start the contact anew": (
        [ButtonEdge("left", at < 2_000, at * US) for at in (0, 1_500, 2_100, 20_000)],
        [press(0), release(2_100, 2_100)],
    ),
    "two lines do not disturb each other": (
        sorted(trace(0, 80_000) + trace(10_000, 95_000, line="right"), key=lambda edge: edge.at_ns),
        [press(0), press(10_000, "right"), release(80_000, 80_000), release(95_000, 85_000, "right")],
    ),
    "one discharge on both lines is retracted last press first": (
        sorted(trace(0, 100) + trace(5, 400, line="right"), key=lambda edge: edge.at_ns),
        [press(0), press(5, "right"), spike(5, "right"), spike(0)],
    ),
    "a press during another line's spike is not the one retracted": (
        sorted(trace(0, 100) + trace(10_000, 95_000, line="right"), key=lambda edge: edge.at_ns),
        [press(0), press(10_000, "right"), spike(0), release(95_000, 85_000, "right")],
    ),
}


@pytest.mark.parametrize(("edges", "expected"), CASES.values(), ids=CASES)
def test_recorded_traces_are_debounced(edges: list[ButtonEdge], expected: list[Report]) -> None:
    assert run(edges, until_us=30_000_000) == expected


@pytest.mark.parametrize(("edges", "expected"), CASES.values(), ids=CASES)
def test_decisions_do_not_depend_on_when_poll_is_called(edges: list[ButtonEdge], expected: list[Report]) -> None:
    """A loop that was delayed for seconds finds the same presses with the same times."""
    debouncer_under_test = debouncer()
    told = [report for edge in edges for report in debouncer_under_test.feed(edge)] + list(
        debouncer_under_test.poll(30_000_000 * US)
    )
    of_line = [[r for r in reports if r.line == line] for line in ("left", "right") for reports in (told, expected)]
    assert (of_line[0], of_line[2]) == (of_line[1], of_line[3])


def test_a_press_is_reported_by_its_own_edge() -> None:
    assert debouncer().feed(ButtonEdge("right", True, 17)) == (DebouncedPress("right", 17),)


def test_a_button_held_at_start_is_stuck_and_released_without_a_press() -> None:
    debouncer_under_test = debouncer()
    debouncer_under_test.held_at_start("left", 5)
    assert debouncer_under_test.feed(ButtonEdge("left", True, 7)) == ()
    assert debouncer_under_test.poll(5 + STUCK) == (StuckButton("left", 5),)
    debouncer_under_test.feed(ButtonEdge("left", False, 11_000 * MS))
    assert debouncer_under_test.poll(12_000 * MS) == (Release("left", 11_000 * MS, 11_000 * MS - 5),)


def test_a_button_released_right_after_start_is_no_spike() -> None:
    debouncer_under_test = debouncer()
    debouncer_under_test.held_at_start("left", 5)
    debouncer_under_test.feed(ButtonEdge("left", False, 6))
    assert debouncer_under_test.poll(6 + LOCKOUT) == (Release("left", 6, 1),)


def test_at_rest_there_is_no_deadline() -> None:
    debouncer_under_test = debouncer()
    assert debouncer_under_test.next_deadline_ns() is None
    debouncer_under_test.feed(ButtonEdge("left", True, 0))
    debouncer_under_test.feed(ButtonEdge("left", False, 100 * MS))
    assert debouncer_under_test.next_deadline_ns() == 100 * MS + LOCKOUT
    debouncer_under_test.poll(100 * MS + LOCKOUT)
    assert debouncer_under_test.next_deadline_ns() is None


def test_a_reported_stuck_button_has_no_deadline() -> None:
    debouncer_under_test = debouncer()
    debouncer_under_test.feed(ButtonEdge("left", True, 0))
    while (due := debouncer_under_test.next_deadline_ns()) is not None:
        debouncer_under_test.poll(due)
    debouncer_under_test.feed(ButtonEdge("left", False, 2 * STUCK))
    assert debouncer_under_test.poll(2 * STUCK + LOCKOUT) == (Release("left", 2 * STUCK, 2 * STUCK),), (
        "and it is still held"
    )


@pytest.mark.parametrize("widths", [(0, 1, 2), (2, 2, 3), (1, 3, 3), (2, 1, 3)])
def test_inconsistent_widths_are_refused(widths: tuple[int, int, int]) -> None:
    glitch, lockout, stuck = widths
    with pytest.raises(ValueError, match="glitch"):
        Debouncer(lockout, glitch, stuck)


durations = st.lists(st.integers(1, 4 * MS), max_size=40)


def edges_of(start: int, gaps: list[int]) -> list[ButtonEdge]:
    """Return alternating edges of the left line from ``start`` on."""
    return [ButtonEdge("left", i % 2 == 0, at) for i, at in enumerate(accumulate([start, *gaps]))]


@given(st.lists(st.integers(1, 1_500_000), max_size=20), st.integers(20 * MS, 900 * MS), st.integers(0, 10**15))
def test_a_real_press_is_never_a_spike_however_it_bounces(bounces: list[int], hold: int, start: int) -> None:
    """Bouncing with gaps below the lockout, then a hold, is one press at the first edge, never retracted."""
    gaps = bounces if len(bounces) % 2 == 0 else [*bounces, 1]
    edges = edges_of(start, [*gaps, hold])
    reports = run(edges, (edges[-1].at_ns + LOCKOUT) // US + 1)
    assert reports == [DebouncedPress("left", start), Release("left", edges[-1].at_ns, edges[-1].at_ns - start)]


@given(st.lists(st.tuples(st.integers(50 * US, MS), st.integers(50 * US, 200 * MS)), min_size=1, max_size=20))
def test_every_spike_is_retracted(spikes: list[tuple[int, int]]) -> None:
    edges = edges_of(0, [duration for pair in spikes for duration in pair][:-1])
    reports = run(edges, edges[-1].at_ns // US + 100_000)
    pressed = [report.at_ns for report in reports if isinstance(report, DebouncedPress)]
    assert pressed
    assert pressed == [report.at_ns for report in reports if isinstance(report, Glitch)]
    assert not any(isinstance(report, Release) for report in reports)


@given(durations, durations)
def test_presses_and_their_ends_alternate_on_each_line(left: list[int], right: list[int]) -> None:
    """Whatever the lines do, each press is followed by exactly one end."""
    edges = edges_of(0, left) + [ButtonEdge("right", e.pressed, e.at_ns) for e in edges_of(3, right)]
    reports = run(sorted(edges, key=lambda edge: edge.at_ns), 10**6)
    for line in ("left", "right"):
        ends = [
            report
            for report in reports
            if report.line == line and isinstance(report, DebouncedPress | Release | Glitch)
        ]
        for first, second in pairwise(sorted(ends, key=lambda report: (report.at_ns, isinstance(report, Glitch)))):
            assert isinstance(first, DebouncedPress) is not isinstance(second, DebouncedPress)
        times = {edge.at_ns for edge in edges if edge.line == line}
        assert {report.at_ns for report in ends} <= times


@given(durations, durations)
def test_the_latest_spike_is_retracted_first(left: list[int], right: list[int]) -> None:
    """When a spike is reported, no later press may still prove to be a spike."""
    edges = edges_of(0, left) + [ButtonEdge("right", e.pressed, e.at_ns) for e in edges_of(3, right)]
    reports = run(sorted(edges, key=lambda edge: edge.at_ns), 10**6)
    for i, report in enumerate(reports):
        if isinstance(report, Glitch):
            before = {r.at_ns for r in reports[:i] if isinstance(r, DebouncedPress)}
            after = {r.at_ns for r in reports[i + 1 :] if isinstance(r, Glitch)}
            assert not {at for at in after & before if at > report.at_ns}
