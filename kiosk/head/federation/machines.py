"""Which machines send in a venue's name.

The law: a push counts only once, and only from who has read the last answer to it. So an old push that somebody sends
again is a question, and two machines that send with one key are found out, whatever their clocks say.
"""

from __future__ import annotations

import secrets

#: machines whose tickets are known; a venue that restarts is a new one
MOST = 64
#: two that send at once are said so long after
SAID_S = 300.0


class Machines:
    """Of one venue. Not for several threads at once."""

    def __init__(self) -> None:
        self._tickets: dict[str, str] = {}
        self._speaking = ""
        self._spoke: set[str] = set()
        self._twice_s: float | None = None

    def ticket(self, sender: str) -> str:
        """What its next push must carry."""
        if sender not in self._tickets:
            self._tickets[sender] = secrets.token_hex(16)
            while len(self._tickets) > MOST:
                gone = next(iter(self._tickets))
                del self._tickets[gone]
                self._spoke.discard(gone)
        return self._tickets[sender]

    def counts(self, sender: str, ticket: str, now_s: float) -> bool:
        """Whether a push is the next one of its machine; if so, its ticket is used up."""
        if not ticket or self._tickets.get(sender) != ticket:
            return False
        del self._tickets[sender]  # the machine that was heard last is forgotten last
        if sender != self._speaking and sender in self._spoke:
            self._twice_s = now_s  # one, another, and the first one again
        self._speaking = sender
        self._spoke.add(sender)
        self.ticket(sender)
        return True

    def several(self, now_s: float) -> bool:
        """Whether two have sent in turns."""
        return self._twice_s is not None and now_s - self._twice_s < SAID_S
