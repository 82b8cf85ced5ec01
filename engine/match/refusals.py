"""What is said when the rules do not allow an event: what it was, when, and what the game waits for instead.

The law: these sentences go to the log and to whoever gave the event, never on the players' screens; they name no flag,
no finding and no move.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.match.events import Event
from engine.match.model import IllegalEvent, Phase

#: what the game waits for in each state of RULES.md 3.1
_NEXT: Mapping[Phase, str] = {
    Phase.SETUP: "settle colours and seats first",
    Phase.LATE: "the late player arrives, or the arbiter decides",
    Phase.READY: "White presses to start the game",
    Phase.TURN: "the player in turn moves or passes, and presses",
    Phase.CORR: "the offender puts his turn right and presses, or the arbiter is called",
    Phase.HOLD: "the clock stands until the arbiter resumes it",
    Phase.CHECK: "the opponent of the last mover declares the end or challenges",
    Phase.ENDED: "both check the count, agree and confirm",
    Phase.FINISH: "the move in progress is completed first",
    Phase.CHOICE: "the winner on time chooses 33-31 or free play",
    Phase.FREE: "the winner on time plays on or stops free play",
    Phase.RESULT: "both check the card and confirm",
    Phase.SIGNED: "the card is handed in",
    Phase.SUBMITTED: "the card is locked; only an arbiter changes it, by a result",
}


def impossible(event: Event, phase: Phase) -> IllegalEvent:
    """The event is not in the table of this phase."""
    return IllegalEvent(f"{type(event).__name__} is not possible in {phase}: {_NEXT[phase]}")
