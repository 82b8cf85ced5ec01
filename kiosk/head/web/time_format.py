"""Formatting of times in the head's time zone."""

from __future__ import annotations

from datetime import datetime


def format_local(at: str, form: str = "%m-%d %H:%M:%S") -> str:
    """Return a stored time in local form; a dash if there is none or it cannot be read."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime(form)
    except (ValueError, OverflowError):
        return "–"
