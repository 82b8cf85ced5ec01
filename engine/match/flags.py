"""Flags: claimed, declared, or never (M43-15, M43-16).

The law: a flag is a latent fact (K-02). Nothing here happens by itself; a player claims his opponent's flag or declares
his own, and only then is it compared with the clock.
"""

from __future__ import annotations

from dataclasses import replace

from engine.board.color import Color
from engine.match import messages
from engine.match.change import Step, conclude, enter, tell, tell_arbiter
from engine.match.events import Claim, Declare
from engine.match.model import End, IllegalEvent, Phase, Result, Stage
from engine.match.reading import settle_correction
from engine.match.rulesets import BothFlags, FlagOutcome
from engine.match.state import MatchState

#: where a flag may be claimed, a HOLD counting as the phase it interrupts
_CLAIMABLE = frozenset({Phase.TURN, Phase.CORR, Phase.CHECK, Phase.ENDED})


def claim_flag(state: MatchState, event: Claim) -> Step:
    """Rows 15, 16, 17 and 21: he says that the opponent's time has run out."""
    return _established(state, event.by.opponent, event.at_ns)


def declare_flag(state: MatchState, event: Declare) -> Step:
    """Rows 15, 16, 17 and 21: he says that his own time has run out."""
    return _established(state, event.by, event.at_ns)


def point_out_both(state: MatchState, at_ns: int) -> Step:
    """Row 17, M43-16.3: others than the players may point out that both flags have fallen."""
    if state.active_phase not in _CLAIMABLE or not both_fell(state, at_ns):
        raise IllegalEvent("both flags have not fallen in play (M43-16)")
    return both_flags(state, at_ns)


def _established(state: MatchState, flagged: Color, at_ns: int) -> Step:
    if state.active_phase not in _CLAIMABLE:
        raise IllegalEvent(f"no flag can be claimed in {state.active_phase}")
    winner = flagged.opponent
    # Row 17 and AMB-37: with both flags down nobody wins on time, whoever speaks first.
    if both_fell(state, at_ns):
        return both_flags(state, at_ns)
    if not state.flag(flagged, at_ns):
        raise IllegalEvent(f"{flagged}'s flag has not fallen")
    # Row 21, M43-15.3 and AMB-06: after the end only the flag of the player who made the last move counts.
    if not counts(state, flagged, at_ns) or (_last_move_made(state) and flagged is not state.side):
        raise IllegalEvent(f"{flagged} did not make the last move; that flag can no longer be claimed (M43-15.3)")
    if state.rules.flag_outcome is FlagOutcome.WIN:
        raise AssertionError("no rule set of this version ends a game so")
    # Row 16, M43-15.4: a move in progress stands and is completed first.
    if state.mid_move and state.side is flagged:
        clock = state.clock
        state = replace(enter(state, Phase.FINISH, flagged, at_ns), clock=clock)  # a clock on HOLD stays so
        return tell(state, messages.finish(flagged, at_ns)), ()
    state, effects = settle_correction(state, at_ns) if state.active_phase is Phase.CORR else (state, ())
    return to_choice(state, winner, at_ns), effects


def to_choice(state: MatchState, winner: Color, at_ns: int) -> MatchState:
    """Rows 11, 15, 16 and 21: the winner on time is fixed, the clocks stand, he chooses (M43-15a/b)."""
    state = enter(replace(state, declared_pass=False), Phase.CHOICE, winner, at_ns)
    return tell(state, messages.choice(winner, at_ns))


def _last_move_made(state: MatchState) -> bool:
    return state.last_move_ns is not None and not state.options.checking_flag_counts


def counts(state: MatchState, color: Color, at_ns: int) -> bool:
    """Whether a flag that fell is one the rules know. The player who only checks the last move is out of the reach
    of his clock (K-06, AMB-06)."""
    flag_at_ns = state.flag_at_ns(color, at_ns)
    if flag_at_ns is None:
        return False
    if not _last_move_made(state) or color is state.side or state.last_move_ns is None:
        return True
    return flag_at_ns <= state.last_move_ns


def both_fell(state: MatchState, at_ns: int) -> bool:
    """Row 17: both flags fell before the last move was completed."""
    return counts(state, Color.BLACK, at_ns) and counts(state, Color.WHITE, at_ns)


def both_flags(state: MatchState, at_ns: int) -> Step:
    """Row 17, M43-16, AMB-07: a draw; in a game that knows no draw its right-holder wins. 32-32, not rated."""
    no_draw = state.setup.stage is Stage.KNOCKOUT or state.rules.both_flags is BothFlags.RIGHT_HOLDER
    if no_draw and state.draw_right is None:
        raise IllegalEvent("nobody holds the draw right in this game: the arbiter enters the result")
    winner = state.draw_right if no_draw else None
    return conclude(state, Result(winner, 32, 32, End.BOTH_FLAGS, rated=False), at_ns), ()


def notice_both(state: MatchState, at_ns: int) -> MatchState:
    """M43-16.3: the arbiter may know it, once; the players are told nothing."""
    if state.active_phase not in (Phase.TURN, Phase.CORR, Phase.CHECK) or not both_fell(state, at_ns):
        return state
    if any(message.kind == "both-flags" for message in state.shown_to_arbiter):
        return state
    return tell_arbiter(state, messages.both_flags(at_ns))
