"""One input of the arbiter: a button, or a place on the display."""

from __future__ import annotations

from dataclasses import dataclass

NEXT, TAKE, BACK, TURN = "next", "take", "back", "turn"
#: on the display: a line of a list, a figure of a form, a key 0-9, and keys that end an entry
LINE, CELL, KEY, DELETE, DONE, CARRY_OUT = "line-", "cell-", "key-", "delete", "done", "carry-out"
#: a square of the board that is entered: ``square-e4``
SQUARE = "square-"
#: an option of a form: ``pick-CELL-OPTION``
PICK = "pick-"


@dataclass(frozen=True, slots=True)
class ArbiterInput:
    """One input. ``name`` is one of the above. ``held``: for ``LONG_NS``."""

    name: str
    held: bool
    at_ns: int

    def number(self, prefix: str) -> int | None:
        """Return the N of ``prefix-N``, else None."""
        rest = self.name.removeprefix(prefix)
        return int(rest) if rest != self.name and rest.isdigit() else None
