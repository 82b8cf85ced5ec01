"""Shutting the device down, so that its card is not written to when the power goes.

``systemctl poweroff`` asks logind; a rule of polkit lets the table's user do it (systemd/polkit.rules).
"""

from __future__ import annotations

import logging
import subprocess
import threading

log = logging.getLogger(__name__)

COMMAND = ("systemctl", "poweroff")
TIMEOUT_S = 30


def power_off() -> None:
    """Ask the system to shut down; never waits for it."""
    threading.Thread(target=_ask, name="power off", daemon=True).start()


def _ask() -> None:
    try:
        done = subprocess.run(COMMAND, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        log.error("the device cannot be shut down: %s", error)
        return
    if done.returncode:
        log.error("the device cannot be shut down: %s", done.stderr.strip()[:200])
