"""What each kind of operator event makes of its division.

The law: one function for one kind, from a division to a division; the past is never changed, only added to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.match.rulesets import rule_set
from engine.tournament.model import Stage
from kiosk.head.event.games import HeadGame, outcome_of_dict
from kiosk.head.event.names import game_id
from kiosk.head.event.state import DivisionState, HandMade, TableRules, Undone

Body = Mapping[str, Any]
Act = Callable[[DivisionState, Body, str], DivisionState]


# the division itself


def _changed(division: DivisionState, body: Body, at: str) -> DivisionState:
    event = dict(division.event)
    event |= {name: body[name] for name in ("name", "date", "format") if name in body}
    if "options" in body:
        event["options"] = _merged(event.get("options", {}), body["options"])
    division = replace(division, event=event)
    if "title" in body:
        division = replace(division, title=(body["title"]["ja"], body["title"]["en"]))
    if "table" in body:
        division = replace(division, table_rules=TableRules(**body["table"]))
    if "tables" in body:
        division = replace(division, tables=None if body["tables"] is None else tuple(body["tables"]))
    if "auto" in body:
        division = replace(division, auto=body["auto"])
    if "plan" in body:
        division = replace(division, plan=body["plan"])
    if "spectators" in body:
        division = replace(division, spectators=body["spectators"])
    return division


# players and teams


def _with_players(division: DivisionState, players: Sequence[Mapping[str, Any]], **event: Any) -> DivisionState:
    return replace(division, event=dict(division.event) | {"players": list(players)} | event)


def _players_added(division: DivisionState, body: Body, at: str) -> DivisionState:
    division = _with_players(division, [*division.event["players"], *body["players"]])
    if not division.rounds or division.format == "team":  # a team's new member misses nothing: the team played
        return division
    return _missed(division, [player["id"] for player in body["players"]])


def _missed(division: DivisionState, names: Sequence[str]) -> DivisionState:
    """From here on they take part; the rounds before, as far as they were not in them, are absences."""
    rounds = len(division.rounds)
    return replace(division, missed_until={**division.missed_until, **dict.fromkeys(names, rounds)}, hand_made=None)


def _player_changed(division: DivisionState, body: Body, at: str) -> DivisionState:
    players = [
        _merged(player, body["fields"]) if player["id"] == body["player"] else player
        for player in division.event["players"]
    ]
    return _with_players(division, players)


def _player_removed(division: DivisionState, body: Body, at: str) -> DivisionState:
    gone = body["player"]
    teams = [
        dict(team) | {"players": [name for name in team["players"] if name != gone]}
        for team in division.event.get("teams", ())
    ]
    players = [player for player in division.event["players"] if player["id"] != gone]
    division = _with_players(division, players, **({"teams": teams} if teams else {}))
    away = {key: names for key, names in _said_away(division).items() if gone in names}
    for key in away:
        division = _without_absence(division, key, gone)
    until = {name: rounds for name, rounds in division.missed_until.items() if name != gone}
    return replace(division, here=division.here - {gone}, missed_until=until)


def _players_arrived(division: DivisionState, body: Body, at: str) -> DivisionState:
    names = frozenset(body["players"])
    division = replace(division, here=division.here | names if body["arrived"] else division.here - names)
    return _set_absent(division, names, False) if body["arrived"] else division


def _players_absent(division: DivisionState, body: Body, at: str) -> DivisionState:
    names = frozenset(body["players"])
    if body["absent"]:
        division = replace(division, here=division.here - names)
    return _set_absent(division, names, body["absent"])


def _set_absent(division: DivisionState, names: frozenset[str], absent: bool) -> DivisionState:
    came = [player["id"] for player in division.event["players"] if player["id"] in names and player.get("absent")]
    players = [
        _merged(player, {"absent": True if absent else None}) if player["id"] in names else player
        for player in division.event["players"]
    ]
    division = replace(_with_players(division, players), hand_made=None if absent else division.hand_made)
    return _missed(division, came) if came and not absent and division.rounds else division


def _withdrawn(division: DivisionState, body: Body, at: str) -> DivisionState:
    left = {**division.withdrawn, str(body["player"]): int(body["after_round"])}
    return replace(division, withdrawn=left, hand_made=None)  # a draft made by hand may have him in it


def _returned(division: DivisionState, body: Body, at: str) -> DivisionState:
    left = {name: after for name, after in division.withdrawn.items() if name != body["player"]}
    back = _set_absent(replace(division, withdrawn=left), frozenset({body["player"]}), False)
    return _missed(back, [str(body["player"])]) if division.rounds else back


def _away(division: DivisionState, body: Body, at: str) -> DivisionState:
    player, key = str(body["player"]), str(body["round"])
    division = _without_absence(division, key, player)
    if body["away"]:
        division = _with_absences(division, key, [*_said_away(division).get(key, ()), player])
    return replace(division, hand_made=None)


def _said_away(division: DivisionState) -> Mapping[str, Sequence[str]]:
    said: Mapping[str, Sequence[str]] = division.event.get("options", {}).get("absences", {})
    return said


def _without_absence(division: DivisionState, key: str, player: str) -> DivisionState:
    return _with_absences(division, key, [name for name in _said_away(division).get(key, ()) if name != player])


def _with_absences(division: DivisionState, key: str, names: Sequence[str]) -> DivisionState:
    absences = _merged(_said_away(division), {key: list(names) or None})
    options = _merged(division.event.get("options", {}), {"absences": absences or None})
    return replace(division, event=dict(division.event) | {"options": options})


def _lots_drawn(division: DivisionState, body: Body, at: str) -> DivisionState:
    lots = body["lots"]
    players = [_merged(player, {"lot": lots.get(player["id"])}) for player in division.event["players"]]
    options = _merged(division.event.get("options", {}), body.get("options", {}))
    return replace(_with_players(division, players, options=options), drawn=body)


def _team_set(division: DivisionState, body: Body, at: str) -> DivisionState:
    teams = {**division.teams(), body["team"]["id"]: body["team"]}
    return replace(division, event=dict(division.event) | {"teams": list(teams.values())})


def _team_removed(division: DivisionState, body: Body, at: str) -> DivisionState:
    teams = [team for team in division.event.get("teams", ()) if team["id"] != body["team"]]
    return replace(division, event=dict(division.event) | {"teams": teams})


def _order_sheet(division: DivisionState, body: Body, at: str) -> DivisionState:
    team = dict(division.teams()[body["team"]])
    team["orders"] = _merged(team.get("orders", {}), {str(body["round"]): body["players"] or None})
    return _team_set(division, {"team": team}, at)


# rounds


def _wishes_set(division: DivisionState, body: Body, at: str) -> DivisionState:
    """The wishes for one round, all of them anew."""
    options = dict(division.event.get("options", {}))
    for kind in ("locked", "forbidden", "byes", "colours"):
        by_round = _merged(options.get(kind, {}), {str(body["round"]): body.get(kind) or None})
        options = _merged(options, {kind: by_round or None})
    return replace(division, event=dict(division.event) | {"options": options}, hand_made=None)


def _made_by_hand(division: DivisionState, body: Body, at: str) -> DivisionState:
    games = tuple(body["games"] or ())
    return replace(division, hand_made=HandMade(int(body["round"]), games) if games else None)


def _published(division: DivisionState, body: Body, at: str) -> DivisionState:
    number = int(body["round"])
    published = replace(division, rounds=(*division.rounds, _games(division, body)), hand_made=None)
    return replace(published, published_at={**division.published_at, number: at})


def _undone(division: DivisionState, body: Body, at: str) -> DivisionState:
    first = int(body["round"])
    taken = [
        Undone(number, games, str(body.get("reason", "")), at)
        for number, games in enumerate(division.rounds, start=1)
        if number >= first
    ]
    editions = {**division.editions, **{one.round: division.editions.get(one.round, 0) + 1 for one in taken}}
    return replace(
        division,
        rounds=division.rounds[: first - 1],
        undone=(*division.undone, *taken),
        editions=editions,
        hand_made=None,
        withdrawn={name: min(after, first - 1) for name, after in division.withdrawn.items()},
    )


def _restored(division: DivisionState, body: Body, at: str) -> DivisionState:
    index = int(body["undone"])
    left = tuple(one for number, one in enumerate(division.undone) if number != index)
    return replace(division, rounds=(*division.rounds, division.undone[index].games), undone=left, hand_made=None)


def _games(division: DivisionState, body: Body) -> tuple[HeadGame, ...]:
    games = []
    for number, line in enumerate(body["games"], start=1):
        stage = line.get("stage", "league")
        # M40-1, TEAM-5: where the rules know no draws a hidden disc decides in every game
        free_colours = not rule_set(division.table_rules.at(stage).rules).draws
        named = line.get("designated", Stage(stage).designated)  # the format knows best: M40-1, CC-SEAT
        designated = "bye" not in line and named and not free_colours
        played = outcome_of_dict(line) if line.get("winner") else None  # M43F-06: a draw that is not played
        games.append(
            HeadGame(
                id=game_id(division.event_id, body["round"], number, int(body.get("edition", 0))),
                round=body["round"],
                number=number,
                stage=stage,
                black=line["bye"] if "bye" in line else line["black"],
                white=line.get("white"),
                designated=designated,
                must_have_winner="bye" not in line and not designated,
                outcome=played,
                source="pairing" if played or "bye" in line else "",
                league=line.get("league"),
                counts_captures=division.format == "chouchou",
            )
        )
    return tuple(games)


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """``old`` with what ``new`` says; None removes."""
    return {name: value for name, value in {**old, **new}.items() if value is not None}


ACTS: Mapping[str, Act] = {
    "division-changed": _changed,
    "players-added": _players_added,
    "player-changed": _player_changed,
    "player-removed": _player_removed,
    "players-arrived": _players_arrived,
    "players-absent": _players_absent,
    "player-withdrawn": _withdrawn,
    "player-returned": _returned,
    "player-away": _away,
    "lots-drawn": _lots_drawn,
    "team-set": _team_set,
    "team-removed": _team_removed,
    "team-sheet": _order_sheet,
    "wishes-set": _wishes_set,
    "round-made-by-hand": _made_by_hand,
    "round-published": _published,
    "round-undone": _undone,
    "round-restored": _restored,
}
