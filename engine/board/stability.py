"""Discs that no continuation can turn any more (NOT-03).

The law: what is called stable is stable; some stable discs may not be recognised. A disc is safe along a line if the
line has no empty square, or if a neighbour on it is missing or a stable disc of the same colour; it is stable if it is
safe along all four lines. A corner has only one neighbour on each.
"""

from __future__ import annotations

from engine.board.geometry import Geometry, scan
from engine.board.position import Position


def stable_discs(position: Position) -> int:
    """The discs of both colours that can be shown to be stable, as a set of squares."""
    geometry = position.geometry
    found = -1
    stable = 0
    while stable != found:
        found = stable
        for discs in (position.black, position.white):
            for square in scan(discs & ~stable):
                if all(_is_safe(geometry, discs & stable, position.empty, square, shift) for shift in geometry.shifts):
                    stable |= 1 << square
    return stable


def _is_safe(geometry: Geometry, stable: int, empty: int, square: int, shift: int) -> bool:
    """Along one line; ``stable``: stable discs of the same colour."""
    full = True
    for step in (shift, -shift):
        at = square + step
        if not _is_square(geometry, at) or stable >> at & 1:
            return True
        while _is_square(geometry, at):
            full = full and not empty >> at & 1
            at += step
    return full


def _is_square(geometry: Geometry, at: int) -> bool:
    return at >= 0 and bool(geometry.playable >> at & 1)
