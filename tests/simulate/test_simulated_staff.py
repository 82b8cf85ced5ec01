"""Tests of the simulated staff's acts at a real desk."""

from __future__ import annotations

from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

from heads.tournaments import RULES, DeskWorld
from heads.world import event
from simulate.simulated_staff import Operators
from verify.verifier import verify

from kiosk.head.desk import Desk
from kiosk.head.event.act_types import event_of
from kiosk.head.store import Store
from kiosk.records.event_file import to_dict


def test_a_finalist_who_left_loses_by_forfeit(tmp_path: Path) -> None:
    """The draft has a remark, and nobody enters moves for an absent player (simulated day 80033)."""
    store = Store(tmp_path)
    hall = DeskWorld(store, Desk(store, range(1, 5)))
    hall.desk.divisions.create(event_of(event(8, "m43-open")), RULES)
    for _ in range(7):
        hall.publish("main")
        hall.finish("main")
    semi_final = next(game for game in hall["main"].current if game.stage == "semi-final")
    assert semi_final.outcome is not None and semi_final.outcome.winner == "black"
    hall.desk.players.leave("main", str(semi_final.white), "he is ill")
    hall.publish("main")
    notes: list[str] = []
    staff = Operators(cast(Any, SimpleNamespace(program=hall)), Random(0), notes.append)
    staff.enter_forfeits()
    (game,) = [game for game in hall["main"].current if semi_final.white in game.players]
    assert game.outcome is not None and game.outcome.end == "forfeit"
    assert game.outcome.winner == ("white" if game.black == semi_final.white else "black") and len(notes) == 1
    hall.finish("main")
    assert [problem.rule for problem in verify(to_dict(hall["main"].whole())).problems] == []
    store.close()
