"""What one table knows at one moment: the value that the views draw and the loop replaces.

The law: the loop is the only writer. A view gets a ``TableState`` and the time, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.board.diagnosis import Kind
from engine.match.events import Choice
from engine.match.model import Phase, Seat
from engine.match.rulesets import Callers, Score
from engine.match.state import MatchState
from engine.text import Text
from kiosk.link.messages import Assignment
from kiosk.locale import JAPANESE, Lang
from kiosk.table.boards.transcriber import Sheet
from kiosk.table.state.arbiter_session import Countdown, Pin, Session
from kiosk.table.state.club import Club


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
    else can say them: a clock without an arbiter goes on, a game that nobody reads is over. Both take two players, but
    that the owner of a free clock lets it go on. So does a penalty at ChouChou."""

    ARBITER = "arbiter"
    CLAIM_TIME = "claim-time"
    OWN_TIME_OUT = "own-time-out"
    GO_ON = "go-on"
    END = "end"
    PENALTY = "penalty"  # ChouChou: the opponent moved pieces in consecutive turns (CC-SUP-1)


class Hint(StrEnum):
    """Why a press had no effect, as the player is told for a moment."""

    NOT_YOUR_TURN = "not-your-turn"
    KNOCK = "knock"
    CLAIM_REFUSED = "claim-refused"
    NOT_NOW = "not-now"


@dataclass(frozen=True, slots=True)
class Offer:
    """What one player chose while the clock stands, and the other has still to agree to; the arbiter is called without
    asking anybody. It is good for this stop of the clock alone (``since_ns``)."""

    choice: HoldChoice
    by: Seat
    since_ns: int


@dataclass(frozen=True, slots=True)
class Naming:
    """How far the challenger is in saying what was wrong, since the clock was switched: the kind, a column of the
    board, and the line that is marked."""

    since_ns: int = -1
    kind: Kind | None = None
    column: str = ""
    marked: int = 0


#: with an arbiter and a board that is read; ``TableState.hold_choices`` says what there is now
HOLD_CHOICES = (HoldChoice.ARBITER, HoldChoice.CLAIM_TIME, HoldChoice.OWN_TIME_OUT)
TIME_WIN_CHOICES = (Choice.SCORE, Choice.FREE_PLAY)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something an arbiter should know; ``kind`` is stable for tests and the head."""

    kind: str
    text: Text
    source: str = ""  # who tells it, and takes it back


@dataclass(frozen=True, slots=True)
class Battery:
    """What this table runs on. ``minutes_left`` None: not known, or it is plugged in."""

    percent: int
    minutes_left: int | None = None
    plugged: bool = False


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
    seated_early: bool = False  # that was known before anybody was late (M43-12.1)
    languages: dict[Seat, Lang] = field(default_factory=lambda: {Seat.LEFT: JAPANESE, Seat.RIGHT: JAPANESE})
    #: what the table's file says for each seat; ``languages`` is what the halves speak now
    home_languages: dict[Seat, Lang] = field(default_factory=lambda: {Seat.LEFT: JAPANESE, Seat.RIGHT: JAPANESE})
    head: str = ""  # the head's address, as people write it
    link: LinkState = LinkState.NONE
    unsynced: int = 0  # records the head has not acknowledged
    saved: bool = True  # every accepted event is durable in the journal
    troubles: tuple[Trouble, ...] = ()
    battery: Battery | None = None
    edge_source: str = ""  # where edge times come from
    edge_accuracy_ns: int | None = None  # how accurate they are; None: nothing is wired
    #: seats whose button is stuck or broken: a touch on their half counts instead
    by_touch: frozenset[Seat] = frozenset()
    touch_ordered: frozenset[Seat] = frozenset()  # those of them that an arbiter named
    silenced: bool = False  # an arbiter wants no sound from this table
    audible: frozenset[Seat] = frozenset()  # who hears his clock (K-17, M43-19)
    one_operates: bool = False  # one person, a player or a helper, presses for both (K-17): any button switches
    arbiter_language: Lang = JAPANESE
    pin: Pin = field(default_factory=Pin)  # what opens the arbiter's screen
    arbiter: Session | None = None  # the arbiter's screen is open: the buttons are his
    sheet: Sheet | None = None  # a transcriber reports the board
    countdown: Countdown | None = None  # the clock starts at its end
    returned_ns: int | None = None  # the game was here before, and taken away then
    naming: Naming = field(default_factory=Naming)
    offer: Offer | None = None  # chosen while the clock stands; see ``offered``
    hints: Mapping[Seat, tuple[Hint, int]] = field(default_factory=dict)  # and until when each is shown
    holding: Mapping[tuple[str, str], int] = field(default_factory=dict)  # panel and action of each finger, since when
    club: Club = field(default_factory=Club)  # what a free clock plays
    captures: tuple[int, ...] = (0, 0)  # ChouChou's score board, in the order of turns
    counting: bool = False  # the buttons enter the captured pieces

    @property
    def alone(self) -> bool:
        """A free clock at a club: no head, and no arbiter who has a PIN."""
        return self.link is LinkState.NONE and not self.pin.is_set

    @property
    def is_silent(self) -> bool:
        """An arbiter wants no sound from this table, or the club from its clock."""
        return self.silenced or (self.link is LinkState.NONE and not self.club.preset.sound)

    @property
    def unarbitrated(self) -> bool:
        """Nobody can set a stopped clock going but the players: there is no PIN, and the head is lost or was never."""
        return self.link is not LinkState.UP and not self.pin.is_set

    @property
    def seats_stand(self) -> bool:
        """M43-12.1: the player present has chosen the seat, and it is known who is late."""
        return self.seated_early and bool(self.player_at) and self.match is not None and self.match.late is not None

    @property
    def can_take_back(self) -> bool:
        """Whether the players have settled something of the set-up that they may settle again (FS-05)."""
        match = self.match
        if match is None or match.phase not in (Phase.SETUP, Phase.READY):
            return False
        if match.phase is Phase.READY:
            return not (self.seats_stand and self.designated)
        return self.black_seat is not None or (bool(self.player_at) and not self.seats_stand)

    @property
    def offered(self) -> Offer | None:
        """The offer, while the clock stands as it stood when it was made."""
        match, offer = self.match, self.offer
        if match is None or offer is None or match.phase is not Phase.HOLD:
            return None
        return offer if offer.since_ns == match.clock.since_ns else None

    @property
    def hold_choices(self) -> tuple[HoldChoice, ...]:
        """The lines of the menu while the clock is held."""
        first = HoldChoice.GO_ON if self.alone else HoldChoice.ARBITER
        if self.match is not None and self.match.black_seat is None:
            if self.unarbitrated and first is not HoldChoice.GO_ON:
                return (first, HoldChoice.GO_ON)
            return (first,)  # a late player's time was interrupted: nobody can claim anything yet
        choices: tuple[HoldChoice, ...] = (first, *HOLD_CHOICES[1:])
        if self.match is not None and self.match.rules.score is Score.CAPTURES:
            # Its clock calls the time by itself (CC-WIN-5).
            called = self.match.options.who_may_call is Callers.CLOCK
            choices = (first, *(() if called else HOLD_CHOICES[1:]), HoldChoice.PENALTY)
        if self.unarbitrated and first is not HoldChoice.GO_ON:
            choices = (*choices, HoldChoice.GO_ON)
        # ChouChou is over when a player has captured the target (CC-WIN-1), and by nobody's word.
        discs = self.match is not None and self.match.rules.score is not Score.CAPTURES
        unread = discs and self.match is not None and not self.match.board_known
        return (*choices, HoldChoice.END) if unread else choices

    def may_choose(self, seat: Seat) -> bool:
        """Whether the menu of a held clock is this player's. After a power cut at a free clock it is anybody's."""
        match = self.match
        if match is None or match.phase is not Phase.HOLD:
            return False
        return match.held_by is seat or (match.held_by is None and self.unarbitrated)

    @property
    def designated(self) -> bool:
        """Whether the colours are given (M43-1), so that the set-up asks for Black's seat only."""
        return self.assignment is not None and self.assignment.designated
