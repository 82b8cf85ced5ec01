"""What a format says of itself: one ``Facts`` stands in the file of each format, and nobody else repeats it.

The law: whoever wants to know something about a format asks its facts; a new format, or another reading of one, touches
its own file and its page in docs/.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from engine.text import Text, say

if TYPE_CHECKING:
    from engine.tournament.model import Event, Stage

T = TypeVar("T", str, int, bool)

#: the groups of kinds in their order, with their headings
GROUPS: Mapping[str, Text] = {
    "m43": say("Meijin rules, 43rd"),
    "m40": say("Meijin rules, 40th"),
    "others": say("Teams and ChouChou"),
    "free": say("Other formats"),
}


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """An option of the event file: a named reading of a rule (``amb``), or a choice that the format leaves. ``label``:
    its name for the desk, where it is offered there."""

    name: str
    label: Text | None = None

    def of(self, event: Event) -> T | None:
        """What the event says; None is the format's default."""
        said: T | None = event.options.readings.get(self.name)
        return said


@dataclass(frozen=True, slots=True)
class OneOf(Reading[str]):
    """One of a few words, the recommended one first. ``words``: what they are called at the desk."""

    values: tuple[str, ...] = ()
    words: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Count(Reading[int]):
    """A whole number. ``offered``: from where to where the desk offers it; ``words``: what few numbers are called."""

    low: int = 1
    high: int | None = None
    offered: tuple[int, int] = (1, 30)
    words: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Flag(Reading[bool]):
    """Yes or no."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of division to choose from at the desk: the format with what a tournament in Japan starts from. ``title``:
    what the division is called unless somebody says otherwise; ``plan``: table and column of RULES.md 7.3; ``players``:
    how many it is for; ``stages``: main times that differ."""

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
class Lottery:
    """Lots are drawn before round 1. ``leagues``: they deal the four leagues (M40G-1). ``generator``: three ballots
    make them (M40L). ``bracket``: they are places in a bracket with so many games (M40F17-1). ``needed``: the hall must
    have seen them before round 1."""

    leagues: bool = False
    generator: bool = False
    bracket: int = 0
    needed: bool = True


@dataclass(frozen=True, slots=True)
class Facts:
    """``choices``: the options that the desk offers, ``readings`` the others. ``sizes``: how many can play.
    ``settled_by_players``: a hidden disc (M40-1, TEAM-5) or rock-paper-scissors (CC-SEAT) settles the colours of every
    game, and there are no draws (section 0 of RULES.md). ``captures``: the two counts are captured pieces. ``teams``:
    its entries are teams. ``rules``: the rule set of its games. ``certificate``: table and column of RULES.md 7.
    ``open_ended``: the operator says how many rounds there are. ``all_meet``: everybody meets everybody. ``first_lot``:
    the first that the generator gives; those before it are the seeds' own (M40L-4, M40L-5). ``late``: what a late
    entry cannot have any more, once round 1 has been played."""

    name: str
    kinds: tuple[Kind, ...]
    choices: tuple[Reading[Any], ...] = ()
    readings: tuple[Reading[Any], ...] = ()
    sizes: tuple[int, int] = (2, 4096)
    settled_by_players: bool = False
    captures: bool = False
    teams: bool = False
    lots: Lottery | None = None
    rules: str = "m43"
    certificate: tuple[str, str] | None = None
    open_ended: bool = False
    all_meet: bool = False
    first_lot: int = 1
    late: tuple[Text, ...] = ()

    @property
    def endless(self) -> bool:
        """It goes on for as long as the operator likes: no event file says how many rounds there are."""
        return self.open_ended and "rounds" not in [one.name for one in (*self.choices, *self.readings)]

    def designates(self, stage: Stage) -> bool:
        """Whether the pairing designates the colours of a game of this stage."""
        return stage.designated and not self.settled_by_players
