"""Writes the ``.ELO`` file of an event, which rating lists take and ``kiosk.records.elo`` reads.

The law: Swiss rounds keep their order; games of the finals come as added results, because they are no Swiss rounds. A
bye is a point in the header and a comment in its round, and so is who was away. ``(32)>(32)`` says that only the winner was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.text import say
from engine.tournament import Event, standings
from engine.tournament.history import away
from kiosk.records.elo import CREATOR, EloError
from kiosk.records.event_file import to_dict
from kiosk.records.names import numbers_of, split_name

_LEAGUE = ("league", "placement")
_SIGN = {"black": ">", "white": "<", "draw": "="}


def write_elo(event: Event) -> str:
    """The text of the file: header, players in rank order, rounds, added results.

    :raises EloError: for a format whose games have no disc counts
    """
    data: dict[str, Any] = to_dict(event)
    if event.facts.captures:
        raise EloError(say("ChouChou counts captured pieces and no discs; rating lists do not take them, use .csv"))
    numbers = numbers_of(data["players"])
    stages = {game.get("stage", "league") for round_ in data["rounds"] for game in round_["games"]}
    swiss = _LEAGUE if stages.intersection(_LEAGUE) else stages  # a knock-out has no other rounds
    rounds = [[g for g in round_["games"] if g.get("stage", "league") in swiss] for round_ in data["rounds"]]
    added = [g for r in data["rounds"] for g in r["games"] if g.get("stage", "league") not in swiss]
    lines = [f"%%Tournament: {event.name or ''}"]
    if event.date:
        lines.append(f"%%Date: {'/'.join(reversed(event.date.split('-')))}")
    lines += [f"%%Creator: {CREATOR}", "", "%        ID, NAME, Firstname, COUNTRY, score, disc-count, rating"]
    lines += _players(event, data["players"], rounds, numbers)
    number = 0
    for index, games in enumerate(rounds, start=1):
        if any("black" in game for game in games):
            number += 1
            lines += ["", f"%Round: {number}", "", *_games(games, numbers)]
            lines += [f"% Bye: {numbers[game['bye']]}" for game in games if "bye" in game]
            lines += [f"% Away: {numbers[name]}" for name in sorted(away(event, index)) if name in numbers]
    if results := _games(added, numbers):
        lines += ["", "%%Added results", *results]
    return "\n".join(lines) + "\n"


def _players(
    event: Event, players: Sequence[Mapping[str, Any]], rounds: Sequence[Sequence[Mapping[str, Any]]], numbers: Any
) -> list[str]:
    rank = {row.id: index for index, row in enumerate(standings(event).rows)}
    half_points = {player["id"]: 0 for player in players}
    discs = dict.fromkeys(half_points, 0)
    for game in (game for games in rounds for game in games):
        if "bye" in game:
            half_points[game["bye"]] += 2
        elif game.get("winner") is not None:
            for side in ("black", "white"):
                won = game["winner"] == side
                half_points[game[side]] += 1 if game["winner"] == "draw" else 2 * won
                discs[game[side]] += game.get(f"{side}_discs", 32)
    lines = []
    for player in sorted(players, key=lambda player: rank.get(player["id"], len(rank))):
        last, first = split_name(player)
        score = half_points[player["id"]] / 2
        columns = [last, first, player.get("country") or "", f"{score:g}", str(discs[player["id"]])]
        columns += [str(player["rating"])] if player.get("rating") is not None else []
        lines.append(f"%_%  {numbers[player['id']]:>6}, {', '.join(columns)}")
    return lines


def _games(games: Sequence[Mapping[str, Any]], numbers: Mapping[str, int]) -> list[str]:
    lines = []
    for game in games:
        if game.get("winner") is None:
            continue
        sign = _SIGN[game["winner"]]
        black, white = (game.get(f"{side}_discs", 32) for side in ("black", "white"))
        lines.append(f"{numbers[game['black']]:>6} ({black:02d}){sign}({white:02d}) {numbers[game['white']]:>6}  B")
    return lines
