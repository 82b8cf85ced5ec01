"""Tests of how an act is committed: it is applied once, and listeners are notified after its lock is released."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from heads import tournaments
from heads.tournaments import one_division, two_divisions
from heads.world import event
from sqlalchemy.exc import OperationalError

from kiosk.head.component_signals import Signals
from kiosk.head.current_user import as_user
from kiosk.head.desk import Desk
from kiosk.head.errors import HeadError, StoreError
from kiosk.head.event import act_reducers as reducers
from kiosk.head.event.act_types import DivisionAct, DivisionChanged, PlayersPaid
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.store import Store, store_rows
from kiosk.head.store.store_writer import InlineWriter


@pytest.fixture
def signals() -> Signals:
    return Signals()


@pytest.fixture
def desk(tmp_path: Path, signals: Signals) -> Iterator[Desk]:
    with one_division(tmp_path, event(6, "adjacent", rounds=3), signals=signals) as hall:
        yield hall.desk


def test_listeners_of_an_act_do_not_hold_its_lock(desk: Desk, signals: Signals) -> None:
    """Another thread can act while a listener is notified of an act, its commands or a changed state."""
    free: list[bool] = []

    def other_thread_acts() -> None:
        acted = threading.Event()

        def act() -> None:
            with desk.core.lock:
                acted.set()

        threading.Thread(target=act, daemon=True).start()
        free.append(acted.wait(20))

    def of_tables(tables: Collection[int]) -> None:
        other_thread_acts()

    signals.act_committed.connect(other_thread_acts)
    signals.state_changed.connect(other_thread_acts)
    signals.orders_queued.connect(of_tables)
    desk.rounds.publish(desk.rounds.draft("main").digest, "main")
    assert len(free) >= 3 and all(free)


def test_games_are_seated_before_their_act_returns(desk: Desk, signals: Signals) -> None:
    """A published round has its tables at once, and each table is notified once."""
    told: list[int] = []
    signals.orders_queued.connect(told.extend)
    desk.rounds.publish(desk.rounds.draft("main").digest, "main")
    assert sorted(game.table or 0 for game in desk.state.current) == [1, 2, 3]
    assert sorted(told) == [1, 2, 3]


def test_seating_that_follows_an_act_leaves_it_undoable(desk: Desk) -> None:
    """For its person, the act and the seating that follows from it are one act."""
    desk.divisions.set_tables("main", (4,))
    desk.rounds.publish(desk.rounds.draft("main").digest, "main")
    assert [game.table for game in desk.state.current] == [4, None, None]
    with as_user("Chief"):
        desk.divisions.set_tables("main", (4, 5, 6))
        assert sorted(game.table or 0 for game in desk.state.current) == [4, 5, 6]
        done = desk.undo.last("Chief")
        assert done is not None and done.kind == "division-changed"
        desk.undo.take_back(done.number)
    assert desk.state.division("main").tables == (4,)


def test_an_act_is_applied_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The state computed by the check before the write is the state after it."""
    applied: list[str] = []
    changes: Any = reducers.CHANGES
    usual: reducers.Change[DivisionAct] = changes[PlayersPaid]

    def counted(division: DivisionState, act: DivisionAct, at: str) -> DivisionState:
        applied.append(at)
        return usual(division, act, at)

    monkeypatch.setitem(changes, PlayersPaid, counted)
    desk.players.pay("main", ["p1"], paid=True)
    assert desk.state.division("main").paid == {"p1"}
    assert applied == [desk.core.events[-1].at]


def test_acts_of_one_request_are_written_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full at the second entry of a table's move to another division: it stays where it was."""
    monkeypatch.setattr(tournaments, "Store", partial(Store, writer=InlineWriter))
    with two_divisions(tmp_path) as hall:
        commits = hall.store.writer.commits
        hall.desk.divisions.set_tables("juniors", (6, 7))
        assert hall.store.writer.commits == commits + 1
        before, written = hall.desk.state, iter((True,))
        usual = store_rows.append_link

        def full(*entry: Any) -> Any:
            if next(written, False):
                return usual(*entry)
            raise OperationalError("INSERT", (), sqlite3.OperationalError("database or disk is full"))

        monkeypatch.setattr(store_rows, "append_link", full)
        with pytest.raises(StoreError, match="could not commit"):
            hall.desk.divisions.set_tables("open", (1, 6))
        assert hall.desk.state.divisions == before.divisions
        hall.check_rebuilt()


def test_an_act_that_cannot_be_applied_is_not_written(desk: Desk) -> None:
    """If the second of two acts is refused, neither is written or applied."""
    before, events = desk.state, list(desk.core.events)
    good = PlayersPaid("main", players=("p1",), paid=True)
    with pytest.raises(HeadError):
        desk.core.act_all([(good, ()), (DivisionChanged("main", format="no such format"), ())])
    assert desk.core.events == events == desk.core.store.operator_events()
    assert desk.state is before
