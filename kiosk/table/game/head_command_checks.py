"""Checks of the head's commands at this table: ``check_command(state, command) -> CommandOutcome``, pure.

A command is carried out only for the game and the revision it was issued for. Otherwise it is refused with a message
for the arbiter, and nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.i18n import Text, say
from engine.match.arbiter_order_reader import read_order
from engine.match.match_events import Action, ArbiterOrder, Event, MatchEventError
from engine.match.model import Phase
from kiosk.link.errors import MessageError
from kiosk.link.link_messages import Assignment, Command, Configuration
from kiosk.link.link_messages import from_dict as message_from_dict
from kiosk.table.state import TableState


def _nothing(_: int) -> tuple[Event, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """Outcome of a check. ``refusal``: why not; else a new game (``assignment``), the withdrawal of the game
    (``withdraws``), the tournament's settings (``configuration``), or the events for the match, as a function of the
    time (``events``).
    """

    refusal: Text | None = None
    assignment: Assignment | None = None
    withdraws: bool = False
    events: Callable[[int], tuple[Event, ...]] = _nothing
    configuration: Configuration | None = None


#: phases in which a table may receive another game
BETWEEN_GAMES = frozenset({Phase.SETUP, Phase.READY, Phase.SUBMITTED})


def check_command(state: TableState, command: Command) -> CommandOutcome:
    """Return what ``command`` asks for, or why it is refused."""
    playing = state.assignment.game if state.assignment is not None else None
    if command.kind == "assign":
        return _assignment(state, command)
    if command.kind == "configure":
        return _configuration(command)
    if command.game is not None and command.game != playing:
        return _refused_game(command.game, playing)
    match = state.match
    if match is None:
        return CommandOutcome(say("this table has no game"))
    if command.revision is not None and command.revision != match.revision:
        return CommandOutcome(
            say("the game has moved on: revision {now}, not {then}", now=match.revision, then=command.revision)
        )
    if command.kind == "withdraw":
        return CommandOutcome(withdraws=True)
    if command.kind == "hold":
        return CommandOutcome(
            events=lambda at_ns: (ArbiterOrder(at_ns, Action.HOLD, str(command.body.get("reason", ""))),)
        )
    return _arbiter(command)


def _refused_game(game: str, playing: str | None) -> CommandOutcome:
    if playing is None:
        return CommandOutcome(say("it is for game {asked}, and this table has no game", asked=game))
    return CommandOutcome(say("it is for game {asked}, and this table has {playing}", asked=game, playing=playing))


def _assignment(state: TableState, command: Command) -> CommandOutcome:
    try:
        assignment = message_from_dict(Assignment, command.body)
    except MessageError as error:
        return CommandOutcome(say("the assignment cannot be read: {error}", error=error))
    match = state.match
    if state.assignment is not None and assignment.game == state.assignment.game:
        return CommandOutcome(say("game {game} is at this table already", game=assignment.game))
    if match is not None and match.phase not in BETWEEN_GAMES:
        return CommandOutcome(
            say("game {game} is still being played", game=state.assignment.game if state.assignment else "")
        )
    return CommandOutcome(assignment=assignment)


def _configuration(command: Command) -> CommandOutcome:
    try:
        return CommandOutcome(configuration=message_from_dict(Configuration, command.body))
    except MessageError as error:
        return CommandOutcome(say("the configuration cannot be read: {error}", error=error))


def _arbiter(command: Command) -> CommandOutcome:
    try:
        read_order(0, command.body)
    except MatchEventError as error:
        return CommandOutcome(say("the order cannot be read: {error}", error=error))
    return CommandOutcome(events=lambda at_ns: (read_order(at_ns, command.body),))
