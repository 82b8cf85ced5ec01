"""Profiles of contact behaviour in a hall, as edges: bouncing and worn switches, glitches, knocks, resting arms, two
buttons at once.

A profile gives the edges on the lines of the mover and of the waiting player, and how often the turn must change for
them: once, or not at all. Times are microseconds from the beginning of the mover's turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.debounce_and_button_faults import LOCKOUT_NS, DebouncedPress, Debouncer, Glitch, Report

US = 1_000
MOVER, WAITER = "left", "right"
#: edges of a line that the kernel buffers
KERNEL_QUEUE = 16

Contact = list[int]  # times at which a line changes, closed first


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile. ``make(random)`` returns the contacts of each line; ``moves``: how often the turn must change."""

    make: Callable[[Random], Mapping[str, Contact]]
    moves: int
    stalled: bool = False


def _bounces(random: Random, lasts_us: int) -> Contact:
    """Return a closing contact with bounces for that long, ending closed."""
    edges, at = [0], 0
    while True:
        at += random.randint(50, max(60, lasts_us // 4))
        after = at + random.randint(20, max(30, lasts_us // 8))
        if after >= lasts_us:
            return edges
        edges += [at, after]
        at = after


def _press(random: Random, bounce_us: int = 3_000, hold_us: tuple[int, int] = (60_000, 400_000)) -> Contact:
    closing = _bounces(random, random.randint(100, max(101, bounce_us)))
    opens = closing[-1] + random.randint(*hold_us)
    opening = [opens + at for at in _bounces(random, random.randint(100, max(101, bounce_us)))]
    return [*closing, *opening]


def _worn_switch(random: Random) -> Contact:
    """Return a press on a worn switch: the contact breaks now and then for a few milliseconds while it is held."""
    edges, at, ends = [0], 0, random.randint(80_000, 300_000)
    while True:
        at += random.randint(4_000, 25_000)
        breaks = at + random.randint(100, 8_000)
        if breaks >= ends:
            return [*edges, ends]
        edges += [at, breaks]
        at = breaks


def _bump(random: Random) -> Contact:
    return [0, random.randint(2_500, 12_000)]


def _shifted(contact: Contact, by_us: int) -> Contact:
    return [at + by_us for at in contact]


def _both(random: Random) -> Mapping[str, Contact]:
    first, later = random.sample((MOVER, WAITER), 2)
    return {first: _press(random), later: _shifted(_press(random), random.randint(0, 1_000))}


PROFILES: Mapping[str, Profile] = {
    "a press that bounces for up to 20 ms": Profile(lambda random: {MOVER: _press(random, 20_000)}, 1),
    "a worn switch": Profile(lambda random: {MOVER: _worn_switch(random)}, 1),
    "a storm of bounces that the reader slept through": Profile(
        lambda random: {MOVER: _press(random, 20_000, (80_000, 400_000))}, 1, stalled=True
    ),
    "a spark on the mover's line": Profile(lambda random: {MOVER: [0, random.randint(50, 1_000)]}, 0),
    "a knock at the mover's button": Profile(lambda random: {MOVER: _bump(random)}, 0),
    "a knock at the waiting player's button": Profile(lambda random: {WAITER: _bump(random)}, 0),
    "a spark on both lines": Profile(lambda random: {MOVER: [0, 100], WAITER: [5, random.randint(50, 900)]}, 0),
    "an arm that leans on the waiting player's button": Profile(
        lambda random: {WAITER: _press(random, 3_000, (1_000_000, 9_000_000))}, 0
    ),
    "a finger that stays on after the move": Profile(
        lambda random: {MOVER: _press(random, 3_000, (1_000_000, 9_000_000))}, 1
    ),
    "both buttons within a millisecond": Profile(_both, 1),
}


def edges_of(contacts: Mapping[str, Contact], start_ns: int) -> list[ButtonEdge]:
    found = [
        ButtonEdge(line, index % 2 == 0, start_ns + at * US)
        for line, contact in contacts.items()
        for index, at in enumerate(sorted({*contact}))
    ]
    return sorted(found, key=lambda edge: edge.at_ns)


def as_read(edges: list[ButtonEdge], stalled: bool) -> tuple[list[ButtonEdge], int]:
    """Return the edges that reach the program, and when it first reads. A reader that slept for 25 ms finds the first
    edges only."""
    if not stalled:
        return edges, edges[0].at_ns
    awake_ns = edges[0].at_ns + 25_000_000
    received, slept = [], 0
    for edge in edges:
        slept += edge.at_ns < awake_ns
        if edge.at_ns >= awake_ns or slept <= KERNEL_QUEUE:
            received.append(edge)
    return received, awake_ns


@dataclass(slots=True)
class Clock:
    """The two sides of a table's clock: a press of the running side ends its turn, a disturbance takes that back, and
    nobody replies within the debouncer's ``reply_ns``."""

    law: Debouncer
    running: str = MOVER
    since_ns: int = -(10**12)
    given: tuple[tuple[str, int, int], ...] = ()  # presses that ended a turn: line, time, the time before

    def receive(self, reports: tuple[Report, ...]) -> None:
        for report in reports:
            match report:
                case DebouncedPress(line, at_ns) if line == self.running and at_ns - self.since_ns >= self.law.reply_ns:
                    self.given = (*self.given, (line, at_ns, self.since_ns))
                    self.running, self.since_ns = (WAITER if line == MOVER else MOVER), at_ns
                case Glitch(line, at_ns) if self.given and self.given[-1][:2] == (line, at_ns):
                    self.running, self.since_ns = line, self.given[-1][2]
                    self.given = self.given[:-1]
                case _:
                    pass


def turns_given(profile: Profile, random: Random) -> int:
    """Return how often the turn changed in one trial of the profile."""
    law = Debouncer()
    clock = Clock(law)
    real = edges_of(profile.make(random), 10**9)
    read, looks_ns = as_read(real, profile.stalled)
    for edge in read:
        for now_ns in _deadlines(law, max(edge.at_ns, looks_ns)):
            _look_again(law, clock, real, now_ns)
            clock.receive(law.poll(now_ns))
        clock.receive(law.feed(edge))
    for now_ns in _deadlines(law, real[-1].at_ns + 10 * LOCKOUT_NS):
        _look_again(law, clock, real, now_ns)
        clock.receive(law.poll(now_ns))
    return len(clock.given)


def _deadlines(law: Debouncer, until_ns: int) -> Iterator[int]:
    """Yield the times before ``until_ns`` at which something has to be decided."""
    while (due_ns := law.next_deadline_ns()) is not None and due_ns < until_ns:
        yield due_ns


def _look_again(law: Debouncer, clock: Clock, real: list[ButtonEdge], now_ns: int) -> None:
    """Apply rule 7: if edges of a line may be lost, its level is read from the line itself."""
    for missing in law.missing_edges(now_ns):
        levels = [edge.pressed for edge in real if edge.line == missing.line and edge.at_ns <= now_ns]
        if levels[-1] is missing.pressed:
            clock.receive(law.feed(missing))
