"""Count of the product files that one press passes through, from the edge at the pin to the head's committed record.

    python tests/tools/tables/press_files.py [--names]

A real table on simulated pins and a real head, in one process, joined by a WebSocket on this machine; no display. The
pin simulator is left out, which no real table has. A file counts when one of its functions is called, in any
thread, between the edge and the head's commit; the second figure extends until the head has answered and updated its
live picture. Only the files of *every* press of a game in progress count: those that a ping or a tick adds to some of
them by chance are left out.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[3]
PRODUCT = ("engine", "hardware", "kiosk")
PRESSES = 12


class FileTrace:
    """The files whose functions were called while it is ``open``."""

    def __init__(self) -> None:
        self.open = False
        self.files: set[str] = set()
        self.to_commit: set[str] = set()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if not self.open:
            return
        code = frame.f_code
        returned = (Path(code.co_filename).name, code.co_name) if event == "return" else None
        if event == "call":
            self.files.add(code.co_filename)
        elif returned == ("store_writer.py", "_commit"):
            self.to_commit = self.to_commit or set(self.files)
        elif returned == ("record_ingest_and_commands.py", "commit"):
            self.open = False

    def begin(self) -> None:
        self.files, self.to_commit, self.open = set(), set(), True


def product(files: set[str]) -> set[str]:
    inside = {Path(file).relative_to(ROOT) for file in files if file.startswith(str(ROOT))}
    return {str(path) for path in inside if path.parts[0] in PRODUCT and path.name != "simulated_pins_and_buttons.py"}


def measure(data: Path) -> tuple[set[str], set[str]]:
    """Return the files up to the commit, and up to the head's answer."""
    trail = FileTrace()
    threading.setprofile(trail)
    sys.setprofile(trail)

    from heads.world import running_head
    from tables.rig import LEFT, RIGHT, TableRig
    from waiting import until

    from engine.match.match_value_types import Phase
    from kiosk.link.link_messages import Assignment, Command, PlayerInfo, to_dict
    from kiosk.table.table_config import HeadAddress

    with running_head(data / "head", tables=1, auto=False) as (head, url):
        key_file = data / "key.json"
        key_file.write_text(
            json.dumps({"schema": "othello-keys/1", "keys": {"1": head.devices.collection.key(1).hex()}})
        )
        key_file.chmod(0o600)
        address = HeadAddress(key_file=key_file, url=url.replace("http", "ws") + "/link")
        rig = TableRig(data / "table", head=address)
        assignment = Assignment(
            game="g", event="e", division="open", round=1, table=1, rules="m43", stage="league", label_ja="予選",
            label_en="League", main_s=6000, designated=True, players=[PlayerInfo("p1", "A"), PlayerInfo("p2", "B")],
        )  # fmt: skip
        try:
            rig.order(Command("g/assign", "assign", game="g", body=to_dict(assignment)))
            rig.until(lambda state: state.assignment is not None, "the game")
            rig.press(LEFT)
            rig.phase(Phase.READY)
            rig.press(RIGHT)
            rig.phase(Phase.TURN)
            trails = []
            for number in range(PRESSES):
                until(lambda: rig.state.unsynced == 0)
                time.sleep(0.3)
                trail.begin()
                rig.press(LEFT if number % 2 == 0 else RIGHT)
                until(lambda: not trail.open)
                trails.append((product(trail.to_commit), product(trail.files)))
        finally:
            rig.close()
    return set.intersection(*(one for one, _ in trails)), set.intersection(*(all for _, all in trails))


def main() -> None:
    sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "tools")]
    with tempfile.TemporaryDirectory() as data:
        committed, answered = measure(Path(data))
    if "--names" in sys.argv:
        for name in sorted(answered):
            sys.stdout.write(name + ("\n" if name in committed else "  (after the commit)\n"))
    sys.stdout.write(f"{len(committed)} to the commit, {len(answered)} to the head's answer\n")


if __name__ == "__main__":
    main()
