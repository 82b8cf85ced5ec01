"""Tests of live tables: the head replays the records of a table, and shows spectators only what they may see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from heads.world import PlayedTable, event

from engine.i18n import say
from engine.match import Seat
from engine.match.arbiter_order_specs_and_parser import read_order
from engine.match.match_events_and_effects import (
    ArbiterOrder,
    BoardReported,
    Choose,
    ClaimKind,
    DeclareEnd,
    Hold,
    PlayerClaim,
    TimeWinChoice,
)
from hardware.real_and_simulated_time import ManualTime
from kiosk.head.desk import Desk
from kiosk.head.devices.replaced_devices import ReplacedDevices
from kiosk.head.errors import StoreError
from kiosk.head.event.act_types import DivisionChanged, event_of
from kiosk.head.event.spectator_visibility import Boards, VisibilityRules
from kiosk.head.event.tournament_state import TableRules
from kiosk.head.head_config import HeadConfig
from kiosk.head.program import build_head
from kiosk.head.program.head_assembly_and_run import Runtime
from kiosk.head.store import CommandRow, Store
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.head.tables.public_and_arbiter_table_cards import arbiter_cards, public_cards
from kiosk.head.tables.record_ingest_and_commands import RecordIngest
from kiosk.head.web.html_renderer import Renderer, clock
from kiosk.link.link_messages import TableRecord, TroubleInfo, localize_reason
from kiosk.locale import JAPANESE, render
from kiosk.table.game.match_steps_and_head_commands import call_arbiter
from kiosk.table.state import TableState

S = 1_000_000_000


@dataclass
class World:
    store: Store
    desk: Desk
    live: LiveTables
    collection: RecordIngest
    time: ManualTime
    tables: list[PlayedTable]

    def view(self, number: int):
        return next(view for view in self.live.views() if view.number == number)

    def public_html(self) -> str:
        renderer = Renderer(self.desk, self.live)
        cards = public_cards(self.desk, self.live)
        return "".join(renderer.draw("public/_table.html", "en", None, card=card) for card in cards)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    time, keys = ManualTime(5000 * S), {number: bytes(32) for number in range(1, 5)}
    head = build_head(HeadConfig(data=tmp_path), keys, machine=Runtime(time=time)).start()
    head.desk.divisions.create(event_of(event(8)), TableRules("", 1200))
    head.desk.rounds.publish(head.desk.rounds.draft().digest)
    collection = head.devices.collection
    tables = [PlayedTable(number, collection) for number in keys]
    yield World(head.store, head.desk, head.live, collection, time, tables)
    head.close()


@pytest.mark.parametrize("board_source", [True, False])
def test_the_head_has_the_state_of_the_table(world: World, board_source: bool) -> None:
    table = world.tables[0]
    table.board_source = board_source
    table.play(9, 7.0)
    view = world.view(1)
    assert (view.phase, view.move_number, view.revision) == ("TURN", table.match.move_number, table.match.revision)
    assert view.board == table.match.board
    assert [side.color for side in view.sides] == ["black", "white"]
    assert [side.running for side in view.sides] == [False, True]
    assert [side.left_ms for side in view.sides] == [
        table.match.remaining_ns(seat, table.at_ns) // 1_000_000 for seat in (Seat.LEFT, Seat.RIGHT)
    ]


def test_a_running_clock_counts_from_the_arrival_of_the_last_record(world: World) -> None:
    world.tables[0].execute_commands()
    world.tables[0].play(1, 7.0)
    view = world.view(1)
    world.time.advance(60 * S)
    assert view.heard_ms == 5_000_000 and world.live.now_ms() == 5_060_000
    assert world.view(1).sides == view.sides  # the page counts by itself


def test_a_restarted_head_has_the_same_state(world: World) -> None:
    for table in world.tables:
        table.play(3 * table.number)
    again = LiveTables(world.store, range(1, 5), world.time, world.time.now_ns)
    assert again.views() == world.live.views()


def test_missed_records_are_read_from_the_store(world: World) -> None:
    table = world.tables[0]
    table.play(2)
    blind = LiveTables(world.store, range(1, 5), world.time, world.time.now_ns)
    table.play(4)
    _, nothing = world.store.commit_records(1, "epoch", table.sent[:3]).result()
    assert nothing == []
    last = list(world.store.records(table=1))[-1]
    blind.collect([last])
    assert blind.views() == world.live.views()


def test_a_call_is_first_and_ends_when_the_clock_is_resumed(world: World) -> None:
    for table in world.tables:
        table.play(2)
    for number in (4, 2):
        table = world.tables[number - 1]
        table.apply_event(Hold(table.at_ns + S, Seat.LEFT))
        world.time.advance(30 * S)
    cards = public_cards(world.desk, world.live)
    assert [card.number for card in cards] == [4, 2, 1, 3]
    assert [card.view.called_ms for card in cards[:2]] == [5_000_000, 5_030_000]
    table = world.tables[3]
    event: ArbiterOrder = read_order(table.at_ns + 9 * S, {"action": "resume", "reason": ""})
    table.apply_event(event)
    assert [card.number for card in public_cards(world.desk, world.live)] == [2, 1, 3, 4]


def test_with_a_delay_spectators_read_that_a_clock_stopped_not_why(world: World) -> None:
    table, rules = world.tables[0], VisibilityRules(Boards.DELAYED, delay=0)
    world.desk.divisions.change(DivisionChanged(world.desk.state.division().slug, spectators=rules))
    table.play(4)
    table.apply_event(read_order(table.at_ns, {"action": "hold", "reason": "stop all"}))
    (card,) = (card for card in public_cards(world.desk, world.live) if card.number == 1)
    assert card.phase == "HOLD" and card.view.called_ms is None


def test_a_clock_that_stopped_because_the_power_failed_is_a_call(world: World) -> None:
    """The table records it as an order, which nobody gave."""
    table = world.tables[0]
    table.play(4)
    table.apply_event(read_order(table.at_ns, {"action": "hold", "reason": "the power failed"}))
    assert world.view(1).called_ms is not None
    assert render(localize_reason("the power failed"), JAPANESE) == "電源が切れた"


def test_a_call_ends_when_the_players_end_the_game(world: World) -> None:
    table = world.tables[0]
    table.board_source = False
    table.play(4)
    table.apply_event(Hold(table.at_ns, table.match.clock.running))
    assert world.view(1).called_ms is not None
    table.apply_event(DeclareEnd(table.at_ns + S, table.match.side))
    assert world.view(1).phase == "ENDED" and world.view(1).called_ms is None


def test_a_reading_after_an_arbiter_s_own_stop_is_no_call(world: World) -> None:
    table = world.tables[0]
    table.play(4)
    table.apply_event(read_order(table.at_ns, {"action": "hold", "reason": "stop all"}))
    table.apply_event(BoardReported(table.at_ns + S, table.position.cells(), None))
    assert world.view(1).phase == "HOLD" and world.view(1).called_ms is None


def test_a_call_in_free_play_is_shown(world: World) -> None:
    """No player may stop the clock in FREE; the arbiter's button does, and the table records it as an order."""
    table = world.tables[0]
    table.play(6)
    table.at_ns += 1300 * S
    by = table.match.color_at(table.match.clock.running).opponent
    table.apply_event(PlayerClaim(table.at_ns, by, ClaimKind.FLAG))
    table.apply_event(Choose(table.at_ns + S, TimeWinChoice.FREE_PLAY))
    assert world.view(1).phase == "FREE" and world.view(1).called_ms is None
    (called,) = call_arbiter(TableState(1, match=table.match), table.at_ns + 2 * S)
    table.apply_event(called)
    assert world.view(1).phase == "HOLD" and world.view(1).called_ms == 5_000_000
    table.apply_event(read_order(table.at_ns + 3 * S, {"action": "resume", "reason": ""}))
    assert world.view(1).called_ms is None
    table.apply_event(read_order(table.at_ns + 4 * S, {"action": "hold", "reason": "stop all"}))
    assert world.view(1).phase == "HOLD" and world.view(1).called_ms is None


def test_the_link_turns_amber_then_red(world: World) -> None:
    assert world.view(1).link == "red"  # never connected
    world.tables[0].live(unsynced=2)
    seen = []
    for _ in range(4):
        seen.append(world.view(1).link)
        world.time.advance(5 * S)
    assert seen == ["ok", "ok", "amber", "red"]
    assert world.view(1).unsynced == 2


def test_spectators_see_no_finding_no_flag_and_no_alarm(world: World) -> None:
    """Promise 3: an illegal move is recorded, and shown to the arbiter only."""
    table = world.tables[0]
    table.play(6)
    table.slip()
    table.at_ns += 1300 * S  # the flag of the running side has fallen
    table.apply_event(Hold(table.at_ns, Seat.LEFT))
    table.live(troubles=[TroubleInfo("sensor", say("the sensor board fails"))])
    card = next(card for card in public_cards(world.desk, world.live) if card.number == 1)
    view = card.view
    assert (view.findings, view.messages, view.inside.health) == ((), (), None)
    assert min(side.left_ms for side in card.view.sides) >= 0
    assert all(side.left_ms >= 0 for side in card.sides)
    html = world.public_html()
    assert "IM-" not in html and "sensor board" not in html and "0:00" in html and "-" not in clock(-5000)
    arbiter = next(card for card in arbiter_cards(world.desk.state, world.desk, world.live) if card.number == 1)
    assert [finding.kind for finding in arbiter.view.findings] == ["IM-4"]
    assert arbiter.view.messages and arbiter.view.inside.health is not None and arbiter.view.inside.health.troubles


def test_an_unreadable_record_hides_only_the_board(world: World) -> None:
    table = world.tables[0]
    table.execute_commands()
    table.send("event", {"game": table.assignment.game, "revision": 9, "event": {"type": "teleport", "at_ns": 1}})
    assert world.view(1).lost_sight
    assert world.store.last_committed_seq(1, "epoch") == table.seq
    card = next(card for card in public_cards(world.desk, world.live) if card.number == 1)
    assert not card.view.lost_sight


def test_a_finished_game_shows_its_result_until_the_next(world: World) -> None:
    table = world.tables[0]
    table.finish()
    left_ms = {side.id: side.left_ms for side in world.view(1).sides}
    world.desk.process_pending()
    card = next(card for card in public_cards(world.desk, world.live) if card.number == 1)
    assert card.score is not None and sum(card.score) == 64 and card.phase == "SUBMITTED"
    assert card.view.called_ms is None
    # the clocks stay as they were at its end
    assert {side.id: side.left_ms for side in card.sides} == left_ms and min(left_ms.values()) > 0


def test_a_published_game_is_shown_before_the_table_has_it(world: World) -> None:
    card = next(card for card in public_cards(world.desk, world.live) if card.number == 2)
    assert card.phase == "SETUP" and [side.color for side in card.sides] == ["black", "white"]
    assert world.view(2).game is None


def test_a_withdrawn_game_leaves_the_table_free(world: World) -> None:
    table = world.tables[0]
    table.execute_commands()
    table.send("withdrawn", {"game": table.assignment.game})
    assert world.view(1).game is None and world.live.game_at(1) is None


def test_a_table_that_sends_everything_again_under_a_new_epoch_looks_the_same(world: World) -> None:
    table = world.tables[0]
    table.play(9)
    before = world.view(1)
    again = [TableRecord(number, record.type, record.body) for number, record in enumerate(table.sent, 1)]
    for start in range(0, len(again), 7):
        world.collection.commit(1, "renewed", again[start : start + 7])
    assert world.view(1) == before
    assert [record.seq for record in world.store.present_game(1)][-1] == len(again)


def test_a_command_that_waits_too_long_is_handed_out_as_expired(world: World) -> None:
    """The seconds count on the head's monotonic clock, from when the command was queued."""
    now = [50.0]
    collection = RecordIngest(world.store, {1: bytes(32)}, world.desk, world.live, monotonic_s=lambda: now[0])
    world.store.give([CommandRow("c1", 1, "hold", expires_s=30)]).result()
    world.store.give([CommandRow("c2", 1, "hold")]).result()
    left = []
    for seconds in (0.0, 10.4, 19.5, 0.2, 3600.0):
        now[0] += seconds
        left.append({command.id: command.expires_s for command in collection.pending(1) if command.id in ("c1", "c2")})
    assert [each["c1"] for each in left] == [30, 20, 1, 0, 0]
    assert {each["c2"] for each in left} == {None}


def test_an_order_to_an_offline_table_expires_also_over_a_restart(world: World) -> None:
    world.desk.orders.send_to_all("hold", [1], {"reason": "stop all"})

    def left(collection: RecordIngest) -> list[int | None]:
        return [command.expires_s for command in collection.pending(1) if command.kind == "hold"]

    world.time.advance(1800 * S)
    assert left(world.collection) == [0]
    restarted = RecordIngest(world.store, {1: bytes(32)}, world.desk, world.live, monotonic_s=lambda: 7.0)
    assert left(restarted) == [0]


def test_a_notice_of_two_devices_ends_with_the_next_key(world: World) -> None:
    keys = {1: bytes(32)}
    collection = RecordIngest(world.store, keys, world.desk, world.live)
    world.tables[0].play(1)
    collection.compare(1, "epoch", TableRecord(1, "event", {"another": 1}))
    assert len(collection.troubles()) == 1
    keys[1] = bytes(31) + b"1"
    assert collection.troubles() == []


def test_a_store_that_cannot_be_read_ends_one_connection(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any other error would end the serving of all serial ports, and with it the head."""

    def fails(*args: object, **more: object) -> None:
        raise StoreError.saying("the head's store cannot be read ({why})", why="disk I/O error")

    for call in ("last_committed_seq", "differs", "records"):
        monkeypatch.setattr(world.store, call, fails)
    press = TableRecord(1, "event", {})
    for lost in (
        lambda: world.collection.last_committed_seq(1, "epoch"),
        lambda: world.collection.compare(1, "epoch", press),
        lambda: ReplacedDevices(world.store, None).commit(1, "old", [press]),
    ):
        with pytest.raises(ConnectionError, match="disk I/O error"):
            lost()


def test_a_clock_runs_or_may_run(world: World) -> None:
    """A stop order goes to tables whose clock runs and to those of unknown state; not to one that is connected and
    has not begun."""
    games = {game.table: game.id for game in world.desk.state.current if game.table is not None}
    assert world.live.running(games) == [1, 2, 3, 4], "nothing was heard of any"
    assert world.live.no_clock_runs
    for table in world.tables[:3]:
        world.live.note_alive(table.number, None)
    for table in world.tables[:2]:
        table.play(3, 7.0)
    assert world.live.running(games) == [1, 2, 4]
    assert not world.live.no_clock_runs
    assert world.live.running({**games, 1: "another game"}) == [2, 4]


def test_the_cards_of_tables_are_cached_until_a_change(world: World) -> None:
    seen: dict = {}
    table = world.tables[0]
    table.play(3, 7.0)
    first = public_cards(world.desk, world.live, seen)
    again = public_cards(world.desk, world.live, seen)
    assert all(one is other for one, other in zip(first, again, strict=True))
    table.play(1, 7.0)
    moved = public_cards(world.desk, world.live, seen)
    assert moved == public_cards(world.desk, world.live)
    assert [card.number for card, old in zip(moved, again, strict=True) if card is not old] == [1]
    world.live.note_alive(2, None)
    assert public_cards(world.desk, world.live, seen) == public_cards(world.desk, world.live)
