"""Generator of complete random events of every format, made as an operator would: pair, play, enter the results, pair
again.

Format, number of players and seed always give the same event. Results follow the players' ratings, so that strong
players meet and tie-breaks matter. Lots are written into the file wherever they are drawn by hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.tournament import is_over, next_round
from engine.tournament.event_model import Stage
from engine.tournament.formats import FORMATS
from engine.tournament.formats.adjacent_pairing_league import AdjacentLeague
from engine.tournament.multi_game_matches import best_of, draws_count, has_matches, next_game, open_match
from kiosk.records.event_file import entries_to_dicts, from_dict

Json = dict[str, Any]
ROUNDS = 6
#: the most rounds of any format
MOST_ROUNDS = 400
#: probability of a withdrawal, per player and round
WITHDRAWS = 0.03
MISSES_A_ROUND = 0.03
#: probability that a player enters late after a round, up to the third
COMES_LATE = 0.15
LAST_LATE_ENTRY = 3


@dataclass(frozen=True, slots=True)
class GeneratorSettings:
    """Settings of the generator. ``restless``: players withdraw between rounds, miss one and return, or enter late.
    ``options``: those of the event file, besides the seed.
    """

    format: str
    players: int
    seed: int
    rounds: int | None = None
    restless: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


def simulate(course: GeneratorSettings) -> Json:
    """Return the event file's object of a complete event.

    :raises engine.tournament.TournamentError: if the format does not allow this number of players
    """
    rng = random.Random(f"{course.format}/{course.players}/{course.seed}")
    data = entries(course, rng)
    while len(data["rounds"]) < MOST_ROUNDS:
        event = from_dict(data)
        if is_over(event) or (event.facts.endless and len(data["rounds"]) >= (course.rounds or ROUNDS)):
            break
        paired = next_round(event)
        games = [_played(data, game, rng) for game in entries_to_dicts(event, paired)]
        data["rounds"].append({"round": paired.round, "games": games})
        _play_matches(data, rng)
        if course.restless:
            _change_attendance(data, rng)
    return data


def entries(course: GeneratorSettings, rng: random.Random) -> Json:
    options: Json = {"random_seed": course.seed}
    facts = FORMATS[course.format].facts
    if facts.open_ended or (facts.all_meet and course.rounds):
        options["rounds"] = course.rounds or ROUNDS
    options |= course.options
    if facts.lots is not None and facts.lots.generator:
        options["lot_ballots"] = [f"{rng.randrange(10**5):05d}" for _ in range(3)]
    players = [_player(number, rng) for number in range(1, course.players + 1)]
    if course.format == "m43-open":
        for number, player in enumerate(players[: 2 if len(players) > 4 else 0], start=1):
            player["seed"] = number
    if (first := _first_lot(course.format)) is not None:
        for player, lot in zip(players, rng.sample(range(first, first + len(players)), len(players)), strict=True):
            player["lot"] = lot
    data: Json = {"schema": "othello-event/1", "name": f"{course.format} {course.seed}", "format": course.format,
                  "options": options, "players": players, "rounds": []}  # fmt: skip
    if facts.teams:
        data["teams"] = _teams(players, rng)
    return data


def _first_lot(format_: str) -> int | None:
    """Return the first lot to write into the file; None: no lots are drawn, or three ballots draw them."""
    facts = FORMATS[format_].facts
    if facts.lots is None:
        return facts.first_lot if isinstance(FORMATS[format_], AdjacentLeague) else None
    return None if facts.lots.generator else facts.first_lot


def _player(number: int, rng: random.Random) -> Json:
    return {
        "id": f"p{number}",
        "name": f"Player {number}",
        "birth_year": rng.randint(1940, 2015),
        "sex": "F" if rng.random() < 0.25 else "M",
        "country": rng.choice(("JPN", "JPN", "JPN", "FRA", "ITA", "USA")),
        "rating": max(100, round(rng.gauss(1500, 250))),
    }


def _teams(players: list[Json], rng: random.Random) -> list[Json]:
    """Return teams of three; remaining players are reserves of the last team."""
    count = len(players) // 3
    teams = []
    for number in range(count):
        members = [p["id"] for p in players[3 * number : 3 * number + 3]]
        if number == count - 1:
            members += [p["id"] for p in players[3 * count :]]
        orders = {str(round_): rng.sample(members, 3) for round_ in range(1, 6)}
        teams.append({"id": f"t{number + 1}", "players": members, "captain": members[0], "orders": orders})
    return teams


def _played(data: Json, game: Json, rng: random.Random, round_: int | None = None) -> Json:
    """Return the game with a result: the rating model gives the expected margin, a random number the deviation."""
    if "bye" in game or game.get("winner") is not None:
        return game
    ratings = {player["id"]: player.get("rating", 1500) for player in data["players"]}
    round_ = len(data["rounds"]) + 1 if round_ is None else round_
    withdrawn = {p["id"] for p in data["players"] if p.get("withdrawn_after_round", 10**6) < round_}
    withdrawn |= set(data["options"].get("absences", {}).get(str(round_), ()))
    missing = [side for side in ("black", "white") if game[side] in withdrawn]
    if len(missing) == 2:
        return game | DOUBLE_FORFEIT
    if missing:
        return game | _forfeit(missing[0], data)
    margin = (ratings[game["black"]] - ratings[game["white"]]) / 25 + rng.gauss(0, 12)
    if FORMATS[data["format"]].facts.captures:
        target = int(data["options"].get("target", 10))
        winner = "black" if margin > 0 else "white"
        pieces = {winner: target + rng.choice((0, 0, 1, 2, 4))}
        pieces["white" if winner == "black" else "black"] = rng.randrange(target)
        return game | _result(winner, pieces["black"], pieces["white"])
    black = max(0, min(64, 32 + round(margin / 2)))
    if black != 32:
        winner = "black" if black > 32 else "white"
        if rng.random() < 0.05:  # the flag fell: the winner gets 33-31 (M43-15a)
            black = 33 if winner == "black" else 31
            return game | _result(winner, black, 64 - black, "time")
        return game | _result(winner, black, 64 - black)
    # 32-32: the holder of the draw right wins where there is one
    winner = rng.choice(("black", "white")) if game.get("designated") is False else "draw"
    return game | _result(winner, 32, 32)


def _play_matches(data: Json, rng: random.Random) -> None:
    """Play the matches of several games of the last round to their ends; 32-32 is a draw where there are draws."""
    games = data["rounds"][-1]["games"]
    if not has_matches(from_dict(data)):
        return
    for game in games:
        if game.get("winner") is not None and best_of(from_dict(data), Stage(game["stage"])) > 1:
            level = game["black_discs"] == 32 and game["end"] == "normal" and draws_count(from_dict(data))
            game |= {"winner": "draw"} if level else {}
    while found := open_match(from_dict(data)):
        event, match = from_dict(data), found[1]
        due = next_game(event, match)
        assert due is not None
        black, white = due.players if due.designated or rng.random() < 0.5 else due.players[::-1]
        game = {"black": black, "white": white, "stage": match.games[0].stage.value, "designated": due.draws}
        game = _played(data, game, rng, found[0])
        del game["designated"]
        games.append(game)


DOUBLE_FORFEIT: Json = {"winner": None, "black_discs": 0, "white_discs": 0, "end": "forfeit", "rated": False}


def _result(winner: str, black: int, white: int, end: str = "normal", rated: bool = True) -> Json:
    return {"winner": winner, "black_discs": black, "white_discs": white, "end": end, "rated": rated}


def _forfeit(loser: str, data: Json) -> Json:
    winner = "white" if loser == "black" else "black"
    most = int(data["options"].get("target", 10)) if FORMATS[data["format"]].facts.captures else 64
    scores = {winner: most, loser: 0}
    return _result(winner, scores["black"], scores["white"], "forfeit", rated=False)


def _change_attendance(data: Json, rng: random.Random) -> None:
    """Let some players leave after the round, some miss the next, and one enter late; enough stay to continue. At most
    one player of all teams misses: two absent players must not be drawn together, which a captain would prevent by
    another order sheet.
    """
    played = len(data["rounds"])
    absences = data["options"].setdefault("absences", {})
    here = [p for p in data["players"] if "withdrawn_after_round" not in p]
    enough = max(2, 2 * len(data["players"]) // 3)
    if FORMATS[data["format"]].facts.teams:
        if len(here) == len(data["players"]) and rng.random() < WITHDRAWS * len(here):
            rng.choice(here)["withdrawn_after_round"] = played
        return
    for player in list(here):
        lot = rng.random()
        if lot < WITHDRAWS + MISSES_A_ROUND and len(here) > enough:
            here.remove(player)
            if lot < WITHDRAWS:
                player["withdrawn_after_round"] = played
            else:
                absences.setdefault(str(played + 1), []).append(player["id"])
    if played <= LAST_LATE_ENTRY and rng.random() < COMES_LATE:
        late = _player(len(data["players"]) + 1, rng)
        if _first_lot(data["format"]) is not None:
            late["lot"] = max(player["lot"] for player in data["players"]) + 1
        data["players"].append(late)
        for number in range(1, played + 1):
            absences.setdefault(str(number), []).append(late["id"])
