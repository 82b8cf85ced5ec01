"""What spectators may see of games in progress, as the event's rules allow: a setting of each division.

The law: nobody sees more here than the setting says, and a board that is held back is held back everywhere: on the
pages, in the files, and among the published transcripts until the division is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

import msgspec

from engine.text import say
from engine.tournament.model import Event
from kiosk.head.errors import HeadError
from kiosk.head.publish.naming import AS_ENTERED, NameStyle, Naming


class Boards(StrEnum):
    """When the board of a game is shown: at once, some moves later, after the game, never before the division is
    over."""

    LIVE = "live"
    DELAYED = "delayed"
    FINISHED = "finished"
    OFF = "off"


MOST_DELAY = 60


@dataclass(frozen=True, slots=True)
class Spectators:
    """``delay``: moves by which a delayed board is behind. ``naming``: under which names the event is published."""

    boards: Boards = Boards.LIVE
    delay: int = 6
    naming: Naming = AS_ENTERED

    def line(self) -> SpectatorsLine:
        """As it is stored."""
        return SpectatorsLine(self.boards, self.delay, _NamesLine(self.naming.everybody, self.naming.minors))


class _NamesLine(msgspec.Struct, frozen=True):
    everybody: NameStyle = NameStyle.FULL
    minors: NameStyle = NameStyle.FULL


class SpectatorsLine(msgspec.Struct, frozen=True):
    """The setting in the store: what is missing is as in a division that was never asked."""

    boards: Boards = Boards.LIVE
    delay: Annotated[int, msgspec.Meta(ge=0, le=MOST_DELAY)] = 6
    names: _NamesLine = _NamesLine()

    def setting(self) -> Spectators:
        return Spectators(self.boards, self.delay, Naming(self.names.everybody, self.names.minors))


def read_spectators(said: Mapping[str, object]) -> Spectators:
    """The setting that a form names.

    :raises HeadError: a value that does not exist.
    """
    try:
        return msgspec.convert(said, SpectatorsLine).setting()
    except msgspec.ValidationError as error:
        raise HeadError(
            say("the setting for spectators cannot be used: {error}; choose from the lists", error=error)
        ) from error


def shown_board(setting: Spectators, board: str | None, boards: tuple[str, ...], *, finished: bool) -> str | None:
    """The board that spectators see of a game. ``board``: as it lies now; ``boards``: after each turn so far."""
    match setting.boards:
        case Boards.LIVE:
            return board
        case Boards.DELAYED if not finished:
            return boards[-1 - setting.delay] if len(boards) > setting.delay else None
        case Boards.DELAYED | Boards.FINISHED:
            return board if finished else None
        case Boards.OFF:
            return None


def shown_event(event: Event, setting: Spectators, *, over: bool) -> Event:
    """The event as anybody may have it. ``over``: no board is held back then. What the desk noted of a player, and what
    he paid, is nobody's business."""
    players = tuple(replace(player, remark=None, fee=None) for player in event.players)
    event = replace(event, players=players)
    if over or setting.boards is not Boards.OFF:
        return event
    rounds = tuple(
        replace(one, games=tuple(replace(game, transcript=None) for game in one.games)) for one in event.rounds
    )
    return replace(event, rounds=tuple(rounds))
