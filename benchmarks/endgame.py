"""The exact endgame: processor time and nodes of FFO 1 to 19 in plain Python, each proved right by its record.

``python -m benchmarks.endgame`` prints JSON; the positions are in ``tests/data``.
"""

from __future__ import annotations

import json
from pathlib import Path
from time import process_time

from engine.board.color import Color
from engine.board.endgame import solve
from engine.board.position import Position

FORUM = Path(__file__).parents[1] / "tests" / "data" / "board" / "fforum-1-19.obf"


def main() -> None:
    positions = []
    for number, line in enumerate(FORUM.read_text().splitlines(), start=1):
        board, *moves = (part.strip() for part in line.split(";") if part.strip())
        cells, mover = board.split()
        best = max(int(move.partition(":")[2]) for move in moves)
        began = process_time()
        solution = solve(Position.from_cells(cells, Color.BLACK if mover == "X" else Color.WHITE))
        seconds = process_time() - began
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
    total = sum(position["seconds"] for position in positions)
    print(json.dumps({"seconds": round(total, 1), "positions": positions}, indent=1))


if __name__ == "__main__":
    main()
