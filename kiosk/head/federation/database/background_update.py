"""Updates the federation's database while the head runs, in a thread of its own.

- A push never waits for it, and it uses at most a fifth of the time, so that other venues' pushes are hardly delayed.
- What is left to do follows from what is missing in the database; nothing else is stored. A restart continues where the
  last run stopped, and an emptied database is filled again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Connection, Engine, or_, select
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError

from engine.i18n import Text, say
from engine.tournament import TournamentError
from kiosk.head.errors import HeadError, StoreError
from kiosk.head.event.tournament_state_from_events import fold as state_of
from kiosk.head.federation import venue_row_store, venue_trail_and_game_index
from kiosk.head.federation.database import database_schema as db
from kiosk.head.federation.database import row_builder, season_rankings, tournament_writer
from kiosk.head.federation.database.connection_and_tables import clear, lock
from kiosk.head.federation.database.person_registry_and_identity_decisions import PersonRegistry
from kiosk.head.federation.database.season_rankings import Season, SeasonRules, ranking_of
from kiosk.head.federation.live_venue_state_and_sender_checks import Reading, Venue, trail_and_cards

log = logging.getLogger(__name__)

#: in place of a venue: check all events
_EVERY = ""
#: seconds for which a venue's rows are gathered, and units of rest per unit of work
GATHER_S, REST = 0.5, 4
RETRY_S = 5.0


class Projection:
    """The updating thread. May be used from any thread. ``venue_of``: a venue's folded state; ``is_shown``: whether its
    events may be shown; ``rankings``: the rules of seasons.
    """

    def __init__(
        self,
        reading: Reading,
        engine: Engine,
        register: PersonRegistry,
        venue_of: Callable[[str], Venue | None],
        on_change: Callable[[], None] = lambda: None,
        is_shown: Callable[[str], bool] = lambda venue: True,
        rankings: Sequence[SeasonRules] = (),
    ) -> None:
        self._reading, self.engine, self.register = reading, engine, register
        self.rankings = rankings
        self._venue_of, self._is_shown, self._on_change = venue_of, is_shown, on_change
        self._due: dict[str, bool] = {}
        self._seasons: dict[str, Season] = {}
        self._ranking = threading.Lock()
        self._rebuilds = 0
        self._wake = threading.Condition()
        register.decided = self.note_anonymised
        self._open = True
        #: why nothing is written at present
        self.trouble: Text | None = None
        self._thread = threading.Thread(target=self._run, name="federation-database", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stop; unfinished work is done after the next start."""
        with self._wake:
            self._open = False
            self._wake.notify()
        if self._thread.ident is not None:
            self._thread.join()
        self.engine.dispose()

    def note_rows(self, venue: str, makes_event: bool) -> None:
        """Note that rows were committed, some of which events may be made of."""
        with self._wake:
            self._due[venue] = self._due.get(venue, False) or makes_event
            self._wake.notify()

    def note_standing(self, venue: str) -> None:
        """Apply that a venue was banned or readmitted before this returns; if the database cannot be written, the
        thread does it.
        """
        try:
            with self.engine.begin() as c:
                lock(c)
                tournament_writer.upsert_venue(c, self.register, venue, shown=self._is_shown(venue))
        except SQLAlchemyError as error:
            log.warning("whether %s is shown is not in the federation's database yet: %r", venue, error)
        with self._ranking:
            self._seasons.clear()
        self.note_rows(venue, False)

    def season(self, rules: SeasonRules) -> Season:
        """Return a season as of the last change; the thread computes it, so nobody waits for it."""
        made = self._seasons.get(rules.key)
        return made if made is not None and self._thread.is_alive() else self._rank(rules)

    def _rank(self, rules: SeasonRules) -> Season:
        with self._ranking, self.engine.connect() as c:  # concurrent callers wait for one computation
            stamp = (*season_rankings.stamp(c, rules), self.register.people.acts, self._rebuilds)
            made = self._seasons.get(rules.key)
            if made is None or made.stamp != stamp:
                results, unknown = season_rankings.results(c, rules)
                made = self._seasons[rules.key] = Season(stamp, ranking_of(rules, results), unknown)
        return made

    def _rank_all(self) -> None:
        for rules in self.rankings:
            self._rank(rules)

    def note_anonymised(self) -> None:
        """Note that a person was anonymised or got another identity."""
        self.note_rows(_EVERY, False)

    def _run(self) -> None:
        caught_up, due = False, None
        while self._open:
            began = time.monotonic()
            try:
                if not caught_up:
                    self._rank_all()
                    caught_up = self.catch_up()
                elif due := due or self._next():
                    self._follow(*due)
                self._rank_all()
                due, self.trouble = None, None
            except (SQLAlchemyError, StoreError) as error:
                self.trouble = say(
                    "the federation's database cannot be written ({why}); see that the server runs",
                    why=" ".join(str(error.__cause__ or error).split()),
                )
                log.warning("%s", self.trouble)
                self._sleep(RETRY_S)
            else:
                self._sleep(min(REST * (time.monotonic() - began), RETRY_S))

    def _sleep(self, seconds: float) -> None:
        with self._wake:
            self._wake.wait_for(lambda: not self._open, seconds)

    def _next(self) -> tuple[str, bool] | None:
        """Return the venue that has waited longest, after its rows were gathered for a moment; None: stop."""
        with self._wake:
            self._wake.wait_for(lambda: self._due or not self._open)
        self._sleep(GATHER_S)
        with self._wake:
            if not self._open:
                return None
            name = next(iter(self._due))
            return name, self._due.pop(name)

    def _follow(self, name: str, makes_event: bool) -> None:
        """Process a venue's new rows: its present trail, which is folded already."""
        if name == _EVERY:
            self._rebuild_anonymised()
        venue = self._venue_of(name)
        if venue is None or venue.last_contact is None:
            return
        records, state, entries, trail = venue.records, venue.state, venue.events, venue.last_contact.trail
        with self._open_both(name, records) as (store, c):
            if not makes_event or not entries:  # records may arrive before the entries that they belong to
                return
            rankings = {slug: venue.ranking(slug) for slug in state.divisions}
            here = select(db.events.c.entries).where(db.events.c.venue == name, db.events.c.trail == trail)
            rulings, first = tournament_writer.rulings_after(store, name, trail, c.execute(here).scalar() or 0)
            self._tournament_writer(store, c, name, trail).write(state, entries, first, rulings, rankings)

    def _rebuild_anonymised(self) -> None:
        """Rebuild the events of anonymised persons."""
        self._rebuilds += 1
        player = db.players.c
        with self._reading() as store, self.engine.connect() as c:
            hidden = venue_row_store.anonymised(store)
            if not hidden.digests:
                return
            names = c.execute(select(player.name, player.latin).distinct()).all()
            found = {one for row in names for one in row if one in hidden}
            events = select(db.events.c.venue, db.events.c.trail).select_from(
                db.players.join(db.divisions).join(db.events)
            )
            trails = c.execute(events.where(or_(player.name.in_(found), player.latin.in_(found))).distinct()).all()
        for venue, trail in trails:
            with self._open_both(venue) as (store, c):
                self._fold(store, c, venue, trail)

    def catch_up(self, tell: Callable[[str, str], None] = lambda venue, trail: None) -> bool:
        """Process all that is missing, trail by trail, in the order in which they were extended; return False if it was
        stopped."""
        with self._reading() as store, self.engine.connect() as c:
            kept = sorted(venue_trail_and_game_index.trails(store), key=lambda one: one.last_at)
            records = {name: venue_trail_and_game_index.count(store, name)[1] for name in {one.venue for one in kept}}
            done = {(venue, trail): entries for venue, trail, entries in c.execute(_DONE)}
            folded = {row.name: row.records for row in c.execute(_FOLDED)}
        self._rebuild_anonymised()
        with self.engine.begin() as c:  # numbers from before there was a register
            lock(c)
            player = db.players.c
            self.register.settle(
                c, player.person_id.is_(None), or_(player.national.is_not(None), player.wof.is_not(None))
            )
            for name in folded:  # it may have been decided just before the head was killed
                tournament_writer.upsert_venue(c, self.register, name, shown=self._is_shown(name))
        for one in kept:
            name, trail = one.venue, one.trail
            # results may have arrived for events that exist already
            fresh = trail == self._current_trail(name) and folded.get(name) != records[name]
            if done.get((name, trail), 0) >= one.entries and not fresh:
                continue
            if not self._open:
                return False
            began = time.monotonic()
            with self._open_both(name, records[name] if trail == self._current_trail(name) else None) as (store, c):
                self._fold(store, c, name, trail)
            tell(name, trail)
            if self._thread.ident is not None:
                self._sleep(min(REST * (time.monotonic() - began), RETRY_S))
        return self._open

    def _fold(self, store: Connection, c: Connection, venue: str, trail: str) -> None:
        """Fold a trail from its beginning."""
        events, cards = trail_and_cards(store, venue, trail)
        state = state_of(events, cards)
        rankings = {slug: row_builder.standings_or_none(division) for slug, division in state.divisions.items()}
        rulings = [one for one in events if one.kind in row_builder.DESK]
        writer = self._tournament_writer(store, c, venue, trail)
        writer.write(state, events[-1].number, events[0].at, rulings, rankings)

    def _tournament_writer(
        self, store: Connection, c: Connection, venue: str, trail: str
    ) -> tournament_writer.TournamentWriter:
        return tournament_writer.TournamentWriter(
            store, c, self.register, venue, trail, self._current_trail(venue), datetime.now().year
        )

    def _current_trail(self, name: str) -> str:
        """Return the trail that is still growing; empty: none is."""
        venue = self._venue_of(name)
        return venue.last_contact.trail if venue is not None and venue.last_contact is not None else ""

    @contextmanager
    def _open_both(self, venue: str, records: int | None = None) -> Iterator[tuple[Connection, Connection]]:
        """Open the store for reading and the database for writing, in one transaction. ``records``: number of the
        venue's records processed by it; None: unchanged. Rows that no event can be made of are left out and logged;
        they are tried again with the venue's next rows.
        """
        try:
            with self._reading() as store, self.engine.begin() as c:
                lock(c)
                tournament_writer.upsert_venue(c, self.register, venue, records, shown=self._is_shown(venue))
                yield store, c
        except (*_UNUSABLE, DBAPIError) as error:
            if not _is_of_the_rows(error):
                raise
            log.warning("an event of %s is not in the federation's database: %r", venue, error)
        else:
            self._on_change()


_UNUSABLE = (HeadError, TournamentError, LookupError, TypeError, ValueError, AttributeError)


def _is_of_the_rows(error: Exception) -> bool:
    """Check whether the database works but cannot hold the rows' values; PostgreSQL's class 54: a name too long for an
    index. The store raises errors of either connection as its own.
    """
    cause = error.__cause__ if isinstance(error, StoreError) else error
    if not isinstance(cause, SQLAlchemyError):
        return True
    state = getattr(getattr(cause, "orig", None), "sqlstate", None) or ""
    return isinstance(cause, DataError | IntegrityError) or state.startswith("54")


_FOLDED = select(db.venues.c.name, db.venues.c.records)
_DONE = select(db.events.c.venue, db.events.c.trail, db.events.c.entries)


def empty(engine: Engine) -> None:
    """Delete all derived rows; settings stay."""
    with engine.begin() as c:
        lock(c)
        clear(c)
