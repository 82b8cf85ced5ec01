"""``python -m tests.faults``: every fault test and planted bug in its long form, and one table at the end.

Arguments go to pytest; ``-k row_or_name`` runs some of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]

if __name__ == "__main__":
    path = os.pathsep.join(filter(None, [str(TESTS / "tools"), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "pytest", "-p", "faults.report", "-m", "fault or planted", "-v", *sys.argv[1:]]
    if not any(Path(argument.split("::")[0]).exists() for argument in sys.argv[1:]):
        command.append(str(TESTS))
    sys.exit(subprocess.call(command, cwd=TESTS.parent, env={**os.environ, "FAULTS": "long", "PYTHONPATH": path}))
