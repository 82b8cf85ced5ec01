"""Creates the known answers beside this file from the sources that README.md names.

    python tests/data/make.py [SOURCES]             writes them; SOURCES is ../shared beside the checkout by default
    python tests/data/make.py --check [SOURCES]     exit 1 if a file differs from what would be written

Numbers, squares and results are copied, people are not. A player of a real event is a number, the same in all files of
that event; the numbers follow the order of the federations' numbers, so no sorting changes. Every copied line has to be
named in this script: an unknown line is an error, an unknown field is left out.
"""

from __future__ import annotations

import json
import re
import struct
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parents[2] / "shared"
#: file of an event here -> file of the source
EVENTS = {
    "woc_2014": "20141106_WOC_2014",
    "stockholm_2018": "20180428_EGP_Stockholm",
    "woc_2018": "20181010_WOC_2018",
    "meijin40_masters": "20190323_40_Meijin_masters",
    "meijin40_women": "20190323_40_Meijin_women",
}
AS_THEY_ARE = ("fforum-1-19.obf", "perft_6x6.csv", "perft_8x8.csv")
YEARS = (1977, 2001, 2015)
EXAMPLES = (
    "brightwell", "lcg_lots", "new_othello_ranking", "pairing_cases", "semifinal_13_16", "tiebreak_league9",
)  # fmt: skip
#: what the tests ask of a diagram; captions, printed sources and players stay behind
DIAGRAM = ("id", "board", "black", "white", "empty", "to_move", "transcript", "result", "duplicate_of",
           "exact_value_for_side_to_move", "on_board", "next_move")  # fmt: skip
_PLAYER = re.compile(r"(%_% *)(\d+), ([^,]+), ([^,]+), ([A-Z]{3}),([-., \d]+)")
_GAME = re.compile(r"( *)(\d+)( \(\d+\)[<>=]\(\d+\) +)(\d+)((?: +[BW])?\s*)")
_AS_IT_IS = re.compile(
    r"%%(Tournament|Country|Date|Creator|CreationDate): .*|% +ID, .*|%Round:? \d+|%%Added results|\s*"
)


class SourceError(ValueError):
    """Raised if a source contains something that this script does not recognise."""


def numbered(ids: Iterable[int]) -> dict[int, int]:
    """Federation's number -> number here: 101, 102 ... in the same order."""
    return {id_: 101 + place for place, id_ in enumerate(sorted(set(ids)))}


def numbers_of_elo(text: str) -> dict[int, int]:
    return numbered(int(match[2]) for match in _PLAYER.finditer(text))


def elo(text: str) -> str:
    """The .ELO file with people as numbers. A family name keeps its number of words: programs split at capitals."""
    number = numbers_of_elo(text)
    lines = []
    for line in text.splitlines():
        if match := _PLAYER.fullmatch(line):
            who = str(number[int(match[2])])
            family = " ".join(["VAN"] * len(match[3].split()[1:]) + ["PLAYER"])
            first = " ".join([f"Nr{who}", *["X."] * len(match[4].split()[1:])])
            line = f"{match[1]}{who.rjust(len(match[2]))}, {family}, {first}, {match[5]},{match[6]}"
        elif match := _GAME.fullmatch(line):
            black, white = (str(number[int(match[at])]).rjust(len(match[at])) for at in (2, 4))
            line = f"{match[1]}{black}{match[3]}{white}{match[5]}"
        elif line.startswith("%%Sender: "):
            continue
        elif not _AS_IT_IS.fullmatch(line):
            raise SourceError(f"a line of an .ELO file that may hold a name: {line!r}; say in make.py what it is")
        lines.append(line)
    return "\n".join(lines) + "\n"


def meijin(facts: Mapping[str, Any], number: Mapping[int, int]) -> dict[str, Any]:
    """What was fitted to a division of the 40th Meijin: lots, byes, leagues, and every pool as it was ranked."""

    def many(ids: Iterable[int]) -> list[int]:
        return [number[id_] for id_ in ids]

    made: dict[str, Any] = {
        "lots": {str(number[int(id_)]): lot for id_, lot in facts["lots"].items()},
        "byes_by_round": [many(ids) for ids in facts.get("byes_by_round") or facts["byes_or_idle_by_round"]],
        "pools": [
            {key: pool[key] for key in ("name", "wins", "keys", "class_cost_worst_first")}
            | {"ranked": many(pool["ranked"])}
            for pool in facts["pools"]
        ],
        "final_keys": {str(number[int(id_)]): key for id_, key in facts["final_order_listing"]["keys"].items()},
    }
    if "leagues" in facts:
        made["leagues"] = {league: many(ids) for league, ids in facts["leagues"].items()}
        made["moved"] = [[number[id_], from_, to] for id_, from_, to in facts["moved"]]
    return made


def brightwell_event(source: Mapping[str, Any]) -> dict[str, Any]:
    """The seven rounds and the points and modified Brightwell values that the organisers published."""
    number = numbered(player["id"] for player in source["players_list"])
    return {
        "players": sorted(number.values()),
        "rounds": [
            [
                {"black": number[black["id"]], "white": number[white["id"]], "black_discs": black["score"],
                 "winner": {0: "white", 1: "draw", 2: "black"}[black["result"]]}
                for black, white in round_["pairing"]
            ]
            for round_ in source["rounds"]
        ],
        "published": {str(number[row["player_id"]]): [row["score"], row["mbq"]] for row in source["standings"]},
    }  # fmt: skip


def diagrams(source: Mapping[str, Any]) -> list[dict[str, Any]]:
    def named(id_: str) -> str:
        return "logistello_1997_g4" if id_.startswith("logistello") else id_  # the source names the opponent

    return [
        {key: diagram[key] for key in DIAGRAM if key in diagram}
        | {"id": named(diagram["id"])}
        | {"wrong": [fact["fact"] for fact in diagram["facts"] if fact["holds"] is False]}
        for diagram in source["diagrams"]
    ]


def known_games(source: Mapping[str, Any]) -> dict[str, Any]:
    return {name: {k: v for k, v in game.items() if k not in ("source", "note")} for name, game in source.items()}


def wthor(years: list[bytes]) -> tuple[list[bytes], bytes, bytes]:
    """(years, players, tournaments): players and tournaments numbered as they first occur, their names invented."""
    seen: tuple[dict[int, int], dict[int, int]] = ({}, {})
    made = []
    for data in years:
        out = bytearray(data)
        for at in range(16, len(data), 68):
            tournament, *players = struct.unpack_from("<3H", data, at)
            new = [seen[0].setdefault(tournament, len(seen[0]))]
            new += [seen[1].setdefault(player, len(seen[1])) for player in players]
            struct.pack_into("<3H", out, at, *new)
        made.append(bytes(out))

    def names(count: int, width: int, name: str) -> bytes:
        header = years[0][:4] + struct.pack("<IHHI", 0, count, 0, 0)
        return header + b"".join(f"{name} {n:04}".encode("latin-1").ljust(width, b"\0") for n in range(count))

    return made, names(len(seen[1]), 20, "Player"), names(len(seen[0]), 26, "Préqualif")


def lines_of(value: Any) -> bytes:
    """JSON with one line for each thing in it."""

    def text(part: Any) -> str:
        return json.dumps(part, ensure_ascii=False)

    if isinstance(value, dict):
        return ("{\n" + ",\n".join(f"{text(key)}: {text(part)}" for key, part in value.items()) + "\n}\n").encode()
    return ("[\n" + ",\n".join(map(text, value)) + "\n]\n").encode()


def made(sources: Path) -> dict[str, bytes]:
    """Path below this folder -> what stands there."""

    def read(path: str) -> Any:
        return json.loads((sources / path).read_text(encoding="utf-8"))

    board, games = sources / "data" / "board", sources / "data" / "games"
    files = {f"board/{name}": (board / name).read_bytes() for name in AS_THEY_ARE}
    files["board/perft_variants.json"] = lines_of(read("data/board/perft_variants.json"))
    files["board/known_games.json"] = lines_of(known_games(read("data/board/known_games.json")))
    files["board/diagrams.json"] = lines_of(diagrams(read("rules/diagrams.json")))
    for script in sorted((sources / "data" / "table" / "defects").glob("*.jsonl")):
        files[f"scripts/{script.name}"] = script.read_bytes()
    for name in EXAMPLES:
        files[f"rules/{name}.json"] = lines_of(read(f"rules/examples/{name}.json"))
    for name, source in EVENTS.items():
        text = (sources / "data" / "events" / f"{source}.ELO").read_text(encoding="utf-8")
        files[f"events/{name}.ELO"] = elo(text).encode()
        if name.startswith("meijin40"):
            fitted = meijin(read(f"rules/examples/{name}.json"), numbers_of_elo(text))
            files[f"events/{name}.json"] = lines_of(fitted)
    files["events/modified_brightwell.json"] = lines_of(brightwell_event(read("data/events/ftd_559.json")))
    years, players, tournaments = wthor([(games / f"WTH_{year}.wtb").read_bytes() for year in YEARS])
    files |= {f"games/WTH_{year}.wtb": data for year, data in zip(YEARS, years, strict=True)}
    files["games/WTHOR.JOU"], files["games/WTHOR.TRN"] = players, tournaments
    return files


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    others = [argument for argument in arguments if argument != "--check"]
    files = made(Path(others[0]) if others else SOURCES)
    differing = [name for name, data in files.items() if not _is(HERE / name, data)]
    if not check:
        for name in differing:
            (HERE / name).parent.mkdir(exist_ok=True)
            (HERE / name).write_bytes(files[name])
    for name in differing:
        sys.stdout.write(f"{name}: {'is not what make.py makes' if check else 'written'}\n")
    return int(check and bool(differing))


def _is(path: Path, data: bytes) -> bool:
    return path.exists() and path.read_bytes() == data


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
