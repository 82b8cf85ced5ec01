"""Board shapes: their squares, square names and lines.

A set of squares is one integer, a1 its lowest bit, each row followed by one *guard* bit that is never playable. A disc
shifted off the right edge lands on a guard, one shifted off the left edge on the guard of the row above, so no shift
needs a mask and every shape, cut corners included, takes the same path through the code.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.board.errors import BadSquare
from engine.i18n import say


@dataclass(frozen=True, slots=True)
class Geometry:
    """A board of ``columns`` × ``rows`` squares without those named in ``missing`` (OTH-01, VAR-07a).

    ``playable`` is the set of all squares, ``squares`` their bit indices in reading order, ``shifts`` the distances
    from a square to its right, lower left, lower and lower right neighbours.
    """

    columns: int
    rows: int
    missing: str = ""
    squares: tuple[int, ...] = field(init=False, repr=False, compare=False)
    playable: int = field(init=False, repr=False, compare=False)
    shifts: tuple[int, int, int, int] = field(init=False, repr=False, compare=False)
    _names: dict[int, str] = field(init=False, repr=False, compare=False)
    _squares: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        missing = self.missing.split()
        names = {
            row * self.stride + column: name
            for row in range(self.rows)
            for column in range(self.columns)
            if (name := f"{chr(ord('a') + column)}{row + 1}") not in missing
        }
        object.__setattr__(self, "squares", tuple(names))
        object.__setattr__(self, "playable", sum(1 << square for square in names))
        object.__setattr__(self, "shifts", (1, self.stride - 1, self.stride, self.stride + 1))
        object.__setattr__(self, "_names", names)
        object.__setattr__(self, "_squares", {name: square for square, name in names.items()})

    @property
    def stride(self) -> int:
        """Bits per row: the columns and one guard."""
        return self.columns + 1

    @property
    def square_names(self) -> tuple[str, ...]:
        """The names of all squares, in the order of a board string."""
        return tuple(self._names.values())

    @property
    def size(self) -> int:
        """How many squares the board has."""
        return len(self.squares)

    def square(self, name: str) -> int:
        """Return the bit index of a square by its name, upper or lower case.

        :raises BadSquare: if the board has no such square.
        """
        try:
            return self._squares[name.lower()]
        except KeyError:
            text, span = say("{name!r} is not a square of this board; squares run from {span}"), self.squares
            raise BadSquare(text(name=name, span=f"{self.name(span[0])} to {self.name(span[-1])}")) from None

    def name(self, square: int) -> str:
        """Return the name of a square, ``f5``."""
        return self._names[square]

    def mask(self, names: str) -> int:
        """Return the set of the squares named, separated by spaces."""
        return sum(1 << self.square(name) for name in names.split())

    def names(self, squares: int) -> tuple[str, ...]:
        """Return the names of a set of squares, in reading order."""
        names = self._names
        return tuple([names[square] for square in scan(squares)])


def scan(squares: int) -> list[int]:
    """Return the bit indices of a set of squares, lowest first, which is reading order."""
    found = []
    while squares:
        lowest = squares & -squares
        found.append(lowest.bit_length() - 1)
        squares ^= lowest
    return found
