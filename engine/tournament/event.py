"""The event file (CONTRACT.md, ``othello-event/1``): strict reading, exact writing.

The law: a file is either understood completely or refused with the path of the field that is wrong. Unknown fields are
refused by name, because a misspelt ``withdrawn_after_round`` would otherwise silently pair a player who went home.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from engine.tournament.fields import Fields, kind
from engine.tournament.model import (
    Bye,
    End,
    Event,
    EventError,
    Game,
    Player,
    Round,
    Stage,
    Team,
    Winner,
    designates,
)
from engine.tournament.options import check_names, options_to_dict, read_options
from engine.tournament.results import check_captures, check_result

__all__ = [
    "FORMATS",
    "SCHEMA",
    "Event",
    "EventError",
    "Game",
    "Player",
    "Round",
    "from_dict",
    "game_to_dict",
    "to_dict",
]

SCHEMA = "othello-event/1"
FORMATS = (
    "m43-open", "m43-division", "m40-open", "m40-33-64", "m40-17-32", "m40-13-16", "m40-9-12", "m40-elementary",
    "team", "chouchou", "swiss", "round-robin", "knockout", "adjacent", "othello-pool",
)  # fmt: skip


def from_dict(data: object) -> Event:
    """An event from the parsed JSON of an event file.

    :raises EventError: with the path of the field, e.g. ``rounds[2].games[1].winner``
    """
    fields = Fields(data, "")
    schema = fields.take("schema")
    if schema != SCHEMA:
        raise EventError(f"schema is {schema!r}; this version reads {SCHEMA!r}")
    format_ = fields.required_text("format")
    if format_ not in FORMATS:
        raise EventError(f"format is {format_!r}; it must be one of {', '.join(FORMATS)}")
    if "players" not in fields.names():
        raise EventError("players is missing; list every entry with an 'id'")
    event = Event(
        format=format_,
        players=fields.each("players", _player),
        name=fields.text("name"),
        date=fields.text("date"),
        options=read_options(fields.take("options"), "options"),
        teams=fields.each("teams", _team),
        rounds=fields.each("rounds", partial(_round, format_)),
    )
    fields.nothing_left()
    _check(event)
    return event


def _player(value: object, path: str) -> Player:
    fields = Fields(value, path)
    player = Player(
        id=fields.required_text("id"),
        name=fields.text("name"),
        grade=fields.text("grade"),
        birth_year=fields.number("birth_year", 1850, 2200),
        sex=fields.text("sex"),
        country=fields.text("country"),
        club=fields.text("club"),
        rating=fields.number("rating", -10_000, 100_000),
        seed=fields.number("seed", 1),
        lot=fields.number("lot", 0),
        league=fields.text("league"),
        absent=fields.flag("absent") or False,
        withdrawn_after_round=fields.number("withdrawn_after_round", 0),
    )
    if player.sex not in (None, "F", "M"):
        raise EventError(f"{path}.sex is {player.sex!r}; it must be 'F', 'M' or missing")
    fields.nothing_left()
    return player


def _team(value: object, path: str) -> Team:
    fields = Fields(value, path)
    orders = Fields(fields.take("orders") or {}, f"{path}.orders")
    team = Team(
        id=fields.required_text("id"),
        name=fields.text("name"),
        players=fields.each("players", _text),
        captain=fields.text("captain"),
        orders={str(name): orders.each(name, _text) for name in orders.names()},
    )
    fields.nothing_left()
    return team


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise EventError(f"{path} must be a text, not {kind(value)}")
    return value


def _round(format_: str, value: object, path: str) -> Round:
    fields = Fields(value, path)
    number = fields.number("round", 1)
    if number is None:
        raise EventError(f"{path}.round is missing; number the rounds 1, 2, 3 …")
    entries = fields.each("games", partial(_game, format_))
    fields.nothing_left()
    return Round(
        number,
        games=tuple(entry for entry in entries if isinstance(entry, Game)),
        byes=tuple(entry for entry in entries if isinstance(entry, Bye)),
    )


def _game(format_: str, value: object, path: str) -> Game | Bye:
    fields = Fields(value, path)
    stage = fields.choice("stage", Stage) or Stage.LEAGUE
    league = fields.text("league")
    table = fields.number("table", 1)
    end = fields.choice("end", End)
    rated = fields.flag("rated")
    # `kiosk pair` says "designated": false where a hidden disc decides the colours; the file may repeat it
    designated = fields.flag("designated")
    if designated is not None and designated != designates(format_, stage):
        raise EventError(
            f"{path}.designated contradicts the stage {stage.value!r} of format {format_!r}; remove it, they decide"
        )
    bye = fields.text("bye")
    if bye is not None:
        fields.nothing_left()
        if end not in (None, End.BYE):
            raise EventError(f"{path}.end is {end.value!r}; a bye ends as 'bye' or has no end")
        return Bye(bye, stage, league)
    game = Game(
        black=fields.required_text("black"),
        white=fields.required_text("white"),
        stage=stage,
        table=table,
        league=league,
        black_discs=fields.number("black_discs", 0, _most_discs(format_)),
        white_discs=fields.number("white_discs", 0, _most_discs(format_)),
        winner=fields.choice("winner", Winner),
        end=end,
        rated=rated,
        transcript=fields.text("transcript"),
    )
    fields.nothing_left()
    if format_ == "chouchou":
        check_captures(game, path)
    else:
        check_result(game, path)
    return game


def _most_discs(format_: str) -> int:
    """64, but the pieces captured at ChouChou can be more: a pair's count is that of both partners."""
    return 200 if format_ == "chouchou" else 64


def _check(event: Event) -> None:
    """What no single field can show: identities, round numbers, and nobody twice in a round."""
    known: dict[str, int] = {}
    for index, player in enumerate(event.players):
        if player.id in known:
            raise EventError(
                f"players[{index}].id {player.id!r} is already players[{known[player.id]}]; ids are unique"
            )
        known[player.id] = index
    _check_teams(event, known)
    check_names(event, known)
    for index, round_ in enumerate(event.rounds):
        if round_.number != index + 1:
            raise EventError(f"rounds[{index}].round is {round_.number}; rounds must be listed as 1, 2, 3 …")
        seen: set[str] = set()
        for name in round_.players:
            where = f"rounds[{index}] (round {round_.number})"
            if name not in known:
                raise EventError(
                    f"{where} names {name!r}, which is no id of 'players'; add the player or correct the id"
                )
            if name in seen:
                raise EventError(f"{where} has {name!r} twice; a player has one game or one bye in a round")
            seen.add(name)


def _check_teams(event: Event, known: Mapping[str, int]) -> None:
    """Every player belongs to one team; captain and order sheets name its own players."""
    of_team: dict[str, str] = {}
    for index, team in enumerate(event.teams):
        where = f"teams[{index}]"
        if team.id in known or team.id in (other.id for other in event.teams[:index]):
            raise EventError(f"{where}.id {team.id!r} is already used; ids are unique")
        for name in team.players:
            if name not in known:
                raise EventError(f"{where} names {name!r}, which is no id of 'players'; add the player")
            if name in of_team:
                raise EventError(
                    f"{where} names {name!r}, who is already in team {of_team[name]!r}; remove him from one"
                )
            of_team[name] = team.id
        if team.captain is not None and team.captain not in team.players:
            raise EventError(f"{where}.captain is {team.captain!r}, who is not in the team; name one of its players")
        for number, order in team.orders.items():
            if not number.isdecimal() or number == "0":
                raise EventError(f"{where}.orders has {number!r}; order sheets are named by their round: 1, 2, 3 …")
            if strangers := [name for name in order if name not in team.players]:
                raise EventError(f"{where}.orders.{number} names {strangers[0]!r}, who is not in the team")
            if len(set(order)) != len(order):
                raise EventError(f"{where}.orders.{number} names a player twice; one player sits at one board")


def to_dict(event: Event) -> dict[str, object]:
    """The event as an event file's object; fields at their default are left out. ``from_dict`` gives it back."""
    data: dict[str, object] = {"schema": SCHEMA}
    data.update(_given(name=event.name, date=event.date, format=event.format))
    data["options"] = options_to_dict(event.options)
    data["players"] = [_player_to_dict(player) for player in event.players]
    if event.teams:
        data["teams"] = [
            _given(
                id=team.id,
                name=team.name,
                players=list(team.players),
                captain=team.captain,
                orders={number: list(order) for number, order in team.orders.items()} or None,
            )
            for team in event.teams
        ]
    data["rounds"] = [
        {"round": r.number, "games": [*map(game_to_dict, r.games), *map(game_to_dict, r.byes)]} for r in event.rounds
    ]
    return data


def _player_to_dict(player: Player) -> dict[str, object]:
    return _given(
        id=player.id,
        name=player.name,
        grade=player.grade,
        birth_year=player.birth_year,
        sex=player.sex,
        country=player.country,
        club=player.club,
        rating=player.rating,
        seed=player.seed,
        lot=player.lot,
        league=player.league,
        absent=player.absent or None,
        withdrawn_after_round=player.withdrawn_after_round,
    )


def game_to_dict(entry: Game | Bye) -> dict[str, object]:
    """One game or bye as in the event file."""
    if isinstance(entry, Bye):
        return _given(bye=entry.player, stage=entry.stage.value, league=entry.league)
    return _given(
        table=entry.table,
        black=entry.black,
        white=entry.white,
        black_discs=entry.black_discs,
        white_discs=entry.white_discs,
        winner=entry.winner.value if entry.winner else None,
        end=entry.end.value if entry.end else None,
        rated=entry.rated,
        stage=entry.stage.value,
        league=entry.league,
        transcript=entry.transcript,
    )


def _given(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}
