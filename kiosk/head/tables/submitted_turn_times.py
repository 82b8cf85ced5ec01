"""Times of each turn in submitted games, from the tables' records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kiosk.head.store import StoredRecord
from kiosk.head.tables.turn_durations import TurnDurations
from kiosk.link.errors import UnfollowableRecordError
from kiosk.link.game_replay import NOTHING_FOLLOWED, ReplayedGame, replay_record


@dataclass(slots=True)
class _Table:
    """State of one table. ``lost``: its game cannot be replayed."""

    game: ReplayedGame = NOTHING_FOLLOWED
    times: TurnDurations = field(default_factory=TurnDurations)
    lost: bool = False


def times_of(records: Iterable[StoredRecord]) -> dict[str, tuple[int, ...]]:
    """Return game -> milliseconds of its turns, including passes, in their order. ``records``: as they arrived."""
    tables: dict[tuple[int, str], _Table] = {}
    found: dict[str, tuple[int, ...]] = {}
    for record in records:
        key = record.table, record.epoch
        table = tables[key] = _Table() if record.type == "assigned" else tables.get(key, _Table())
        if table.lost:
            continue
        before = table.game.match
        try:
            table.game = replay_record(table.game, record)
        except UnfollowableRecordError:
            table.lost = True
            continue
        match, event = table.game.match, table.game.event
        if match is None:
            continue
        if record.type == "card":
            if len(table.times.spent) == len(match.turns) and (spent := table.times.of(match)):
                found[table.game.name] = spent
        elif event is not None:
            table.times.apply(before, event, match)
    return found
