"""State of the arbiter's screen: the open page, what is marked, what is being entered.

A session holds nothing of the game. Leaving it at any moment changes nothing; only an order that was shown in the
preview and confirmed by a hold does.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.match.match_events_and_effects import Action, ArbiterOrder

SECOND_NS = 1_000_000_000
#: wrong PINs in a row before the screen locks, and for how long; each further wrong one doubles the time
FREE_TRIES = 3
LOCK_NS = 60 * SECOND_NS
LONGEST_LOCK_NS = 15 * 60 * SECOND_NS
#: value of a choice that has not been made
NONE_YET = -1


class ArbiterPage(StrEnum):
    PIN = "pin"
    HOME = "home"
    FORM = "form"
    REASON = "reason"
    PREVIEW = "preview"
    NOTES = "notes"
    REPLAY = "replay"
    BOARD = "board"
    CLUB_HOME = "club-home"  # what can be set on the device without a PIN
    CLUB = "club"  # a free clock's presets, one of them, its names
    CLUB_PRESET = "club-preset"
    CLUB_CHOUCHOU = "club-chouchou"
    CLUB_CONTROL = "club-control"
    CLUB_NAMES = "club-names"
    CLUB_DISPLAY = "club-display"
    CLUB_DEVICE = "club-device"  # brightness and sound
    CLUB_GAMES = "club-games"  # the last games, one of them, and its code for a phone
    CLUB_GAME = "club-game"
    CLUB_PHONE = "club-phone"
    CLUB_OFF = "club-off"  # shutting the device down


CLUB_PAGES = frozenset(page for page in ArbiterPage if page.startswith("club"))
#: those of them that are forms
CLUB_FORMS = frozenset(
    {
        ArbiterPage.CLUB_PRESET, ArbiterPage.CLUB_CHOUCHOU, ArbiterPage.CLUB_CONTROL, ArbiterPage.CLUB_NAMES,
        ArbiterPage.CLUB_DISPLAY, ArbiterPage.CLUB_DEVICE,
    }
)  # fmt: skip


class HomeLine(StrEnum):
    """The lines of the first page of what is set on the device, in their order."""

    PRESETS = "presets"
    SWAP = "swap"
    LANGUAGE = "language"
    DISPLAY = "display"
    DEVICE = "device"
    GAMES = "games"
    OFF = "off"
    CLOSE = "close"


#: the orders on the home page, in their order
ORDERS = (
    Action.RESUME, Action.CHALLENGE, Action.LATE_READING, Action.SET_TIME, Action.DEDUCT, Action.FLAG,
    Action.BOTH_FLAGS, Action.LATE_START, Action.RESULT, Action.FORFEIT, Action.RESIGNATION, Action.UNRATED,
    Action.REOPEN,
)  # fmt: skip


class Task(StrEnum):
    """The lines of the home page after the orders."""

    BOARD = "board"
    NOTES = "notes"
    REPLAY = "replay"
    TABLE = "table"


HomeTask = Action | Task


@dataclass(frozen=True, slots=True)
class Field:
    """One field to fill in. ``values`` are figures below ``limits``; with ``options`` there is one value, the index of
    the chosen option, ``NONE_YET`` where the user must choose.
    """

    name: str
    values: tuple[int, ...]
    limits: tuple[int, ...]
    options: tuple[str, ...] = ()
    letters: str = ""  # the letters that the figures stand for, if any

    @property
    def option(self) -> str:
        return self.options[self.values[0]] if self.is_filled else ""

    @property
    def is_filled(self) -> bool:
        return NONE_YET not in self.values

    @property
    def number(self) -> int:
        """Return the figures as one number: for ``mm:ss`` the seconds, else decimal."""
        total = 0
        for value, limit in zip(self.values, self.limits, strict=True):
            total = total * limit + value
        return total


Form = tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class ArbiterSession:
    """The open screen. ``used_ns``: when it was last used. ``entered``: digits of the PIN or of a reason's code;
    ``figure`` is the one that the buttons turn. ``cell``: the marked line of a list or figure of a form. ``ruling``:
    the order that the preview shows and a held button carries out. ``outcome``: of the last order, a key of
    the words.
    """

    used_ns: int
    game: str = ""  # the game it was opened for
    page: ArbiterPage = ArbiterPage.PIN
    cell: int = 0
    entered: tuple[int, ...] = ()
    figure: int = 0
    checking: bool = False
    task: Action | Task | None = None
    form: Form = ()
    reason: str = ""
    coding: bool = False  # on REASON: a code is being typed
    ruling: ArbiterOrder | None = None
    preset: int = 0  # on the pages of a free clock: the preset being changed, or the game that is looked at
    forms: tuple[Form, ...] = ()  # the content of each page of that preset
    after_game: bool = False  # opened from the menu of a game that is over, to which it returns
    draft: str = ""  # on BOARD: the board as it stands on the table
    turned: bool = False  # for an arbiter who stands at the other side
    outcome: str = ""

    @property
    def is_open(self) -> bool:
        """Whether an arbiter has opened it: before the right PIN nothing of the game is shown."""
        return self.page is not ArbiterPage.PIN and self.page not in CLUB_PAGES


@dataclass(frozen=True, slots=True)
class Pin:
    """The PIN and its failed attempts. ``hash``: of the right digits (``kiosk.table.arbiter.arbiter_controller``),
    empty if there is no PIN. ``digits``: its length. ``wrong``: attempts since the last right one;
    ``locked_until_ns``: no attempt is accepted before.
    """

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
    """A countdown after which the clock resumes, exactly at ``until_ns``."""

    until_ns: int
    ruling: ArbiterOrder
