"""What can be wrong with a board. Each error is a ``BoardError`` and a ``ValueError``; its message is one sentence
that says what was wrong, where, and what to do."""

# ruff: noqa: N818 - a name says what is wrong, as UnusableInput does

from __future__ import annotations


class BoardError(ValueError):
    """The family of errors of ``engine.board``."""


class UnknownVariant(BoardError):
    """No board of that name, or one whose rules are not built yet."""


class BadSquare(BoardError):
    """A name that is no square of the board."""


class BadBoard(BoardError):
    """A board string of the wrong length or with a character that is no cell."""


class IllegalMove(BoardError):
    """A move or pass that the rules do not allow. ``ply`` is its place in the record, from 1, where there is one."""

    def __init__(self, message: str, ply: int | None = None) -> None:
        super().__init__(message if ply is None else f"move {ply}: {message}")
        self.ply = ply


class BadClaim(BoardError):
    """A challenge that does not name what the rule wants named."""


class BadRecord(BoardError):
    """A game record (transcript, WTHOR, GGF) that cannot be read."""
