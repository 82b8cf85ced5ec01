"""The table script of CONTRACT.md: one JSON object a line, read strictly.

The law: a script is either read whole or refused with the number of the line that is wrong and what is wrong in it.
Whether the rules allow a line is not asked here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from engine.board.color import Color
from engine.board.errors import BoardError
from engine.board.geometry import Geometry
from engine.match.events import (
    Action,
    Agree,
    Arbiter,
    Arrive,
    Board,
    Choice,
    Choose,
    Claim,
    ClaimOf,
    Confirm,
    Declare,
    DeclareEnd,
    Discs,
    Event,
    EventError,
    Hold,
    Pass,
    Press,
    Seats,
    StopFreePlay,
)
from engine.match.model import MatchError, Seat, Setup, Stage, seconds_to_ns
from engine.match.orders import read_order
from engine.match.rulesets import read_options, rule_set
from kiosk.errors import UnusableInput

#: a script knows colours only: its Black sits on the left, until a line ``seats`` says otherwise
SEATS = {Color.BLACK: Seat.LEFT, Color.WHITE: Seat.RIGHT}

_BOARD = Geometry(8, 8)
#: what a line may say -> the fields that go with it
_LINES: Mapping[str, tuple[str, ...]] = {
    "seats": ("draw_right",), "arrive": (), "pass": (),
    "press": (), "edge": ("level",), "board": (), "claim": ("by", "kind", "squares"), "declare": ("by",),
    "choose": (), "agree": (), "stop": (), "hold": (), "arbiter": (), "end": (), "discs": (), "confirm": (),
    "power": (),
}  # fmt: skip
_KINDS = tuple(f"IM-{number}" for number in range(1, 8))


@dataclass(frozen=True, slots=True)
class Edge:
    """A raw edge of one button."""

    at_ns: int
    seat: Seat
    level: int


@dataclass(frozen=True, slots=True)
class Power:
    at_ns: int
    on: bool


@dataclass(frozen=True, slots=True)
class Line:
    """``number`` counts the lines of the file from 1."""

    number: int
    what: Event | Edge | Power


@dataclass(frozen=True, slots=True)
class Script:
    setup: Setup
    lines: tuple[Line, ...]


def read_script(text: str) -> Script:
    """:raises UnusableInput: with the line number."""
    setup: Setup | None = None
    lines: list[Line] = []
    at_ns = 0
    for number, raw in enumerate(text.split("\n"), start=1):
        if not raw.strip():
            continue
        try:
            body = _read_json(raw)
            if "setup" in body:
                _refuse_if(setup is not None, "a second setup; a script has one game")
                setup = _read_setup(body)
                continue
            _refuse_if(setup is None, 'a script begins with {"setup": {…}}')
            line = Line(number, _read_line(body, at_ns))
        except ValueError as error:
            raise UnusableInput(f"script line {number}: {error}") from error
        lines.append(line)
        at_ns = line.what.at_ns
    if setup is None:
        raise UnusableInput('the script is empty: it begins with {"setup": {…}}')
    reads_board = setup.has_board_source or any(isinstance(line.what, Board) for line in lines)
    return Script(replace(setup, has_board_source=reads_board), tuple(lines))


def _read_json(raw: str) -> dict[str, Any]:
    try:
        body = json.loads(raw, parse_float=_decimal, parse_constant=_refuse, object_pairs_hook=_no_duplicates)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(body, dict):
        raise ValueError("not a JSON object")
    return body


def _decimal(written: str) -> Decimal:
    try:
        return Decimal(written)
    except InvalidOperation:
        raise ValueError(f"{written[:60]} is beyond every number of seconds") from None


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    body = dict(pairs)
    _refuse_if(len(body) < len(pairs), "a field is written twice")
    return body


def _read_setup(body: dict[str, Any]) -> Setup:
    _known(body, ("setup",))
    fields = body["setup"]
    if not isinstance(fields, dict):
        raise ValueError("setup must be an object")
    _known(fields, ("rules", "stage", "draw_right", "main_s", "options"), "setup ")
    name = _text("setup rules", fields.get("rules", "m43"))
    try:
        rules = rule_set(name)
    except MatchError as error:
        raise ValueError(str(error)) from error
    options = fields.get("options", {})
    if not isinstance(options, dict):
        raise ValueError("setup options must be an object")
    board = options.get("board", False)
    if not isinstance(board, bool):
        raise ValueError("setup option board must be true or false")
    seats = _one_of("setup option seats", options.get("seats", "settled"), ("settled", "open"))
    main_ns = _seconds("setup main_s", fields.get("main_s", rules.main_s))
    _refuse_if(main_ns <= 0, "setup main_s must be more than 0")
    draw_right = fields.get("draw_right")
    setup = Setup(
        rules=name,
        stage=Stage(_one_of("setup stage", fields.get("stage", "league"), tuple(Stage))),
        main_ns=main_ns,
        draw_right=None if draw_right is None else _color("setup draw_right", draw_right),
        black_seat=None if seats == "open" else SEATS[Color.BLACK],
        has_board_source=board,
        options={name: value for name, value in options.items() if name not in ("board", "seats")},
    )
    try:
        read_options(setup.options, setup.rules)
    except MatchError as error:
        raise ValueError(str(error)) from error
    return setup


def _read_line(body: dict[str, Any], last_ns: int) -> Event | Edge | Power:
    said = [name for name in _LINES if name in body]
    if len(said) != 1:
        found = " and ".join(said) or ", ".join(map(repr, body)) or "nothing"
        raise ValueError(f"must say one of {', '.join(_LINES)}; it says {found}")
    name = said[0]
    _known(body, ("at", name, *_LINES[name]))
    at_ns = _seconds("at", body["at"]) if "at" in body else last_ns
    _refuse_if(at_ns < last_ns, "at goes back in time; lines are in the order of at")
    return _event(name, body[name], body, at_ns)


def _event(name: str, value: Any, body: dict[str, Any], at_ns: int) -> Event | Edge | Power:
    match name:
        case "press":
            return Press(at_ns, SEATS[_color(name, value)])
        case "edge":
            level = body.get("level")
            _refuse_if(isinstance(level, bool) or level not in (0, 1), "edge needs a level, 0 or 1")
            return Edge(at_ns, SEATS[_color(name, value)], int(level))  # type: ignore[arg-type]
        case "board":
            return Board(at_ns, _cells(value))
        case "claim":
            return _claim(value, body, at_ns)
        case "declare":
            _one_of(name, value, ("flag",))
            return Declare(at_ns, _color("by", body.get("by")))
        case "choose":
            return Choose(at_ns, Choice(_one_of(name, value, tuple(Choice))))
        case "agree":
            _refuse_if(not isinstance(value, bool), "agree must be true or false")
            return Agree(at_ns, value)
        case "stop":
            _one_of(name, value, ("free-play",))
            return StopFreePlay(at_ns)
        case "seats":
            right = body.get("draw_right")
            return Seats(at_ns, Seat(_one_of(name, value, tuple(Seat))), None if right is None else _color(name, right))
        case "arrive":
            _refuse_if(value is not True, "arrive must be true")
            return Arrive(at_ns)
        case "pass":
            return Pass(at_ns, _color(name, value))
        case "hold":
            return Hold(at_ns, SEATS[_color(name, value)])
        case "end":
            return DeclareEnd(at_ns, _color(name, value))
        case "confirm":
            return Confirm(at_ns, _color(name, value))
        case "discs":
            return _discs(value, at_ns)
        case "power":
            return Power(at_ns, on=_one_of(name, value, ("cut", "on")) == "on")
        case _:
            return _order(value, at_ns)


def _claim(value: Any, body: dict[str, Any], at_ns: int) -> Claim | Arbiter:
    what = ClaimOf(_one_of("claim", value, tuple(ClaimOf)))
    if what is ClaimOf.FLAG and body.get("by") == "arbiter":  # TEAM-7.6
        return Arbiter(at_ns, Action.FLAG)
    by = _color("by", body.get("by"))
    if what is ClaimOf.FLAG:
        _known(body, ("at", "claim", "by"))
        return Claim(at_ns, by, what)
    kind = body.get("kind")
    if kind is not None:
        kind = _one_of("kind", kind, _KINDS)
    squares = body.get("squares") or []
    if not isinstance(squares, list):
        raise ValueError("squares must be a list")
    try:
        named = tuple(_BOARD.name(_BOARD.square(_text("squares", square))) for square in squares)
    except BoardError as error:
        raise ValueError(f"squares: {error}") from error
    return Claim(at_ns, by, what, kind, named)


def _discs(value: Any, at_ns: int) -> Discs:
    if not isinstance(value, dict):
        raise ValueError('discs must be {"black": n, "white": n}')
    _known(value, ("black", "white"), "discs ")
    counts = [value.get("black"), value.get("white")]
    if not all(type(count) is int for count in counts):
        raise ValueError('discs must be {"black": n, "white": n} with whole numbers')
    return Discs(at_ns, *counts)  # type: ignore[arg-type]


def _order(value: Any, at_ns: int) -> Event:
    if not isinstance(value, dict):
        raise ValueError("arbiter must be an object with an action")
    try:
        return read_order(at_ns, value)
    except EventError as error:
        raise ValueError(str(error)) from error


def _cells(value: Any) -> str:
    cells = _text("board", value)
    if len(cells) != 64 or (wrong := set(cells) - set("XO-?")):
        found = f"{len(cells)} characters" if len(cells) != 64 else f"{sorted(wrong)[0]!r}"
        raise ValueError(f"board: {found}; a board is 64 of X (black), O (white), - (empty) and ? (unknown)")
    return cells


def _seconds(name: str, value: object) -> int:
    try:
        at_ns = seconds_to_ns(value)
    except ValueError as error:
        raise ValueError(f"{name} {error}") from error
    _refuse_if(at_ns < 0, f"{name} is below zero")
    return at_ns


def _color(name: str, value: object) -> Color:
    return Color(_one_of(name, value, tuple(Color)))


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be {' or '.join(allowed)}, not {_shown(value)}")
    return value


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, not {_shown(value)}")
    return value


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:60]


def _known(body: Mapping[str, Any], names: tuple[str, ...], where: str = "") -> None:
    for name in body:
        if name not in names:
            raise ValueError(f"{where}unknown field {name!r}; known: {', '.join(names)}")


def _refuse_if(wrong: bool, why: str) -> None:
    if wrong:
        raise ValueError(why)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")
