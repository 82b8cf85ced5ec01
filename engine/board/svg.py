"""SVG pictures of boards for notebooks, and paths of boards for the templates of pages and prints."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from engine.board.board_geometry import Geometry
from engine.board.position import Position
from engine.board.variants import shape_of

_CELL, _MARGIN = 40, 24


def svg(position: Position, last_move: str | None = None) -> str:
    """Return the picture of a position, 40 units per square; ``last_move`` gets a red dot."""
    geometry = position.geometry
    width = geometry.columns * _CELL + 2 * _MARGIN
    height = geometry.rows * _CELL + 2 * _MARGIN
    body = "".join([*_labels(position), *_squares(position, last_move)])
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">{body}</svg>'


def _labels(position: Position) -> Iterator[str]:
    text = '<text x="{}" y="{}" font-family="sans-serif" font-size="14" text-anchor="middle">{}</text>'
    for column in range(position.geometry.columns):
        yield text.format(_MARGIN + column * _CELL + _CELL // 2, _MARGIN - 8, chr(ord("a") + column))
    for row in range(position.geometry.rows):
        yield text.format(_MARGIN // 2, _MARGIN + row * _CELL + _CELL // 2 + 5, row + 1)


def _squares(position: Position, last_move: str | None) -> Iterator[str]:
    geometry = position.geometry
    for square in geometry.squares:
        row, column = divmod(square, geometry.stride)
        x, y = _MARGIN + column * _CELL, _MARGIN + row * _CELL
        yield f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="#0a7d3f" stroke="#000"/>'
        centre = f'cx="{x + _CELL // 2}" cy="{y + _CELL // 2}"'
        if (position.black | position.white) >> square & 1:
            fill = "#111" if position.black >> square & 1 else "#fff"
            yield f'<circle {centre} r="16" fill="{fill}" stroke="#000"/>'
        if geometry.name(square) == last_move:
            yield f'<circle {centre} r="4" fill="#d22"/>'


def board_paths(cells: str) -> dict[str, str | int]:
    """Return a board as SVG paths, a square one unit wide: ``side``, its columns; ``squares``, to be filled and
    stroked; the discs of each colour as round dots."""
    shape = shape_of(cells)
    places = _places(shape) if len(cells) == shape.size else ()
    paths = {
        colour: "".join(f"M{x}.5 {y}.5h0" for (x, y), cell in zip(places, cells, strict=False) if cell == sign)
        for colour, sign in (("black", "X"), ("white", "O"))
    }
    return {"side": shape.columns, "squares": _lines(shape), **paths}


def centre(square: str) -> tuple[float, float]:
    """Return the centre of a square on a board of units: ``a1`` is (0.5, 0.5)."""
    return ord(square[0]) - ord("a") + 0.5, int(square[1:]) - 0.5


@cache
def _places(shape: Geometry) -> tuple[tuple[int, int], ...]:
    """Return column and row of every square."""
    return tuple((square % shape.stride, square // shape.stride) for square in shape.squares)


@cache
def _lines(shape: Geometry) -> str:
    """Return the rows and the columns of a board as rectangles."""
    places, path = _places(shape), ""
    for line in range(shape.rows):
        row = [x for x, y in places if y == line]
        path += f"M{row[0]} {line}h{len(row)}v1h-{len(row)}z"
    for line in range(shape.columns):
        column = [y for x, y in places if x == line]
        path += f"M{line} {column[0]}h1v{len(column)}h-1z"
    return path
