"""Errors of ``engine.board``. Each is a ``BoardError`` and a ``ValueError``; its message is one sentence that states
what is wrong, where, and what to do."""

# ruff: noqa: N818 - names state what is wrong

from __future__ import annotations

from engine.i18n import LocalizedError, Text, say


class BoardError(LocalizedError, ValueError):
    """The family of errors of ``engine.board``."""


class UnknownVariant(BoardError):
    """There is no board of that name, or its rules are not implemented."""


class BadSquare(BoardError):
    """The name is not a square of the board."""


class BadBoard(BoardError):
    """The board string has the wrong length or an invalid character."""


class IllegalMove(BoardError):
    """The rules do not allow the move or pass. ``ply`` is its number in the record, from 1, if there is one."""

    def __init__(self, why: Text, ply: int | None = None) -> None:
        super().__init__(why if ply is None else say("move {ply}: {why}", ply=ply, why=why))
        self.ply = ply


class BadClaim(BoardError):
    """The challenge does not name what the rule requires."""


class UnsolvableBoard(BoardError):
    """The endgame solver does not search this position."""


class BadRecord(BoardError):
    """A game record (transcript, WTHOR, OBF, GGF) cannot be read, or the format cannot hold the game.

    ``reason`` states what is wrong; ``file``, ``record`` (its number from 1; in line-based files the line number) and
    ``byte`` (from 0; in text its UTF-8) state where, as far as the reader knows.
    """

    def __init__(
        self, reason: Text, *, file: str | None = None, record: int | None = None, byte: int | None = None
    ) -> None:
        where = ((say("record {n}"), record), (say("byte {n}"), byte))
        place = [text(n=number) for text, number in where if number is not None]
        text = say("{place}: {why}", place=place, why=reason) if place else reason
        super().__init__(say("{place}: {why}", place=file, why=text) if file else text)
        self.reason, self.file, self.record, self.byte = reason, file, record, byte

    def within(self, *, file: str | None = None, record: int | None = None, start: int = 0) -> BadRecord:
        """Return the error relative to a larger file in which the record begins at the byte ``start``."""
        byte = None if self.byte is None else self.byte + start
        return BadRecord(self.reason, file=file or self.file, record=record or self.record, byte=byte)
