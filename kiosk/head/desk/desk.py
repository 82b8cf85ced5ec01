"""The desk over a store: its acts by area, and what follows by itself.

The law: everything that follows by itself (a queued game gets a free table, in automatic mode the next round is
published) is worked out again from the state by ``advance``, so it happens once, also when the head was killed in the
middle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future

from kiosk.head.desk.begun import Told
from kiosk.head.desk.calculations import Thinking
from kiosk.head.desk.core import Core
from kiosk.head.desk.divisions import Divisions
from kiosk.head.desk.orders import Orders
from kiosk.head.desk.players import Players
from kiosk.head.desk.results import Results
from kiosk.head.desk.rounds import Rounds
from kiosk.head.desk.seating import Seating
from kiosk.head.errors import HeadError
from kiosk.head.event.games import HeadGame
from kiosk.head.event.pairing import Ranking, ranking_of
from kiosk.head.event.state import DivisionState, HallState
from kiosk.head.store import Store, StoredRecord


class Desk:
    """Methods may be called from any thread; each act returns after its commit."""

    def __init__(
        self,
        store: Store,
        tables: Iterable[int],
        *,
        auto: bool = False,
        on_change: Callable[[], None] = lambda: None,
        thinking: Thinking | None = None,
    ) -> None:
        """``tables``: the numbers of the kiosks. ``auto``: rounds publish themselves where no division says
        otherwise."""
        self.core = core = Core(store, tables, on_change)
        self.default_auto = auto
        self.thinking = thinking or Thinking(on_change)
        self._told = Told()
        games = [*store.records(type="assigned"), *store.records(type="withdrawn")]
        self._told.take(sorted(games, key=lambda record: record.arrival))
        self.seating = Seating(core, self._told)
        self.divisions = Divisions(core)
        self.players = Players(core, self.seating)
        self.rounds = Rounds(core, self.seating, self.thinking, self._told)
        self.results = Results(core, self.seating, self.thinking)
        self.orders = Orders(core)
        #: whether things go on by themselves: a head that has just started hears its tables out first
        self.may_go_on: Callable[[], bool] = lambda: True
        #: told that something was done, for what takes longer
        self.on_act: Callable[[], None] = lambda: None
        core.after_act = self._after_act

    @property
    def state(self) -> HallState:
        return self.core.state

    @property
    def tables(self) -> tuple[int, ...]:
        return self.core.tables

    def problem(self, slug: str = "") -> str:
        """What keeps a division, or the whole hall, from going on; empty: nothing."""
        return self.core.problems.get(slug, "")

    def auto(self, division: DivisionState) -> bool:
        """Whether the division's next round publishes itself. Round 1 never does while players are being entered."""
        wanted = self.default_auto if division.auto is None else division.auto
        return wanted and (bool(division.rounds) or division.came_whole)

    def game_at(self, table: int) -> HeadGame | None:
        """The open game at a table."""
        return self.core.game_at(table)

    def ask_ranking(self, slug: str | None = None) -> Future[Ranking]:
        """A division's standings after its last finished round."""
        division = self.state.division(slug)
        event = division.event_file()
        finished = len(division.rounds) if division.round_is_complete else len(division.rounds) - 1
        depends = (division.event, division.withdrawn, division.missed_until, division.rounds[:finished])
        return self.thinking.ask(division, "ranking", ranking_of, event, depends=depends)

    def collect(self, records: Sequence[StoredRecord]) -> bool:
        """Notes committed cards and games begun for the next ``advance``; gives whether there is one. Never waits: a
        table's acknowledgement must not."""
        cards = [record for record in records if record.type == "card"]
        self.core.arrived(cards)
        return self._told.take(records) or bool(cards)

    def _after_act(self) -> None:
        self.seating.seat_queued()
        self.on_act()

    def advance(self) -> None:
        """Takes the cards that came, seats queued games, thinks about the next rounds and, in automatic mode,
        publishes them; does nothing where nothing is due."""
        with self.core.lock:
            if self.core.has_arrived:
                self.core.refold()
        if not self.may_go_on():
            return
        self.seating.seat_queued()
        for slug in tuple(self.state.divisions):
            while self._follow(slug):
                self.seating.seat_queued()

    def _follow(self, slug: str) -> bool:
        """Publishes the next round of a division if that is due; gives whether to look again."""
        division = self.state.divisions.get(slug)
        if division is None or not division.round_is_complete or not division.event["players"]:
            return False
        automatic = self.auto(division) or bool(self.rounds.begun(division))
        try:
            if not automatic:
                self.rounds.ask_draft(slug)  # ready when somebody looks
                return False
            return self.rounds.follow(division, self.rounds.draft(slug), self.auto(division))
        except HeadError as error:  # the event is over, or the operator must decide
            self.core.note(slug, str(error))
            return False
