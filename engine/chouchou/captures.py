"""Captures of ChouChou: which lines hold pieces to be taken (CC-CAP-1 to CC-CAP-5).

The lines of a simultaneous capture are found before any piece is removed, those of a chain only after all of them are
removed.
"""

from __future__ import annotations

from collections.abc import Collection

from engine.chouchou.boards import Line, lines
from engine.chouchou.model import Cell, ChouChouSetup, LineRule


def due_lines(setup: ChouChouSetup, cells: tuple[Cell, ...], color: int, changed: Collection[int]) -> tuple[Line, ...]:
    """Return the lines that ``color`` may take: all totals equal, a piece of another colour among them and, unless
    older lines count too (AMB-33), one of the ``changed`` cells."""
    totals = [sum(cell) for cell in cells]
    found = []
    for line in lines(setup.shape.size):
        total, *others = {totals[cell] for cell in line}
        if others:
            continue
        if setup.options.line_rule is LineRule.CHANGED and line.isdisjoint(changed):
            continue
        if any(total > cells[cell][color] for cell in line):
            found.append(line)
    return tuple(found)


def without_enemies(cells: tuple[Cell, ...], color: int, emptied: Collection[int]) -> tuple[Cell, ...]:
    """Return the cells after removing all pieces of other colours from the ``emptied`` ones."""
    return tuple(
        tuple(count if each == color or number not in emptied else 0 for each, count in enumerate(cell))
        for number, cell in enumerate(cells)
    )
