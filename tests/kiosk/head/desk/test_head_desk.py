"""Tests of the desk: drafts, publishing, table assignment, results, corrections. All state is in the store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from heads.tournaments import RULES, DeskWorld, one_division, outcome
from heads.world import event, quick_card

from engine.tournament.event_model import Winner
from kiosk.head.desk import Desk
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event.act_types import event_of
from kiosk.head.event.tournament_state_from_events import fold
from kiosk.head.pages.desk.next_division_action import next_action
from kiosk.head.store import Store
from kiosk.link.link_messages import TableRecord
from kiosk.records.event_file import from_dict as engine_event
from kiosk.records.event_file import to_dict


def rebuilt(world: DeskWorld) -> dict[str, Any]:
    """Return the event of a head that reads the store anew."""
    return to_dict(fold(world.store.operator_events(), list(world.store.records(type="card"))).first.whole())


@pytest.fixture
def world(tmp_path: Path) -> Iterator[DeskWorld]:
    with one_division(tmp_path) as world:
        yield world


def test_publishing_gives_every_table_its_game(world: DeskWorld) -> None:
    world.publish()
    assert [game.table for game in world.desk.state.current] == [1, 2, 3, 4, 5, 6, 7, 8]
    for game in world.desk.state.current:
        (command,) = world.waiting(game.table or 0)
        body = command.body
        assert (body["game"], body["table"], body["rules"], body["main_s"]) == (game.id, game.table, "m43", 1200)
        assert [player["id"] for player in body["players"]] == [game.black, game.white]
        assert (body["designated"], body["stage"]) == (True, "league")


def test_only_the_draft_that_was_shown_can_be_published(world: DeskWorld) -> None:
    draft = world.desk.rounds.draft()
    assert (draft.round, len(draft.games), world.desk.state.first.rounds, world.store.commands()) == (1, 8, (), [])
    with pytest.raises(Conflict, match="draft has changed"):
        world.desk.rounds.publish("0" * 16)
    world.desk.players.leave(None, "p3", "ill")
    with pytest.raises(Conflict, match="draft has changed"):
        world.desk.rounds.publish(draft.digest)


def test_cards_are_recorded_automatically_and_complete_the_round(world: DeskWorld) -> None:
    world.publish()
    for table in range(1, 9):
        with pytest.raises(Conflict, match="still has"):
            world.desk.rounds.draft()
        world.hand_in(table)
    assert world.desk.state.first.round_is_complete and world.desk.rounds.draft().round == 2


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"game": "other-1-1"}, "card-unknown-game"),
        ({"black_id": "p99"}, "card-unusable"),
        ({"black_discs": 50, "white_discs": 30}, "card-unusable"),
        ({"winner": "white"}, "card-unusable"),
        ({"end": "resigned"}, "card-unusable"),
    ],
)
def test_an_inconsistent_card_is_kept_and_never_applied(world: DeskWorld, change: dict[str, Any], kind: str) -> None:
    world.publish()
    card = quick_card(world.waiting(1)[0], 40) | change
    world.send(1, ("card", card))
    assert [notice.kind for notice in world.desk.state.notices] == [kind]
    assert all(game.is_open for game in world.desk.state.current)
    assert len(list(world.store.records(type="card"))) == 1


def test_a_field_of_a_later_version_on_a_card_is_ignored(world: DeskWorld) -> None:
    world.publish()
    world.send(1, ("card", quick_card(world.waiting(1)[0], 40) | {"surprise": 1}))
    assert world.desk.state.notices == ()
    assert not world.desk.state.current[0].is_open


def test_games_without_a_table_wait_for_the_next_free_one(tmp_path: Path) -> None:
    with one_division(tmp_path, tables=(4, 7, 9)) as world:
        world.publish()
        assert [game.table for game in world.desk.state.current] == [4, 7, 9, None, None, None, None, None]
        world.hand_in(7)
        assert [game.table for game in world.desk.state.current] == [4, 7, 9, 7, None, None, None, None]
        world.hand_in(4)
        world.hand_in(7)
        world.hand_in(9)
        assert [game.table for game in world.desk.state.current] == [4, 7, 9, 7, 4, 7, 9, None]


def test_a_result_by_hand_takes_the_game_from_its_table(world: DeskWorld) -> None:
    world.publish()
    game = world.desk.state.current[2]
    world.desk.results.enter(game.id, outcome(game, 10))
    withdrawals = [row for row in world.store.commands(3) if row.kind == "withdraw"]
    assert [row.game for row in withdrawals] == [game.id]
    with pytest.raises(Conflict, match="correct it with a reason"):
        world.desk.results.enter(game.id, outcome(game, 20))


def test_a_result_of_the_desk_overrides_the_card(world: DeskWorld) -> None:
    world.publish()
    game = world.desk.state.current[0]
    world.desk.results.enter(game.id, outcome(game, 10))
    world.send(1, ("card", quick_card(world.waiting(1)[0], 40)))
    result = world.desk.state.current[0].outcome
    assert result is not None and result.black_discs == 10
    assert [notice.kind for notice in world.desk.state.notices] == ["card-differs"]


def test_a_correction_needs_a_reason_and_keeps_the_old_event(world: DeskWorld) -> None:
    world.publish()
    world.hand_in(1, 40)
    game = world.desk.state.current[0]
    with pytest.raises(HeadError, match="reason"):
        world.desk.results.correct(game.id, outcome(game, 30), "  ")
    world.desk.results.correct(game.id, outcome(game, 30), "counted again by the arbiter")
    corrected = world.desk.state.current[0].outcome
    assert corrected is not None and corrected.black_discs == 30
    last = world.store.operator_events()[-1]
    assert (last.kind, last.body["reason"]) == ("result-corrected", "counted again by the arbiter")
    assert len(list(world.store.records(type="card"))) == 1


def test_a_knock_out_game_needs_a_winner(world: DeskWorld) -> None:
    """M43F-01: no draws from the semi-finals on; M43-2: a hidden disc decides the colours."""
    while len(world.desk.state.first.rounds) < 7:
        world.publish()
        for game in world.desk.state.current:
            if game.is_open:
                world.desk.results.enter(game.id, outcome(game, 34 + len(world.desk.state.first.rounds)))
    game = world.desk.state.current[0]
    assert (game.stage, game.designated, game.must_have_winner) == ("semi-final", False, True)
    world.desk.results.correct(game.id, outcome(game, 32, winner=Winner.WHITE), "the draw right decided")
    with pytest.raises(HeadError, match="must have a winner"):
        world.desk.results.correct(game.id, outcome(game, 32), "a draw")


def test_an_odd_field_has_a_bye_without_an_opponent(tmp_path: Path) -> None:
    with one_division(tmp_path, event(15)) as world:
        world.publish()
        byes = [game for game in world.desk.state.current if game.is_bye]
        assert len(byes) == 1 and not byes[0].is_open and byes[0].table is None
        assert {"bye": byes[0].black, "stage": "league"} in to_dict(world.desk.state.first.whole())["rounds"][0][
            "games"
        ]


def test_automatic_mode_plays_the_event_to_its_end(tmp_path: Path) -> None:
    with one_division(tmp_path, auto=True) as world:
        world.desk.process_pending()
        for _ in range(100):
            waiting = [table for table in range(1, 9) if world.waiting(table)]
            if not waiting:
                break
            world.hand_in(waiting[0], 30 + waiting[0])
        assert len(world.desk.state.first.rounds) == 8 and world.desk.state.first.round_is_complete
        assert "event is over" in str(world.desk.core.problems["main"])
        assert rebuilt(world) == to_dict(world.desk.state.first.whole())
        engine_event(rebuilt(world))  # the engine understands every field


def test_a_round_that_was_taken_back_waits_for_a_person_in_automatic_mode(tmp_path: Path) -> None:
    with one_division(tmp_path, event(4, rounds=3), auto=True) as world:
        world.desk.process_pending()
        world.desk.rounds.undo("main", 1, "an old list")
        world.desk.process_pending()
        assert world["main"].rounds == ()
        assert next_action(world.desk, world["main"]).page == "round"
        world.publish()
        world.finish("main")
        world.desk.process_pending()
        assert len(world["main"].rounds) == 2


def test_a_head_killed_between_publishing_and_seating_seats_the_games_once(world: DeskWorld) -> None:
    made = world.desk.rounds.draft()
    world.desk.rounds.publish_now(world.desk.state.first, made)  # here the power fails
    again = Desk(world.store, range(1, 9))
    again.process_pending()
    again.process_pending()
    assert [game.table for game in again.state.current] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert len(world.store.commands()) == 8


def test_a_refused_game_is_assigned_again(world: DeskWorld) -> None:
    world.publish()
    first = world.waiting(1)[0]
    world.send(1, ("command", {"id": first.id, "status": "refused", "reason": "still being played"}))
    world.desk.seating.reassign_refused(lambda table: None)
    (second,) = world.waiting(1)
    assert second.game == first.game and second.id != first.id
    world.desk.seating.reassign_refused(lambda table: None)  # the command is being sent
    assert len(world.waiting(1)) == 1
    world.send(1, ("command", {"id": second.id, "status": "refused", "reason": "at this table already"}))
    world.desk.seating.reassign_refused(lambda table: first.game)  # the table has received it
    assert world.waiting(1) == []


def test_a_game_can_be_moved_to_another_table(tmp_path: Path) -> None:
    with one_division(tmp_path, tables=range(1, 10)) as world:
        world.publish()
        game = world.desk.state.current[0]
        with pytest.raises(Conflict, match="choose a free table"):
            world.desk.seating.move(game.id, 2)
        with pytest.raises(NotFound):
            world.desk.seating.move(game.id, 77)
        world.desk.seating.move(game.id, 9)
        assert world.desk.state.current[0].table == 9 and world.waiting(9)[0].game == game.id
        assert [row.kind for row in world.store.commands(1)] == ["assign", "withdraw"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "chess"}, "format is 'chess'"),
        ({"players": [{"id": "a", "elo": 3}]}, "elo"),
        ({"schema": "x"}, "schema"),
        ({"rounds": [{"round": 1, "games": []}]}, "has rounds already"),
    ],
)
def test_an_event_that_cannot_be_used_is_refused(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    store = Store(tmp_path)
    with pytest.raises(HeadError, match=sentence):
        Desk(store, (1,)).divisions.create(event_of(event() | change), RULES)
    assert store.operator_events() == []
    store.close()


def test_a_second_event_is_refused(world: DeskWorld) -> None:
    with pytest.raises(Conflict, match="there is an event already"):
        world.desk.divisions.create(event_of(event()), RULES)


def test_a_card_that_differs_only_in_the_rating_says_so(world: DeskWorld) -> None:
    world.publish()
    card = world.hand_in(1, 40)
    world.send(1, ("card", {**card, "rated": False}))
    (notice,) = world.desk.state.notices
    assert "40–24, unrated for" in str(notice.text)


def test_a_card_under_two_epochs_of_its_table_is_one_card(world: DeskWorld) -> None:
    """A table whose memory card lost saved records sends everything again under a new epoch."""
    world.publish()
    stranger = {**world.hand_in(1), "game": "of-another-event"}
    world.send(1, ("card", stranger))
    card = world.hand_in(2, 40)
    reversed_colours = quick_card(world.waiting(3)[0], 36)
    reversed_colours |= {"black_id": reversed_colours["white_id"], "white_id": reversed_colours["black_id"]}
    world.send(3, ("card", reversed_colours))
    world.send(2, ("card", {**card, "black_discs": 41, "white_discs": 23}))  # differs
    event, notices = to_dict(world.desk.state.first.whole()), world.desk.state.notices
    commands = world.store.commands()
    assert sorted(notice.kind for notice in notices) == ["card-colours", "card-differs", "card-unknown-game"]
    _, two, three, *_ = world.desk.state.current
    assert two.outcome and two.outcome.black_discs == 40  # the second card is not applied
    assert three.outcome and three.outcome.black == reversed_colours["black_id"]  # the colours count as played
    for table in (1, 2, 3):
        sent = [record for record in world.store.records(table=table) if record.epoch == "e"]
        # the lost one is missing, so numbers from the second on are of other records now
        again = [TableRecord(number, record.type, record.body) for number, record in enumerate(sent[1:] or sent, 1)]  # type: ignore[arg-type]
        have, new = world.store.commit_records(table, "renewed", again).result()
        assert have == len(new) == len(again)
        world.desk.collect(new)
        world.desk.process_pending()
    assert to_dict(world.desk.state.first.whole()) == event == rebuilt(world)
    assert world.desk.state.notices == notices
    assert world.store.commands() == commands
