"""The ``options`` of an event file: the named readings of AMB-nn, and the operator's wishes by round.

The law: an option that is misspelt or has a value that means nothing is refused by its path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields as dataclass_fields
from typing import Any, TypeVar

from engine.tournament.fields import Fields, kind
from engine.tournament.model import Event, EventError, Options

T = TypeVar("T")
#: the columns of the certification tables (RULES.md 7)
DIVISIONS = ("open", "women", "master", "students", "high-school", "junior-high", "elementary")
#: readings that are one of a few words: AMB-12, 15, 10 and 25 among them; the first is the recommended one
CHOICES: dict[str, tuple[str, ...]] = {
    "profile": ("worst_first", "same_first"),
    "floater": ("literal", "top_down"),
    "direction": ("lowest", "highest"),
    "ranking": ("m40k", "m40k17"),
    "finals": ("none", "1-2", "1-4"),
    "worst_minus": ("smaller", "larger"),
    "placement_pool": ("common", "by_league"),
    "seed_places": ("quarters", "lots"),
    "waiting": ("win", "nothing"),
    "fourth_place": ("game", "wins"),
    "no_shows": ("keep_place", "removed"),
    "first_round": ("halves", "pool"),
    "odd_pool": ("dummy", "from_top"),
    "pairing": ("neighbours", "othello"),
    "odd_bye": ("lowest_score", "penalty"),
    "placement_pairing": ("penalties", "neighbours"),
    "rematches": ("avoid", "allowed"),
    "bye_brightwell": ("draw", "entered"),
    "time_loss": ("counted", "no_minus"),
    "prize": ("wins", "place"),
    "division": DIVISIONS,
}
#: whole numbers: (lowest, highest)
NUMBERS: dict[str, tuple[int, int | None]] = {
    "rounds": (1, None), "bye_discs": (32, 64), "forfeit_discs": (33, 64), "target": (1, None), "cycles": (1, 2),
}  # fmt: skip
FLAGS = ("play_off", "third_place", "pair_play", "final_decides")
#: stands for every round in the wishes
EVERY_ROUND = "*"


def read_options(value: object, path: str) -> Options:
    """Options from the object of an event file; None is no options.

    :raises EventError: with the path of the field
    """
    fields = Fields(value if value is not None else {}, path)
    c = fields.take("brightwell_c")
    if not (c is None or c in ("64/games", "modified") or (isinstance(c, int) and not isinstance(c, bool) and c >= 0)):
        raise EventError(
            f"{path}.brightwell_c is {kind(c)}; it must be a whole number of points per win, '64/games' or 'modified'"
        )
    chosen: dict[str, Any] = {name: _one_of(fields, name, allowed) for name, allowed in CHOICES.items()}
    chosen |= {name: fields.number(name, *bounds) for name, bounds in NUMBERS.items()}
    chosen |= {name: fields.flag(name) for name in FLAGS}
    options = Options(
        brightwell_c=c if isinstance(c, int | str) else None,
        random_seed=fields.number("random_seed", 0),
        lot_ballots=fields.each("lot_ballots", _text),
        kyu_by_entrants=fields.each("kyu_by_entrants", _kyu_row),
        locked=_by_round(fields, "locked", _pairs),
        forbidden=_by_round(fields, "forbidden", _pairs),
        byes=_by_round(fields, "byes", _ids),
        colours=_by_round(fields, "colours", _colours),
        absences=_by_round(fields, "absences", _ids),
        **chosen,
    )
    fields.nothing_left()
    return options


def options_to_dict(options: Options) -> dict[str, object]:
    """The object that ``read_options`` reads back; options at their default are left out."""
    default = Options()
    data: dict[str, Any] = {field.name: getattr(options, field.name) for field in dataclass_fields(options)}
    data = {name: value for name, value in data.items() if value != getattr(default, name)}
    for name in data.keys() & {"locked", "forbidden"}:
        data[name] = {number: [list(pair) for pair in pairs] for number, pairs in data[name].items()}
    for name in data.keys() & {"byes", "absences", "colours"}:
        listed: type = dict if name == "colours" else list
        data[name] = {number: listed(players) for number, players in data[name].items()}
    if options.lot_ballots:
        data["lot_ballots"] = list(options.lot_ballots)
    if options.kyu_by_entrants:
        data["kyu_by_entrants"] = [{"entrants": row[0], "grades": list(row[1])} for row in options.kyu_by_entrants]
    return data


def check_names(event: Event, known: Iterable[str]) -> None:
    """Every wish and every absence names a player or a team of the event.

    :raises EventError: with the path of the option
    """
    ids = {*known, *(team.id for team in event.teams)}
    options = event.options
    wishes: list[tuple[str, str, Iterable[str]]] = []
    for option, pairs in (("locked", options.locked), ("forbidden", options.forbidden)):
        wishes += [(option, name, (p for pair in listed for p in pair)) for name, listed in pairs.items()]
    wishes += [("byes", name, players) for name, players in options.byes.items()]
    wishes += [("colours", name, colours) for name, colours in options.colours.items()]
    wishes += [("absences", name, players) for name, players in options.absences.items()]
    for option, name, players in wishes:
        for player in players:
            if player not in ids:
                raise EventError(f"options.{option}.{name} names {player!r}, which is no id of 'players'; correct it")


def _one_of(fields: Fields, name: str, allowed: tuple[str, ...]) -> str | None:
    value = fields.text(name)
    if value is not None and value not in allowed:
        raise EventError(f"{fields.at(name)} is {value!r}; it must be one of {', '.join(allowed)}")
    return value


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise EventError(f"{path} must be a text, not {kind(value)}")
    return value


def _kyu_row(value: object, path: str) -> tuple[int, tuple[str, ...]]:
    fields = Fields(value, path)
    entrants = fields.number("entrants", 0)
    grades = fields.each("grades", _text)
    fields.nothing_left()
    if entrants is None or not grades:
        raise EventError(f"{path} needs 'entrants' and 'grades', the grades of 4th place and below")
    return entrants, grades


def _by_round(fields: Fields, name: str, read: Callable[[Fields, str], T]) -> dict[str, T]:
    """An object whose names are rounds: "1", "2", … or "*" for every round."""
    value = fields.take(name)
    if value is None:
        return {}
    rounds = Fields(value, fields.at(name))
    found: dict[str, T] = {}
    for number in rounds.names():
        if number != EVERY_ROUND and (not number.isdecimal() or number.startswith("0")):
            raise EventError(f"{rounds.at(number)}: wishes are named by their round, 1, 2, 3 …, or '*' for every round")
        found[number] = read(rounds, number)
    return found


def _ids(rounds: Fields, name: str) -> tuple[str, ...]:
    return rounds.each(name, _text)


def _pairs(rounds: Fields, name: str) -> tuple[tuple[str, str], ...]:
    return rounds.each(name, _pair)


def _pair(value: object, path: str) -> tuple[str, str]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise EventError(f"{path} must be a list of two ids")
    one, other = (_text(part, path) for part in value)
    return one, other


def _colours(rounds: Fields, name: str) -> dict[str, str]:
    fields = Fields(rounds.take(name) or {}, rounds.at(name))
    found: dict[str, str] = {}
    for player in fields.names():
        colour = _one_of(fields, player, ("black", "white"))
        if colour is not None:
            found[player] = colour
    return found
