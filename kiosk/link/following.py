"""What a table's records say of its game: one fold for the table after a start, for the head's picture of the hall, for
what arbiters did, and for a device that comes back.

The law: the table's events and the rules give its game, and nothing else does. A record that is not of the game changes
nothing; one that this version cannot follow raises, and what was known before it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.match import MatchState, new_match, step
from engine.match.effects import Effect
from engine.match.events import Action, Arbiter, Event, Reopen
from engine.match.model import NS_PER_S, MatchError, Seat, Setup, Stage
from engine.text import say
from engine.values import replace
from kiosk.link.errors import MessageError, UnfollowableRecordError
from kiosk.link.match_events import from_dict as event_of
from kiosk.link.messages import Assigned, Assignment, from_dict


class TableRecord(Protocol):
    """A record as a journal, a store or the link has it."""

    @property
    def type(self) -> str: ...

    @property
    def body(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class FollowedGame:
    """``player_at``: seat -> index into the assignment's players; ``seated_early``: that was known before anybody was
    late. ``event`` is what the last record told the match,
    None if it was no event of it; ``effects`` are what the match answered."""

    assignment: Assignment | None = None
    player_at: Mapping[Seat, int] = field(default_factory=dict)
    seated_early: bool = False
    match: MatchState | None = None
    event: Event | None = None
    effects: tuple[Effect, ...] = ()

    @property
    def name(self) -> str:
        """The game's; empty: there is none."""
        return "" if self.assignment is None else self.assignment.game


NOTHING_FOLLOWED = FollowedGame()


def follow(game: FollowedGame, record: TableRecord, at_ns: int = 0) -> FollowedGame:
    """``game`` after ``record``, which was made at ``at_ns`` of the table's time as far as that is known.

    :raises UnfollowableRecordError: the record is not one of this version's, or the rules refuse what it tells.
    """
    try:
        return _follow(game, record, at_ns)
    except (MessageError, MatchError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        raise UnfollowableRecordError(
            say(
                "a record of type {type} of game {game} cannot be followed: {why}",
                type=record.type,
                game=game.name or "none",
                why=error,
            )
        ) from error


def _follow(game: FollowedGame, record: TableRecord, at_ns: int) -> FollowedGame:
    body = record.body
    match record.type:
        case "assigned":
            assigned = from_dict(Assigned, body)
            return FollowedGame(assigned.assignment, match=begin(assigned, at_ns))
        case "seated":
            at = {Seat(seat): int(index) for seat, index in body["at"].items()}
            early = game.match is None or game.match.late is None
            return replace(game, player_at=at, seated_early=early, event=None, effects=())
        case "withdrawn":
            return NOTHING_FOLLOWED
        case "event" if game.match is not None and body["game"] == game.name:
            event = event_of(body["event"])
            match, effects = step(game.match, event)
            game = replace(game, match=match, event=event, effects=effects)
            return replace(game, player_at={}) if frees_seats(event, match, game.seated_early) else game
        case _:
            return replace(game, event=None, effects=())


def frees_seats(event: Event, match: MatchState, seated_early: bool) -> bool:
    """Return whether it is open again who sits where. M43-12.1: the seat that the player present has chosen stands, and
    the late player's clock with it, whatever the players settle anew; an arbiter may open that as well."""
    if isinstance(event, Reopen):
        return match.late is None or not seated_early
    return isinstance(event, Arbiter) and event.action is Action.REOPEN


def begin(assigned: Assigned, at_ns: int = 0) -> MatchState:
    """The game before its start, with its seats still open.

    :raises engine.match.MatchError: the rule set, an option or the time is not usable.
    """
    game = assigned.assignment
    setup = Setup(
        rules=game.rules,
        stage=Stage(game.stage),
        main_ns=game.main_s * NS_PER_S,
        has_board_source=assigned.has_board_source,
        options=game.options,
    )
    return new_match(setup, at_ns)
