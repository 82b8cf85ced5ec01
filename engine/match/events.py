"""Everything that can happen at a table, and how it is written in the journal.

The law: whatever changes a game is one of these values; ``to_dict`` and ``from_dict`` lose nothing, and unknown or
missing fields are named. ``at_ns`` is on the table's monotonic clock; for a press it is the time of the edge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from typing import Any

from engine.board.color import Color
from engine.match.model import MatchError, Seat


class EventError(MatchError, ValueError):
    """A journal body or an arbiter's order is not an event. The message names the field."""


class Choice(StrEnum):
    """What the winner on time takes (M43-15a, M43-15b)."""

    SCORE = "33-31"
    FREE_PLAY = "free-play"


class ClaimOf(StrEnum):
    FLAG = "flag"
    ILLEGAL = "illegal"


class Action(StrEnum):
    """Arbiter actions (K-15)."""

    HOLD = "hold"
    RESUME = "resume"
    SET_TIME = "set_time"
    DEDUCT = "deduct"
    FORFEIT = "forfeit"
    RESULT = "result"
    LATE_START = "late_start"
    UNRATED = "unrated"
    BOTH_FLAGS = "both_flags"  # M43-16.3: others than the players may point it out
    FLAG = "flag"  # TEAM-7.6: an arbiter calls a flag
    RESIGNATION = "resignation"  # TEAM-8.4, AMB-08: a player gave up
    CHALLENGE = "challenge"  # M43-6a.6: the ruling on a challenge


@dataclass(frozen=True, slots=True)
class Press:
    """A debounced press of the button at that seat, at the edge's time."""

    at_ns: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class Retract:
    """The last press was a spike: as if it never happened. ``press_at_ns``, if given, must be that press's time, so
    that the spike of a press that was refused cannot take back an older one."""

    at_ns: int
    press_at_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """A settled reading, 64 characters. ``answers``: the number of the AskBoard it answers; None: unsolicited."""

    at_ns: int
    cells: str
    answers: int | None = None


@dataclass(frozen=True, slots=True)
class Reread:
    """Whoever read the last completed turn read it wrongly: it ended with this board."""

    at_ns: int
    cells: str


@dataclass(frozen=True, slots=True)
class Claim:
    """``by`` claims the opponent's flag, or that the opponent's preceding turn was illegal (``kind`` IM-n, named
    ``squares``: M43-6a.4/5)."""

    at_ns: int
    by: Color
    what: ClaimOf
    kind: str | None = None
    squares: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declare:
    """``by`` declares his own flag (M43-15.2)."""

    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Choose:
    at_ns: int
    choice: Choice


@dataclass(frozen=True, slots=True)
class StopFreePlay:
    at_ns: int


@dataclass(frozen=True, slots=True)
class Agree:
    """The players agree, or not: on an illegal move (CORR), on the result (ENDED)."""

    at_ns: int
    agree: bool


@dataclass(frozen=True, slots=True)
class Hold:
    """A player stops the clock and calls the arbiter (M43-11)."""

    at_ns: int
    seat: Seat


@dataclass(frozen=True, slots=True)
class DeclareEnd:
    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Pass:
    """``by`` says "pass"; his press still has to follow (M43-6b)."""

    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Discs:
    """A count entered by hand."""

    at_ns: int
    black: int
    white: int


@dataclass(frozen=True, slots=True)
class Confirm:
    """``by`` has checked the card, agrees and signs (M43-18.2)."""

    at_ns: int
    by: Color


@dataclass(frozen=True, slots=True)
class Arbiter:
    """An arbiter's order. ``side`` is the absent player, the loser or the one whose time is deducted: a colour, or a
    seat while colours are open. ``turn``: whose turn it is, with the times. ``upheld``: the challenge was right."""

    at_ns: int
    action: Action
    reason: str = ""
    side: Color | Seat | None = None
    black_ns: int | None = None
    white_ns: int | None = None
    amount_ns: int | None = None
    winner: Color | None = None
    black_discs: int | None = None
    white_discs: int | None = None
    turn: Color | None = None
    upheld: bool | None = None


@dataclass(frozen=True, slots=True)
class Arrive:
    """The late player sits down; the clock is stopped (M43-13.1)."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Seats:
    """Settles an open set-up: where Black sits, and who has the draw right."""

    at_ns: int
    black_seat: Seat
    draw_right: Color | None = None


@dataclass(frozen=True, slots=True)
class Submitted:
    """The head has the card."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Restart:
    """The table program came back after a power cut. ``at_ns`` is the last instant the journal knows of: the clock
    is charged up to it, then stands; the program's time goes on from there."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passed; matters only where time alone changes the state (``MatchState.next_deadline_ns``)."""

    at_ns: int


Event = (
    Press | Retract | Board | Reread | Claim | Declare | Choose | StopFreePlay | Agree | Hold | DeclareEnd | Pass
    | Discs | Confirm | Arbiter | Arrive | Seats | Submitted | Restart | Tick
)  # fmt: skip

_TYPES: dict[str, type[Event]] = {
    "press": Press, "retract": Retract, "board": Board, "reread": Reread, "claim": Claim, "declare": Declare,
    "choose": Choose, "stop_free_play": StopFreePlay, "agree": Agree, "hold": Hold, "declare_end": DeclareEnd,
    "pass": Pass, "discs": Discs,
    "confirm": Confirm, "arbiter": Arbiter, "arrive": Arrive, "seats": Seats,
    "submitted": Submitted, "restart": Restart, "tick": Tick,
}  # fmt: skip
_NAMES = {type_: name for name, type_ in _TYPES.items()}


def _integer(value: object) -> int:
    if type(value) is not int:
        raise ValueError("must be an integer")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a text")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise ValueError("must be a list of texts")
    return tuple(_text(item) for item in value)


def color_or_seat(value: object) -> Color | Seat:
    """``black``, ``white``, ``left`` or ``right``."""
    name = _text(value)
    return Seat(name) if name in ("left", "right") else Color(name)


def _optional(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else parse(value)


_PARSERS: dict[str, Callable[[Any], Any]] = {
    "at_ns": _integer, "press_at_ns": _optional(_integer), "seat": Seat, "cells": _text,
    "answers": _optional(_integer), "by": Color, "what": ClaimOf, "kind": _optional(_text), "squares": _texts,
    "choice": Choice, "agree": _flag, "black": _integer, "white": _integer, "action": Action, "reason": _text,
    "side": _optional(color_or_seat), "black_ns": _optional(_integer), "white_ns": _optional(_integer),
    "amount_ns": _optional(_integer), "winner": _optional(Color), "black_discs": _optional(_integer),
    "white_discs": _optional(_integer), "black_seat": Seat, "draw_right": _optional(Color),
    "turn": _optional(Color), "upheld": _optional(_flag),
}  # fmt: skip


def to_dict(event: Event) -> dict[str, object]:
    """The journal body of an event: plain integers, texts, booleans, lists and None."""
    body: dict[str, object] = {"type": _NAMES[type(event)]}
    for field in fields(event):
        value = getattr(event, field.name)
        if isinstance(value, StrEnum):
            value = str(value)
        elif isinstance(value, tuple):
            value = list(value)
        body[field.name] = value
    return body


def from_dict(body: Mapping[str, object]) -> Event:
    """The event of a journal body.

    :raises EventError: an unknown type, an unknown or missing field, or a value of the wrong kind; it is named.
    """
    name = body.get("type")
    type_ = _TYPES.get(name) if isinstance(name, str) else None
    if type_ is None:
        raise EventError(f"unknown event type {name!r}")
    known = {field.name: field for field in fields(type_)}
    if unknown := [key for key in body if key != "type" and key not in known]:
        raise EventError(f"event {name}: unknown field {unknown[0]!r}")
    values: dict[str, Any] = {}
    for key, field in known.items():
        if key in body:
            try:
                values[key] = _PARSERS[key](body[key])
            except ValueError as error:
                raise EventError(f"event {name}, field {key}: {error}") from error
        elif field.default is MISSING:
            raise EventError(f"event {name}: field {key!r} is missing")
    return type_(**values)
