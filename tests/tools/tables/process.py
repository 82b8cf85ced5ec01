"""A real table program on simulated pins, in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from waiting import HANGS_S

PINS_PROGRAM = Path(__file__).with_name("pins_program.py")


class TableProcess:
    """A table process. ``press`` presses a button, ``until`` waits for what a person would see."""

    def __init__(self, folder: Path, url: str, table: int, key_file: Path | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self.data, self.config = folder / "data", folder / "table.toml"
        self.key_file = key_file or folder / "key.json"
        self.config.write_text(
            f'table = {table}\ndata = "{self.data}"\n[head]\nurl = "{url.replace("http", "ws")}/link"\n'
            f'key_file = "{self.key_file}"\n[screen]\nenabled = false\n'
        )
        self.seen: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        with (folder / "log").open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(PINS_PROGRAM), str(self.config)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._log = folder / "log"
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._changed:
                self.seen.append(json.loads(line))
                self._changed.notify_all()

    def press(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, **wanted: Any) -> dict[str, Any]:
        def found() -> bool:
            return bool(self.seen) and all(self.seen[-1].get(name) == value for name, value in wanted.items())

        with self._changed:
            assert self._changed.wait_for(found, HANGS_S), f"{wanted}: {self.seen[-1:]} {self._log.read_text()[-2000:]}"
            return self.seen[-1]

    def offer(self) -> tuple[str, str]:
        """Return the letters and the code on its screen."""
        with self._changed:
            is_shown = self._changed.wait_for(lambda: bool(self.seen) and bool(self.seen[-1].get("code")), HANGS_S)
            assert is_shown, self.seen
            return self.seen[-1]["waits"], self.seen[-1]["code"]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(HANGS_S)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
