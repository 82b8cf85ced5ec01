"""The gathering at one moment: its divisions, their rounds and games, and what somebody should look at.

The law: these are values, and an event is the engine's. ``fold`` makes them from what is stored; nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from engine.text import Text, say
from engine.tournament.history import present
from engine.tournament.model import Bye, Event, Game, Player, Round, Stage, Team
from engine.tournament.operator import with_missed
from kiosk.head.errors import HeadError, NotFound
from kiosk.head.event.games import HeadGame, Outcome
from kiosk.head.event.spectators import Spectators

#: the division of a store or a configuration that knows only one
MAIN = "main"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the operator should look at. ``key`` names it, so that it can be put away;
    ``at``: when the head first had it, empty until that is written down."""

    kind: str
    text: Text
    table: int | None = None
    game: str | None = None
    key: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class SetAside:
    """What is kept and not folded, and ``why``: operator event ``number``, or record ``seq`` of a ``table``'s journal
    ``epoch``. ``kind``: of the event or the record; ``at``: of the event, or of the one that set the record aside."""

    kind: str
    why: Text
    number: int | None = None
    table: int | None = None
    epoch: str = ""
    seq: int = 0
    at: str = ""

    @property
    def key(self) -> str:
        return f"aside-{self.number}" if self.number is not None else f"aside-{self.table}-{self.epoch}-{self.seq}"

    def notice(self) -> Notice:
        if self.number is not None:
            what = say("Operator event {number} ({kind})", number=self.number, kind=shown(self.kind))
        else:
            what = say("Record {seq} of table {table} ({kind})", seq=self.seq, table=self.table, kind=shown(self.kind))
        text = say(
            "{what} cannot be used and is excluded ({why}). It stays in the store.", what=what, why=_shown(self.why)
        )
        return Notice("set-aside", text, self.table, key=self.key, at=self.at)


def shown(text: str, most: int = 200) -> str:
    """Foreign text as it may stand in a sentence: no control characters, no lone surrogates, not too long."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text[:most])


def _shown(why: Text) -> Text:
    return why(**{name: shown(value) for name, value in why.fields if isinstance(value, str)})


_Seconds = Annotated[int, Meta(ge=1, le=1_000_000)]


class StageRules(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What tables are told otherwise in one stage."""

    rules: str | None = None
    main_s: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    options: dict[str, object] = {}


class TableRules(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What tables are told about games. ``stages``: what differs from this in a stage; "knockout" stands for every
    stage after the league. ``options``: as the rule set's own reader takes them (``engine.match.rulesets``)."""

    rules: str
    main_s: _Seconds
    options: dict[str, object] = {}
    stages: dict[str, StageRules] = {}

    def at(self, stage: str) -> TableRules:
        """What holds in one stage."""
        other = self.stages.get(stage)
        if other is None and not Stage(stage).designated:
            other = self.stages.get("knockout")
        if other is None:
            return self
        return TableRules(other.rules or self.rules, other.main_s or self.main_s, {**self.options, **other.options})


_Minutes = Annotated[int, Meta(ge=0, le=10_000)]


class DayPlan(Struct, frozen=True, omit_defaults=True):
    """What was announced of the day: a printed plan (``table`` and ``division`` of RULES.md 7.3), or rounds of one
    length with breaks and a longer one for lunch. Times are minutes, ``first`` since midnight. Empty: nothing was."""

    table: str = ""
    division: str = ""
    first: Annotated[int, Meta(ge=0, le=1440)] | None = None
    rounds: _Minutes | None = None
    slot: _Minutes | None = None
    pause: _Minutes | None = None
    lunch_after: _Minutes | None = None
    lunch: _Minutes = 0


class Drawn(Struct, frozen=True):
    """How the lots were drawn, so that it can be shown again. ``lots``: as they were drawn."""

    method: str
    lots: dict[str, int]
    ballots: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """A published round that was taken back: its games with the results they had, and why."""

    round: int
    games: tuple[HeadGame, ...]
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class Timed:
    """When a round was said to start, and how many minutes its games may take; 0: not said."""

    starts: datetime
    minutes: int = 0


@dataclass(frozen=True, slots=True)
class HandMade:
    """A draft of a round that the operator has changed himself."""

    round: int
    games: tuple[Game | Bye, ...]


@dataclass(frozen=True, slots=True)
class DivisionState:
    """One division. ``event``: what was entered and paired; ``whole`` has the results too. ``rounds``: each one's
    games, round 1 first. ``tables``: the hall's tables it may use; None: all
    that no other division has. ``editions``: how often a round was taken back, or begun
    by a head that is lost and then paired otherwise. ``here``: who has checked in."""

    slug: str
    event: Event
    event_id: str
    table_rules: TableRules
    title: tuple[str, str] = ("", "")
    rounds: tuple[tuple[HeadGame, ...], ...] = ()
    here: frozenset[str] = frozenset()
    #: whose entry fee has been taken
    paid: frozenset[str] = frozenset()
    #: who entered late or came back, and how many rounds were published by then: those without him he has missed
    missed_until: Mapping[str, int] = field(default_factory=dict)
    tables: tuple[int, ...] | None = None
    auto: bool | None = None
    #: whether it came with its players, so that nothing but the head has to begin round 1
    came_whole: bool = False
    editions: Mapping[int, int] = field(default_factory=dict)
    undone: tuple[Undone, ...] = ()
    hand_made: HandMade | None = None
    plan: DayPlan = field(default_factory=DayPlan)
    spectators: Spectators = field(default_factory=Spectators)
    #: when each round was published, and when its last result came
    published_at: Mapping[int, str] = field(default_factory=dict)
    drawn: Drawn | None = None
    #: by round, what the desk said of its time
    timed: Mapping[int, Timed] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the division is called where only one language fits."""
        ja, en = self.title
        if ja and en and ja != en:
            return f"{ja} {en}"
        return ja or en or self.event.name or self.slug

    @property
    def format(self) -> str:
        return self.event.format

    @property
    def current(self) -> tuple[HeadGame, ...]:
        """The games of the last published round."""
        return self.rounds[-1] if self.rounds else ()

    @property
    def round_is_complete(self) -> bool:
        """Whether nothing of the last published round is still to be played; true before round 1."""
        return not any(game.is_open for game in self.current)

    @property
    def edition(self) -> int:
        """Of the next round: 0 unless it was taken back before, or a head that is lost had begun it."""
        return self.editions.get(len(self.rounds) + 1, 0)

    def players(self) -> dict[str, Player]:
        return {player.id: player for player in self.event.players}

    def teams(self) -> dict[str, Team]:
        return {team.id: team for team in self.event.teams}

    @property
    def withdrawn(self) -> frozenset[str]:
        """Who has left."""
        return frozenset(player.id for player in self.event.players if player.withdrawn_after_round is not None)

    def called(self, entry: str) -> str:
        return self.event.called(entry)

    def scored(self, outcome: Outcome) -> str:
        """A result by its players' names, Black's first."""
        signs = {"black": "○–×", "white": "×–○", "draw": "△", "neither": "×–×"}
        discs = outcome.black_discs, outcome.white_discs
        score = signs[outcome.winner] if None in discs or outcome.winner == "neither" else f"{discs[0]}–{discs[1]}"
        return f"{self.called(outcome.black)} {score} {self.called(outcome.white)}"

    def whole(self) -> Event:
        """The event with the tables and results of its games; who entered late or came back was away in the rounds that
        he has missed."""
        rounds = tuple(round_of(number, games) for number, games in enumerate(self.rounds, start=1))
        event = with_missed(replace(self.event, rounds=rounds), self.missed_until)
        away = event.options.absences
        if not away:
            return event
        in_order = {key: away[key] for key in sorted(away, key=lambda key: (len(key), key))}
        return replace(event, options=replace(event.options, absences=in_order))

    def missing(self) -> list[tuple[HeadGame, str]]:
        """Who is due at an open game of the last published round but is absent, has left, or misses that round."""
        here = {player.id for player in present(self.event, len(self.rounds))}
        gone = self.players().keys() - here
        due = [(game, name) for game in self.current if game.is_open for name in (game.black, game.white)]
        return [(game, name) for game, name in due if name in gone]

    def away_in(self, player: str) -> list[int]:
        """The rounds that he says he misses."""
        said = self.event.options.absences
        return sorted(int(key) for key, names in said.items() if key.isdigit() and player in names)


def round_of(number: int, games: Sequence[HeadGame]) -> Round:
    """The games of a round as the engine has them."""
    entries = [game.entry() for game in games]
    return Round(
        number,
        tuple(entry for entry in entries if isinstance(entry, Game)),
        tuple(entry for entry in entries if isinstance(entry, Bye)),
    )


@dataclass(frozen=True, slots=True)
class Report:
    """What a player says of his game. ``times``: how often he has said something."""

    outcome: Outcome
    phone: str
    times: int


@dataclass(frozen=True, slots=True)
class HallState:
    """The gathering. ``divisions``: by slug, in the order they were made. ``aside``: what could not be folded."""

    divisions: Mapping[str, DivisionState] = field(default_factory=dict)
    name: str = ""
    date: str = ""
    #: where it is held; the country in English and who sends its games to the rating list
    place: str = ""
    country: str = ""
    sender: str = ""
    #: who holds it, on papers, with the names of two pictures (``kiosk.head.tables.photographs``)
    organiser: str = ""
    seal: str = ""
    logo: str = ""
    #: what the desk says to everybody, and when and where prizes are given
    announcement: str = ""
    prizes: str = ""
    #: by name, the table that an address of the broadcast shows
    slots: Mapping[str, int] = field(default_factory=dict)
    #: by game and player, what players say of games that have no result yet
    reports: Mapping[str, Mapping[str, Report]] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    aside: tuple[SetAside, ...] = ()

    @property
    def title(self) -> str:
        """The gathering's name, or that of its only division's event."""
        return self.name or next((d.event.name or "" for d in self.divisions.values()), "")

    @property
    def first(self) -> DivisionState:
        """:raises HeadError: there is no division."""
        for division in self.divisions.values():
            return division
        raise HeadError(say("no event was created yet; enter one on the desk page, or name one in the configuration"))

    def division(self, slug: str | None = None) -> DivisionState:
        """A division by its slug, or the first one.

        :raises NotFound: there is no such division. :raises HeadError: there is none at all.
        """
        if not slug:
            return self.first
        if slug not in self.divisions:
            raise NotFound(
                say(
                    "there is no division '{slug}'; choose one of {divisions}",
                    slug=slug[:40],
                    divisions=", ".join(self.divisions) or "none",
                )
            )
        return self.divisions[slug]

    def all_games(self) -> Iterator[HeadGame]:
        return (game for division in self.divisions.values() for games in division.rounds for game in games)

    def game(self, id: str) -> HeadGame | None:
        return next((game for game in self.all_games() if game.id == id), None)

    def division_of(self, game: str) -> DivisionState | None:
        """The division that has a game in one of its rounds."""
        for division in self.divisions.values():
            if any(one.id == game for games in division.rounds for one in games):
                return division
        return None

    @property
    def current(self) -> tuple[HeadGame, ...]:
        """The games of every division's last published round."""
        return tuple(game for division in self.divisions.values() for game in division.current)

    def tables_of(self, slug: str, pool: tuple[int, ...]) -> tuple[int, ...]:
        """The tables that a division may use: its own, else all of the hall's that no other division has. A hall
        without kiosks has as many plain tables as it needs."""
        own = self.divisions[slug].tables
        if own is not None:
            return own
        claimed = {table for division in self.divisions.values() for table in division.tables or ()}
        if not pool:
            pool = tuple(range(1, len(self.current) + len(claimed) + 1))
        return tuple(table for table in pool if table not in claimed)
