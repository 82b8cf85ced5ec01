"""Errors that end a command."""

from __future__ import annotations

from engine.text import TextError


class UnusableInput(TextError, ValueError):  # noqa: N818 - it names the input, not the program, as what is wrong
    """Error for input that a command cannot use. The message is one sentence: what, where, and what to do."""
