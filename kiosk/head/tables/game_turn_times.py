"""Time of each turn of a game, computed from its events, and of all submitted games from the tables' records.

A turn's time is what its player's clock lost between his previous press and this one. Where turns and presses do not
match one to one (a turn was taken back, an arbiter set the clocks), the game has no times.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.board.color import Color
from engine.match.match_events_and_effects import Event, Press
from engine.match.match_state import MatchState
from kiosk.head.store import StoredRecord
from kiosk.head.tables.table_view_data import NS_PER_MS
from kiosk.link.errors import UnfollowableRecordError
from kiosk.link.game_replay_and_event_encoding import NO_GAME, ReplayedGame, replay_record


@dataclass(slots=True)
class TurnDurations:
    """Turn times of one game. ``left``: each colour's time at its last press; ``spent``: whose turn it was and its
    milliseconds.
    """

    left: dict[Color, int] = field(default_factory=dict)
    spent: list[tuple[Color, int]] = field(default_factory=list)

    def apply(self, before: MatchState | None, event: Event, match: MatchState) -> None:
        """Apply an event; ``match`` is the state that it made of ``before``."""
        if match.running() is not None and not self.left:
            self.left = {side: match.remaining_ns(side, event.at_ns) for side in Color}
        elif (
            isinstance(event, Press)
            and before is not None
            and self.left
            and (side := before.running()) not in (None, match.running())
        ):
            left = before.remaining_ns(side, event.at_ns)
            self.spent.append((side, (self.left[side] - left) // NS_PER_MS))
            self.left[side] = left

    def of(self, match: MatchState) -> tuple[int, ...]:
        """Return the milliseconds of the turns that were read, in their order; none where they do not match."""
        turns = match.turns
        known = self.spent[: len(turns)]
        return tuple(ms for _, ms in known) if [by for by, _ in known] == [turn.by for turn in turns] else ()


@dataclass(slots=True)
class _TimedTable:
    """State of one table. ``lost``: its game cannot be replayed."""

    game: ReplayedGame = NO_GAME
    times: TurnDurations = field(default_factory=TurnDurations)
    lost: bool = False


def turn_times_by_game(records: Iterable[StoredRecord]) -> dict[str, tuple[int, ...]]:
    """Return game -> milliseconds of its turns, including passes, in their order. ``records``: as they arrived."""
    tables: dict[tuple[int, str], _TimedTable] = {}
    found: dict[str, tuple[int, ...]] = {}
    for record in records:
        key = record.table, record.epoch
        table = tables[key] = _TimedTable() if record.type == "assigned" else tables.get(key, _TimedTable())
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
