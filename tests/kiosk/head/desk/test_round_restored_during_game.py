"""Test of a round that is taken back and restored while a real table plays one of its games."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from heads.world import running_head
from tables.rig import LEFT, RIGHT, TableRig
from waiting import until

from engine.match.match_value_types import Phase, Seat
from kiosk.head.program import HeadApplication
from kiosk.head.store import CommandStatus
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.table.table_config import HeadAddress


def at_hand(data: Path, head: HeadApplication, url: str) -> Callable[[], TableRig]:
    """Create table 1 of this head, again after every start."""
    key, key_file = head.devices.collection.key(1), data / "key.json"
    assert key is not None
    key_file.write_text(json.dumps({"schema": "othello-keys/1", "keys": {"1": key.hex()}}))
    key_file.chmod(0o600)
    address = HeadAddress(key_file=key_file, url=url.replace("http", "ws") + "/link")
    return lambda: TableRig(data / "table", head=address)


@pytest.mark.parametrize("restarted", [False, True])
def test_a_game_in_play_continues_when_its_round_is_restored(tmp_path: Path, restarted: bool) -> None:
    """Table and head agree on the game, also after a restart of the head; an arbiter resumes it."""
    with running_head(tmp_path, tables=1, auto=False) as (head, url):
        start = at_hand(tmp_path, head, url)
        rig = start()
        try:
            rounds = head.desk.rounds
            rounds.publish(rounds.draft("main").digest, "main")
            rig.phase(Phase.SETUP)
            given = rig.state.assignment
            assert given is not None
            for gpio, phase in ((LEFT, Phase.READY), (RIGHT, Phase.TURN), (LEFT, Phase.TURN), (RIGHT, Phase.TURN)):
                rig.press(gpio)
                rig.phase(phase)
            rig.until(lambda _: rig.match.clock.running is Seat.LEFT, "two turns are played")
            turns, number = len(rig.match.turns), rig.match.move_number
            rounds.undo("main", 1, "a mistake")
            rig.until(lambda state: state.assignment is None, "the game is taken away")
            if restarted:
                rig.until(lambda state: state.saved, "saved")
                rig.close()
                rig = start()
            rounds.restore("main", 0)
            until(lambda: head.store.commands(game=given.game)[-1].status is CommandStatus.APPLIED)
            assert head.store.commands(game=given.game)[-1].kind == "assign"
            assert rig.match.phase is Phase.HOLD
            assert rig.state.assignment == given
            assert (len(rig.match.turns), rig.match.move_number) == (turns, number) and number > 1
            assert rig.match.clock.left.left_ns < 1_200 * 10**9 > rig.match.clock.right.left_ns
            until(lambda: head.live.views()[0].revision == rig.match.revision)
            read = LiveTables(head.store, [1], rig.time)
            for live in (head.live, read):
                view = live.views()[0]
                assert (view.game, view.phase, view.clock, view.turns) == (
                    given.game, "HOLD", rig.match.clock, rig.match.turns,
                )  # fmt: skip
            read.close()
            head.desk.orders.send(1, "arbiter", body={"action": "resume", "reason": "go on"})
            rig.phase(Phase.TURN)
            rig.press(LEFT)
            rig.until(lambda _: rig.match.clock.running is Seat.RIGHT, "the game goes on")
        finally:
            rig.close()
