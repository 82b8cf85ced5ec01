"""The staff of a simulated hall: an arbiter who answers calls, through the desk's own acts as the pages do.

The law: staff see what their pages show, and act upon what they saw, which may be old by then.
"""

from __future__ import annotations

import contextlib
from random import Random

from engine.match.model import Phase
from hardware.timebase import NS_PER_S
from kiosk.head.errors import HeadError
from kiosk.simulate.clock import VirtualTime
from kiosk.simulate.head import SimulatedHead

#: between two looks at the floor's page
LOOK_S = 3.0
#: an arbiter is at a table that called after so long
WALK_S = (5.0, 40.0)


class Arbiter:
    def __init__(self, head: SimulatedHead, time: VirtualTime, chance: Random) -> None:
        self._head, self._time, self._chance = head, time, chance
        self._there_ns: dict[tuple[int, str | None], int] = {}

    def look(self) -> None:
        """Goes to each table that is on hold, and lets play go on."""
        program = self._head.program
        if program is None:
            return
        now_ns = self._time.now_ns()
        calls = {(view.number, view.game): view for view in program.live.views() if view.phase == Phase.HOLD.value}
        self._there_ns = {call: at_ns for call, at_ns in self._there_ns.items() if call in calls}
        for call, view in calls.items():
            walk_ns = round(self._chance.uniform(*WALK_S) * NS_PER_S)
            if self._there_ns.setdefault(call, now_ns + walk_ns) > now_ns:
                continue
            self._there_ns[call] = now_ns + walk_ns
            body = {"action": "resume", "reason": "play goes on"}
            with contextlib.suppress(HeadError):  # the game is over by now
                program.desk.orders.send(view.number, "arbiter", revision=view.revision, body=body)
