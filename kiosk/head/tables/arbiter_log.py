"""Log of arbiters' actions at the tables: rulings with what they changed, and events at the arbiter's screen.

It is derived from the tables' own records only, each record once. A game is replayed only if an arbiter intervened in
it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import reduce

from engine.i18n import Text
from engine.match.match_events_and_effects import Action, ArbiterOrder
from engine.match.match_state import MatchState
from engine.match.match_value_types import Seat
from kiosk.head.store import Store, StoredRecord
from kiosk.link.errors import LinkError
from kiosk.link.game_replay_and_event_encoding import NO_GAME, ReplayedGame, replay_record
from kiosk.link.link_messages import HOLDS_WITHOUT_ORDER, ArbiterScreenEvent, from_dict, localize_reason

_NS_PER_MS = 1_000_000
#: records of a table that are read; a table sends a few thousand on a day
WINDOW = 20_000


@dataclass(frozen=True, slots=True)
class RulingChange:
    """One change of a ruling: ``name``, with the value before and after: label keys, or clocks in milliseconds."""

    name: str
    before: str | int
    after: str | int


@dataclass(frozen=True, slots=True)
class ArbiterAction:
    """One action. ``what``: an ``Action``, a value of ``HOLDS_WITHOUT_ORDER`` or of ``ArbiterScreenEvent``. ``at``: by
    the table's own clock, empty if unknown. ``from_head``: the table carried out an order.
    """

    table: int
    game: str
    what: str
    at: str = ""
    changes: tuple[RulingChange, ...] = ()
    reason: Text | None = None
    on: tuple[str, ...] = ()
    from_head: bool = False


@dataclass(slots=True)
class _Journal:
    """One journal as far as it was read. ``waiting``: records of the game that need not be replayed yet."""

    wall_minus_at_ns: int | None = None
    game: ReplayedGame = NO_GAME
    waiting: list[StoredRecord] = field(default_factory=list)
    last: int | None = None  # the act that a later ``command`` record may have ordered


@dataclass(slots=True)
class _Table:
    """The journals of a table, read up to ``arrival``. ``acts``: with their arrival numbers, in that order."""

    arrival: int = 0
    journals: dict[str, _Journal] = field(default_factory=dict)
    acts: list[tuple[int, ArbiterAction]] = field(default_factory=list)
    seen: set[tuple[object, ...]] = field(default_factory=set)


class ArbiterLog:
    """The log of all tables; of each, as far as its last ``WINDOW`` records go. May be called from any thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._tables: dict[int, _Table] = {}

    def all(self) -> list[ArbiterAction]:
        """Return all actions, the latest first."""
        with self._lock:
            acts = [act for number in self._store.tables_heard() for act in self._read(number).acts]
        return [act for _, act in sorted(acts, key=lambda one: -one[0])]

    def of_table(self, table: int) -> list[ArbiterAction]:
        """Return the actions at a table itself, the latest first."""
        with self._lock:
            return [act for _, act in reversed(self._read(table).acts) if not act.from_head]

    def _read(self, number: int) -> _Table:
        table = self._tables.setdefault(number, _Table())
        for record in self._store.records(table=number, after=table.arrival, last=WINDOW):
            table.arrival = record.arrival
            journal = table.journals.setdefault(record.epoch, _Journal())
            try:
                self._apply(table, journal, record)
            except (LinkError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
                journal.game, journal.waiting = NO_GAME, []  # another version's: only its acts are lost
        return table

    def _apply(self, table: _Table, journal: _Journal, record: StoredRecord) -> None:
        body = record.body
        if record.type == "event":
            journal.waiting.append(record)
            if body["event"]["type"] == "arbiter":
                self._log_ruling(table, journal, record)
            return
        if record.type == "command" and journal.last is not None and body["status"] == "applied":
            arrival, ordered = table.acts[journal.last]
            table.acts[journal.last] = arrival, replace(ordered, from_head=True)
        if record.type != "card":
            journal.last = None
        if record.type == "boot" and "at_ns" in body:
            journal.wall_minus_at_ns = int(body["wall_ns"]) - int(body["at_ns"])
        elif record.type in ("assigned", "withdrawn"):
            journal.game, journal.waiting = NO_GAME, [record]
        elif record.type == "arbiter":
            act = from_dict(ArbiterScreenEvent, body)
            done = ArbiterAction(record.table, act.game or "", act.act, on=tuple(act.on))
            self._add(table, journal, record, act.at_ns, done)

    def _log_ruling(self, table: _Table, journal: _Journal, record: StoredRecord) -> None:
        *waiting, ruling = journal.waiting
        before = reduce(replay_record, waiting, journal.game)
        after = journal.game = replay_record(before, ruling)
        journal.waiting = []
        last = after.event
        if not isinstance(last, ArbiterOrder) or before.match is None or after.match is None:
            return  # of a game that this journal does not have
        unordered = HOLDS_WITHOUT_ORDER.get(last.reason) if last.action is Action.HOLD else None
        act = ArbiterAction(
            record.table,
            record.body["game"],
            unordered or last.action.value,
            changes=_changes(before.match, after.match, last.at_ns),
            reason=None if unordered or not last.reason else localize_reason(last.reason),
        )
        self._add(table, journal, record, last.at_ns, act)

    def _add(
        self, table: _Table, journal: _Journal, record: StoredRecord, at_ns: int | None, act: ArbiterAction
    ) -> None:
        """Add an action, unless the same journal was sent again in another epoch."""
        place = (record.table, act.game, act.what, record.seq if at_ns is None else at_ns)
        journal.last = None
        if place in table.seen:
            return
        table.seen.add(place)
        if at_ns is not None and journal.wall_minus_at_ns is not None:
            wall_s = (at_ns + journal.wall_minus_at_ns) // 1_000_000_000
            act = replace(act, at=datetime.fromtimestamp(wall_s, UTC).isoformat())
        table.acts.append((record.arrival, act))
        journal.last = len(table.acts) - 1 if record.type == "event" else None


def _changes(before: MatchState, after: MatchState, at_ns: int) -> tuple[RulingChange, ...]:
    """Return what differs, in the order in which an arbiter asks."""
    values: list[tuple[str, Callable[[MatchState], str | int]]] = [
        ("game", lambda match: f"phase.{match.phase.value}"),
        ("result", _result),
        ("turn", lambda match: match.side.value if match.side else "–"),
        ("move", lambda match: str(match.move_number)),
        ("flag", lambda match: _flag(match, at_ns)),
        ("rated", lambda match: "no" if match.unrated else "yes"),
    ]
    found = [RulingChange(name, of(before), of(after)) for name, of in values]
    for seat in Seat:
        left = [match.remaining_ns(seat, at_ns) // _NS_PER_MS for match in (before, after)]
        found.append(RulingChange((after.color_at(seat) or seat).value, *left))
    return tuple(change for change in found if change.before != change.after)


def _flag(match: MatchState, at_ns: int) -> str:
    fallen = [seat for seat in Seat if match.clock.flag_at_ns(seat, at_ns) is not None]
    if len(fallen) == len(Seat):
        return "flag.both"
    return (match.color_at(fallen[0]) or fallen[0]).value if fallen else "–"


def _result(match: MatchState) -> str:
    result = match.result
    if result is None:
        return "–"
    return "draw" if result.winner is None else f"wins.{result.winner.value}"
