"""Button input under stress, presses, glitches, knocks and resting arms by the ten thousand: ``python -m
benchmarks.presses [--tries N]`` prints JSON.

For each profile of ``tests/tools/tables/press_profiles.py``: how often the turn must change in each try, and in how
many tries it did not change that often.
"""

from __future__ import annotations

import argparse
import json
from random import Random

SMALLEST = ("--tries", "1")


def counted(tries: int) -> dict[str, dict[str, int]]:
    from tables.press_profiles import PROFILES, turns_given

    found = {}
    for name, profile in PROFILES.items():
        random = Random(name)
        wrong = sum(turns_given(profile, random) != profile.moves for _ in range(tries))
        found[name] = {"tries": tries, "turns_each": profile.moves, "wrong": wrong}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=20_000)
    print(json.dumps(counted(parser.parse_args().tries), indent=1))


if __name__ == "__main__":
    main()
