"""Match events as JSON bodies of journal entries and records, validated by msgspec.

``to_dict`` and ``from_dict`` lose nothing; an error names the path of an unknown or missing field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal, get_args

import msgspec

from engine.i18n import say
from engine.match.match_events import (
    Agree,
    ArbiterOrder,
    Arrive,
    BoardReported,
    CapturePenalty,
    Choose,
    Confirm,
    CorrectReading,
    Declare,
    DeclareEnd,
    DiscCount,
    Event,
    Hold,
    MatchEventError,
    Pass,
    PlayerClaim,
    Press,
    Reopen,
    Restart,
    Retract,
    SeatsAssigned,
    StopFreePlay,
    Submitted,
    Tick,
    color_or_seat,
)
from kiosk.json_validation import ValidationError, read, strict_struct

_TYPES: dict[str, type[Event]] = {
    "press": Press, "retract": Retract, "board": BoardReported, "reread": CorrectReading, "claim": PlayerClaim,
    "declare": Declare,
    "choose": Choose, "stop_free_play": StopFreePlay, "agree": Agree, "hold": Hold, "declare_end": DeclareEnd,
    "pass": Pass, "discs": DiscCount, "penalty": CapturePenalty, "confirm": Confirm, "arbiter": ArbiterOrder,
    "arrive": Arrive,
    "seats": SeatsAssigned, "reopen": Reopen, "submitted": Submitted, "restart": Restart, "tick": Tick,
}  # fmt: skip
_NAMES = {type_: name for name, type_ in _TYPES.items()}
#: colours and seats have different names, so one text field holds either
_SIDE = Literal["black", "white", "left", "right"] | None
_FORMS = {
    type_: strict_struct(type_, **({"side": _SIDE} if type_ is ArbiterOrder else {})) for type_ in get_args(Event)
}


def to_dict(event: Event) -> dict[str, Any]:
    """Return the body of an event: plain integers, texts, booleans, lists and None."""
    values = {field.name: getattr(event, field.name) for field in fields(event)}
    return {"type": _NAMES[type(event)]} | {
        name: list(value) if isinstance(value, tuple) else msgspec.to_builtins(value) for name, value in values.items()
    }


def from_dict(body: Mapping[str, object]) -> Event:
    """Return the event of a body.

    :raises EventError: an unknown type, an unknown or missing field, or a value of the wrong kind; it is named.
    """
    name = body.get("type")
    type_ = _TYPES.get(name) if isinstance(name, str) else None
    if type_ is None:
        raise MatchEventError(say("unknown event type {name}", name=repr(name)))
    try:
        line = read(_FORMS[type_], {field: value for field, value in body.items() if field != "type"})
    except ValidationError as error:
        raise MatchEventError(say("event {name}: {why}", name=name, why=error)) from None
    values = msgspec.structs.asdict(line)
    if type_ is ArbiterOrder and values["side"] is not None:
        values["side"] = color_or_seat(values["side"])
    return type_(**values)
