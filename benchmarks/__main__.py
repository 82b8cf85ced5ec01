"""``python -m benchmarks``: every benchmark in turn, one JSON object a line, named by its module."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
    run = subprocess.run([sys.executable, "-m", f"benchmarks.{path.stem}"], capture_output=True, text=True, check=False)
    answer = json.loads(run.stdout) if run.returncode == 0 else {"error": run.stderr.strip().splitlines()[-1]}
    print(json.dumps({path.stem: answer}), flush=True)
