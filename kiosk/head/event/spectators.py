"""What may be public of an event: a setting of each division, and the functions that every public page, file and stream
asks: ``shown_moment`` of a game in play, ``shown_event`` of players and event files.

Nobody sees more than the setting says, and a game that is held back is held back as a whole and everywhere: its board,
clocks, moves, count and phase, on the pages, in the streams and in the files, and its moves among the published
transcripts until the division is over. A result that was handed in is no secret. A gathering whose players are as
``shown_event`` has them is made by ``kiosk.head.event.public``; it is what public pages get.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Protocol

import msgspec

from engine.text import say
from engine.tournament.model import Event
from kiosk.head.errors import HeadError
from kiosk.head.publish.naming import AS_ENTERED, NameStyle, Naming, public_event
from kiosk.shapes import learned


class Boards(StrEnum):
    """When a game in play is shown: at once, some moves later, some seconds later, after the game, never before the
    division is over."""

    LIVE = "live"
    DELAYED = "delayed"
    SECONDS = "seconds"
    FINISHED = "finished"
    OFF = "off"


MOST_DELAY = 60
MOST_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Spectators:
    """``delay``: moves by which a delayed game is behind, ``seconds``: seconds after the head heard of it. ``naming``:
    under which names the event is published. ``worth``: whether spectators are told what a position is worth.
    ``details``: whether years of birth and the numbers of lists are published."""

    boards: Boards = Boards.LIVE
    delay: int = 6
    naming: Naming = AS_ENTERED
    seconds: int = 60
    worth: bool = False
    details: bool = False

    @property
    def tells_worth(self) -> bool:
        """Not of a board that lies so on its table now: a player could look at it."""
        match self.boards:
            case Boards.DELAYED:
                return self.worth and self.delay > 0
            case Boards.SECONDS:
                return self.worth
            case _:
                return False

    def line(self) -> SpectatorsLine:
        """As it is stored."""
        names = _NamesLine(self.naming.everybody, self.naming.minors)
        return SpectatorsLine(self.boards, self.delay, names, self.seconds, self.worth, self.details)


class _NamesLine(msgspec.Struct, frozen=True):
    everybody: NameStyle = NameStyle.FULL
    minors: NameStyle = NameStyle.FULL


class SpectatorsLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """The setting in the store: what is missing is as in a division that was never asked."""

    boards: Boards = Boards.LIVE
    delay: Annotated[int, msgspec.Meta(ge=0, le=MOST_DELAY)] = 6
    names: _NamesLine = _NamesLine()
    seconds: Annotated[int, msgspec.Meta(ge=1, le=MOST_SECONDS)] = 60
    worth: bool = False
    details: bool = False

    def setting(self) -> Spectators:
        naming = Naming(self.names.everybody, self.names.minors)
        return Spectators(self.boards, self.delay, naming, self.seconds, self.worth, self.details)


def read_spectators(said: Mapping[str, object]) -> Spectators:
    """The setting that a form names.

    :raises HeadError: a value that does not exist.
    """
    try:
        return msgspec.convert(said, learned(SpectatorsLine)).setting()
    except msgspec.ValidationError as error:
        raise HeadError(
            say("the setting for spectators cannot be used: {error}; choose from the lists", error=error)
        ) from error


class Seen(Protocol):
    """A game at one moment. ``turns``: how many were completed; ``heard_ms``: when the head heard of it."""

    @property
    def turns(self) -> int: ...

    @property
    def heard_ms(self) -> int: ...


def shown_moment(setting: Spectators, story: Sequence[Seen], now_ms: int, *, finished: bool) -> int | None:
    """The place in ``story``, a game from its start to now, of the moment that spectators see; None: none of it yet.
    Every page, stream and file of a game in play asks this, and nothing else."""
    last = len(story) - 1
    match setting.boards:
        case Boards.SECONDS:
            wanted = (at for at in range(last, -1, -1) if story[at].heard_ms <= now_ms - 1000 * setting.seconds)
            found = next(wanted, None)
        case Boards.LIVE:
            found = last
        case Boards.DELAYED if not finished:
            most = story[last].turns - setting.delay if story else 0
            found = next((at for at in range(last, -1, -1) if 0 < story[at].turns <= most), None)
        case Boards.DELAYED | Boards.FINISHED:
            found = last if finished else None
        case Boards.OFF:
            found = None
    return found if story else None


def shown_event(event: Event, setting: Spectators, *, over: bool, day: str = "") -> Event:
    """Return the event as anybody may have it. ``over``: no board is held back then. ``day``: of the gathering, where
    the event itself has none."""
    if day and not event.date:
        event = replace(event, date=day)
    event = public_event(event, setting.naming, details=setting.details)
    if over or setting.boards is not Boards.OFF:
        return event
    rounds = tuple(
        replace(one, games=tuple(replace(game, transcript=None) for game in one.games)) for one in event.rounds
    )
    return replace(event, rounds=rounds)
