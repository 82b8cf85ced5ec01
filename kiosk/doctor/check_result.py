"""Result of one check, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.i18n import Text
from kiosk.locale import ENGLISH, JAPANESE, render


class CheckStatus(StrEnum):
    OK = "ok"
    WARNING = "warning"  # it works, but needs attention
    PROBLEM = "problem"  # it will not work


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check's result. ``check`` is a stable name; ``text`` gives the state and the remedy."""

    check: str
    verdict: CheckStatus
    text: Text

    def as_dict(self) -> dict[str, str]:
        """Return the result in both languages, as in reports."""
        en, ja = (render(self.text, language) for language in (ENGLISH, JAPANESE))
        return {"check": self.check, "verdict": self.verdict, "en": en, "ja": ja}


def all_well(results: Iterable[Mapping[str, str]]) -> bool:
    """Return whether none of these results is a problem."""
    return all(one["verdict"] != CheckStatus.PROBLEM for one in results)


def ok(check: str, text: Text) -> CheckResult:
    return CheckResult(check, CheckStatus.OK, text)


def warning(check: str, text: Text) -> CheckResult:
    return CheckResult(check, CheckStatus.WARNING, text)


def problem(check: str, text: Text) -> CheckResult:
    return CheckResult(check, CheckStatus.PROBLEM, text)
