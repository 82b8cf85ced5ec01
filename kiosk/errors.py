"""Errors that end a command."""

from __future__ import annotations

from engine.translatable_text import LocalizedError


class InputError(LocalizedError, ValueError):
    """Error for input that a command cannot use. The message is one sentence: what, where, and what to do."""
