"""Edits of an event by the operator, each a function from an event to an event (PAIRING.md 4)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from events.random_events import event_of, play_round, team_event

from engine.end_reason import EndReason
from engine.tournament import Event, EventError, next_round
from engine.tournament.event_edits import (
    add_players,
    cancel_withdrawal,
    change_division,
    change_player,
    enter_result,
    publish,
    redo,
    remove_player,
    remove_team,
    set_absent,
    set_away,
    set_constraints,
    set_team,
    submit_order_sheet,
    undo_to,
    with_lots,
    with_missed,
    withdraw,
)
from engine.tournament.event_model import Player, Team, Winner
from engine.tournament.pairing_history_and_constraints import Constraints
from kiosk.records.event_file import from_dict


def started_event(count: int = 8, rounds: int = 1) -> Event:
    data, rng = event_of("swiss", count), random.Random(4)
    for _ in range(rounds):
        play_round(data, rng)
    return from_dict(data)


def test_format_and_options_of_a_division_can_be_changed():
    event = started_event(rounds=0)
    options = replace(event.options, readings={"rounds": 5, "finals": "1-4"})
    changed = change_division(event, format_="adjacent", options=options, name="Autumn")
    assert (changed.format, changed.options, changed.name, changed.date) == ("adjacent", options, "Autumn", None)
    assert changed.players == event.players and change_division(event) == event
    with pytest.raises(EventError, match="names 'p99'"):
        change_division(event, options=replace(options, byes={"1": ("p99",)}))


def test_players_are_added_and_changed_but_no_id_is_given_twice():
    event = add_players(started_event(), [Player("late", "Ivo Late"), Player("two")])
    assert [p.id for p in event.players[-2:]] == ["late", "two"]
    known = change_player(event, Player("late", "Ivo Soon", rating=1500))
    assert known.player("late").rating == 1500 and known.players[:-2] == event.players[:-2]
    for players in ([Player("p1")], [Player("new"), Player("new")]):
        with pytest.raises(EventError, match="already used"):
            add_players(event, players)
    with pytest.raises(EventError, match="no player has the id"):
        change_player(event, Player("nobody"))


def test_a_late_entry_misses_earlier_rounds_until_they_are_undone():
    event = add_players(started_event(8, 2), [Player("late")])
    assert with_missed(event, {"late": 2}).options.absences == {"1": ("late",), "2": ("late",)}
    back, undone = undo_to(event, 1)
    assert with_missed(back, {"late": 2}).options.absences == {"1": ("late",)}
    again = publish(back, next_round(with_missed(back, {"late": 2})).as_round())
    assert with_missed(again, {"late": 2}).options.absences == {"1": ("late",)}, "he is in round 2 now"
    assert with_missed(redo(back, undone), {"late": 2}) == with_missed(event, {"late": 2})


def test_a_player_marked_absent_is_not_paired():
    event = set_absent(started_event(rounds=0), ["p2", "p7"], absent=True)
    assert {"p2", "p7"}.isdisjoint(next_round(event).as_round().players)
    assert set_absent(event, ["p2", "p7"], absent=False) == started_event(rounds=0)


def test_a_withdrawal_can_be_cancelled():
    event = withdraw(started_event(), "p4")
    assert event.player("p4").withdrawn_after_round == 1
    assert cancel_withdrawal(event, "p4") == started_event()
    assert withdraw(event, "p4", after=0).player("p4").withdrawn_after_round == 0
    with pytest.raises(EventError, match="has not left"):
        cancel_withdrawal(started_event(), "p4")


def test_undoing_a_round_cancels_later_withdrawals():
    event = withdraw(started_event(8, 3), "p4")
    back, undone = undo_to(event, 1)
    assert back.player("p4").withdrawn_after_round == 1
    assert [round_.number for round_ in undone] == [2, 3] and redo(back, undone).rounds == event.rounds


def test_a_round_is_published_once_and_in_its_order():
    event = started_event()
    round_ = next_round(event).as_round()
    published = publish(event, round_)
    assert published.rounds == (*event.rounds, round_)
    with pytest.raises(EventError, match="does not follow"):
        publish(published, round_)
    with pytest.raises(EventError, match="twice"):
        publish(event, replace(round_, games=(*round_.games, round_.games[0])))


def test_a_result_is_entered_and_keeps_its_table():
    event = publish(started_event(), next_round(started_event()).as_round())
    game = event.rounds[1].games[2]
    won = replace(
        game, table=None, black=game.white, white=game.black, winner=Winner.WHITE, black_discs=20, white_discs=44
    )
    entered = enter_result(event, 2, won).rounds[1].games[2]
    assert (entered.table, entered.stage, entered.white) == (game.table, game.stage, game.black)
    assert (
        enter_result(enter_result(event, 2, won), 2, replace(won, end=EndReason.TIME)).rounds[1].games[2].end
        is EndReason.TIME
    )
    with pytest.raises(EventError, match="total 64"):
        enter_result(event, 2, replace(won, black_discs=21))
    with pytest.raises(EventError, match="did not meet"):
        enter_result(event, 1, replace(won, black="p1", white="p1"))


def test_removing_a_player_removes_absences_and_team_membership():
    event = set_away(add_players(started_event(), [Player("late")]), "late", 3, away=True)
    assert remove_player(event, "late") == started_event()
    teams = from_dict(team_event(2, members=4))
    without = remove_player(teams, "p4")
    assert without.teams[0].players == ("p1", "p2", "p3") and without.teams[0].captain is None
    assert all("p4" not in sheet for sheet in without.teams[0].orders.values())


def test_the_draw_is_written_into_the_event():
    event = started_event(4, 0)
    options = replace(event.options, lot_ballots=("00001", "00002", "00003"))
    drawn = with_lots(event, {"p1": 3, "p2": 1, "p3": 2}, options)
    assert [p.lot for p in drawn.players] == [3, 1, 2, None]
    assert drawn.options == options and with_lots(event, {}) == event


def test_teams_are_set_and_removed_and_submit_order_sheets():
    event = from_dict(team_event(2, sheets=False))
    renamed = set_team(event, replace(event.teams[0], name="North"))
    assert [team.name for team in renamed.teams] == ["North", None]
    assert remove_team(event, "t2").teams == event.teams[:1]
    sheet = submit_order_sheet(event, "t1", 2, ["p3", "p1", "p2"])
    assert sheet.teams[0].orders == {"2": ("p3", "p1", "p2")} and submit_order_sheet(sheet, "t1", 2, []) == event
    with pytest.raises(EventError, match="already in team"):
        set_team(event, Team("t3", players=("p1",)))
    with pytest.raises(EventError, match="not in the team"):
        submit_order_sheet(event, "t1", 2, ["p3", "p4", "p2"])
    with pytest.raises(EventError, match="no team has the id"):
        submit_order_sheet(event, "t9", 2, [])


def test_constraints_for_a_round_replace_earlier_ones():
    event = set_constraints(started_event(), 2, Constraints(locked=(("p1", "p2"),), colours={"p1": "white"}))
    assert ("p2", "p1") in [game.players for game in next_round(event).as_round().games]
    assert set_constraints(event, 2, Constraints(byes=("p3",))).options.locked == {}
    assert set_constraints(event, 2, Constraints()) == started_event()
    with pytest.raises(EventError, match="'p99'"):
        set_constraints(event, 2, Constraints(byes=("p99",)))
