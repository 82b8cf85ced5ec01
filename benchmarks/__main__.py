"""``python -m benchmarks``: every benchmark in turn, one JSON object a line, named by its module; 1 if one failed.

The training programs are not among them: they need a folder, and days.
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
