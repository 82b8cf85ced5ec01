"""Description of a format: options, limits and properties that other modules read; the options that formats share.

Each format's file contains its one ``FormatSpec``. Other modules must read properties of a format from there, so that
a new format, or another reading of one, changes only its own file and its page in docs/.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from engine.board.variants import PLAYABLE
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


# Options shared by several formats; options of a single format are in its own file.
#
# A missing option means the recommended reading of AMB-nn, which is its first value.

#: rounds before the finals; of a team event all of them. Without it the operator ends the event
ROUNDS = IntOption("rounds", say("Rounds before the finals"), 1, 100)
TEAM_ROUNDS = IntOption("rounds", say("Rounds, the last with the final"), 1, 100)
#: final of the first two, or semi-finals 1 v 4 and 2 v 3, final and 3rd-place game
FINALS = ChoiceOption(
    "finals",
    say("Finals"),
    ("none", "1-2", "1-4"),
    (
        say("none"),
        say("a final of the first two"),
        say("semi-finals and final of the first four"),
    ),
)
#: 4th and 5th play for the last seat of the semi-finals if they are level in points
PLAY_OFF = BoolOption("play_off", say("Play-off for the fourth seat if level"))
#: what ranks players with equal points, in this order: Brightwell points, the sum of the opponents' points, the games
#: among the level players if all have met, own discs, disc difference, the lot
TIE_BREAKS = ListOption(
    "tie_breaks",
    say("Order of players with equal points"),
    ("brightwell", "opponents", "direct", "discs", "disc_difference", "lot"),
    (
        say("Brightwell points"),
        say("opponents' points"),
        say("head-to-head"),
        say("discs"),
        say("disc difference"),
        say("lot number"),
    ),
)
#: games of a match in the rounds before the semi-finals: those of a knock-out, or the play-off for the fourth seat
KNOCKOUT_GAMES = IntOption("knockout_games", say("Games of a match before the semi-finals"), 1, 9, (1, 9))
#: games of a semi-final: more than half of the points win it, AMB-50
SEMI_FINAL_GAMES = IntOption("semi_final_games", say("Games of a semi-final"), 1, 9, (1, 9))
#: games of the final, as of a semi-final
FINAL_GAMES = IntOption("final_games", say("Games of the final"), 1, 9, (1, 9))
#: games of the match for 3rd place, as of a semi-final
THIRD_PLACE_GAMES = IntOption("third_place_games", say("Games for the 3rd place"), 1, 9, (1, 9))
#: a draw in a match of several games: half a point each, or none, as every game has a draw right: AMB-50
MATCH_DRAWS = ChoiceOption(
    "match_draws",
    say("Equal discs in a match of several games"),
    ("half", "draw_right"),
    (say("a draw, half a point each"), say("no draw, one has the draw right")),
)
#: what decides a match that is level after its games: one more game, the discs of all its games, or the order before
#: it; if these are level, too, one more game: AMB-50
MATCH_LEVEL = ChoiceOption(
    "match_level",
    say("A match that is level after its games"),
    ("extra_game", "discs", "rank"),
    (
        say("one more game, without a draw"),
        say("more discs in its games win"),
        say("who ranked higher before wins"),
    ),
)
#: colours of a match of several games: exchanged after each, but settled anew in the last of an odd number; or always
#: exchanged: AMB-50
MATCH_COLOURS = ChoiceOption(
    "match_colours",
    say("Colours in a match of several games"),
    ("last_anew", "exchanged"),
    (
        say("exchanged, but settled anew for the last game of an odd number"),
        say("exchanged after each game"),
    ),
)
#: options of matches of several games
MATCHES = (
    KNOCKOUT_GAMES, SEMI_FINAL_GAMES, FINAL_GAMES, THIRD_PLACE_GAMES, MATCH_DRAWS, MATCH_LEVEL, MATCH_COLOURS,
)  # fmt: skip
#: the discs that a bye is entered with, at least half of the board: AMB-10, AMB-16, AMB-26
BYE_DISCS = IntOption("bye_discs", say("Discs of a bye"), 18, 100, (18, 100))
#: discs of a game that one player missed, more than half of the board: AMB-09, AMB-26
FORFEIT_DISCS = IntOption("forfeit_discs", None, 19, 100)
#: a game for which neither player came: both lose, or a draw where the format knows draws: AMB-49
DOUBLE_FORFEIT = ChoiceOption("double_forfeit", None, ("both_lose", "draw"))
#: the board, its set-up, and who begins (RULES.md 1.2 and 1.4), in formats whose rules do not fix it
VARIANT = ChoiceOption("variant", say("Board and start"), tuple(PLAYABLE), tuple(PLAYABLE.values()))
#: what a bye brings into the Brightwell points: half the discs and the own wins, or its own discs: AMB-10
BYE_BRIGHTWELL = ChoiceOption("bye_brightwell", None, ("draw", "entered"))
#: which differences in wins are avoided first: AMB-17
PROFILE = ChoiceOption(
    "profile",
    say("Differences in wins"),
    ("worst_first", "same_first"),
    (say("the largest first"), say("equal wins first")),
)
#: PAIRING.md 1 as it stands, or each player from the top: AMB-17
FLOATER = ChoiceOption("floater", None, ("literal", "top_down"))
#: whom the highest player of the pool meets
DIRECTION = ChoiceOption(
    "direction",
    say("Who meets whom"),
    ("lowest", "highest"),
    (say("the highest meets the lowest"), say("the highest meets the next")),
)
#: the order of the pool: M40K or M40K17
RANKING = ChoiceOption("ranking", None, ("m40k", "m40k17"))
#: who left before round 1 keeps his place, or is removed before the draw: AMB-44
NO_SHOWS = ChoiceOption(
    "no_shows",
    say("Places of those who do not come"),
    ("keep_place", "removed"),
    (say("are kept"), say("are removed before the draw")),
)
#: round 1 by halves (M40P-1), or by lots as a pool: AMB-46
FIRST_ROUND = ChoiceOption("first_round", None, ("halves", "pool"))
#: seeds stand in the four quarters of the bracket, or where their lots are: AMB-22
SEED_PLACES = ChoiceOption("seed_places", None, ("quarters", "lots"))
#: whether the final decides places 1 and 2, or is a match like the others: AMB-45
FINAL_DECIDES = BoolOption("final_decides")
#: who has the "prize" of the certification tables, by wins or by place: AMB-29
PRIZE = ChoiceOption("prize", None, ("wins", "place"))
#: the column of the certification tables (RULES.md 7)
DIVISION = ChoiceOption(
    "division", None, ("open", "women", "master", "students", "high-school", "junior-high", "elementary")
)

#: the options that every format accepts
COMMON = (FORFEIT_DISCS, DOUBLE_FORFEIT, PRIZE, DIVISION)
