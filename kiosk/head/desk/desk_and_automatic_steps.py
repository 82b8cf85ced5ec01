"""The desk over a store: its acts by area, and the automatic steps.

Every automatic step (a queued game gets a free table; in automatic mode the next round is published) is derived from
the state by ``process_pending``, so it happens exactly once even if the head is killed in between.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace

from engine.i18n import Text, say, text_of
from kiosk.head.component_signals import Signals
from kiosk.head.desk.act_commit_and_games_claimed_by_tables import EventCore, ReportedGames
from kiosk.head.desk.arbiter_orders_and_notes import Orders
from kiosk.head.desk.background_pairings_and_standings import QUICK, Calculations
from kiosk.head.desk.players_teams_and_lots import Players
from kiosk.head.desk.resolve_games_missing_after_restore import ClaimResolver
from kiosk.head.desk.result_entry_and_correction import Results
from kiosk.head.desk.round_draft_publish_amend_undo import Rounds
from kiosk.head.desk.table_assignment import TableAssigner
from kiosk.head.desk.tournament_and_divisions import Divisions
from kiosk.head.desk.undo import UndoAct
from kiosk.head.errors import HeadError
from kiosk.head.event.act_types import NoticesFirstShown
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.pairings_standings_and_correction_impact import ExplainedStandings, explained_standings
from kiosk.head.event.table_result_cards_and_notices import READ
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.head.store import Store, StoredRecord
from kiosk.stoppable_thread import StoppableThread


class Desk:
    """The desk. Methods may be called from any thread; each act returns after its commit."""

    def __init__(
        self,
        store: Store,
        tables: Iterable[int],
        signals: Signals | None = None,
        *,
        auto: bool = False,
        startup_sync: StartupSync | None = None,
        quick: float = QUICK,
    ) -> None:
        """``tables``: the numbers of the kiosks. ``auto``: rounds are published automatically where a division does not
        say otherwise. ``startup_sync``: until it is over, no automatic step runs. ``quick``: as in ``Calculations``.
        """
        self._signals = signals or Signals()
        self._begun = ReportedGames(lambda: store.restored_after)
        self.core = core = EventCore(store, tables, self._signals, self._begun)
        self.default_auto = auto
        self._startup_sync = startup_sync
        self.calculations = Calculations(self._signals.state_changed, quick)
        #: by transcript, the proved scores of its last positions, the last position first
        #: (``kiosk.head.export.endgame_analysis``)
        self.endings: Mapping[str, tuple[int, ...]] = {}
        games = [*store.records(type="assigned"), *store.records(type="withdrawn")]
        self._begun.ingest(sorted(games, key=lambda record: record.arrival))
        self.seating = TableAssigner(core, self._begun)
        self.divisions = Divisions(core)
        self.players = Players(core, self.seating)
        self.rounds = Rounds(core, self.seating, self.calculations, self._begun)
        self.claims = ClaimResolver(core, self.seating, self._begun, lambda: self.automatic_steps_run)
        self.results = Results(core, self.seating, self.calculations)
        self.orders = Orders(core)
        self.undo = UndoAct(core, self.seating)
        self._steps_have_begun = self.automatic_steps_run
        core.lock.follow = self.seating.seat_queued

    @property
    def state(self) -> TournamentState:
        return self.core.state

    @property
    def tables(self) -> tuple[int, ...]:
        return self.core.tables

    @property
    def is_restored(self) -> bool:
        """Check whether the store came from a backup."""
        return self._begun.is_restored

    @property
    def may_lack_rounds(self) -> bool:
        """Check whether the store came from a backup and has published no round of its own in some division."""
        return self.is_restored and any(map(self._begun.counts, self.state.divisions))

    def note(self, sentence: Text) -> None:
        """Show the operator what could not be done automatically, until the next change."""
        self.core.note("", sentence)

    def problem(self, slug: str = "") -> Text | str:
        """Return what prevents a division, or the whole tournament, from continuing; empty if nothing does."""
        return self.core.problems.get(slug, "")

    def auto(self, division: DivisionState) -> bool:
        """Check whether the division's next round is published automatically. Round 1 is not while players are being
        entered, nor a round that was taken back: a person corrects it first.
        """
        wanted = self.default_auto if division.auto is None else division.auto
        return wanted and not division.edition and (bool(division.rounds) or division.came_whole)

    def is_open(self, game: str) -> bool:
        """Check whether a game still has to be played."""
        found = self.state.game(game)
        return found is not None and found.is_open

    def seat_of(self, game: str) -> int | None:
        """Return the table that a game was given."""
        found = self.state.game(game)
        return None if found is None else found.table

    @property
    def automatic_steps_run(self) -> bool:
        """Check whether automatic steps run: a head that has just started first waits for its tables."""
        return self._startup_sync is None or self._startup_sync.over(self.tables)

    def game_at(self, table: int) -> HeadGame | None:
        """Return the open game at a table."""
        return self.core.game_at(table)

    def ask_ranking(self, slug: str | None = None) -> Future[ExplainedStandings]:
        """Return a division's standings after its last finished round."""
        division = self.state.division(slug)
        finished = division.rounds[: division.finished_rounds]
        depends = replace(division.event, rounds=()), division.missed_until, finished
        return self.calculations.ask(division, "ranking", explained_standings, division.whole(), depends=depends)

    def collect(self, records: Sequence[StoredRecord]) -> None:
        """Note committed cards and games begun for the next ``advance``. Never waits, because a table's acknowledgement
        must not.
        """
        cards = [record for record in records if record.type in READ]
        for card in cards:
            self.seating.note_card(card.table)
        self.core.note_records(cards)
        if self._begun.ingest(records) or cards:
            self._signals.records_received()

    def add_table(self, table: int) -> None:
        """Give games to a table from now on, because it has a key."""
        self.core.add_table(table)
        self._signals.records_received()

    def process_pending(self) -> None:
        """Apply the cards that arrived, seat queued games, compute the next rounds and, in automatic mode, publish
        them; do nothing where nothing is due.
        """
        with self.core.lock:
            if self.core.has_arrived:
                self.core.refold()
        if not self.automatic_steps_run:
            return
        self._note_times()
        self.seating.seat_queued()
        for slug in tuple(self.state.divisions):
            while self.publish_next_round(slug):
                pass

    def _note_times(self) -> None:
        """Write down when the head first had the state it shows."""
        with self.core.lock:
            if new := [notice.key for notice in self.state.notices if not notice.at and notice.kind != "more"]:
                self.core.act(NoticesFirstShown(tuple(new)))

    def periodic_check(self, game_at: Callable[[int], str | None]) -> None:
        """Do what is due without any change: continue after the startup, and assign refused games again.

        ``game_at``: the game that a table reports.
        """
        if not self._steps_have_begun and self.automatic_steps_run:
            self._steps_have_begun = True
            self._signals.state_changed()
            self.process_pending()
        self.seating.reassign_refused(game_at)

    def publish_next_round(self, slug: str) -> bool:
        """Publish the next round of a division if it is due; return whether to check again."""
        division = self.state.divisions.get(slug)
        if division is None or not division.round_is_complete or not division.event.players:
            return False
        begun = self._begun.games_of_next_round(division)
        decided = not any(map(self._begun.waits, begun))
        try:
            if not (decided if begun else self.auto(division)):
                self.rounds.ask_draft(slug)  # so that it is ready when somebody opens the page
                return False
            return self.rounds.publish_if_due(division, self.rounds.draft(slug))
        except HeadError as error:  # the event is over, or the operator must decide
            self.core.note(slug, text_of(error))
            return False


# Waiting of a restarted head for the records of its tables; no automatic step runs before every table has sent them.
#
# A head that starts may know less than its tables, because it was restored from an older backup or lost its disk; it
# must not publish or seat what tables may have played already. A silent table delays the start for a limited time only.

#: time within which every table reconnects after the head's start (docs/rules/FAULTS.md, row 10)
STARTUP_SYNC_S = 15.0

WAITING = say("Waiting for the tables to send their records; automatic steps are paused until then (15 s at most).")


class StartupSync:
    """The waiting of one start. ``wait_s`` 0: no waiting. ``has_sent_all_records``: whether the head has all
    records of a table.
    """

    def __init__(
        self,
        wait_s: float,
        has_sent_all_records: Callable[[int], bool],
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._until_s = monotonic_s() + wait_s
        self._has_sent_all_records = has_sent_all_records
        self._monotonic_s = monotonic_s
        self._over = wait_s <= 0

    def over(self, tables: Collection[int]) -> bool:
        """Check whether the waiting is over; it stays over. ``tables``: those that have a key."""
        if not self._over:
            self._over = self._monotonic_s() >= self._until_s or all(map(self._has_sent_all_records, tables))
        return self._over


# The thread of the automatic steps: it seats queued games and, in automatic mode, publishes rounds.
#
# It is only notified that something changed and derives its work from the state, so a lost or repeated notification
# changes nothing, and no table waits for a pairing.

#: interval of the check for refused assignments
TICK_S = 2.0


class AutoAdvanceThread(StoppableThread):
    """A thread that calls ``advance`` once after one or more calls of ``wake``, and ``tick`` when there is none for
    two seconds.
    """

    def __init__(
        self,
        advance: Callable[[], None],
        tick: Callable[[], None] = lambda: None,
        on_trouble: Callable[[Text], None] = lambda sentence: None,
    ) -> None:
        """``on_trouble``: receives why something could not be done; it is tried again with the next wake."""
        super().__init__("head-worker", None)
        self._advance = advance
        self._tick = tick
        self._on_trouble = on_trouble
        self._signal = threading.Event()

    def wake(self) -> None:
        self._signal.set()

    def close(self) -> None:
        """Finish the current work, then stop."""
        self._stopping.set()
        self._signal.set()
        super().close()

    def _run(self) -> None:
        while not self._stopping.is_set():
            signalled = self._signal.wait(TICK_S)
            self._signal.clear()
            if self._stopping.is_set():
                return
            self.turn(signalled)

    def turn(self, signalled: bool) -> None:
        """Run one step: after ``wake``, or because there was none for ``TICK_S``."""
        try:
            (self._advance if signalled else self._tick)()
        except HeadError as error:
            self._on_trouble(text_of(error))
