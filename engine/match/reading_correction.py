"""Correction of a wrong board reading, for example when a transcriber tapped the wrong square.

- Only the last completed turn is read again, and only while no press waits for its board and no challenge is open.
- The turn is judged as if the new board had been read at first. No clock changes, because a move, a pass and the last
  move all start the same side's time.
"""

from __future__ import annotations

from engine.board.move_diagnosis import Verdict, diagnose
from engine.copy_with_changes import replace
from engine.match.basic_state_changes import Step, file_findings, is_over
from engine.match.judge_board_readings import KINDS, judged_turn, store_reading
from engine.match.match_events import CorrectReading
from engine.match.match_state import MatchState
from engine.match.model import IllegalEvent, Phase, TurnKind
from engine.translatable_text import say


def correct_reading(state: MatchState, event: CorrectReading) -> Step:
    """Judge the last turn again with this board.

    :raises IllegalEvent: there is no such turn, or the board would make it a challenge.
    """
    turn = state.turns[-1] if state.turns else None
    if turn is None or turn.before is None or state.pending or state.challenge is not None:
        raise IllegalEvent(say("no turn can be re-read now"))
    if state.active_phase not in (Phase.TURN, Phase.CHECK):
        raise IllegalEvent(say("no turn can be re-read in {phase}", phase=state.active_phase))
    state = store_reading(state, event.cells)
    diagnosis = diagnose(state.position(turn.before, turn.by), event.cells)
    if diagnosis.verdict is Verdict.UNCHANGED:
        raise IllegalEvent(say("an unchanged board would be a challenge; an arbiter rules on that"))
    ply = len(state.turns)
    read = judged_turn(diagnosis, KINDS[diagnosis.verdict], turn.by, ply, turn.before, event.cells)
    kept = tuple(filed for filed in state.findings if filed.ply != ply)
    state = replace(state, turns=(*state.turns[:-1], read), findings=kept)
    state, effects = file_findings(state, read.findings, event.at_ns)
    if is_over(state, event.cells) and read.kind is not TurnKind.TOO_LARGE:
        phase, side, last_move_ns = Phase.CHECK, turn.by, state.turn_since_ns
    else:
        phase, side, last_move_ns = Phase.TURN, turn.by.opponent, None
    state = replace(state, side=side, last_move_ns=last_move_ns)
    return replace(state, resume_phase=phase) if state.phase is Phase.HOLD else replace(state, phase=phase), effects
