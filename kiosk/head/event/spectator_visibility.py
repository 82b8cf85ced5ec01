"""Visibility rules for spectators: a setting of each division. ``shown_moment`` decides about a game in progress,
``kiosk.head.event.publication_redaction_and_latin_names`` about players and event files.

- A game that is held back is held back completely and everywhere: board, clocks, moves, count and phase on pages, in
  streams and in files, and its moves in the published transcripts until the division is over. A submitted result is
  public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Protocol

import msgspec

from kiosk.head.errors import HeadError
from kiosk.json_validation import warm_up


class Boards(StrEnum):
    """When a game in progress is shown: at once, some moves later, some seconds later, after the game, or only after
    the division is over.
    """

    LIVE = "live"
    DELAYED = "delayed"
    SECONDS = "seconds"
    FINISHED = "finished"
    OFF = "off"


class NameStyle(StrEnum):
    """How much of a name is published, from most to least."""

    FULL = "full"
    INITIALS = "initials"
    IDS = "ids"


class NamePolicy(msgspec.Struct, frozen=True):
    """Naming policy. ``minors``: how players under 18 are named; ``everybody``: how all others are."""

    everybody: NameStyle = NameStyle.FULL
    minors: NameStyle = NameStyle.FULL

    @property
    def hides(self) -> bool:
        return self != NamePolicy()


MOST_DELAY = 60
MOST_SECONDS = 3600


class VisibilityRules(msgspec.Struct, frozen=True, omit_defaults=True):
    """Visibility rules of a division. ``delay``: moves by which a delayed game is behind; ``seconds``: after the head
    received it. ``naming``: under which names the event is published. ``worth``: whether spectators see evaluations.
    ``details``: whether years of birth and list numbers are published.
    """

    boards: Boards = Boards.LIVE
    delay: Annotated[int, msgspec.Meta(ge=0, le=MOST_DELAY)] = 6
    naming: NamePolicy = msgspec.field(default_factory=NamePolicy, name="names")
    seconds: Annotated[int, msgspec.Meta(ge=1, le=MOST_SECONDS)] = 60
    worth: bool = False
    details: bool = False

    @property
    def shows_evaluation(self) -> bool:
        """Check whether evaluations may be shown; not of a position that is on the table now, because a player could
        look at it.
        """
        match self.boards:
            case Boards.DELAYED:
                return self.worth and self.delay > 0
            case Boards.SECONDS:
                return self.worth
            case _:
                return False


def read_spectators(settings: Mapping[str, object]) -> VisibilityRules:
    """Return the setting in a form's fields.

    :raises HeadError: a value that does not exist.
    """
    try:
        return msgspec.convert(settings, warm_up(VisibilityRules))
    except msgspec.ValidationError as error:
        raise HeadError.saying(
            "the setting for spectators cannot be used: {error}; choose from the lists", error=error
        ) from error


class GameMoment(Protocol):
    """A game at one moment. ``turns``: number of completed turns; ``heard_ms``: when the head received it."""

    @property
    def turns(self) -> int: ...

    @property
    def heard_ms(self) -> int: ...


def shown_moment(setting: VisibilityRules, story: Sequence[GameMoment], now_ms: int, *, finished: bool) -> int | None:
    """Return the index in ``story``, the moments of a game from its start to now, that spectators see; None: none yet.
    Every page, stream and file of a game in progress uses this function only.
    """
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
