"""Detection of replayed pushes, and of several machines that send in one venue's name.

A push counts only once, and only from a machine that has received the last answer to it. So a replayed push is only a
query, and two machines with the same key are detected, whatever their clocks say.
"""

from __future__ import annotations

import secrets

#: machines whose tickets are known; a restarted venue counts as a new machine
MOST = 64
#: seconds for which two concurrent machines are reported
SAID_S = 300.0


class SenderTracker:
    """The machines of one venue. Not thread-safe."""

    def __init__(self) -> None:
        self._tickets: dict[str, str] = {}
        self._speaking = ""
        self._spoke: set[str] = set()
        self._twice_s: float | None = None

    def ticket(self, sender: str) -> str:
        """Return the ticket that its next push must contain."""
        if sender not in self._tickets:
            self._tickets[sender] = secrets.token_hex(16)
            while len(self._tickets) > MOST:
                gone = next(iter(self._tickets))
                del self._tickets[gone]
                self._spoke.discard(gone)
        return self._tickets[sender]

    def counts(self, sender: str, ticket: str, now_s: float) -> bool:
        """Check whether a push is the next one of its machine; if so, its ticket is used up."""
        if not ticket or self._tickets.get(sender) != ticket:
            return False
        del self._tickets[sender]  # the machine heard most recently is dropped last
        if sender != self._speaking and sender in self._spoke:
            self._twice_s = now_s  # one machine, another, and the first again
        self._speaking = sender
        self._spoke.add(sender)
        self.ticket(sender)
        return True

    def several(self, now_s: float) -> bool:
        """Check whether two machines have sent in turns."""
        return self._twice_s is not None and now_s - self._twice_s < SAID_S
