"""What one table knows at one moment: the value that the views draw and the loop replaces.

The law: the loop is the only writer. A view gets a ``TableState`` and the time, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from engine.match.events import Choice
from engine.match.model import Phase, Seat
from engine.match.state import MatchState
from kiosk.link.messages import Assignment
from kiosk.table.boards.transcriber import Sheet
from kiosk.table.state.arbiter_session import Countdown, Pin, Session


class Language(StrEnum):
    JAPANESE = "ja"
    ENGLISH = "en"


class LinkState(StrEnum):
    """How the head is reached. A table never waits for it (promise 4)."""

    NONE = "none"  # no head configured: a free clock at a club
    DOWN = "down"
    UP = "up"


class SetupStep(StrEnum):
    """Whose button settles the seats next, while the match is in SETUP (K-01: seats first, colours later)."""

    ASK_PLAYER_A = "ask-player-a"  # the first player of the assignment presses at his seat
    ASK_BLACK = "ask-black"  # the player who has Black presses at his seat
    ASK_DRAW_RIGHT = "ask-draw-right"  # the holder of the draw right presses


class HoldChoice(StrEnum):
    """What the player who stopped the clock may choose to say (M43-11, M43-15.2). The last two are there where nobody
    else can say them: a clock without an arbiter goes on, a game that nobody reads is over."""

    ARBITER = "arbiter"
    CLAIM_TIME = "claim-time"
    OWN_TIME_OUT = "own-time-out"
    GO_ON = "go-on"
    END = "end"


#: with an arbiter and a board that is read; ``TableState.hold_choices`` says what there is now
HOLD_CHOICES = (HoldChoice.ARBITER, HoldChoice.CLAIM_TIME, HoldChoice.OWN_TIME_OUT)
TIME_WIN_CHOICES = (Choice.SCORE, Choice.FREE_PLAY)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something an arbiter should know, in the two languages; ``kind`` is stable for tests and the head."""

    kind: str
    ja: str
    en: str
    source: str = ""  # who tells it, and takes it back


@dataclass(frozen=True, slots=True)
class TableState:
    table: int
    assignment: Assignment | None = None
    match: MatchState | None = None
    step: SetupStep | None = None
    black_seat: Seat | None = None  # answered, but not yet settled together with the draw right
    menu: int = 0  # which of HOLD_CHOICES or TIME_WIN_CHOICES is marked
    black_count: int = 32  # the count of black discs being entered by the buttons
    #: seat of each player of the assignment, as far as the set-up has settled it
    player_at: dict[Seat, int] = field(default_factory=dict)  # seat -> index into assignment.players
    languages: dict[Seat, Language] = field(
        default_factory=lambda: {Seat.LEFT: Language.JAPANESE, Seat.RIGHT: Language.JAPANESE}
    )
    #: what the table's file says for each seat; ``languages`` is what the halves speak now
    home_languages: dict[Seat, Language] = field(
        default_factory=lambda: {Seat.LEFT: Language.JAPANESE, Seat.RIGHT: Language.JAPANESE}
    )
    head: str = ""  # the head's address, as people write it
    link: LinkState = LinkState.NONE
    unsynced: int = 0  # records the head has not acknowledged
    saved: bool = True  # every accepted event is durable in the journal
    troubles: tuple[Trouble, ...] = ()
    edge_source: str = ""  # where edge times come from
    edge_accuracy_ns: int | None = None  # how accurate they are; None: nothing is wired
    #: seats whose button is stuck or broken: a touch on their half counts instead
    by_touch: frozenset[Seat] = frozenset()
    touch_ordered: frozenset[Seat] = frozenset()  # those of them that an arbiter named
    silenced: bool = False  # an arbiter wants no sound from this table
    audible: frozenset[Seat] = frozenset()  # who hears his clock (K-17, M43-19)
    one_operates: bool = False  # one person, a player or a helper, presses for both (K-17): any button switches
    arbiter_language: Language = Language.JAPANESE
    pin: Pin = field(default_factory=Pin)  # what opens the arbiter's screen
    arbiter: Session | None = None  # the arbiter's screen is open: the buttons are his
    sheet: Sheet | None = None  # a transcriber reports the board
    countdown: Countdown | None = None  # the clock starts at its end
    captures: tuple[int, int] = (0, 0)  # ChouChou's score board, Black's (the first player's) and White's
    counting: bool = False  # the buttons enter the captured pieces

    @property
    def alone(self) -> bool:
        """A free clock at a club: no head, and no arbiter who has a PIN."""
        return self.link is LinkState.NONE and not self.pin.is_set

    @property
    def hold_choices(self) -> tuple[HoldChoice, ...]:
        """The lines of the menu while the clock is held."""
        first = HoldChoice.GO_ON if self.alone else HoldChoice.ARBITER
        if self.match is not None and self.match.black_seat is None:
            return (first,)  # a late player's time was interrupted: nobody can claim anything yet
        choices = (first, *HOLD_CHOICES[1:])
        unread = self.match is not None and not self.match.board_known
        return (*choices, HoldChoice.END) if unread else choices

    def may_choose(self, seat: Seat) -> bool:
        """Whether the menu of a held clock is this player's. After a power cut at a free clock it is anybody's."""
        match = self.match
        if match is None or match.phase is not Phase.HOLD:
            return False
        return match.held_by is seat or (match.held_by is None and self.alone)

    @property
    def designated(self) -> bool:
        """Whether the colours are given (M43-1), so that the set-up asks for Black's seat only."""
        return self.assignment is not None and self.assignment.designated
