"""Table of the arbiter's orders: when each is possible, its fields, whether it needs a reason, and whether it is grave;
and the reading of an order as the head sends it (M43-20 to M43-23, M43-28; K-05, K-15).

- This table is the only definition. ``apply_arbiter_order`` refuses orders by it, ``read_order`` parses
  them by it, and the forms at the table and at the head are made from it.
- K-15 wants every order logged with a reason. An order that changes a clock, a result or its rating must have one.
  Optional is the reason of an order that only states what is visible at the board or on the clock (a player is late, a
  flag fell, a challenge is justified or not), or that stops or resumes the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.board.color import Color
from engine.i18n import Text, raised_as, say
from engine.match.match_events_and_effects import Action, ArbiterOrder, MatchEventError, color_or_seat
from engine.match.match_state import RUNNING, MatchState
from engine.match.match_value_types import WAITS_FOR, Phase, seconds_to_ns
from engine.match.rule_sets_and_options import FlagCallers, NoShowPolicy


def _always(state: MatchState) -> Text | None:
    return None


@dataclass(frozen=True, slots=True)
class OrderSpec:
    """One order.

    ``title``: its name at the table and at the head. ``fields`` are those of CONTRACT.md beside ``action`` and
    ``reason``; ``optional`` ones may be left out. ``unless`` returns what besides the phase forbids the order now, None
    if nothing does. ``grave``: it ends the game or changes its value, so the arbiter is asked to confirm it.
    """

    title: Text
    phases: frozenset[Phase]
    fields: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    unless: Callable[[MatchState], Text | None] = _always
    needs_reason: bool = False
    grave: bool = False


def _clock_is_stopped(state: MatchState) -> Text | None:
    return say("the clock is already stopped") if state.clock.running is None else None


def _cannot_resume(state: MatchState) -> Text | None:
    """Return why the game cannot be resumed.

    RULES.md 3.7: where the rule set says so, the arbiter starts the first player's time. An end that was declared too
    soon is taken back (M43-22); a game that ended by itself is not resumed.
    """
    if state.phase is Phase.READY and not state.rules.arbiter_starts:
        return state.start_press_text
    if state.phase is Phase.ENDED and state.ended_from is None:
        return say("nobody declared this end, so there is none to take back")
    return None


def _no_challenge(state: MatchState) -> Text | None:
    return say("there is no challenge to rule on") if state.challenge is None or state.side is None else None


def _no_decision_due(state: MatchState) -> Text | None:
    return None if state.reading_open else say("no game of a late player is waiting for a decision (AMB-05)")


def _turn_was_made(state: MatchState) -> Text | None:
    """Return a refusal once the first move has been made: colours and seats are settled before it; later errors are
    corrected by the result.
    """
    if state.phase is Phase.HOLD and state.resume_phase is not Phase.TURN:
        return say("colours and seats are not being settled now")
    return say("a turn has been made: colours and seats can no longer change") if state.turns or state.pending else None


def _colors_open(state: MatchState) -> Text | None:
    return say("colours are still open: settle the seats first") if state.black_seat is None else None


def _no_deduction(state: MatchState) -> Text | None:
    if state.rules.time_penalty:
        return None
    return say("these rules have no time deductions (M40-18); correct a clock with “Set times and turn”")


def _players_call_flags(state: MatchState) -> Text | None:
    """Return a refusal where only the players may call one flag, as in most rule sets (AMB-39)."""
    players = state.options.who_may_call is FlagCallers.PLAYERS
    return say("only the players may point out one flag (M43-15.2)") if players else None


def _nothing_to_give_up(state: MatchState) -> Text | None:
    """Return a refusal on HOLD over a phase with no game to give up: a late player's time, or a win that is fixed
    already (M43-15.1, AMB-08).
    """
    if state.active_phase not in _IN_PLAY:
        return _not_now(Action.RESIGNATION, state.active_phase)
    if state.black_seat is None:
        return say("colours are still open: there is no game to give up; use “Forfeit”")
    return None


_CLOCK_IN_USE = frozenset(Phase) - {Phase.RESULT, Phase.SIGNED, Phase.SUBMITTED}
_NOT_LOCKED = frozenset(Phase) - {Phase.SUBMITTED}
_IN_PLAY = frozenset({Phase.TURN, Phase.CORR, Phase.HOLD, Phase.CHECK})

#: in the order in which a page shows them, the most frequent first
RULINGS: Mapping[Action, OrderSpec] = {
    Action.HOLD: OrderSpec(say("Stop the clock"), RUNNING, unless=_clock_is_stopped),
    Action.RESUME: OrderSpec(
        say("Resume the game"), frozenset({Phase.HOLD, Phase.LATE, Phase.READY, Phase.ENDED}), unless=_cannot_resume
    ),
    Action.CHALLENGE: OrderSpec(
        say("Rule on the challenge"), frozenset({Phase.CORR, Phase.HOLD}), ("upheld",), unless=_no_challenge
    ),
    Action.LATE_READING: OrderSpec(
        say("Never came: decide"), frozenset({Phase.RESULT}), ("reading",), unless=_no_decision_due, grave=True
    ),
    Action.LATE_START: OrderSpec(
        say("Start a late player's clock"), frozenset({Phase.SETUP, Phase.READY}), ("absent",)
    ),
    Action.REOPEN: OrderSpec(
        say("Settle colours and seats again"),
        frozenset({Phase.SETUP, Phase.READY, Phase.TURN, Phase.HOLD}),
        unless=_turn_was_made,
    ),
    Action.SET_TIME: OrderSpec(
        say("Set times and turn"),
        _CLOCK_IN_USE,
        ("black_s", "white_s"),
        ("turn", "move"),
        unless=_colors_open,
        needs_reason=True,
    ),
    Action.DEDUCT: OrderSpec(
        say("Deduct time"), _CLOCK_IN_USE, ("from", "seconds"), unless=_no_deduction, needs_reason=True
    ),
    Action.FLAG: OrderSpec(
        say("Call the flag"), _IN_PLAY | {Phase.ENDED}, (), ("loser",), unless=_players_call_flags, grave=True
    ),
    Action.BOTH_FLAGS: OrderSpec(say("Both flags fell"), _IN_PLAY | {Phase.ENDED}, grave=True),
    Action.RESIGNATION: OrderSpec(
        say("Resignation"), _IN_PLAY, ("loser",), unless=_nothing_to_give_up, needs_reason=True, grave=True
    ),
    Action.FORFEIT: OrderSpec(say("Forfeit"), _NOT_LOCKED, ("loser",), needs_reason=True, grave=True),
    Action.RESULT: OrderSpec(  # M40-15.1: some cards have no disc count
        say("Enter the result"),
        frozenset(Phase),
        ("winner",),
        ("black_discs", "white_discs"),
        needs_reason=True,
        grave=True,
    ),
    Action.UNRATED: OrderSpec(say("Make it unrated"), _NOT_LOCKED, needs_reason=True, grave=True),
}


def _not_now(action: Action, phase: Phase) -> Text:
    return say("{order}: not possible now, {next}", order=RULINGS[action].title, next=WAITS_FOR[phase])


def order_refusal(state: MatchState, action: Action) -> Text | None:
    """Return why the order is not possible now, whatever its figures; None if it is."""
    row = RULINGS[action]
    if state.phase not in row.phases:
        return _not_now(action, state.phase)
    return row.unless(state)


def possible_orders(state: MatchState) -> tuple[Action, ...]:
    """Return the orders to offer now. Whether a flag has fallen is checked only when one is called."""
    offered = (action for action in RULINGS if not order_refusal(state, action))
    return tuple(action for action in offered if not (action is Action.UNRATED and state.unrated))


# Arbiter orders as JSON of CONTRACT.md, in seconds and names, for scripts and for the head.
#
# An order has exactly the fields of its row in the table above; an error names the missing or unknown one.

#: field of CONTRACT.md -> field of the event
_EVENT_FIELDS = {
    "black_s": "black_ns", "white_s": "white_ns", "seconds": "amount_ns", "from": "side", "loser": "side",
    "absent": "side", "winner": "winner", "black_discs": "black_discs", "white_discs": "white_discs",
    "turn": "turn", "upheld": "upheld", "reading": "reading", "move": "move",
}  # fmt: skip


def read_order(at_ns: int, body: Mapping[str, object]) -> ArbiterOrder:
    """Return the event of an order such as ``{"action": "deduct", "from": "black", "seconds": 60, "reason": "..."}``.

    :raises EventError: a field is unknown, missing or of the wrong type; the message names it.
    """
    try:
        action = Action(body.get("action"))  # type: ignore[arg-type]
    except ValueError:
        text = say("unknown arbiter action {action}; known: {known}", known=", ".join(Action))
        raise MatchEventError(text(action=repr(body.get("action")))) from None
    row = RULINGS[action]
    fields = (*row.fields, *row.optional)
    if unknown := [name for name in body if name not in ("action", "reason", *fields)]:
        raise MatchEventError(say("arbiter {action}: unknown field {unknown}", action=action, unknown=repr(unknown[0])))
    if missing := [name for name in row.fields if name not in body]:
        text = say("arbiter {action}: field {missing} is missing", action=action)
        raise MatchEventError(text(missing=repr(missing[0])))
    reason = body.get("reason", "")
    if not isinstance(reason, str):
        raise MatchEventError(say("arbiter {action}, field reason: must be a text", action=action))
    values: dict[str, Any] = {}
    unread = say("arbiter {action}, field {name}: {why}", action=action)
    for name in (name for name in fields if name in body):
        with raised_as(MatchEventError, unread(name=name), ValueError):
            values[_EVENT_FIELDS[name]] = _read(name, body[name])
    return ArbiterOrder(at_ns, action, reason, **values)


def _read(name: str, value: object) -> object:
    match name:
        case "black_s" | "white_s" | "seconds":
            return seconds_to_ns(value)
        case "from" | "loser" | "absent":
            return color_or_seat(value)
        case "winner":
            return None if value in (None, "draw") else Color(value)  # type: ignore[arg-type]
        case "turn":
            return None if value is None else Color(value)  # type: ignore[arg-type]
        case "upheld":
            if not isinstance(value, bool):
                raise MatchEventError(say("must be true or false"))
            return value
        case "reading":
            if value not in (NoShowPolicy.FORFEIT, NoShowPolicy.CHOICE):
                raise MatchEventError(say("must be forfeit or choice"))
            return NoShowPolicy(value)  # type: ignore[arg-type]
        case "black_discs" | "white_discs" if value is None:
            return None  # M40-15.1: the card has no disc count
        case _:
            if type(value) is not int:
                raise MatchEventError(say("must be an integer"))
            return value
