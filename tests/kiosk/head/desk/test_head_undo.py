"""Tests of undo: the person who did the last act takes it back with one press, if nothing has changed after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from heads.forms import the_form
from heads.staff import chief_at
from heads.tournaments import RULES, one_division
from heads.world import event

from engine.tournament.event_model import Player, Team
from engine.tournament.pairing_history_and_constraints import Constraints
from kiosk.head.current_user import as_user
from kiosk.head.desk import Desk
from kiosk.head.errors import Conflict
from kiosk.head.event.act_types import DivisionChanged, Title, event_of
from kiosk.head.event.tournament_state_from_events import fold
from kiosk.head.registration.lot_drawing import lots_from_seed

Act = Callable[[Desk], object]
NINE = datetime(2031, 5, 3, 9, tzinfo=timezone(timedelta(hours=9)))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk for all acts of ``ACTS``, each of which is taken back."""
    six = event(6, "adjacent", rounds=3)
    with one_division(tmp_path_factory.mktemp("undo"), six) as hall:
        made = hall.desk
        made.divisions.create(event_of(event(6, "team")), RULES, "teams")
        made.players.set_team("teams", Team("t1", "Kita", ("p1", "p2", "p3"), "p1", {"3": ("p2", "p1")}))
        made.players.check_in("teams", ["p1"], arrived=True)
        made.players.pay("teams", ["p1"], paid=True)
        made.players.miss_round("teams", "p1", 2, away=True)
        made.rounds.constraints.keep_apart("teams", None, ("p1", "p4"), 2)
        made.rounds.constraints.keep_apart("teams", None, ("t1", "p4"), 2)
        made.players.check_in("main", ["p1", "p4"], arrived=True)
        made.players.set_absent("main", ["p5"], absent=True)
        made.divisions.create(event_of(six), RULES, "changed")
        made.players.set_lots(lots_from_seed(made.state.division("changed"), 4))
        made.divisions.time_round("changed", NINE + timedelta(minutes=5), 30)
        swap(made, "changed")
        made.divisions.create(event_of(six), RULES, "left")
        made.players.leave("left", "p3", "ill")
        made.players.set_absent("left", ["p5", "p6"], absent=True)
        made.players.leave("left", "p6", "ill")
        hall.publish("left")
        yield made


def forbid_first_pair(desk: Desk) -> None:
    draft = desk.rounds.draft("main")
    desk.rounds.constraints.add("main", draft.digest, Constraints(forbidden=(draft.games[0].players,)))  # type: ignore[arg-type]


def swap(desk: Desk, slug: str) -> None:
    draft = desk.rounds.draft(slug)
    first, second = draft.games[0], draft.games[1]
    desk.rounds.swap(slug, draft.digest, first.players[0], second.players[0])


ACTS: dict[str, Act] = {
    "check-in": lambda desk: desk.players.check_in("main", ["p1", "p2"], arrived=True),
    "check-in of an absentee": lambda desk: desk.players.check_in("main", ["p5"], arrived=True),
    "not here after all": lambda desk: desk.players.check_in("main", ["p1"], arrived=False),
    "absent": lambda desk: desk.players.set_absent("main", ["p4", "p3"], absent=True),
    "paid": lambda desk: desk.players.pay("main", ["p1", "p2"], paid=True),
    "fees": lambda desk: desk.players.set_fees("main", 500),
    "a list": lambda desk: desk.players.import_lists(
        {"main": ([Player("", "Zoe"), Player("", "Yan")], {"p1": {"club": "Kita"}})}
    ),
    "an entry deleted": lambda desk: desk.players.remove("main", "p6"),
    "an entry of a swapped draft deleted": lambda desk: desk.players.remove("changed", "p6"),
    "a member of a team deleted": lambda desk: desk.players.remove("teams", "p1"),
    "an absentee withdrawn": lambda desk: desk.players.leave("main", "p5", "ill"),
    "a withdrawn absentee returned": lambda desk: desk.players.cancel_withdrawal("left", "p6"),
    "withdrawn": lambda desk: desk.players.leave("main", "p2", "ill"),
    "away": lambda desk: desk.players.miss_round("main", "p2", 2, away=True),
    "a wish": forbid_first_pair,
    "apart": lambda desk: desk.rounds.constraints.keep_apart("main", "country", (), 2),
    "a team": lambda desk: desk.players.set_team("teams", Team("", "Minami", ("p4", "p5", "p6"))),
    "another team": lambda desk: desk.players.set_team("teams", Team("t1", "Higashi", ("p1", "p2", "p4"))),
    "no team": lambda desk: desk.players.remove_team("teams", "t1"),
    "settings": lambda desk: desk.divisions.change(
        DivisionChanged("main", title=Title("新", "New"), tables=(1, 2), auto=True, options={"rounds": 5})
    ),
    "returned": lambda desk: desk.players.cancel_withdrawal("left", "p3"),
    "an order sheet": lambda desk: desk.players.set_order("teams", "t1", 1, ["p3", "p2", "p1"]),
    "another order sheet": lambda desk: desk.players.set_order("teams", "t1", 2, ["p1", "p3", "p2"]),
    "lots by seed": lambda desk: desk.players.set_lots(lots_from_seed(desk.state.division("main"), 4)),
    "lots drawn again": lambda desk: desk.players.set_lots(lots_from_seed(desk.state.division("changed"), 5)),
    "a swap in the draft": lambda desk: swap(desk, "main"),
    "a second swap": lambda desk: swap(desk, "changed"),
    "a round's clock": lambda desk: desk.divisions.time_round("main", NINE, 20),
    "another clock": lambda desk: desk.divisions.time_round("changed", NINE, 20),
    "come after a round": lambda desk: desk.players.check_in("left", ["p5"], arrived=True),
    "a place in the broadcast": lambda desk: desk.divisions.set_slot("final", 3),
    "announced": lambda desk: desk.divisions.announce("Lunch", ""),
    "named": lambda desk: desk.divisions.rename_tournament("Other", "2031-01-01"),
    "organiser": lambda desk: desk.divisions.set_organiser("Club", "", ""),
}


def seen(desk: Desk) -> Any:
    """Return the state that pages show, with entries sorted."""
    state = desk.state
    players = {slug: one.players() for slug, one in state.divisions.items()}
    rest = [
        (one.here, one.paid, one.event.options, one.event.teams, one.title, one.tables, one.auto, one.withdrawn)
        for one in state.divisions.values()
    ]
    more = [(one.whole().options, one.drawn, one.hand_made, one.timed) for one in state.divisions.values()]
    return players, rest, more, state.slots, state.announcement, state.name, state.date, state.organiser


@pytest.mark.parametrize("what", ACTS)
def test_an_act_is_taken_back_completely(desk: Desk, what: str) -> None:
    """The state is as before, nothing is removed from the trail, and a restarted head has the same state."""
    before, events = seen(desk), len(desk.core.events)
    with as_user("ann"):
        ACTS[what](desk)
        assert seen(desk) != before
        done = desk.undo.last("ann")
        assert done is not None and desk.undo.last("bob") is None
        desk.undo.take_back(done.number)
        assert seen(desk) == before and len(desk.core.events) > events + 1
        assert desk.undo.last("ann") is None
        with pytest.raises(Conflict, match="cannot be taken back any more"):
            desk.undo.take_back(done.number)
    assert fold(desk.core.store.operator_events(), []) == desk.state


def test_undo_does_not_overwrite_later_changes(tmp_path: Path) -> None:
    """Check-ins of two persons do not affect each other's undo, but an entry that was changed since is not
    overwritten."""
    with one_division(tmp_path, event(6, "adjacent")) as hall:
        desk = hall.desk
        for person, player in (("ann", "p2"), ("bob", "p3")):
            with as_user(person):
                desk.players.check_in("main", [player], arrived=True)
        with as_user("ann"):
            done = desk.undo.last("ann")
            assert done is not None
            desk.undo.take_back(done.number)
        assert hall["main"].here == {"p3"}
        for person, club in (("ann", "Kita"), ("bob", "Minami")):
            with as_user(person):
                desk.players.change("main", "p1", {"club": club})
        assert desk.undo.last("ann") is None
        hall.publish("main")
        assert desk.undo.last("") is None, "rounds are taken back where they stand, with their tables"


def test_the_undo_button_is_on_the_following_page(tmp_path: Path) -> None:
    with chief_at(tmp_path, 2, language="en") as (_, web):
        page = "/division/main/players"
        form, button = the_form(web, page, "/players", "Enter")
        form.send(web, button, name="Zoe Kwist")
        assert "Last change: players added" in web.get(page).text
        form, button = the_form(web, page, "/desk/undo", "Undo")
        answer = form.send(web, button)
        assert answer.status_code == 303 and answer.headers["location"] == page
        assert "Zoe Kwist" not in web.get(page).text
