"""State of one table as values: the game, its set-up, the arbiter's screen, the languages.

The main loop replaces them and is the only writer. A view gets a ``TableState`` and the time, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from engine.board.illegal_move_diagnosis_and_challenge import ViolationKind
from engine.i18n import Text
from engine.match import MatchState, Phase, Seat, proposed_result
from engine.match.arbiter_order_specs_and_parser import order_refusal
from engine.match.flag_fall_and_resignation import FLAG_PHASES
from engine.match.match_events_and_effects import Action, TimeWinChoice
from engine.match.rule_sets_and_options import FlagCallers, ScoreRule
from kiosk.link.link_messages import Assignment
from kiosk.locale import JAPANESE, Lang
from kiosk.table.board_sources.transcriber_source import TranscriberState
from kiosk.table.state.arbiter_screen_state import ArbiterSession, Countdown, Pin
from kiosk.table.state.free_clock_presets_settings_games import Club
from kiosk.table.state.recent_games import KeptGame, series_score


class LinkState(StrEnum):
    """State of the connection to the head. A table never waits for it (promise 4)."""

    NONE = "none"  # no head configured: a free clock at a club
    DOWN = "down"
    UP = "up"


class SetupStep(StrEnum):
    """The player whose button settles the seats next, while the match is in SETUP (K-01: first seats, then colours)."""

    ASK_PLAYER_A = "ask-player-a"  # the first player of the assignment presses at the chosen seat
    ASK_BLACK = "ask-black"  # the player who has Black presses at the chosen seat
    ASK_DRAW_RIGHT = "ask-draw-right"  # the holder of the draw right presses


class HoldChoice(StrEnum):
    """Choices of both players while the clock is stopped (M43-11, M43-15.2, row 15), or after the end (M43-15.3).

    The last ones exist only where nobody else can decide: resuming and resigning on a clock without an arbiter, ending
    a game without a board source. Both take two players, except that whoever stopped a free clock resumes it alone. A
    penalty at ChouChou takes two players as well.
    """

    ARBITER = "arbiter"
    CLAIM_TIME = "claim-time"
    OWN_TIME_OUT = "own-time-out"
    CHALLENGE = "challenge"  # M43-6a.3, K-04: the opponent's last move, where no press says so
    GO_ON = "go-on"
    END = "end"
    RESIGN = "resign"
    PENALTY = "penalty"  # ChouChou: the opponent moved pieces in consecutive turns (CC-SUP-1)
    BACK = "back"  # after the end: back to the count


class AfterChoice(StrEnum):
    """Choices of both players after the game, when the card is signed."""

    REMATCH = "rematch"  # a free clock: the same again, with the colours swapped
    NEW_GAME = "new-game"
    PHONE = "phone"  # the code for a phone over the whole screen
    GAMES = "games"  # the last games of this table


class Hint(StrEnum):
    """Why a press had no effect, shown to the player for a moment."""

    NOT_YOUR_TURN = "not-your-turn"
    KNOCK = "knock"
    OPPONENT_HAS_TIME = "opponent-has-time"
    OWN_TIME_LEFT = "own-time-left"
    FLAG_TOO_LATE = "flag-too-late"
    NOT_NOW = "not-now"


@dataclass(frozen=True, slots=True)
class PendingAgreement:
    """One player's choice while the clock is stopped, to which the other still has to agree; calling the arbiter needs
    no agreement. It is valid only for this stop of the clock (``since_ns``).
    """

    choice: HoldChoice
    by: Seat
    since_ns: int


@dataclass(frozen=True, slots=True)
class NamingState:
    """The challenger's progress in naming the error, since the clock was switched: the kind, a column of the board, and
    the marked line.
    """

    since_ns: int = -1
    kind: ViolationKind | None = None
    column: str = ""
    marked: int = 0


#: with an arbiter and a board source; ``TableState.hold_choices`` is what is available now
HOLD_CHOICES = (HoldChoice.ARBITER, HoldChoice.CLAIM_TIME, HoldChoice.OWN_TIME_OUT)
TIME_WIN_CHOICES = (TimeWinChoice.SCORE, TimeWinChoice.FREE_PLAY)


@dataclass(frozen=True, slots=True)
class TableTrouble:
    """An alarm for the arbiter; ``kind`` is stable for tests and the head."""

    kind: str
    text: Text
    source: str = ""  # the component that reports and withdraws it


@dataclass(frozen=True, slots=True)
class Battery:
    """Power source of this table. ``minutes_left`` None: unknown, or plugged in."""

    percent: int
    minutes_left: int | None = None
    plugged: bool = False


@dataclass(frozen=True, slots=True)
class TableState:
    """State of one table at one moment."""

    table: int
    assignment: Assignment | None = None
    match: MatchState | None = None
    step: SetupStep | None = None
    black_seat: Seat | None = None  # chosen, but not settled yet together with the draw right
    menu: Mapping[Seat, int] = field(default_factory=dict)  # each player's line of ``hold_choices``, TIME_WIN_CHOICES
    black_count: int = 32  # the count of black discs being entered with the buttons
    #: seat of each player of the assignment, as far as the set-up has settled it
    player_at: dict[Seat, int] = field(default_factory=dict)  # seat -> index into assignment.players
    seated_early: bool = False  # the seats were known before anybody was late (M43-12.1)
    languages: dict[Seat, Lang] = field(default_factory=lambda: {Seat.LEFT: JAPANESE, Seat.RIGHT: JAPANESE})
    #: default of each seat from the table's file; ``languages`` is the present one
    home_languages: dict[Seat, Lang] = field(default_factory=lambda: {Seat.LEFT: JAPANESE, Seat.RIGHT: JAPANESE})
    head: str = ""  # the head's address, for display
    link: LinkState = LinkState.NONE
    unsynced: int = 0  # records the head has not acknowledged
    saved: bool = True  # every accepted event is durable in the journal
    troubles: tuple[TableTrouble, ...] = ()
    battery: Battery | None = None
    edge_source: str = ""  # source of edge times
    edge_accuracy_ns: int | None = None  # their accuracy; None: nothing is wired
    #: seats whose button is stuck or broken: a touch on their half counts instead
    by_touch: frozenset[Seat] = frozenset()
    touch_ordered: frozenset[Seat] = frozenset()  # those of them that an arbiter selected
    silenced: bool = False  # an arbiter has silenced this table
    audible: frozenset[Seat] = frozenset()  # seats whose clock is audible (K-17, M43-19)
    one_operates: bool = False  # one person, a player or a helper, presses for both (K-17): any button switches
    arbiter_language: Lang = JAPANESE
    pin: Pin = field(default_factory=Pin)  # PIN of the arbiter's screen
    arbiter: ArbiterSession | None = None  # the arbiter's open screen, which the buttons then operate
    sheet: TranscriberState | None = None  # a transcriber reports the board
    countdown: Countdown | None = None  # the clock starts at its end
    returned_ns: int | None = None  # the game was here before, and taken away then
    naming: NamingState = field(default_factory=NamingState)
    offer: PendingAgreement | None = None  # chosen while the clock is stopped; see ``offered``
    claims_since_ns: int = -1  # the end of the game at which the menu of time claims was opened; see ``claims_time``
    hints: Mapping[Seat, tuple[Hint, int]] = field(default_factory=dict)  # each with the time until which it is shown
    # panel and action of each finger -> since when
    holding: Mapping[tuple[str, str], int] = field(default_factory=dict)
    club: Club = field(default_factory=Club)  # settings of a free clock
    captures: tuple[int, ...] = (0, 0)  # ChouChou's score board, in turn order
    counting: bool = False  # the buttons enter the captured pieces
    can_shut_down: bool = False  # the device is one of its own, not a window on somebody's computer
    games: tuple[KeptGame, ...] = ()  # the last finished games, the latest at the end

    @property
    def has_head(self) -> bool:
        """Whether a head is configured; without one this is a free clock."""
        return self.link is not LinkState.NONE

    @property
    def alone(self) -> bool:
        """Whether this is a free clock at a club: no head, and no arbiter with a PIN."""
        return not self.has_head and not self.pin.is_set

    @property
    def is_silent(self) -> bool:
        """Whether the arbiter, or the club on its clock, has switched the sound off."""
        return self.silenced or (not self.has_head and not self.club.preset.sound)

    @property
    def unarbitrated(self) -> bool:
        """Whether only the players can resume a stopped clock: there is no PIN, and no connection to a head."""
        return self.link is not LinkState.UP and not self.pin.is_set

    @property
    def seats_stand(self) -> bool:
        """M43-12.1: whether the player present has chosen the seat, so that it is known who is late."""
        return self.seated_early and bool(self.player_at) and self.match is not None and self.match.late is not None

    @property
    def asks_draw_right(self) -> bool:
        """Whether the players of a free clock are asked who has the draw right: its rules have no draws (FS-04)."""
        discs = self.match is not None and self.match.rules.score is not ScoreRule.CAPTURES
        return not self.has_head and discs and self.match is not None and self.match.no_draw

    @property
    def can_take_back(self) -> bool:
        """Whether the players have settled something of the set-up that they may reopen (FS-05)."""
        match = self.match
        if match is None or match.phase not in (Phase.SETUP, Phase.READY):
            return False
        if match.phase is Phase.READY:
            return not (self.seats_stand and self.designated)
        return self.black_seat is not None or (bool(self.player_at) and not self.seats_stand)

    @property
    def offered(self) -> PendingAgreement | None:
        """The open offer, while the clock is stopped as it was when the offer was made."""
        match, offer = self.match, self.offer
        if match is None or offer is None or match.phase is not Phase.HOLD:
            return None
        return offer if offer.since_ns == match.clock.since_ns else None

    @property
    def may_claim_time(self) -> bool:
        """M43-15.3: whether a flag may still be claimed after the end, until both have agreed on the result."""
        match = self.match
        if match is None or match.phase is not Phase.ENDED or proposed_result(match) is None:
            return False
        return match.rules.score is not ScoreRule.CAPTURES and match.options.who_may_call is not FlagCallers.CLOCK

    @property
    def claims_time(self) -> bool:
        """Whether the menu of time claims is open after the end of the game."""
        return self.may_claim_time and self.match is not None and self.match.clock.since_ns == self.claims_since_ns

    @property
    def hold_choices(self) -> tuple[HoldChoice, ...]:
        """Return the lines of the menu while the clock is on HOLD, or of the time claims after the end."""
        match, first = self.match, HoldChoice.GO_ON if self.alone else HoldChoice.ARBITER
        go_on = (HoldChoice.GO_ON,) if self.unarbitrated and not self.alone else ()
        if self.claims_time:
            return (HoldChoice.BACK, *HOLD_CHOICES[1:])
        if match is None or match.black_seat is None:
            return (first, *go_on)  # a late player's time was interrupted: nothing can be claimed yet
        # ChouChou ends when a player has captured the target (CC-WIN-1), never by declaration; its clock calls the time
        # automatically (CC-WIN-5).
        captures, called = match.rules.score is ScoreRule.CAPTURES, match.options.who_may_call is FlagCallers.CLOCK
        claims = HOLD_CHOICES[1:] if match.active_phase in FLAG_PHASES and not (captures and called) else ()
        offered = {
            HoldChoice.PENALTY: captures,
            HoldChoice.CHALLENGE: self._may_challenge,
            HoldChoice.GO_ON: bool(go_on),
            HoldChoice.RESIGN: not captures and self.alone and not order_refusal(match, Action.RESIGNATION),
            HoldChoice.END: not captures and not match.board_known,
        }
        return (first, *claims, *(choice for choice, possible in offered.items() if possible))

    @property
    def after_choices(self) -> tuple[AfterChoice, ...]:
        """Return the lines of the menu when the card is signed; none before."""
        if self.match is None or self.match.phase not in (Phase.SIGNED, Phase.SUBMITTED):
            return ()
        free = not self.has_head
        again = (AfterChoice.REMATCH,) if free and self.match.company is None else ()
        return (*again, *((AfterChoice.NEW_GAME,) if free else ()), AfterChoice.PHONE, AfterChoice.GAMES)

    @property
    def series(self) -> Mapping[Seat, int]:
        """Return the half points of the seats in a free clock's series of rematches; empty in its first game."""
        if self.match is None or self.assignment is None or self.has_head:
            return {}
        played = self.assignment.round - (self.match.phase is not Phase.SIGNED)
        return series_score(self.games, played) if played else {}

    @property
    def _may_challenge(self) -> bool:
        """Whether a player has stopped the clock in play: the same line whatever the board shows (K-08)."""
        match = self.match
        if match is None or match.held_by is None or match.active_phase is not Phase.TURN:
            return False
        return match.rules.board and bool(match.turns or match.pending)

    def name_at(self, seat: Seat | None) -> str:
        """Return the name of the player at ``seat``; empty while that is open."""
        player = None if seat is None else self.player_at.get(seat)
        return "" if self.assignment is None or player is None else self.assignment.players[player].name

    def marked(self, seat: Seat) -> int:
        """Return this player's line of the menu."""
        return self.menu.get(seat, 0)

    @property
    def designated(self) -> bool:
        """Whether the colours are given (M43-1), so that the set-up asks only for Black's seat."""
        return self.assignment is not None and self.assignment.designated
