"""What one check found, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.text import Text
from kiosk.locale import ENGLISH, JAPANESE, render


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

    def written(self) -> dict[str, str]:
        """As reports have it, in both languages."""
        en, ja = (render(self.text, language) for language in (ENGLISH, JAPANESE))
        return {"check": self.check, "verdict": self.verdict, "en": en, "ja": ja}


def all_well(written: Iterable[Mapping[str, str]]) -> bool:
    """Whether none of these findings is a problem."""
    return all(one["verdict"] != Verdict.PROBLEM for one in written)


def ok(check: str, text: Text) -> Finding:
    return Finding(check, Verdict.OK, text)


def warning(check: str, text: Text) -> Finding:
    return Finding(check, Verdict.WARNING, text)


def problem(check: str, text: Text) -> Finding:
    return Finding(check, Verdict.PROBLEM, text)
