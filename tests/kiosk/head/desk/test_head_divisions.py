"""Tests of a tournament with several divisions: tables, rounds and games; undone and restored rounds; old stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from heads.tournaments import RULES, DeskWorld, one_division, outcome, two_divisions
from heads.world import event
from msgspec import convert

from engine.tournament.event_model import Player, Team
from engine.tournament.format_spec_and_options import DivisionPreset
from engine.tournament.pairing_history_and_constraints import Constraints
from kiosk.head.desk import Desk
from kiosk.head.errors import Conflict, HeadError
from kiosk.head.event.act_reducers import CHANGES
from kiosk.head.event.act_types import SHAPES, DivisionChanged, LotsDrawn, Title, event_of
from kiosk.head.event.tournament_state import StageRules, TableRules, event_name, game_id
from kiosk.head.head_config import load_config
from kiosk.head.pages.desk.next_division_action import next_action
from kiosk.head.registration.tournament_format_options import KINDS
from kiosk.head.store import Store
from kiosk.head.store.hash_chain import changes_state
from kiosk.link.table_keys import new_keys, save_keys
from kiosk.locale import ENGLISH, JAPANESE, render


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[DeskWorld]:
    with two_divisions(tmp_path) as world:
        yield world
        world.check_rebuilt()


def test_each_division_plays_at_its_own_tables(hall: DeskWorld) -> None:
    hall.publish("open")
    hall.publish("juniors")
    assert [game.table for game in hall["open"].current] == [1, 2, 3, 4, 5, 6]
    assert [game.table for game in hall["juniors"].current] == [7, 8]
    assert {hall.waiting(table)[0].body["main_s"] for table in (1, 2, 3)} == {1200}
    assert [hall.waiting(table)[0].body["main_s"] for table in (7, 8)] == [600, 600]
    assert hall.waiting(1)[0].body["division"] == "無差別 Open"


def test_equal_ids_in_two_divisions_are_different_players(hall: DeskWorld) -> None:
    """Ids belong to a division and games have unique names, so a card never counts in another division."""
    hall.publish("open")
    hall.publish("juniors")
    ids = [game.id for game in hall.desk.state.current]
    assert len(set(ids)) == 8
    hall.hand_in(7, 64)
    assert sum(game.outcome is not None for game in hall["juniors"].current) == 1
    assert not any(game.outcome for game in hall["open"].current)
    hall.desk.players.leave("juniors", "p1", "ill")
    assert "p1" in hall["juniors"].withdrawn and not hall["open"].withdrawn


def test_one_division_advances_while_the_other_plays(hall: DeskWorld) -> None:
    hall.publish("open")
    hall.publish("juniors")
    hall.finish("juniors")
    assert hall.desk.rounds.draft("juniors").round == 2
    with pytest.raises(Conflict, match="still has 6 games"):
        hall.desk.rounds.draft("open")


def test_a_table_is_moved_to_another_division_after_its_game(hall: DeskWorld) -> None:
    hall.publish("open")
    hall.desk.divisions.set_tables("juniors", [6, 7])
    assert hall["open"].tables == (1, 2, 3, 4, 5)
    hall.publish("juniors")
    assert [game.table for game in hall["juniors"].current] == [7, None]  # table 6 has a game of the open division
    hall.hand_in(6)
    assert [game.table for game in hall["juniors"].current] == [7, 6]


def test_a_new_division_takes_its_tables_from_another_one(hall: DeskWorld) -> None:
    before = hall["open"].tables
    assert before
    hall.desk.divisions.create(event_of(event(8, "adjacent")), RULES, "late", tables=before[:2])
    assert (hall["late"].tables, hall["open"].tables) == (before[:2], before[2:])


def test_a_division_made_again_from_the_same_file_has_other_games(tmp_path: Path) -> None:
    """No result of a rehearsal counts in it, and its tables get its games."""
    with one_division(tmp_path, event(4)) as hall:
        hall.publish()
        hall.finish("main")
        before = {game.id for game in hall["main"].current}
        hall.desk.rounds.undo("main", 1, "a rehearsal")
        hall.desk.divisions.remove("main")
        hall.desk.divisions.create(event_of(event(4)), RULES)
        hall.publish()
        assert before.isdisjoint(game.id for game in hall["main"].current)
        assert [(game.table, game.outcome) for game in hall["main"].current] == [(1, None), (2, None)]
        hall.check_rebuilt()


def test_plain_tables_get_games_and_no_commands(hall: DeskWorld) -> None:
    hall.desk.divisions.set_tables("juniors", [21, 22])
    hall.publish("juniors")
    assert [game.table for game in hall["juniors"].current] == [21, 22]
    assert not [row for row in hall.store.commands() if row.table in (21, 22)]
    hall.finish("juniors")  # and no withdrawals of commands
    assert not [row for row in hall.store.commands() if row.table in (21, 22)]


def test_a_hall_without_kiosks_has_as_many_plain_tables_as_it_needs(tmp_path: Path) -> None:
    with one_division(tmp_path, event(6, "adjacent"), ()) as hall:
        hall.desk.divisions.create(event_of(event(4, "adjacent")), RULES, "two")
        hall.publish()
        hall.publish("two")
        assert [game.table for game in hall.desk.state.current] == [1, 2, 3, 4, 5]
        assert hall.store.commands() == []


def test_automatic_mode_never_publishes_round_one(tmp_path: Path) -> None:
    with one_division(tmp_path, event(0, "adjacent"), range(1, 3), auto=True) as hall:
        hall.desk.players.add("main", [Player("", f"Name {number}") for number in range(4)])
        hall.desk.process_pending()
        assert hall["main"].rounds == ()
        hall.publish()
        hall.finish("main")
        hall.desk.process_pending()
        assert len(hall["main"].rounds) == 2  # later rounds are published automatically


def test_there_is_always_one_next_step(hall: DeskWorld) -> None:
    def pages() -> list[str]:
        return [next_action(hall.desk, hall[slug]).page for slug in ("open", "juniors")]

    hall.desk.divisions.create(event_of(event(0, "m40-33-64")), RULES, "empty")
    assert next_action(hall.desk, hall["empty"]).page == "players"
    hall.desk.players.add("empty", [Player("", f"Name {number}") for number in range(33)])
    assert next_action(hall.desk, hall["empty"]).page == "lots"
    hall.desk.players.check_in("empty", ["p1"], arrived=True)
    assert next_action(hall.desk, hall["empty"]).page == "players" and "32" in str(
        next_action(hall.desk, hall["empty"]).words
    )
    assert pages() == ["round", "round"]
    hall.publish("open")
    hall.desk.divisions.set_tables("juniors", [])
    hall.publish("juniors")
    assert pages() == ["round", "settings"] and next_action(hall.desk, hall["open"]).waits
    hall.desk.divisions.set_tables("juniors", [31])
    assert pages() == ["round", "results"]
    game = hall["juniors"].current[0]
    hall.desk.players.set_absent("juniors", [game.white], absent=True)
    step = next_action(hall.desk, hall["juniors"])
    assert step.page == f"game/{game.id}" and "has a game in round 1 and is absent" in str(step.words)
    hall.desk.players.set_absent("juniors", [game.white], absent=False)
    assert pages() == ["round", "results"]
    for _ in range(3):
        hall.finish("juniors")
        step = next_action(hall.desk, hall["juniors"])
        if step.page == "round":
            hall.publish("juniors")
    assert step.page == "standings"


def test_stages_have_their_own_time_controls() -> None:
    rules = TableRules("m43", 1200, {"a": 1}, {"knockout": StageRules(main_s=1500), "final": StageRules("wof", 2400)})
    league, placement, semi_final, final = map(rules.at, ("league", "placement", "semi-final", "final"))
    assert (league.main_s, placement.main_s, semi_final.main_s, final.main_s) == (1200, 1200, 1500, 2400)
    assert (final.rules, semi_final.rules, final.options) == ("wof", "m43", {"a": 1})


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"rules": "chess", "main_s": 1200}, "unknown rule set"),
        ({"rules": "m43", "main_s": 1200, "options": {"nonsense": 1}}, "nonsense"),
        ({"rules": "m43", "main_s": 1200, "stages": {"final": {"rules": "chess"}}}, "unknown rule set"),
    ],
)
def test_unknown_time_controls_are_refused(hall: DeskWorld, table: dict[str, Any], sentence: str) -> None:
    with pytest.raises(HeadError, match=sentence):
        hall.desk.divisions.change(DivisionChanged("open", table=convert(table, TableRules)))


SIZES = {"m40-open": 9, "m40-33-64": 33, "m40-17-32": 17, "m40-13-16": 13, "m40-9-12": 9, "team": 12, "round-robin": 5}


@pytest.mark.parametrize("kind", {kind.format: kind for kind in KINDS}.values(), ids=lambda kind: kind.format)
def test_a_division_of_every_format_is_played_to_its_end(tmp_path: Path, kind: DivisionPreset) -> None:
    """For every format the steps of the desk's pages work: draft, check, publish, enter results, next draft."""
    store = Store(tmp_path)
    desk = Desk(store, ())
    options = {**kind.options, "random_seed": 5}
    whole = {"schema": "othello-event/1", "format": kind.format, "options": options, "players": []}
    rules = TableRules("", kind.main_s, {}, convert(kind.stages, dict[str, StageRules]))
    desk.divisions.create(
        event_of(whole), rules, kind.key, title=Title(render(kind.title, JAPANESE), render(kind.title, ENGLISH))
    )
    ids = desk.players.add(kind.key, [Player("", f"Name {n}") for n in range(SIZES.get(kind.format, 8))])
    if kind.format == "team":
        for first in range(0, len(ids), 3):
            desk.players.set_team(kind.key, Team("", f"T{first}", tuple(ids[first : first + 3])))
    for number in range(10):
        try:
            draft = desk.rounds.draft(kind.key)
        except HeadError as error:
            assert "the event is over" in str(error) and render(error.text, JAPANESE) != str(error)
            break
        look = desk.rounds.ask_review(kind.key, draft).result()
        assert len(look.reasons) == len(draft.games)
        desk.rounds.publish(draft.digest, kind.key)
        for game in desk.state.division(kind.key).current:
            if game.is_open:
                won = (7 * number + game.number) % 3 != 0
                discs = (12, 7) if kind.format == "chouchou" else (40, 24)
                black, white = discs if won else discs[::-1]
                desk.results.enter(game.id, outcome(game, black, white, "black" if won else "white"))
    division = desk.state.division(kind.key)
    assert len(division.rounds) >= 3 and desk.ask_ranking(kind.key).result().standings.rows
    assert next_action(desk, division).page == ("round" if kind.format == "othello-pool" else "standings")
    store.close()


# stores and configurations


def test_every_act_of_the_desk_changes_state() -> None:
    """No act belongs to the kinds that are only kept to be read (``chain.changes_state``)."""
    assert [kind for kind, act in SHAPES.items() if act in CHANGES and not changes_state(kind)] == []


def test_a_store_of_the_version_before_divisions_opens(tmp_path: Path) -> None:
    store = Store(tmp_path)
    created = {"event": event(4), "table": {"rules": "m43", "main_s": 1200, "options": {}}}
    lines = [{"table": 1, "black": "p1", "white": "p2", "stage": "league"}, {"bye": "p3", "stage": "league"}]
    game = game_id(event_name(created), 1, 1)
    assert game.endswith("-1-1") and game.count("-") == 2
    store.append("event-created", created).result()
    store.append("round-published", {"round": 1, "games": lines, "cost": {}, "warnings": []}).result()
    store.append("game-seated", {"game": game, "table": 3}).result()
    entered = {"black": "p1", "white": "p2", "winner": "black", "black_discs": 40, "white_discs": 24, "end": "normal"}
    store.append("result-entered", {"game": game, "rated": True, "reason": "", **entered}).result()
    store.append("player-withdrawn", {"player": "p4", "after_round": 1, "reason": ""}).result()
    desk = Desk(store, range(1, 4))
    assert list(desk.state.divisions) == ["main"] and desk.state.title == created["event"]["name"]
    first = desk.state.first.current[0]
    assert (first.id, first.table, first.outcome and first.outcome.black_discs) == (game, 3, 40)
    assert desk.state.first.withdrawn == {"p4"} and desk.rounds.draft().round == 2
    store.close()


def test_a_configuration_names_one_event_file_or_several(tmp_path: Path) -> None:
    save_keys(tmp_path / "keys.json", new_keys(range(1, 3)))
    for name in ("open.json", "women.json"):
        (tmp_path / name).write_text("{}")
    for line, names in (('"open.json"', ["open.json"]), ('["open.json", "women.json"]', ["open.json", "women.json"])):
        (tmp_path / "head.toml").write_text(f'data = "data"\nkeys = "keys.json"\nevent = {line}\n')
        assert [file.name for file in load_config(tmp_path / "head.toml").events] == names
    (tmp_path / "head.toml").write_text('data = "data"\nkeys = "keys.json"\n')
    assert load_config(tmp_path / "head.toml").events == []


def test_a_power_cut_after_any_act_loses_nothing(hall: DeskWorld) -> None:
    """After every act the store gives the state that the operator saw; automatic consequences follow once."""
    desk = hall.desk
    acts = [
        lambda: desk.players.add("open", [Player("", "Ivo Late"), Player("", "Una Extra")]),
        lambda: desk.players.set_lots(LotsDrawn("open", lots={f"p{n}": n + 10 for n in range(1, 13)})),
        lambda: desk.players.set_absent("open", ["p13"], absent=True),
        lambda: desk.rounds.constraints.add(
            "open", desk.rounds.draft("open").digest, Constraints(forbidden=(("p1", "p2"),))
        ),
        lambda: hall.publish("open"),
        lambda: hall.hand_in(3),
        lambda: hall.finish("open"),
        lambda: desk.results.correct(hall["open"].current[0].id, outcome(hall["open"].current[0], 20), "turned"),
        lambda: hall.publish("open"),
        lambda: desk.players.leave("open", hall["open"].current[0].black, "ill", "late"),
        lambda: desk.rounds.undo("open", 2, "again"),
        lambda: hall.publish("open"),
        lambda: desk.divisions.change(DivisionChanged("open", auto=True)),
    ]
    for act in acts:
        act()
        again = Desk(hall.store, range(1, 9))
        assert again.state == desk.state
        commands = hall.store.commands()
        again.seating.seat_queued()
        assert hall.store.commands() == commands


def test_further_refusals_of_the_desk_have_japanese_texts(hall: DeskWorld) -> None:
    """Those that no other test of the desk asks for."""
    desk, said = hall.desk, []

    def refused(act: Callable[[], object]) -> None:
        with pytest.raises(HeadError) as caught:
            act()
        said.append(caught.value.text)

    digest = desk.rounds.draft("open").digest
    refused(lambda: desk.rounds.swap("open", digest, "p1", "nobody"))
    refused(lambda: desk.players.leave("open", "nobody", ""))
    refused(lambda: desk.players.set_lots(LotsDrawn("open", lots={"p1": 1, "p2": 1})))
    refused(lambda: desk.state.division("none"))
    hall.publish("open")
    game = hall["open"].current[0]
    refused(lambda: desk.results.correct(game.id, outcome(game, 40), "early"))
    desk.results.enter(game.id, outcome(game, 40))
    refused(lambda: desk.seating.move(game.id, 2))
    refused(lambda: desk.results.take_back(game.id, ""))
    refused(lambda: desk.orders.send(8, "hold", body={}))
    refused(lambda: desk.players.set_lots(LotsDrawn("open", lots={})))
    hall.finish("open")
    rounds = desk.rounds
    rounds.constraints.add("open", rounds.draft("open").digest, Constraints((("p1", "p2"),), byes=("p1",)))
    refused(lambda: rounds.draft("open"))
    assert [str(text) for text in said if render(text, JAPANESE) == str(text)] == []


def test_before_play_an_entry_moves_to_another_division(hall: DeskWorld) -> None:
    """Its attendance and payment are kept. If both divisions share a numbering it gets another id."""
    players = hall.desk.players
    players.change("open", "p12", {"name": "架空 花子", "kana": "かくう はなこ", "number": 12, "lot": 3})
    players.check_in("open", ["p12"], arrived=True)
    players.pay("open", ["p12"], paid=True)
    moved = players.move("open", "p12", "juniors", "moved")
    there = hall["juniors"].players()[moved]
    assert (there.name, there.kana, there.number, there.lot) == ("架空 花子", "かくう はなこ", 12, None)
    assert "p12" not in hall["open"].players() and moved in hall["juniors"].here & hall["juniors"].paid
    hall.publish("juniors")
    assert any(moved in game.players for game in hall["juniors"].current)


def test_after_play_games_and_results_stay_in_their_division(hall: DeskWorld) -> None:
    players = hall.desk.players
    players.change("open", "p5", {"name": "架空 花子"})
    hall.publish("open")
    hall.publish("juniors")
    with pytest.raises(Conflict, match="open game"):
        players.move("open", "p5", "juniors", "moved")
    hall.finish("open")
    hall.finish("juniors")
    games = hall["open"].rounds
    moved = players.move("open", "p5", "juniors", "moved")
    assert hall["open"].rounds == games and "p5" in hall["open"].withdrawn
    with pytest.raises(Conflict, match="already"):
        players.move("open", "p5", "juniors", "moved")
    hall.publish("open")
    hall.publish("juniors")
    assert not any("p5" in game.players for game in hall["open"].current)
    assert any(moved in game.players for game in hall["juniors"].current)
    assert hall["juniors"].whole().options.absences["1"] == (moved,)
