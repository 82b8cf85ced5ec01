"""What can be wrong with a board. Each error is a ``BoardError`` and a ``ValueError``; its message is one sentence
that says what was wrong, where, and what to do."""

# ruff: noqa: N818 - a name says what is wrong, as UnusableInput does

from __future__ import annotations

from engine.text import Text, TextError, say


class BoardError(TextError, ValueError):
    """The family of errors of ``engine.board``."""


class UnknownVariant(BoardError):
    """No board of that name, or one whose rules are not built yet."""


class BadSquare(BoardError):
    """A name that is no square of the board."""


class BadBoard(BoardError):
    """A board string of the wrong length or with a character that is no cell."""


class IllegalMove(BoardError):
    """A move or pass that the rules do not allow. ``ply`` is its place in the record, from 1, where there is one."""

    def __init__(self, why: Text, ply: int | None = None) -> None:
        super().__init__(why if ply is None else say("move {ply}: {why}", ply=ply, why=why))
        self.ply = ply


class BadClaim(BoardError):
    """A challenge that does not name what the rule wants named."""


class UnsolvableBoard(BoardError):
    """A position that the endgame solver does not search."""


class BadRecord(BoardError):
    """A game record (transcript, WTHOR, OBF, GGF) that cannot be read, or a game that it cannot hold.

    ``reason`` is what is wrong; ``file``, ``record`` (its number from 1; in files of lines the number of the line) and
    ``byte`` (from 0; of text its UTF-8) say where, as far as the reader knows.
    """

    def __init__(
        self, reason: Text, *, file: str | None = None, record: int | None = None, byte: int | None = None
    ) -> None:
        place = [
            *([] if record is None else [say("record {n}", n=record)]),
            *([] if byte is None else [say("byte {n}", n=byte)]),
        ]
        text = say("{place}: {why}", place=place, why=reason) if place else reason
        super().__init__(say("{place}: {why}", place=file, why=text) if file else text)
        self.reason = reason
        self.file = file
        self.record = record
        self.byte = byte

    def within(self, *, file: str | None = None, record: int | None = None, start: int = 0) -> BadRecord:
        """The same of a larger whole, in which the record begins at the byte ``start``."""
        byte = None if self.byte is None else self.byte + start
        return BadRecord(self.reason, file=file or self.file, record=record or self.record, byte=byte)
