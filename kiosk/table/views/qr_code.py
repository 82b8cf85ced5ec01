"""QR codes as items of a scene."""

from __future__ import annotations

from functools import lru_cache

from kiosk.table.scene import Box, ColorRole, Item, Rect

#: rows of modules, True is dark; without the quiet zone
Modules = tuple[tuple[bool, ...], ...]
QUIET_MODULES = 4


@lru_cache(maxsize=8)
def qr_modules(text: str, error: str = "m") -> Modules:
    """Return the code of a text. ``error``: how much of it may be damaged; "l" makes the smallest code."""
    import segno  # here, because cameras are set up with these views and without this package

    return tuple(
        tuple(bool(module) for module in row) for row in segno.make_qr(text, error=error, encoding="utf-8").matrix
    )


def qr_code(modules: Modules, box: Rect) -> tuple[Item, ...]:
    """Return the code, dark on a light ground with its quiet zone; each run of dark modules is one box."""
    count = len(modules)
    module = max(1, min(box.w, box.h) // (count + 2 * QUIET_MODULES))
    side = module * (count + 2 * QUIET_MODULES)
    ground = Rect(box.x + (box.w - side) // 2, box.y + (box.h - side) // 2, side, side)
    x0, y0 = ground.x + QUIET_MODULES * module, ground.y + QUIET_MODULES * module
    runs = [
        Box(Rect(x0 + start * module, y0 + row * module, length * module, module), ColorRole.ON_DAY, name="qr")
        for row, line in enumerate(modules)
        for start, length in _runs(line)
    ]
    return (Box(ground, ColorRole.DAY, name="qr-ground"), *runs)


def _runs(line: tuple[bool, ...]) -> list[tuple[int, int]]:
    """Return (start, length) of each run of dark modules."""
    found: list[tuple[int, int]] = []
    for at, dark in enumerate(line):
        if dark and found and sum(found[-1]) == at:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        elif dark:
            found.append((at, 1))
    return found
