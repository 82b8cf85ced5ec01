"""State of one game: everything the rules, the views and the head need to know about it; and the
changes of it that several rules share.

- ``phase`` and ``side`` together are a state of RULES.md 3.1; ``side`` is the letter in its brackets (TURN(p), CORR(q),
  CHECK(q), ENDED(q), FINISH(q), CHOICE(w), FREE(w)).
- ``turns`` is what was played as far as the board was read; ``board`` is the last reading. The two may
  differ (K-09).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from engine.board.color import Color
from engine.board.position import Position
from engine.board.variants import STANDARD, Variant
from engine.chouchou.game_options_state_and_events import turn_order
from engine.copy_with_changes import replace
from engine.i18n import Text, say
from engine.match import screen_messages
from engine.match.game_clock import Clock, SideClock
from engine.match.match_events_and_effects import CallArbiter, CardReady, Effect, Event, Press, ViolationRecorded
from engine.match.match_value_types import (
    WAITS_FOR,
    ArbiterRecord,
    Challenge,
    CompletedTurn,
    GameResult,
    GameStage,
    Message,
    PendingPress,
    Phase,
    RecordedViolation,
    Seat,
    Setup,
    TurnKind,
)
from engine.match.rule_sets_and_options import (
    ColorDecision,
    FlagCallers,
    RuleOptions,
    RuleSet,
    ScoreRule,
    Submitter,
    read_options,
    rule_set,
)

#: phases whose clock runs unless the table is on HOLD
RUNNING = frozenset({Phase.LATE, Phase.TURN, Phase.CORR, Phase.CHECK, Phase.FINISH, Phase.FREE})


@dataclass(frozen=True, slots=True)
class UndoState:
    """A press that may turn out to have been a voltage spike: the state before it, and the events after it."""

    press: Press
    before: MatchState
    since: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class MultiplayerState:
    """Players and scores of ChouChou with more than two players
    (``engine.match.chouchou_multiplayer_and_score_board``).

    By player in turn order: the pieces ``captured``, and with individual clocks the ``clocks`` as of each player's last
    turn. ``out``: players who exceeded their time.
    """

    captured: tuple[int, ...]
    clocks: tuple[SideClock, ...] = ()
    turn: int = 0
    out: tuple[int, ...] = ()
    winner: int | None = None

    @property
    def order(self) -> tuple[int, ...]:
        """Players still in the game, starting with the next one; the player in turn is last."""
        return tuple(turn_order(self.turn, len(self.captured), self.out))


@dataclass(frozen=True, slots=True)
class MatchState:
    setup: Setup
    phase: Phase
    clock: Clock
    black_seat: Seat | None
    draw_right: Color | None
    side: Color | None = None
    late: Seat | None = None  # the seat of a player who was absent at the start
    late_came: bool = False  # that player has arrived since
    start_press_due: bool = False  # the player present still has to press (M43-12.2)
    resume_phase: Phase | None = None  # HOLD: phase to resume
    ended_from: Phase | None = None  # ENDED: the phase that a player's declaration ended
    held_by: Seat | None = None  # HOLD: the player who stopped the clock (M43-11)
    turn_since_ns: int = 0  # the press that began the turn
    corrected: bool = False  # that press came from the offender of a challenge
    start_board: str | None = None  # None: no board source
    board: str | None = None  # the latest reading, board_as_is
    turns: tuple[CompletedTurn, ...] = ()
    pending: tuple[PendingPress, ...] = ()
    moves_more: int = 0  # the arbiter's correction of the move number
    asked: int = 0  # number of ``ReadBoard`` effects so far
    declared_pass: bool = False
    challenge: Challenge | None = None
    last_move_ns: int | None = None  # when the last move of the game was completed
    held_board: str | None = None  # HOLD: the board when the clock was stopped
    both_claimed: bool = False  # FINISH: both flags were claimed; the game continues only to be counted (TEAM-7.7)
    playing_out: Color | None = None  # FINISH: the side that alone can move plays out its moves (TEAM-7.7a)
    press_owed: Color | None = None  # the board showed this side's move complete before its press (M43-6d, M43-15.4)
    time_loser: Color | None = None  # lost on time and plays on (international practice)
    free_since: int = 0  # FREE: number of turns before it began
    free_attempt: CompletedTurn | None = None  # FREE: a move on the board that is not (yet) legal
    free_stopped: bool = False  # FREE: stopped without a board source: the players count the discs
    count: tuple[int, int] | None = None  # discs entered by hand, black and white
    company: MultiplayerState | None = None  # ChouChou among more than two
    recount: bool = False  # ENDED: the players did not agree on the count
    reading_open: bool = False  # RESULT: an arbiter still has to decide what a no-show means (AMB-05)
    confirmed: tuple[Color, ...] = ()
    unrated: bool = False  # by an arbiter's order
    result: GameResult | None = None
    findings: tuple[RecordedViolation, ...] = ()
    shown_to_players: tuple[Message, ...] = ()
    shown_to_arbiter: tuple[Message, ...] = ()
    told_until_ns: int | None = None  # the arbiter has been informed of flags up to this time
    notice: Message | None = None  # the last message for the players, while it holds in this phase
    arbiter_log: tuple[ArbiterRecord, ...] = ()
    undo: UndoState | None = None  # the last press, while it may be retracted
    revision: int = 0  # number of events that changed something

    # --- seats and colours -------------------------------------------------------------------------------------

    def color_at(self, seat: Seat) -> Color | None:
        if self.black_seat is None:
            return None
        return Color.BLACK if seat is self.black_seat else Color.WHITE

    def seat_of(self, color: Color) -> Seat | None:
        if self.black_seat is None:
            return None
        return self.black_seat if color is Color.BLACK else self.black_seat.other

    # --- clock -------------------------------------------------------------------------------------------------

    def running(self) -> Color | None:
        """Colour whose time runs; None if the clock is stopped or colours are open (see ``clock.running``)."""
        return None if self.clock.running is None else self.color_at(self.clock.running)

    def remaining_ns(self, side: Color | Seat, at_ns: int) -> int:
        """Return the time left at ``at_ns``, negative after a flag; the display then shows 0:00."""
        return self.clock.remaining_ns(self._seat(side), at_ns)

    def flag_at_ns(self, side: Color | Seat, at_ns: int) -> int | None:
        """Return the latched instant at which the flag fell; None if it has not fallen by ``at_ns``."""
        return self.clock.flag_at_ns(self._seat(side), at_ns)

    def flag(self, side: Color | Seat, at_ns: int) -> bool:
        """Return whether the flag has fallen. This is latent; no screen of the players may show it (K-02)."""
        return self.flag_at_ns(side, at_ns) is not None

    def _seat(self, side: Color | Seat) -> Seat:
        if isinstance(side, Seat):
            return side
        return (self.black_seat or Seat.LEFT) if side is Color.BLACK else (self.black_seat or Seat.LEFT).other

    def next_deadline_ns(self) -> int | None:
        """Return when time alone next changes the state, so that a ``Tick`` is due; None if never.

        Cases: a late player's time ends (M43-14), the time for free play ends (M43-15b.3), the second of two flags
        falls, of which the arbiter may be informed (M43-16.3), or one falls that others than the players may call
        (TEAM-7.6, CC-WIN-5).
        """
        if self.clock.running is None:
            return None
        zero_ns = self.clock.flag_due_ns(self.clock.running)
        match self.phase:
            case Phase.FREE if self.free_attempt is not None:
                return None  # a move in progress is completed first
            case Phase.LATE | Phase.FREE:
                flag_fallen = self.clock.side(self.clock.running).flag_at_ns is not None
                return self.clock.since_ns if flag_fallen else zero_ns
            case Phase.TURN | Phase.CORR:
                other = self.clock.side(self.clock.running.other)
                may_call = self.options.who_may_call is not FlagCallers.PLAYERS
                if zero_ns is None or zero_ns <= (self.told_until_ns or 0):
                    return None
                return zero_ns if may_call or other.flag_at_ns is not None else None
            case _:
                return None

    # --- board -------------------------------------------------------------------------------------------------

    @property
    def active_phase(self) -> Phase:
        """The phase, or on HOLD the interrupted one."""
        return self.resume_phase if self.phase is Phase.HOLD and self.resume_phase is not None else self.phase

    @property
    def turn_board(self) -> str | None:
        """The physical board at the start of the turn (K-10); None if it was not read."""
        return self.turns[-1].after if self.turns else self.start_board

    @property
    def squares(self) -> int:
        """Number of squares of the board, which the discs of a card add up to (K-14)."""
        return self.variant.total

    @property
    def variant(self) -> Variant:
        """The board, its set-up, and who begins."""
        return self.options.variant

    def position(self, cells: str, to_move: Color) -> Position:
        """Return a board of this game with ``to_move`` to move.

        Where discs are limited (VAR-01), the turns determine who has placed how many.

        :raises engine.board.errors.BadBoard: ``cells`` is no reading of this game's board.
        """
        position = Position.from_cells(cells, to_move, self.variant)
        if position.rules.supply is None:
            return position
        discs = self.squares - cells.count("-")
        placed = [turn.by for turn in self.turns if turn.move is not None][:discs]
        return replace(position, black_placed=placed.count(Color.BLACK)) if len(placed) == discs else position

    @property
    def board_known(self) -> bool:
        """Whether every completed turn has been read from the board."""
        return self.turn_board is not None and not self.pending

    @property
    def to_move(self) -> Color:
        """The colour whose turn follows the last one that was read."""
        return self.turns[-1].by.opponent if self.turns else self.first

    @property
    def first(self) -> Color:
        """OTH-04, OTH-HC-2: the colour that moves first; the opponent's button starts the clock (M43-5, OTH-HC-3)."""
        return self.variant.first

    @property
    def waits_for(self) -> Text:
        """What the game waits for, on HOLD in the phase to resume."""
        return WAITS_FOR[self.active_phase]

    @property
    def start_press_text(self) -> Text:
        """M43-5, OTH-HC-3: who presses to start the game."""
        if self.first is Color.WHITE:
            return say("Black presses to start a handicap game (OTH-HC-3)")
        return say("White presses to start the game (M43-5)")

    @property
    def mid_move(self) -> bool:
        """Whether the player in turn has begun to move: the board differs from the start of the turn (M43-15.4)."""
        return self.active_phase is Phase.TURN and self.board_known and self.board != self.turn_board

    @property
    def move_number(self) -> int:
        """Number of the turn in progress, from 1; a pass counts."""
        unread = sum(press.phase is Phase.TURN for press in self.pending)
        return len(self.turns) + unread + 1 + self.moves_more

    @property
    def moves(self) -> tuple[str, ...]:
        """Squares in order, ``--`` for a pass (NOT-01)."""
        return tuple(
            turn.move or "--" for turn in self.turns if turn.move or turn.kind in (TurnKind.PASS, TurnKind.FALSE_PASS)
        )

    @property
    def transcript(self) -> str:
        return "".join(self.moves)

    # --- rules -------------------------------------------------------------------------------------------------

    @property
    def rules(self) -> RuleSet:
        return rule_set(self.setup.rules)

    @property
    def options(self) -> RuleOptions:
        options = self.setup.options
        return _options(self.setup.rules, tuple(sorted(options.items())) if options else ())

    @property
    def no_draw(self) -> bool:
        """Whether this game has no draw: a 32-32 is a win for the holder of the draw right (M43-2, M40-1, TEAM-5)."""
        return not self.rules.draws or self.setup.stage is GameStage.KNOCKOUT

    @property
    def color_decision(self) -> ColorDecision:
        """How colours are decided, and in a game without a draw the draw right (RULES.md 2.2)."""
        if self.options.color_decision is not None:
            return self.options.color_decision
        if self.no_draw and self.rules.score is not ScoreRule.CAPTURES:
            return ColorDecision.HIDDEN_DISC
        return self.rules.colors

    @property
    def submitter(self) -> Submitter | None:
        """Who submits the card, once there is a result (M43-18.3, TEAM-10.11, AMB-14)."""
        if self.result is None:
            return None
        if self.result.winner is None:
            return self.options.draw_submitter
        who = self.options.submitter
        return Submitter(self.result.winner) if who is Submitter.WINNER else who

    # --- basic changes, from which all rules are built ---------------------------------------------------------
    # The running clock follows from the phase and its side alone (``clock_seat``). Rules start and stop clocks only by
    # ``enter_phase``.

    def clock_seat(self, phase: Phase, side: Color | None) -> Seat | None:
        """Return the seat whose time runs in a phase. In CHECK(q) it is the checking player's (K-06)."""
        match phase:
            case Phase.LATE:
                return self.late
            case Phase.TURN | Phase.CORR | Phase.FINISH | Phase.FREE if side is not None:
                return self.seat_of(side)
            case Phase.CHECK if side is not None:
                return self.seat_of(side.opponent)
            case _:
                return None

    def enter_phase(self, phase: Phase, side: Color | None, at_ns: int) -> MatchState:
        """Enter ``phase(side)``; its clock runs from ``at_ns``."""
        seat = self.clock_seat(phase, side)
        clock = self.clock if seat is self.clock.running else self.clock.run(seat, at_ns)
        challenge = self.challenge if phase is Phase.CORR else None
        return replace(
            self, phase=phase, side=side, clock=clock, challenge=challenge,
            resume_phase=None, held_by=None, held_board=None, notice=None,
        )  # fmt: skip

    def with_active_phase(self, phase: Phase) -> MatchState:
        """Return the state in which ``phase`` is active, on HOLD the one to resume. No clock changes."""
        return replace(self, resume_phase=phase) if self.phase is Phase.HOLD else replace(self, phase=phase)

    def stop_clock(self, at_ns: int) -> MatchState:
        return replace(self, clock=self.clock.run(None, at_ns))

    def hold(self, at_ns: int) -> MatchState:
        """Row 13: stop the clock and remember the phase to resume (M43-11)."""
        held = replace(self, phase=Phase.HOLD, resume_phase=self.phase, notice=None, held_board=self.board)
        return held.stop_clock(at_ns)

    def notify_players(self, message: Message) -> MatchState:
        return replace(self, shown_to_players=(*self.shown_to_players, message), notice=message)

    def notify_arbiter(self, message: Message) -> MatchState:
        return replace(self, shown_to_arbiter=(*self.shown_to_arbiter, message))

    def call_arbiter(self, message: Message) -> Step:
        return self.notify_arbiter(message), (CallArbiter(message.text),)

    def file_findings(self, findings: tuple[RecordedViolation, ...], at_ns: int) -> Step:
        """K-08: add findings to the record and inform the arbiter, never the players. Each finding is added once."""
        new = tuple(filed for filed in findings if filed not in self.findings)
        state = replace(self, findings=(*self.findings, *new)) if new else self
        for filed in new:
            state = state.notify_arbiter(screen_messages.finding(filed, at_ns))
        return state, tuple(ViolationRecorded(filed) for filed in new)

    def finish_game(self, result: GameResult, at_ns: int) -> MatchState:
        """Enter RESULT with ``result``. An arbiter's order may have made the game unrated."""
        result = self.result_on_card(result)
        player = None if self.company is None else self.company.winner
        won = (
            screen_messages.result(result, at_ns) if player is None else screen_messages.player_won(at_ns, n=player + 1)
        )
        state = replace(self.enter_phase(Phase.RESULT, None, at_ns), result=result, reading_open=False)
        return state.notify_players(won)

    def result_on_card(self, result: GameResult) -> GameResult:
        """Return the result as this card shows it: without discs where none are counted (M40-15.1)."""
        usual = self.variant == STANDARD  # only games on the usual board can be rated
        rated = result.rated and self.options.rated and usual and not self.unrated
        if self.rules.score is ScoreRule.DISCS:
            return replace(result, rated=rated)
        if self.rules.score is ScoreRule.NONE:
            return replace(result, black_discs=None, white_discs=None, rated=rated)
        black, white = self.count or (None, None)  # CC-SCO-1: the captured pieces count, however the game ended
        return replace(result, black_discs=black, white_discs=white, rated=rated)

    def close_card(self, at_ns: int) -> Step:
        """Row 29: close the card, which both players have checked and signed (M43-18.2)."""
        message = screen_messages.card(self.submitter or Submitter.WINNER, at_ns)
        return self.enter_phase(Phase.SIGNED, None, at_ns).notify_players(message), (CardReady(),)

    @property
    def last_turn(self) -> CompletedTurn | None:
        return self.turns[-1] if self.turns else None

    def add_turn(self, turn: CompletedTurn) -> MatchState:
        return replace(self, turns=(*self.turns, turn))

    def replace_last_turn(self, turn: CompletedTurn) -> MatchState:
        return replace(self, turns=(*self.turns[:-1], turn))

    def without_bonus(self, by: Color) -> MatchState:
        """Take back the time control's bonus: the last press of ``by`` was a challenge and completed no turn."""
        seat = self.seat_of(by)
        return self if seat is None else replace(self, clock=self.clock.without_bonus(seat))

    def due_pass(self) -> MatchState:
        """OTH-09: add the pass of a side that cannot move, where nobody presses for it."""
        board = self.turn_board
        if board is None or not self.position(board, self.to_move).must_pass:
            return self
        return self.add_turn(CompletedTurn(self.to_move, TurnKind.PASS, None, board, board))

    def is_over(self, cells: str | None) -> bool:
        """OTH-11: return whether neither side can move."""
        return cells is not None and self.position(cells, Color.BLACK).is_over


#: what a rule returns: the state after an event, and the effects to carry out
Step = tuple[MatchState, tuple[Effect, ...]]


@lru_cache(maxsize=64)
def _options(rules: str, items: tuple[tuple[str, object], ...]) -> RuleOptions:
    return read_options(dict(items), rules)
