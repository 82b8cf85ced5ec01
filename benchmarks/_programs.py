"""The benchmark programs of this folder, each run in its own process."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the names of all programs here: every module that is neither private nor ``__main__``."""
    return sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))


def smallest(name: str) -> list[str]:
    """Return the arguments of a program's smallest run: its constant ``SMALLEST``, read without importing it."""
    for node in ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SMALLEST":
            return list(ast.literal_eval(node.value))
    raise LookupError(f"benchmarks/{name}.py has no SMALLEST: the arguments of its smallest run")


def run(name: str, *arguments: str) -> dict[str, Any]:
    """Run a benchmark and return its figures.

    :raises RuntimeError: it failed; with the last line of its output
    """
    command = [sys.executable, "-m", f"benchmarks.{name}", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=FOLDER.parent)
    if ended.returncode:
        raise RuntimeError((ended.stderr.strip() or f"it ended with {ended.returncode}").splitlines()[-1])
    figures: dict[str, Any] = json.loads(ended.stdout) if ended.stdout else {}
    return figures
