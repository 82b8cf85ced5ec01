"""Edits of an event by the operator, each a function from an event to an event (PAIRING.md 4)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from events.random_events import event_of, play_round, team_event

from engine.end_reason import EndReason
from engine.tournament import Event, EventError, cost_of_round, next_round, standings
from engine.tournament import event_edits as edits
from engine.tournament.event_and_result_validation import check_event
from engine.tournament.event_model import Game, Player, Team, Winner
from engine.tournament.pairing_history_and_constraints import Constraints, history_before, with_stored_constraints
from kiosk.records.event_file import from_dict, to_dict


def started_event(count: int = 8, rounds: int = 1, format_: str = "swiss") -> Event:
    data, rng = event_of(format_, count), random.Random(4)
    for _ in range(rounds):
        play_round(data, rng)
    return from_dict(data)


def test_format_and_options_of_a_division_can_be_changed():
    event = started_event(rounds=0)
    options = replace(event.options, readings={"rounds": 5, "finals": "1-4"})
    changed = edits.change_division(event, format_="adjacent", options=options, name="Autumn")
    assert (changed.format, changed.options, changed.name, changed.date) == ("adjacent", options, "Autumn", None)
    assert changed.players == event.players and edits.change_division(event) == event
    with pytest.raises(EventError, match="names 'p99'"):
        edits.change_division(event, options=replace(options, byes={"1": ("p99",)}))


def test_players_are_added_and_changed_but_no_id_is_given_twice():
    event = edits.add_players(started_event(), [Player("late", "Ivo Late"), Player("two")])
    assert [p.id for p in event.players[-2:]] == ["late", "two"]
    known = edits.change_player(event, Player("late", "Ivo Soon", rating=1500))
    assert known.player("late").rating == 1500 and known.players[:-2] == event.players[:-2]
    for players in ([Player("p1")], [Player("new"), Player("new")]):
        with pytest.raises(EventError, match="already used"):
            edits.add_players(event, players)
    with pytest.raises(EventError, match="no player has the id"):
        edits.change_player(event, Player("nobody"))


def test_a_late_entry_misses_earlier_rounds_until_they_are_undone():
    event = edits.add_players(started_event(8, 2), [Player("late")])
    assert edits.with_missed(event, {"late": 2}).options.absences == {"1": ("late",), "2": ("late",)}
    back, undone = edits.undo_to(event, 1)
    assert edits.with_missed(back, {"late": 2}).options.absences == {"1": ("late",)}
    again = edits.publish(back, next_round(edits.with_missed(back, {"late": 2})).as_round())
    assert edits.with_missed(again, {"late": 2}).options.absences == {"1": ("late",)}, "he is in round 2 now"
    assert edits.with_missed(edits.redo(back, undone), {"late": 2}) == edits.with_missed(event, {"late": 2})


def test_a_player_marked_absent_is_not_paired():
    event = edits.set_absent(started_event(rounds=0), ["p2", "p7"], absent=True)
    assert {"p2", "p7"}.isdisjoint(next_round(event).as_round().players)
    assert edits.set_absent(event, ["p2", "p7"], absent=False) == started_event(rounds=0)


def test_a_withdrawal_can_be_cancelled():
    event = edits.withdraw(started_event(), "p4")
    assert event.player("p4").withdrawn_after_round == 1
    assert edits.cancel_withdrawal(event, "p4") == started_event()
    assert edits.withdraw(event, "p4", after=0).player("p4").withdrawn_after_round == 0
    with pytest.raises(EventError, match="has not left"):
        edits.cancel_withdrawal(started_event(), "p4")


def test_undoing_a_round_cancels_later_withdrawals():
    event = edits.withdraw(started_event(8, 3), "p4")
    back, undone = edits.undo_to(event, 1)
    assert back.player("p4").withdrawn_after_round == 1
    assert [round_.number for round_ in undone] == [2, 3] and edits.redo(back, undone).rounds == event.rounds


def test_a_round_is_published_once_and_in_its_order():
    event = started_event()
    round_ = next_round(event).as_round()
    published = edits.publish(event, round_)
    assert published.rounds == (*event.rounds, round_)
    with pytest.raises(EventError, match="does not follow"):
        edits.publish(published, round_)
    with pytest.raises(EventError, match="twice"):
        edits.publish(event, replace(round_, games=(*round_.games, round_.games[0])))


def test_a_result_is_entered_and_keeps_its_table():
    event = edits.publish(started_event(), next_round(started_event()).as_round())
    game = event.rounds[1].games[2]
    won = replace(
        game, table=None, black=game.white, white=game.black, winner=Winner.WHITE, black_discs=20, white_discs=44
    )
    entered = edits.enter_result(event, 2, won).rounds[1].games[2]
    assert (entered.table, entered.stage, entered.white) == (game.table, game.stage, game.black)
    assert (
        edits.enter_result(edits.enter_result(event, 2, won), 2, replace(won, end=EndReason.TIME))
        .rounds[1]
        .games[2]
        .end
        is EndReason.TIME
    )
    with pytest.raises(EventError, match="total 64"):
        edits.enter_result(event, 2, replace(won, black_discs=21))
    with pytest.raises(EventError, match="did not meet"):
        edits.enter_result(event, 1, replace(won, black="p1", white="p1"))


def test_removing_a_player_removes_absences_and_team_membership():
    event = edits.set_away(edits.add_players(started_event(), [Player("late")]), "late", 3, away=True)
    assert edits.remove_player(event, "late") == started_event()
    with pytest.raises(EventError, match="withdraw the player"):
        edits.remove_player(event, "p1")
    teams = from_dict(team_event(2, members=4))
    without = edits.remove_player(teams, "p4")
    assert without.teams[0].players == ("p1", "p2", "p3") and without.teams[0].captain is None
    assert all("p4" not in sheet for sheet in without.teams[0].orders.values())


def test_who_is_removed_is_named_in_no_constraint():
    event = edits.add_players(started_event(), [Player("late")])
    kept = Constraints((("p1", "p2"),), (("p3", "p4"),), ("p5",), {"p6": "black"})
    more = Constraints((), (("p3", "p4"), ("p7", "late")), ("p5", "late"), {"p6": "black", "late": "white"})
    event = with_stored_constraints(event, "*", Constraints(forbidden=(("late", "late"),)))
    event = edits.set_constraints(event, 2, replace(more, locked=(("p1", "p2"),)))
    event = edits.set_constraints(event, 3, Constraints((("late", "p8"),)))
    left = edits.remove_player(event, "late")
    assert left == edits.set_constraints(started_event(), 2, kept) and next_round(left)
    teams = edits.set_constraints(from_dict(team_event(3)), 1, Constraints(byes=("t2",)))
    check_event(edits.remove_team(teams, "t2"))


def test_the_draw_is_written_into_the_event():
    event = started_event(4, 0)
    options = replace(event.options, lot_ballots=("00001", "00002", "00003"))
    drawn = edits.with_lots(event, {"p1": 3, "p2": 1, "p3": 2}, options)
    assert [p.lot for p in drawn.players] == [3, 1, 2, None]
    assert drawn.options == options and edits.with_lots(event, {}) == event


def test_teams_are_set_and_removed_and_submit_order_sheets():
    event = from_dict(team_event(2, sheets=False))
    renamed = edits.set_team(event, replace(event.teams[0], name="North"))
    assert [team.name for team in renamed.teams] == ["North", None]
    assert edits.remove_team(event, "t2").teams == event.teams[:1]
    sheet = edits.submit_order_sheet(event, "t1", 2, ["p3", "p1", "p2"])
    assert sheet.teams[0].orders == {"2": ("p3", "p1", "p2")} and edits.submit_order_sheet(sheet, "t1", 2, []) == event
    with pytest.raises(EventError, match="already in team"):
        edits.set_team(event, Team("t3", players=("p1",)))
    with pytest.raises(EventError, match="not in the team"):
        edits.submit_order_sheet(event, "t1", 2, ["p3", "p4", "p2"])
    with pytest.raises(EventError, match="no team has the id"):
        edits.submit_order_sheet(event, "t9", 2, [])


def test_constraints_for_a_round_replace_earlier_ones():
    event = edits.set_constraints(started_event(), 2, Constraints(locked=(("p1", "p2"),), colours={"p1": "white"}))
    assert ("p2", "p1") in [game.players for game in next_round(event).as_round().games]
    assert edits.set_constraints(event, 2, Constraints(byes=("p3",))).options.locked == {}
    assert edits.set_constraints(event, 2, Constraints()) == started_event()
    with pytest.raises(EventError, match="'p99'"):
        edits.set_constraints(event, 2, Constraints(byes=("p99",)))


@pytest.mark.parametrize("to", range(5))
def test_undo_to_any_round_gives_the_event_as_it_was_and_redo_gives_it_back(to: int):
    event = started_event(10, 4)
    before, undone = edits.undo_to(event, to)
    assert before == started_event(10, to)
    assert edits.redo(before, undone) == event
    if to < 4:
        assert next_round(before).as_round().games[0].players == event.rounds[to].games[0].players
        if to < 3:
            with pytest.raises(EventError, match="does not follow"):
                edits.redo(before, undone[1:])


@pytest.mark.parametrize(
    ("format_", "count"),
    [("swiss", 6), ("m43-open", 6), ("m43-division", 12), ("m40-open", 16), ("m40-33-64", 34), ("m40-17-32", 18),
     ("m40-13-16", 14), ("m40-9-12", 10), ("m40-elementary", 12), ("adjacent", 6), ("othello-pool", 6),
     ("round-robin", 6), ("knockout", 6)],
)  # fmt: skip
def test_the_next_round_is_not_paired_before_every_result_is_known(format_: str, count: int):
    event = started_event(count, 1, format_)
    open_ = next(game for game in event.rounds[0].games if isinstance(game, Game))
    with pytest.raises(EventError, match="has no winner, so the round is not finished"):
        next_round(edits.enter_result(event, 1, Game(open_.black, open_.white)))


def test_swapping_changes_two_places_and_nothing_else():
    draft = next_round(started_event(9, 2)).as_round()
    bye, other = draft.byes[0].player, draft.games[0].black
    swapped = edits.swap_players(draft, bye, other)
    assert swapped.byes[0].player == other and swapped.games[0].black == bye
    assert sorted(swapped.players) == sorted(draft.players)
    assert edits.swap_players(swapped, other, bye) == draft
    with pytest.raises(EventError, match="no game and no bye"):
        edits.swap_players(draft, "p1", "p99")
    with pytest.raises(EventError, match="has a result"):
        edits.swap_players(started_event(8, 2).rounds[1], "p1", "p2")


def test_the_cost_of_a_manual_pairing_is_known_before_publication():
    event = started_event(12, 3)
    best = next_round(event).as_round()
    same = edits.review_of_manual(event, best)
    assert same.played == same.optimum and same.dropped == ()
    first, last = best.games[0], best.games[-1]
    priced = edits.review_of_manual(event, edits.swap_players(best, first.white, last.white))
    assert priced.reasons[0].players == (first.black, last.white)
    assert any("penalty" in str(words) for words in priced.reasons[0].reasons)
    assert priced.played > priced.optimum  # type: ignore[operator]
    assert {frozenset(players) for players, _ in priced.dropped} == {frozenset(g.players) for g in (first, last)}


def test_a_withdrawn_player_keeps_results_and_gains_none_by_returning():
    event = started_event(10, 2)
    withdrawn = edits.withdraw(event, "p4")
    assert withdrawn.rounds == event.rounds
    paired = next_round(withdrawn)
    assert "p4" not in paired.as_round().players
    played = to_dict(withdrawn)
    rng = random.Random(1)
    play_round(played, rng)
    play_round(played, rng)
    back = edits.with_missed(edits.cancel_withdrawal(from_dict(played), "p4"), {"p4": 4})
    assert back.options.absences == {"3": ("p4",), "4": ("p4",)} and from_dict(to_dict(back)) == back
    assert history_before(back, 5).records["p4"].byes == history_before(event, 3).records["p4"].byes
    assert [cost_of_round(back, n) for n in (1, 4)] == [cost_of_round(from_dict(played), n) for n in (1, 4)]
    rows = {row.id: row.wins for row in standings(back).rows}
    assert rows["p4"] == {row.id: row.wins for row in standings(event).rows}["p4"]
    assert "p4" in next_round(back).as_round().players
    met = {frozenset(g.players) for r in back.rounds for g in r.games if "p4" in g.players}
    now = next(frozenset(g.players) for g in next_round(back).as_round().games if "p4" in g.players)
    assert now not in met
    with pytest.raises(EventError, match="has not left"):
        edits.cancel_withdrawal(event, "p4")
