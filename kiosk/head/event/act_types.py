"""Types of the desk's acts and their JSON in operator events.

This is the only module that converts between them. An event is folded only if it has all fields of its kind in the
types that the acts rely on. The desk writes no others; a venue's trail or an old store may contain others. The effect
of an act on its division, and whether it is possible at all, is in ``act_reducers``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from engine.end_reason import EndReason
from engine.i18n import text_of
from engine.tournament.event_model import Event, Game, TournamentError, Winner
from kiosk.head.errors import HeadError
from kiosk.head.event.spectator_visibility import VisibilityRules
from kiosk.head.event.tournament_state import MAIN, DayPlan, TableRules
from kiosk.head.store.store_rows import RECORD_SET_ASIDE, ROWS_MISSING
from kiosk.json_validation import warm_up
from kiosk.link.message_macs_versions_handshake import MAX_TABLE
from kiosk.records.event_file import GameLine, from_dict

#: an operator event's body as stored
Body: TypeAlias = Mapping[str, Any]
#: a part of a body that ``kiosk.records.event_file`` reads: a player, a team, options
Part: TypeAlias = dict[str, Any]

SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")
#: a name in the broadcast's address; not a number alone, which is a table
SLOT = re.compile(r"[a-z][a-z0-9-]{0,30}")

_Table = Annotated[int, Meta(ge=1, le=MAX_TABLE)]
_Round = Annotated[int, Meta(ge=1, le=10_000)]
_Picture = Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")]
_Count = Annotated[int, Meta(ge=0, le=10_000)]


class _Act(Struct, frozen=True, omit_defaults=True):
    """Base of all acts. Unknown fields are ignored: they are for people to read, or of another version."""


class TournamentRenamed(_Act, frozen=True):
    """The tournament's name. ``place``, ``country``, ``sender``: for the announcement and the rating list;
    ``name_en``: the name in English."""

    name: str = ""
    date: str = ""
    place: str = ""
    country: str = ""
    sender: str = ""
    name_en: str = ""


class OrganiserNamed(_Act, frozen=True):
    """The organiser of the tournament, for its papers. ``seal``, ``logo``: names of pictures, empty for none."""

    organiser: Annotated[str, Meta(max_length=60)] = ""
    seal: _Picture = ""
    logo: _Picture = ""


class Announced(_Act, frozen=True):
    """The desk's announcement to everybody, and when and where prizes are given; empty: none. ``until``: when the
    announcement ends, empty for never."""

    text: Annotated[str, Meta(max_length=400)] = ""
    prizes: Annotated[str, Meta(max_length=200)] = ""
    until: Annotated[str, Meta(max_length=40)] = ""


class BroadcastSlotSet(_Act, frozen=True):
    """Assign a table to an address of the broadcast; None: remove the address."""

    slot: Annotated[str, Meta(pattern=f"^{SLOT.pattern}$")]
    table: _Table | None = None


class DivisionAct(_Act, frozen=True):
    """An act on one division."""

    division: str = MAIN


class Title(_Act, frozen=True):
    ja: str
    en: str


class LegacyTitle(_Act, frozen=True):
    """Title in a ``DivisionCreated`` event, where one language is enough."""

    ja: str = ""
    en: str = ""


class DivisionCreated(DivisionAct, frozen=True, kw_only=True):
    """A new division. ``event``: an event file without rounds. ``nonce``: makes two events of the same settings
    distinct.
    """

    event: Part
    table: TableRules
    title: LegacyTitle = LegacyTitle()
    tables: tuple[_Table, ...] | None = None
    plan: DayPlan | None = None
    nonce: str | UnsetType = UNSET


class DivisionChanged(DivisionAct, frozen=True, kw_only=True):
    """Changed settings of a division. ``options``: merged with the present ones; null removes one. ``tables`` null: all
    that are free.
    """

    name: str | None = None
    date: str | None = None
    format: str | None = None
    options: Part = {}
    title: Title | UnsetType = UNSET
    table: TableRules | UnsetType = UNSET
    tables: tuple[_Table, ...] | UnsetType | None = UNSET
    auto: bool | UnsetType | None = UNSET
    plan: DayPlan | UnsetType = UNSET
    spectators: VisibilityRules | UnsetType = UNSET


class DivisionRemoved(DivisionAct, frozen=True):
    """Removal of the division itself."""


class PlayersAdded(DivisionAct, frozen=True, kw_only=True):
    players: list[Part]


class PlayerChanged(DivisionAct, frozen=True, kw_only=True):
    """Changed fields of a player. ``fields``: null removes one."""

    player: str
    fields: Part


class PlayerRemoved(DivisionAct, frozen=True, kw_only=True):
    player: str


class PlayersArrived(DivisionAct, frozen=True, kw_only=True):
    players: tuple[str, ...]
    arrived: bool


class PlayersAbsent(DivisionAct, frozen=True, kw_only=True):
    players: tuple[str, ...]
    absent: bool


class PlayersPaid(DivisionAct, frozen=True, kw_only=True):
    """Players whose entry fee was paid, or is open again."""

    players: tuple[str, ...]
    paid: bool


class PlayerWithdrawn(DivisionAct, frozen=True, kw_only=True):
    player: str
    after_round: _Count
    reason: str = ""


class PlayerReturned(DivisionAct, frozen=True, kw_only=True):
    player: str


class PlayerAway(DivisionAct, frozen=True, kw_only=True):
    player: str
    round: _Round
    away: bool


class LotsDrawn(DivisionAct, frozen=True, kw_only=True):
    lots: dict[str, Annotated[int, Meta(ge=0, le=1_000_000)]]
    method: Literal["ballots", "seed", "hand"] = "hand"
    ballots: tuple[str, ...] = ()
    seed: int | None = None
    options: Part = {}


class TeamSet(DivisionAct, frozen=True, kw_only=True):
    team: Part


class TeamRemoved(DivisionAct, frozen=True, kw_only=True):
    team: str


class TeamSheet(DivisionAct, frozen=True, kw_only=True):
    team: str
    round: _Round
    players: tuple[str, ...]


class WishesSet(DivisionAct, frozen=True, kw_only=True):
    """All constraints for one round; they replace the previous ones."""

    round: _Round
    locked: tuple[tuple[str, str], ...] | None = None
    forbidden: tuple[tuple[str, str], ...] | None = None
    byes: tuple[str, ...] | None = None
    colours: dict[str, str] | None = None


class ManualDraftSaved(DivisionAct, frozen=True, kw_only=True):
    """A draft changed by hand. No games: the manual changes are dropped. ``swapped`` is for people to read."""

    round: _Round
    games: tuple[GameLine, ...] | None
    swapped: tuple[str, ...] = ()


class RoundPublished(DivisionAct, frozen=True, kw_only=True):
    """A published round. ``told``: reported by the tables, to a head that knew less. ``cost`` and ``warnings`` are for
    people to read.
    """

    round: _Round
    games: tuple[GameLine, ...]
    cost: object = UNSET
    warnings: object = UNSET
    edition: _Count = 0
    told: bool = False


class RoundAmended(DivisionAct, frozen=True, kw_only=True):
    """A changed pairing of the last published round. ``removed``: ids of the games and byes that end; ``games``: the
    new ones, of ``edition`` (0: the round's); ``restored``: ids of removed ones that return. ``cost`` is for people to
    read.
    """

    round: _Round
    removed: tuple[str, ...]
    games: tuple[GameLine, ...] = ()
    restored: tuple[str, ...] = ()
    cost: object = UNSET
    edition: _Count = 0


class RoundTimed(DivisionAct, frozen=True, kw_only=True):
    """Start and length of a round. ``starts``: an instant, as the store writes them; None: unset.
    ``minutes``: allowed for its games; 0: not set.
    """

    round: _Round
    starts: str | None
    minutes: Annotated[int, Meta(ge=0, le=600)] = 0


class RoundUndone(DivisionAct, frozen=True, kw_only=True):
    round: _Round
    reason: str = ""


class RoundRestored(DivisionAct, frozen=True, kw_only=True):
    """A round that was taken back is restored. ``seats``: games that return to their former tables (older stores:
    none).
    """

    undone: _Count
    seats: dict[str, _Table] = {}


class GameSeated(DivisionAct, frozen=True, kw_only=True):
    """A game given to a table. ``arrived``: number of records that had arrived by then, noted by the store. ``told``:
    reported by the table itself; ``since``: arrival number of the record that reported it (0: an older head did not
    note it).
    """

    game: str
    table: _Table
    arrived: Annotated[int, Meta(ge=0)] = 0
    told: bool = False
    since: Annotated[int, Meta(ge=0)] = 0


#: fields of a ``Game`` that an act about its result repeats
RESULT = ("black", "white", "winner", "black_discs", "white_discs", "end", "rated")


class ResultEntered(DivisionAct, frozen=True, kw_only=True, omit_defaults=False):
    game: str
    black: str
    white: str
    winner: Winner
    black_discs: int | None = None
    white_discs: int | None = None
    end: EndReason = EndReason.NORMAL
    rated: bool = True
    transcript: str = ""
    reason: str = ""

    @property
    def outcome(self) -> Game:
        return Game(**{name: getattr(self, name) for name in RESULT}, transcript=self.transcript or None)


class ResultCorrected(ResultEntered, frozen=True, kw_only=True, omit_defaults=False):
    """A corrected result. ``old``: the result it replaces."""

    old: Part | UnsetType = UNSET


class ResultReported(ResultEntered, frozen=True, kw_only=True, omit_defaults=False):
    """A player's report from his phone; it does not count yet. ``by``: his id; ``phone``: identifies the phone."""

    by: str
    phone: str = ""


class ResultTakenBack(DivisionAct, frozen=True, kw_only=True):
    game: str
    reason: str = ""


class NoticeDismissed(DivisionAct, frozen=True, kw_only=True):
    key: str


class RecordQuarantined(_Act, frozen=True):
    table: _Table
    epoch: str
    seq: Annotated[int, Meta(ge=1)]
    type: str
    reason: str


class LostRecords(Struct, frozen=True):
    """The first and the last record that the store lost of a journal."""

    table: _Table
    epoch: str
    first: int
    last: int


class RowsMissing(_Act, frozen=True):
    """What the head's store had lost when it started. ``events``: first and last number; ``at``: of the last."""

    events: tuple[int, int] | None
    at: str
    records: tuple[LostRecords, ...]


class NoticesFirstShown(_Act, frozen=True):
    """Time at which the head first had the notices it shows: the event's time."""

    keys: tuple[str, ...]


SHAPES: Mapping[str, type[Struct]] = {
    "gathering-named": TournamentRenamed,
    "organiser-named": OrganiserNamed,
    "hall-announced": Announced,
    "slot-set": BroadcastSlotSet,
    "event-created": DivisionCreated,
    "division-changed": DivisionChanged,
    "division-removed": DivisionRemoved,
    "players-added": PlayersAdded,
    "player-changed": PlayerChanged,
    "player-removed": PlayerRemoved,
    "players-arrived": PlayersArrived,
    "players-absent": PlayersAbsent,
    "players-paid": PlayersPaid,
    "player-withdrawn": PlayerWithdrawn,
    "player-returned": PlayerReturned,
    "player-away": PlayerAway,
    "lots-drawn": LotsDrawn,
    "team-set": TeamSet,
    "team-removed": TeamRemoved,
    "team-sheet": TeamSheet,
    "wishes-set": WishesSet,
    "round-made-by-hand": ManualDraftSaved,
    "round-published": RoundPublished,
    "round-amended": RoundAmended,
    "round-timed": RoundTimed,
    "round-undone": RoundUndone,
    "round-restored": RoundRestored,
    "game-seated": GameSeated,
    "result-entered": ResultEntered,
    "result-corrected": ResultCorrected,
    "result-taken-back": ResultTakenBack,
    "result-reported": ResultReported,
    "notice-seen": NoticeDismissed,
    "notices-told": NoticesFirstShown,
    RECORD_SET_ASIDE: RecordQuarantined,
    ROWS_MISSING: RowsMissing,
}
_KINDS = {shape: kind for kind, shape in SHAPES.items()}


def read(kind: str, body: Body) -> Struct:
    """Return the act in an event.

    :raises HeadError: names the invalid field, or a kind that this version does not know.
    """
    shape = SHAPES.get(kind)
    if shape is None:
        raise HeadError.saying("'{kind}' is a kind of event that this version does not know", kind=kind[:60])
    try:
        return msgspec.convert(body, warm_up(shape))
    except (ValueError, RecursionError) as error:
        raise HeadError(text_of(error)) from None


def event_of(data: object) -> Event:
    """Return the event in an event file's object.

    :raises HeadError: it cannot be used; the message names the field.
    """
    try:
        return from_dict(data)
    except TournamentError as error:
        raise HeadError.saying("the event cannot be used: {error}", error=error) from error


def write(act: Struct) -> tuple[str, Body]:
    """Return the kind of an act and its body, from which ``read`` makes the act again."""
    body: dict[str, Any] = msgspec.to_builtins(act)
    if isinstance(act, DivisionCreated):
        body["table"] = {"options": {}} | body["table"]  # hashed for the event's name, so its form is fixed
    elif isinstance(act, DivisionAct):
        body["division"] = act.division
    return _KINDS[type(act)], body
