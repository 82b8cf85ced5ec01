"""The simulated hall: days per minute and virtual hours per second, in processor time, so that other work does not
count.

``python -m benchmarks.simulate [--days N] [--tables N] [--format NAME] [--faults KIND]`` prints JSON.
"""

from __future__ import annotations

import argparse
import json
import logging
import time

from simulate.fault_injection import Faults
from simulate.scenario_size import ScenarioSize
from simulate.simulated_day import run_day

SMALLEST = ("--tables", "1", "--format", "round-robin", "--faults", "none")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--format", default="m43-open")
    parser.add_argument("--faults", type=Faults, default=Faults.HEAVY)
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    run_day(0, Faults.NONE, ScenarioSize("round-robin", 1, 2))  # loads the libraries
    began = time.process_time()
    days = [
        run_day(seed, args.faults, ScenarioSize(args.format, args.tables, 2 * args.tables)) for seed in range(args.days)
    ]
    seconds = time.process_time() - began
    hours = sum(day.virtual_ns for day in days) / 3_600e9
    presses = sum(day.presses for day in days)
    print(
        json.dumps(
            {
                "days": len(days),
                "tables": args.tables,
                "faults": args.faults.value,
                "broken": sum(len(day.broken) for day in days),
                "presses": presses,
                "virtual_hours": round(hours, 2),
                "processor_seconds": round(seconds, 1),
                "days_per_minute": round(60 * len(days) / seconds, 2),
                "virtual_hours_per_second": round(hours / seconds, 3),
            }
        )
    )


if __name__ == "__main__":
    main()
