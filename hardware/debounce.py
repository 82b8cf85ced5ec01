"""From raw edges to presses. Pure: no clock, no thread, no timer; time comes in with the edges and with ``poll``.

The law, for each line by itself:

1. The first press edge of an open line counts at once: ``Press`` with the time of that edge.
2. From then on the press lasts, whatever the contact does, until the line has stayed open for ``lockout_ns`` without a
   break. Bounces of closing and of opening, and a chattering hold, therefore never make a second ``Press``.
3. A press is proven when the contact is still there ``proof_ns`` after its first edge: closed then, or later, for
   ``glitch_ns`` without a break. When a press has ended, it was real if it was proven: ``Release`` with the time of the
   last opening. Otherwise it was a disturbance: ``Spike``, which retracts the press at the time it names. (A finger
   that bounces for 20 ms rests on the button for 60 ms and more; static lasts 0.05 to 1 ms, a knock at the table or an
   elbow in passing 2 to 12 ms.) ``is_proven`` is asked by whoever must not act on less.
4. ``Spike`` comes in the reverse order of the presses it retracts: one discharge hits both cables, and only the last
   press can be undone simply. A spike waits for a later press that is still undecided.
5. A press that lasts ``stuck_ns`` is told once as ``Stuck``.
6. An edge to the level that the line already has says nothing (RPi.GPIO reads the level late and repeats itself).
7. The kernel keeps ``QUEUE`` edges of a line for a reader that is busy and loses what comes then: after so many, the
   level is read again before anything is decided (``doubtful``).
8. No hand answers another within ``reply_ns``: two lines that close nearer to each other were pressed at once. Which of
   the two presses counts, the players' turn decides, and not the edge that came first; so this file only says the time.

Feed every waiting edge before ``poll``: a decision of rules 3 to 5 is final when it has been told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hardware.edges import ButtonEdge

LOCKOUT_NS = 30_000_000
GLITCH_NS = 2_000_000
PROOF_NS = 50_000_000
QUEUE = 16
STUCK_NS = 10_000_000_000


@dataclass(frozen=True, slots=True)
class Press:
    """The line closed at ``at_ns``."""

    line: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Spike:
    """The press of this line at ``at_ns`` was a disturbance: as if it had never been."""

    line: str
    at_ns: int


@dataclass(frozen=True, slots=True)
class Release:
    """The line opened at ``at_ns`` after having been held for ``held_ns``."""

    line: str
    at_ns: int
    held_ns: int


@dataclass(frozen=True, slots=True)
class Stuck:
    """The press of this line at ``at_ns`` has lasted ``stuck_ns``: something lies on the button, or it is broken."""

    line: str
    at_ns: int


Report = Press | Spike | Release | Stuck


@dataclass(slots=True)
class _Contact:
    """A press that lasts (rule 2)."""

    line: str
    pressed_at_ns: int
    closed: bool
    changed_at_ns: int
    edges: int = 1  # since the level was last certain
    proven: bool = False
    told_stuck: bool = False


class Debouncer:
    """Joins the edges of all lines into presses; see the law above.

    :param lockout_ns: a press ends when its line has been open this long.
    :param glitch_ns: a contact rests when its line has been closed this long without a break.
    :param stuck_ns: a press this long is told as stuck.
    :param proof_ns: a press is real when its contact rests so long after its first edge, or later.
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
        self._spikes: list[Spike] = []

    @property
    def reply_ns(self) -> int:
        """Rule 8: as long as a line that has opened is not believed."""
        return self._lockout_ns

    @property
    def is_busy(self) -> bool:
        """Whether a press lasts, or something is still to be told of one."""
        return bool(self._contacts or self._spikes)

    def is_proven(self, line: str) -> bool:
        """Whether a press of this line lasts that is no disturbance."""
        contact = self._contacts.get(line)
        return contact is not None and contact.proven

    def opening(self) -> tuple[str, ...]:
        """The lines of presses that last and whose contact is open: a bounce, or its end."""
        return tuple(line for line, contact in self._contacts.items() if not contact.closed)

    def doubtful(self, now_ns: int) -> tuple[ButtonEdge, ...]:
        """Rule 7: the edges that are missing if the lines named in them are not what they are taken to be, for every
        line of which edges may have been lost and something is to be decided. Each is asked once."""
        lost = []
        for contact in self._contacts.values():
            if contact.edges >= QUEUE and min(self._deadlines(contact), default=now_ns + 1) <= now_ns:
                contact.edges = 0
                at_ns = now_ns if contact.closed else contact.changed_at_ns + 1
                lost.append(ButtonEdge(contact.line, not contact.closed, at_ns))
        return tuple(lost)

    def held_at_start(self, line: str, at_ns: int) -> None:
        """This line was found closed when the program started: no press, but it can be stuck and released."""
        self._contacts[line] = _Contact(line, at_ns, True, at_ns, proven=True)

    def feed(self, edge: ButtonEdge) -> tuple[Report, ...]:
        """Takes one edge. The edges of one line come in the order of their times."""
        reports = [*self._decide(edge.line, edge.at_ns), *self._retractions()]
        contact = self._contacts.get(edge.line)
        if contact is None:
            if edge.pressed:
                self._contacts[edge.line] = _Contact(edge.line, edge.at_ns, True, edge.at_ns)
                reports.append(Press(edge.line, edge.at_ns))
        elif contact.closed is not edge.pressed:
            contact.closed = edge.pressed
            contact.changed_at_ns = edge.at_ns
            contact.edges += 1
        return tuple(reports)

    def poll(self, now_ns: int) -> tuple[Report, ...]:
        """What the passing of time alone has decided by ``now_ns``."""
        reports = [report for line in tuple(self._contacts) for report in self._decide(line, now_ns)]
        reports.extend(self._retractions())
        return tuple(reports)

    def next_deadline_ns(self) -> int | None:
        """When ``poll`` may next have something to tell; None while nothing is to be decided."""
        return min((due for contact in self._contacts.values() for due in self._deadlines(contact)), default=None)

    def _deadlines(self, contact: _Contact) -> Iterator[int]:
        if not contact.closed:
            yield contact.changed_at_ns + self._lockout_ns
        elif not contact.proven:
            yield self._rests_ns(contact)
        if not contact.told_stuck:
            yield contact.pressed_at_ns + self._stuck_ns

    def _rests_ns(self, contact: _Contact) -> int:
        """Rule 3: when a closed contact has proved to be a press."""
        return max(contact.changed_at_ns + self._glitch_ns, contact.pressed_at_ns + self._proof_ns)

    def _decide(self, line: str, now_ns: int) -> Iterator[Report]:
        """Rules 3 and 5 for one line up to ``now_ns``; a spike is put aside for rule 4."""
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
                self._spikes.append(Spike(line, start_ns))
            return
        if not contact.told_stuck and now_ns - start_ns >= self._stuck_ns:
            contact.told_stuck = True
            yield Stuck(line, start_ns)

    def _retractions(self) -> Iterator[Spike]:
        """Rule 4: the spikes that no undecided later press stands before, the latest first."""
        if not self._spikes:
            return
        undecided = [contact.pressed_at_ns for contact in self._contacts.values() if not contact.proven]
        barrier_ns = max(undecided, default=None)
        for spike in sorted(self._spikes, key=lambda spike: spike.at_ns, reverse=True):
            if barrier_ns is None or spike.at_ns >= barrier_ns:
                self._spikes.remove(spike)
                yield spike
