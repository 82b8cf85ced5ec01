"""Description of a format: options, limits and properties that other modules read.

Each format's file contains its one ``FormatSpec``. Other modules must read properties of a format from there, so that
a new
format, or another reading of one, changes only its own file and its page in docs/.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from engine.i18n import Text, say

T = TypeVar("T", str, int, bool, tuple[str, ...])

#: the groups of division presets in their order, with their headings
GROUPS: Mapping[str, Text] = {
    "m43": say("Meijin rules, 43rd"),
    "m40": say("Meijin rules, 40th"),
    "others": say("Teams and ChouChou"),
    "free": say("Other formats"),
}


class _Options(Protocol):
    @property
    def readings(self) -> Mapping[str, Any]: ...


class _Event(Protocol):
    @property
    def options(self) -> _Options: ...


class _Stage(Protocol):
    @property
    def designated(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class RuleOption(Generic[T]):
    """Option of the event file: a named reading of a rule (AMB-nn), or a choice that the format leaves open.
    ``label``: its name at the desk, where it is offered there."""

    name: str
    label: Text | None = None

    def of(self, event: _Event) -> T | None:
        """Return the event's value; None is the format's default."""
        value: T | None = event.options.readings.get(self.name)
        return value


@dataclass(frozen=True, slots=True)
class ChoiceOption(RuleOption[str]):
    """Option with a few named values, the recommended one first. ``words``: their names at the desk."""

    values: tuple[str, ...] = ()
    words: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class IntOption(RuleOption[int]):
    """Option with a whole number. ``offered``: the range offered at the desk; ``words``: labels if there are few
    values."""

    low: int = 1
    high: int | None = None
    offered: tuple[int, int] = (1, 30)
    words: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class ListOption(RuleOption[tuple[str, ...]]):
    """Option with an ordered list of named values. ``words``: their names at the desk."""

    values: tuple[str, ...] = ()
    words: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class BoolOption(RuleOption[bool]):
    """Option that is yes or no."""


@dataclass(frozen=True, slots=True)
class DivisionPreset:
    """Preset for a new division at the desk: the format with the usual values of a tournament in Japan.

    ``title``: default name of the division; ``plan``: table and column of RULES.md 7.3; ``players``: for how many it is
    meant; ``stages``: main times that differ.
    """

    key: str
    group: str
    format: str
    title: Text
    about: Text
    players: str = ""
    main_s: int = 1200
    options: Mapping[str, Any] = field(default_factory=dict)
    stages: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    plan: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class LotRules:
    """Rules of the lots drawn before round 1. ``leagues``: they deal the four leagues (M40G-1). ``generator``: three
    ballots generate them (M40L). ``bracket``: they are places in a bracket with so many games (M40F17-1). ``needed``:
    they must have been shown in the hall before round 1."""

    leagues: bool = False
    generator: bool = False
    bracket: int = 0
    needed: bool = True


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """Properties of a format.

    - ``choices``: the options offered at the desk, ``readings`` the others. ``sizes``: possible numbers of entries.
    - ``settled_by_players``: a hidden disc (M40-1, TEAM-5) or rock-paper-scissors (CC-SEAT) settles the colours of
      every game, and there are no draws (section 0 of RULES.md).
    - ``captures``: the two counts are captured pieces. ``teams``: entries are teams. ``rules``: the rule set of its
      games. ``certificate``: table and column of RULES.md 7.
    - ``open_ended``: the operator decides the number of rounds. ``all_meet``: everybody meets everybody.
    - ``first_lot``: the first lot of the generator; lower numbers are reserved for seeds (M40L-4, M40L-5).
    - ``late``: what a late entry cannot have any more, once round 1 has been played.
    """

    name: str
    kinds: tuple[DivisionPreset, ...]
    choices: tuple[RuleOption[Any], ...] = ()
    readings: tuple[RuleOption[Any], ...] = ()
    sizes: tuple[int, int] = (2, 4096)
    settled_by_players: bool = False
    captures: bool = False
    teams: bool = False
    lots: LotRules | None = None
    rules: str = "m43"
    certificate: tuple[str, str] | None = None
    open_ended: bool = False
    all_meet: bool = False
    first_lot: int = 1
    late: tuple[Text, ...] = ()

    @property
    def endless(self) -> bool:
        """Whether the number of rounds is open and stored in no event file."""
        return self.open_ended and "rounds" not in [one.name for one in (*self.choices, *self.readings)]

    def designates(self, stage: _Stage) -> bool:
        """Return whether the pairing designates the colours of a game of this stage."""
        return stage.designated and not self.settled_by_players
