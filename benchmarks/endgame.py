"""The exact endgame solver: processor time and nodes of FFO 1 to 19 in plain Python, each checked against its record.

``python -m benchmarks.endgame [--positions 19]`` prints JSON; the positions are in ``tests/data``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import process_time

from engine.board.color import Color
from engine.board.endgame_solver import solve
from engine.board.position import Position

SMALLEST = ("--positions", "1")
FORUM = Path(__file__).parents[1] / "tests" / "data" / "board" / "fforum-1-19.obf"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=19)
    lines = FORUM.read_text().splitlines()[: parser.parse_args().positions]
    positions: list[dict[str, object]] = []
    total = 0.0
    for number, line in enumerate(lines, start=1):
        board, *moves = (part.strip() for part in line.split(";") if part.strip())
        cells, mover = board.split()
        best = max(int(move.partition(":")[2]) for move in moves)
        began = process_time()
        solution = solve(Position.from_cells(cells, Color.BLACK if mover == "X" else Color.WHITE))
        seconds = process_time() - began
        total += seconds
        if solution.score != best:
            raise SystemExit(f"FFO #{number}: {solution.score}, but its record says {best}")
        positions.append(
            {
                "ffo": number,
                "empties": cells.count("-"),
                "score": solution.score,
                "nodes": solution.nodes,
                "seconds": round(seconds, 2),
            }
        )
    print(json.dumps({"seconds": round(total, 1), "positions": positions}, indent=1))


if __name__ == "__main__":
    main()
