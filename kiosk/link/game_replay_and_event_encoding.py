"""Replay of a game from a table's records, and the encoding of match events as bodies of records.

The table uses it after a start, the head for its live view, for the log of arbiter actions and for replaced devices.
The game depends only on the records and the rules. A record that belongs to no game changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Protocol, get_args

import msgspec

from engine.copy_with_changes import replace
from engine.i18n import say
from engine.match import MatchState, new_match, step
from engine.match import match_events_and_effects as events
from engine.match.match_value_types import NS_PER_S, GameStage, MatchError, Seat, Setup
from kiosk.json_validation import ValidationError, read, strict_struct
from kiosk.link.errors import MessageError, UnfollowableRecordError
from kiosk.link.link_messages import Assigned, Assignment, from_dict


class ReplayInput(Protocol):
    """A record in the form of a journal, a store or the link."""

    @property
    def type(self) -> str: ...

    @property
    def body(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """State of a replayed game.

    - ``player_at``: seat -> index into the assignment's players; ``seated_early``: known before anybody was late.
    - ``event``: the match event of the last record, None if it had none; ``effects``: the effects of its step.
    """

    assignment: Assignment | None = None
    player_at: Mapping[Seat, int] = field(default_factory=dict)
    seated_early: bool = False
    match: MatchState | None = None
    event: events.Event | None = None
    effects: tuple[events.Effect, ...] = ()

    @property
    def name(self) -> str:
        """Return the game's name; empty: there is no game."""
        return "" if self.assignment is None else self.assignment.game


NO_GAME = ReplayedGame()


def replay_record(game: ReplayedGame, record: ReplayInput, at_ns: int = 0) -> ReplayedGame:
    """Return ``game`` after ``record``, which was made at ``at_ns`` of the table's time as far as that is known.

    :raises UnfollowableRecordError: the record is of another version, or the rules reject its event.
    """
    try:
        return _apply(game, record, at_ns)
    except (MessageError, MatchError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        text = say("a record of type {type} of game {game} cannot be followed: {why}")
        raise UnfollowableRecordError(text(type=record.type, game=game.name or "none", why=error)) from error


def _apply(game: ReplayedGame, record: ReplayInput, at_ns: int) -> ReplayedGame:
    body = record.body
    match record.type:
        case "assigned":
            assigned = from_dict(Assigned, body)
            return ReplayedGame(assigned.assignment, match=initial_state(assigned, at_ns))
        case "seated":
            at = {Seat(seat): int(index) for seat, index in body["at"].items()}
            early = game.match is None or game.match.late is None
            return replace(game, player_at=at, seated_early=early, event=None, effects=())
        case "withdrawn":
            return NO_GAME
        case "event" if game.match is not None and body["game"] == game.name:
            event = event_from_dict(body["event"])
            match, effects = step(game.match, event)
            game = replace(game, match=match, event=event, effects=effects)
            return replace(game, player_at={}) if frees_seats(event, match, game.seated_early) else game
        case _:
            return replace(game, event=None, effects=())


def frees_seats(event: events.Event, match: MatchState, seated_early: bool) -> bool:
    """Return whether the players may choose their seats again. M43-12.1: the seat that the player present has chosen
    stands, and the late player's clock with it; only an arbiter may change that.
    """
    if isinstance(event, events.Reopen):
        return match.late is None or not seated_early
    return isinstance(event, events.ArbiterOrder) and event.action is events.Action.REOPEN


def initial_state(assigned: Assigned, at_ns: int) -> MatchState:
    """Return the state before the game's start, with its seats still open.

    :raises engine.match.MatchError: the rule set, an option or the time is not usable.
    """
    game = assigned.assignment
    setup = Setup(
        rules=game.rules,
        stage=GameStage(game.stage),
        main_ns=game.main_s * NS_PER_S,
        has_board_source=assigned.has_board_source,
        options=game.options,
    )
    return new_match(setup, at_ns)


# --- match events as JSON bodies of journal entries and records ----------------------------------------------------

_TYPES: dict[str, type[events.Event]] = {
    "press": events.Press, "retract": events.Retract, "board": events.BoardReported, "reread": events.CorrectReading,
    "claim": events.PlayerClaim, "declare": events.Declare, "choose": events.Choose,
    "stop_free_play": events.StopFreePlay, "agree": events.Agree, "hold": events.Hold,
    "declare_end": events.DeclareEnd, "pass": events.Pass, "discs": events.DiscCount,
    "penalty": events.CapturePenalty, "confirm": events.Confirm, "arbiter": events.ArbiterOrder,
    "arrive": events.Arrive, "seats": events.SeatsAssigned, "reopen": events.Reopen, "submitted": events.Submitted,
    "restart": events.Restart, "tick": events.Tick,
}  # fmt: skip
_NAMES = {type_: name for name, type_ in _TYPES.items()}
#: colours and seats have different names, so one text field holds either
_SIDE = Literal["black", "white", "left", "right"] | None
_FORMS = {
    type_: strict_struct(type_, **({"side": _SIDE} if type_ is events.ArbiterOrder else {}))
    for type_ in get_args(events.Event)
}


def event_to_dict(event: events.Event) -> dict[str, Any]:
    """Return the body of an event: plain integers, texts, booleans, lists and None."""
    body: dict[str, Any] = {"type": _NAMES[type(event)]}
    for field_ in fields(event):
        value = getattr(event, field_.name)
        body[field_.name] = list(value) if isinstance(value, tuple) else msgspec.to_builtins(value)
    return body


def event_from_dict(body: Mapping[str, object]) -> events.Event:
    """Return the event of a body.

    :raises MatchEventError: an unknown type, an unknown or missing field, or a value of the wrong kind; it is named.
    """
    name = body.get("type")
    type_ = _TYPES.get(name) if isinstance(name, str) else None
    if type_ is None:
        raise events.MatchEventError(say("unknown event type {name}", name=repr(name)))
    try:
        checked = read(_FORMS[type_], {field: value for field, value in body.items() if field != "type"})
    except ValidationError as error:
        raise events.MatchEventError(say("event {name}: {why}", name=name, why=error)) from None
    values = msgspec.structs.asdict(checked)
    if type_ is events.ArbiterOrder and values["side"] is not None:
        values["side"] = events.color_or_seat(values["side"])
    return type_(**values)
