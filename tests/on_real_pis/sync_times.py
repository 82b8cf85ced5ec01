"""Measures how long this machine's card takes for one ``fdatasync`` of a journal record (docs/develop/testing.md).

    python tests/on_real_pis/sync_times.py /var/lib/othello-kiosk --minutes 30

Writes as the journal does: 200 bytes into a preallocated file, ``fdatasync``, five times a second; prints percentiles,
the longest and a histogram as JSON, with the card's name.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from kiosk.doctor.sd_card_speed_check import card, measure, summary


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--minutes", type=float, default=30.0)
    given = parser.parse_args(arguments)
    took = measure(given.directory, 60 * given.minutes)
    sys.stdout.write(json.dumps({"card": card(), **summary(took)}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
