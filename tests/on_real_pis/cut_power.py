"""Cuts the power of a real table in play, again and again, and counts what was lost (docs/develop/testing.md).

    python tests/on_real_pis/cut_power.py /dev/ttyUSB0 --off 'uhubctl -a off -p 2' --on 'uhubctl -a on -p 2' \\
        --cuts 500 --out card-a.jsonl

Runs on another computer. The table (``tests/tools/tables/game_program.py``) reports on its serial line the state with
which it restarted, and then every state that it showed as saved. A cut is survived if the table restarts with at least
the last revision that it reported as saved. A line torn by the cut does not count.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import serial

#: a Pi that does not come back in this time needs a person
COME_BACK_S = 180.0
OFF_S = 3.0


@dataclass(slots=True)
class Cut:
    """One cut. ``saved``: the last revision reported as saved before it; ``back``: the revision after the restart, None
    if there was none; ``after_s``: how long the table had played."""

    number: int
    after_s: float
    saved: int
    back: int | None

    @property
    def lost(self) -> int:
        return self.saved + 1 if self.back is None else max(0, self.saved - self.back)


class Line:
    """The reports of the table: complete lines of JSON only; boot messages and torn lines are ignored."""

    def __init__(self, device: str, baud: int) -> None:
        self._port = serial.Serial(device, baud, timeout=0.1)
        self._rest = b""
        self._waiting: list[dict[str, Any]] = []

    def word(self) -> dict[str, Any] | None:
        """Return the next report, None if there is none now."""
        if not self._waiting:
            self._waiting = self._read()
        return self._waiting.pop(0) if self._waiting else None

    def _read(self) -> list[dict[str, Any]]:
        *lines, self._rest = (self._rest + self._port.read(4096)).split(b"\n")
        found = []
        for line in lines:
            try:
                word = json.loads(line)
            except ValueError:
                continue
            if isinstance(word, dict) and word.get("kind") in ("back", "saved"):
                found.append(word)
        return found

    def forget(self) -> None:
        self._port.reset_input_buffer()
        self._rest = b""
        self._waiting.clear()


def last_saved(line: Line, seconds: float, known: int) -> int:
    """Return the last revision reported as saved within ``seconds``."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        word = line.word()
        if word is not None and word["kind"] == "saved":
            known = max(known, word["revision"] or 0)
    return known


def came_back(line: Line, patience_s: float) -> int | None:
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        word = line.word()
        if word is not None and word["kind"] == "back":
            return word["revision"] or 0
    return None


def run(
    device: str, baud: int, off: str, on: str, cuts: int, out: Path, longest_s: float, patience_s: float, pause_s: float
) -> list[Cut]:
    line, done = Line(device, baud), []
    subprocess.run(on, shell=True, check=True)
    known = came_back(line, patience_s)
    with out.open("a", encoding="utf-8") as file:
        for number in range(1, cuts + 1):
            if known is None:
                break
            after_s = random.uniform(0.2, longest_s)
            saved = last_saved(line, after_s, known)
            subprocess.run(off, shell=True, check=True)
            saved = last_saved(line, 0.3, saved)  # reports still on the line
            time.sleep(pause_s)
            line.forget()
            subprocess.run(on, shell=True, check=True)
            known = came_back(line, patience_s)
            cut = Cut(number, round(after_s, 2), saved, known)
            done.append(cut)
            file.write(json.dumps(asdict(cut) | {"lost": cut.lost, "at": time.time()}) + "\n")
            file.flush()
    return done


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("device")
    parser.add_argument("--baud", type=int, default=115_200)
    parser.add_argument("--off", required=True, help="a command that takes the power away")
    parser.add_argument("--on", required=True, help="a command that gives it back")
    parser.add_argument("--cuts", type=int, default=500)
    parser.add_argument("--longest", type=float, default=20.0, help="seconds of play before a cut, at most")
    parser.add_argument("--patience", type=float, default=COME_BACK_S, help="seconds until it must be back")
    parser.add_argument("--pause", type=float, default=OFF_S, help="seconds without power")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    done = run(
        given.device, given.baud, given.off, given.on, given.cuts, given.out, given.longest, given.patience, given.pause
    )
    lost, gone = sum(cut.lost > 0 for cut in done), sum(cut.back is None for cut in done)
    sys.stdout.write(json.dumps({"tried": len(done), "lost": lost, "did_not_come_back": gone}) + "\n")
    return 1 if lost or len(done) < given.cuts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
