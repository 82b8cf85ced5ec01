"""Tests of what a stolen table key allows: spoiling that table's game, visibly. Each statement of the trust model in
docs/develop/security.md is a test here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from heads.staff import chief_at, follow_if_asked
from heads.tournaments import DeskWorld, one_division, outcome
from heads.world import quick_card
from messages.bilingual import both
from waiting import until

from kiosk.head.desk import Desk
from kiosk.head.desk.resolve_games_missing_after_restore import claims_digest
from kiosk.head.desk.table_assignment import MAX_ASSIGN_TRIES
from kiosk.head.errors import Conflict
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.publication_redaction_and_latin_names import latin_hall
from kiosk.head.event.table_result_cards_and_notices import READ
from kiosk.head.event.tournament_state_from_events import fold
from kiosk.head.pages.desk.next_division_action import next_action
from kiosk.head.store import CommandStatus

THIEF = 8
Another = Callable[[Iterable[int]], DeskWorld]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[DeskWorld]:
    """A tournament in whose first round an attacker has the key of table 8."""
    with one_division(tmp_path) as world:
        world.publish("main")
        yield world
        _rebuilt(world)


def _card(game: HeadGame, black_discs: int = 64) -> dict[str, Any]:
    body = quick_card_of(game.black, str(game.white), black_discs)
    return {"game": game.id, **body}


def quick_card_of(black: str, white: str, black_discs: int) -> dict[str, Any]:
    return {
        "winner": "black", "black_id": black, "white_id": white, "black_discs": black_discs,
        "white_discs": 64 - black_discs, "end": "normal", "rated": True,
    }  # fmt: skip


def _game(world: DeskWorld, id: str) -> HeadGame:
    return world.desk.core.game(id)[1]


def _discs(world: DeskWorld, id: str) -> int | None:
    """Return Black's discs in the result of a game."""
    outcome = _game(world, id).outcome
    return outcome and outcome.black_discs


def _seats(world: DeskWorld) -> dict[str, int | None]:
    return {game.id: game.table for game in world["main"].current}


def _notices(world: DeskWorld) -> list[str]:
    return [notice.kind for notice in world.desk.state.notices]


def _follow(world: DeskWorld, *digest: str, **believed: Any) -> None:
    """Decide at the desk which tables are believed, and publish what follows."""
    world.desk.claims.follow_tables(*digest, **believed)
    world.desk.process_pending()


def _rebuilt(hall: DeskWorld) -> None:
    """Check that a restarted head judges every card in the same way."""
    assert fold(hall.store.operator_events(), hall.store.records(type=READ)) == hall.desk.state


def test_a_stolen_key_cannot_give_another_table_s_game_a_result(hall: DeskWorld) -> None:
    """Table 8 sends 64-0 for table 1's game: it does not count, and the desk shows table, game and record."""
    game = hall["main"].current[0]
    hall.send(THIEF, ("card", _card(game)))
    assert hall.desk.state.game(game.id) == game and game.is_open
    (notice,) = hall.desk.state.notices
    assert (notice.kind, notice.table, notice.game) == ("card-not-its-game", THIEF, game.id)
    assert "64–0" in str(notice.text) and "table 1's" in str(notice.text) and "record 1" in str(notice.text)
    hall.hand_in(1, 40)
    assert _discs(hall, game.id) == 40


def test_a_stolen_key_can_spoil_its_own_game_and_the_desk_corrects_it(hall: DeskWorld) -> None:
    game = next(game for game in hall["main"].current if game.table == THIEF)
    hall.send(THIEF, ("card", _card(game)))
    found = _game(hall, game.id)
    assert (found.source, found.table) == ("card", THIEF)
    hall.desk.results.correct(game.id, outcome(game, 30), "the players say so")
    assert _game(hall, game.id).source == "desk"


def test_a_stolen_key_cannot_decide_a_game_of_a_future_round(hall: DeskWorld) -> None:
    """A card for a round that is not published does not count when the round is published, not even at its own
    table; the card that the table sends after its seating does."""
    hall.finish("main")
    games = hall.desk.rounds.draft("main").games
    body = quick_card_of(games[THIEF - 1].black, games[THIEF - 1].white, 64)
    id = f"{hall['main'].event_id}-2-{THIEF}"
    hall.send(THIEF, ("card", {"game": id, **body}))
    hall.publish("main")
    game = _game(hall, id)
    assert game.table == THIEF and game.is_open
    assert _notices(hall) == ["card-not-its-game"]
    hall.send(THIEF, ("card", {"game": id, **body}))
    assert not _game(hall, id).is_open


def test_a_stolen_key_cannot_start_a_round(hall: DeskWorld) -> None:
    """``assigned`` records for a future round publish nothing and offer nothing at a head that was not restored."""
    command = hall.waiting(THIEF)[-1]
    hall.finish("main")
    id = f"{hall['main'].event_id}-2-{THIEF}"
    hall.send(THIEF, ("assigned", {"assignment": command.body | {"game": id, "round": 2}, "has_board_source": False}))
    hall.desk.process_pending()
    assert len(hall["main"].rounds) == 1 and hall.desk.claims.to_follow() == []
    with pytest.raises(Conflict, match="no table has newer data"):
        hall.desk.claims.follow_tables()


def test_a_stolen_key_cannot_claim_a_waiting_game(another: Another) -> None:
    """With more games than tables, a waiting game goes to the next free table, whatever a table reports as assigned
    to it."""
    hall = another((1, 2, THIEF))
    hall.publish("main")
    last = hall["main"].current[-1]
    body = hall.waiting(THIEF)[-1].body | {"game": last.id}
    hall.send(THIEF, ("assigned", {"assignment": body, "has_board_source": False}))
    hall.hand_in(1)
    assert _game(hall, last.id).table is None
    assert next(game for game in hall["main"].current if game.is_open and game.table == 1).number == 4


def test_a_stolen_key_cannot_remove_a_recorded_result(hall: DeskWorld) -> None:
    """Commands, withdrawals and cards of a table concern its own orders; a recorded result is kept."""
    card = hall.hand_in(1, 40)
    before = hall["main"].rounds
    hall.send(THIEF, ("withdrawn", {"game": card["game"]}), ("card", card | {"black_discs": 20, "white_discs": 44}))
    assert hall["main"].rounds == before


def test_a_card_after_the_game_was_moved_does_not_count(hall: DeskWorld) -> None:
    """A game is moved from table 1 to a free one: the card that table 1 sends afterwards is shown and not applied."""
    first, second = hall["main"].current[0], hall["main"].current[1]
    late = quick_card(hall.waiting(1)[-1], 50)
    hall.hand_in(2)
    assert hall.desk.state.game(second.id) is not None
    hall.desk.seating.move(first.id, 2)
    hall.send(1, ("card", late))
    found = _game(hall, first.id)
    assert found.is_open and found.table == 2
    assert _notices(hall) == ["card-not-its-game"]
    hall.hand_in(2, 36)
    assert _discs(hall, first.id) == 36


def test_a_table_answers_its_own_orders_only(hall: DeskWorld) -> None:
    """An order to table 1 waits for table 1's own answer."""
    (order,) = hall.waiting(1)
    hall.send(THIEF, ("command", {"id": order.id, "status": "refused", "reason": "no"}))
    assert hall.waiting(1) == [order]


def test_the_desk_shows_when_a_refused_card_first_arrived(hall: DeskWorld) -> None:
    """The desk shows table, record and time; the time of the first arrival is in the audit trail, once."""
    hall.send(THIEF, ("card", _card(hall["main"].current[0])))
    (notice,) = hall.desk.state.notices
    (told,) = [event for event in hall.store.operator_events() if event.kind == "notices-told"]
    assert (told.body, told.at) == ({"keys": [notice.key]}, notice.at) and notice.at
    hall.desk.process_pending()
    hall.send(THIEF, ("card", _card(hall["main"].current[0])))
    assert [one.at for one in hall.desk.state.notices] == [told.at]


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Another]:
    """Make a head that lost its disk, with the same event and these tables."""
    made: list[DeskWorld] = []
    with ExitStack() as heads:

        def make(tables: Iterable[int]) -> DeskWorld:
            made.append(heads.enter_context(one_division(tmp_path / "another", tables=tables)))
            return made[-1]

        yield make
        for world in made:
            _rebuilt(world)


@pytest.fixture
def restored(hall: DeskWorld, another: Another) -> DeskWorld:
    """A head that lost its disk, while round 1 of the former head is in play."""
    return another(range(1, 9))


def _claim(hall: DeskWorld, game: HeadGame) -> tuple[str, dict[str, Any]]:
    """Return a table's report that it was assigned a game by the lost head."""
    order = next(order for order in hall.store.commands(game=game.id) if order.kind == "assign")
    return "assigned", {"assignment": order.body, "has_board_source": False}


def _claim_tables(hall: DeskWorld, restored: DeskWorld, games: Iterable[HeadGame]) -> None:
    """Let the tables report that the lost head assigned them these games."""
    for game in games:
        restored.send(game.table or 0, _claim(hall, game))


def test_claims_at_a_restored_head_need_a_person_s_confirmation(hall: DeskWorld, restored: DeskWorld) -> None:
    _claim_tables(hall, restored, hall["main"].current)
    assert restored["main"].rounds == ()
    ((division, round, tables, disputed),) = restored.desk.claims.to_follow()
    assert (division.slug, round, tables, disputed) == ("main", 1, list(range(1, 9)), [])
    latin = latin_hall(restored.desk.state).division("main")  # as an English page has it
    for shown in (restored["main"], latin):
        assert "卓のとおりに回戦を発表する" in both(next_action(restored.desk, shown).words)
    _follow(restored)
    assert [game.table for game in restored["main"].current] == [game.table for game in hall["main"].current]


def test_a_game_claimed_by_two_tables_gets_no_result(hall: DeskWorld, restored: DeskWorld) -> None:
    """Table 8 reports, before and after table 1, that it has table 1's game, and sends 64-0: neither claim is
    accepted, the desk is notified before it decides, and the other games are as the tables report."""
    first = hall["main"].current[0]
    claim = _claim(hall, first)
    restored.send(THIEF, claim, ("card", _card(first)))
    _claim_tables(hall, restored, hall["main"].current)
    restored.send(THIEF, claim)
    assert [one[3] for one in restored.desk.claims.to_follow()] == [[[1, THIEF]]]
    _follow(restored)
    assert _game(restored, first.id).is_open
    assert _notices(restored) == ["card-not-its-game"]
    others = [(game.id, game.table) for game in hall["main"].current[1:]]
    assert [(game.id, game.table) for game in restored["main"].current[1:]] == others


def test_a_game_claimed_only_by_the_stolen_key_needs_confirmation(hall: DeskWorld, restored: DeskWorld) -> None:
    """While table 1 is silent, the desk sees the claim of table 8 and does not tick it: the game goes to a free
    table, and 64-0 is shown and does not count, nor does the claim after a restart of the head."""
    first, *others = hall["main"].current
    restored.send(THIEF, _claim(hall, first), ("card", _card(first)))
    _claim_tables(hall, restored, others)
    claims = restored.desk.claims
    seen = {claim.game: (claim.tables, set(claim.players)) for claim in claims.open()}
    assert len(seen) == 8 and seen[first.id] == ((THIEF,), first.players)
    claims.follow_tables(claims_digest(claims.open()), {game.id: game.table for game in others if game.table})
    restored.desk.process_pending()
    found = _game(restored, first.id)
    assert found.is_open and found.table == 1
    assert _notices(restored) == ["card-not-its-game"]
    assert [(game.id, game.table) for game in restored["main"].current[1:]] == [
        (game.id, game.table) for game in others
    ]
    again = Desk(restored.store, range(1, 9))
    again.process_pending()
    assert again.claims.open() == [] and again.state == restored.desk.state


def test_a_claim_after_the_confirmation_needs_another_one(hall: DeskWorld, restored: DeskWorld) -> None:
    """The desk confirms only the claims it saw: one that arrives meanwhile shows the page again; one that arrives
    later blocks its game until it is decided, and never takes a game whose table was confirmed."""
    first, second, *others = hall["main"].current
    _claim_tables(hall, restored, others)
    seen = claims_digest(restored.desk.claims.open())
    restored.send(2, _claim(hall, second))
    with pytest.raises(Conflict, match="something else now"):
        restored.desk.claims.follow_tables(seen)
    restored.desk.claims.follow_tables()
    restored.send(THIEF, _claim(hall, first), _claim(hall, second), ("card", _card(second)))
    restored.desk.process_pending()
    assert restored["main"].rounds == () and [claim.game for claim in restored.desk.claims.open()] == [first.id]
    _follow(restored, believed={})
    games = {game.id: game for game in restored["main"].current}
    assert (games[first.id].table, games[second.id].table, games[second.id].is_open) == (1, 2, True)
    assert restored.desk.claims.open() == []


def test_a_claim_of_a_waiting_game_needs_confirmation(hall: DeskWorld, another: Another) -> None:
    """With fewer tables than games, the game claimed by table 8 is assigned to no table before the desk decides."""
    restored = another((1, 2, THIEF))
    first, second, third, fourth, fifth, *_ = hall["main"].current
    restored.send(1, _claim(hall, first))
    _follow(restored)
    assert [game.id for game in restored["main"].current if game.table] == [first.id, second.id, third.id]
    restored.send(THIEF, _claim(hall, fourth))
    restored.hand_in(2)
    assert [claim.game for claim in restored.desk.claims.open()] == [fourth.id]
    assert _seats(restored)[fifth.id] == 2
    restored.desk.claims.follow_tables(believed={})
    restored.hand_in(2)
    assert _seats(restored)[fourth.id] == 2


@pytest.mark.parametrize("is_confirmed_first", [True, False])
def test_a_game_refused_by_a_busy_table_is_offered_again(
    hall: DeskWorld, another: Another, is_confirmed_first: bool
) -> None:
    """The head gave table 2 a game before it knew that another one is played there. However often the table refuses
    meanwhile, the game is offered again once the other one is over (simulated day 70052), also when the desk confirms
    late that it is played there (day 250004)."""
    restored = another((1, 2))
    first, _, third, fourth, *_ = hall["main"].current
    restored.send(1, _claim(hall, first))
    _follow(restored)
    restored.hand_in(2)
    assert _seats(restored)[third.id] == 2
    restored.send(2, _claim(hall, fourth))

    def confirm() -> None:
        _follow(restored, believed={fourth.id: 2})
        at_table = {game.id for game in restored["main"].current if game.is_open and game.table == 2}
        assert at_table == {third.id, fourth.id}

    if is_confirmed_first:
        confirm()
    for _ in range(2 * MAX_ASSIGN_TRIES):
        for order in restored.waiting(2):
            restored.send(2, ("command", {"id": order.id, "status": "refused", "reason": "another game is played"}))
        restored.desk.seating.reassign_refused(lambda table: fourth.id)
    assert restored.waiting(2) == []
    if not is_confirmed_first:
        confirm()
    restored.send(2, ("card", _card(fourth)))
    restored.desk.seating.reassign_refused(lambda table: fourth.id)
    assert [order.game for order in restored.waiting(2)] == [third.id]


@pytest.mark.parametrize("is_heard_first", [True, False])
@pytest.mark.parametrize("answer", ["applied", "refused"])
def test_a_game_released_to_the_lost_head_is_assigned_under_a_new_id(
    hall: DeskWorld, another: Another, answer: str, is_heard_first: bool
) -> None:
    """The table answered the lost head's command and does not execute another one of that id (simulated day 60142),
    whether this head receives the answer before it assigns the game or afterwards."""
    first = hall["main"].current[0]
    old = hall.waiting(1)[0].id
    answered = ("command", {"id": old, "status": answer, "reason": ""})
    told = [answered] if answer == "refused" else [_claim(hall, first), answered, ("withdrawn", {"game": first.id})]
    restored = another((1, 2, 3))
    desk = restored.desk
    restored.send(2, _claim(hall, hall["main"].current[1]))
    desk.claims.follow_tables()
    if is_heard_first:
        restored.send(1, *told)
    desk.process_pending()
    if not is_heard_first:
        assert [order.id for order in restored.waiting(1)] == [old]
        restored.send(1, *told)
        desk.seating.reassign_refused(lambda table: None)
    (order,) = restored.waiting(1)
    assert order.game == first.id and order.id != old
    desk.seating.reassign_refused(lambda table: None)
    assert restored.waiting(1) == [order], "it is on its way"
    restored.hand_in(1)
    assert not _game(restored, first.id).is_open


def test_a_card_from_before_the_assignment_does_not_count(hall: DeskWorld, restored: DeskWorld) -> None:
    """Table 8 already had a new key when it was assigned the game that it is known to play (simulated day 60142)."""
    game = next(game for game in hall["main"].current if game.table == THIEF)
    restored.send(THIEF, _claim(hall, game), ("card", _card(game)))
    restored.send(THIEF, ("withdrawn", {"game": game.id}), _claim(hall, game))
    _follow(restored)
    found = _game(restored, game.id)
    assert found.is_open and found.table == THIEF
    assert _notices(restored) == ["card-not-its-game"]
    restored.send(THIEF, ("card", _card(game, 40)))
    assert _discs(restored, game.id) == 40


def test_a_head_with_an_older_disk_image_asks_for_claims(hall: DeskWorld) -> None:
    """An old copy of its disk was restored after it had published a round of its own; a restarted head has the same
    claims (simulated day 60142)."""
    hall.finish("main")
    games = hall.desk.rounds.draft("main").games
    id = f"{hall['main'].event_id}-2-1"
    players = [{"id": player, "name": player} for player in (games[0].black, games[0].white)]
    body = {"game": id, "event": "", "division": "", "round": 2, "table": 5, "rules": "m43", "stage": "league"}
    more = {"label_ja": "", "label_en": "", "main_s": 1200, "designated": True, "players": players}
    hall.send(5, ("assigned", {"assignment": body | more, "has_board_source": False}))
    assert hall.desk.claims.open() == []
    hall.store.begin_life("the copy of Friday was put back")
    assert [(claim.game, claim.tables) for claim in hall.desk.claims.open()] == [(id, (5,))]
    assert [claim.game for claim in Desk(hall.store, range(1, 9)).claims.open()] == [id]
    _follow(hall)
    assert _seats(hall)[id] == 5
    again = Desk(hall.store, range(1, 9))
    again.process_pending()
    assert again.claims.open() == hall.desk.claims.open() == [] and again.state == hall.desk.state


def test_the_page_ticks_no_table_that_claims_two_games(hall: DeskWorld, tmp_path: Path) -> None:
    """The page names each claim with its table and players; an unticked claim is not accepted."""
    first, second, *_ = hall["main"].current
    with chief_at(tmp_path / "third", tables=8) as (program, web):
        send = DeskWorld(program.store, program.desk).send
        send(2, _claim(hall, second))
        assert follow_page(web) == (["plays1"], ["plays1"])
        send(THIEF, _claim(hall, first), _claim(hall, hall["main"].current[7]))
        offered, ticked = follow_page(web)
        assert (offered, ticked) == (["plays1", "plays2", "plays3"], ["plays2"])
        assert follow_if_asked(web)
        until(lambda: program.desk.claims.open() == [])
        until(lambda: len(program.desk.state.current) == 8 and all(g.table for g in program.desk.state.current))
        assert {g.id: g.table for g in program.desk.state.current}[second.id] == 2


def test_the_desk_chooses_between_two_tables_that_claim_a_game(hall: DeskWorld, tmp_path: Path) -> None:
    """The page lets the desk tick one of the tables that claim a game; without a tick none is accepted."""
    first, second, *_ = hall["main"].current
    with chief_at(tmp_path / "third", tables=8) as (program, web):
        send = DeskWorld(program.store, program.desk).send
        send(1, _claim(hall, first))
        send(THIEF, _claim(hall, first))
        send(2, _claim(hall, second))
        send(THIEF, _claim(hall, second))
        page = web.get("/desk/follow-tables").text
        assert re.findall(r'type="radio" name="plays1" value="(\d*)"( checked)?', page) == [
            ("1", ""),
            (str(THIEF), ""),
            ("", " checked"),
        ]
        fields = dict(re.findall(r'name="(csrf|digest)" value="([^"]*)"', page)) | {"plays1": "1", "plays2": ""}
        assert web.post("/desk/follow-tables", data=fields).status_code == 303
        until(lambda: len(program.desk.state.current) == 8 and all(g.table for g in program.desk.state.current))
        tables = {game.id: game.table for game in program.desk.state.current}
        assert tables[first.id] == 1


def follow_page(web: httpx.Client) -> tuple[list[str], list[str]]:
    """Return the claims that can be ticked, and those that are ticked."""
    page = web.get("/desk/follow-tables").text
    found = re.findall(r'type="checkbox" name="(plays\d+)" value="\d+"( checked)?', page)
    return [name for name, _ in found], [name for name, checked in found if checked]


def test_a_claim_with_other_players_blocks_automatic_publication(hall: DeskWorld, restored: DeskWorld) -> None:
    """The round is not published automatically; the operator can publish it."""
    last = hall["main"].current[-1]
    kind, body = _claim(hall, last)
    players = [player | {"id": f"p{number}"} for number, player in enumerate(body["assignment"]["players"], 1)]
    restored.send(THIEF, (kind, body | {"assignment": body["assignment"] | {"players": players}}))
    _follow(restored)
    assert restored["main"].rounds == () and "not as it would be paired" in str(restored.desk.core.problems["main"])
    restored.publish("main")
    assert len(restored["main"].rounds) == 1


def test_excessive_cards_of_a_table_are_quarantined(hall: DeskWorld) -> None:
    """A thousand cards of one table are checked; further ones are quarantined, and the desk sees twenty and a count."""
    hall.send(THIEF, *(("card", {"game": str(number)}) for number in range(1100)))
    assert len(hall.desk.state.aside) == 100 and len(hall.desk.state.notices) == 21
    assert "1080" in str(hall.desk.state.notices[-1].text)


def test_a_round_paired_otherwise_replaces_the_tables_games(hall: DeskWorld, restored: DeskWorld) -> None:
    """A player has withdrawn meanwhile, so the claims are not followed, and the operator publishes the round as it
    is now. Its games get new names, though it is taken back and paired again (simulated day 60192)."""
    _claim_tables(hall, restored, hall["main"].current)
    restored.desk.claims.follow_tables()
    gone = sorted(restored["main"].players())[0]
    restored.desk.players.leave("main", gone, "he is ill")
    restored.desk.process_pending()
    assert restored["main"].rounds == ()
    assert "publish the round as it is now" in str(restored.desk.problem("main"))
    restored.publish("main")
    told = [(row.kind, row.game) for row in restored.store.commands(1, status=CommandStatus.SENT)]
    mine = next(game for game in restored["main"].current if game.table == 1)
    assert told == [("withdraw", hall["main"].current[0].id), ("assign", mine.id)]
    names = {game.id for game in restored["main"].current}
    assert not names & {game.id for game in hall["main"].current}
    restored.desk.rounds.undo("main", 1, "once more")
    restored.publish("main")
    assert not names & {game.id for game in restored["main"].current}


def test_a_claimed_waiting_game_needs_confirmation_at_any_head(hall: DeskWorld, another: Another) -> None:
    """An older copy of the head's disk is used, which has the round but not the later assignment of its fourth game
    (simulated day 60072). Other games continue; this one goes where the desk confirms it is played."""
    copy = another((1, 2, THIEF))
    copy.publish("main")
    fourth, fifth = hall["main"].current[3:5]
    copy.send(2, _claim(hall, fourth))
    copy.hand_in(1)
    assert [(claim.game, claim.tables) for claim in copy.desk.claims.open()] == [(fourth.id, (2,))]
    seats = _seats(copy)
    assert (seats[fourth.id], seats[fifth.id]) == (None, 1)
    copy.desk.claims.follow_tables()
    copy.hand_in(1)
    assert _seats(copy)[fourth.id] == 2
    assert fourth.id not in {order.game for order in copy.waiting(2)}


def test_tables_that_play_each_other_s_games_need_confirmation(hall: DeskWorld) -> None:
    """An older copy of the head's disk is used, which assigned the tables anew without notice (simulated day 60094).
    A claim of a game changes nothing until its table has refused it."""
    first, second, third, *_ = hall["main"].current
    hall.send(1, _claim(hall, second))
    hall.send(2, _claim(hall, first))
    hall.send(THIEF, _claim(hall, third))
    assert hall.desk.claims.open() == []
    for table in (1, 2):
        (order,) = hall.waiting(table)
        hall.send(table, ("command", {"id": order.id, "status": "refused", "reason": "another game is played"}))
    assert [(claim.game, claim.tables) for claim in hall.desk.claims.open()] == [(first.id, (2,)), (second.id, (1,))]
    _follow(hall)
    seats = _seats(hall)
    assert (seats[first.id], seats[second.id], seats[third.id]) == (2, 1, 3)
    assert hall.desk.claims.open() == [] and hall.waiting(1) == hall.waiting(2) == []
    hall.send(1, ("card", _card(second)))
    assert [game.id for game in hall["main"].current if not game.is_open and not game.is_bye] == [second.id]


def test_games_are_moved_to_the_tables_that_play_them(hall: DeskWorld) -> None:
    """Table 2 plays table 1's game, and table 1 plays nothing."""
    first, second, *_ = hall["main"].current
    hall.send(2, _claim(hall, first))
    for table in (1, 2):
        (order,) = hall.waiting(table)
        hall.send(table, ("command", {"id": order.id, "status": "refused", "reason": "another game is played"}))
    _follow(hall)
    seats = _seats(hall)
    assert (seats[first.id], seats[second.id]) == (2, 1)
    assert [order.game for order in hall.waiting(1)] == [second.id]


@pytest.fixture
def given_twice(hall: DeskWorld, another: Another) -> tuple[DeskWorld, HeadGame, HeadGame]:
    """A restored head has assigned its fourth game to table 1, before table 2, which was off, could report that the
    lost head had assigned it there; and the fifth to table 2, which refuses it (simulated day 80020)."""
    head = another((1, 2, THIEF))
    head.publish("main")
    head.store.begin_life("the machine was lost")
    fourth, fifth = hall["main"].current[3:5]
    head.hand_in(1)
    applied = {"id": head.waiting(1)[-1].id, "status": "applied", "reason": ""}
    head.send(1, _claim(head, fourth), ("command", applied))
    assert head.desk.claims.open() == []
    head.hand_in(2)
    refused = {"id": head.waiting(2)[-1].id, "status": "refused", "reason": "another game is played"}
    head.send(2, _claim(hall, fourth), ("command", refused))
    return head, fourth, fifth


def _orders(head: DeskWorld, table: int) -> list[tuple[str, str | None]]:
    return [(row.kind, row.game) for row in head.store.commands(table, status=CommandStatus.SENT)]


def test_a_game_assigned_twice_needs_confirmation(
    given_twice: tuple[DeskWorld, HeadGame, HeadGame],
) -> None:
    """The game goes to the table that plays it; the other table releases it and gets the first one's new game."""
    head, fourth, fifth = given_twice
    assert [(claim.game, claim.tables) for claim in head.desk.claims.open()] == [(fourth.id, (1, 2))]
    _follow(head, believed={fourth.id: 2})
    seats = _seats(head)
    assert (seats[fourth.id], seats[fifth.id]) == (2, 1)
    assert _orders(head, 1) == [("withdraw", fourth.id), ("assign", fifth.id)] and _orders(head, 2) == []
    assert head.desk.claims.open() == []


def test_a_table_that_does_not_play_its_game_releases_it(
    given_twice: tuple[DeskWorld, HeadGame, HeadGame],
) -> None:
    """The game stays where the head assigned it."""
    head, fourth, _ = given_twice
    _follow(head, believed={fourth.id: 1})
    assert _seats(head)[fourth.id] == 1
    assert _orders(head, 1) == [] and _orders(head, 2) == [("withdraw", fourth.id)]
    assert head.desk.claims.open() == []
