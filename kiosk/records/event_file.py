"""Reader and writer of the event file (CONTRACT.md, ``othello-event/1``); its JSON is used nowhere else.

A file is read completely or rejected with the path of the faulty field. A field that is ``null`` counts as missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, get_args, get_type_hints

import msgspec
from msgspec import Meta, Struct

from engine.end_reason import EndReason
from engine.i18n import raised_as, say, text_of
from engine.tournament import PairedRound
from engine.tournament.event_and_result_validation import check_entry_result, check_event
from engine.tournament.event_model import (
    Bye,
    Event,
    EventError,
    EventOptions,
    Game,
    KeepApartRule,
    Round,
    Stage,
    Team,
    Winner,
    round_of,
)
from engine.tournament.format_spec_and_options import BoolOption, ChoiceOption, IntOption, ListOption
from engine.tournament.formats import FORMATS
from engine.tournament.formats.format_interface import double_forfeit
from engine.tournament.player_entry_fields import PLAYER_FIELDS, Cell, Player, PlayerField
from kiosk.json_validation import ValidationError, format_value, is_storable, read, strict_struct, without_duplicates

SCHEMA = "othello-event/1"
T = TypeVar("T")

_Text = Annotated[str, Meta(min_length=1)]
_From0 = Annotated[int, Meta(ge=0)]
_From1 = Annotated[int, Meta(ge=1)]
_TWO_IDS = say("{at} must be a list of two ids, not {shown}")
_Pairs = dict[str, tuple[Annotated[tuple[str, str], Meta(extra={"refusal": _TWO_IDS})], ...]]
_POINTS = say("{at} must be a whole number of points per win, '64/games' or 'modified', not {shown}")
_C = Annotated[_From0 | Literal["64/games", "modified"], Meta(extra={"refusal": _POINTS})]
_Ids = dict[str, tuple[str, ...]]


def _type_of(field: PlayerField) -> Any:
    """Return the type of a field of a player in the file."""
    if field.key == "id":
        return _Text
    if field.cell is Cell.SEX:
        return Literal["F", "M"] | None
    if field.limits is None or str in get_args(field.type):  # a text is not limited
        return field.type
    return Annotated[int, Meta(ge=field.limits[0], le=field.limits[1])] | None


PlayerLine: Any = strict_struct(Player, **{key: _type_of(one) for key, one in PLAYER_FIELDS.items()})


class TeamLine(Struct, forbid_unknown_fields=True, omit_defaults=True):
    id: _Text
    name: str | None = None
    players: tuple[str, ...] = ()
    captain: str | None = None
    orders: _Ids = {}


#: fields of a game in the order in which they are written
_GAME = (
    "table", "black", "white", "black_discs", "white_discs", "winner", "end", "rated", "stage", "league", "transcript",
)  # fmt: skip
_TYPES = get_type_hints(Game) | {"table": _From1, "black": _Text, "white": _Text}


def _check_sides(line: Any) -> None:
    if (line.bye is None) == (line.black is None or line.white is None):
        raise ValueError("a line of a round is a game of two players or a bye of one")


#: a line of a round as it is stored: the fields of a ``Game``, or a bye. ``designated``: false where a hidden disc
#: decides the colours; else it is left out
_FIELDS: Any = [
    *((name, _TYPES[name] | None, None) for name in _GAME),
    ("bye", str | None, None),
    ("designated", bool | None, None),
]
GameLine: Any = msgspec.defstruct(
    "GameLine", _FIELDS, frozen=True, omit_defaults=True, namespace={"__post_init__": _check_sides}
)
#: the same in an event file, where no other field is allowed
EntryLine: Any = msgspec.defstruct("EntryLine", _FIELDS, forbid_unknown_fields=True)


class RoundLine(Struct, forbid_unknown_fields=True):
    round: _From1
    games: tuple[EntryLine, ...] = ()


class _KyuRow(Struct, forbid_unknown_fields=True):
    entrants: _From0
    grades: Annotated[tuple[str, ...], Meta(min_length=1)]


class _ApartLine(Struct, forbid_unknown_fields=True):
    by: Literal["club", "country"] | None = None
    players: tuple[str, ...] = ()
    first: _From1 = 1
    last: _From0 | None = None


#: every rule option of every format by its name; options of other formats are accepted and have no effect
READINGS = {one.name: one for format_ in FORMATS.values() for one in (*format_.facts.choices, *format_.facts.readings)}


def _value(reading: Any) -> Any:
    match reading:
        case ChoiceOption(values=values):
            return Literal[values]
        case ListOption(values=values):
            named: Any = Literal[values]
            return tuple[named, ...]
        case IntOption(low=low, high=high):
            return Annotated[int, Meta(ge=low, le=high)]
        case BoolOption():
            return bool


_Options = msgspec.defstruct(
    "Options",
    [
        *((name, _value(reading) | None, None) for name, reading in READINGS.items()),
        ("brightwell_c", _C | None, None),
        ("random_seed", _From0 | None, None),
        ("ended_after", _From1 | None, None),
        ("lot_ballots", tuple[str, ...], ()),
        ("kyu_by_entrants", tuple[_KyuRow, ...], ()),
        ("locked", _Pairs, {}),
        ("forbidden", _Pairs, {}),
        ("byes", _Ids, {}),
        ("colours", dict[str, dict[str, Literal["black", "white"]]], {}),
        ("absences", _Ids, {}),
        ("apart", tuple[_ApartLine, ...], ()),
    ],
    forbid_unknown_fields=True,
)


class EventFile(Struct, forbid_unknown_fields=True):
    schema: str
    format: _Text
    players: tuple[PlayerLine, ...]
    name: str | None = None
    date: str | None = None
    name_en: str | None = None
    options: _Options = msgspec.field(default_factory=_Options)  # type: ignore[valid-type]
    teams: tuple[TeamLine, ...] = ()
    rounds: tuple[RoundLine, ...] = ()


def from_json(text: str) -> Event:
    """Return the event in a JSON text.

    :raises EventError: if the text is no JSON, or no event file.
    """
    return from_dict(parse_json(text))


def parse_json(text: str) -> object:
    """Return the content of a JSON text.

    :raises EventError: if it is none.
    """
    no_json = say("not JSON ({why}); give an event file (CONTRACT.md)")
    with raised_as(EventError, no_json, ValueError, RecursionError):
        return json.loads(text, object_pairs_hook=without_duplicates)


def read_file(data: object) -> EventFile:
    """Return the lines of an event file, validated one by one but not against each other.

    :raises EventError: with the path of the field, e.g. ``$.rounds[2].games[1].winner``
    """
    if not isinstance(data, Mapping):
        raise EventError.saying("the event must be an object with named fields, not {shown}", shown=format_value(data))
    if (schema := data.get("schema")) != SCHEMA:
        text = say("this is no event file: schema is {shown}; it must be {schema}")
        raise EventError(text(shown=format_value(schema), schema=SCHEMA))
    if (format_ := data.get("format")) not in tuple(FORMATS):
        text = say("format is {shown}; it must be one of {formats}")
        raise EventError(text(shown=format_value(format_), formats=", ".join(FORMATS)))
    try:
        file = read(EventFile, _without_nulls(data))
    except ValidationError as error:
        raise EventError(text_of(error)) from None
    except RecursionError:
        raise EventError.saying("the event is nested too deeply; give an event file (CONTRACT.md)") from None
    for index, round_ in enumerate(file.rounds):
        for number, line in enumerate(round_.games):
            _check_line(line, f"$.rounds[{index}].games[{number}]")
    return file


def from_dict(data: object) -> Event:
    """Return an event from the parsed JSON of an event file.

    :raises EventError: as ``read_file``, and if its parts contradict each other
    """
    file = read_file(data)
    facts = FORMATS[file.format].facts
    event = Event(
        facts,
        players=tuple(Player(**msgspec.structs.asdict(player)) for player in file.players),
        name=file.name,
        date=file.date,
        name_en=file.name_en,
        options=_options(file.options),
        teams=tuple(Team(**msgspec.structs.asdict(team)) for team in file.teams),
    )
    rounds = (_round(event, line, f"$.rounds[{index}]") for index, line in enumerate(file.rounds))
    event = replace(event, rounds=tuple(rounds))
    check_event(event)
    return event


def _without_nulls(value: Any) -> Any:
    """Return the value without fields that are ``null``.

    :raises EventError: a text cannot be stored
    """
    match value:
        case Mapping():
            return {_storable(name): _without_nulls(part) for name, part in value.items() if part is not None}
        case list() | tuple():
            return [_without_nulls(part) for part in value]
        case str():
            return _storable(value)
        case _:
            return value


def _storable(text: str) -> str:
    if not is_storable(text):
        text_ = say("{shown} has half a character; write the whole one")
        raise EventError(text_(shown=format_value(text)))
    return text


def _options(line: Any) -> EventOptions:
    values = msgspec.structs.asdict(line)
    readings = {name: value for name in READINGS if (value := values.pop(name)) is not None}
    rows = tuple((row.entrants, row.grades) for row in line.kyu_by_entrants)
    apart = tuple(KeepApartRule(**msgspec.structs.asdict(wish)) for wish in line.apart)
    return EventOptions(readings, **values | {"kyu_by_entrants": rows, "apart": apart})


def _part(kind: type[T], data: object) -> T:
    """Return a part of an event file.

    :raises EventError: with the path of the field inside the part.
    """
    try:
        return read(kind, _without_nulls(data))
    except ValidationError as error:
        raise EventError(text_of(error)) from None
    except RecursionError:
        raise EventError.saying("the entry is nested too deeply; give one as in an event file (CONTRACT.md)") from None


def player_of(data: object) -> Player:
    """Return one player from an event file's object.

    :raises EventError: with the path of the field, e.g. ``$.seed``
    """
    return Player(**msgspec.structs.asdict(_part(PlayerLine, data)))


def entry_of(data: Mapping[str, object]) -> Player:
    """Return one player who may have no id yet, which is then empty."""
    id = data.get("id") or ""
    return replace(player_of({**data, "id": id or "new"}), id=str(id))


def player_to_dict(player: Player) -> dict[str, object]:
    return _non_default_fields(player)


def changed_player(player: Player, changes: Mapping[str, object]) -> Player:
    """Return the player with some fields changed; None removes a field.

    :raises EventError: as ``player_of``
    """
    if changes.get("id", player.id) != player.id:
        raise EventError.saying("$.id is {id}; the id of a player never changes", id=format_value(changes["id"]))
    line = _part(PlayerLine, {"id": player.id, **changes})
    return replace(player, **{name: getattr(line, name) for name in changes if hasattr(line, name)})


def team_of(data: object) -> Team:
    """Return one team from an event file's object.

    :raises EventError: with the path of the field, e.g. ``$.players[2]``
    """
    return Team(**msgspec.structs.asdict(_part(TeamLine, data)))


def team_to_dict(team: Team) -> dict[str, object]:
    return _non_default_fields(team)


def options_of(data: object) -> EventOptions:
    """Return the options of an event.

    :raises EventError: with the path of the option.
    """
    return _options(_part(_Options, data))


def changed_options(options: EventOptions, changes: Mapping[str, object]) -> EventOptions:
    """Return the options with some of them changed; None removes one.

    :raises EventError: as ``options_of``
    """
    return options_of({**options_to_dict(options), **changes})


def _round(event: Event, line: RoundLine, at: str) -> Round:
    return round_of(
        line.round, [_entry(event, entry, f"{at}.games[{index}]") for index, entry in enumerate(line.games)]
    )


#: fields allowed in the line of a bye
_OF_BYE = frozenset({"bye", "stage", "league", "table", "end", "rated", "designated"})


def _check_line(line: Any, at: str) -> None:
    """What a line needs to be a game or a bye."""
    if line.winner is Winner.NEITHER:
        raise EventError.saying("{at}.winner is 'neither'; a double forfeit has no winner and the end 'forfeit'", at=at)
    if line.bye is None:
        for name in ("black", "white"):
            if getattr(line, name) is None:
                raise EventError.saying("{at}.{name} is missing; it must be a text that is not empty", at=at, name=name)
        return
    for name, value in msgspec.structs.asdict(line).items():
        if value is not None and name not in _OF_BYE:
            raise EventError.saying(
                "{at}.{name}: unknown field {name!r} of a bye; correct the name or remove it", at=at, name=name
            )
    if line.end not in (None, EndReason.BYE):
        raise EventError.saying("{at}.end is {value!r}; a bye ends as 'bye' or has no end", at=at, value=line.end.value)


def entry_of_line(line: Any) -> Game | Bye:
    """Return the game or bye in a line of a round."""
    stage = line.stage or Stage.LEAGUE
    if line.bye is not None:
        return Bye(line.bye, stage, line.league)
    return Game(**{name: getattr(line, name) for name in _GAME} | {"stage": stage})


def line_of(entry: Game | Bye, designated: bool) -> Any:
    """Return the line of a game or bye."""
    if isinstance(entry, Bye):
        return GameLine(bye=entry.player, stage=entry.stage, league=entry.league)
    return GameLine(**{name: getattr(entry, name) for name in _GAME}, designated=None if designated else False)


def _entry(event: Event, line: Any, at: str) -> Game | Bye:
    facts, total = event.facts, event.total
    stage = line.stage or Stage.LEAGUE
    if line.designated is not None and line.designated != facts.designates(stage):
        text = say("{at}.designated contradicts the stage {value!r} of format {name!r}; remove it, they decide")
        raise EventError(text(at=at, value=stage.value, name=facts.name))
    game = entry_of_line(line)
    if isinstance(game, Bye):
        return game
    if game.winner is None and game.end is EndReason.FORFEIT and not (game.black_discs or game.white_discs):
        game = double_forfeit(game)
    check_entry_result(total, game, at)
    return game


def to_dict(event: Event) -> dict[str, object]:
    """Return the event as an event file's object, the inverse of ``from_dict``; fields at their default are left
    out.
    """
    data: dict[str, object] = {"schema": SCHEMA}
    data |= _given_values(name=event.name, name_en=event.name_en, date=event.date, format=event.format)
    data["options"] = options_to_dict(event.options)
    data["players"] = [_non_default_fields(player) for player in event.players]
    if event.teams:
        data["teams"] = [_non_default_fields(team) for team in event.teams]
    data["rounds"] = [round_to_dict(round_) for round_ in event.rounds]
    return data


def round_to_dict(round_: Round) -> dict[str, object]:
    return {"round": round_.number, "games": [entry_to_dict(entry) for entry in round_.entries]}


def options_to_dict(options: EventOptions) -> dict[str, object]:
    """Return the options as an object that ``from_dict`` reads back; options at their default are left out."""
    data = {name: _plain(value) for name, value in options.readings.items()}
    data |= {name: value for name, value in _non_default_fields(options).items() if name != "readings"}
    if options.kyu_by_entrants:
        data["kyu_by_entrants"] = [{"entrants": row[0], "grades": list(row[1])} for row in options.kyu_by_entrants]
    if options.apart:
        data["apart"] = [_non_default_fields(wish) for wish in options.apart]
    return data


def paired_to_dict(event: Event, paired: PairedRound) -> dict[str, object]:
    """Return the object of ``kiosk pair``: a round of the file without results; ``designated`` false means that a
    hidden disc decides the colours, so black and white are just the two players.
    """
    return {
        "round": paired.round,
        "games": entries_to_dicts(event, paired),
        "cost": dict(paired.cost),
        "warnings": [str(warning) for warning in paired.warnings],
    }


def entries_to_dicts(event: Event, paired: PairedRound) -> list[dict[str, object]]:
    return [
        entry_to_dict(entry)
        | ({"designated": False} if isinstance(entry, Game) and not event.facts.designates(entry.stage) else {})
        for entry in paired.games
    ]


def entry_to_dict(entry: Game | Bye) -> dict[str, object]:
    """Return one game or bye as in the event file."""
    if isinstance(entry, Bye):
        return _given_values(bye=entry.player, stage=entry.stage.value, league=entry.league)
    written = {name: _plain(getattr(entry, name)) for name in _GAME}
    return _given_values(**written | ({"winner": None} if entry.winner is Winner.NEITHER else {}))


def _non_default_fields(value: Player | Team | EventOptions | KeepApartRule) -> dict[str, object]:
    """Return the fields that are not at their default."""
    default = {f.name: f.default_factory() if f.default_factory is not MISSING else f.default for f in fields(value)}
    data = {name: getattr(value, name) for name in default}
    return {name: _plain(part) for name, part in data.items() if part != default[name]}


def _plain(value: object) -> object:
    """Return a value as ``json.loads`` would: lists and texts, no tuples and enums."""
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value.value if isinstance(value, Enum) else value


def _given_values(**named: object) -> dict[str, object]:
    return {name: value for name, value in named.items() if value is not None}
