"""``python -m tests.faults``: the fault tests in their long forms (FAULTS.md has the counts)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

if __name__ == "__main__":
    command = [sys.executable, "-m", "pytest", str(HERE), "-v", "--durations=0", *sys.argv[1:]]
    sys.exit(subprocess.call(command, cwd=HERE.parents[1], env={**os.environ, "FAULTS": "long"}))
