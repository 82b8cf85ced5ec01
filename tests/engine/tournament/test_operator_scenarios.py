"""Operator scenarios: undo, pairing again, manual pairings, corrections, withdrawal and return, late entries
(PAIRING.md 4)."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from events.random_events import event_of, play_round

from engine.end_reason import EndReason
from engine.tournament import Event, EventError, cost_of_round, next_round, standings
from engine.tournament.event_edits import (
    add_players,
    cancel_withdrawal,
    enter_result,
    redo,
    remove_player,
    review_of_manual,
    set_constraints,
    swap_players,
    undo_to,
    with_missed,
    withdraw,
)
from engine.tournament.event_model import Game, Player, Winner
from engine.tournament.pairing_history_and_constraints import Constraints, history_before
from kiosk.records.event_file import from_dict, to_dict


def started_event(count: int, rounds: int, format_: str = "swiss") -> Event:
    data: dict[str, Any] = event_of(format_, count)
    rng = random.Random(count)
    for _ in range(rounds):
        play_round(data, rng)
    return from_dict(data)


def drafted(event: Event) -> Event:
    return replace(event, rounds=(*event.rounds, next_round(event).as_round()))


@pytest.mark.parametrize("to", range(5))
def test_undo_to_any_round_gives_the_event_as_it_was_and_redo_gives_it_back(to: int):
    event = started_event(10, 4)
    before, undone = undo_to(event, to)
    assert before == started_event(10, to)
    assert redo(before, undone) == event
    if to < 4:
        assert next_round(before).as_round().games[0].players == event.rounds[to].games[0].players
        if to < 3:
            with pytest.raises(EventError, match="does not follow"):
                redo(before, undone[1:])


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
        next_round(enter_result(event, 1, Game(open_.black, open_.white)))


def test_undo_of_more_rounds_than_played_is_refused():
    with pytest.raises(EventError, match="no round 5"):
        undo_to(started_event(6, 2), 5)


def test_some_tables_are_locked_and_the_rest_paired_again():
    event = drafted(started_event(12, 2))
    draft = event.rounds[-1]
    swapped = swap_players(draft, draft.games[0].white, draft.games[3].white)
    event = replace(event, rounds=(*event.rounds[:-1], swapped))
    first_game = swapped.games[0]
    before, _ = undo_to(event, draft.number - 1)
    again = next_round(set_constraints(before, draft.number, Constraints(locked=(first_game.players,))))
    assert {first_game.black, first_game.white} in [set(game.players) for game in again.games]


def test_swapping_changes_two_places_and_nothing_else():
    event = drafted(started_event(9, 2))
    draft = event.rounds[-1]
    bye, other = draft.byes[0].player, draft.games[0].black
    swapped = swap_players(draft, bye, other)
    assert swapped.byes[0].player == other and swapped.games[0].black == bye
    assert sorted(swapped.players) == sorted(draft.players)
    assert swap_players(swapped, other, bye) == draft
    with pytest.raises(EventError, match="no game and no bye"):
        swap_players(draft, "p1", "p99")
    with pytest.raises(EventError, match="has a result"):
        swap_players(started_event(8, 2).rounds[1], "p1", "p2")


def test_the_cost_of_a_manual_pairing_is_known_before_publication():
    event = started_event(12, 3)
    best = next_round(event).as_round()
    same = review_of_manual(event, best)
    assert same.played == same.optimum and same.dropped == ()
    first, last = best.games[0], best.games[-1]
    priced = review_of_manual(event, swap_players(best, first.white, last.white))
    assert priced.reasons[0].players == (first.black, last.white)
    assert any("penalty" in str(words) for words in priced.reasons[0].reasons)
    assert priced.played > priced.optimum  # type: ignore[operator]
    assert {frozenset(players) for players, _ in priced.dropped} == {frozenset(g.players) for g in (first, last)}


def test_a_correction_changes_the_standings_and_not_the_old_event():
    event = started_event(8, 3)
    old = event.rounds[0].games[0]
    won = Winner.WHITE if old.winner is not Winner.WHITE else Winner.BLACK
    black = 20 if won is Winner.WHITE else 44
    game = Game(old.black, old.white, black_discs=black, white_discs=64 - black, winner=won, end=EndReason.NORMAL)
    after = enter_result(event, 1, game)
    assert event.rounds[0].games[0] is old
    assert after.rounds[0].games[0].winner is won and after.rounds[0].games[0].table == old.table
    gained = {row.id: row.wins for row in standings(after).rows}
    before = {row.id: row.wins for row in standings(event).rows}
    winner = old.black if won is Winner.BLACK else old.white
    assert gained[winner] > before[winner]
    with pytest.raises(EventError, match="total 64"):
        enter_result(event, 1, replace(game, white_discs=1))
    outsider = next(p.id for p in event.players if p.id not in old.players)
    with pytest.raises(EventError, match="did not meet"):
        enter_result(event, 1, replace(game, white=outsider))


def test_a_withdrawn_player_keeps_results_and_gains_none_by_returning():
    event = started_event(9, 2)
    withdrawn = withdraw(event, "p4")
    assert withdrawn.rounds == event.rounds
    paired = next_round(withdrawn)
    assert "p4" not in paired.as_round().players
    played = to_dict(withdrawn)
    rng = random.Random(1)
    play_round(played, rng)
    play_round(played, rng)
    back = with_missed(cancel_withdrawal(from_dict(played), "p4"), {"p4": 4})
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
        cancel_withdrawal(event, "p4")


def test_a_late_entry_is_paired_and_needs_a_new_id():
    event = with_missed(add_players(started_event(9, 2), [Player("late")]), {"late": 2})
    assert "late" in next_round(event).as_round().players
    with pytest.raises(EventError, match="already used"):
        add_players(started_event(8, 1), [Player("p3")])


def test_a_player_can_be_removed_only_without_games():
    event = add_players(started_event(8, 1), [Player("late")])
    assert remove_player(event, "late") == started_event(8, 1)
    with pytest.raises(EventError, match="withdraw the player"):
        remove_player(event, "p1")
