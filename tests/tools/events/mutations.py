"""Randomly damaged event files, passed to every command that reads one: each must give a result, or one sentence and
exit 2.

As a program it runs many, and prints each failure with the command line that repeats it:

    PYTHONPATH=tests/tools python -m events.mutations 42000 [FIRST_SEED]
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from commands.called import call
from events.event_generator import GeneratorSettings, simulate

Json = Any
FORMATS = {
    "m43-open": 12, "m43-division": 9, "m40-open": 14, "m40-33-64": 33, "m40-17-32": 18, "m40-13-16": 13,
    "m40-9-12": 10, "m40-elementary": 9, "team": 12, "chouchou": 8, "swiss": 9, "round-robin": 6, "knockout": 7,
    "adjacent": 8, "othello-pool": 9,
}  # fmt: skip
COMMANDS = ("draw", "pair", "standings", "certify", "verify", "convert")
STRANGE: tuple[Json, ...] = (
    None, 0, -1, 1, 2, 33, 64, 65, 10**9, 2**70, 1.5, True, "", "p1", "p99", "draw", "black", "bye", "*", "\u0000",
    [], {}, ["p1"], ["p1", "p2"], {"1": ["p1"]}, {"*": ["p2"]}, {"1": [["p1", "p2"]]},
)  # fmt: skip


@cache
def _event_text(format_: str, seed: int) -> str:
    rounds = 4 if format_ in ("swiss", "adjacent", "chouchou", "othello-pool", "round-robin") else None
    return json.dumps(simulate(GeneratorSettings(format_, FORMATS[format_], seed, rounds, restless=seed % 2 == 0)))


def mutated(seed: int) -> Json:
    """Return a finished or half-played event with one to three faults."""
    rng = random.Random(seed)
    data = json.loads(_event_text(rng.choice(list(FORMATS)), rng.randrange(4)))
    data["rounds"] = data["rounds"][: rng.randrange(len(data["rounds"]) + 1)]
    for _ in range(rng.randint(1, 3)):
        rng.choice(_MUTATIONS)(data, rng)
    return data


def _places(value: Json) -> Iterator[tuple[Json, Json]]:
    """Yield every container in the event with every key of it."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def _replace_any_value(data: Json, rng: random.Random) -> None:
    holder, key = rng.choice(list(_places(data)))
    holder[key] = deepcopy(rng.choice(STRANGE))


def _removed(data: Json, rng: random.Random) -> None:
    holder, key = rng.choice(list(_places(data)))
    del holder[key]


def _list(data: Json, field: str) -> list[Json]:
    """Return the list as an earlier fault left it."""
    return data[field] if isinstance(data.get(field), list) else []


def _line(data: Json, rng: random.Random) -> list[Json] | None:
    rounds = [r for r in _list(data, "rounds") if isinstance(r, dict) and isinstance(r.get("games"), list)]
    return rng.choice(rounds)["games"] if rounds else None


def _twice(data: Json, rng: random.Random) -> None:
    if games := _line(data, rng):
        games.append(deepcopy(rng.choice(games)))


def _exchanged(data: Json, rng: random.Random) -> None:
    games = _line(data, rng)
    if games and all(isinstance(game, dict) for game in games):
        one, other = rng.choice(games), rng.choice(games)
        a, b = (next((side for side in ("black", "bye") if side in game), None) for game in (one, other))
        if a is not None and b is not None:
            one[a], other[b] = other[b], one[a]


def _person(data: Json, rng: random.Random) -> None:
    players = [p for p in _list(data, "players") if isinstance(p, dict)]
    if players:
        fields = {"absent": True, "withdrawn_after_round": rng.randrange(5), "seed": rng.randrange(6),
                  "lot": rng.randrange(4), "league": rng.choice("ABCDE"), "sex": "F", "country": "JPN"}  # fmt: skip
        name = rng.choice(list(fields))
        rng.choice(players)[name] = fields[name]


def _late(data: Json, rng: random.Random) -> None:
    if isinstance(data.get("players"), list):
        data["players"].append({"id": "late"})
        if (games := _line(data, rng)) is not None and rng.random() < 0.7:
            games.append({"bye": "late"})


def _option(data: Json, rng: random.Random) -> None:
    names = ("rounds", "finals", "play_off", "third_place", "direction", "ranking", "profile", "floater", "pairing",
             "locked", "forbidden", "byes", "colours", "absences", "brightwell_c", "no_shows", "waiting", "bye_discs",
             "first_round", "seed_places", "division", "double")  # fmt: skip
    values = (*STRANGE, "1-4", "1-2", "othello", "pool", "by_league", "highest", "m40k17", "nothing", {"2": ["p1"]})
    if isinstance(data.setdefault("options", {}), dict):
        data["options"][rng.choice(names)] = deepcopy(rng.choice(values))


_MUTATIONS: tuple[Callable[[Json, random.Random], None], ...] = (
    _replace_any_value, _removed, _twice, _exchanged, _person, _person, _late, _option, _option,
)  # fmt: skip


def faults_of(data: Json, folder: Path) -> list[str]:
    """Return the failures of each command with an event."""
    file = folder / "event.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    found = []
    for command in COMMANDS:
        arguments = ["convert", str(file), str(folder / "event.ELO")] if command == "convert" else [command, str(file)]
        out, err = io.StringIO(), io.StringIO()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                call(*arguments, "--json")
        except SystemExit as left:
            code = left.code
        except Exception as error:  # noqa: BLE001 - any exception is a failure to report
            found.append(f"{command}: {type(error).__name__}: {error}")
            continue
        lines = err.getvalue().splitlines()
        if code == 2 and (len(lines) != 1 or not lines[0].startswith("kiosk: ")):
            found.append(f"{command}: exit 2 with {lines}")
        elif code not in (0, 2) and (command, code) != ("verify", 1):
            found.append(f"{command}: exit {code}")
        elif code != 2:
            json.loads(out.getvalue())
    return found


if __name__ == "__main__":
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    events = broken = 0
    with tempfile.TemporaryDirectory() as name:
        for seed in range(first, first + int(sys.argv[1])):
            events += 1
            if faults := faults_of(mutated(seed), Path(name)):
                broken += 1
                print(f"python -m events.mutations 1 {seed}: {'; '.join(faults)}", flush=True)  # noqa: T201
    print(json.dumps({"events": events, "commands": events * len(COMMANDS), "broken": broken}))  # noqa: T201
