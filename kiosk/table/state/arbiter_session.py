"""The arbiter's screen as a value: which page is open, what is marked, what is being filled in.

The law: a session holds nothing that is the game's. Leaving it at any moment changes nothing; only a ruling that was
seen in the preview and then held does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.match.events import Action, Arbiter

SECOND_NS = 1_000_000_000
#: wrong PINs in a row before the screen waits, and how long; each further wrong one doubles the wait
FREE_TRIES = 3
LOCK_NS = 60 * SECOND_NS
LONGEST_LOCK_NS = 15 * 60 * SECOND_NS


#: of a choice that nobody has made yet
NONE_YET = -1


class Page(StrEnum):
    PIN = "pin"
    HOME = "home"
    FORM = "form"
    REASON = "reason"
    PREVIEW = "preview"
    NOTES = "notes"
    REPLAY = "replay"
    BOARD = "board"
    CLUB = "club"  # a free clock's presets, one of them, its names
    CLUB_PRESET = "club-preset"
    CLUB_CHOUCHOU = "club-chouchou"
    CLUB_CONTROL = "club-control"
    CLUB_NAMES = "club-names"
    CLUB_DISPLAY = "club-display"


CLUB_PAGES = frozenset(page for page in Page if page.startswith("club"))


class Task(StrEnum):
    """The lines of the home page, in the order in which they stand there."""

    RESUME = "resume"
    CHALLENGE = "challenge"
    LATE_READING = "late_reading"
    SET_TIME = "set_time"
    DEDUCT = "deduct"
    FLAG = "flag"
    BOTH_FLAGS = "both_flags"
    LATE_START = "late_start"
    RESULT = "result"
    FORFEIT = "forfeit"
    RESIGNATION = "resignation"
    UNRATED = "unrated"
    REOPEN = "reopen"
    BOARD = "board"
    NOTES = "notes"
    REPLAY = "replay"
    TABLE = "table"


#: the lines that are orders to the game
ORDERS: Mapping[Task, Action] = {task: Action(task.value) for task in Task if task.value in set(Action)}


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to fill in. ``values`` are figures below ``limits``; with ``options`` there is one value, the index of
    the option that is taken, ``NONE_YET`` where whoever decides must take one himself."""

    name: str
    values: tuple[int, ...]
    limits: tuple[int, ...]
    options: tuple[str, ...] = ()
    letters: str = ""  # what the figures stand for, where they are no figures

    @property
    def option(self) -> str:
        return self.options[self.values[0]] if self.is_filled else ""

    @property
    def is_filled(self) -> bool:
        return NONE_YET not in self.values

    @property
    def number(self) -> int:
        """The figures read as one number: of ``mm:ss`` the seconds, else decimal."""
        total = 0
        for value, limit in zip(self.values, self.limits, strict=True):
            total = total * limit + value
        return total


Form = tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """``used_ns``: when it was last used. ``entered``: figures of the PIN or of a reason's code; ``figure`` is the one
    that the buttons are turning. ``cell``: what is marked: a line of a list, or a figure of a form. ``ruling``: what
    the preview shows and a held button carries out. ``said``: the outcome of the last ruling, a key of the words."""

    used_ns: int
    game: str = ""  # the game it was opened for
    page: Page = Page.PIN
    cell: int = 0
    entered: tuple[int, ...] = ()
    figure: int = 0
    checking: bool = False
    task: Task | None = None
    form: Form = ()
    reason: str = ""
    coding: bool = False  # on REASON: a code is being typed
    ruling: Arbiter | None = None
    preset: int = 0  # on the pages of a free clock: the one that is changed, and what stands on each of its pages
    forms: tuple[Form, ...] = ()
    draft: str = ""  # on BOARD: the board as it stands on the table
    turned: bool = False  # for an arbiter who stands at the other side
    said: str = ""

    @property
    def is_open(self) -> bool:
        """Whether an arbiter has opened it: before his PIN was right nothing of the game is shown."""
        return self.page is not Page.PIN and self.page not in CLUB_PAGES


@dataclass(frozen=True, slots=True)
class Pin:
    """``hash``: what the right figures hash to (``kiosk.table.arbiter.pin``), empty if there is none. ``digits``: how
    many figures it has. ``wrong``: tries since the last right one; ``locked_until_ns``: no try is taken before."""

    hash: str = ""
    digits: int = 4
    wrong: int = 0
    locked_until_ns: int = 0

    def after_wrong(self, at_ns: int) -> Pin:
        wrong = self.wrong + 1
        until_ns = self.locked_until_ns
        if wrong >= FREE_TRIES:
            until_ns = at_ns + min(LOCK_NS << min(wrong - FREE_TRIES, 10), LONGEST_LOCK_NS)
        return Pin(self.hash, self.digits, wrong, until_ns)

    def after_right(self) -> Pin:
        return Pin(self.hash, self.digits)

    @property
    def is_set(self) -> bool:
        return bool(self.hash)


@dataclass(frozen=True, slots=True)
class Countdown:
    """The clock goes on at ``until_ns``, exactly."""

    from_ns: int
    until_ns: int
    ruling: Arbiter
