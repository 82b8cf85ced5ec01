"""Tests of matches of several games at the head: games in succession at the same table, and how they are decided."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from heads.staff import chief_at, token
from heads.tournaments import DeskWorld, one_division, outcome
from heads.world import event

from engine.tournament import champion
from kiosk.head.errors import HeadError
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.pages.hall_screens.seat_lookup_page import seat_of
from kiosk.records.event_file import player_of


@contextmanager
def hall_of(directory: Path, format: str = "swiss", **options: object) -> Iterator[DeskWorld]:
    """Yield a division before its semi-finals of three games, with four kiosks."""
    options = {"semi_final_games": 3, "final_games": 3} | options
    options |= {"rounds": 1, "finals": "1-4"} if format == "swiss" else {"third_place": True}
    with one_division(directory, event(8, format, **options), range(1, 5)) as hall:
        hall.publish("main")
        for table in (1, 2, 3, 4):
            hall.hand_in(table)
        yield hall
        hall.check_rebuilt()


def at_tables(hall: DeskWorld) -> list[tuple[int | None, int, bool]]:
    return [(game.table, game.match_game, game.is_open) for game in hall["main"].current]


@pytest.mark.parametrize("format", ["swiss", "knockout"])
def test_a_table_gets_the_next_game_of_a_match_when_the_one_before_is_signed(tmp_path: Path, format: str) -> None:
    with hall_of(tmp_path, format) as hall:
        hall.publish("main")
        assert at_tables(hall) == [(1, 1, True), (2, 1, True)]
        one, other = hall["main"].current[0].black, hall["main"].current[0].white
        (first,) = hall.waiting(1)
        assert (first.body["stage"], first.body["designated"]) == ("league", False)
        assert first.body["options"]["color_decision"] == "hidden-disc-draws"
        assert "game 1 of 3" in first.body["label_en"] and "3番勝負の第1局" in first.body["label_ja"]
        hall.hand_in(1)  # Black, who was named first, wins
        assert at_tables(hall) == [(1, 1, False), (1, 2, True), (2, 1, True)]
        second = hall.waiting(1)[-1]
        assert [player["id"] for player in second.body["players"]] == [other, one] and second.body["designated"]
        assert second.body["stage"] == "league" and "color_decision" not in second.body["options"]
        hall.hand_in(1, 32)
        third = hall.waiting(1)[-1]
        assert not third.body["designated"] and third.body["options"]["color_decision"] == "hidden-disc-draws"
        hall.check_rebuilt()
        hall.hand_in(1, 10)  # Black of the third game as paired is the player named first: 1.5-1.5
        assert at_tables(hall)[:4] == [(1, 1, False), (1, 2, False), (1, 3, False), (1, 4, True)]
        fourth = hall.waiting(1)[-1]
        assert fourth.body["stage"] == "knockout" and "color_decision" not in fourth.body["options"]
        with pytest.raises(HeadError, match="must have a winner"):
            hall.desk.results.enter(fourth.game, outcome(hall["main"].current[3], 32))
        hall.hand_in(1, 10)
        assert at_tables(hall) == [(1, 1, False), (1, 2, False), (1, 3, False), (1, 4, False), (2, 1, True)]
        assert not hall["main"].round_is_complete
        hall.hand_in(2)
        hall.hand_in(2, 10)  # White of the second game has won both
        assert hall["main"].round_is_complete
        last = hall["main"].current[-1]
        for player, score in ((str(last.white), "2–0"), (last.black, "0–2")):  # each with the own score first
            assert str(seat_of(hall["main"], player).match_part) == f"game 2 of 3: match {score}"
        hall.publish("main")
        stages = [game.stage for game in hall["main"].current]
        assert sorted(stages) == ["final", "third-place"]
        final = next(game for game in hall["main"].current if game.stage == "final")
        assert other in final.players and one not in final.players


def test_a_match_may_have_two_games(tmp_path: Path) -> None:
    with hall_of(tmp_path, semi_final_games=2) as hall:
        hall.publish("main")
        hall.hand_in(1)
        assert at_tables(hall) == [(1, 1, False), (1, 2, True), (2, 1, True)]


def test_a_round_of_matches_is_taken_back_and_restored(tmp_path: Path) -> None:
    with hall_of(tmp_path) as hall:
        hall.publish("main")
        hall.hand_in(1)
        before = hall["main"].current
        hall.desk.rounds.undo("main", 2, "a mistake")
        assert [game.id for game in hall["main"].undone[0].games] == [game.id for game in before]
        hall.desk.rounds.restore("main", 0)
        assert hall["main"].current == before
        hall.hand_in(1, 10)
        hall.check_rebuilt()
        assert [game.is_open for game in hall["main"].current] == [False, False, True]


def test_a_corrected_result_changes_the_games_that_are_due(tmp_path: Path) -> None:
    with hall_of(tmp_path) as hall:
        hall.publish("main")
        hall.hand_in(1)
        hall.hand_in(1)  # 1-1: Black has won twice
        _, second, third, _ = hall["main"].current
        assert third.match_game == 3 and third.is_open
        hall.desk.results.correct(second.id, outcome(second, 10), "two slips were confused")
        assert [game.match_game for game in hall["main"].current] == [1, 2, 1]  # 2-0


def test_the_effects_of_a_corrected_game_are_those_of_that_game(tmp_path: Path) -> None:
    """A final ends 2-0; its second game is corrected, and the third changes the winner."""
    with hall_of(tmp_path, "knockout", semi_final_games=1, third_place=False) as hall:
        hall.publish("main")
        hall.finish("main")
        hall.publish("main")
        for black_discs in (40, 24):  # the same player wins with either colour
            hall.finish("main", black_discs)
        one, other = hall["main"].current[0].paired.players
        second = hall["main"].current[1]
        hall.desk.results.correct(second.id, outcome(second, 40), "two slips were confused")
        third = hall["main"].current[2]
        hall.desk.results.enter(third.id, outcome(third, 40 if third.black == other else 24))
        (correction,) = (act for act in hall.desk.results.history(second.id) if act.kind == "result-corrected")
        impact = hall.desk.results.ask_consequences(correction, hall["main"].current[1]).result()
        ranks = {id: (before and before.rank, after and after.rank) for id, before, after in impact.rows}
        assert ranks == {one: (1, 2), other: (2, 1)}
        assert [row.table for row in hall.store.commands(game=third.id) if row.kind == "withdraw"] == [1]
        hall.desk.results.correct(second.id, outcome(second, 40), "they were not")
        assert [game.match_game for game in hall["main"].current] == [1, 2, 3, 1]


def test_taking_a_result_back_takes_the_next_game_from_its_table(tmp_path: Path) -> None:
    """A result entered for the wrong match can be taken back at once, though the next game is at the table already."""
    with hall_of(tmp_path) as hall:
        hall.publish("main")
        first = hall["main"].current[0]
        hall.desk.results.enter(first.id, outcome(first, 40))
        second = hall["main"].current[1]
        assert (second.table, second.match_game) == (1, 2)
        hall.desk.results.take_back(first.id, "it was table 2")
        assert (hall["main"].current[0].id, hall["main"].current[0].table) == (first.id, 1)
        assert [game.match_game for game in hall["main"].current] == [1, 1]
        orders = [(row.kind, row.game) for row in hall.store.commands(1)][-2:]
        assert orders == [("withdraw", second.id), ("assign", first.id)]
        hall.hand_in(1)
        assert [game.match_game for game in hall["main"].current] == [1, 2, 1]


@pytest.mark.parametrize(
    ("change", "possible"),
    [
        ({"final_games": 5}, True),
        ({"third_place_games": 3}, True),
        ({"semi_final_games": 5}, False),
        ({"semi_final_games": None}, False),
        ({"match_draws": "draw_right"}, False),
        ({"match_level": "rank"}, False),
    ],
)
def test_the_games_of_published_matches_cannot_change(
    tmp_path: Path, change: dict[str, object], possible: bool
) -> None:
    with hall_of(tmp_path) as hall:
        hall.desk.divisions.change(DivisionChanged("main", options=change))
        hall.desk.divisions.change(DivisionChanged("main", options=dict.fromkeys(change) | {"semi_final_games": 3}))
        hall.publish("main")

        def act() -> None:
            hall.desk.divisions.change(DivisionChanged("main", options=change))

        if possible:
            act()
        else:
            refused(act, "has been published")


def refused(act: Callable[[], None], words: str) -> None:
    with pytest.raises(HeadError, match=words):
        act()


def test_a_level_match_at_a_plain_table_is_decided_by_rank(tmp_path: Path) -> None:
    """Without kiosks the results are entered; a level match goes to the player with the higher league rank."""
    options = {"rounds": 1, "finals": "1-2", "final_games": 3, "match_level": "rank"}
    with one_division(tmp_path, event(4, "swiss", **options), ()) as hall:
        hall.publish("main")
        hall.finish("main", 50)
        hall.publish("main")
        higher = hall["main"].current[0].black
        for black_discs in (40, 32, 24):
            (game,) = [game for game in hall["main"].current if game.is_open]
            assert game.table == 1
            won = black_discs if game.match_game != 2 else 32
            hall.desk.results.enter(game.id, outcome(game, won))
        assert hall["main"].round_is_complete
        assert champion(hall["main"].whole()) == higher
        hall.check_rebuilt()


def test_a_line_sent_twice_is_no_result_of_the_next_game(tmp_path: Path) -> None:
    options = {"rounds": 1, "finals": "1-2", "final_games": 3}
    with chief_at(tmp_path, 0, event(4, "swiss", **options)) as (head, web):
        for discs in (50, None):
            head.desk.rounds.publish(head.desk.rounds.draft().digest)
            for game in head.desk.state.current if discs else ():
                head.desk.results.enter(game.id, outcome(game, discs))
        (game,) = head.desk.state.current
        line = {"csrf": token(web), "table": "1", "game": game.id, "black": "1", "black_discs": "40"}
        assert web.post("/division/main/typed.json", data=line).status_code == 200
        again = web.post("/division/main/typed.json", data=line)
        assert again.status_code == 409 and "40" in again.text
        assert [one.is_open for one in head.desk.state.current] == [False, True]
        line["game"] = head.desk.state.current[1].id
        assert web.post("/division/main/typed.json", data=line).status_code == 200


def test_saving_the_settings_page_unchanged_keeps_the_settings(tmp_path: Path) -> None:
    """One round, and a match of one game, are numbers and no "yes"; tie-breaks keep their order; after round 1 only
    the games of later matches can change."""
    with chief_at(tmp_path, 0, event=None) as (head, web):
        web.post("/desk/name", data={"csrf": token(web), "name": "Open", "date": ""})
        made = {"kind": "swiss", "title_ja": "Open", "main": "20", "choice-rounds": "1", "choice-finals": "1-4",
                "choice-final_games": "1", "choice-semi_final_games": "3", "choice-tie_breaks": "opponents",
                "choice-tie_breaks2": "direct"}  # fmt: skip
        assert web.post("/desk/new", data={"csrf": token(web)} | made).status_code == 303
        (division,) = head.desk.state.divisions.values()
        readings = dict(division.event.options.readings)
        assert readings["tie_breaks"] == ("opponents", "direct") and readings["rounds"] == 1
        at = f"/division/{division.slug}/settings"

        def save(**changed: str) -> httpx.Response:
            page = web.get(at).text
            form = dict(re.findall(r'<input name="(choice-[^"]*)"[^>]*value="([^"]*)"', page))
            for name, body in re.findall(r'<select name="(choice-[^"]*)">(.*?)</select>', page, re.S):
                chosen = re.findall(r'<option value="([^"]*)" selected>', body)
                form[name] = chosen[0] if chosen else ""
            form |= {"csrf": token(web, at), "title_ja": "Open", "main": "20", "auto": "no", **changed}
            return web.post(at, data=form)

        assert save().status_code == 303
        assert head.desk.state.first.event.options.readings == readings
        twice = save(**{"choice-tie_breaks2": "direct"})
        assert twice.status_code == 400 and "1回だけ" in twice.text
        head.desk.players.add(division.slug, [player_of(one) for one in event(8)["players"]])
        head.desk.rounds.publish(head.desk.rounds.draft().digest)
        assert save(**{"choice-final_games": "3"}).status_code == 303
        assert head.desk.state.first.event.options.readings["final_games"] == 3
        refused_answer = save(**{"choice-tie_breaks": "discs"})
        assert refused_answer.status_code != 303 and "これからの対戦の局数だけ" in refused_answer.text
