"""Backlight of a display, as Linux shows it below ``/sys/class/backlight``."""

from __future__ import annotations

from pathlib import Path

BACKLIGHTS = Path("/sys/class/backlight")


def set_backlight(percent: int, backlights: Path = BACKLIGHTS) -> bool:
    """Set every backlight to ``percent`` of its brightest, at least 1; return whether there is one that obeyed."""
    obeyed = False
    for light in sorted(backlights.glob("*")):
        try:
            brightest = int((light / "max_brightness").read_text())
            (light / "brightness").write_text(str(max(1, brightest * percent // 100)))
        except (OSError, ValueError):
            continue
        obeyed = True
    return obeyed
