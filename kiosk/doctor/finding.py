"""What one check found, in plain sentences."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    OK = "ok"
    WARNING = "warning"  # it works, but somebody should know
    PROBLEM = "problem"  # it will not work


@dataclass(frozen=True, slots=True)
class Finding:
    """``check`` is a stable name; ``en`` and ``ja`` say what is, and what to do about it."""

    check: str
    verdict: Verdict
    en: str
    ja: str


def ok(check: str, en: str, ja: str) -> Finding:
    return Finding(check, Verdict.OK, en, ja)


def warning(check: str, en: str, ja: str) -> Finding:
    return Finding(check, Verdict.WARNING, en, ja)


def problem(check: str, en: str, ja: str) -> Finding:
    return Finding(check, Verdict.PROBLEM, en, ja)
