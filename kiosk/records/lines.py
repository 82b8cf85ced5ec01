"""The lines of a text that a person wrote and nobody has looked at.

The law: what reads a line by a pattern may try every place where a blank can belong, so a line is short and has no two
blanks in a row.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.text import TextError, say

LONGEST = 2000


def lines_of(text: str, error: type[TextError]) -> Iterator[tuple[int, str]]:
    """Each line by its number, from 1, its blanks joined.

    :raises TextError: as ``error``, of a line that is too long
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LONGEST:
            raise error(
                say("line {number} is longer than {longest} letters; is it a text?", number=number, longest=LONGEST)
            )
        yield number, " ".join(line.split())
