"""The table script of CONTRACT.md: one JSON object per line, validated by msgspec.

A script is read completely or rejected with the number and the fault of the wrong line. Whether the rules allow a line
is not checked here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, NoReturn

import msgspec
from msgspec import Struct

from engine.board.board_geometry import Geometry
from engine.board.color import Color
from engine.board.errors import BoardError
from engine.i18n import Text, raised_as, say
from engine.match import match_events_and_effects as events
from engine.match.arbiter_order_specs_and_parser import read_order
from engine.match.chouchou_multiplayer_and_score_board import captured_by_sides
from engine.match.match_value_types import GameStage, Seat, Setup, seconds_to_ns
from engine.match.rule_sets_and_options import read_options, rule_set
from kiosk.errors import InputError
from kiosk.json_validation import format_value, read, without_duplicates

#: a script uses colours only: Black is at the left seat until a line ``seats`` says otherwise
SEATS = {Color.BLACK: Seat.LEFT, Color.WHITE: Seat.RIGHT}


class _Line(Struct, forbid_unknown_fields=True, kw_only=True):
    at: Any = None


def _schema(name: str, kind: Any, /, **more: Any) -> Any:
    """Return the schema of the lines of type ``name``. ``more``: (type, default), or the type of a required field."""
    fields = [(field, *(one if isinstance(one, tuple) else (one,))) for field, one in more.items()]
    return msgspec.defstruct(name, [(name, kind), *fields], bases=(_Line,), kw_only=True, forbid_unknown_fields=True)


class _Discs(Struct, forbid_unknown_fields=True):
    black: int
    white: int


class _Pieces(Struct, forbid_unknown_fields=True):
    """ChouChou pieces of every player, in the order of turns, for more than two players."""

    players: tuple[int, ...]


class _Setup(Struct, forbid_unknown_fields=True):
    rules: str = "m43"
    stage: GameStage = GameStage.LEAGUE
    draw_right: Color | None = None
    main_s: Any = None
    options: dict[str, Any] = {}


_DISCS, _PIECES, _SETUP = _schema("discs", _Discs), _schema("discs", _Pieces), _schema("setup", _Setup)


@dataclass(frozen=True, slots=True)
class Edge:
    """A raw edge of one button."""

    at_ns: int
    seat: Seat
    level: int


@dataclass(frozen=True, slots=True)
class PowerStep:
    at_ns: int
    on: bool


class _Claim(_Line):
    claim: events.ClaimKind
    by: Literal["black", "white", "arbiter"]
    kind: Literal["IM-1", "IM-2", "IM-3", "IM-4", "IM-5", "IM-6", "IM-7"] | None = None
    squares: tuple[str, ...] | None = None


def _claim(at_ns: int, line: _Claim, board: Geometry) -> events.PlayerClaim | events.ArbiterOrder:
    flag = line.claim is events.ClaimKind.FLAG
    if flag and line.by == "arbiter":  # TEAM-7.6
        return events.ArbiterOrder(at_ns, events.Action.FLAG)
    _reject_if(line.by == "arbiter", say("by must be black or white, not 'arbiter'"))
    if flag:
        unknown = next((name for name in ("kind", "squares") if getattr(line, name) is not None), None)
        _reject_if(unknown is not None, say("unknown field {field} of a claim of the flag", field=repr(unknown)))
        return events.PlayerClaim(at_ns, Color(line.by), line.claim)
    with raised_as(InputError, say("squares: {why}"), BoardError):
        named = tuple(board.name(board.square(square)) for square in line.squares or ())
    return events.PlayerClaim(at_ns, Color(line.by), line.claim, line.kind, named)


def _arrive(at_ns: int, line: Any, board: Geometry) -> events.Arrive:
    _reject_if(not line.arrive, say("arrive must be true"))
    return events.Arrive(at_ns)


def _discs(at_ns: int, line: Any, board: Geometry) -> events.DiscCount:
    body = {"discs": line.discs}
    if "players" in line.discs:
        pieces = read(_PIECES, body).discs.players
        return events.DiscCount(at_ns, *captured_by_sides(pieces), pieces)
    discs = read(_DISCS, body).discs
    return events.DiscCount(at_ns, discs.black, discs.white)


#: line type -> schema, and the event of a line, from its time, the line and the board
_LINES: Mapping[str, tuple[Any, Callable[[int, Any, Geometry], events.Event | Edge | PowerStep]]] = {
    "seats": (
        _schema("seats", Seat, draw_right=(Color | None, None)),
        lambda at_ns, line, _: events.SeatsAssigned(at_ns, line.seats, line.draw_right),
    ),
    "arrive": (_schema("arrive", bool), _arrive),
    "pass": (_schema("pass", Color), lambda at_ns, line, _: events.Pass(at_ns, getattr(line, "pass"))),
    "press": (_schema("press", Color), lambda at_ns, line, _: events.Press(at_ns, SEATS[line.press])),
    "edge": (
        _schema("edge", Color, level=Literal[0, 1]),
        lambda at_ns, line, _: Edge(at_ns, SEATS[line.edge], line.level),
    ),
    "board": (
        _schema("board", str),
        lambda at_ns, line, board: events.BoardReported(at_ns, _cells(line.board, board.size)),
    ),
    "claim": (_Claim, _claim),
    "declare": (_schema("declare", Literal["flag"], by=Color), lambda at_ns, line, _: events.Declare(at_ns, line.by)),
    "choose": (_schema("choose", events.TimeWinChoice), lambda at_ns, line, _: events.Choose(at_ns, line.choose)),
    "agree": (_schema("agree", bool), lambda at_ns, line, _: events.Agree(at_ns, line.agree)),
    "stop": (_schema("stop", Literal["free-play"]), lambda at_ns, line, _: events.StopFreePlay(at_ns)),
    "hold": (_schema("hold", Color), lambda at_ns, line, _: events.Hold(at_ns, SEATS[line.hold])),
    "arbiter": (_schema("arbiter", dict[str, Any]), lambda at_ns, line, _: read_order(at_ns, line.arbiter)),
    "end": (_schema("end", Color), lambda at_ns, line, _: events.DeclareEnd(at_ns, line.end)),
    "discs": (_schema("discs", dict[str, Any]), _discs),
    "penalty": (_schema("penalty", Color), lambda at_ns, line, _: events.CapturePenalty(at_ns, line.penalty)),
    "confirm": (_schema("confirm", Color), lambda at_ns, line, _: events.Confirm(at_ns, line.confirm)),
    "power": (_schema("power", Literal["cut", "on"]), lambda at_ns, line, _: PowerStep(at_ns, line.power == "on")),
}


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """A line of the script. ``number`` counts the lines of the file from 1."""

    number: int
    what: events.Event | Edge | PowerStep


@dataclass(frozen=True, slots=True)
class Script:
    setup: Setup
    lines: tuple[ScriptLine, ...]


_FIRST = '{"setup": {…}}'


def read_script(text: str) -> Script:
    """Return the parsed script.

    :raises InputError: with the line number.
    """
    setup: Setup | None = None
    lines: list[ScriptLine] = []
    at_ns = 0
    for number, raw in enumerate(text.split("\n"), start=1):
        if not raw.strip():
            continue
        with raised_as(InputError, say("script line {number}: {why}", number=number), ValueError):
            body = _read_json(raw)
            if "setup" in body:
                _reject_if(setup is not None, say("a second setup; a script has one game"))
                setup = _read_setup(body)
                continue
            if setup is None:
                raise InputError.saying("a script begins with {line}", line=_FIRST)
            line = ScriptLine(number, _read_line(body, at_ns, _board_of(setup)))
        lines.append(line)
        at_ns = line.what.at_ns
    if setup is None:
        raise InputError.saying("the script is empty: it begins with {line}", line=_FIRST)
    reads_board = setup.has_board_source or any(isinstance(line.what, events.BoardReported) for line in lines)
    return Script(replace(setup, has_board_source=reads_board), tuple(lines))


def _read_json(raw: str) -> dict[str, Any]:
    try:
        body = json.loads(
            raw, parse_float=_decimal, parse_constant=_reject_constant, object_pairs_hook=without_duplicates
        )
    except json.JSONDecodeError as error:
        raise InputError.saying("not JSON from column {column}; correct it there", column=error.colno) from error
    except RecursionError as error:
        raise InputError.saying("nested too deeply") from error
    if not isinstance(body, dict):
        raise InputError.saying("not a JSON object")
    return body


def _decimal(written: str) -> Decimal:
    try:
        return Decimal(written)
    except InvalidOperation:
        raise InputError.saying("{written} is beyond every number of seconds", written=written[:60]) from None


def _read_setup(body: dict[str, Any]) -> Setup:
    fields = read(_SETUP, body).setup
    rules = rule_set(fields.rules)
    options = dict(fields.options)
    board, seats = options.pop("board", False), options.pop("seats", "settled")
    _reject_if(not isinstance(board, bool), say("setup option board must be true or false"))
    _reject_if(
        seats not in ("settled", "open"),
        say("setup option seats must be settled or open, not {seats}", seats=format_value(seats)),
    )
    main_ns = _seconds("setup main_s", rules.main_s if fields.main_s is None else fields.main_s)
    _reject_if(main_ns <= 0, say("setup main_s must be more than 0"))
    setup = Setup(
        rules=fields.rules,
        stage=fields.stage,
        main_ns=main_ns,
        draw_right=fields.draw_right,
        black_seat=None if seats == "open" else SEATS[Color.BLACK],
        has_board_source=board,
        options=options,
    )
    read_options(setup.options, setup.rules)
    return setup


def _board_of(setup: Setup) -> Geometry:
    return read_options(setup.options, setup.rules).variant.geometry


def _read_line(body: dict[str, Any], last_ns: int, board: Geometry) -> events.Event | Edge | PowerStep:
    types = [name for name in _LINES if name in body]
    if len(types) != 1:
        found = " and ".join(types) or ", ".join(map(repr, body)) or say("nothing")
        raise InputError.saying("must say one of {known}; it says {found}", known=", ".join(_LINES), found=found)
    schema, event = _LINES[types[0]]
    line = read(schema, body)
    at_ns = _seconds("at", line.at) if "at" in body else last_ns
    _reject_if(at_ns < last_ns, say("at goes back in time; lines are in the order of at"))
    return event(at_ns, line, board)


def _cells(cells: str, squares: int) -> str:
    known = len(cells) == squares
    if not known or (wrong := set(cells) - set("XO-?")):
        found = repr(sorted(wrong)[0]) if known else say("{n} characters", n=len(cells))
        text = say("board: {found}; a board is {squares} of X (black), O (white), - (empty) and ? (unknown)")
        raise InputError(text(found=found, squares=squares))
    return cells


def _seconds(name: str, value: object) -> int:
    with raised_as(InputError, say("{field} {why}", field=name), ValueError):
        at_ns = seconds_to_ns(value)
    _reject_if(at_ns < 0, say("{field} is below zero", field=name))
    return at_ns


def _reject_if(wrong: bool, why: Text) -> None:
    if wrong:
        raise InputError(why)


def _reject_constant(constant: str) -> NoReturn:
    raise InputError.saying("{constant} is not a number", constant=constant)
