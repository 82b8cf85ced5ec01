"""Messages between table and head, written as msgpack or as JSON.

Unknown fields are ignored (``kiosk.link.message_macs_versions_handshake``). Times are whole seconds or milliseconds, as
the name says.
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import msgspec

from engine.i18n import Text, say
from kiosk.json_validation import warm_up
from kiosk.link.errors import MessageError

Side = Literal["black", "white"]
RecordType = Literal[
    "boot", "assigned", "seated", "withdrawn", "event", "card", "command", "trouble", "arbiter", "configured",
    "set-aside",
]  # fmt: skip

#: type of a record that could not be kept as it came (``kiosk.link.link_states_and_checked_envelopes``); no table
#: writes one
SET_ASIDE: Literal["set-aside"] = "set-aside"

#: reason of a hold without an order: the arbiter was called while no player could stop the clock
CALLED_AT_TABLE = "called at the table"
#: reason of a hold without an order: the power failed. Nobody has stopped the clock, so an arbiter is needed
POWER_FAILED = say("the power failed").template
#: what the holds without an order are, by their reason: a label's key (``kiosk.head.web.bilingual_labels``)
HOLDS_WITHOUT_ORDER = {CALLED_AT_TABLE: "called", POWER_FAILED: "power-failed"}


class _Message(msgspec.Struct, frozen=True):
    pass


class PlayerInfo(_Message, frozen=True):
    """A player as shown at a table."""

    id: str
    name: str
    grade: str | None = None
    country: str | None = None


class Assignment(_Message, frozen=True):
    """A game assigned to a table. ``designated``: players[0] is Black; else the table settles colours (M43-2)."""

    game: str
    event: str
    division: str
    round: int
    table: int
    rules: str
    stage: Literal["league", "knockout"]
    label_ja: str
    label_en: str
    main_s: int
    designated: bool
    players: list[PlayerInfo]
    options: dict[str, Any] = {}

    def __post_init__(self) -> None:
        if len(self.players) != 2:
            raise ValueError(f"players: a game has 2 players, not {len(self.players)}")


class Assigned(_Message, frozen=True):
    """The body of an ``assigned`` record: the game a table has begun, and whether a board reader is in use."""

    assignment: Assignment
    has_board_source: bool


class TableRecord(_Message, frozen=True):
    """One record of a table's journal. ``seq`` counts from 1 without gaps within a journal (its epoch)."""

    seq: int
    type: RecordType
    body: dict[str, Any]


class Command(_Message, frozen=True):
    """A command of the head to a table, executed once however often it arrives.

    ``game`` and ``revision``: the game and its state for which the command is meant (None: any); a table in another
    state refuses. ``expires_s``: seconds the command stays valid after it was sent (None: without limit).
    """

    id: str
    kind: Literal["assign", "withdraw", "arbiter", "hold", "configure"]
    game: str | None = None
    revision: int | None = None
    expires_s: int | None = None
    body: dict[str, Any] = {}


class Configuration(_Message, frozen=True):
    """The body of a ``configure`` command and of its ``configured`` record: the settings of a hall for its tables.
    ``arbiter_pin`` is the hash of the PIN (``kiosk keys pin``); empty: the one of the table's own file.
    """

    arbiter_pin: str = ""
    pin_digits: int = 4

    def __post_init__(self) -> None:
        if not 4 <= self.pin_digits <= 8:
            raise ValueError(f"pin_digits: a PIN has 4 to 8 figures, not {self.pin_digits}")


class ArbiterScreenEvent(_Message, frozen=True):
    """The body of an ``arbiter`` record: an event at the arbiter's screen of a table. Rulings are ``event`` records.
    ``on``: the equipment switched on after ``equipment``. ``at_ns``: as in events.
    """

    act: Literal["opened", "wrong-pin", "closed", "countdown", "countdown-stopped", "equipment"]
    game: str | None = None
    on: list[str] = []
    at_ns: int | None = None


class CommandDone(_Message, frozen=True):
    """The body of a ``command`` record: the outcome of a command. ``reason`` is for the arbiter; an older table sends
    it in English only.
    """

    id: str
    status: Literal["applied", "refused", "expired"]
    reason: Text | str = ""


class ResultCard(_Message, frozen=True):
    """The body of a ``card`` record: a result card that both players confirmed, or the arbiter ruled. It is the
    ``GameResult`` with the ids of the players, as journals and the head's store keep it.

    Discs are null where the card counts none (M40-15.1). ``remaining_ms`` is negative for a side whose flag fell and
    who played on. ``findings`` are for the arbiter.
    """

    game: str
    winner: Literal["black", "white", "draw"]
    black_id: str
    white_id: str
    black_discs: int | None
    white_discs: int | None
    end: str
    rated: bool
    transcript: str = ""
    draw_right: Side | None = None
    remaining_ms: dict[Side, int] = {}
    findings: list[dict[str, Any]] = []


class TroubleInfo(_Message, frozen=True):
    """A fault to report to an arbiter. ``kind`` is stable for tests and the head."""

    kind: str
    text: Text


class Health(_Message, frozen=True):
    """The condition of a table, sent with every ping; it is neither stored nor acknowledged. None: not known on this
    machine.

    ``unsynced``: records the head has not acknowledged; ``unsynced_s``: age of the oldest of them. ``unsaved``: records
    not yet on the disk. ``boots``: starts of the machine in this journal, ``starts``: starts of the program.
    ``wall_ms``: the table's wall clock (``clock_offset_ms`` compares). ``carrier``: the transport in use.
    """

    game: str | None = None
    phase: str | None = None
    revision: int | None = None
    last_seq: int = 0
    unsynced: int = 0
    unsynced_s: int | None = None
    unsaved: int = 0
    troubles: list[TroubleInfo] = []
    edge_source: str = ""
    program: str = ""
    carrier: str = ""
    wall_ms: int | None = None
    boots: int | None = None
    starts: int | None = None
    temperature_c: int | None = None
    under_voltage: bool | None = None
    under_voltage_seen: bool | None = None
    battery_percent: int | None = None
    voltage_mv: int | None = None
    disk_free_mb: int | None = None


def clock_offset_ms(health: Health, now_ms: int) -> int | None:
    """Return by how much the table's wall clock is ahead of the head's, which read ``now_ms`` when the ping came. No
    game depends on it, but times in logs and records do.
    """
    return None if health.wall_ms is None else health.wall_ms - now_ms


#: what stamps the time of a button's edges, by ``Health.edge_source``
_EDGE_SOURCES = {
    "lgpio": say("the kernel (lgpio)"),
    "rpigpio": say("the program (RPi.GPIO)"),
    "rpi-lgpio": say("the program (rpi-lgpio)"),
    "simulated": say("simulated buttons"),
    "keys": say("a window's keys"),
}


def edge_source_name(edge_source: str) -> Text:
    """Return the name of the source of button times, for people; one of another version is shown unchanged."""
    return _EDGE_SOURCES.get(edge_source) or Text("{name}")(name=edge_source)


M = TypeVar("M", bound=_Message)


def to_dict(message: _Message) -> dict[str, Any]:
    """Return the message as plain dicts and lists, fit for a record's body."""
    builtins: dict[str, Any] = msgspec.to_builtins(message)
    return builtins


def from_dict(kind: type[M], body: object) -> M:
    """Return the message of that type in a body.

    :raises MessageError: a field is missing or of another type; the text names it.
    """
    try:
        return msgspec.convert(body, warm_up(kind))
    except ValueError as error:
        raise MessageError.saying("{kind}: {why}", kind=kind.__name__, why=error) from None


def localize_reason(reason: str) -> Text:
    """Return a stored reason of an arbiter's order as a sentence: a predefined one is translated, a typed one is shown
    unchanged. It is stored as its English template; older journals and stores hold "English / 日本語".
    """
    return Text(reason.partition(" / ")[0])
