"""Ptys that simulate cables, each under a fixed device name."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hardware.errors import HardwareError, say


def open_simulated_pty(device: str) -> tuple[int, int]:
    """Return the far end, which is non-blocking, and the near end, which is what a program that opens ``device`` has.

    :raises HardwareError: if this system has no ptys.
    """
    if sys.platform != "win32":
        import tty

        far, near = os.openpty()
        tty.setraw(near)
        os.set_blocking(far, False)
        Path(device).symlink_to(os.ttyname(near))
        return far, near
    raise HardwareError(say("this system has no ptys; simulate cables on Linux or macOS"))
