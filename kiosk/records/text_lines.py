"""Lines of untrusted text files, normalised for parsing with regular expressions.

A regular expression may backtrack over every blank, so a line has a maximum length and no two blanks in a row.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.i18n import LocalizedError, say

LONGEST = 2000


def lines_of(text: str, error: type[LocalizedError]) -> Iterator[tuple[int, str]]:
    """Return each line with its number, from 1, and its blanks collapsed.

    :raises LocalizedError: as ``error``, for a line that is too long
    """
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LONGEST:
            raise error(
                say("line {number} is longer than {longest} letters; is it a text?", number=number, longest=LONGEST)
            )
        yield number, " ".join(line.split())
