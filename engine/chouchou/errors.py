"""What can be wrong in ChouChou. Each error is a ``ChouChouError`` and a ``ValueError``."""

# ruff: noqa: N818 - a name says what is wrong, as UnusableInput does

from __future__ import annotations

from engine.text import TextError


class ChouChouError(TextError, ValueError):
    """The family of errors of ``engine.chouchou``."""


class BadSetup(ChouChouError):
    """A game that the rules do not know: number of players, board, time."""


class IllegalEvent(ChouChouError):
    """The rules do not allow this event now. Nothing happened; the message says why."""


class BadNotation(ChouChouError):
    """A written turn that cannot be read."""
