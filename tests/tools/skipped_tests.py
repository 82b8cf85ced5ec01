"""Report of the tests skipped because of a missing program, with the command that installs it."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

LIST = Path(__file__).parents[1] / "debian-packages.txt"


def programs(text: str) -> dict[str, list[str]]:
    """Return the packages of each program."""
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    found = {program: packages for program, *packages in lines}
    return {**found, "micropython": []}


def lines(reasons: Iterable[str], path: str = f"{os.environ['PATH']}:/usr/sbin:/sbin") -> list[str]:
    """Return the lines of the summary. ``reasons``: why tests were skipped. One that names several programs counts for
    the first that is missing."""
    absent = {
        program: packages
        for program, packages in programs(LIST.read_text(encoding="utf-8")).items()
        if shutil.which(program, path=path) is None
    }
    counted: Counter[str] = Counter()
    for reason in reasons:
        words = set(re.findall(r"[a-z0-9.-]*[a-z0-9]", reason.lower()))
        counted.update([program for program, packages in absent.items() if {program, *packages} & words][:1])
    summary = [f"left out {count}: {program} is not installed" for program, count in sorted(counted.items())]
    return [*summary, "all of them are brought by: sudo .ci/packages"] if summary else []
