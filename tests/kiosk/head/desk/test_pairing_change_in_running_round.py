"""Tests of changes to a running round: pairs, latecomers, tables; games in play keep their tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from heads.tournaments import DeskWorld, one_division, outcome
from heads.world import event, quick_card

from engine.tournament.event_model import Player, Team
from kiosk.head.current_user import as_user
from kiosk.head.desk.round_draft_publish_amend_undo import amendment_key
from kiosk.head.errors import Conflict, HeadError
from kiosk.head.event.head_game_and_result_check import HeadGame


@contextmanager
def hall_of(directory: Path, format: str, players: int, tables: int = 10) -> Iterator[DeskWorld]:
    with one_division(directory, event(players, format), range(1, tables + 1)) as hall:
        yield hall
        hall.check_rebuilt()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[DeskWorld]:
    """Nine players in a Swiss, ten kiosks: round 1 is published, table 2 has its result."""
    with hall_of(tmp_path, "swiss", 9) as made:
        made.publish("main")
        made.hand_in(2, 50)
        yield made


def amend(hall: DeskWorld, one: str, other: str) -> None:
    change = hall.desk.rounds.ask_amendment("main", one, other).result()
    hall.desk.rounds.amend("main", amendment_key(change), one, other)


def enter(hall: DeskWorld, name: str) -> str:
    (id,) = hall.desk.players.add("main", [Player("", name)])
    hall.desk.players.check_in("main", [id], arrived=True)
    return id


def places(hall: DeskWorld) -> dict[frozenset[str], int | None]:
    return {game.players: game.table for game in hall["main"].current}


def bye(hall: DeskWorld) -> HeadGame:
    return next(game for game in hall["main"].current if game.is_bye)


def orders(hall: DeskWorld, since: int) -> list[tuple[str, int, str]]:
    return [(row.kind, row.table, row.game) for row in hall.store.commands()[since:]]


def test_a_latecomer_is_paired_with_the_player_who_has_the_bye(hall: DeskWorld) -> None:
    before, sent, waits = hall["main"].current, len(hall.store.commands()), bye(hall)
    late = enter(hall, "Late")
    change = hall.desk.rounds.ask_amendment("main", late, waits.black).result()
    assert [entry.players for entry in change.removed] == [(waits.black,)]
    assert isinstance(change.before, int) and change.after == change.optimum
    amend(hall, late, waits.black)
    now = hall["main"].current
    assert now[:4] == before[:4], "games in play are as they were"
    assert now[4].players == {late, waits.black} and now[4].table == 5 and now[4].id not in {game.id for game in before}
    assert orders(hall, sent) == [("assign", 5, now[4].id)]
    hall.finish("main")
    assert hall["main"].whole().options.absences == {}, "he did not miss the round"
    hall.publish("main")
    assert len(hall["main"].current) == 5


def test_two_latecomers_get_a_game_of_their_own(hall: DeskWorld) -> None:
    before = hall["main"].current
    one, other = enter(hall, "Late"), enter(hall, "Later")
    amend(hall, one, other)
    assert hall["main"].current[:5] == before
    assert places(hall)[frozenset((one, other))] == 5


def test_two_pairs_without_a_result_change_opponents(hall: DeskWorld) -> None:
    """The kiosks release the old games before they get the new ones, and a late card of an old one never counts."""
    first, third = (next(game for game in hall["main"].current if game.table == table) for table in (1, 3))
    waiting = hall.waiting(3)[-1]
    sent = len(hall.store.commands())
    amend(hall, first.black, str(third.white))
    now = places(hall)
    assert now[frozenset((first.black, str(third.white)))] == 1
    assert now[frozenset((str(first.white), third.black))] == 3
    one, two = (next(game for game in hall["main"].current if game.table == table) for table in (1, 3))
    released = [("withdraw", 1, first.id), ("withdraw", 3, third.id)]
    assert orders(hall, sent) == [*released, ("assign", 1, one.id), ("assign", 3, two.id)]
    hall.send(3, ("card", quick_card(waiting, 40)))
    assert hall["main"].current[2].outcome is None
    assert [notice.kind for notice in hall.desk.state.notices] == ["card-of-undone-round"]


def test_all_games_of_a_round_may_change_opponents(tmp_path: Path) -> None:
    with hall_of(tmp_path, "swiss", 4) as hall:
        hall.publish("main")
        first, second = hall["main"].current
        amend(hall, first.black, str(second.white))
        assert [game.id for game in hall["main"].removed] == [first.id, second.id]
        assert frozenset((first.black, second.white)) in places(hall)


def test_a_game_with_a_result_stays(hall: DeskWorld) -> None:
    over = next(game for game in hall["main"].current if game.outcome)
    with pytest.raises(HeadError, match="has a result, so it stays"):
        amend(hall, over.black, bye(hall).black)
    playing = next(game for game in hall["main"].current if game.is_open)
    with pytest.raises(HeadError, match="who do not meet"):
        amend(hall, playing.black, str(playing.white))


def test_a_result_between_preview_and_confirmation_is_kept(hall: DeskWorld) -> None:
    first, third = (next(game for game in hall["main"].current if game.table == table) for table in (1, 3))
    pair = first.black, str(third.white)
    seen = amendment_key(hall.desk.rounds.ask_amendment("main", *pair).result())
    hall.hand_in(3)
    with pytest.raises(HeadError, match="has a result, so it stays"):
        hall.desk.rounds.amend("main", seen, *pair)
    other = next(game for game in hall["main"].current if game.table == 4)
    with pytest.raises(Conflict, match="look at it again"):
        hall.desk.rounds.amend("main", seen, first.black, str(other.white))


def test_a_changed_round_is_undone_and_taken_back_and_restored(hall: DeskWorld) -> None:
    before = hall["main"].current
    first, third = (next(game for game in before if game.table == table) for table in (1, 3))
    with as_user("ann"):
        amend(hall, first.black, str(third.white))
        done = hall.desk.undo.last("ann")
        assert done is not None
        hall.desk.undo.take_back(done.number)
    assert hall["main"].current == before
    assert [row.game for row in hall.store.commands()][-2:] == [first.id, third.id]
    amend(hall, first.black, str(third.white))
    late = enter(hall, "Late")
    amend(hall, late, bye(hall).black)
    amended = hall["main"].current
    hall.desk.rounds.undo("main", 1, "a mistake")
    draft = hall.desk.rounds.draft("main")
    assert draft.by_hand and [set(game.players) for game in draft.games] == [game.players for game in amended]
    hall.desk.rounds.restore("main", 0)
    assert hall["main"].current == amended
    third = next(game for game in amended if game.table == 3)
    fourth = next(game for game in amended if game.table == 4)
    amend(hall, third.black, str(fourth.white))
    ids = [game.id for game in (*hall["main"].current, *hall["main"].removed)]
    assert len(set(ids)) == len(ids) == 5 + 7, "no id is used twice"


def test_a_restored_game_whose_players_have_a_taken_fixed_table_is_given_another(tmp_path: Path) -> None:
    """Its first assignment has been sent; the next one is a command of its own."""
    with hall_of(tmp_path, "swiss", 10) as hall:
        first, second = hall.desk.rounds.draft("main").games[:2]
        for name in (first.players[0], second.players[0]):
            hall.desk.players.change("main", name, {"table": 3})
        hall.publish("main")
        hall.desk.process_pending()
        there = next(game for game in hall["main"].current if game.table == 3)
        fixed = {first.players[0], second.players[0]} - there.players
        elsewhere = next(game for game in hall["main"].current if fixed & game.players)
        other = next(game for game in hall["main"].current if game not in (there, elsewhere) and not game.is_bye)
        with as_user("ann"):
            amend(hall, elsewhere.black, str(other.white))
            done = hall.desk.undo.last("ann")
            assert done is not None
            hall.desk.undo.take_back(done.number)
        enter(hall, "Late")
        seats = [game.table for game in hall["main"].current if not game.is_bye]
        assert None not in seats and len(set(seats)) == len(seats)


def test_a_manual_swap_is_kept_when_the_round_is_taken_back(tmp_path: Path) -> None:
    """Only manual changes are kept, and only while the players are the same."""
    with hall_of(tmp_path, "swiss", 8) as hall:
        hall.publish("main")
        hall.desk.rounds.undo("main", 1, "the hall was not ready")
        draft = hall.desk.rounds.draft("main")
        assert not draft.by_hand
        one, other = draft.games[0].players[0], draft.games[1].players[0]
        hall.desk.rounds.swap("main", draft.digest, one, other)
        swapped = hall.desk.rounds.draft("main")
        hall.publish("main")
        assert hall["main"].by_hand == {1}
        hall.desk.rounds.undo("main", 1, "again")
        assert hall.desk.rounds.draft("main") == swapped and swapped.by_hand and hall["main"].by_hand == frozenset()
        assert [one.by_hand for one in hall["main"].undone] == [False, True]
        hall.desk.rounds.restore("main", 1)
        assert hall["main"].by_hand == {1}
        enter(hall, "Late")
        hall.desk.rounds.undo("main", 1, "with the latecomer")
        assert not hall.desk.rounds.draft("main").by_hand


@pytest.mark.parametrize(
    "format, players",
    [("adjacent", 9), ("m43-open", 9), ("m40-open", 16), ("m40-elementary", 9), ("othello-pool", 9), ("chouchou", 9)],
)
def test_opponents_change_in_every_format_with_a_league(tmp_path: Path, format: str, players: int) -> None:
    with hall_of(tmp_path, format, players) as hall:
        hall.publish("main")
        first = hall["main"].current[0]
        second = next(
            game for game in hall["main"].current[1:] if game.paired.league == first.paired.league and not game.is_bye
        )
        amend(hall, first.black, str(second.white))
        assert {game.players for game in hall["main"].current} >= {
            frozenset((first.black, str(second.white))),
            frozenset((str(first.white), second.black)),
        }


@pytest.mark.parametrize("format, players, words", [
    ("knockout", 8, "finals and brackets"), ("round-robin", 6, "the rules give every pair"),
    ("team", 12, "the rules give every pair"),
])  # fmt: skip
def test_only_tables_change_if_the_rules_determine_the_pairs(
    tmp_path: Path, format: str, players: int, words: str
) -> None:
    with hall_of(tmp_path, format, players) as hall:
        if format == "team":
            for number in range(4):
                members = tuple(f"p{3 * number + one}" for one in (1, 2, 3))
                hall.desk.players.set_team("main", Team(f"t{number}", None, members))
        hall.publish("main")
        first, second = hall["main"].current[:2]
        with pytest.raises(HeadError, match=words):
            amend(hall, first.black, str(second.white))
        hall.desk.seating.move(first.id, 2, second.id)
        assert [game.table for game in hall["main"].current[:2]] == [2, 1]


def test_two_tables_are_swapped_and_swapped_back(hall: DeskWorld) -> None:
    before, sent = hall["main"].current, len(hall.store.commands())
    first, third = (next(game for game in before if game.table == table) for table in (1, 3))
    with as_user("ann"):
        hall.desk.seating.move(first.id, 3, third.id)
        assert places(hall)[first.players] == 3 and places(hall)[third.players] == 1
        released = [("withdraw", 1, first.id), ("withdraw", 3, third.id)]
        assert orders(hall, sent) == [*released, ("assign", 3, first.id), ("assign", 1, third.id)]
        done = hall.desk.undo.last("ann")
        assert done is not None
        hall.desk.undo.take_back(done.number)
    assert hall["main"].current == before


def test_a_player_with_a_fixed_table_has_it_in_every_round(tmp_path: Path) -> None:
    """Also in the draft, if two such players meet, and if another division or game would have taken the table."""
    with hall_of(tmp_path, "swiss", 8, tables=4) as hall:
        hall.desk.players.change("main", "p5", {"table": 3})
        hall.desk.players.change("main", "p6", {"table": 12})
        for _ in range(3):
            draft = hall.desk.rounds.draft("main")
            drawn = {name: game.table for game in draft.games for name in game.players}  # type: ignore[union-attr]
            together = any(set(game.players) == {"p5", "p6"} for game in draft.games)
            assert together or (drawn["p5"], drawn["p6"]) == (3, 12)
            assert len(set(drawn.values())) == 4 and bool(draft.warnings and together) == together
            hall.publish("main")
            seats = {name: game.table for game in hall["main"].current for name in game.players}
            assert together or (seats["p5"], seats["p6"]) == (3, 12)
            assert together or sorted(set(seats.values()) - {None}) == [1, 2, 3, 12]  # type: ignore[type-var]
            own, other = sorted(hall["main"].current, key=lambda game: "p5" not in game.players)[:2]
            amend(hall, "p5", str(other.white))
            assert "p6" in (*own.players, *other.players) or places(hall)[frozenset(("p5", str(other.white)))] == 3
            hall.finish("main")


def test_tables_are_swapped_without_kiosks(tmp_path: Path) -> None:
    with hall_of(tmp_path, "adjacent", 6, tables=0) as hall:
        hall.publish("main")
        hall.desk.process_pending()
        first, second, _ = hall["main"].current
        assert (first.table, second.table) == (1, 2)
        hall.desk.seating.move(first.id, 2, second.id)
        assert [game.table for game in hall["main"].current] == [2, 1, 3]
        hall.desk.results.enter(second.id, outcome(second, 40))
