"""Error messages for events that the rules do not allow: what the game waits for.

They go to the log and to the sender of the event, never to the players' screens. They name no flag, no finding and no
move.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.board.color import Color
from engine.i18n import Text, say
from engine.match.match_state import MatchState
from engine.match.match_value_types import IllegalEvent, Phase

#: what the game waits for in each state of RULES.md 3.1
WAITS_FOR: Mapping[Phase, Text] = {
    Phase.SETUP: say("settle colours and seats first"),
    Phase.LATE: say("the late player arrives, or the arbiter decides"),
    Phase.READY: say("White presses to start the game"),
    Phase.TURN: say("the player in turn moves or passes, and presses"),
    Phase.CORR: say("the offender corrects the turn and presses, or the arbiter is called"),
    Phase.HOLD: say("the clock is stopped until the arbiter resumes it"),
    Phase.CHECK: say("the opponent of the last mover declares the end or challenges"),
    Phase.ENDED: say("both check the count, agree and confirm"),
    Phase.FINISH: say("the move in progress is completed first"),
    Phase.CHOICE: say("the winner on time chooses 33-31 or free play"),
    Phase.FREE: say("the winner on time plays on or stops free play"),
    Phase.RESULT: say("both check the card and confirm"),
    Phase.SIGNED: say("the card must be handed in"),
    Phase.SUBMITTED: say("the card is locked; only an arbiter changes it, by a result"),
}


def illegal_event_error(phase: Phase) -> IllegalEvent:
    """Return the error for an event that is not in the table of this phase."""
    return IllegalEvent(say("not possible now: {next}", next=WAITS_FOR[phase]))


def start_press_text(state: MatchState) -> Text:
    """M43-5, OTH-HC-3: return who presses to start the game."""
    if state.first is Color.WHITE:
        return say("Black presses to start a handicap game (OTH-HC-3)")
    return say("White presses to start the game (M43-5)")
