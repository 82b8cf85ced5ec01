"""Debouncer, which turns raw edges into presses, and faults of buttons. Pure: no clock, no thread, no timer; time is
passed in with the edges and with ``poll``.

Rules, for each line by itself:

1. The first press edge of an open line counts at once: ``DebouncedPress`` with the time of that edge.
2. The press then lasts, whatever the contact does, until the line has stayed open for ``lockout_ns`` without
interruption. Bounces of closing and of opening, and a chattering hold, therefore never make a second
``DebouncedPress``.
3. A press is proven when the contact is still closed ``proof_ns`` after its first edge: closed then, or later, for
``glitch_ns`` without interruption. When a press has ended, it was real if it was proven: ``Release`` with the time of
the last opening. Otherwise it was a disturbance: ``Glitch``, which retracts the press at the time it names. (A finger
that bounces for 20 ms rests on the button for 60 ms and more; static lasts 0.05 to 1 ms, a knock at the table or an
elbow in passing 2 to 12 ms.) Actions that need a proven press check ``is_proven``.
4. ``Glitch`` comes in the reverse order of the presses it retracts: one discharge affects both cables, and only the
last press can be undone simply. A spike waits for a later press that is still undecided.
5. A press that lasts ``stuck_ns`` is reported once as ``StuckButton``.
6. An edge to the level that the line already has is ignored (RPi.GPIO reads the level late and repeats itself).
7. The kernel keeps ``QUEUE`` edges of a line for a busy reader and loses later ones: after so many, the level is read
again before anything is decided (``missing_edges``).
8. No player answers another within ``reply_ns``: two lines that close within that time were pressed at once. The
players' turn decides which of the two presses counts, not the order of the edges; this module only reports the times.

Feed every waiting edge before ``poll``: a reported decision of rules 3 to 5 is final.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from hardware.button_edges_and_time_accuracy import ButtonEdge

LOCKOUT_NS = 30_000_000
GLITCH_NS = 2_000_000
PROOF_NS = 50_000_000
QUEUE = 16
STUCK_NS = 10_000_000_000


@dataclass(frozen=True, slots=True)
class DebouncedPress:
    """The line closed at ``at_ns``."""

    line: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Glitch:
    """The press of this line at ``at_ns`` was a disturbance and is retracted."""

    line: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Release:
    """The line opened at ``at_ns`` after having been held for ``held_ns``."""

    line: str
    at_ns: int
    held_ns: int


@dataclass(frozen=True, slots=True)
class StuckButton:
    """The press of this line at ``at_ns`` has lasted ``stuck_ns``: an object lies on the button, or it is broken."""

    line: str
    at_ns: int


Report = DebouncedPress | Glitch | Release | StuckButton


@dataclass(slots=True)
class _Contact:
    """A press that lasts (rule 2)."""

    line: str
    pressed_at_ns: int
    closed: bool
    changed_at_ns: int
    edges: int = 1  # edges since the level was last certain
    proven: bool = False
    stuck_reported: bool = False


class Debouncer:
    """Converter of the edges of all lines into presses, by the rules of this module.

    :param lockout_ns: a press ends when its line has been open this long.
    :param glitch_ns: a contact is stable when its line has been closed this long without interruption.
    :param stuck_ns: a press this long is reported as stuck.
    :param proof_ns: a press is real when its contact is stable so long after its first edge, or later.
    :raises ValueError: unless 0 < glitch_ns < lockout_ns < stuck_ns and 0 <= proof_ns < stuck_ns.
    """

    def __init__(
        self,
        lockout_ns: int = LOCKOUT_NS,
        glitch_ns: int = GLITCH_NS,
        stuck_ns: int = STUCK_NS,
        proof_ns: int = PROOF_NS,
    ) -> None:
        if not (0 < glitch_ns < lockout_ns < stuck_ns and 0 <= proof_ns < stuck_ns):
            raise ValueError(
                f"need 0 < glitch ({glitch_ns}) < lockout ({lockout_ns}) < stuck ({stuck_ns}) ns, "
                f"and proof ({proof_ns}) below stuck"
            )
        self._proof_ns = proof_ns
        self._lockout_ns = lockout_ns
        self._glitch_ns = glitch_ns
        self._stuck_ns = stuck_ns
        self._contacts: dict[str, _Contact] = {}
        self._spikes: list[Glitch] = []

    @property
    def reply_ns(self) -> int:
        """The interval of rule 8, equal to the lockout time."""
        return self._lockout_ns

    @property
    def is_busy(self) -> bool:
        """Whether a press lasts, or a report of one is pending."""
        return bool(self._contacts or self._spikes)

    def is_proven(self, line: str) -> bool:
        """Return whether a proven press of this line lasts."""
        contact = self._contacts.get(line)
        return contact is not None and contact.proven

    def opening(self) -> tuple[str, ...]:
        """Return the lines of lasting presses whose contact is open: a bounce, or the end of the press."""
        return tuple(line for line, contact in self._contacts.items() if not contact.closed)

    def missing_edges(self, now_ns: int) -> tuple[ButtonEdge, ...]:
        """Return the edges that are missing if the level of a line differs from the assumed one (rule 7), for every
        line that may have lost edges and has a pending decision. Each is returned once."""
        lost = []
        for contact in self._contacts.values():
            if contact.edges >= QUEUE and min(self._deadlines(contact), default=now_ns + 1) <= now_ns:
                contact.edges = 0
                at_ns = now_ns if contact.closed else contact.changed_at_ns + 1
                lost.append(ButtonEdge(contact.line, not contact.closed, at_ns))
        return tuple(lost)

    def held_at_start(self, line: str, at_ns: int) -> None:
        """Record that this line was closed when the program started: no press, but it can be stuck and released."""
        self._contacts[line] = _Contact(line, at_ns, True, at_ns, proven=True)

    def feed(self, edge: ButtonEdge) -> tuple[Report, ...]:
        """Process one edge. The edges of one line must come in the order of their times."""
        reports = [*self._decide(edge.line, edge.at_ns), *self._retractions()]
        contact = self._contacts.get(edge.line)
        if contact is None:
            if edge.pressed:
                self._contacts[edge.line] = _Contact(edge.line, edge.at_ns, True, edge.at_ns)
                reports.append(DebouncedPress(edge.line, edge.at_ns))
        elif contact.closed is not edge.pressed:
            contact.closed = edge.pressed
            contact.changed_at_ns = edge.at_ns
            contact.edges += 1
        return tuple(reports)

    def poll(self, now_ns: int) -> tuple[Report, ...]:
        """Return what the passing of time alone has decided by ``now_ns``."""
        reports = [report for line in tuple(self._contacts) for report in self._decide(line, now_ns)]
        reports.extend(self._retractions())
        return tuple(reports)

    def next_deadline_ns(self) -> int | None:
        """Return when ``poll`` may next return a report; None while no decision is pending."""
        return min((due for contact in self._contacts.values() for due in self._deadlines(contact)), default=None)

    def _deadlines(self, contact: _Contact) -> Iterator[int]:
        if not contact.closed:
            yield contact.changed_at_ns + self._lockout_ns
        elif not contact.proven:
            yield self._rests_ns(contact)
        if not contact.stuck_reported:
            yield contact.pressed_at_ns + self._stuck_ns

    def _rests_ns(self, contact: _Contact) -> int:
        """Return when a closed contact is proven to be a press (rule 3)."""
        return max(contact.changed_at_ns + self._glitch_ns, contact.pressed_at_ns + self._proof_ns)

    def _decide(self, line: str, now_ns: int) -> Iterator[Report]:
        """Yield the reports of rules 3 and 5 for one line up to ``now_ns``; a spike is queued for rule 4."""
        contact = self._contacts.get(line)
        if contact is None:
            return
        start_ns = contact.pressed_at_ns
        if contact.closed:
            contact.proven = contact.proven or now_ns >= self._rests_ns(contact)
        elif now_ns - contact.changed_at_ns >= self._lockout_ns:
            del self._contacts[line]
            if contact.proven:
                yield Release(line, contact.changed_at_ns, contact.changed_at_ns - start_ns)
            else:
                self._spikes.append(Glitch(line, start_ns))
            return
        if not contact.stuck_reported and now_ns - start_ns >= self._stuck_ns:
            contact.stuck_reported = True
            yield StuckButton(line, start_ns)

    def _retractions(self) -> Iterator[Glitch]:
        """Yield the spikes that have no undecided later press, the latest first (rule 4)."""
        if not self._spikes:
            return
        undecided = [contact.pressed_at_ns for contact in self._contacts.values() if not contact.proven]
        barrier_ns = max(undecided, default=None)
        for spike in sorted(self._spikes, key=lambda spike: spike.at_ns, reverse=True):
            if barrier_ns is None or spike.at_ns >= barrier_ns:
                self._spikes.remove(spike)
                yield spike


# Detection of faulty buttons from the debouncer's reports. Pure: time is passed in with the reports.
#
# Faults, for each line by itself:
#
# - ``STUCK``: the debouncer reported a press as stuck; lasts until its release.
# - ``LOOSE``: ``SPIKES`` presses within ``WINDOW_NS`` were retracted because the contact did not hold: a loose wire, a
#   worn switch, or static. Lasts until a press has held and ``WINDOW_NS`` have passed without a spike.
# - ``SILENT``: the expected button has never given an edge, and the other one was pressed ``TRIES`` times out of turn:
#   its wire may be off, or a player is impatient. Lasts until it gives an edge.
#
# The presses of a faulty button still count.

SPIKES = 4
WINDOW_NS = 60_000_000_000
TRIES = 3


class ButtonFault(StrEnum):
    STUCK = "stuck"
    LOOSE = "loose"
    SILENT = "silent"


@dataclass(slots=True)
class _Line:
    stuck: bool = False
    loose: bool = False
    held_since_spike: bool = False
    heard: bool = False
    missed: int = 0
    spikes_ns: list[int] = field(default_factory=list)


class ButtonHealth:
    """Fault state of all lines, fed with the debouncer's reports and with presses out of turn."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line] = {}

    def receive(self, report: Report) -> None:
        line = self._line(report.line)
        match report:
            case DebouncedPress():
                line.heard, line.missed = True, 0
            case Release():
                line.stuck, line.held_since_spike = False, True
            case StuckButton():
                line.stuck = True
            case Glitch(_, at_ns):
                line.held_since_spike = False
                line.spikes_ns = [*(old for old in line.spikes_ns if at_ns - old < WINDOW_NS), at_ns]
                line.loose = line.loose or len(line.spikes_ns) >= SPIKES
            case _:
                pass

    def record_out_of_turn(self, awaited: str) -> None:
        """Record a press of the other button that had no effect, because the press of ``awaited`` has to come first."""
        line = self._line(awaited)
        line.missed += not line.heard

    def faults(self, now_ns: int) -> dict[str, ButtonFault]:
        """Return the faulty lines now; of two faults of a line the first of the list above."""
        found: dict[str, ButtonFault] = {}
        for name, line in self._lines.items():
            if line.loose and line.held_since_spike and now_ns - line.spikes_ns[-1] >= WINDOW_NS:
                line.loose, line.spikes_ns = False, []
            if line.stuck:
                found[name] = ButtonFault.STUCK
            elif line.loose:
                found[name] = ButtonFault.LOOSE
            elif line.missed >= TRIES:
                found[name] = ButtonFault.SILENT
        return found

    def _line(self, name: str) -> _Line:
        return self._lines.setdefault(name, _Line())
