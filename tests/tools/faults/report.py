"""A pytest plugin for ``make faults``: one table of the faults tried, survived and lost.

A test declares its fault with ``@pytest.mark.fault(row, "text")`` (the row of FAULTS.md); the number of tries and
losses with ``record_property("tried", n)`` and ``record_property("lost", n)``. A test without a number counts as one
try. A figure in braces is another property: ``"… {back_s} s"`` with ``record_property("back_s", 4.2)``.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

#: rows of FAULTS.md that no test can run here, and why
NOT_HERE = {21: "on real Pis only"}
ROWS = (*range(1, 22), 24, *range(26, 35))


@dataclass(slots=True)
class Line:
    row: int
    text: str
    tried: int
    lost: int
    outcome: str

    @property
    def verdict(self) -> str:
        return {"passed": "held", "failed": "FAILED", "skipped": "not run"}[self.outcome]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.timeout(0), append=False)  # before the one of the short form
        for mark in item.iter_markers("fault"):
            row, text = mark.args
            item.user_properties += [("row", row), ("fault", text)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    lines = sorted(_lines(terminalreporter), key=lambda line: (line.row, line.text))
    terminalreporter.section("faults: tried, survived, lost")
    terminalreporter.line(f"{'row':>3}  {'tried':>9}  {'survived':>9}  {'lost':>6}  {'':7}  fault")
    for line in lines:
        tried = line.tried if line.outcome == "passed" else 0
        lost = str(line.lost) if line.outcome == "passed" else "?" if line.outcome == "failed" else "-"
        terminalreporter.line(
            f"{line.row:>3}  {tried:>9}  {tried - line.lost:>9}  {lost:>6}  {line.verdict:7}  {line.text}"
        )
    missing = [row for row in ROWS if row not in {line.row for line in lines}]
    for row in missing:
        terminalreporter.line(f"{row:>3}  no test: {NOT_HERE.get(row, 'none ran')}")


def _lines(reporter: pytest.TerminalReporter) -> list[Line]:
    lines = []
    for outcome in ("passed", "failed", "skipped"):
        for report in reporter.stats.get(outcome, []):
            properties = dict(report.user_properties)
            # a skip is reported by the setup or by the call; of passed tests only the call counts
            if "row" in properties and (outcome != "passed" or report.when == "call"):
                text = str(properties["fault"]).format_map(_Figures(properties))
                lines.append(
                    Line(properties["row"], text, properties.get("tried", 1), properties.get("lost", 0), outcome)
                )
    return lines


class _Figures(dict[str, object]):
    """The figures that a test measured; it may have failed before some of them."""

    def __missing__(self, name: str) -> str:
        return "?"
