"""Move generation of Othello: enemy discs in line between a new disc and another of its colour are turned.

This is the only plain code of the flanking rule, for every shape of board. ``own`` and ``enemy`` are sets of squares of
one geometry; the guard bits of the geometry end every line.
"""

from __future__ import annotations

from engine.board.board_geometry import Geometry


def legal_moves(geometry: Geometry, own: int, enemy: int) -> int:
    """Return the empty squares on which a disc of ``own`` flanks at least one of ``enemy`` (OTH-05, OTH-08)."""
    reached = 0
    for shift in geometry.shifts:
        # Step from all own discs at once, over enemy discs only; the square after the last step is a move.
        run = own << shift & enemy
        while run:
            run <<= shift
            reached |= run
            run &= enemy
        run = own >> shift & enemy
        while run:
            run >>= shift
            reached |= run
            run &= enemy
    return reached & geometry.playable & ~(own | enemy)


def flips(geometry: Geometry, own: int, enemy: int, square: int) -> int:
    """Return the ``enemy`` discs that a disc of ``own`` put on ``square`` turns (OTH-06), 0 if it turns none.

    Only lines through ``square`` count (OTH-07). The caller must know whether the square is empty.
    """
    disc = 1 << square
    turned = 0
    for shift in geometry.shifts:
        line, step = 0, disc << shift
        while step & enemy:
            line |= step
            step <<= shift
        if step & own:
            turned |= line
        line, step = 0, disc >> shift
        while step & enemy:
            line |= step
            step >>= shift
        if step & own:
            turned |= line
    return turned


def flips_up_to_the_last(geometry: Geometry, line: int, square: int) -> int:
    """Return the discs of ``line`` between ``square`` and the last disc of an unbroken row of them (VAR-15 with S =
    R)."""
    turned = 0
    for shift in geometry.shifts:
        step = 1 << square + shift
        while step & line and step << shift & line:
            turned |= step
            step <<= shift
        step = 1 << square >> shift
        while step & line and step >> shift & line:
            turned |= step
            step >>= shift
    return turned
