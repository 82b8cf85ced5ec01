"""Runner of all benchmarks (``python -m benchmarks``): one JSON object per line, named by its module; exit status 1 if
one failed.

The training programs are excluded: they need a folder, and days.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from benchmarks._programs import names, run

failed = False
for name in names():
    if name.endswith("_training"):
        continue
    try:
        answer: dict[str, Any] = run(name)
    except RuntimeError as error:
        answer, failed = {"error": str(error)}, True
    print(json.dumps({name: answer}), flush=True)
sys.exit(failed)
