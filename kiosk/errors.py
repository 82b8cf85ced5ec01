"""Errors that end a command."""

from __future__ import annotations

from engine.text import TextError


class UnusableInput(TextError, ValueError):  # noqa: N818 - it names the input, not the program, as what is wrong
    """The input of a command cannot be used. The message is one sentence: what, where, and what to do."""
