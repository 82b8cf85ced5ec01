"""How long a button or a key is still to be held: a bar that grows and is full when the hold takes effect.

The law: it is drawn only while a hold will mean something, over what the finger lies on, and is gone as soon as the
finger is. A short press never shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kiosk.table.hands.gestures import BUTTON, LONG_NS
from kiosk.table.scene import Box, Ink, Item, Panel, Rect, Scene, Touch

Holding = Mapping[tuple[str, str], int]

#: the bar grows in so many steps; the first is not drawn
STEPS = 10
#: on every ground a bar is seen: (its ground, its own ink)
_INKS = {Ink.NIGHT: (Ink.PANEL, Ink.ON_NIGHT), Ink.DAY: (Ink.DAY, Ink.ON_DAY)}


def with_bars(scene: Scene, holding: Holding, now_ns: int) -> Scene:
    """The scene with a bar for each finger that is holding something."""
    if not holding:
        return scene
    return replace(scene, panels=tuple(_with_bar(panel, holding, now_ns) for panel in scene.panels))


def next_step_ns(holding: Holding, now_ns: int) -> int | None:
    """When the bar is next longer; None while none grows."""
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
    ground, ink = _INKS.get(panel.ground, (Ink.PANEL, Ink.ON_NIGHT))
    for place in _places(panel, action):
        yield Box(place, ground, name="holding")
        yield Box(place, ink, max(1, place.h // 6), "holding")
        yield Box(place.left(place.w * done // STEPS), ink, name="held")


def _places(panel: Panel, action: str) -> list[Rect]:
    """The rim nearest to the seam for a button, the lower rim of the key that is touched."""
    if action == BUTTON:
        return [panel.local.rows(0.035, 0.965)[0]]
    touched = [item.box for item in panel.items if isinstance(item, Touch) and item.action == action]
    return [box.rows(0.85, 0.15)[1] for box in touched[-1:]]
