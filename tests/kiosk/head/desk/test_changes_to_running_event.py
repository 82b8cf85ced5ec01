"""Tests of operator changes to a running event: undone rounds, changed drafts, withdrawals, corrected results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from heads.tournaments import RULES, DeskWorld, one_division, outcome, two_divisions
from heads.world import event, quick_card

from engine.end_reason import EndReason
from engine.tournament import cost_of_round, is_over
from engine.tournament.event_edits import cancel_withdrawal, with_missed, withdraw
from engine.tournament.event_model import Bye, Game, Player, Team
from engine.tournament.pairing_history_and_constraints import Constraints
from kiosk.head.desk import Desk
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event.act_types import event_of
from kiosk.head.export.published_event_builder import staff_book
from kiosk.head.publish.prizes_and_certificates import certificates_of
from kiosk.head.registration.lot_drawing import lots_from_seed
from kiosk.head.store import Store
from kiosk.head.web.form_player_and_result_parsing import RESULT_FIELDS, entry_from, parse_outcome
from kiosk.locale import JAPANESE, render


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[DeskWorld]:
    with two_divisions(tmp_path) as world:
        yield world
        world.check_rebuilt()


# taking rounds back


def test_a_round_is_taken_back_and_its_tables_are_released(hall: DeskWorld) -> None:
    hall.publish("open")
    hall.hand_in(1)
    first = hall["open"].current
    hall.desk.rounds.undo("open", 1, "two players were swapped")
    assert hall["open"].rounds == () and [one.round for one in hall["open"].undone] == [1]
    assert [row.table for row in hall.store.commands() if row.kind == "withdraw"] == [2, 3, 4, 5, 6]
    hall.publish("open")
    assert not {game.id for game in first} & {game.id for game in hall["open"].current}
    assert not any(game.outcome for game in hall["open"].current)


def test_a_card_of_a_round_that_was_taken_back_is_kept_and_never_counts(hall: DeskWorld) -> None:
    hall.publish("open")
    card = quick_card(hall.waiting(2)[0], 50)
    hall.desk.rounds.undo("open", 1, "wrong list")
    hall.publish("open")
    hall.send(2, ("card", card))
    assert [notice.kind for notice in hall.desk.state.notices] == ["card-of-undone-round"]
    assert not any(game.outcome for game in hall["open"].current)
    kept = hall["open"].undone[0].games[1].outcome
    assert kept is not None and kept.black_discs == 50
    hall.desk.divisions.dismiss_notice(hall.desk.state.notices[0].key)
    assert hall.desk.state.notices == ()
    with pytest.raises(NotFound):
        hall.desk.divisions.dismiss_notice("x")


def test_who_left_after_a_round_belongs_to_it_when_it_is_restored(hall: DeskWorld) -> None:
    """Whether he played his game, forfeited it, or plays it to its end."""
    for _ in range(2):
        hall.finish("open")
        hall.publish("open")
    hall.hand_in(1)
    games = hall["open"].current
    for name, open_game in ((games[0].black, ""), (games[1].black, "forfeit"), (games[2].black, "")):
        hall.desk.players.leave("open", name, "ill", open_game)
    before = hall["open"].whole()
    hall.desk.rounds.undo("open", 1, "a mistake")
    assert {player.withdrawn_after_round for player in hall["open"].event.players} == {0, None}
    hall.desk.rounds.restore("open", 0)
    assert {player.withdrawn_after_round for player in hall["open"].event.players} == {1, None}
    hall.desk.rounds.restore("open", 0)
    assert hall["open"].whole() == before


def test_who_leaves_while_a_round_is_undone_left_after_it(hall: DeskWorld) -> None:
    """He played in it. Who had left before it, or is entered meanwhile and leaves, did not."""
    hall.finish("open")
    hall.publish("open")
    hall.finish("open")
    first, second, gone = (game.black for game in hall["open"].current[:3])
    hall.desk.players.leave("open", gone, "ill")
    hall.publish("open")
    hall.finish("open")
    hall.desk.rounds.undo("open", 1, "a mistake")
    hall.desk.players.leave("open", first, "ill")
    (late,) = hall.desk.players.add("open", [entry_from({"name": "Late"})])
    hall.desk.players.leave("open", late, "ill")
    hall.desk.rounds.restore("open", 0)
    assert hall["open"].players()[first].withdrawn_after_round == 1
    hall.desk.players.leave("open", second, "ill")
    hall.desk.rounds.restore("open", 0)
    left = {name: hall["open"].players()[name].withdrawn_after_round for name in (first, second, gone, late)}
    assert left == {first: 2, second: 2, gone: 1, late: 0}


def test_a_round_is_restored_only_with_all_its_players(hall: DeskWorld) -> None:
    hall.publish("open")
    name = hall["open"].current[0].black
    hall.desk.rounds.undo("open", 1, "a mistake")
    hall.desk.players.remove("open", name)
    with pytest.raises(Conflict, match="1 of its players are no longer in the division"):
        hall.desk.rounds.restore("open", 0)
    assert hall["open"].rounds == ()


@pytest.mark.parametrize("seed", range(12))
def test_every_game_of_a_restored_round_returns_to_its_table(tmp_path: Path, seed: int) -> None:
    """The round has finished games, by card or by slip, running ones, games not begun or without a table, two players
    swapped in the draft, and a game moved to another table; at kiosks, at plain tables, at both; with a restart
    before and after."""
    chance = Random(seed)
    tables = range(3, 3 + chance.randint(5, 10))
    kiosks = tables if seed % 3 == 0 else [table for table in tables if seed % 3 == 1 and chance.random() < 0.5]
    store = Store(tmp_path)
    hall = DeskWorld(store, Desk(store, kiosks))
    hall.desk.divisions.create(event_of(event()), RULES)
    hall.desk.divisions.set_tables("main", tables)
    draft = hall.desk.rounds.draft("main")
    one, other = chance.sample(draft.games, 2)
    assert isinstance(one, Game) and isinstance(other, Game)
    hall.desk.rounds.swap("main", draft.digest, one.white, other.black)
    hall.publish("main")
    seated = [game for game in hall["main"].current if game.table]
    free = [table for table in tables if table not in [game.table for game in seated]]
    if free:
        hall.desk.seating.move(chance.choice(seated).id, chance.choice(free))
    for game in hall["main"].current:
        if game.table in kiosks and chance.random() < 0.4:
            hall.hand_in(game.table, chance.randint(33, 64))
        elif game.table and chance.random() < 0.4:
            hall.desk.results.enter(game.id, outcome(game, chance.randint(33, 64)))
    before = hall["main"].current
    hall.desk.rounds.undo("main", 1, "a mistake")
    if chance.random() < 0.5:
        hall.publish("main")
        hall.desk.rounds.undo("main", 1, "that was none")
    if chance.random() < 0.5:
        hall = DeskWorld(store, Desk(store, kiosks))
    hall.desk.rounds.restore("main", 0)
    hall.desk.process_pending()
    for again in (hall["main"].current, Desk(store, kiosks).state.division("main").current):
        assert again == before
    hall.check_rebuilt()
    for game in before:
        if game.is_open and game.table in kiosks:
            assert store.commands(game=game.id)[-1].kind == "assign"
            assert store.commands(game=game.id)[-1].table == game.table
    store.close()


def test_a_table_with_another_game_meanwhile_keeps_that_game(hall: DeskWorld) -> None:
    """Another division's game is not disturbed: the restored game waits or gets a free table."""
    hall.publish("open")
    before = hall["open"].current
    hall.desk.rounds.undo("open", 1, "a mistake")
    hall.desk.divisions.set_tables("open", (1, 2, 3, 4))
    hall.desk.divisions.set_tables("juniors", (5, 6))
    hall.publish("juniors")
    hall.desk.rounds.restore("open", 0)
    after = hall["open"].current
    assert [game.table for game in after[:4]] == [game.table for game in before[:4]]
    assert [game.table for game in after[4:]] == [None, None]
    assert [game.table for game in hall["juniors"].current] == [5, 6]


def test_a_swap_that_is_reversed_leaves_no_manual_draft(hall: DeskWorld) -> None:
    draft = hall.desk.rounds.draft("open")
    one, other = draft.games[0].players[0], draft.games[3].players[1]
    hall.desk.rounds.swap("open", draft.digest, one, other)
    changed = hall.desk.rounds.draft("open")
    assert changed.by_hand
    hall.desk.rounds.swap("open", changed.digest, one, other)
    assert hall.desk.rounds.draft("open") == draft and not draft.by_hand


def test_a_round_is_restored_only_as_the_next_round(hall: DeskWorld) -> None:
    for _ in range(2):
        hall.publish("open")
        hall.finish("open")
    hall.desk.rounds.undo("open", 1, "all of it")
    assert [one.round for one in hall["open"].undone] == [1, 2]
    with pytest.raises(Conflict, match="does not follow"):
        hall.desk.rounds.restore("open", 1)
    hall.desk.rounds.restore("open", 0)
    hall.desk.rounds.restore("open", 0)
    assert len(hall["open"].rounds) == 2 and hall["open"].undone == ()
    with pytest.raises(NotFound):
        hall.desk.rounds.restore("open", 0)
    with pytest.raises(HeadError, match="reason"):
        hall.desk.rounds.undo("open", 2, " ")
    with pytest.raises(Conflict, match="no longer exists"):
        hall.desk.rounds.undo("open", 3, "again")


# drafts that are changed


def test_two_players_are_swapped_in_the_draft(hall: DeskWorld) -> None:
    draft = hall.desk.rounds.draft("open")
    one, other = draft.games[0].black, draft.games[3].white
    hall.desk.rounds.swap("open", draft.digest, one, other)
    changed = hall.desk.rounds.draft("open")
    assert changed.by_hand and (changed.games[0].black, changed.games[3].white) == (other, one)
    look = hall.desk.rounds.ask_review("open", changed).result()
    assert look.played is not None and look.optimum is not None and len(look.reasons) == 6
    with pytest.raises(Conflict, match="draft has changed"):
        hall.desk.rounds.publish(draft.digest, "open")
    with pytest.raises(Conflict, match="draft has changed"):  # a second operator with an outdated page
        hall.desk.rounds.swap("open", draft.digest, one, other)
    hall.desk.rounds.reset_draft("open")
    assert hall.desk.rounds.draft("open") == draft


def test_pairing_constraints_are_kept_and_can_be_removed(hall: DeskWorld) -> None:
    rounds = hall.desk.rounds
    rounds.constraints.add("open", rounds.draft("open").digest, Constraints((("p1", "p2"),), (("p3", "p4"),)))
    rounds.constraints.add("open", rounds.draft("open").digest, Constraints(colours={"p1": "white"}))
    games = rounds.draft("open").games
    assert ("p2", "p1") in [game.players for game in games]
    assert not any({"p3", "p4"} == set(game.players) for game in games)
    rounds.constraints.add("open", rounds.draft("open").digest, Constraints(byes=("p5", "p6")))
    assert {game.player for game in rounds.draft("open").games if isinstance(game, Bye)} == {"p5", "p6"}
    rounds.constraints.remove("open", "byes", ["p5"])
    with pytest.raises(HeadError):  # eleven players and one bye: the pairing says why it is impossible
        rounds.constraints.add("open", rounds.draft("open").digest, Constraints((("p1", "p3"),)))
        rounds.draft("open")
    rounds.reset_draft("open")
    assert not any(isinstance(game, Bye) for game in rounds.draft("open").games)


# players


def test_a_player_who_leaves_during_a_round_loses_his_open_game(hall: DeskWorld) -> None:
    hall.publish("open")
    game = hall["open"].current[2]
    hall.desk.players.leave("open", str(game.white), "went home", "forfeit")
    lost = hall["open"].current[2].outcome
    assert lost is not None and (lost.winner, lost.end, lost.black_discs, lost.rated) == ("black", "forfeit", 64, False)
    assert [row.table for row in hall.store.commands() if row.kind == "withdraw"] == [3]
    hall.finish("open")
    paired = [name for line in hall.desk.rounds.draft("open").games for name in line.players]
    assert game.white not in paired
    hall.desk.players.cancel_withdrawal("open", str(game.white))
    assert game.white in [name for line in hall.desk.rounds.draft("open").games for name in line.players]
    with pytest.raises(Conflict):
        hall.desk.players.cancel_withdrawal("open", str(game.white))


def test_who_leaves_loses_with_the_discs_of_the_events_forfeits(tmp_path: Path) -> None:
    """As in the results form; in ChouChou without pieces."""
    for format, discs in (("adjacent", (40, 24)), ("chouchou", (None, None))):
        with one_division(tmp_path / format, event(4, format, forfeit_discs=40)) as hall:
            hall.publish("main")
            hall.desk.players.leave("main", str(hall["main"].current[0].white), "ill", "late")
            lost = hall["main"].current[0].outcome
            assert lost is not None and (lost.black_discs, lost.white_discs) == discs
            assert (lost.winner, lost.end, lost.rated) == ("black", "late", False)


def _paired(hall: DeskWorld, slug: str) -> set[str]:
    """Return the players with a game or a bye in the next round."""
    return {name for game in hall.desk.rounds.draft(slug).games for name in game.players}


def _swap_first_two(hall: DeskWorld, slug: str) -> tuple[str, str]:
    """Swap the first players of the draft's first two entries, and return them."""
    draft = hall.desk.rounds.draft(slug)
    one, other = draft.games[0].players[0], draft.games[1].players[0]
    hall.desk.rounds.swap(slug, draft.digest, one, other)
    assert hall.desk.rounds.draft(slug).by_hand
    return one, other


def _absences(hall: DeskWorld, slug: str) -> dict[str, list[str]]:
    """Return the absences that the engine reads from the event file of a restarted head."""
    desk = Desk(hall.store, range(1, 9))
    return {key: sorted(names) for key, names in desk.state.division(slug).whole().options.absences.items()}


def test_a_player_who_misses_a_round_is_paired_again_after_it(hall: DeskWorld) -> None:
    players = hall.desk.players
    players.miss_round("open", "p3", 2, away=True)
    players.miss_round("open", "p4", 2, away=True)
    players.miss_round("open", "p5", 2, away=True)
    players.miss_round("open", "p5", 2, away=False)  # he plays after all
    hall.publish("open")
    with pytest.raises(Conflict, match="published") as caught:
        players.miss_round("open", "p3", 1, away=True)
    assert render(caught.value.text, JAPANESE) != str(caught.value)
    hall.finish("open")
    assert _paired(hall, "open") == {f"p{n}" for n in range(1, 13)} - {"p3", "p4"}
    hall.publish("open")
    hall.finish("open")
    assert _paired(hall, "open") == {f"p{n}" for n in range(1, 13)}
    assert _absences(hall, "open") == {"2": ["p3", "p4"]}
    players.miss_round("open", "p3", 3, away=True)
    assert _absences(hall, "open") == {"2": ["p3", "p4"], "3": ["p3"]}


def test_the_event_file_has_withdrawals_and_returns(hall: DeskWorld) -> None:
    """It is the same file that the engine's own acts make (operator.withdraw, take_back, with_missed)."""
    players = hall.desk.players
    hall.publish("open")
    hall.finish("open")
    players.leave("open", "p3", "ill")
    engine = withdraw(hall["open"].whole(), "p3")
    hall.publish("open")
    hall.finish("open")
    engine = with_missed(cancel_withdrawal(replace(engine, rounds=hall["open"].whole().rounds), "p3"), {"p3": 2})
    players.cancel_withdrawal("open", "p3")
    assert hall["open"].whole() == engine
    assert "p3" in _paired(hall, "open") and _absences(hall, "open") == {"2": ["p3"]}
    hall.desk.rounds.undo("open", 2, "he was here all the time")
    assert "p3" in _paired(hall, "open") and _absences(hall, "open") == {}
    hall.publish("open")
    assert _absences(hall, "open") == {}  # he is in the round now


def test_a_late_entry_has_missed_the_rounds_before(hall: DeskWorld) -> None:
    hall.desk.players.set_absent("open", ["p12"], absent=True)
    hall.publish("open")
    hall.finish("open")
    (late,) = hall.desk.players.add("open", [Player("", "Ivo Late")])
    hall.desk.players.check_in("open", ["p12"], arrived=True)
    assert _absences(hall, "open") == {"1": sorted(["p12", late])}
    assert {"p12", late} <= _paired(hall, "open")
    hall.desk.players.miss_round("open", late, 2, away=True)
    hall.desk.players.remove("open", late)  # entered by mistake and not asked about again
    assert _absences(hall, "open") == {"1": ["p12"]}


def test_a_manual_draft_is_dropped_when_one_of_its_players_withdraws(hall: DeskWorld) -> None:
    hall.publish("open")
    hall.finish("open")
    _, left = _swap_first_two(hall, "open")
    hall.desk.players.leave("open", left, "ill")
    assert left not in _paired(hall, "open") and not hall.desk.rounds.draft("open").by_hand


@pytest.mark.parametrize("player", ["p2", "p4"])
def test_a_manual_draft_is_dropped_when_one_of_its_players_is_deleted(hall: DeskWorld, player: str) -> None:
    """p4 is absent: the draft does not name him, and stays."""
    hall.desk.players.set_absent("juniors", ["p4"], absent=True)
    _swap_first_two(hall, "juniors")
    made = hall["juniors"].hand_made
    hall.desk.players.remove("juniors", player)
    assert hall["juniors"].hand_made == (made if player == "p4" else None)
    assert player not in _paired(hall, "juniors")
    hall.publish("juniors")


def test_a_manual_draft_of_round_1_is_dropped_when_somebody_joins(hall: DeskWorld) -> None:
    players = hall.desk.players
    _swap_first_two(hall, "open")
    players.check_in("open", ["p1"], arrived=True)
    assert hall["open"].hand_made, "he was in it"
    (late,) = players.add("open", [Player("", "Ivo Late")])
    assert late in _paired(hall, "open") and hall["open"].hand_made is None
    players.leave("open", "p2", "ill")
    _swap_first_two(hall, "open")
    players.cancel_withdrawal("open", "p2")
    assert "p2" in _paired(hall, "open")
    players.set_absent("open", ["p3"], absent=True)
    _swap_first_two(hall, "open")
    players.check_in("open", ["p3"], arrived=True)
    assert "p3" in _paired(hall, "open")


def test_a_new_draw_pairs_anew_what_was_changed_by_hand(tmp_path: Path) -> None:
    with one_division(tmp_path, event(40, "m40-33-64")) as hall:
        hall.desk.players.set_lots(lots_from_seed(hall["main"], 1))
        _swap_first_two(hall, "main")
        hall.desk.players.set_lots(lots_from_seed(hall["main"], 2))
        assert not hall.desk.rounds.draft("main").by_hand


def test_absent_players_are_not_paired_and_late_players_are(hall: DeskWorld) -> None:
    players = hall.desk.players
    players.check_in("juniors", ["p1", "p2", "p3", "p4"], arrived=True)
    assert hall["juniors"].here == {"p1", "p2", "p3", "p4"}
    players.set_absent("juniors", ["p4"], absent=True)
    assert hall["juniors"].here == {"p1", "p2", "p3"}
    (bye,) = [game.player for game in hall.desk.rounds.draft("juniors").games if isinstance(game, Bye)]
    assert bye in ("p1", "p2", "p3")
    players.check_in("juniors", ["p4"], arrived=True)
    assert not any(isinstance(game, Bye) for game in hall.desk.rounds.draft("juniors").games)
    (late,) = players.add("juniors", [Player("", "Ivo Late")])
    assert late == "p5" and any(isinstance(game, Bye) for game in hall.desk.rounds.draft("juniors").games)
    players.remove("juniors", late)
    hall.publish("juniors")
    with pytest.raises(Conflict, match="the player leaves instead"):
        players.remove("juniors", "p1")


def test_a_no_show_stays_in_the_list_if_lots_follow_its_order(tmp_path: Path) -> None:
    """Deleted after round 1, he would change the lots of all below him; a late entry at the end changes none."""
    with one_division(tmp_path, event(9, "adjacent", rounds=3)) as hall:
        players = hall.desk.players
        players.set_absent("main", ["p2"], absent=True)
        hall.publish("main")
        hall.finish("main")
        (late,) = players.add("main", [Player("", "Ivo Late")])
        with pytest.raises(Conflict, match="mark the player absent"):
            players.remove("main", "p2")
        players.remove("main", late)
        other = event(4) | {"players": [{"id": "q1", "name": "Ada Other"}]}
        hall.desk.divisions.create(event_of(other), RULES, "other")
        players.move("main", "p2", "other", "moved")
        assert hall["main"].players()["p2"].absent and late not in hall["main"].players()
        cost = cost_of_round(hall["main"].whole(), 1)
        assert cost["played"] == cost["optimum"]
        hall.check_rebuilt()


def test_an_invalid_entry_changes_nothing(hall: DeskWorld) -> None:
    before = hall.store.operator_events()
    with pytest.raises(HeadError):
        hall.desk.players.import_lists({"open": ([Player("", "New")], {"p1": {"sex": "x"}})})
    with pytest.raises(HeadError):
        hall.desk.players.add("open", [Player("p1", "A")])
    assert hall.store.operator_events() == before


def test_nobody_is_entered_twice_by_a_form_that_is_sent_twice(hall: DeskWorld) -> None:
    """Each form was checked before the other's players were entered. Namesakes with two birth years are two people."""
    namesakes = [Player("", "Ivo Late", birth_year=2001), Player("", "Ivo Late", birth_year=2009)]
    for _ in range(2):
        hall.desk.players.import_lists({"open": (namesakes, {})})
    hall.desk.players.add("open", [Player("", "Ivo Late", birth_year=1990)])
    with pytest.raises(HeadError, match="is entered already"):
        hall.desk.players.add("open", [Player("", "Ivo Late", birth_year=1990)])
    late = [one.birth_year for one in hall["open"].event.players if one.name == "Ivo Late"]
    assert late == [2001, 2009, 1990]


@pytest.mark.parametrize("fields", ({"lot": 99}, {"seed": 2}))
def test_lots_and_seeds_stay_once_round_1_is_published(hall: DeskWorld, fields: dict[str, object]) -> None:
    """Neither the player's form nor a list changes them; a form that repeats them is saved."""
    players = hall.desk.players
    players.change("open", "p1", {"seed": 1})
    hall.publish("open")
    with pytest.raises(Conflict, match="lots and seeds stay"):
        players.change("open", "p1", fields)
    with pytest.raises(Conflict, match="lots and seeds stay"):
        players.import_lists({"open": ([], {"p1": fields})})
    players.change("open", "p1", {"seed": 1, "lot": None, "club": "A"})
    entry = hall["open"].players()["p1"]
    assert (entry.seed, entry.lot, entry.club) == (1, None, "A")


def test_teams_and_their_order_sheets(hall: DeskWorld) -> None:
    people = [{"id": f"q{number}", "name": f"Name {number}"} for number in range(1, 7)]
    event_of_teams = {"schema": "othello-event/1", "format": "team", "options": {"random_seed": 3}, "players": people}
    hall.desk.divisions.create(event_of(event_of_teams), RULES, "team")
    players = hall.desk.players
    for name, members in (("A", ["q1", "q2", "q3"]), ("B", ["q4", "q5", "q6"])):
        players.set_team("team", Team("", name, tuple(members), members[0]))
    assert list(hall["team"].teams()) == ["t1", "t2"]
    players.set_order("team", "t1", 1, ["q3", "q2", "q1"])
    boards = [set(game.players) for game in hall.desk.rounds.draft("team").games]
    assert boards == [{"q3", "q4"}, {"q2", "q5"}, {"q1", "q6"}]
    hall.publish("team")
    with pytest.raises(Conflict, match="fixed"):
        players.set_order("team", "t1", 1, ["q1", "q2", "q3"])
    with pytest.raises(Conflict, match="taken out"):
        players.set_team("team", Team("t1", "A", ("q1", "q2"), "q1"))


# results


def test_a_result_entered_for_the_wrong_game_is_taken_back(hall: DeskWorld) -> None:
    hall.publish("open")
    game = hall["open"].current[0]
    hall.desk.results.enter(game.id, outcome(game, 40))
    hall.desk.results.take_back(game.id, "it was table 2")
    assert hall["open"].current[0].is_open
    assert [row.kind for row in hall.store.commands(1)] == ["assign", "withdraw", "assign"]
    hall.hand_in(2)
    played = hall["open"].current[1]
    for _ in range(2):
        with pytest.raises(Conflict, match="came from its table"):
            hall.desk.results.take_back(played.id, "x")
        hall.desk.results.correct(played.id, outcome(played, 50), "its card would count again")


def test_a_result_of_a_game_without_a_table_is_taken_back(tmp_path: Path) -> None:
    """There is one table for four games, so others wait too."""
    with one_division(tmp_path, event(8, "adjacent"), [1]) as hall:
        hall.publish()
        game = hall["main"].current[-1]
        hall.desk.results.enter(game.id, outcome(game, 40))
        hall.desk.results.take_back(game.id, "it was another slip")
        assert hall["main"].current[-1].is_open
        hall.check_rebuilt()


def test_a_correction_based_on_an_outdated_result_is_refused(hall: DeskWorld) -> None:
    hall.publish("open")
    game = hall["open"].current[0]
    hall.desk.results.enter(game.id, outcome(game, 40))
    seen = f"{game.black} 40-24 {game.white} (black, normal)"
    hall.desk.results.correct(game.id, outcome(game, 30), "the first", seen)
    with pytest.raises(Conflict, match="was changed to"):
        hall.desk.results.correct(game.id, outcome(game, 50), "the second", seen)


@pytest.mark.parametrize("format", ("adjacent", "swiss", "m43-open", "m40-open", "knockout"))
def test_a_double_forfeit_loses_for_both(tmp_path: Path, format: str) -> None:
    """It is entered, corrected and taken back as any result, and the next round is paired without a warning."""
    with one_division(tmp_path, event(16, format)) as hall:
        hall.publish("main")
        game = hall["main"].current[0]
        neither = outcome(game, 0, 0, "neither", "forfeit")
        for wrong in ({"end": EndReason.NORMAL}, {"black_discs": 32, "white_discs": 32}, {"rated": True}):
            with pytest.raises(HeadError, match="double forfeit"):
                hall.desk.results.enter(game.id, replace(neither, **wrong))
        hall.desk.results.enter(game.id, neither)
        hall.desk.results.correct(game.id, outcome(game, 40), "one came late")
        hall.desk.results.correct(game.id, neither, "no, he did not")
        hall.finish("main")
        hall.check_rebuilt()
        played = hall["main"].whole().rounds[0].games[0]
        assert [played.half_points(name) for name in played.players] == [0, 0] and not played.over_the_board
        hall.publish("main")
        playing = {name for one in hall["main"].current for name in one.players}
        assert playing.isdisjoint(played.players) == (format == "knockout")


def test_a_division_is_ended_early_with_its_standings_and_certificates(hall: DeskWorld) -> None:
    """Between two rounds, for the time that is left; no round is paired then, and it can go on after all."""
    hall.publish("open")
    with pytest.raises(Conflict, match="games of its last round are finished"):
        hall.desk.divisions.end("open", ended=True)
    hall.hand_in(1, 60)
    hall.hand_in(2, 50)
    hall.finish("open")
    assert not is_over(hall["open"].whole())
    hall.desk.divisions.end("open", ended=True)
    assert is_over(hall["open"].whole())
    papers = certificates_of(staff_book(hall.desk), only="open")
    assert [one.rank for one in papers][-2:] == [2, 1]
    with pytest.raises(HeadError, match="ended after round 1"):
        hall.desk.rounds.ask_draft("open").result()
    hall.desk.divisions.end("open", ended=False)
    hall.publish("open")
    assert len(hall["open"].rounds) == 2 and not is_over(hall["open"].whole())


def test_a_no_show_is_one_choice_of_the_form(hall: DeskWorld) -> None:
    hall.publish("open")
    game = hall["open"].current[0]
    typed = dict.fromkeys(RESULT_FIELDS, "")
    for field, gone, won in (("winner", game.black, "white"), ("won", str(game.white), "black")):
        lost = parse_outcome({**typed, field: f"without {gone}"}, hall["open"].event, game)
        assert (lost.winner, lost.end, lost.rated) == (won, EndReason.FORFEIT, False)
        assert {lost.black_discs, lost.white_discs} == {0, 64}
