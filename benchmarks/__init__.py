"""Benchmarks of the product, which share tools with the tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "tools"))
