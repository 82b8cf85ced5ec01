"""Tests of a head restored from an old backup that pairs rounds anew which its tables have played already.

No result, game or command of a lost round is taken for one of the new round, and the desk is shown the lost results.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from heads.process import configured, free_port
from heads.world import PlayedTable, event, quick_card
from messages.bilingual import both
from msgspec import structs
from tables.rig import LEFT, RIGHT, TableRig
from waiting import HANGS_S, until

from engine.match.match_value_types import Phase
from engine.tournament.event_model import Player
from kiosk.head.backup.restore import restore
from kiosk.head.backup.signed_backup_creation import back_up
from kiosk.head.desk.round_draft_publish_amend_undo import amendment_key
from kiosk.head.desk.table_assignment import MAX_ASSIGN_TRIES
from kiosk.head.event.act_types import PlayerWithdrawn
from kiosk.head.head_config import HeadConfig, load_config
from kiosk.head.program import HeadApplication, build_head
from kiosk.head.program.garbage_collection_schedule import GcPolicy
from kiosk.head.program.listening_sockets_tls_and_server import listen
from kiosk.head.store import CommandStatus
from kiosk.link.link_messages import Command, TableRecord
from kiosk.link.table_keys import load_keys
from kiosk.table.table_config import HeadAddress

TABLES = 4


@dataclass
class _NoHead:
    """The journal of a table without a connection."""

    table: PlayedTable

    def commit(self, number: int, epoch: str, records: list[TableRecord]) -> int:
        return self.table.seq

    def pending(self, number: int) -> list[Any]:
        return []


def _connect(head: HeadApplication, table: PlayedTable) -> None:
    """Connect a table, which sends what this head lacks and executes its commands."""
    table.collection = head.devices.collection
    have = table.collection.last_committed_seq(table.number, table.epoch)
    table.collection.commit(table.number, table.epoch, table.sent[have:])
    head.desk.process_pending()


def _publish(head: HeadApplication) -> None:
    head.desk.rounds.publish(head.desk.rounds.draft().digest)
    head.desk.process_pending()


def _play(table: PlayedTable, discs: int) -> None:
    """Begin the game that the table is given, and hand in its card."""
    (given,) = [command for command in table.execute_commands() if command.kind == "assign"]
    table.send("card", quick_card(given, discs))


@contextmanager
def _running(config: HeadConfig) -> Iterator[HeadApplication]:
    assert config.keys is not None
    head = build_head(config, load_keys(config.keys)).start()
    try:
        yield head
    finally:
        head.close()


@dataclass
class _Hall:
    """Four tables. After round 1 the head was backed up; rounds 2 and 3 were played and lost with it. Table 1 handed
    in all its cards, table 2 kept that of round 3.
    """

    folder: Path
    tables: list[PlayedTable]

    @contextmanager
    def restored(self) -> Iterator[HeadApplication]:
        """Yield a head restored from the backup, which knows round 1 only."""
        restore(self.folder / "stick", self.folder / "spare", force=True)
        with _running(load_config(self.folder / "spare/head.toml")) as head:
            assert len(head.desk.state.first.rounds) == 1
            until(lambda: head.desk.automatic_steps_run)
            yield head


@pytest.fixture
def hall(tmp_path: Path) -> _Hall:
    config = load_config(configured(tmp_path, range(1, TABLES + 1), event(2 * TABLES + 1, "swiss", rounds=5)))
    with _running(config) as lost:
        tables = [PlayedTable(number, lost.devices.collection) for number in range(1, TABLES + 1)]
        for round in (1, 2, 3):
            _publish(lost)
            for table in tables:
                if round == 3 and table.number == 2:
                    (given,) = table.execute_commands()
                    table.collection = _NoHead(table)
                    table.send("card", quick_card(given, 41))
                else:
                    _play(table, 30 + table.number + round)
            lost.desk.process_pending()
            if round == 1:
                back_up(config, tmp_path / "stick")
        assert sum(game.is_open for game in lost.desk.state.current) == 1
        for table in tables:
            table.collection = _NoHead(table)
    return _Hall(tmp_path, tables)


@pytest.mark.parametrize("leaves", [True, False])
@pytest.mark.parametrize("connected", [True, False])
def test_rounds_paired_again_are_played_anew(hall: _Hall, connected: bool, leaves: bool) -> None:
    """``connected``: the tables come back before round 2 is published; ``leaves``: a player withdraws, so that it has
    other pairs than the lost one."""
    with hall.restored() as head:
        if connected:
            for table in hall.tables:
                _connect(head, table)
        if leaves:
            head.desk.core.act(PlayerWithdrawn(player="p3", after_round=1))
        for _ in (2, 3):
            _publish(head)
            for table in hall.tables:
                _connect(head, table)
            games = [game for game in head.desk.state.current if not game.is_bye]
            assert all(game.is_open for game in games), "no old card counts"
            for table in hall.tables:
                _play(table, 40 + table.number)
                game = head.desk.core.game_at(table.number)
                assert game is not None and table.assignment is not None, "it has begun the new game"
                assert table.assignment.game == game.id
                assert {player.id for player in table.assignment.players} == game.players
            head.desk.process_pending()
            discs = {game.table: game.outcome.black_discs for game in head.desk.state.current if game.outcome}
            assert discs == {number: 40 + number for number in range(1, TABLES + 1)}


def test_the_lost_head_takes_no_game_of_a_restored_one_for_its_own(hall: _Hall) -> None:
    """It is started again by mistake, and tables come back to it that have begun another round 2."""
    with hall.restored() as head:
        _publish(head)
        for table in hall.tables:
            _connect(head, table)
            _play(table, 50)
    with _running(load_config(hall.folder / "head.toml")) as lost:
        rounds = lost.desk.state.first.rounds
        for table in hall.tables:
            _connect(lost, table)
        now = [game.outcome for game in lost.desk.state.current if game.table == 2]
        assert [game.black_discs for game in now if game] == [41], "the card that table 2 had kept"
        assert lost.desk.state.first.rounds[:-1] == rounds[:-1]


def test_games_exchanged_in_a_round_have_ids_of_their_own(hall: _Hall) -> None:
    """The lost head had exchanged two games of the round, and two heads restored from its backup exchange others."""
    ids: list[str] = []

    def exchange(head: HeadApplication) -> None:
        before = {game.id for game in head.desk.state.current}
        first, *_, last = (game for game in head.desk.state.current if not game.is_bye)
        change = head.desk.rounds.ask_amendment("main", first.black, last.black).result()
        head.desk.rounds.amend("main", amendment_key(change), first.black, last.black)
        ids.extend(game.id for game in head.desk.state.current if game.id not in before)

    config = load_config(hall.folder / "head.toml")
    with _running(structs.replace(config, data=hall.folder / "other")) as lost:
        _publish(lost)
        back_up(lost.config, hall.folder / "stick")
        exchange(lost)
    for _ in range(2):
        with hall.restored() as head:
            exchange(head)
    assert len(ids) == len(set(ids)) == 6


def test_the_desk_is_shown_the_lost_results(hall: _Hall) -> None:
    """Also of the table that had not handed in its card, and by the players' names."""
    with hall.restored() as head:
        _publish(head)
        for table in hall.tables:
            _connect(head, table)
        told = [both(notice.text) for notice in head.desk.state.notices if notice.table == 2]
        assert len(told) == 2
        card = hall.tables[1].sent[-1].body
        black, white = (head.desk.state.first.called(str(card[f"{side}_id"])) for side in ("black", "white"))
        assert all(part in told[-1] for part in ("round 3", "第3回戦", "41–23", black, white))


def test_a_round_of_a_restored_head_is_followed_at_the_next_one(hall: _Hall) -> None:
    """Another machine is restored from the same backup, and tables have games of both lost heads: the later ones are
    followed, with their results."""
    with hall.restored() as head:
        _publish(head)
        for table in hall.tables:
            _connect(head, table)
            _play(table, 50 + table.number)
        head.desk.process_pending()
        played = head.desk.state.current
    with hall.restored() as head:
        for table in hall.tables:
            _connect(head, table)
        head.desk.claims.follow_tables()
        head.desk.process_pending()
        assert head.desk.state.first.rounds[1] == played
        assert all(game.outcome for game in played if not game.is_bye)


def test_a_table_that_plays_a_lost_game_gets_its_new_one_afterwards(hall: _Hall) -> None:
    """However often it has refused the new one meanwhile."""
    table = hall.tables[1]
    card = table.sent.pop()
    table.seq -= 1
    with hall.restored() as head:
        _publish(head)
        _connect(head, table)
        for _ in range(2 * MAX_ASSIGN_TRIES):
            for command in table.collection.pending(2):
                table.send("command", {"id": command.id, "status": "refused", "reason": "another game is played"})
            head.desk.seating.reassign_refused(head.live.game_at)
        assert not table.collection.pending(2)
        table.send("card", card.body)
        head.desk.seating.reassign_refused(head.live.game_at)
        _play(table, 50)
        head.desk.process_pending()
        assert [game.outcome.black_discs for game in head.desk.state.current if game.outcome] == [50]


def test_the_desk_is_told_whom_a_restored_head_has_not_heard_from(hall: _Hall) -> None:
    """Until it publishes a round of its own: then nothing is followed any more."""

    def troubles() -> str:
        return "\n".join(map(both, head.troubles()))

    with hall.restored() as head:
        assert "these tables since: 1-4." in troubles() and "卓:1-4" in troubles()
        for table in hall.tables[:2]:
            _connect(head, table)
            table.live()
        assert "these tables since: 3-4." in troubles()
        _publish(head)
        assert not troubles()


def test_a_player_entered_again_with_another_s_id_is_not_taken_for_him(tmp_path: Path) -> None:
    """Two latecomers were entered after the backup, and again in the other order: their tables are followed only once
    they have their names."""
    config = load_config(configured(tmp_path, range(1, TABLES + 1), event(2 * TABLES - 2, "swiss", rounds=5)))

    def enter(head: HeadApplication, *names: str) -> tuple[str, ...]:
        ids = tuple(id for name in names for id in head.desk.players.add("main", [Player("", name)]))
        head.desk.players.check_in("main", ids, arrived=True)
        return ids

    with _running(config) as lost:
        tables = [PlayedTable(number, lost.devices.collection) for number in range(1, TABLES + 1)]
        _publish(lost)
        for table in tables[:3]:
            _play(table, 30 + table.number)
        lost.desk.process_pending()
        back_up(config, tmp_path / "stick")
        ids = enter(lost, "Sato", "Tanaka")
        _publish(lost)
        for table in tables:
            _play(table, 30 + table.number)
        lost.desk.process_pending()
        before = lost.desk.state.first
    restore(tmp_path / "stick", tmp_path / "spare")
    with _running(load_config(tmp_path / "spare/head.toml")) as head:
        for table in tables:
            _connect(head, table)
        head.desk.claims.follow_tables()
        assert enter(head, "Tanaka", "Sato") == ids
        head.desk.process_pending()
        assert len(head.desk.state.first.rounds) == 1
        assert "each other's places" in both(head.desk.problem("main"))
        for id, name in zip(ids, ("Sato", "Ｔａｎａｋａ"), strict=True):
            head.desk.players.change("main", id, {"name": name})
        head.desk.process_pending()
        assert head.desk.state.first.rounds == before.rounds


@contextmanager
def _serving(config: HeadConfig, port: int) -> Iterator[HeadApplication]:
    """Yield a running head that serves its tables."""
    with _running(config) as head, closing(listen("127.0.0.1", port)) as listener:
        thread = threading.Thread(target=head.run, args=(listener,))
        with patch.object(GcPolicy, "frozen", nullcontext), patch.object(GcPolicy, "collect_if_due"):
            thread.start()
            try:
                yield head
            finally:
                head.stop()
                thread.join(HANGS_S)


def test_a_real_table_ends_the_lost_game_and_begins_the_new_one(tmp_path: Path) -> None:
    """Its link, journal and rules are the real ones. The lost head had given it round 2, with the same players."""
    port = free_port()
    config = load_config(configured(tmp_path, [1], event(2, "swiss", rounds=5), port=port))
    assert config.keys is not None
    key = HeadAddress(key_file=config.keys, url=f"ws://127.0.0.1:{port}/link")
    rig: TableRig | None = None
    try:
        with _serving(config, port) as lost:
            rig = TableRig(tmp_path / "table", head=key)
            for round in (1, 2):
                _publish(lost)
                rig.until(lambda state, n=round: state.assignment is not None and state.assignment.round == n, "a game")
                rig.press(LEFT)
                rig.phase(Phase.READY)
                rig.press(RIGHT)
                rig.phase(Phase.TURN)
                if round == 1:
                    _end_game(rig, "1", 40)
                    rig.phase(Phase.SUBMITTED)
                    until(lambda: lost.desk.state.first.round_is_complete)
                    back_up(config, tmp_path / "stick")
        assert rig.state.assignment is not None
        old = rig.state.assignment
        restore(tmp_path / "stick", tmp_path / "spare")
        with _running(load_config(tmp_path / "spare/head.toml")) as head:
            _publish(head)
        with _serving(load_config(tmp_path / "spare/head.toml"), port) as head:
            until(lambda: any(row.status is CommandStatus.REFUSED for row in head.store.commands(1)))
            assert rig.state.assignment == old and rig.match.phase is Phase.TURN
            _end_game(rig, "2", 23)
            until(lambda: [notice.kind for notice in head.desk.state.notices] == ["card-lost-game"])
            rig.until(lambda state: state.assignment != old, "the new game")
            (game,) = head.desk.state.current
            assert game.is_open and rig.state.assignment.game == game.id != old.game
            assert {player.id for player in old.players} == game.players
    finally:
        if rig is not None:
            rig.close()


def _end_game(rig: TableRig, command: str, discs: int) -> None:
    """End the game by an arbiter's order; both players confirm the result."""
    body = {"action": "result", "winner": "black" if discs > 32 else "white", "black_discs": discs,
            "white_discs": 64 - discs, "reason": "counted"}  # fmt: skip
    rig.order(Command(command, "arbiter", body=body))
    rig.phase(Phase.RESULT)
    rig.press(LEFT)
    rig.press(RIGHT)
