"""Times for people: in the head's time zone."""

from __future__ import annotations

from datetime import datetime


def local(at: str, form: str = "%m-%d %H:%M:%S") -> str:
    """A time as the store keeps it; a dash if there is none, or none that can be read."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime(form)
    except (ValueError, OverflowError):
        return "–"
