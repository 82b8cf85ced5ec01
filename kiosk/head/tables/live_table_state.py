"""Live state of the tables, from the records and health reports that the head has received.

The table is the authority. The head replays the table's events with the same rules and only observes; a time shown here
is the time at the last record plus the time since it arrived.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from engine.copy_with_changes import replace
from engine.match.arbiter_order_specs_and_parser import possible_orders
from engine.match.match_events_and_effects import Action, ArbiterOrder, CallArbiter, Event
from engine.match.match_state import MatchState
from engine.match.match_value_types import NS_PER_S, Phase
from hardware.real_and_simulated_time import TimeBase
from kiosk.head.store import Store, StoredRecord
from kiosk.head.tables import table_view_data
from kiosk.head.tables.game_turn_times import TurnDurations
from kiosk.head.tables.table_view_data import NS_PER_MS, GameSnapshot, TableView
from kiosk.link.errors import UnfollowableRecordError
from kiosk.link.game_replay_and_event_encoding import NO_GAME, ReplayedGame, replay_record
from kiosk.link.link_messages import HOLDS_WITHOUT_ORDER, Health, clock_offset_ms

#: silence after which a table is amber, then red
AMBER_NS = 6 * NS_PER_S
RED_NS = 15 * NS_PER_S
#: of a table's records within this time, in milliseconds, only the last is kept as a moment of its game
TOGETHER_MS = 1_000
#: records of a game that are followed; a long game has a thousand
MOST_FOLLOWED = 5_000


@dataclass(slots=True)
class _Table:
    """State of one table. ``unread``: the store has more records; ``arrived`` counts those received meanwhile.
    ``picture``: its view, made on request. ``story``: the game's moments, for delayed spectators.
    """

    unread: bool = False
    arrived: int = 0
    epoch: str = ""
    seq: int = 0
    followed: int = 0
    game: ReplayedGame = NO_GAME
    at_ns: int = 0
    heard_ns: int = 0
    called_ns: int | None = None
    lost_sight: bool = False
    health: Health | None = None
    seen_ns: int | None = None
    offset_ms: int | None = None
    picture: TableView | None = None
    story: list[GameSnapshot] = field(default_factory=list)
    times: TurnDurations = field(default_factory=TurnDurations)


class LiveTables:
    """The live state of all tables. May be called from any thread.

    A head that starts with hundreds of games in its store accepts its tables' records at once: a game is read on
    request, or by ``start``, and never while a table waits for its acknowledgement.
    """

    def __init__(
        self,
        store: Store,
        tables: Iterable[int],
        time_base: TimeBase,
        monotonic_ns: Callable[[], int] = time.monotonic_ns,
        wall_ns: Callable[[], int] = time.time_ns,
        reads_ahead: bool = True,
    ) -> None:
        """``time_base`` is the tables' time, which a demo runs faster; ``monotonic_ns`` measures the link, and the
        tables' wall clocks are compared with ``wall_ns``. ``reads_ahead``: a thread reads games before they are
        requested.
        """
        self._store = store
        self._time = time_base
        self._monotonic_ns = monotonic_ns
        self._wall_ns = wall_ns
        self._lock = threading.Lock()
        self._tables = {number: _Table(unread=any(True for _ in store.present_game(number))) for number in tables}
        self._stopping = threading.Event()
        self._reads_ahead = reads_ahead
        self._reader = threading.Thread(target=self._read_all, name="head-live", daemon=True)

    def start(self) -> None:
        """Begin to read the games from the store."""
        if self._reads_ahead:
            self._reader.start()

    def close(self) -> None:
        """Stop reading."""
        self._stopping.set()
        if self._reader.is_alive():
            self._reader.join()

    def collect(self, records: Iterable[StoredRecord]) -> None:
        """Apply committed records of a table, in order; missing ones are in the store."""
        with self._lock:
            for record in records:
                table = self._tables.setdefault(record.table, _Table())
                if table.unread:
                    table.arrived += 1
                elif record.seq == (table.seq + 1 if record.epoch == table.epoch else 1):
                    self._apply(table, record)
                elif record.epoch != table.epoch or record.seq > table.seq:
                    table.unread = True  # a continued journal, or a gap: the store has all of it

    def note_alive(self, number: int, health: Health | None) -> None:
        """Note a table's health report."""
        with self._lock:
            table = self._tables.setdefault(number, _Table())
            table.seen_ns = self._monotonic_ns()
            if health is not None:
                table.health = health
                table.offset_ms = clock_offset_ms(health, self._wall_ns() // NS_PER_MS)

    def has_sent_all_records(self, number: int) -> bool:
        """Check whether a table has reported, since this head started, that the head has all its records."""
        with self._lock:
            table = self._tables.get(number)
            return table is not None and table.health is not None and table.health.unsynced == 0

    def game_at(self, number: int) -> str | None:
        """Return the game that the table reports."""
        self._read(number)
        with self._lock:
            table = self._tables.get(number)
            return table.game.name or None if table else None

    def running(self, games: Mapping[int, str]) -> list[int]:
        """Return those of the tables with these games whose clock runs or may run. No view is made for it, because an
        arbiter who stops all tables waits for the result.
        """
        with self._lock:
            return sorted(number for number, game in games.items() if self._runs(self._tables.get(number), game))

    @property
    def no_clock_runs(self) -> bool:
        """Check whether no clock runs, as far as known."""
        with self._lock:
            games = [table.game.match for table in self._tables.values()]
        return not any(game is not None and game.clock.running is not None for game in games)

    def now_ms(self) -> int:
        """Return the head's game time, to which the pages refer."""
        return self._time.now_ns() // NS_PER_MS

    def views(self) -> list[TableView]:
        """Return all tables by number."""
        self._read_all()
        return [self._view(number) for number in sorted(self._tables)]

    def views_without_health(self) -> list[TableView]:
        """Return all tables by number, without the machines' health. A view whose content is unchanged is the same
        value.
        """
        self._read_all()
        return [self._seen_now(number) for number in sorted(self._tables)]

    def _read_all(self) -> None:
        for number in tuple(self._tables):
            if not self._stopping.is_set():
                self._read(number)

    def _read(self, number: int) -> None:
        """Read a table's present game from the store, again if more of it arrived meanwhile."""
        while (table := self._tables.get(number)) is not None and table.unread:
            arrived, fresh = table.arrived, _Table()
            for record in self._store.present_game(number):
                self._apply(fresh, record)
            with self._lock:
                if table.unread and table.arrived == arrived:
                    fresh.health, fresh.seen_ns, fresh.offset_ms = table.health, table.seen_ns, table.offset_ms
                    self._tables[number] = fresh

    def _apply(self, table: _Table, record: StoredRecord) -> None:
        table.epoch, table.seq, table.picture = record.epoch, record.seq, None
        table.heard_ns = self._time.now_ns()
        table.followed += 1
        if record.type == "event" and (table.lost_sight or table.followed > MOST_FOLLOWED):
            table.lost_sight = True
            return
        before = table.game.match
        try:
            table.game = replay_record(table.game, record)
        except UnfollowableRecordError:
            # it is stored like any other; only the view of this game is lost
            table.lost_sight = True
            return
        if record.type in ("assigned", "withdrawn"):
            table.called_ns, table.lost_sight = None, table.lost_sight and record.type == "withdrawn"
            table.story, table.times, table.followed = [], TurnDurations(), 0
        if table.game.event is not None and table.game.match is not None:
            table.times.apply(before, table.game.event, table.game.match)
            self._note_event(table, before, table.game.event, table.game.match)
            _append(table.story, table.heard_ns // NS_PER_MS, table.at_ns, before, table.game.match)

    def _note_event(self, table: _Table, before: MatchState | None, event: Event, match: MatchState) -> None:
        table.at_ns = event.at_ns
        was_held, is_held = (state is not None and state.phase is Phase.HOLD for state in (before, match))
        if not is_held and (was_held or isinstance(event, ArbiterOrder)):
            table.called_ns = None
        # an arbiter who stops a clock himself was not called
        called = is_held and not was_held and not _is_his_own(event)
        if table.called_ns is None and (called or any(isinstance(one, CallArbiter) for one in table.game.effects)):
            table.called_ns = table.heard_ns

    def _view(self, number: int) -> TableView:
        picture, table = self._seen_now(number), self._tables[number]
        health, offset_ms, silent_ms = table.health, table.offset_ms, self._silent_ms(table)
        inside = replace(picture.inside, health=health, silent_ms=silent_ms, offset_ms=offset_ms)
        return replace(picture, inside=inside)

    def _seen_now(self, number: int) -> TableView:
        with self._lock:  # one table at a time, so that no record waits for other tables' views
            table = self._tables[number]
            picture = table.picture or self._picture(number, table)
            link, unsynced = self._link(table), table.health.unsynced if table.health else 0
            if picture.link != link or picture.unsynced != unsynced:
                picture = replace(picture, link=link, unsynced=unsynced)
            table.picture = picture
            return picture

    def _picture(self, number: int, table: _Table) -> TableView:
        game, match = table.game.assignment, table.game.match
        if game is None or match is None:
            return TableView(number, lost_sight=table.lost_sight)
        return TableView(
            number,
            lost_sight=table.lost_sight,
            game=game.game,
            phase=match.phase.value,
            sides=table_view_data.sides_of(game, match, table.game.player_at, table.at_ns),
            heard_ms=table.heard_ns // NS_PER_MS,
            move_number=match.move_number if match.turns or match.pending or match.running() else None,
            board=match.board,
            turns=match.turns,
            times=table.times.of(match),
            start_board=match.start_board,
            clock=match.clock,
            draw_right=match.draw_right,
            story=tuple(table.story),
            called_ms=None if table.called_ns is None else table.called_ns // NS_PER_MS,
            revision=match.revision,
            score=table_view_data.score_of(match.result),
            findings=match.findings,
            messages=match.shown_to_arbiter,
            inside=table_view_data.StaffDetails(
                challenge=table_view_data.challenge_of(match),
                flags=table_view_data.flags_of(match, table.at_ns),
                orders=possible_orders(match),
                rulings=tuple((ruling.action, ruling.detail, ruling.reason) for ruling in match.arbiter_log),
                late=None if match.late is None else match.late.value,
            ),
        )

    def _runs(self, table: _Table | None, game: str) -> bool:
        if table is None or table.unread:
            return True
        assignment, match = table.game.assignment, table.game.match
        if assignment is None or match is None or assignment.game != game:
            return self._link(table) != "ok"
        return match.clock.running is not None or (match.phase is not Phase.HOLD and self._link(table) != "ok")

    def _silent_ms(self, table: _Table) -> int | None:
        return None if table.seen_ns is None else (self._monotonic_ns() - table.seen_ns) // NS_PER_MS

    def _link(self, table: _Table) -> str:
        if table.seen_ns is None:
            return "red"
        silent_ns = self._monotonic_ns() - table.seen_ns
        return "ok" if silent_ns < AMBER_NS else "amber" if silent_ns < RED_NS else "red"


def _append(story: list[GameSnapshot], heard_ms: int, at_ns: int, before: MatchState | None, match: MatchState) -> None:
    """Add the next moment of a game. After a turn was taken back, its moments are removed."""
    turns = len(match.turns)
    if before is not None and before.turns and match.turns[: len(before.turns)] != before.turns:
        same = next((at for at, (a, b) in enumerate(zip(before.turns, match.turns, strict=False)) if a != b), turns)
        story[:] = [moment for moment in story if moment.turns <= same]
    if len(story) > 1 and story[-2].turns == story[-1].turns and heard_ms - story[-1].heard_ms < TOGETHER_MS:
        del story[-1]  # a press and the board after it: one moment is kept per turn
    story.append(GameSnapshot(heard_ms, at_ns, match.clock, match.phase, turns, match.result))


def _is_his_own(event: Event) -> bool:
    """Check whether an arbiter did it; a hold by which a table calls him, in FREE and FINISH or when the power failed,
    does not count.
    """
    if not isinstance(event, ArbiterOrder):
        return False
    return event.action is not Action.HOLD or event.reason not in HOLDS_WITHOUT_ORDER
