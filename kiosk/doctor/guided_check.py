"""``kiosk doctor --guided``: step-by-step test of a table's hardware, and of row 21 of the faults on a Pi, with one
report to send (docs/develop/testing.md).

Each step gives instructions, checks, and is saved before the next one begins. So the test may be interrupted at any
moment: a restart continues it, and repeats steps that failed, were skipped, or were not reached.
"""

from __future__ import annotations

import json
import platform
import time
from pathlib import Path
from typing import Any

from engine.i18n import say
from hardware.errors import HardwareError
from kiosk.doctor.check_result import CheckResult, all_well, problem
from kiosk.doctor.guided_steps import GuidedContext, GuidedStep, StepSkipped, steps
from kiosk.errors import InputError
from kiosk.locale import ENGLISH, JAPANESE, render

REPORT, READABLE = "othello-report.json", "othello-report.txt"
SCHEMA = "othello-doctor/1"


class GuidedReport:
    """The results so far, in a folder; an unreadable report is renamed, never lost."""

    def __init__(self, folder: Path, table: int) -> None:
        self._folder = folder
        self._found: dict[str, Any] = {"schema": SCHEMA, "table": table, "machine": _about(), "steps": {}}
        path = folder / REPORT
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            if known["schema"] == SCHEMA and known["table"] == table and isinstance(known["steps"], dict):
                self._found["steps"] = known["steps"]
            else:
                path.rename(folder / f"{REPORT}.old")
        except FileNotFoundError:
            pass
        except (ValueError, KeyError, TypeError):
            path.rename(folder / f"{REPORT}.old")

    def is_done(self, step: str) -> bool:
        """Return whether a step need not be repeated."""
        known = self._found["steps"].get(step)
        return known is not None and known["ended"] and all_well(known["findings"])

    @property
    def healthy(self) -> bool:
        return all(all_well(step["findings"]) for step in self._found["steps"].values())

    def keep(self, step: GuidedStep, findings: list[CheckResult], figures: dict[str, Any], *, ended: bool) -> None:
        """Save a step, and the report in readable form.

        :raises InputError: the folder cannot be written.
        """
        self._found["steps"][step.name] = {
            "title": {lang: render(step.title, lang) for lang in (ENGLISH, JAPANESE)},
            "at": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
            "ended": ended,
            "findings": [one.written() for one in findings],
            "figures": figures,
        }
        try:
            for name, text in (
                (REPORT, json.dumps(self._found, ensure_ascii=False, indent=1) + "\n"),
                (READABLE, self._readable()),
            ):
                draft = self._folder / f".{name}.new"
                draft.write_text(text, encoding="utf-8")
                draft.replace(self._folder / name)
        except OSError as error:
            raise InputError(say("{path}: {why}", path=self._folder, why=error.strerror or error)) from error

    def _readable(self) -> str:
        lines = [
            f"Othello kiosk, table {self._found['table']}: {json.dumps(self._found['machine'], ensure_ascii=False)}"
        ]
        for name, step in self._found["steps"].items():
            lines += ["", f"{step['title']['en']} / {step['title']['ja']}  [{name}, {step['at']}]"]
            if not step["ended"]:
                lines.append(f"    -- {render(_NOT_MADE, ENGLISH)} / {render(_NOT_MADE, JAPANESE)}")
            for one in step["findings"]:
                lines += [f"    {_MARKS[one['verdict']]} {one['en']}", f"       {one['ja']}"]
            lines += [f"    {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in step["figures"].items()]
        return "\n".join(lines) + "\n"


_NOT_MADE = say("not made")
_MARKS = {"ok": "OK", "warning": "??", "problem": "NO"}


def _about() -> dict[str, str]:
    try:
        model = Path("/proc/device-tree/model").read_text(encoding="ascii", errors="replace").rstrip("\0")
    except OSError:
        model = platform.machine()
    return {"model": model, "kernel": platform.release(), "python": platform.python_version()}


def run_steps(guide: GuidedContext, report: GuidedReport) -> bool:
    """Run every open step; return whether nothing is wrong.

    :raises InputError: the report cannot be written.
    """
    wanted = steps(guide.config, guide.factory)
    for number, step in enumerate(wanted, start=1):
        if report.is_done(step.name):
            guide.person.show(say("{n}/{of} {title}: done before.", n=number, of=len(wanted), title=step.title))
            continue
        guide.person.show(say("{n}/{of} {title}", n=number, of=len(wanted), title=step.title))
        guide.figures = {}
        findings: list[CheckResult] = []
        ended = True
        try:
            for finding in step.look(guide):
                findings.append(finding)
                guide.person.show(say("  {mark} {text}", mark=_MARKS[finding.verdict], text=finding.text))
        except StepSkipped:
            ended = False
            guide.person.show(say("  left out"))
        except (HardwareError, InputError) as error:
            findings.append(problem(step.name, say("{what}", what=error)))
            guide.person.show(findings[-1].text)
        except KeyboardInterrupt:
            report.keep(step, findings, guide.figures, ended=False)
            raise
        report.keep(step, findings, guide.figures, ended=ended)
    return report.healthy
