"""View model for the players: the only place where the players' views read the match.

Promise 3, K-02, K-08, K-12: it contains no flags, findings, illegal moves, legal moves or evaluations, except a flag
under a rule set whose clock may sound at it. Views get ``TableViewModel`` and cannot show what is not in them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.board.color import Color
from engine.board.illegal_move_diagnosis_and_challenge import ViolationKind
from engine.board.variants import STANDARD
from engine.copy_with_changes import replace
from engine.i18n import Renderable
from engine.match import MatchState, awaits_count, is_hand_counted, proposed_result
from engine.match import rule_sets_and_options as rule_sets
from engine.match.match_value_types import GameResult, Message, Phase, Seat
from engine.match.time_controls import SUDDEN_DEATH, ControlKind, TimeControl
from hardware.debounce_and_button_faults import ButtonFault
from kiosk.link.link_messages import PlayerInfo
from kiosk.locale import Lang, render
from kiosk.table.game.chouchou_capture_count_entry import are_pieces_missing, player_of_button
from kiosk.table.input.challenge_violation_menu import menu_lines, naming_state_of
from kiosk.table.scene import ColorRole
from kiosk.table.state import AfterChoice, Hint, HoldChoice, PendingAgreement, TableState, TableTrouble
from kiosk.table.strings.player_strings import KINDS, RETURNED

#: messages of the match that add to what the phase shows; a challenge is answered in the challenger's own terms and no
#: further (K-11)
NOTICES = frozenset(
    {
        "pass", "challenge-confirmed", "challenge-denied", "challenge-not-upheld", "agreed", "recovery", "disagreement",
        "overtime", "out", "penalty", "play-out", "free-challenge", "count-again",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SideViewModel:
    """One seat. ``left_ns`` is the time left on its clock now; ``acts``: the game waits for this player, who has the
    move, starts the clock, corrects, checks, finishes a turn, may speak while the clock is stopped, or chooses.
    """

    seat: Seat
    language: Lang
    name: str = ""
    color: Color | None = None
    left_ns: int = 0  # under up-count the time used
    delay_ns: int = 0  # free time left in the current turn
    periods: int = 0  # periods left, including the current one
    in_period: bool = False
    running: bool = False
    acts: bool = False
    draw_right: bool = False
    confirmed: bool = False
    captures: int = 0  # ChouChou: pieces as entered, sent to the match or not
    number: int = 1  # ChouChou: the player's number in turn order
    audible: bool = False  # the clock is audible here (K-17)
    by_touch: bool = False  # the seat's button is faulty: a touch counts instead
    pressed: bool = False  # the fault is only that it stays pressed
    flag: int = 0  # where the rules let the clock show it: 1, this side's time was used up first; 2, after the other's
    naming: tuple[str, str] | None = None  # challenger: the kind already named, and the marked line
    marked: int = 0  # the line of the menu that a long press chooses
    resumes: bool = False  # the clock is stopped, and will run on for this player
    hint: Hint | None = None  # why the last press had no effect
    turns_due: int = 0  # moves still to be made in a period of Canadian byo-yomi
    series: tuple[int, ...] = ()  # half points of this player and the other in a series of rematches

    @property
    def ink(self) -> ColorRole:
        """Ink of this half: bright is the one whose time runs."""
        return ColorRole.ON_DAY if self.running else ColorRole.ON_NIGHT

    @property
    def quiet(self) -> ColorRole:
        return ColorRole.ON_DAY if self.running else ColorRole.QUIET

    def say(self, phrase: Renderable, **fields: object) -> str:
        """Return the phrase in this player's language."""
        return render(phrase, self.language, **fields)


@dataclass(frozen=True, slots=True)
class TableViewModel:
    """The table. ``public``: its state without the match and the arbiter's screen. ``phase`` None: no game.
    ``no_draw``: a 32-32 is decided by the draw right (M43-2). ``result`` is the card, or what it will be if both agree.
    """

    public: TableState
    phase: Phase | None
    sides: dict[Seat, SideViewModel]
    players: tuple[PlayerInfo, ...] = ()
    came_late: bool = False  # a player was late, so the seats are fixed (M43-12.1)
    can_take_back: bool = False  # the players may answer the last question of the set-up again
    no_draw: bool = False
    rules: rule_sets.RuleSet = field(default_factory=lambda: rule_sets.rule_set("m43"))
    options: rule_sets.RuleOptions = rule_sets.M43
    decision: rule_sets.ColorDecision = rule_sets.ColorDecision.DESIGNATED
    captures_missing: bool = False
    company: tuple[int, ...] = ()  # ChouChou with more than two players: pieces of each, in turn order
    out: tuple[int, ...] = ()  # those of them who exceeded their time
    won: int | None = None  # the one of them who has won
    start: str = ""  # before the start of a game that is not the usual one: the name of its variant
    reading_open: bool = False  # an arbiter still has to decide the result (AMB-05)
    control: TimeControl = SUDDEN_DEATH
    submitter: rule_sets.Submitter | None = None
    move_number: int = 0
    result: GameResult | None = None
    enters_count: bool = False  # the players have to count the discs and enter them
    hand_counted: bool = False  # RESULT: they entered a count after free play, and may still enter it again
    hold_choices: tuple[HoldChoice, ...] = ()
    may_claim_time: bool = False  # after the end: the players may open the menu of time claims
    claims_time: bool = False  # that menu is open
    offer: PendingAgreement | None = None
    squares: int = STANDARD.total
    notice: Message | None = None
    troubles: tuple[TableTrouble, ...] = ()
    after_choices: tuple[AfterChoice, ...] = ()

    @property
    def is_chouchou(self) -> bool:
        """Whether pieces are captured; the colours are then only the order of moves."""
        return self.rules.score is rule_sets.ScoreRule.CAPTURES

    @property
    def pieces(self) -> tuple[int, ...]:
        """ChouChou: the pieces of every player."""
        return self.company or tuple(side.captures for side in self.sides.values())

    def name_of(self, color: Color) -> str:
        """Return the name of the player with ``color``; empty while that is open."""
        return next((side.name for side in self.sides.values() if side.color is color), "")


def view_model_of(state: TableState, now_ns: int) -> TableViewModel:
    """Return the view model at ``now_ns``."""
    match, game = state.match, state.assignment
    return TableViewModel(
        public=replace(state, match=None, arbiter=None),
        phase=None if match is None else match.phase,
        sides={seat: _side(state, seat, now_ns) for seat in Seat},
        players=() if game is None else tuple(game.players),
        came_late=match is not None and match.late is not None,
        can_take_back=state.can_take_back,
        no_draw=match is not None and match.no_draw,
        **_rules(match),
        company=() if match is None or match.company is None else state.captures,
        move_number=0 if match is None else match.move_number,
        result=None if match is None else proposed_result(match),
        enters_count=match is not None and awaits_count(match),
        hand_counted=match is not None and is_hand_counted(match),
        hold_choices=state.hold_choices,
        may_claim_time=state.may_claim_time,
        claims_time=state.claims_time,
        offer=state.offered,
        squares=64 if match is None else match.squares,
        notice=None if match is None else _notice(state, match),
        # that a button may be silent follows from the other player's presses: a question for the arbiter alone
        troubles=tuple(one for one in state.troubles if not one.kind.endswith(f"-{ButtonFault.SILENT}")),
        after_choices=state.after_choices,
    )


def _rules(match: MatchState | None) -> dict[str, Any]:
    """Return what the screen needs of the rule set in force."""
    if match is None:
        return {}
    return {
        "rules": match.rules,
        "options": match.options,
        "control": match.clock.control,
        "decision": match.color_decision,
        "captures_missing": are_pieces_missing(match),
        "out": () if match.company is None else match.company.out,
        "won": None if match.company is None else match.company.winner,
        "start": match.variant.name if match.phase is Phase.READY and match.variant != STANDARD else "",
        "reading_open": match.reading_open,
        "submitter": match.submitter,
    }


def _notice(state: TableState, match: MatchState) -> Message | None:
    """Notices for the players now: that a game was restored, until its clock runs again."""
    notice, returned_ns = match.notice, state.returned_ns
    if match.phase is Phase.HOLD and returned_ns is not None:
        since_ns = match.clock.since_ns if notice is None else min(match.clock.since_ns, notice.at_ns)
        if since_ns <= returned_ns:
            return Message("returned", RETURNED, returned_ns)
    return _in_words(notice) if notice is not None and notice.kind in NOTICES else None


def _in_words(notice: Message) -> Message:
    """Return the notice with an error in the words the challenger saw when naming it, not by its number."""
    if not notice.named:
        return notice
    kind, *squares = notice.named
    return replace(notice, text=notice.text(named=(KINDS.get(ViolationKind(kind), kind), *squares)))


def _side(state: TableState, seat: Seat, now_ns: int) -> SideViewModel:
    match, language = state.match, state.languages[seat]
    name = state.name_at(seat)
    if match is None:
        return SideViewModel(seat, language, name)
    color, clock = match.color_at(seat), match.clock.side_at(seat, now_ns)
    return SideViewModel(
        seat,
        language,
        name,
        color,
        left_ns=clock.left_ns,
        delay_ns=_delay_ns(match, seat, now_ns),
        periods=clock.periods,
        in_period=clock.in_period,
        running=match.clock.running is seat,
        acts=_acts(match, seat, color),
        draw_right=color is not None and match.draw_right is color,
        confirmed=color is not None and color in match.confirmed,
        captures=0 if color is None else state.captures[player_of_button(match, seat)],
        number=player_of_button(match, seat) + 1,
        audible=seat in state.audible and not state.is_silent,
        by_touch=seat in state.by_touch,
        pressed=any(trouble.kind == f"button-{seat}-stuck" for trouble in state.troubles),
        naming=_name_and_rank(state, match, seat),
        flag=_flag(match, seat, now_ns),
        marked=state.marked(seat),
        resumes=match.phase is Phase.HOLD and match.clock_seat(match.active_phase, match.side) is seat,
        hint=state.hints[seat][0] if seat in state.hints else None,
        turns_due=clock.turns_due,
        series=(series[seat], series[seat.other]) if (series := state.series) else (),
    )


def _name_and_rank(state: TableState, match: MatchState, seat: Seat) -> tuple[str, str] | None:
    named = naming_state_of(state, seat)
    return None if named is None else (named.kind or "", menu_lines(match, named)[named.marked])


def _flag(match: MatchState, seat: Seat, now_ns: int) -> int:
    """Return which flag fell first, for a clock that may sound at it too. Under every other rule set a flag is latent,
    and where the clock calls it the game has ended with it.
    """
    called = match.options.who_may_call is rule_sets.FlagCallers.CLOCK
    if called or not match.rules.audible or (fell_ns := match.flag_at_ns(seat, now_ns)) is None:
        return 0
    other_ns = match.flag_at_ns(seat.other, now_ns)
    return 1 if other_ns is None or fell_ns <= other_ns else 2


def _delay_ns(match: MatchState, seat: Seat, now_ns: int) -> int:
    clock = match.clock
    if clock.control.kind is not ControlKind.SIMPLE_DELAY or clock.turn is not seat:
        return 0
    return clock.free_ns if clock.running is None else max(0, clock.since_ns + clock.free_ns - now_ns)


def _acts(match: MatchState, seat: Seat, color: Color | None) -> bool:
    """Return whether the state of RULES.md 3.1 waits for this player (``match.side`` is the letter in its brackets)."""
    match match.phase:
        case Phase.READY:
            return color is match.first.opponent  # M43-5, OTH-HC-3
        case Phase.LATE:
            return match.late is seat.other and match.start_press_due  # M43-12.2
        case Phase.HOLD:
            return True
        case Phase.CHECK:
            return color is not None and match.side is color.opponent
        case Phase.TURN | Phase.CORR | Phase.FINISH | Phase.CHOICE | Phase.FREE:
            return color is not None and match.side is color
        case _:
            return False
