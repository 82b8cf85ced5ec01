"""SVG pictures of boards for notebooks, pages and prints."""

from __future__ import annotations

from collections.abc import Iterator

from engine.board.position import Position

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
