"""Rule sets as data, and the readings of AMB-nn as named options.

The law: the state machine asks the rule set, never its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from numbers import Real

from engine.match.model import NS_PER_S, MatchError


class RuleSetError(MatchError, ValueError):
    """A rule set or one of its options is unknown or not yet built."""


class FlagOutcome(StrEnum):
    """What an established flag means for the other player."""

    CHOICE = "choice"  # 33-31 or free play (M43-15)
    WIN = "win"  # immediate loss of the flagged side (M40-2)


class BothFlags(StrEnum):
    """What both flags mean (M43-16, M40-14)."""

    BY_STAGE = "by-stage"  # a draw; with a draw right its holder wins (AMB-07)
    RIGHT_HOLDER = "right-holder"


class Callers(StrEnum):
    """Who may call one flag (M43-15.2, TEAM-7.6)."""

    PLAYERS = "players"
    PLAYERS_AND_ARBITER = "players-and-arbiter"


class LateNeverCame(StrEnum):
    """AMB-05: 64-0 unrated, or the choice of M43-15 as its text has it."""

    FORFEIT = "forfeit"
    CHOICE = "choice"


class TurnedWin(StrEnum):
    """AMB-13: a card whose correction would turn or level the win."""

    KEEP = "keep"  # 33-31, the arbiter is told
    ARBITER = "arbiter"  # nothing until the arbiter or a new count decides


@dataclass(frozen=True, slots=True)
class Options:
    """The readings in force. The defaults are the recommended ones of RULES.md 10.1."""

    countdown_from_s: Real | None = None  # AMB-01: the last n seconds are a countdown
    free_play_floor: bool = True  # AMB-03: a free play never gives the winner less than 33-31
    late_never_came: LateNeverCame = LateNeverCame.FORFEIT  # AMB-05
    checking_flag_counts: bool = False  # AMB-06: the flag of the player who checks the last move
    turned_win: TurnedWin = TurnedWin.KEEP  # AMB-13

    @property
    def countdown_ns(self) -> int | None:
        return None if self.countdown_from_s is None else round(float(self.countdown_from_s) * NS_PER_S)


@dataclass(frozen=True, slots=True)
class RuleSet:
    name: str
    flag_outcome: FlagOutcome
    both_flags: BothFlags
    who_may_call: Callers
    discs_recorded: bool


RULE_SETS: Mapping[str, RuleSet] = {
    "m43": RuleSet("m43", FlagOutcome.CHOICE, BothFlags.BY_STAGE, Callers.PLAYERS, discs_recorded=True),
}

#: rule sets of DESIGN.md 4 that are still to be built
NOT_YET = ("m40", "team", "chouchou", "wof", "casual")


def rule_set(name: str) -> RuleSet:
    """:raises RuleSetError: not a rule set, or not yet built."""
    if name in RULE_SETS:
        return RULE_SETS[name]
    if name in NOT_YET:
        raise RuleSetError(f"rule set {name!r} is not yet in this version; use {', '.join(RULE_SETS)}")
    raise RuleSetError(f"unknown rule set {name!r}; known: {', '.join([*RULE_SETS, *NOT_YET])}")


def read_options(raw: Mapping[str, object]) -> Options:
    """:raises RuleSetError: an unknown option, or a value it cannot have; it is named."""
    values: dict[str, object] = {}
    for name, value in raw.items():
        values[name] = _read_option(name, value)
    return Options(**values)  # type: ignore[arg-type]


def _read_option(name: str, value: object) -> object:
    match name:
        case "countdown_from_s":
            if value is None or (isinstance(value, Real) and not isinstance(value, bool) and float(value) > 0):
                return value
            raise RuleSetError(f"option countdown_from_s must be null or a positive number of seconds, not {value!r}")
        case "free_play_floor" | "checking_flag_counts":
            if isinstance(value, bool):
                return value
            raise RuleSetError(f"option {name} must be true or false, not {value!r}")
        case "late_never_came":
            return _member(LateNeverCame, name, value)
        case "turned_win":
            return _member(TurnedWin, name, value)
        case _:
            raise RuleSetError(f"unknown option {name!r}")


def _member(kind: type[StrEnum], name: str, value: object) -> StrEnum:
    try:
        return kind(value)  # type: ignore[arg-type]
    except ValueError:
        raise RuleSetError(f"option {name} must be one of {', '.join(kind)}, not {value!r}") from None
