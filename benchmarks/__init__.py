"""Benchmarks of the product, which share tools with the tests."""

import os
import sys
from pathlib import Path

# as the kiosk command does: a second BLAS thread costs more than it brings with small matrices
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.append(str(Path(__file__).parents[1] / "tests" / "tools"))
