"""Whole random events of any format, played through the event file's JSON in the way of an operator."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from events.lines import next_round

from engine.tournament import is_over
from kiosk.records.event_file import from_dict

Json = dict[str, Any]
#: the draw of a result: (game, rng) -> the fields of a result
Result = Callable[[Json, random.Random], Json]


def event_of(format_: str, count: int, seed: int = 1, **options: Any) -> Json:
    return {
        "schema": "othello-event/1",
        "format": format_,
        "options": {"random_seed": seed, **options},
        "players": [{"id": f"p{i}"} for i in range(1, count + 1)],
        "rounds": [],
    }


def othello_result(game: Json, rng: random.Random) -> Json:
    """Return a random result. Players with smaller numbers are stronger. If the players settle the colours, they may be
    reversed, and at 32-32 one of them has the draw right."""
    free = game.get("designated") is False
    black_id, white_id = game["black"], game["white"]
    if free and rng.random() < 0.5:
        black_id, white_id = white_id, black_id
    edge = (int(white_id[1:]) - int(black_id[1:])) * rng.choice((0, 1, 2))
    black = 32 if rng.random() < 0.15 else max(0, min(64, round(rng.gauss(32 + edge, 8))))
    winner = "black" if black > 32 else "white" if black < 32 else rng.choice(("black", "white")) if free else "draw"
    result = {"winner": winner, "black_discs": black, "white_discs": 64 - black, "end": "normal", "rated": True}
    if winner != "draw" and rng.random() < 0.1:
        result |= {"black_discs": 33 if winner == "black" else 31, "end": "time"}
        result["white_discs"] = 64 - result["black_discs"]
    return {"black": black_id, "white": white_id, **result}


def play_round(data: Json, rng: random.Random, result: Result = othello_result) -> Json:
    """Pair the next round, play what has no result yet, append it, and return what was paired."""
    paired = next_round(from_dict(data)).as_dict()
    games = [game if "bye" in game or "winner" in game else {**game, **result(game, rng)} for game in paired["games"]]
    data["rounds"].append({"round": paired["round"], "games": games})
    return paired


def played(format_: str, count: int, number: int, seed: int = 1, **options: Any) -> Json:
    """Return the event file of an event after ``number`` rounds."""
    data = event_of(format_, count, seed, **options)
    rng = random.Random(seed)
    for _ in range(number):
        play_round(data, rng)
    return data


def rounds_of(data: Json, rng: random.Random, result: Result = othello_result) -> Iterator[tuple[Json, Json]]:
    """Play the event to its end and yield (the event before the round, what was paired) for every round."""
    while not is_over(from_dict(data)):
        before = {**data, "rounds": list(data["rounds"])}
        yield before, play_round(data, rng, result)


def team_event(count: int, seed: int = 1, members: int = 3, sheets: bool = True) -> Json:
    """Return an event of teams t1, t2 …; team t has the players p(m(t - 1) + 1) … and submits an order sheet for some
    rounds."""
    data = event_of("team", count * members, seed)
    rng = random.Random(seed)
    data["teams"] = []
    for number in range(count):
        names = [f"p{number * members + i + 1}" for i in range(members)]
        orders = {str(n): rng.sample(names, 3) for n in range(1, 6) if rng.random() < 0.7} if sheets else {}
        data["teams"].append({"id": f"t{number + 1}", "players": names, "captain": names[-1], "orders": orders})
    return data
