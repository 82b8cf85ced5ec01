"""Times for people: in the head's time zone."""

from __future__ import annotations

from datetime import datetime


def local(at: str) -> str:
    """A time as the store keeps it, without its year; a dash if there is none, or none that can be read."""
    try:
        return f"{datetime.fromisoformat(at).astimezone():%m-%d %H:%M:%S}"
    except (ValueError, OverflowError):
        return "–"
