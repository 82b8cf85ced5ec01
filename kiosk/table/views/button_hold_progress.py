"""Progress bar of a hold: it grows and is full when the hold takes effect.

It is drawn only while a hold will have an effect, over what the finger is on, and disappears with the finger. A short
press never shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kiosk.table.input.gesture_recognition import BUTTON, LONG_NS
from kiosk.table.scene import Box, ColorRole, Item, Panel, Rect, Scene, Touch

Holding = Mapping[tuple[str, str], int]

#: number of steps of the bar; the first is not drawn
STEPS = 10
#: colours of the bar on each ground: (its ground, its ink)
_INKS = {ColorRole.NIGHT: (ColorRole.PANEL, ColorRole.ON_NIGHT), ColorRole.DAY: (ColorRole.DAY, ColorRole.ON_DAY)}


def with_progress_bars(scene: Scene, holding: Holding, now_ns: int) -> Scene:
    """Return the scene with a bar for each finger that holds something."""
    if not holding:
        return scene
    return replace(scene, panels=tuple(_with_bar(panel, holding, now_ns) for panel in scene.panels))


def next_step_ns(holding: Holding, now_ns: int) -> int | None:
    """Return when the bar grows next; None if there is none."""
    step_ns = LONG_NS // STEPS
    steps = ((since, since + step_ns * ((now_ns - since) // step_ns + 1)) for since in holding.values())
    return min((at_ns for since, at_ns in steps if at_ns <= since + LONG_NS), default=None)


def _with_bar(panel: Panel, holding: Holding, now_ns: int) -> Panel:
    steps = {
        action: min(STEPS, (now_ns - since) * STEPS // LONG_NS)
        for (name, action), since in holding.items()
        if name == panel.name
    }
    bars = [bar for action, done in steps.items() if done >= 2 for bar in _bars(panel, action, done)]
    return replace(panel, items=(*panel.items, *bars)) if bars else panel


def _bars(panel: Panel, action: str, done: int) -> Iterator[Item]:
    ground, ink = _INKS.get(panel.ground, (ColorRole.PANEL, ColorRole.ON_NIGHT))
    for place in _places(panel, action):
        yield Box(place, ground, name="holding")
        yield Box(place, ink, max(1, place.h // 6), "holding")
        yield Box(place.left(place.w * done // STEPS), ink, name="held")


def _places(panel: Panel, action: str) -> list[Rect]:
    """Return the places of the bar: for a button the edge nearest to the seam, for a key its lower edge."""
    if action == BUTTON:
        return [panel.local.rows(0.035, 0.965)[0]]
    touched = [item.box for item in panel.items if isinstance(item, Touch) and item.action == action]
    return [box.rows(0.85, 0.15)[1] for box in touched[-1:]]
