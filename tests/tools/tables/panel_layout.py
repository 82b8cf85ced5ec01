"""Check of the layout of a panel, for tests of the views."""

from __future__ import annotations

from itertools import combinations

from kiosk.table.scene import Digits, Icon, Panel, SceneDisc, SceneText


def check_layout(panel: Panel, state: object) -> None:
    """Check that every item of the panel is inside it, and that nothing written overlaps anything written."""
    for item in panel.items:
        assert panel.local.contains(item.box) and item.box.w > 0 and item.box.h > 0, (state, item)
    written = [item for item in panel.items if isinstance(item, SceneText | Digits | Icon | SceneDisc)]
    for one, other in combinations(written, 2):
        assert not one.box.overlaps(other.box), (state, one, other)
