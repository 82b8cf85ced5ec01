"""A pty that stands for a cable, under a name that stays."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hardware.errors import HardwareError, say


def plug(device: str) -> tuple[int, int]:
    """The far end, which never waits, and the near end, which whoever opens ``device`` has.

    :raises HardwareError: this system has no ptys.
    """
    if sys.platform != "win32":
        import tty

        far, near = os.openpty()
        tty.setraw(near)
        os.set_blocking(far, False)
        Path(device).symlink_to(os.ttyname(near))
        return far, near
    raise HardwareError(say("this system has no ptys; simulate cables on Linux or macOS"))
