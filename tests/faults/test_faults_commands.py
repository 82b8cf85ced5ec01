"""FAULTS.md 14: commands to a real table, duplicated, late and out of order, over restarts of its program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from tables.rig import LEFT, RIGHT, TableRig

from engine.match.match_value_types import Phase
from hardware.real_and_simulated_time import ScaledTime
from kiosk.link.link_messages import Assignment, Command, PlayerInfo, to_dict
from kiosk.table.journal.segment_files_and_recovery import recover
from kiosk.table.table_config import HeadAddress


def assignment(game: str) -> Assignment:
    return Assignment(
        game=game, event="e", division="open", round=1, table=1, rules="m43", stage="league", label_ja="予選",
        label_en="League", main_s=600_000, designated=True, players=[PlayerInfo("p1", "A"), PlayerInfo("p2", "B")],
    )  # fmt: skip


def commands_of(game: str, random: Random) -> list[Command]:
    """Return commands that a head may send during a game; the reason carries the command's id into the journal."""
    commands = []
    for number in range(random.randint(2, 5)):
        name = f"{game}/{number}"
        match random.randrange(4):
            case 0:
                commands.append(Command(name, "hold", game=game, body={"reason": name}))
            case 1:
                body = {"action": "resume", "reason": name}
                commands.append(Command(name, "arbiter", game=game, body=body))
            case 2:
                body = {"action": "deduct", "from": "black", "seconds": 1, "reason": name}
                commands.append(Command(name, "arbiter", game=game, body=body))
            case _:
                body = {"action": "deduct", "from": "white", "seconds": 1, "reason": name}
                late = random.choice((None, 0))
                commands.append(Command(name, "arbiter", game=game, revision=2, expires_s=late, body=body))
    return commands


@pytest.mark.fault(14, "commands duplicated, late, reordered")
def test_every_command_once_and_never_to_the_wrong_game(
    tmp_path: Path, times: Callable[[int, int], int], record_property: Callable[[str, object], None]
) -> None:
    random, time_base = Random(14), ScaledTime(20)
    key_file = tmp_path / "key.json"
    key_file.write_text('{"schema": "othello-keys/1", "keys": {"1": "' + "00" * 32 + '"}}', encoding="utf-8")
    key_file.chmod(0o600)
    nobody = HeadAddress(key_file=key_file, serial=str(tmp_path / "no-cable"))
    rig = TableRig(tmp_path, time_base, head=nobody)
    sent: list[Command] = []
    for number in range(times(12, 1000)):
        game = f"g{number}"
        assign = Command(f"{game}/assign", "assign", game=game, body=to_dict(assignment(game)))
        withdraw = Command(f"{game}/withdraw", "withdraw", game=game)
        rig.order(assign)
        rig.until(lambda state, game=game: state.assignment is not None and state.assignment.game == game, game)
        rig.press(LEFT)
        rig.phase(Phase.READY)
        rig.press(RIGHT)
        rig.until(lambda state: state.match is not None and state.match.phase is not Phase.READY, "started")
        fresh = commands_of(game, random)
        stale = random.sample(sent, min(len(sent), 12))  # already carried out, or for a finished game
        early = Command(f"g{number + 1}/early", "hold", game=f"g{number + 1}", body={"reason": f"g{number + 1}/early"})
        storm = [*fresh, *random.choices(fresh, k=4), *stale, assign, early]
        random.shuffle(storm)
        for command in storm:
            rig.order(command)
        for command in (withdraw, withdraw, *fresh):
            rig.order(command)
        rig.until(lambda state: state.assignment is None, f"{game} is taken away")
        sent += [assign, *fresh, withdraw, early]
        if number % 40 == 10:  # a restarted table reads the commands carried out from its journal
            rig.close()
            rig = TableRig(tmp_path, time_base, head=nobody)
    rig.close()

    entries = recover(tmp_path / "journal").entries
    answers = Counter(entry.body["id"] for entry in entries if entry.type == "command")
    assert answers == Counter({command.id: 1 for command in sent})
    status = {entry.body["id"]: entry.body["status"] for entry in entries if entry.type == "command"}
    by_id = {command.id: command for command in sent}
    outcomes = Counter()
    for entry in entries:
        if entry.type == "event" and entry.body["event"].get("reason"):
            name = entry.body["event"]["reason"]
            assert entry.body["game"] == by_id[name].game
            outcomes[name] += 1
    orders = [c for c in sent if c.kind in ("hold", "arbiter")]
    assert outcomes == Counter({c.id: 1 for c in orders if status[c.id] == "applied"})
    assert len(outcomes) > len(orders) / 10
    assert {status[c.id] for c in orders if c.expires_s == 0} == {"expired"}
    assert {status[c.id] for c in sent if c.id.endswith("/early")} == {"refused"}
    assigned = Counter(entry.body["assignment"]["game"] for entry in entries if entry.type == "assigned")
    assert set(assigned.values()) == {1}
    record_property("tried", len(sent))
