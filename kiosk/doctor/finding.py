"""What one check found, in plain sentences."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.text import Text


class Verdict(StrEnum):
    OK = "ok"
    WARNING = "warning"  # it works, but somebody should know
    PROBLEM = "problem"  # it will not work


@dataclass(frozen=True, slots=True)
class Finding:
    """``check`` is a stable name; ``text`` says what is, and what to do about it."""

    check: str
    verdict: Verdict
    text: Text


def ok(check: str, text: Text) -> Finding:
    return Finding(check, Verdict.OK, text)


def warning(check: str, text: Text) -> Finding:
    return Finding(check, Verdict.WARNING, text)


def problem(check: str, text: Text) -> Finding:
    return Finding(check, Verdict.PROBLEM, text)
