"""What spectators may see of games in progress, as the event's rules allow: a setting of each division.

The law: nobody sees more here than the setting says, and a board that is held back is held back everywhere: on the
pages, in the files, and among the published transcripts until the division is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from engine.text import say
from kiosk.head.errors import HeadError
from kiosk.head.event.state import DivisionState
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

    def as_dict(self) -> dict[str, Any]:
        names = {"everybody": self.naming.everybody.value, "minors": self.naming.minors.value}
        return {"boards": self.boards.value, "delay": self.delay, "names": names}


def read_spectators(body: Mapping[str, Any]) -> Spectators:
    """The setting as it is stored; what is missing is as in a division that was never asked.

    :raises HeadError: a value that does not exist.
    """
    names = body.get("names", {})
    try:
        naming = Naming(NameStyle(names.get("everybody", "full")), NameStyle(names.get("minors", "full")))
        setting = Spectators(Boards(body.get("boards", "live")), int(body.get("delay", 6)), naming)
    except ValueError as error:
        raise HeadError(
            say("the setting for spectators cannot be used: {error}; choose from the lists", error=error)
        ) from error
    if not 0 <= setting.delay <= MOST_DELAY:
        raise HeadError(
            say(
                "the delay is {delay} moves, but it must be 0 to {most_delay}",
                delay=setting.delay,
                most_delay=MOST_DELAY,
            )
        )
    return setting


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


def shown_file(division: DivisionState, *, over: bool) -> dict[str, Any]:
    """The division's event file as anybody may have it. ``over``: nothing is held back then."""
    if over or read_spectators(division.spectators).boards is not Boards.OFF:
        return division.event_file()
    rounds = tuple(
        tuple(
            replace(game, outcome=replace(game.outcome, transcript="")) if game.outcome is not None else game
            for game in games
        )
        for games in division.rounds
    )
    return replace(division, rounds=rounds).event_file()
