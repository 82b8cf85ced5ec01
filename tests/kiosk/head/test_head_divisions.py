"""One gathering with several divisions: their tables, rounds and games; rounds taken and put back; old stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from head_world import event, quick_card

from kiosk.head.config import load_config
from kiosk.head.desk import Desk
from kiosk.head.entry.kinds import KINDS, Kind
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.games import HeadGame, Outcome
from kiosk.head.ledger import event_name, fold, game_id
from kiosk.head.ledger.acts import ACTS
from kiosk.head.pages.desk.steps import next_step
from kiosk.head.pages.japanese import in_japanese
from kiosk.head.state import DivisionState, TableRules
from kiosk.head.store import CommandStatus, Store
from kiosk.head.store.chain import makes_state
from kiosk.link.keys import new_keys, save_keys
from kiosk.link.messages import Command, Record

RULES = {"rules": "", "main_s": 1200, "options": {}}


@dataclass
class Gathering:
    store: Store
    desk: Desk

    def __getitem__(self, slug: str) -> DivisionState:
        return self.desk.state.division(slug)

    def publish(self, slug: str) -> None:
        self.desk.rounds.publish(self.desk.rounds.draft(slug).digest, slug)

    def waiting(self, table: int) -> list[Command]:
        rows = self.store.commands(table, status=CommandStatus.SENT)
        return [Command(row.id, row.kind, row.game, body=row.body or {}) for row in rows if row.kind == "assign"]

    def hand_in(self, table: int, black_discs: int = 40) -> dict[str, Any]:
        command = self.waiting(table)[-1]
        card = quick_card(command, black_discs)
        self.send(table, ("command", {"id": command.id, "status": "applied", "reason": ""}), ("card", card))
        return card

    def send(self, table: int, *lines: tuple[str, dict[str, Any]]) -> None:
        have = self.store.have(table, "e")
        records = [Record(have + number, type, body) for number, (type, body) in enumerate(lines, 1)]  # type: ignore[arg-type]
        _, new = self.store.commit_records(table, "e", records).result()
        self.desk.collect(new)
        self.desk.advance()

    def finish(self, slug: str, black_discs: int = 40) -> None:
        for game in self[slug].current:
            if game.is_open:
                self.desk.results.enter(game.id, outcome(game, black_discs))

    def check_rebuilt(self) -> None:
        """A head that starts now knows the same."""
        assert fold(self.store.operator_events(), list(self.store.records(type="card"))) == self.desk.state


def outcome(game: HeadGame, black_discs: int) -> Outcome:
    winner = "black" if black_discs > 32 else "white" if black_discs < 32 else "draw"
    return Outcome(game.black, str(game.white), winner, black_discs, 64 - black_discs, "normal", True)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Gathering]:
    """Tables 1 to 6 for the open division, 7 and 8 for whoever has no tables of its own."""
    store = Store(tmp_path)
    desk = Desk(store, range(1, 9))
    desk.divisions.create(event(12, "adjacent", rounds=3), RULES, "open", title={"ja": "無差別", "en": "Open"})
    desk.divisions.create(event(4, "adjacent", rounds=3), RULES | {"main_s": 600}, "juniors")
    desk.divisions.set_tables("open", range(1, 7))
    yield Gathering(store, desk)
    store.close()


def test_each_division_plays_at_its_own_tables(hall: Gathering) -> None:
    hall.publish("open")
    hall.publish("juniors")
    assert [game.table for game in hall["open"].current] == [1, 2, 3, 4, 5, 6]
    assert [game.table for game in hall["juniors"].current] == [7, 8]
    assert {hall.waiting(table)[0].body["main_s"] for table in (1, 2, 3)} == {1200}
    assert [hall.waiting(table)[0].body["main_s"] for table in (7, 8)] == [600, 600]
    assert hall.waiting(1)[0].body["division"] == "無差別 Open"
    hall.check_rebuilt()


def test_players_of_one_name_in_two_divisions_are_two(hall: Gathering) -> None:
    """Ids are the division's own; games are named by the gathering, so a card never counts in another division."""
    hall.publish("open")
    hall.publish("juniors")
    ids = [game.id for game in hall.desk.state.current]
    assert len(set(ids)) == 8
    hall.hand_in(7, 64)
    assert sum(game.outcome is not None for game in hall["juniors"].current) == 1
    assert not any(game.outcome for game in hall["open"].current)
    hall.desk.players.leave("juniors", "p1", "ill")
    assert "p1" in hall["juniors"].withdrawn and not hall["open"].withdrawn


def test_one_division_goes_on_while_the_other_plays(hall: Gathering) -> None:
    hall.publish("open")
    hall.publish("juniors")
    hall.finish("juniors")
    assert hall.desk.rounds.draft("juniors").round == 2
    with pytest.raises(Conflict, match="still has 6 games"):
        hall.desk.rounds.draft("open")


def test_a_table_goes_over_to_another_division_after_its_game(hall: Gathering) -> None:
    hall.publish("open")
    hall.desk.divisions.set_tables("juniors", [6, 7])
    assert hall["open"].tables == (1, 2, 3, 4, 5)
    hall.publish("juniors")
    assert [game.table for game in hall["juniors"].current] == [7, None]  # table 6 has a game of the open division
    hall.hand_in(6)
    assert [game.table for game in hall["juniors"].current] == [7, 6]
    hall.check_rebuilt()


def test_plain_tables_get_games_and_no_orders(hall: Gathering) -> None:
    hall.desk.divisions.set_tables("juniors", [21, 22])
    hall.publish("juniors")
    assert [game.table for game in hall["juniors"].current] == [21, 22]
    assert not [row for row in hall.store.commands() if row.table in (21, 22)]
    hall.finish("juniors")  # and no withdrawals
    assert not [row for row in hall.store.commands() if row.table in (21, 22)]


def test_a_hall_without_kiosks_has_as_many_plain_tables_as_it_needs(tmp_path: Path) -> None:
    store = Store(tmp_path)
    desk = Desk(store, ())
    desk.divisions.create(event(6, "adjacent"), RULES, "one")
    desk.divisions.create(event(4, "adjacent"), RULES, "two")
    for slug in ("one", "two"):
        desk.rounds.publish(desk.rounds.draft(slug).digest, slug)
    assert [game.table for game in desk.state.current] == [1, 2, 3, 4, 5]
    assert store.commands() == []
    store.close()


def test_automatic_mode_never_begins_while_players_are_being_entered(tmp_path: Path) -> None:
    store = Store(tmp_path)
    desk = Desk(store, range(1, 3), auto=True)
    desk.divisions.create(event(0, "adjacent"), RULES, "typed")
    desk.players.add("typed", [{"name": f"Name {number}"} for number in range(4)])
    desk.advance()
    assert desk.state.division("typed").rounds == ()
    desk.rounds.publish(desk.rounds.draft("typed").digest, "typed")
    for game in desk.state.division("typed").current:
        desk.results.enter(game.id, outcome(game, 40))
    desk.advance()
    assert len(desk.state.division("typed").rounds) == 2  # and from then on by itself
    store.close()


def test_there_is_always_one_thing_to_do_next(hall: Gathering) -> None:
    def pages() -> list[str]:
        return [next_step(hall.desk, hall[slug]).page for slug in ("open", "juniors")]

    hall.desk.divisions.create(event(0, "m40-33-64"), RULES, "empty")
    assert next_step(hall.desk, hall["empty"]).page == "players"
    hall.desk.players.add("empty", [{"name": f"Name {number}"} for number in range(33)])
    assert next_step(hall.desk, hall["empty"]).page == "lots"
    hall.desk.players.check_in("empty", ["p1"], arrived=True)
    assert (
        next_step(hall.desk, hall["empty"]).page == "players" and "32" in next_step(hall.desk, hall["empty"]).words.en
    )
    assert pages() == ["round", "round"]
    hall.publish("open")
    hall.desk.divisions.set_tables("juniors", [])
    hall.publish("juniors")
    assert pages() == ["round", "settings"] and next_step(hall.desk, hall["open"]).waits
    hall.desk.divisions.set_tables("juniors", [31])
    assert pages() == ["round", "results"]
    for _ in range(3):
        hall.finish("juniors")
        step = next_step(hall.desk, hall["juniors"])
        if step.page == "round":
            hall.publish("juniors")
    assert step.page == "standings"


def test_stages_have_their_own_clocks() -> None:
    rules = TableRules("m43", 1200, {"a": 1}, {"knockout": {"main_s": 1500}, "final": {"main_s": 2400, "rules": "wof"}})
    assert [rules.at(stage).main_s for stage in ("league", "placement", "semi-final", "final")] == [
        1200,
        1200,
        1500,
        2400,
    ]
    assert (rules.at("final").rules, rules.at("semi-final").rules, rules.at("final").options) == (
        "wof",
        "m43",
        {"a": 1},
    )


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"rules": "chess", "main_s": 1200}, "unknown rule set"),
        ({"rules": "m43", "main_s": 1200, "options": {"nonsense": 1}}, "nonsense"),
        ({"rules": "m43", "main_s": 1200, "stages": {"final": {"rules": "chess"}}}, "unknown rule set"),
    ],
)
def test_clocks_that_no_table_knows_are_refused(hall: Gathering, table: dict[str, Any], sentence: str) -> None:
    with pytest.raises(HeadError, match=sentence):
        hall.desk.divisions.change("open", table=table)


SIZES = {"m40-open": 20, "m40-33-64": 33, "m40-17-32": 17, "m40-13-16": 13, "m40-9-12": 9, "team": 12, "round-robin": 5}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)
def test_every_kind_of_division_is_played_to_its_end(tmp_path: Path, kind: Kind) -> None:
    """Draft, look, publish, results by hand, the next draft: what the desk's pages do, for every format."""
    store = Store(tmp_path)
    desk = Desk(store, ())
    options = {**kind.options, "random_seed": 5}
    whole = {"schema": "othello-event/1", "format": kind.format, "options": options, "players": []}
    rules = {"rules": kind.rules, "main_s": kind.main_s, "options": {}, "stages": kind.stages}
    desk.divisions.create(whole, rules, kind.key, title={"ja": kind.title.ja, "en": kind.title.en})
    ids = desk.players.add(kind.key, [{"name": f"Name {n}"} for n in range(SIZES.get(kind.format, 8))])
    if kind.format == "team":
        for first in range(0, len(ids), 3):
            desk.players.set_team(kind.key, {"name": f"T{first}", "players": ids[first : first + 3]})
    for number in range(10):
        try:
            draft = desk.rounds.draft(kind.key)
        except HeadError as error:
            assert "the event is over" in str(error) and in_japanese(str(error))
            break
        look = desk.rounds.ask_look(kind.key, draft).result()
        assert len(look.reasons) == len(draft.games)
        desk.rounds.publish(draft.digest, kind.key)
        for game in desk.state.division(kind.key).current:
            if game.is_open:
                won = (7 * number + game.number) % 3 != 0
                discs = (12, 7) if kind.format == "chouchou" else (40, 24)
                black, white = discs if won else discs[::-1]
                sides = game.black, str(game.white)
                desk.results.enter(game.id, Outcome(*sides, "black" if won else "white", black, white, "normal", True))
    division = desk.state.division(kind.key)
    assert len(division.rounds) >= 3 and desk.ask_ranking(kind.key).result().standings.rows
    assert next_step(desk, division).page == ("round" if kind.format == "othello-pool" else "standings")
    store.close()


# taking rounds back


def test_a_round_is_taken_back_and_its_tables_let_go(hall: Gathering) -> None:
    hall.publish("open")
    hall.hand_in(1)
    first = hall["open"].current
    hall.desk.rounds.undo("open", 1, "two players were swapped")
    assert hall["open"].rounds == () and [one.round for one in hall["open"].undone] == [1]
    assert [row.table for row in hall.store.commands() if row.kind == "withdraw"] == [2, 3, 4, 5, 6]
    hall.publish("open")
    assert not {game.id for game in first} & {game.id for game in hall["open"].current}
    assert not any(game.outcome for game in hall["open"].current)
    hall.check_rebuilt()


def test_a_card_of_a_round_that_was_taken_back_is_kept_and_never_counts(hall: Gathering) -> None:
    hall.publish("open")
    card = quick_card(hall.waiting(2)[0], 50)
    hall.desk.rounds.undo("open", 1, "wrong list")
    hall.publish("open")
    hall.send(2, ("card", card))
    assert [notice.kind for notice in hall.desk.state.notices] == ["card-of-undone-round"]
    assert not any(game.outcome for game in hall["open"].current)
    kept = hall["open"].undone[0].games[1].outcome
    assert kept is not None and kept.black_discs == 50
    hall.desk.divisions.see_notice(hall.desk.state.notices[0].key)
    assert hall.desk.state.notices == ()
    with pytest.raises(NotFound):
        hall.desk.divisions.see_notice("x")


def test_a_round_is_put_back_with_its_results(hall: Gathering) -> None:
    hall.publish("open")
    hall.hand_in(1, 50)
    hall.desk.results.enter(hall["open"].current[1].id, outcome(hall["open"].current[1], 10))
    before = hall["open"].current
    hall.desk.rounds.undo("open", 1, "a mistake")
    hall.desk.rounds.restore("open", 0)
    after = hall["open"].current
    assert [(game.id, game.outcome) for game in after] == [(game.id, game.outcome) for game in before]
    assert all(game.table for game in after if game.is_open)
    assert len({row.id for row in hall.store.commands()}) == len(hall.store.commands())
    hall.check_rebuilt()


def test_a_round_is_put_back_only_in_its_place(hall: Gathering) -> None:
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
    with pytest.raises(Conflict, match="not there any more"):
        hall.desk.rounds.undo("open", 3, "again")


# drafts that are changed


def test_two_players_change_places_in_the_draft(hall: Gathering) -> None:
    draft = hall.desk.rounds.draft("open")
    one, other = str(draft.games[0]["black"]), str(draft.games[3]["white"])
    hall.desk.rounds.swap("open", draft.digest, one, other)
    changed = hall.desk.rounds.draft("open")
    assert changed.by_hand and (changed.games[0]["black"], changed.games[3]["white"]) == (other, one)
    look = hall.desk.rounds.ask_look("open", changed).result()
    assert look.played is not None and look.optimum is not None and len(look.reasons) == 6
    with pytest.raises(Conflict, match="draft has changed"):
        hall.desk.rounds.publish(draft.digest, "open")
    with pytest.raises(Conflict, match="draft has changed"):  # a second operator with the old page
        hall.desk.rounds.swap("open", draft.digest, one, other)
    hall.check_rebuilt()
    hall.desk.rounds.start_again("open")
    assert hall.desk.rounds.draft("open") == draft


def test_wishes_are_kept_and_can_be_dropped(hall: Gathering) -> None:
    rounds = hall.desk.rounds
    rounds.wish("open", rounds.draft("open").digest, {"locked": [["p1", "p2"]], "forbidden": [["p3", "p4"]]})
    rounds.wish("open", rounds.draft("open").digest, {"colours": {"p1": "white"}})
    games = rounds.draft("open").games
    assert ("p2", "p1") in [(game["black"], game["white"]) for game in games]
    assert not any({"p3", "p4"} == {game["black"], game["white"]} for game in games)
    rounds.wish("open", rounds.draft("open").digest, {"byes": ["p5", "p6"]})
    assert {game["bye"] for game in rounds.draft("open").games if "bye" in game} == {"p5", "p6"}
    rounds.drop_wish("open", "byes", ["p5"])
    with pytest.raises(HeadError):  # eleven players and one bye: the pairing says why it cannot be
        rounds.wish("open", rounds.draft("open").digest, {"locked": [["p1", "p3"]]})
        rounds.draft("open")
    rounds.start_again("open")
    assert not any("bye" in game for game in rounds.draft("open").games)
    hall.check_rebuilt()


# players


def test_a_player_who_leaves_in_the_middle_of_a_round_loses_his_open_game(hall: Gathering) -> None:
    hall.publish("open")
    game = hall["open"].current[2]
    hall.desk.players.leave("open", str(game.white), "went home", "forfeit")
    lost = hall["open"].current[2].outcome
    assert lost is not None and (lost.winner, lost.end, lost.black_discs, lost.rated) == ("black", "forfeit", 64, False)
    assert [row.table for row in hall.store.commands() if row.kind == "withdraw"] == [3]
    hall.finish("open")
    paired = [entry for line in hall.desk.rounds.draft("open").games for entry in line.values()]
    assert game.white not in paired
    hall.desk.players.come_back("open", str(game.white))
    assert game.white in [entry for line in hall.desk.rounds.draft("open").games for entry in line.values()]
    with pytest.raises(Conflict):
        hall.desk.players.come_back("open", str(game.white))
    hall.check_rebuilt()


def test_who_does_not_come_is_not_paired_and_who_comes_late_is(hall: Gathering) -> None:
    players = hall.desk.players
    players.check_in("juniors", ["p1", "p2", "p3"], arrived=True)
    assert hall["juniors"].here == {"p1", "p2", "p3"}
    players.set_absent("juniors", ["p4"], absent=True)
    (bye,) = [game["bye"] for game in hall.desk.rounds.draft("juniors").games if "bye" in game]
    assert bye in ("p1", "p2", "p3")
    players.check_in("juniors", ["p4"], arrived=True)
    assert not any("bye" in game for game in hall.desk.rounds.draft("juniors").games)
    (late,) = players.add("juniors", [{"name": "Ivo Late"}])
    assert late == "p5" and any("bye" in game for game in hall.desk.rounds.draft("juniors").games)
    players.remove("juniors", late)
    hall.publish("juniors")
    with pytest.raises(Conflict, match="let him leave"):
        players.remove("juniors", "p1")


def test_an_entry_that_cannot_be_used_changes_nothing(hall: Gathering) -> None:
    before = hall.store.operator_events()
    with pytest.raises(HeadError):
        hall.desk.players.take("open", [{"name": "New"}], {"p1": {"sex": "x"}})
    with pytest.raises(HeadError):
        hall.desk.players.add("open", [{"name": "A", "id": "p1"}])
    assert hall.store.operator_events() == before


def test_teams_and_their_order_sheets(hall: Gathering) -> None:
    people = [{"id": f"q{number}", "name": f"Name {number}"} for number in range(1, 7)]
    event_of_teams = {"schema": "othello-event/1", "format": "team", "options": {"random_seed": 3}, "players": people}
    hall.desk.divisions.create(event_of_teams, RULES, "team")
    players = hall.desk.players
    for name, members in (("A", ["q1", "q2", "q3"]), ("B", ["q4", "q5", "q6"])):
        players.set_team("team", {"name": name, "players": members, "captain": members[0]})
    assert list(hall["team"].teams()) == ["t1", "t2"]
    players.set_order("team", "t1", 1, ["q3", "q2", "q1"])
    boards = [{game["black"], game["white"]} for game in hall.desk.rounds.draft("team").games]
    assert boards == [{"q3", "q4"}, {"q2", "q5"}, {"q1", "q6"}]
    hall.publish("team")
    with pytest.raises(Conflict, match="fixed"):
        players.set_order("team", "t1", 1, ["q1", "q2", "q3"])
    with pytest.raises(Conflict, match="taken out"):
        players.set_team("team", {"id": "t1", "name": "A", "players": ["q1", "q2"], "captain": "q1"})
    hall.check_rebuilt()


# results


def test_a_result_entered_for_the_wrong_game_is_taken_back(hall: Gathering) -> None:
    hall.publish("open")
    game = hall["open"].current[0]
    hall.desk.results.enter(game.id, outcome(game, 40))
    hall.desk.results.take_back(game.id, "it was table 2")
    assert hall["open"].current[0].is_open
    assert [row.kind for row in hall.store.commands(1)] == ["assign", "withdraw", "assign"]
    hall.hand_in(2)
    with pytest.raises(Conflict, match="came from its table"):
        hall.desk.results.take_back(hall["open"].current[1].id, "x")
    hall.check_rebuilt()


def test_two_operators_cannot_correct_over_each_other(hall: Gathering) -> None:
    hall.publish("open")
    game = hall["open"].current[0]
    hall.desk.results.enter(game.id, outcome(game, 40))
    seen = f"{game.black} 40-24 {game.white} (black, normal)"
    hall.desk.results.correct(game.id, outcome(game, 30), "the first", seen)
    with pytest.raises(Conflict, match="changed by somebody else to"):
        hall.desk.results.correct(game.id, outcome(game, 50), "the second", seen)


# stores and configurations


def test_every_act_of_the_desk_makes_state() -> None:
    """Some families of events are kept only to be read (``chain.makes_state``); no act may be of one."""
    assert [kind for kind in ACTS if not makes_state(kind)] == []


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
    assert desk.state.first.withdrawn == {"p4": 1} and desk.rounds.draft().round == 2
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


def test_a_power_cut_after_any_act_loses_nothing(hall: Gathering) -> None:
    """After every act the store gives the state that the operator saw; what follows by itself follows once."""
    desk = hall.desk
    acts = [
        lambda: desk.players.add("open", [{"name": "Ivo Late"}, {"name": "Una Extra"}]),
        lambda: desk.players.set_lots("open", {f"p{n}": n + 10 for n in range(1, 13)}, {"method": "hand"}),
        lambda: desk.players.set_absent("open", ["p13"], absent=True),
        lambda: desk.rounds.wish("open", desk.rounds.draft("open").digest, {"forbidden": [["p1", "p2"]]}),
        lambda: hall.publish("open"),
        lambda: hall.hand_in(3),
        lambda: hall.finish("open"),
        lambda: desk.results.correct(hall["open"].current[0].id, outcome(hall["open"].current[0], 20), "turned"),
        lambda: hall.publish("open"),
        lambda: desk.players.leave("open", hall["open"].current[0].black, "ill", "late"),
        lambda: desk.rounds.undo("open", 2, "again"),
        lambda: hall.publish("open"),
        lambda: desk.divisions.change("open", auto=True),
    ]
    for act in acts:
        act()
        again = Desk(hall.store, range(1, 9))
        assert again.state == desk.state
        commands = hall.store.commands()
        again.seating.seat_queued()
        assert hall.store.commands() == commands


def test_what_the_desk_refuses_is_said_in_japanese_too(hall: Gathering) -> None:
    """Every refusal and warning that a person at the desk can meet in these tests has Japanese words."""
    desk, said = hall.desk, []

    def refused(act: Callable[[], object]) -> None:
        with pytest.raises(HeadError) as caught:
            act()
        said.append(str(caught.value))

    digest = desk.rounds.draft("open").digest
    refused(lambda: desk.rounds.publish("x", "open"))
    refused(lambda: desk.rounds.swap("open", digest, "p1", "nobody"))
    refused(lambda: desk.rounds.undo("open", 1, ""))
    refused(lambda: desk.rounds.undo("open", 1, "because"))
    refused(lambda: desk.players.leave("open", "nobody", ""))
    refused(lambda: desk.players.set_lots("open", {"p1": 1, "p2": 1}, {"method": "hand"}))
    refused(lambda: desk.state.division("none"))
    hall.publish("open")
    game = hall["open"].current[0]
    refused(lambda: desk.rounds.draft("open"))
    refused(lambda: desk.results.correct(game.id, outcome(game, 40), "early"))
    desk.results.enter(game.id, outcome(game, 40))
    refused(lambda: desk.results.enter(game.id, outcome(game, 40)))
    refused(lambda: desk.results.correct(game.id, outcome(game, 40), ""))
    refused(lambda: desk.results.correct(game.id, outcome(game, 40), "x", "another"))
    refused(lambda: desk.results.take_back(game.id, ""))
    refused(lambda: desk.seating.move(game.id, 2))
    refused(lambda: desk.seating.move(hall["open"].current[1].id, 3))
    refused(lambda: desk.seating.move(hall["open"].current[1].id, 99))
    refused(lambda: desk.orders.send(8, "hold", body={}))
    refused(lambda: desk.players.remove("open", "p1"))
    refused(lambda: desk.players.set_lots("open", {}, {"method": "hand"}))
    refused(lambda: desk.players.come_back("open", "p1"))
    hall.finish("open")
    rounds = desk.rounds
    rounds.wish("open", rounds.draft("open").digest, {"locked": [["p1", "p2"]], "byes": ["p1"]})
    refused(lambda: rounds.draft("open"))
    rounds.start_again("open")
    for _ in range(2):
        hall.publish("open")
        hall.finish("open")
    refused(lambda: rounds.draft("open"))
    for player in ("p2", "p3", "p4"):
        desk.players.set_absent("juniors", [player], absent=True)
    refused(lambda: rounds.draft("juniors"))
    assert [sentence for sentence in said if not in_japanese(sentence)] == []
    assert in_japanese("something that nobody has translated") == ""
    warning = "rematch: A (p1) and B (p2) already met in round 1"
    assert in_japanese(warning) == "再戦:A (p1)とB (p2)は第1回戦で対戦しています。"
