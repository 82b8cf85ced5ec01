"""Tests of a complete event with a head, its tables and simulated players, on virtual time and in real processes."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from engine.tournament import champion, is_over, standings
from kiosk.commands.demo import _event
from kiosk.demo.hall_processes import DemoHall, HallPlan
from kiosk.demo.run_to_end_at_terminal import watch
from kiosk.demo.virtual_time_demo import play
from kiosk.records.event_file import from_dict
from kiosk.table.journal.segment_files_and_recovery import recover

TABLES, PLAYERS, SEED = 2, 5, 7
#: speed of the real processes; the time for free play must also suffice on a loaded machine
SPEED = 250.0
#: timeout; the event takes half a minute on an idle machine, 114 s with twenty programs on two cores
PATIENCE_S = 280
#: a table is killed when the journals have grown by so many bytes, about ten times in an event; a kill every so many
#: seconds could come on a loaded machine before the table has started
BETWEEN_KILLS = (5_000, 20_000)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def demo(out: Path, *options: object) -> str:
    """Run a demo of two tables to its end; return what it printed."""
    command = [sys.executable, "-m", "kiosk", "demo", "--tables", str(TABLES), "--speed", "max", "--exit"]
    command += ["--out", str(out), *map(str, options)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished ``kiosk demo`` on virtual time."""
    out = tmp_path_factory.mktemp("demo") / "out"
    assert "優勝 / Champion:" in demo(out, "--players", PLAYERS, "--seed", SEED)
    return out


def event_of(out: Path) -> dict[str, Any]:
    event: dict[str, Any] = json.loads((out / "event.json").read_text(encoding="utf-8"))
    return event


def test_the_demo_ends_with_a_champion_and_writes_its_files(finished: Path) -> None:
    event = event_of(finished)
    parsed = from_dict(event)
    assert is_over(parsed)
    written = json.loads((finished / "standings.json").read_text(encoding="utf-8"))
    assert written == standings(parsed).as_dict()
    assert written["rows"][0]["id"] == champion(parsed)
    stages = {game["stage"] for games in event["rounds"] for game in games["games"]}
    assert {"league", "semi-final", "final", "third-place", "placement"} <= stages


def test_every_result_of_the_event_is_a_card_in_a_journal(finished: Path) -> None:
    cards = {}
    for number in range(1, TABLES + 1):
        journal = recover(finished / "journals" / f"table-{number}")
        assert journal.cuts == []
        cards |= {
            (entry.body["black_id"], entry.body["white_id"], entry.body["transcript"]): entry.body
            for entry in journal.entries
            if entry.type == "card"
        }
    games = [
        game
        for games in event_of(finished)["rounds"]
        for game in games["games"]
        if "bye" not in game and game["end"] != "not-played"
    ]
    assert len(cards) == len(games)
    for game in games:
        card = cards[game["black"], game["white"], game["transcript"]]
        assert (game["black_discs"], game["white_discs"]) == (card["black_discs"], card["white_discs"])
        assert (game["winner"], game["end"]) == (card["winner"], card["end"])


def test_tables_killed_during_games_change_no_result(tmp_path: Path) -> None:
    """Promise 2: tables in real processes are killed with ``kill -9`` at random moments. Each restarts paused, the
    arbiter resumes it, and the event is the one of virtual time without kills."""
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    calm.mkdir(), rough.mkdir()
    plan = HallPlan(_event("round-robin", 4, SEED), 2, SPEED, SEED, rough)
    expected = play(replace(plan, directory=calm), lambda progress: None)
    dice, over, killed = random.Random(SEED), threading.Event(), 0

    with DemoHall(plan) as hall:

        def journals() -> int:
            return sum(file.stat().st_size for file in rough.glob("table-*/journal/*.journal"))

        def kill() -> None:
            nonlocal killed
            due = dice.randrange(*BETWEEN_KILLS)
            while not over.wait(0.02):
                if journals() < due:
                    continue
                due = journals() + dice.randrange(*BETWEEN_KILLS)
                process = dice.choice(hall.tables).process
                if process is not None and process.poll() is None:
                    os.kill(process.pid, signal.SIGKILL)
                    killed += 1

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            event = watch(hall, Console(quiet=True))
        finally:
            over.set()
            killer.join()
        restarts = sum(table.restarts for table in hall.tables)
    assert killed >= 5
    assert restarts >= killed - 1
    assert event["rounds"] == expected["rounds"]


def test_the_same_seed_gives_the_same_event_on_a_loaded_machine(tmp_path: Path) -> None:
    """Two demos with one seed write the same bytes though the second is stopped repeatedly; neither load nor the order
    of sets has an effect."""
    told = []
    for number, stops in enumerate((0, 8)):
        out = tmp_path / f"{number}"
        command = [
            sys.executable, "-m", "kiosk", "demo", "--tables", "2", "--players", "4", "--format", "knockout",
            "--seed", "11", "--speed", "max", "--exit", "--out", str(out),
        ]  # fmt: skip
        env = os.environ | {"PYTHONHASHSEED": str(number + 1)}
        with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as process:
            for _ in range(stops):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(0.4)
                process.send_signal(signal.SIGSTOP)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(0.2)
                process.send_signal(signal.SIGCONT)
            assert process.wait(PATIENCE_S) == 0
        told.append([(out / name).read_bytes() for name in ("event.json", "standings.json")])
    assert told[0] == told[1]
    assert is_over(from_dict(json.loads(told[0][0])))


def test_tables_follow_the_rules_of_another_format(tmp_path: Path) -> None:
    """In the 40th Meijin's small divisions every game has hidden discs, a draw right, and immediate losses on time."""
    out = tmp_path / "out"
    demo(out, "--format", "m40-elementary", "--players", 4, "--seed", 2)
    event = event_of(out)
    assert is_over(from_dict(event))
    assigned = [
        entry.body["assignment"]
        for number in range(1, 3)
        for entry in recover(out / "journals" / f"table-{number}").entries
        if entry.type == "assigned"
    ]
    assert {game["rules"] for game in assigned} == {"m40"}
    assert not any(game["designated"] for game in assigned)
    assert not any(game.get("winner") == "draw" for games in event["rounds"] for game in games["games"])


def test_an_event_over_serial_cables_alone(tmp_path: Path) -> None:
    """The tables have no network, only serial cables to the head; every program is a real one."""
    demo(tmp_path / "out", "--carrier", "serial", "--players", 4, "--format", "knockout")
    assert is_over(from_dict(event_of(tmp_path / "out")))
    for number in (1, 2):
        config = (tmp_path / "out" / "hall" / f"table-{number}" / "table.toml").read_text(encoding="utf-8")
        assert "serial = " in config
        assert "ws://" not in config
