"""Errors of ChouChou. Each is a ``ChouChouError`` and a ``ValueError``."""

# ruff: noqa: N818 - names state what is wrong

from __future__ import annotations

from engine.i18n import LocalizedError


class ChouChouError(LocalizedError, ValueError):
    """The family of errors of ``engine.chouchou_game``."""


class BadSetup(ChouChouError):
    """The rules do not allow this game: number of players, board, time."""


class IllegalMoveEvent(ChouChouError):
    """The rules do not allow this event now. The state is unchanged; the message gives the reason."""


class BadNotation(ChouChouError):
    """A written turn cannot be read."""
