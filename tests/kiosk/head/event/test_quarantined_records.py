"""Tests that stored records and acts that cannot be applied are quarantined by name, without affecting the rest."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from faults.hostile_values import VALUES, changed, mutated, places
from heads.tournaments import DeskWorld, one_division, outcome
from heads.world import event, quick_card

from engine.tournament.event_model import Player
from kiosk.head.errors import HeadError
from kiosk.head.event.act_types import Body, DivisionChanged, LotsDrawn, Title
from kiosk.head.event.pairings_standings_and_correction_impact import explained_standings
from kiosk.head.event.publication_redaction_and_latin_names import redact_event
from kiosk.head.event.tournament_state import DayPlan, TournamentState
from kiosk.head.event.tournament_state_from_events import Projector, fold
from kiosk.head.store import StoredRecord
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.head.store.store_rows import RECORD_SET_ASIDE
from kiosk.link.link_messages import SET_ASIDE
from kiosk.locale import JAPANESE, render


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[DeskWorld]:
    with one_division(tmp_path) as world:
        yield world


def _day(hall: DeskWorld) -> list[OperatorEvent]:
    """Return a trail with every kind of event that a small day has."""
    desk = hall.desk
    desk.divisions.rename_tournament("Open", "2026-11-22")
    desk.divisions.change(
        DivisionChanged("main", title=Title("一般", "Open"), tables=(1, 2, 3, 4, 5, 6, 7, 8), auto=False)
    )
    desk.divisions.change(DivisionChanged("main", plan=DayPlan(first=570, rounds=4, slot=50, pause=10)))
    players = list(hall["main"].players())
    desk.players.check_in("main", players[:4], arrived=True)
    desk.players.set_absent("main", players[-2:], absent=True)
    desk.players.change("main", players[0], {"club": "A"})
    desk.players.set_lots(LotsDrawn("main", lots={players[0]: 1, players[1]: 2}))
    desk.players.add("main", [Player("", "Late"), Player("", "Later")])
    hall.publish("main")
    hall.finish("main")
    game = hall["main"].current[0]
    desk.results.correct(game.id, outcome(game, 34), "typed wrongly")
    desk.players.leave("main", players[3], "ill")
    desk.players.cancel_withdrawal("main", players[3])
    hall.publish("main")
    desk.rounds.undo("main", 2, "wrong")
    desk.rounds.restore("main", 0)
    return hall.store.operator_events()


def _look(state: TournamentState) -> None:
    """Read the state as every page does; a refusal with a message is a valid answer."""
    for division in state.divisions.values():
        assert division.name is not None
        try:
            redact_event(division.whole(), division.spectators, over=False)
            explained_standings(division.whole())
        except HeadError:
            pass
    for notice in state.notices:
        assert render(notice.text, JAPANESE).encode() and str(notice.text).encode()


def test_a_seat_with_an_invalid_table_is_quarantined(hall: DeskWorld) -> None:
    """The event is named, the game keeps its seat, and nothing else changes."""
    hall.publish("main")
    events = hall.store.operator_events()
    seated = next(one for one in events if one.kind == "game-seated")
    bad = OperatorEvent(99, "", "game-seated", dict(seated.body) | {"table": "NaN"}, "", "")
    state = fold([*events, bad], [])
    assert state.divisions == hall.desk.state.divisions
    (aside,) = state.aside
    assert (aside.number, aside.kind, aside.table) == (99, "game-seated", None) and "table" in str(aside.why)
    (notice,) = state.notices
    assert "操作の記録99" in render(notice.text, JAPANESE) and "Operator event 99" in str(notice.text)


def test_a_division_with_an_invalid_title_is_quarantined(hall: DeskWorld) -> None:
    """A title ``[1]`` could be applied to the state but would break the first page that shows it."""
    (created,) = hall.store.operator_events()
    state = fold([OperatorEvent(1, "", "event-created", dict(created.body) | {"title": [1]}, "", "")], [])
    assert state.divisions == {} and [one.number for one in state.aside] == [1]


def test_an_event_of_unknown_kind_is_quarantined_and_shown(hall: DeskWorld) -> None:
    state = fold([*hall.store.operator_events(), OperatorEvent(2, "", "moon-landed", {}, "", "")], [])
    assert state.divisions == hall.desk.state.divisions
    assert [(one.number, one.kind) for one in state.aside] == [(2, "moon-landed")]


PAIR = {"black": "p1", "white": "p2"}
WON = {"winner": "black", "black_discs": 40, "white_discs": 24}


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        ("result-reported", {**WON, "by": "p99"}, "'p99' is not a player of that game"),
        ("result-reported", {**WON, "black_discs": 24}, "must total 64"),
        ("result-entered", {**WON, "game": "g"}, "no game 'g' in a published round"),
        ("event-created", {}, "there is a division 'main' already"),
        ("event-created", {"division": "A B"}, "no short name"),
        ("event-created", {"division": "b", "event": event(4) | {"rounds": [{"round": 1, "games": [PAIR]}]}},
         "has rounds already"),
        ("team-removed", {"team": "t9"}, "no team 't9'"),
        ("round-made-by-hand", {"round": 3, "games": [PAIR]}, "round 3 does not follow round 1"),
        ("round-made-by-hand", {"round": 2, "games": [PAIR | {"white": "p99"}]}, "'p99' is not in the division"),
        ("round-published", {"round": 2, "games": []}, "no game"),
        ("round-published", {"round": 2, "games": [PAIR | WON | {"winner": "white"}]}, "Black has more discs"),
        ("division-removed", {}, "has a published round"),
        ("round-amended", {"round": 2, "removed": []}, "has changed since"),
        ("round-amended", {"round": 1, "removed": ["g"]}, "has changed since"),
        ("round-amended", {"round": 1, "removed": [], "restored": ["g"]}, "has changed since"),
        ("round-timed", {"round": 1, "starts": "2031-04-05T13:20:00"}, "time zone"),
    ],
)  # fmt: skip
def test_an_event_that_does_not_apply_is_quarantined(hall: DeskWorld, kind: str, body: Body, why: str) -> None:
    hall.publish("main")
    events, game = hall.store.operator_events(), hall["main"].current[0]
    whole = {
        "event-created": events[0].body,
        "result-reported": {"game": game.id, "black": game.black, "white": game.white, "by": game.black},
        "result-entered": PAIR,
    }
    (aside,) = fold([*events, OperatorEvent(99, "", kind, {**whole.get(kind, {}), **body}, "", "")], []).aside
    assert aside.number == 99 and why in str(aside.why)


def test_a_valid_day_has_nothing_quarantined(hall: DeskWorld) -> None:
    events = _day(hall)
    assert fold(events, []).aside == () == hall.desk.state.aside


def test_acts_applied_to_a_copy_leave_the_original_as_it_was(hall: DeskWorld) -> None:
    events = _day(hall)
    for cut in range(1, len(events)):
        ledger = Projector()
        for act in events[:cut]:
            ledger.apply(act)
        before, other = ledger.state(), ledger.copy()
        other.apply(events[cut])
        other.apply(OperatorEvent(99, "", "moon-landed", {}, "", ""))
        assert ledger.state() == before and [one.number for one in other.state().aside] == [99]
        ledger.apply(events[cut])
        assert ledger.state().divisions == other.state().divisions


def test_a_seat_in_a_copy_gives_its_table_no_game_in_the_original(hall: DeskWorld) -> None:
    hall.publish("main")
    ledger, game = Projector(), hall["main"].current[0]
    for act in hall.store.operator_events():
        ledger.apply(act)
    ledger.copy().apply(OperatorEvent(99, "", "game-seated", {"game": game.id, "table": 5}, "", ""))
    ledger.take_card(StoredRecord(9, 5, "e", 1, "card", quick_card(hall.waiting(1)[0], 40)))
    assert [notice.kind for notice in ledger.state().notices] == ["card-not-its-game"]


def test_a_card_that_a_person_set_aside_gives_no_result(hall: DeskWorld) -> None:
    hall.publish("main")
    hall.hand_in(1)
    (card,) = hall.store.records(type="card")
    body = {"table": 1, "epoch": card.epoch, "seq": card.seq, "type": "card", "reason": "a test of the clock"}
    state = fold([*hall.store.operator_events(), OperatorEvent(99, "", RECORD_SET_ASIDE, body, "", "")], [card])
    assert hall["main"].current[0].outcome is not None and state.first.current[0].outcome is None
    assert [(aside.seq, str(aside.why)) for aside in state.aside] == [(card.seq, "a test of the clock")]


def test_a_record_that_its_table_could_not_read_is_quarantined(hall: DeskWorld) -> None:
    record = StoredRecord(1, 3, "e", 7, SET_ASIDE, {"type": "card", "why": "too long"})
    state = fold(hall.store.operator_events(), [record])
    (aside,) = state.aside
    assert (aside.kind, str(aside.why), aside.table, aside.epoch, aside.seq) == ("card", "too long", 3, "e", 7)
    assert [notice.kind for notice in state.notices] == ["set-aside"] and state.divisions == hall.desk.state.divisions


def test_arbitrary_values_in_any_field_of_an_event_raise_nothing(hall: DeskWorld) -> None:
    """An event with one changed field is either applied to a state that all pages can show, or quarantined."""
    events, chance = _day(hall), random.Random(11)
    before = [Projector()]  # the state before each event
    for act in events:
        before.append(before[-1].copy())
        before[-1].apply(act)
    ends = [(at, path) for at, one in enumerate(events) for path in places(one.body)]
    for _ in range(300):
        at, path = chance.choice(ends)
        one, ledger = events[at], before[at].copy()
        body: dict[str, Any] = (
            mutated(dict(one.body), chance)
            if chance.random() < 0.3
            else changed(dict(one.body), path, chance.choice((*VALUES, ...)))
        )
        trail = [OperatorEvent(one.number, one.at, one.kind, body, "", ""), *events[at + 1 :]]
        taken = [ledger.apply(event) for event in trail]
        state = ledger.state()
        _look(state)
        aside = {aside.number for aside in state.aside}
        assert aside == {event.number for event, folded in zip(trail, taken, strict=True) if not folded}


def test_a_card_that_cannot_be_encoded_is_quarantined(hall: DeskWorld) -> None:
    """An earlier version committed such a card and stopped at every start."""
    hall.publish("main")
    record = StoredRecord(1, 3, "e", 7, "card", {"game": "x", "v": float("nan")})
    state = fold(hall.store.operator_events(), [record])
    assert state.divisions == hall.desk.state.divisions
    (aside,) = state.aside
    assert (aside.table, aside.epoch, aside.seq) == (3, "e", 7)
    (notice,) = state.notices
    assert notice.table == 3 and "3番卓" in render(notice.text, JAPANESE)
