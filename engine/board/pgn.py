"""Reader and writer of PGN as LiveOthello publishes its yearly games: six tags, numbered moves of both colours, the
score.

- A pass is ``--``. The date is ``2031.04.05``, the result the discs of Black and White.
- Other parts of PGN (comments, annotations, other tags, empty lines) are ignored on reading.
- Lines end in CR LF, as in LiveOthello's file, and a game contains no empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import wrap

from engine.board.errors import BadRecord
from engine.board.transcript import byte_at, parse_transcript
from engine.i18n import say

#: the tags of every game, in their order
TAGS = ("Event", "Date", "Round", "Black", "White", "Result")
_TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\\r\n]|\\.)*)"\]\s*')
_BESIDE = re.compile(r"\{[^}]*\}|;[^\r\n]*|\$\d+|\d+\.+|(?<!\S)(?:\d{1,2}-\d{1,2}|\*)(?!\S)|[?!]")
_WIDTH = 79


@dataclass(frozen=True, slots=True)
class PgnGame:
    """One game. ``tags``: (name, value) in their order. ``moves``: None is a pass."""

    moves: tuple[str | None, ...]
    tags: tuple[tuple[str, str], ...] = ()

    def tag(self, name: str) -> str:
        """Return the value of a tag; empty if it is absent or unknown."""
        value = dict(self.tags).get(name, "")
        return "" if value.strip("?.") == "" else value


def read_pgn(text: str) -> Iterator[PgnGame]:
    """Yield the games of a file, in order.

    :raises BadRecord: a game, or the whole file, cannot be read.
    """
    number, at = 0, 0
    while (found := _TAG.search(text, at)) is not None:
        number += 1
        begin, tags = found.start(), []
        if text[at:begin].strip():
            raise BadRecord(say("there is text before the tags of a game"), record=number, byte=byte_at(text, at))
        while found is not None:
            tags.append((found[1], re.sub(r"\\(.)", r"\1", found[2])))
            at = found.end()
            found = _TAG.match(text, at)
        following = _TAG.search(text, at)
        end = len(text) if following is None else following.start()
        # ignored text is replaced by spaces, so that every move keeps its byte offset
        moves = _BESIDE.sub(lambda part: " " * len(part[0].encode()), text[at:end])
        try:
            yield PgnGame(tuple(parse_transcript(moves)), tuple(tags))
        except BadRecord as error:
            raise error.within(record=number, start=byte_at(text, at)) from None
        at = end
    if not number:
        raise BadRecord(say('there is no PGN game in it, which begins with a tag such as [Event "…"]'), byte=0)


def write_pgn(games: Iterable[PgnGame]) -> str:
    """Return the text of a file."""
    return "".join(map(_pgn_game, games))


def _pgn_game(game: PgnGame) -> str:
    lines = [f'[{name} "{_quote(value)}"]' for name, value in game.tags]
    moves = [move or "--" for move in game.moves]
    pairs = [f"{at // 2 + 1}. {' '.join(moves[at : at + 2])}" for at in range(0, len(moves), 2)]
    result = game.tag("Result") or "*"
    return "\r\n".join([*lines, *wrap(" ".join(pairs), _WIDTH, break_on_hyphens=False), result, "", ""])


def _quote(value: str) -> str:
    return " ".join(value.replace("\\", "\\\\").replace('"', '\\"').split())
