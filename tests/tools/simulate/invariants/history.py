"""History kept by invariants between two checks, and the violation of an invariant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tables.saved_records import saved_after

from kiosk.link.game_replay_and_event_encoding import NO_GAME, ReplayedGame, replay_record
from kiosk.table.journal.segment_files_and_recovery import JournalEntry

if TYPE_CHECKING:
    from kiosk.head.program.head_application import HeadApplication
    from kiosk.table.table_assembly import TableApp


@dataclass(frozen=True, slots=True)
class InvariantViolation:
    law: str
    minute: int
    text: str


@dataclass(slots=True)
class InvariantHistory:
    """Facts that must stay true. ``saved``: by table, the records shown as saved. ``acknowledged``: by table and
    journal, how many the head has acknowledged. ``stored``: the same, how many the store of the head ``of`` was seen to
    have. ``lives``: how many entries the federation has of each life. ``given_twice``: the minute since which a game is
    at two tables without a question or order about it.
    """

    saved: dict[int, list[JournalEntry]] = field(default_factory=dict)
    acknowledged: dict[tuple[int, str], int] = field(default_factory=dict)
    of: HeadApplication | None = None
    stored: dict[tuple[int, str], int] = field(default_factory=dict)
    lives: dict[str, int] = field(default_factory=dict)
    given_twice: dict[str, float] = field(default_factory=dict)
    replayed: dict[tuple[int, str], list[tuple[ReplayedGame, JournalEntry, ReplayedGame]]] = field(default_factory=dict)

    def replaced(self, table: int) -> None:
        """Note that a spare replaces a device: it has what the head has, and what a head lost meanwhile had is gone."""
        self.saved.pop(table, None)
        for seen in (self.replayed, self.acknowledged, self.stored):
            for place in [place for place in seen if place[0] == table]:
                del seen[place]

    def has_stored(self, program: HeadApplication, table: int, epoch: str, seq: int) -> bool:
        """Return whether a head has that record in its store. A stored record is remembered until the head restarts."""
        if self.of is not program:
            self.of, self.stored = program, {}
        place = table, epoch
        if self.stored.get(place, 0) < seq:
            self.stored[place] = program.store.last_committed_seq(table, epoch)
        return self.stored.get(place, 0) >= seq

    def replay(self, number: int, table: TableApp) -> list[tuple[ReplayedGame, JournalEntry, ReplayedGame]]:
        """Return every record of a table's journal with the game before and after it."""
        steps = self.replayed.setdefault((number, table.journal.epoch), [])
        game = steps[-1][2] if steps else NO_GAME
        for record in saved_after(table.journal, len(steps)):
            before, game = game, replay_record(game, record, record.at_ns)
            steps.append((before, record, game))
        return steps
