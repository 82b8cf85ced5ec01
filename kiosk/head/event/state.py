"""The gathering at one moment: its divisions, their rounds and games, and what somebody should look at.

The law: these are values. ``ledger.fold`` makes them from what is stored; nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.text import Text, say
from engine.tournament.model import Stage
from kiosk.head.errors import HeadError, NotFound
from kiosk.head.event.games import HeadGame

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
        text = say("{what} cannot be used and was set aside ({why}). It is kept.", what=what, why=_shown(self.why))
        return Notice("set-aside", text, self.table, key=self.key, at=self.at)


def shown(text: str, most: int = 200) -> str:
    """Foreign text as it may stand in a sentence: no control characters, no lone surrogates, not too long."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text[:most])


def _shown(why: Text) -> Text:
    return why(**{name: shown(value) for name, value in why.fields if isinstance(value, str)})


@dataclass(frozen=True, slots=True)
class TableRules:
    """What tables are told about games. ``stages``: what differs from this in a stage (``main_s``, ``rules``,
    ``options``); "knockout" stands for every stage after the league."""

    rules: str
    main_s: int
    options: Mapping[str, Any] = field(default_factory=dict)
    stages: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def at(self, stage: str) -> TableRules:
        """What holds in one stage."""
        other = self.stages.get(stage)
        if other is None and not Stage(stage).designated:
            other = self.stages.get("knockout")
        if other is None:
            return self
        options = {**self.options, **other.get("options", {})}
        return TableRules(other.get("rules") or self.rules, int(other.get("main_s") or self.main_s), options)


@dataclass(frozen=True, slots=True)
class Undone:
    """A published round that was taken back: its games with the results they had, and why."""

    round: int
    games: tuple[HeadGame, ...]
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class HandMade:
    """A draft of a round that the operator has changed himself."""

    round: int
    games: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class DivisionState:
    """One division. ``rounds``: each one's games, round 1 first. ``tables``: the hall's tables it may use; None: all
    that no other division has. ``editions``: how often a round was taken back. ``here``: who has checked in."""

    slug: str
    event: Mapping[str, Any]
    event_id: str
    table_rules: TableRules
    title: tuple[str, str] = ("", "")
    rounds: tuple[tuple[HeadGame, ...], ...] = ()
    withdrawn: Mapping[str, int] = field(default_factory=dict)
    here: frozenset[str] = frozenset()
    #: who entered late or came back, and how many rounds were published by then: those without him he has missed
    missed_until: Mapping[str, int] = field(default_factory=dict)
    tables: tuple[int, ...] | None = None
    auto: bool | None = None
    #: whether it came with its players, so that nothing but the head has to begin round 1
    came_whole: bool = False
    editions: Mapping[int, int] = field(default_factory=dict)
    undone: tuple[Undone, ...] = ()
    hand_made: HandMade | None = None
    plan: Mapping[str, Any] = field(default_factory=dict)
    #: what spectators may see (``kiosk.head.event.spectators``)
    spectators: Mapping[str, Any] = field(default_factory=dict)
    #: when each round was published, and when its last result came
    published_at: Mapping[int, str] = field(default_factory=dict)
    drawn: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the division is called where only one language fits."""
        ja, en = self.title
        if ja and en and ja != en:
            return f"{ja} {en}"
        return ja or en or str(self.event.get("name") or self.slug)

    @property
    def format(self) -> str:
        return str(self.event["format"])

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
        """Of the next round: 0 unless it was taken back before."""
        return self.editions.get(len(self.rounds) + 1, 0)

    def players(self) -> dict[str, Mapping[str, Any]]:
        return {player["id"]: player for player in self.event.get("players", ())}

    def teams(self) -> dict[str, Mapping[str, Any]]:
        return {team["id"]: team for team in self.event.get("teams", ())}

    def called(self, entry: str | None) -> str:
        """The name of a player or a team."""
        found = self.players().get(entry or "") or self.teams().get(entry or "") or {}
        return str(found.get("name") or entry)

    def event_file(self) -> dict[str, Any]:
        """The division as a file (CONTRACT.md, ``othello-event/1``)."""
        players = [
            player | ({"withdrawn_after_round": self.withdrawn[player["id"]]} if player["id"] in self.withdrawn else {})
            for player in self.event["players"]
        ]
        rounds = [
            {"round": number, "games": [game.to_event() for game in games]}
            for number, games in enumerate(self.rounds, start=1)
        ]
        event = dict(self.event) | {"players": players, "rounds": rounds}
        if absences := self._absences():
            event["options"] = {**event.get("options", {}), "absences": absences}
        return event

    def _absences(self) -> dict[str, list[str]]:
        """Who is away by round (docs/event-file.md): who said so, and the rounds that somebody has missed."""
        said = self.event.get("options", {}).get("absences", {})
        found = {key: list(names) for key, names in said.items()}
        for player, until in self.missed_until.items():
            for number, games in enumerate(self.rounds[:until], start=1):
                names = found.get(str(number), [])
                if player not in names and not any(player in game.players for game in games):
                    found[str(number)] = [*names, player]
        return {key: found[key] for key in sorted(found, key=lambda key: (len(key), key))}

    def away_in(self, player: str) -> list[int]:
        """The rounds that he says he misses."""
        said = self.event.get("options", {}).get("absences", {})
        return sorted(int(key) for key, names in said.items() if key.isdigit() and player in names)


@dataclass(frozen=True, slots=True)
class HallState:
    """The gathering. ``divisions``: by slug, in the order they were made. ``aside``: what could not be folded."""

    divisions: Mapping[str, DivisionState] = field(default_factory=dict)
    name: str = ""
    date: str = ""
    notices: tuple[Notice, ...] = ()
    aside: tuple[SetAside, ...] = ()

    @property
    def title(self) -> str:
        """The gathering's name, or that of its only division's event."""
        return self.name or next((str(d.event.get("name") or "") for d in self.divisions.values()), "")

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
