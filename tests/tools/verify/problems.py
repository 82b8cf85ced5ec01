"""Result types of the verifier."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """A broken rule: its id, the round (0: the whole event), the players concerned, and a sentence."""

    rule: str
    round: int
    players: tuple[str, ...]
    text: str

    def as_dict(self) -> dict[str, object]:
        return {"rule": self.rule, "round": self.round, "players": list(self.players), "text": self.text}


@dataclass(slots=True)
class VerificationReport:
    """The problems found, and the rules checked; a rule that is not listed was not checked."""

    problems: list[RuleViolation] = field(default_factory=list)
    checked: set[str] = field(default_factory=set)

    def check(self, rule: str, is_valid: bool, round_: int, players: tuple[str, ...], text: str) -> None:
        self.checked.add(rule)
        if not is_valid:
            self.problems.append(RuleViolation(rule, round_, players, text))
