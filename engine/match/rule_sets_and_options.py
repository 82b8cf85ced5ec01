"""Rule sets as data, the readings of AMB-nn as named options, and the reading of options from a set-up.

- The state machine tests the fields of a rule set, never its name.
- A rule set holds what its document fixes. An option is a reading that an organiser may choose; each rule set has the
  recommended one as its default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from enum import StrEnum
from typing import Any

from engine.board.variants import PLAYABLE, STANDARD, VARIANTS, Variant
from engine.copy_with_changes import replace
from engine.i18n import Text, say
from engine.match.match_value_types import NS_PER_S, GameStage, MatchError, seconds_to_ns
from engine.match.time_controls import CONTROL_OPTIONS, SUDDEN_DEATH, ControlKind, TimeControl, read_control

Seconds = int | float | Decimal


class RuleSetError(MatchError, ValueError):
    """An unknown rule set, or an unknown option of one."""


class FlagOutcome(StrEnum):
    """Consequence of an established flag for the other player (AMB-04 for TEAM)."""

    CHOICE = "choice"  # 33-31 or free play (M43-15)
    WIN = "win"  # immediate loss of the flagged side (M40-2)
    PLAY_ON = "play-on"  # the flagged side plays on with extra time and cannot win (international practice)


class BothFlags(StrEnum):
    """Consequence of both flags."""

    BY_STAGE = "by-stage"  # a draw; in a game that knows no draw its right-holder wins (M43-16, AMB-07)
    RIGHT_HOLDER = "right-holder"  # M40-14
    DRAW = "draw"  # a draw in every game, the final too (M43-16.1 without 16.2)
    PLAY_OUT = "play-out"  # a side that alone can move plays on; if both can, the right-holder wins (TEAM-7.7)


class FlagCallers(StrEnum):
    """Who may call one flag (AMB-02, AMB-39)."""

    PLAYERS = "players"  # M43-15.2, M40-13.2
    PLAYERS_AND_ARBITER = "players-and-arbiter"  # TEAM-7.6
    CLOCK = "clock"  # called automatically (CC-WIN-5)


class NoShowPolicy(StrEnum):
    """AMB-05: consequence of a no-show: a loss, 64-0 and unrated, or a time loss as in the text of M43-14."""

    ARBITER = "arbiter"  # entered as FORFEIT, and open until an arbiter has decided
    FORFEIT = "forfeit"
    CHOICE = "choice"


class LateClock(StrEnum):
    """AMB-40: who starts the late player's clock. In every case the late player's time runs."""

    PLAYER = "player"  # the player present, on the arbiter's instruction (M43-12.2)
    ARBITER = "arbiter"  # TEAM-7.8


class OutOfTurnPress(StrEnum):
    """K-08: meaning of a press on a board on which the opponent has moved and the player has not (IM-2)."""

    TURN = "turn"  # a turn like any other; the challenge is shown only if the player asks for it
    CHALLENGE = "challenge"  # the challenge of the opponent's move (M43-6a.3)


class LastMoveFlag(StrEnum):
    """TEAM-7.5: how a flag that fell before the press of the last move is established."""

    CLAIM = "claim"  # it is claimed, declared or called before the result is agreed
    PRESS = "press"  # the press itself decides


class PlayOut(StrEnum):
    """AMB-38: consequence if the other side can move again while one side plays out its moves."""

    RIGHT_HOLDER = "right-holder"  # TEAM-7.7b applies
    ARBITER = "arbiter"


class Resignation(StrEnum):
    """AMB-08: how the arbiter records a resignation."""

    TIME_LOSS = "time-loss"  # TEAM-8.4
    FORFEIT = "forfeit"


class ReversedResultPolicy(StrEnum):
    """AMB-13: treatment of a card whose correction would reverse or level the win."""

    KEEP = "keep"  # 33-31, the arbiter is informed
    ARBITER = "arbiter"  # no result until the arbiter or a new count decides


class Submitter(StrEnum):
    """AMB-14: who submits the card of a draw, or in TEAM every card."""

    BLACK = "black"
    WHITE = "white"
    WINNER = "winner"
    CAPTAIN = "captain"  # TEAM-10.11


class ColorDecision(StrEnum):
    """How colours are decided (RULES.md 2, AMB-20)."""

    DESIGNATED = "designated"  # M43-1
    HIDDEN_DISC = "hidden-disc"  # FS-04: colours and the draw right
    HIDDEN_DISC_DRAWS = "hidden-disc-draws"  # FS-03: colours only
    ROCK_PAPER_SCISSORS = "rock-paper-scissors"  # CC-SEAT-1


class ScoreRule(StrEnum):
    """What a card counts."""

    DISCS = "discs"
    NONE = "none"  # the winner alone (M40-15.1)
    CAPTURES = "captures"  # pieces captured; the first to reach the target wins (CC-WIN-1)


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """The readings in force. The defaults are those recommended for M43 in RULES.md 10.1."""

    countdown_from_s: Seconds | None = None  # AMB-01: the last n seconds are a countdown
    free_play_floor: bool = True  # AMB-03: a free play never gives the winner less than 33-31
    flag_outcome: FlagOutcome = FlagOutcome.CHOICE  # AMB-04
    late_never_came: NoShowPolicy = NoShowPolicy.ARBITER  # AMB-05
    checking_flag_counts: bool = False  # AMB-06: whether the flag of a player who checks the last move counts
    both_flags: BothFlags = BothFlags.BY_STAGE  # AMB-07
    resignation: Resignation = Resignation.TIME_LOSS  # AMB-08
    forfeit_rated: bool = False  # AMB-09: whether a forfeit imposed by the arbiter is rated
    turned_win: ReversedResultPolicy = ReversedResultPolicy.KEEP  # AMB-13
    submitter: Submitter = Submitter.WINNER  # AMB-14
    draw_submitter: Submitter = Submitter.BLACK  # AMB-14
    naming_duty: bool = True  # AMB-19: the challenger must name the discs, or the playable square
    color_decision: ColorDecision | None = None  # AMB-20; None: according to the stage
    claimant_needs_time: bool = True  # AMB-37
    play_out: PlayOut = PlayOut.RIGHT_HOLDER  # AMB-38
    who_may_call: FlagCallers = FlagCallers.PLAYERS  # AMB-02, AMB-39
    late_clock: LateClock = LateClock.PLAYER  # AMB-40
    late_start_window_s: Seconds = 120  # M43-12.2: a press after the order gives the late player this much back at most
    unfounded_challenge_s: Seconds = 0  # AMB-41: cost to the challenger
    out_of_turn_press: OutOfTurnPress = OutOfTurnPress.TURN  # K-08, IM-2: a press after the opponent moved out of turn
    pass_is_charged: bool = True  # AMB-47
    last_move_flag: LastMoveFlag = LastMoveFlag.CLAIM  # TEAM-7.5
    rated: bool = True  # whether games of this event can be rated at all
    overtime_s: Seconds = 120  # play-on: the extra time after the first flag
    overtime_best: int = 31  # play-on: the most discs that the loser on time can keep
    target: int = 10  # captures that win (CC-WIN-1: 10 on 3x3 and J&S, 15 on 4x4)
    players: int = 2  # CC-BRD-1
    pairs: bool = False  # CC-BRD-1: four players as two pairs
    penalty_each: bool = True  # AMB-35: each opponent receives the full number; else they share it
    white_s: Seconds | None = None  # White's main time if it differs from Black's (handicap)
    variant: Variant = STANDARD  # RULES.md 1.2, 1.4: the board, its set-up, and who begins
    control: TimeControl = SUDDEN_DEATH

    @property
    def countdown_ns(self) -> int | None:
        return None if self.countdown_from_s is None else seconds_to_ns(self.countdown_from_s)


M43 = RuleOptions()


@dataclass(frozen=True, slots=True)
class RuleSet:
    """What the document of a rule set fixes. ``title``: its name for users. ``main_s``: the main time if a set-up names
    none. ``audible``: whether the table may sound at a flag.
    """

    name: str
    title: Text
    draws: bool = True  # a 32-32 can be a draw, if the stage allows it
    score: ScoreRule = ScoreRule.DISCS
    board: bool = True  # Othello: the board can be read, and turns can be challenged
    late_may_forfeit: bool = True  # M43-13.2
    time_penalty: bool = True  # M43-21: time may be deducted
    countdown_clause: bool = True  # M43-15.5: an illegal move in the countdown loses
    arbiter_starts: bool = False  # the arbiter may start the game
    colors: ColorDecision = ColorDecision.DESIGNATED  # where the stage does not ask for a draw right
    audible: bool = False
    main_s: int = 1200
    options: RuleOptions = M43

    def may_draw(self, stage: GameStage) -> bool:
        """Return whether a result can be a draw (M43-1, M43-2): only discs can be equal."""
        return self.draws and self.score is ScoreRule.DISCS and stage is not GameStage.KNOCKOUT


RULE_SETS: Mapping[str, RuleSet] = {
    rules.name: rules
    for rules in (
        RuleSet("m43", say("43rd Meijin")),
        RuleSet(
            "m40",
            say("40th Meijin"),
            draws=False,
            score=ScoreRule.NONE,
            time_penalty=False,  # M40-18
            countdown_clause=False,  # M40-5a
            options=RuleOptions(flag_outcome=FlagOutcome.WIN, both_flags=BothFlags.RIGHT_HOLDER),
        ),
        RuleSet(
            "team",
            say("Team event"),
            draws=False,
            late_may_forfeit=False,
            countdown_clause=False,  # AMB-19
            options=RuleOptions(
                both_flags=BothFlags.PLAY_OUT,
                who_may_call=FlagCallers.PLAYERS_AND_ARBITER,
                late_clock=LateClock.ARBITER,
                submitter=Submitter.CAPTAIN,
                draw_submitter=Submitter.CAPTAIN,
            ),
        ),
        RuleSet(
            "chouchou",
            say("ChouChou"),
            score=ScoreRule.CAPTURES,
            board=False,
            arbiter_starts=True,
            colors=ColorDecision.ROCK_PAPER_SCISSORS,
            audible=True,
            main_s=600,
            options=RuleOptions(
                flag_outcome=FlagOutcome.WIN,
                who_may_call=FlagCallers.CLOCK,
                control=TimeControl(ControlKind.BYO_YOMI, 60 * NS_PER_S, 1, exceeded=True),  # CC-SUP-2
            ),
        ),
        RuleSet(
            "wof",
            say("International"),
            colors=ColorDecision.HIDDEN_DISC_DRAWS,
            main_s=1500,
            options=RuleOptions(flag_outcome=FlagOutcome.PLAY_ON, who_may_call=FlagCallers.PLAYERS_AND_ARBITER),
        ),
        RuleSet(
            "casual",
            say("Casual"),
            colors=ColorDecision.HIDDEN_DISC_DRAWS,
            audible=True,
            main_s=600,
            options=RuleOptions(flag_outcome=FlagOutcome.WIN, rated=False),
        ),
    )
}


def rule_set(name: str) -> RuleSet:
    """Return the rule set of that name.

    :raises RuleSetError: unknown name.
    """
    if name not in RULE_SETS:
        raise RuleSetError(say("unknown rule set {name!r}; known: {known}", name=name, known=", ".join(RULE_SETS)))
    return RULE_SETS[name]


def read_options(raw: Mapping[str, object], rules: str = "m43") -> RuleOptions:
    """Return the readings in force: those of the rule set, overridden by ``raw``.

    :raises RuleSetError: an unknown option, or a value it cannot have; the message names it.
    :raises ControlError: the same for the time control.
    """
    default = rule_set(rules).options
    values: dict[str, Any] = {}
    for name, value in with_variant(raw).items():
        if name in CONTROL_OPTIONS:
            continue
        reader = _READERS.get(name)
        if reader is None:
            known = ", ".join(sorted({*_READERS, *CONTROL_OPTIONS}))
            raise RuleSetError(say("unknown option {name}; known: {known}", name=repr(name), known=known))
        values[name] = reader(name, value)
    control = read_control(default.control, {name: raw[name] for name in raw if name in CONTROL_OPTIONS})
    options = replace(default, control=control, **values)
    if options.players != 2 and rule_set(rules).score is not ScoreRule.CAPTURES:
        raise RuleSetError(say("option players: only ChouChou is for more than two"))
    if options.variant != STANDARD and not rule_set(rules).board:
        raise RuleSetError(say("option variant: ChouChou has boards of its own"))
    if options.pairs and options.players != 4:
        raise RuleSetError(say("option pairs: pairs need four players, not {n} (CC-BRD-1)", n=options.players))
    return options


def with_variant(raw: Mapping[str, object]) -> Mapping[str, object]:
    """Return options in which ``handicap``, the number of Black's corners in older records, is a variant (OTH-HC-1).

    :raises RuleSetError: it is no number from 0 to 4, or another variant is set as well.
    """
    if "handicap" not in raw:
        return raw
    corners = _whole(0, 4)("handicap", raw["handicap"])
    rest = {name: value for name, value in raw.items() if name != "handicap"}
    if not corners:
        return rest
    if rest.get("variant", STANDARD.name) != STANDARD.name:
        raise RuleSetError(say("option handicap: corners are given on the board of 8x8 (OTH-HC-1)"))
    return rest | {"variant": f"handicap-{corners}"}


Reader = Callable[[str, object], object]


def _yes_or_no(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise RuleSetError(say("option {name} must be true or false, not {value}", name=name, value=repr(value)))


def _seconds(name: str, value: object) -> object:
    if (seconds_ns := _ns(value)) is None or seconds_ns < 0:
        text = say("option {name} must be a number of seconds from 0, not {value}")
        raise RuleSetError(text(name=name, value=repr(value)))
    return value


def _seconds_or_none(name: str, value: object) -> object:
    if value is not None and (_ns(value) or 0) <= 0:
        text = say("option {name} must be null or a positive number of seconds, not {value}")
        raise RuleSetError(text(name=name, value=repr(value)))
    return value


def _ns(value: object) -> int | None:
    try:
        return seconds_to_ns(value)
    except ValueError:
        return None


def _whole(low: int, high: int) -> Reader:
    def read(name: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        text = say("option {name} must be a whole number from {low} to {high}, not {value}", low=low, high=high)
        raise RuleSetError(text(name=name, value=repr(value)))

    return read


def _variant(name: str, value: object) -> Variant:
    if value in PLAYABLE:
        return VARIANTS[str(value)]
    raise RuleSetError(_unlike(name, PLAYABLE, value))


def _unlike(name: str, known: Iterable[str], value: object) -> Text:
    return say(
        "option {name} must be one of {known}, not {value}", name=name, known=", ".join(known), value=repr(value)
    )


def _member(kind: type[StrEnum], *but: StrEnum) -> Reader:
    known = [member for member in kind if member not in but]

    def read(name: str, value: object) -> StrEnum:
        if value in known:
            return kind(value)  # type: ignore[arg-type]
        raise RuleSetError(_unlike(name, known, value))

    return read


#: the options that are not simply true or false, or one of an enumeration
_SPECIAL_READERS: Mapping[str, Reader] = {
    "countdown_from_s": _seconds_or_none,
    "draw_submitter": _member(Submitter, Submitter.WINNER),
    "color_decision": _member(ColorDecision),
    "late_start_window_s": _seconds,
    "unfounded_challenge_s": _seconds,
    "overtime_s": _seconds,
    "overtime_best": _whole(0, 31),
    "target": _whole(1, 99),
    "players": _whole(2, 4),
    "white_s": _seconds_or_none,
    "variant": _variant,
}


def _reader(name: str, default: object) -> Reader:
    if name in _SPECIAL_READERS:
        return _SPECIAL_READERS[name]
    return _member(type(default)) if isinstance(default, StrEnum) else _yes_or_no


_READERS = {field.name: _reader(field.name, field.default) for field in fields(RuleOptions) if field.name != "control"}
