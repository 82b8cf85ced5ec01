"""What an operator event says, read strictly.

The law: an event is folded only if it says all that its kind must say, in the types that the pages rely on, of games,
players and rounds that are there. The desk writes no other; a venue's trail, or an old store, may hold others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from engine.match.model import MatchError
from engine.match.rulesets import read_options, rule_set
from engine.text import say, text_of
from engine.tournament import TournamentError
from engine.tournament.m40_lots import initial_number
from engine.tournament.model import End, Stage
from kiosk.head.errors import HeadError
from kiosk.head.event.pairing import check_event
from kiosk.head.event.state import MAIN, DivisionState
from kiosk.head.event.timetable import plan_of
from kiosk.head.store.rows import RECORD_SET_ASIDE
from kiosk.link.frames import MAX_TABLE

Body = Mapping[str, Any]
S = TypeVar("S", bound=msgspec.Struct)

SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")

_Table = Annotated[int, msgspec.Meta(ge=1, le=MAX_TABLE)]
_Round = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=10_000)]


class _Of(msgspec.Struct, frozen=True):
    division: str = MAIN


class _Title(msgspec.Struct, frozen=True):
    ja: str = ""
    en: str = ""


class _StageRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rules: str | None = None
    main_s: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] | None = None
    options: dict[str, Any] = {}


class _Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rules: str
    main_s: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    options: dict[str, Any] = {}
    stages: dict[str, _StageRules] = {}


class _Plan(msgspec.Struct, frozen=True):
    table: str = ""
    division: str = ""
    first: Annotated[int, msgspec.Meta(ge=0, le=1440)] | None = None
    rounds: _Count | None = None
    slot: _Count | None = None
    pause: _Count | None = None
    lunch_after: _Count | None = None
    lunch: _Count = 0


class _Names(msgspec.Struct, frozen=True):
    everybody: Literal["full", "initials", "ids"] = "full"
    minors: Literal["full", "initials", "ids"] = "full"


class _Spectators(msgspec.Struct, frozen=True):
    boards: Literal["live", "delayed", "finished", "off"] = "live"
    delay: Annotated[int, msgspec.Meta(ge=0, le=60)] = 6
    names: _Names = _Names()


class _Gathering(msgspec.Struct, frozen=True):
    name: str = ""
    date: str = ""


class _Created(_Of, frozen=True, kw_only=True):
    event: dict[str, Any]
    table: _Rules
    title: _Title = _Title()
    tables: list[_Table] | None = None
    plan: _Plan | None = None


class _Changed(_Of, frozen=True, kw_only=True):
    name: str | None = None
    date: str | None = None
    format: str | None = None
    options: dict[str, Any] = {}
    title: _Title | msgspec.UnsetType = msgspec.UNSET
    table: _Rules | msgspec.UnsetType = msgspec.UNSET
    tables: list[_Table] | None = None
    auto: bool | None = None
    plan: _Plan | msgspec.UnsetType = msgspec.UNSET
    spectators: _Spectators | msgspec.UnsetType = msgspec.UNSET


class _PlayersAdded(_Of, frozen=True, kw_only=True):
    players: list[dict[str, Any]]


class _PlayerChanged(_Of, frozen=True, kw_only=True):
    player: str
    fields: dict[str, Any]


class _Player(_Of, frozen=True, kw_only=True):
    player: str


class _Arrived(_Of, frozen=True, kw_only=True):
    players: list[str]
    arrived: bool


class _Absent(_Of, frozen=True, kw_only=True):
    players: list[str]
    absent: bool


class _Withdrawn(_Player, frozen=True, kw_only=True):
    after_round: _Count


class _Away(_Player, frozen=True, kw_only=True):
    round: _Round
    away: bool


class _Lots(_Of, frozen=True, kw_only=True):
    lots: dict[str, Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]]
    method: Literal["ballots", "seed", "hand"] = "hand"
    ballots: list[str] = []
    seed: int | None = None
    options: dict[str, Any] = {}


class _TeamSet(_Of, frozen=True, kw_only=True):
    team: dict[str, Any]


class _Team(_Of, frozen=True, kw_only=True):
    team: str


class _Sheet(_Team, frozen=True, kw_only=True):
    round: _Round
    players: list[str]


class _Wishes(_Of, frozen=True, kw_only=True):
    round: _Round
    locked: list[tuple[str, str]] | None = None
    forbidden: list[tuple[str, str]] | None = None
    byes: list[str] | None = None
    colours: dict[str, str] | None = None


class _Line(msgspec.Struct, frozen=True):
    """One game or bye of a round as it was paired."""

    black: str | None = None
    white: str | None = None
    bye: str | None = None
    stage: Stage = Stage.LEAGUE
    league: str | None = None
    designated: bool | msgspec.UnsetType = msgspec.UNSET
    winner: Literal["black", "white", "draw"] | None = None
    black_discs: int | None = None
    white_discs: int | None = None
    end: End = End.NORMAL
    rated: bool = True
    transcript: str = ""

    def __post_init__(self) -> None:
        if (self.bye is None) == (self.black is None or self.white is None):
            raise ValueError("a line of a round is a game of two players or a bye of one")


class _ByHand(_Of, frozen=True, kw_only=True):
    round: _Round
    games: list[_Line] | None = None


class _Published(_Of, frozen=True, kw_only=True):
    round: _Round
    games: list[_Line]
    edition: _Count = 0
    told: bool = False


class _Undone(_Of, frozen=True, kw_only=True):
    round: _Round
    reason: str = ""


class _Restored(_Of, frozen=True, kw_only=True):
    undone: _Count


class _Game(_Of, frozen=True, kw_only=True):
    game: str


class _Seated(_Game, frozen=True, kw_only=True):
    table: _Table
    arrived: Annotated[int, msgspec.Meta(ge=0)] = 0
    told: bool = False


class _Result(_Game, frozen=True, kw_only=True):
    black: str
    white: str
    winner: Literal["black", "white", "draw"]
    black_discs: int | None = None
    white_discs: int | None = None
    end: End = End.NORMAL
    rated: bool = True
    transcript: str = ""
    reason: str = ""


class _RecordSetAside(msgspec.Struct, frozen=True):
    table: _Table
    epoch: str
    seq: Annotated[int, msgspec.Meta(ge=1)]
    type: str
    reason: str


class _Told(msgspec.Struct, frozen=True):
    keys: list[str]


class _Seen(_Of, frozen=True, kw_only=True):
    key: str


SHAPES: Mapping[str, type[msgspec.Struct]] = {
    "gathering-named": _Gathering,
    "event-created": _Created,
    "division-changed": _Changed,
    "division-removed": _Of,
    "players-added": _PlayersAdded,
    "player-changed": _PlayerChanged,
    "player-removed": _Player,
    "players-arrived": _Arrived,
    "players-absent": _Absent,
    "player-withdrawn": _Withdrawn,
    "player-returned": _Player,
    "player-away": _Away,
    "lots-drawn": _Lots,
    "team-set": _TeamSet,
    "team-removed": _Team,
    "team-sheet": _Sheet,
    "wishes-set": _Wishes,
    "round-made-by-hand": _ByHand,
    "round-published": _Published,
    "round-undone": _Undone,
    "round-restored": _Restored,
    "game-seated": _Seated,
    "result-entered": _Result,
    "result-corrected": _Result,
    "result-taken-back": _Game,
    "notice-seen": _Seen,
    "notices-told": _Told,
    RECORD_SET_ASIDE: _RecordSetAside,
}

#: what the engine reads again after these: the desk did so before it wrote them
_READ_AGAIN = frozenset(
    {"event-created", "division-changed", "players-added", "player-changed", "lots-drawn", "team-set", "team-sheet",
     "round-published"}
)  # fmt: skip


def read(kind: str, body: Body) -> None:
    """Sees that an event says what its kind must say.

    :raises HeadError: the field and what is wrong with it, or a kind that this version does not know.
    """
    shape = SHAPES.get(kind)
    if shape is None:
        raise HeadError(say("'{kind}' is a kind of event that this version does not know", kind=kind[:60]))
    try:
        said = msgspec.convert(body, shape)
    except ValueError as error:
        raise HeadError(text_of(error)) from None
    if isinstance(said, _Created | _Changed):
        if isinstance(said.table, _Rules):
            check_rules(body["table"])
        if isinstance(said, _Changed) and isinstance(said.title, _Title) and not {"ja", "en"} <= body["title"].keys():
            raise HeadError(say("a title has a text in Japanese and one in English"))
        if isinstance(said.plan, _Plan):
            _check_plan(body["plan"])


def check_rules(table: Body) -> None:
    """Sees that what tables are told is something that a table knows.

    :raises HeadError: a rule set or an option that no table knows.
    """
    for stage in ({}, *table.get("stages", {}).values()):
        try:
            name = stage.get("rules") or table["rules"]
            rule_set(name)
            read_options({**table.get("options", {}), **stage.get("options", {})}, name)
        except MatchError as error:
            raise HeadError(say("the tables' rules cannot be used: {error}", error=error)) from error


def _check_plan(plan: Body) -> None:
    if plan and not plan.get("table") and (missing := {"first", "rounds", "slot", "pause"} - plan.keys()):
        raise HeadError(say("the timetable lacks {missing}", missing=", ".join(sorted(missing))))
    try:
        plan_of(plan)
    except (LookupError, TypeError) as error:
        raise HeadError(say("the timetable cannot be used: {error!r}", error=error)) from error
    if plan.get("table") and not plan.get("division"):
        raise HeadError(say("the timetable names a printed plan without its division"))


def check_before(kind: str, body: Body, division: DivisionState) -> None:
    """Sees that an event speaks of what its division has.

    :raises HeadError: it names a player, a team or a round that is not there, or that cannot follow now.
    """
    players = division.players()
    rounds = len(division.rounds)
    match kind:
        case "division-removed" if rounds:
            raise HeadError(say("the division has a published round"))
        case "player-changed" | "player-removed" | "player-withdrawn" | "player-returned" | "player-away":
            _known([body["player"]], players)
            if kind == "player-removed" and any(body["player"] in g.players for r in division.rounds for g in r):
                raise HeadError(say("player '{body}' was paired", body=body["player"][:60]))
        case "players-arrived" | "players-absent":
            _known(body["players"], players)
        case "lots-drawn":
            _known(body["lots"], players)
            if body.get("method") == "ballots":
                _ballots(body.get("ballots", ()))
        case "team-removed" | "team-sheet":
            _known([body["team"]], division.teams())
        case "round-made-by-hand" if body["games"]:
            _next(body["round"], rounds)
            _known(_names(body), players)
        case "round-published":
            _next(body["round"], rounds)
            _known(_names(body), players)
            if not body["games"]:
                raise HeadError(say("the round has no game"))
        case "round-undone" if body["round"] > rounds:
            raise HeadError(say("there is no round {body} to take back", body=body["round"]))
        case "round-restored":
            if body["undone"] >= len(division.undone):
                raise HeadError(say("there is no such round to put back"))
            _next(division.undone[body["undone"]].round, rounds)


def check_after(kind: str, division: DivisionState) -> None:
    """Sees that the engine can still read the division.

    :raises HeadError: the field that it refuses.
    """
    if kind in _READ_AGAIN:
        check_event(division.event_file())


def _next(round: int, rounds: int) -> None:
    if round != rounds + 1:
        raise HeadError(say("round {round} does not follow round {rounds}", round=round, rounds=rounds))


def _known(names: Iterable[str], known: Mapping[str, object]) -> None:
    for name in names:
        if name not in known:
            raise HeadError(say("'{name}' is not in the division", name=name[:60]))


def _names(body: Body) -> list[str]:
    return [line[side] for line in body["games"] for side in ("black", "white", "bye") if line.get(side) is not None]


def _ballots(ballots: Iterable[str]) -> None:
    try:
        initial_number(tuple(ballots))
    except TournamentError as error:
        raise HeadError(text_of(error)) from error
