"""The federation's end of the connection: accepts the venues' rows, keeps each venue's state, quarantines venues.

A push is answered after its commit, and only if its signature is the venue's. A refused push changes nothing, is shown
at both ends, and does not affect other venues.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

import msgspec
from sqlalchemy import Connection, select
from starlette.routing import BaseRoute

from engine.i18n import Text, say, text_of
from hardware.real_and_simulated_time import TimeBase
from kiosk.errors import InputError
from kiosk.head.component_signals import Signal
from kiosk.head.errors import Conflict, Forbidden, RateLimited
from kiosk.head.event.table_result_cards_and_notices import READ
from kiosk.head.federation import venue_row_store, venue_trail_and_game_index
from kiosk.head.federation.live_venue_state_and_sender_checks import LastContact, Venue
from kiosk.head.federation.omitted_and_anonymised_fields import (
    ANONYMISED,
    DIGEST,
    AnonymisedPersons,
    anonymised_persons_in,
    digest_of,
)
from kiosk.head.federation.player_list_transfer import LOADED, PlayerListPublisher
from kiosk.head.federation.push_protocol import (
    LIST_PATH,
    MAX_BODY,
    MAX_QUESTION,
    PATH,
    Push,
    PushResponse,
    RowRejected,
    ahead_s,
    read_push,
    sealed_route,
    sign,
    verify_signature,
)
from kiosk.head.federation.venue_keys import load_venues
from kiosk.head.federation.venue_row_validation import check
from kiosk.head.federation.venue_trail_and_game_index import TrailSummary
from kiosk.head.hourly_storage_quota_per_key import HourlyQuota
from kiosk.head.store import Store
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.head.store.store_rows import upsert_rows
from kiosk.head.store.store_schema import meta

log = logging.getLogger(__name__)

_META = "venue:"
#: number of trails other than the live ones whose state is cached
_MOST_CACHED = 8
#: number of venues that are loaded in parallel at a start
_PARALLEL_STARTS = 4
_UNKNOWN_VENUE = say("this venue is not known here, or its key is another one; ask the federation for a key file")


class FederationCollector:
    """Collector of the venues' rows. May be used from any thread."""

    def __init__(
        self,
        store: Store,
        keys: Path,
        game_time: TimeBase,
        lists: PlayerListPublisher,
        on_change: Callable[[], None] = lambda: None,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """``keys``: the file of the venues' keys, read again when it has changed.

        :raises InputError: it cannot be used.
        """
        self._store = store
        self._path = keys
        self._stamp = 0
        self._keys: dict[str, bytes] = {}
        self._read_keys()
        self._game_time = game_time
        self._on_change = on_change
        self._lists = lists
        self._monotonic_s = monotonic_s
        #: several times what the venue of a large event has at its end
        self._quota: HourlyQuota[str] = HourlyQuota(500_000, 100_000_000, monotonic_s)
        #: called after the commit of a push, with its venue and whether its rows change an event
        self.rows_accepted: Signal[[str, bool]] = Signal()
        #: called when a venue was banned or readmitted
        self.standing_decided: Signal[[str]] = Signal()
        #: called when a person was anonymised
        self.person_anonymised: Signal[[]] = Signal()
        self._lock = threading.Lock()
        self._venues: dict[str, Venue] = {}
        self._bans = banned_venues(store.operator_events())
        self.anonymised = anonymised_persons_in(store.operator_events())
        self._past_venue = lru_cache(_MOST_CACHED)(self._fold_past_venue)
        with store.reading() as connection:
            venue_trail_and_game_index.build_index(connection.engine)
            contacts = last_contacts(connection)
        for name, contact in contacts.items():
            self._venue(name).last_contact = contact
        # one venue is read while another is folded
        with ThreadPoolExecutor(_PARALLEL_STARTS, "head-venues") as pool:
            list(pool.map(lambda name: self._venue(name).start(), contacts))

    def routes(self) -> list[BaseRoute]:
        return [
            sealed_route(PATH, MAX_BODY, self.key_for, self.collect),
            sealed_route(LIST_PATH, MAX_QUESTION, self.key_for, self.players_for, "application/octet-stream"),
        ]

    def venues(self) -> list[Venue]:
        """Return all venues that have a key or have ever sent something."""
        with self._lock:
            names = sorted({*self._keys, *self._venues})
        return [self._venue(name) for name in names]

    def venue(self, name: str) -> Venue | None:
        with self._lock:
            known = name in self._keys or name in self._venues
        return self._venue(name) if known else None

    def collect(self, name: str, sealed: str, body: bytes) -> tuple[bytes, str]:
        """Process a push; return the answer and its signature.

        :raises Forbidden: it is not the venue's. :raises HeadError: it cannot be read, or is invalid.
        """
        key = self.key_of(name, sealed, body)
        push = read_push(body)
        if push.venue != name:
            log.warning("rows of %.40r came sealed by %s", push.venue, name)
            text = say("{name} has sealed rows of '{venue}'; give each venue a key file of its own")
            raise Forbidden(text(name=name, venue=push.venue[:40]))
        rows = len(push.rows)
        if rows and not self._quota.count(name, [len(body) // rows] * rows, whole=True):
            self._on_change()
            text = say("{name} has sent more than {rows} rows or {mb} MB in an hour; the rest is taken later")
            raise RateLimited(text(name=name, rows=round(self._quota.rows), mb=round(self._quota.size / 1_000_000)))
        venue = self._venue(name)
        with venue.push_lock:
            answer = self._answer_to(venue, push)
        self._on_change()
        reply = msgspec.msgpack.encode(answer)
        return reply, sign(key, push.nonce, reply)

    def troubles(self) -> list[Text]:
        """Return messages for the desk about venues above their quota."""
        return [
            say(
                "The venue {name} sends more than a venue needs. The rest is taken later. Ask there; if its key is in "
                "other hands, put the venue in quarantine and give it a new key.",
                name=name,
            )
            for name in sorted(self._quota.exceeded())
        ]

    def decide(self, venue: Venue, decision: QuarantineDecision, reason: str) -> None:
        """Put a venue in quarantine, remove it or readmit it, with an entry in the audit trail.

        :raises Conflict: it has that status already.
        """
        now = self._bans.get(venue.name)
        if (now.decision if now else QuarantineDecision.RETURNED) is decision:
            raise Conflict.saying("that is already the case; reload the page")
        event = self._store.append(decision, {"venue": venue.name, "reason": reason}).result()
        with self._lock:
            self._bans = {name: one for name, one in self._bans.items() if name != venue.name}
            self._bans |= banned_venues([event])
        self.standing_decided(venue.name)
        self._on_change()

    def anonymise(self, name: str, reason: str) -> None:
        """Anonymise everybody of this name, at all venues, with an entry in the audit trail that does not contain the
        name.

        :raises Conflict: the name is anonymised already.
        """
        if name in self.anonymised:
            raise Conflict.saying("nobody of that name is shown any more")
        event = self._store.append(ANONYMISED, {DIGEST: digest_of(name), "reason": reason}).result()
        with self._lock:
            self.anonymised = AnonymisedPersons(self.anonymised.digests | anonymised_persons_in([event]).digests)
            self._past_venue.cache_clear()
            venues = list(self._venues.values())
        for venue in venues:
            with venue.push_lock:
                venue.start()
        self.person_anonymised()
        self._on_change()

    def ban_of(self, venue: Venue) -> VenueBan | None:
        """Return the venue's quarantine or removal; None: its rows are accepted and shown."""
        return self._bans.get(venue.name)

    def is_shown(self, name: str) -> bool:
        """Check whether a venue's events may be shown."""
        return name not in self._bans

    def note_player_list(self, count: int) -> None:
        """Record in the audit trail that a list of players for the venues was loaded."""
        here = self._lists.current()
        self._store.append(LOADED, {"name": here.name if here else "", "players": count}).result()
        self._on_change()

    def players_for(self, name: str, sealed: str, body: bytes) -> tuple[bytes, str]:
        """Return the list of players as a file for a venue, with a signature of its own.

        :raises HeadError: the request is not the venue's, or there is no list.
        """
        return self._lists.packed(self.key_of(name, sealed, body), name), ""

    def player_list_file(self, venue: Venue) -> bytes:
        """Return the list of players as a file for a memory stick.

        :raises HeadError: the venue has no key, or there is no list.
        """
        if (key := self._keys.get(venue.name)) is None:
            raise Conflict.saying("this venue has no key; make one with kiosk venue new")
        return self._lists.packed(key, venue.name)

    def key_of(self, name: str, sealed: str, body: bytes) -> bytes:
        """Return the key that a body was signed with.

        :raises Forbidden: it is not the venue's, or nothing of the venue is accepted now.
        """
        key = self.key_for(name)
        if not verify_signature(key, "", body, sealed):
            raise self._unknown_venue(name)
        if (found := self._bans.get(name)) is not None:
            raise Forbidden.saying(
                "the federation has accepted no rows from {name} since {at} ({reason}); they are "
                "kept here; contact the federation",
                name=name,
                at=found.at[:16].replace("T", " "),
                reason=found.reason,
            )
        return key

    def key_for(self, name: str) -> bytes:
        """Return the key of a venue, before anything that it sends is read.

        :raises Forbidden: it has none.
        """
        self._read_keys()
        if (key := self._keys.get(name)) is None:
            raise self._unknown_venue(name)
        return key

    def _unknown_venue(self, name: str) -> Forbidden:
        log.warning("rows in the name of %.40r were refused: unknown venue or wrong key", name)
        return Forbidden(_UNKNOWN_VENUE)

    def _answer_to(self, venue: Venue, push: Push) -> PushResponse:
        """Process a verified push.

        :raises HeadError: the push is invalid.
        """
        refused: RowRejected | None = None
        try:
            check(push)
        except RowRejected as error:
            refused = error
        now_s, senders = self._monotonic_s(), venue.senders
        counted = senders.use_ticket(push.sender, push.ticket, now_s)
        all_journals = push.all_journals or not counted
        ingested: venue_row_store.IngestResult | None = None
        if counted and refused is None:
            try:
                ingested = self._ingest(venue, push)
            except RowRejected as error:
                refused = error
        if ingested is None or all_journals:
            journals = None if all_journals else {(row.table, row.epoch) for row in push.records}
            with self._store.reading() as connection:
                ingested = venue_row_store.known_extent(connection, venue.name, push, journals)
        here = self._lists.current()
        answer = PushResponse(
            ingested.last,
            [(*journal, seq) for journal, seq in ingested.ends.items()],
            self._store.wall_clock(),
            ticket=senders.ticket_of(push.sender),
            counted=counted,
            other=ingested.other,
            machines=senders.has_two(now_s),
            players=here.name if here else "",
        )
        if not counted or refused is None:
            return answer
        log.warning("rows of %s were refused: %s", venue.name, refused)
        venue.add_rejection(refused)
        return msgspec.structs.replace(answer, refused=text_of(refused), source=refused.source, number=refused.number)

    def _ingest(self, venue: Venue, push: Push) -> venue_row_store.IngestResult:
        """Add the rows of a push.

        :raises RowRejected: a row does not fit.
        """
        before = venue.last_contact.trail if venue.last_contact else None

        def job(connection: Connection) -> tuple[LastContact, venue_row_store.IngestResult]:
            ingested = venue_row_store.ingest(connection, venue.name, push)
            # what is shown is the trail that was extended last
            trail = push.trail if before is None or ingested.events else before
            own = push.stand.last if push.stand and ingested.other else 0
            at = self._store.wall_clock()
            contact = LastContact(at, trail, push.waiting, ahead_s(push.sent_at, at), own)
            upsert_rows(connection, meta, [{"key": _META + venue.name, "value": json.dumps(asdict(contact))}])
            return contact, ingested

        contact, ingested = self._store.writer.submit(job).result()
        venue.last_contact = contact
        venue.drop_outdated_rejections(push)
        anonymised, events, records = self.anonymised, ingested.events, ingested.records
        if anonymised.digests:
            events = anonymised.entries(events)
            records = [replace(record, body=anonymised.body(record.body)) for record in records]
        # whether a change concerns an anonymised person is known from earlier entries
        whole = bool(anonymised.digests) and any(event.kind == "player-changed" for event in events)
        venue.add(events, records, anew=whole or contact.trail != before)
        self.rows_accepted(venue.name, bool(push.events) or any(row.type in READ for row in push.records))
        return ingested

    def trail_summaries(self, venue: Venue) -> list[TrailSummary]:
        """Return every trail that a venue has ever sent, the newest first."""
        with self._store.reading() as connection:
            found = venue_trail_and_game_index.trails(connection, venue=venue.name)
        return sorted(found, key=lambda one: (one.date or one.first_at, one.first_at), reverse=True)

    def venue_after_trail(self, venue: Venue, trail: str) -> Venue | None:
        """Return the venue's state after one of its trails; the last few are cached. None: there is no such trail."""
        with self._store.reading() as connection:
            found = venue_trail_and_game_index.trails(connection, venue=venue.name, trail=trail)
        return self._past_venue(venue.name, trail, found[0].entries) if found else None

    def _fold_past_venue(self, name: str, trail: str, _entries: int) -> Venue:
        made = Venue(name, self._store.reading, self._game_time)
        made.rebuild(trail)
        return made

    def has_two_senders(self, venue: Venue) -> bool:
        """Check whether two machines send in the venue's name at the same time."""
        return venue.senders.has_two(self._monotonic_s())

    def _venue(self, name: str) -> Venue:
        with self._lock:
            if name not in self._venues:
                self._venues[name] = Venue(name, self._store.reading, self._game_time)
            return self._venues[name]

    def _read_keys(self) -> None:
        try:
            stamp = self._path.stat().st_mtime_ns
            if stamp != self._stamp:
                self._keys, self._stamp = load_venues(self._path), stamp
        except (OSError, InputError) as error:
            if not self._stamp:
                raise InputError(text_of(error)) from error
            log.warning("%s; the keys stay as they were", error)


def last_contacts(connection: Connection) -> dict[str, LastContact]:
    """Return the venues of which a store has reports, with their last reports."""
    found = connection.execute(select(meta).where(meta.c.key.startswith(_META)))
    return {row.key.removeprefix(_META): LastContact(**json.loads(row.value)) for row in found}


# Quarantine, removal and readmission of venues by the federation.
#
# A decision is an entry of the federation's own audit trail, with its person and reason. It changes no row: what a
# venue has sent is kept, and is shown again when the venue is readmitted.


class QuarantineDecision(StrEnum):
    """A decision, as the kind of the trail's entry. Of a venue in quarantine only the name is shown; a removed one is
    named only to the staff.
    """

    QUARANTINED = "venue-quarantined"
    REMOVED = "venue-removed"
    RETURNED = "venue-returned"


@dataclass(frozen=True, slots=True)
class VenueBan:
    """Why a venue's rows are not accepted, and since when."""

    decision: QuarantineDecision
    reason: str
    at: str
    person: str


def banned_venues(events: Iterable[OperatorEvent]) -> dict[str, VenueBan]:
    """Return the venues that are banned after these entries."""
    found: dict[str, VenueBan] = {}
    for event in events:
        if event.kind not in set(QuarantineDecision):
            continue
        venue, decision = str(event.body.get("venue")), QuarantineDecision(event.kind)
        if decision is QuarantineDecision.RETURNED:
            found.pop(venue, None)
        else:
            found[venue] = VenueBan(decision, str(event.body.get("reason")), event.at, event.person)
    return found
