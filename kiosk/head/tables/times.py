"""The time of each turn, from the tables' records.

The law: a turn's time is what its player's clock lost from his press before to this one. Where turns and presses do not
belong together one by one (a turn was taken back, an arbiter set the clocks), nothing is said of that game.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.board.color import Color
from engine.match.events import Press
from engine.match.model import NS_PER_S
from kiosk.head.store import StoredRecord
from kiosk.link.errors import UnfollowableRecordError
from kiosk.link.following import NOTHING_FOLLOWED, FollowedGame, follow

_NS_PER_MS = NS_PER_S // 1000


@dataclass(slots=True)
class _Table:
    """``left``: each colour's time at its last press; ``spent``: the turns so far. ``lost``: cannot be followed."""

    game: FollowedGame = NOTHING_FOLLOWED
    left: dict[Color, int] = field(default_factory=dict)
    spent: list[tuple[Color, int]] = field(default_factory=list)
    lost: bool = False


def times_of(records: Iterable[StoredRecord]) -> dict[str, tuple[int, ...]]:
    """Game -> milliseconds of its turns, passes too, in their order. ``records``: as they arrived."""
    tables: dict[tuple[int, str], _Table] = {}
    found: dict[str, tuple[int, ...]] = {}
    for record in records:
        key = record.table, record.epoch
        table = tables[key] = _Table() if record.type == "assigned" else tables.get(key, _Table())
        if table.lost:
            continue
        before = table.game.match
        try:
            table.game = follow(table.game, record)
        except UnfollowableRecordError:
            table.lost = True
            continue
        match, event = table.game.match, table.game.event
        if match is None:
            continue
        if record.type == "card":
            turns = [turn.by for turn in match.turns]
            if turns and [by for by, _ in table.spent] == turns:
                found[table.game.name] = tuple(ms for _, ms in table.spent)
        elif event is not None and match.running() is not None and not table.left:
            table.left = {side: match.remaining_ns(side, event.at_ns) for side in Color}
        elif (
            isinstance(event, Press)
            and before is not None
            and table.left
            and (side := before.running()) not in (None, match.running())
        ):
            left = before.remaining_ns(side, event.at_ns)
            table.spent.append((side, (table.left[side] - left) // _NS_PER_MS))
            table.left[side] = left
    return found
