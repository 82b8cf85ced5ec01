"""Arbiter orders as JSON of CONTRACT.md, in seconds and names, for scripts and for the head.

An order has exactly the fields of its row in ``rulings``; an error names the missing or unknown one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.board.color import Color
from engine.i18n import say
from engine.match.arbiter_order_specs import RULINGS
from engine.match.match_events import Action, ArbiterOrder, MatchEventError, color_or_seat
from engine.match.model import seconds_to_ns
from engine.match.rulesets import NoShowPolicy

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
        raise MatchEventError(
            say(
                "unknown arbiter action {action}; known: {known}",
                action=repr(body.get("action")),
                known=", ".join(Action),
            )
        ) from None
    row = RULINGS[action]
    fields = (*row.fields, *row.optional)
    if unknown := [name for name in body if name not in ("action", "reason", *fields)]:
        raise MatchEventError(say("arbiter {action}: unknown field {unknown}", action=action, unknown=repr(unknown[0])))
    if missing := [name for name in row.fields if name not in body]:
        raise MatchEventError(
            say("arbiter {action}: field {missing} is missing", action=action, missing=repr(missing[0]))
        )
    reason = body.get("reason", "")
    if not isinstance(reason, str):
        raise MatchEventError(say("arbiter {action}, field reason: must be a text", action=action))
    values: dict[str, Any] = {}
    for name in (name for name in fields if name in body):
        try:
            values[_EVENT_FIELDS[name]] = _read(name, body[name])
        except ValueError as error:
            raise MatchEventError(
                say("arbiter {action}, field {name}: {why}", action=action, name=name, why=error)
            ) from error
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
