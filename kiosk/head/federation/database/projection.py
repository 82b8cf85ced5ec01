"""Keeps the federation's database up to date while the head runs, in a thread of its own.

The law: a push never waits for it, and it takes a fifth of the time at most, so that the pushes of other venues hardly
notice. What it has not done yet is what is missing in the database; nothing else is noted, so a start goes on where the
last one stopped, and a database that was emptied is filled again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import Connection, Engine, or_, select, text
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError

from engine.text import Text, say
from engine.tournament import TournamentError
from kiosk.head.errors import HeadError
from kiosk.head.federation import rows
from kiosk.head.federation.database import fold, keep
from kiosk.head.federation.database import schema as db
from kiosk.head.federation.database.place import lock
from kiosk.head.federation.database.register import Register
from kiosk.head.federation.seasons import Ranking
from kiosk.head.federation.venue import Reading, Venue
from kiosk.head.federation.wire import RecordRow

log = logging.getLogger(__name__)

#: no venue: everybody's events are looked at
_EVERY = ""
#: a venue's rows are gathered for so long; of the time that passes, so many parts of one are for others
GATHER_S, REST = 0.5, 4
RETRY_S = 5.0


class Projection:
    """May be used from any thread. ``venue_of``: a venue as the federation has folded it; ``is_shown``: whether people
    may see its events; ``rankings``: the rules of seasons."""

    def __init__(
        self,
        reading: Reading,
        engine: Engine,
        register: Register,
        venue_of: Callable[[str], Venue | None],
        on_change: Callable[[], None] = lambda: None,
        is_shown: Callable[[str], bool] = lambda venue: True,
        rankings: Sequence[Ranking] = (),
    ) -> None:
        self._reading, self.engine, self.register = reading, engine, register
        self.rankings = rankings
        self._venue_of, self._is_shown, self._on_change = venue_of, is_shown, on_change
        self._due: dict[str, dict[tuple[int, str], int]] = {}
        self._wake = threading.Condition()
        self._open = True
        #: why nothing is written at present
        self.trouble: Text | None = None
        self._thread = threading.Thread(target=self._run, name="federation-database", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Leaves for the next start what is not done."""
        with self._wake:
            self._open = False
            self._wake.notify()
        if self._thread.ident is not None:
            self._thread.join()
        self.engine.dispose()

    def took(self, venue: str, records: Sequence[RecordRow]) -> None:
        """These rows were just committed, or whether the venue is shown was decided."""
        with self._wake:
            due = self._due.setdefault(venue, {})
            for row in records:
                due[row.table, row.epoch] = row.seq
            self._wake.notify()

    def hide(self) -> None:
        """Somebody is shown no more."""
        self.took(_EVERY, ())

    def _run(self) -> None:
        caught_up, due = False, None
        while self._open:
            began = time.monotonic()
            try:
                if not caught_up:
                    caught_up = self.catch_up()
                elif due := due or self._next():
                    self._follow(*due)
                due, self.trouble = None, None
            except SQLAlchemyError as error:
                self.trouble = say(
                    "the federation's database cannot be written ({why}); see that the server runs",
                    why=" ".join(str(error.__cause__ or error).split()),
                )
                log.warning("%s", self.trouble)
                self._rest(RETRY_S)
            else:
                self._rest(min(REST * (time.monotonic() - began), RETRY_S))

    def _rest(self, seconds: float) -> None:
        with self._wake:
            self._wake.wait_for(lambda: not self._open, seconds)

    def _next(self) -> tuple[str, dict[tuple[int, str], int]] | None:
        """The venue that has waited longest, once its rows were gathered for a moment; None: it is to stop."""
        with self._wake:
            self._wake.wait_for(lambda: self._due or not self._open)
        self._rest(GATHER_S)
        with self._wake:
            if not self._open:
                return None
            name = next(iter(self._due))
            return name, self._due.pop(name)

    def _follow(self, name: str, journals: dict[tuple[int, str], int]) -> None:
        """What is new of a venue: its present trail, as it is folded already."""
        if name == _EVERY:
            self._hide()
        venue = self._venue_of(name)
        if venue is None or venue.heard is None:
            return
        state, entries, trail = venue.state, venue.events, venue.heard.trail
        rankings = {slug: venue.ranking(slug) for slug in state.divisions}
        with self._writing(name) as (store, c):
            keep.look_at(store, c, name, [(*one, last) for one, last in journals.items()])
            here = select(db.events.c.entries).where(db.events.c.venue == name, db.events.c.trail == trail)
            rulings, first = keep.new_events(store, name, trail, c.execute(here).scalar() or 0)
            self._gathering(store, c, name, trail).write(state, entries, first, rulings, rankings)

    def _hide(self) -> None:
        """The events of people who are shown no more are made again."""
        player = db.players.c
        with self._reading() as store, self.engine.connect() as c:
            hidden = rows.anonymised(store)
            if not hidden.digests:
                return
            names = c.execute(select(player.name, player.latin).distinct()).all()
            gone = {one for row in names for one in row if one in hidden}
            events = select(db.events.c.venue, db.events.c.trail).select_from(
                db.players.join(db.divisions).join(db.events)
            )
            trails = c.execute(events.where(or_(player.name.in_(gone), player.latin.in_(gone))).distinct()).all()
        for venue, trail in trails:
            with self._writing(venue) as (store, c):
                self._fold(store, c, venue, trail)

    def catch_up(self, tell: Callable[[str, str], None] = lambda venue, trail: None) -> bool:
        """Does all that is missing, trail by trail, in the order in which they were added to; False: it was stopped."""
        with self._reading() as store, self.engine.connect() as c:
            trails = list(keep.trails(store))
            done = {(venue, trail): entries for venue, trail, entries in c.execute(_DONE)}
        self._hide()
        with self.engine.begin() as c:  # who had a number before there was a register
            lock(c)
            player = db.players.c
            self.register.settle(
                c, player.person_id.is_(None), or_(player.national.is_not(None), player.wof.is_not(None))
            )
        for name in sorted({one[0] for one in trails}):
            with self._writing(name) as (store, c):
                fresh = keep.look_at(store, c, name, rows.have(store, name, "").records)
                live = self._live(name)
                if fresh and done.get((name, live)):  # results that came for what is there already
                    self._fold(store, c, name, live)
        for name, trail, last, _ in sorted(trails, key=lambda one: one[3]):
            if done.get((name, trail), 0) >= last:
                continue
            if not self._open:
                return False
            began = time.monotonic()
            with self._writing(name) as (store, c):
                self._fold(store, c, name, trail)
            tell(name, trail)
            if self._thread.ident is not None:
                self._rest(min(REST * (time.monotonic() - began), RETRY_S))
        return self._open

    def _fold(self, store: Connection, c: Connection, venue: str, trail: str) -> None:
        """A trail from its beginning."""
        state, events = keep.state_of(store, c, venue, trail)
        rankings = {slug: fold.ranked(division) for slug, division in state.divisions.items()}
        rulings = [one for one in events if one.kind in fold.DESK]
        gathering = self._gathering(store, c, venue, trail)
        gathering.write(state, events[-1].number, events[0].at, rulings, rankings)

    def _gathering(self, store: Connection, c: Connection, venue: str, trail: str) -> keep.Gathering:
        return keep.Gathering(store, c, self.register, venue, trail, self._live(venue), datetime.now().year)

    def _live(self, name: str) -> str:
        """The trail that goes on; empty: none does."""
        venue = self._venue_of(name)
        return venue.heard.trail if venue is not None and venue.heard is not None else ""

    @contextmanager
    def _writing(self, venue: str) -> Iterator[tuple[Connection, Connection]]:
        """The store to read, and the database to write, all or nothing. Rows that no event can be made of are left
        out and named in the log; they are tried again with the venue's next ones."""
        try:
            with self._reading() as store, self.engine.begin() as c:
                lock(c)
                keep.know(c, venue, shown=self._is_shown(venue))
                yield store, c
        except (*_UNUSABLE, DataError, IntegrityError) as error:
            log.warning("an event of %s is not in the federation's database: %r", venue, error)
        else:
            self._on_change()


_UNUSABLE = (HeadError, TournamentError, LookupError, TypeError, ValueError, AttributeError)
_DONE = select(db.events.c.venue, db.events.c.trail, db.events.c.entries)


def empty(engine: Engine) -> None:
    """Takes away all that is made from the venues' rows; settings stay."""
    with engine.begin() as c:
        lock(c)
        if c.dialect.name == "postgresql":
            c.execute(text(f"TRUNCATE {', '.join(table.name for table in db.DERIVED)}"))
        else:
            for table in db.DERIVED:
                c.execute(table.delete())
