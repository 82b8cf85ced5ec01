"""FAULTS.md 17 with real processes and sockets: the head's machine is lost, another one starts from an old backup or
from nothing, and the tables, which kept running, complete it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from halls.many_tables import crowd, prepare_hall
from heads.process import HeadProcess, free_port, kiosk, rows_of
from heads.staff import follow_tables
from heads.world import event
from waiting import until

from kiosk.link.websocket_transport import WebSocketTransport

#: backups are made after these rounds, when the next one has begun at the tables
BACKED_UP = (1, 3, 5)


def state(url: str) -> tuple[object, object]:
    return httpx.get(f"{url}/event.json").json(), httpx.get(f"{url}/standings.json").json()


def rounds_played(url: str) -> int:
    """Return how many rounds have all their results."""
    rounds = httpx.get(f"{url}/event.json").json()["rounds"]
    return sum(all("winner" in game or "bye" in game for game in round["games"]) for round in rounds)


@pytest.mark.fault(17, "head restored over sockets from old backups and an empty disk; identical in {back_s} s")
def test_a_head_on_another_machine_reaches_the_state_of_the_lost_one(
    tmp_path: Path, times: Callable[[int, int], int], record_property: Callable[[str, object], None]
) -> None:
    tables, rounds, port, slowest_s = times(8, 30), times(3, 8), free_port(), 0.0
    home = tmp_path / "home"
    home.mkdir()
    keys = prepare_hall(home, event(2 * tables), tables, port, auto=True)
    with crowd(keys, lambda number: WebSocketTransport(f"ws://127.0.0.1:{port}/link"), cards=True) as hall:
        hall.play_to(0)
        head = HeadProcess(home / "head.toml")
        backups = []
        try:
            for played in range(1, rounds + 1):
                hall.play_to(played)
                until(lambda played=played: rounds_played(head.url) == played)  # type: ignore[misc]
                if played in BACKED_UP:
                    backups.append(tmp_path / f"stick-{played}")
                    assert kiosk("backup", home / "head.toml", backups[-1]).returncode == 0
            until(hall.all_acknowledged)
            before = state(head.url)
            head.kill()
            for number, backup in enumerate([None, *backups[: times(1, 3)]]):
                place = tmp_path / f"machine-{number}"
                if backup is None:
                    place.mkdir()
                    for name in ("event.json", "keys.json", "head.toml"):
                        (place / name).write_bytes((home / name).read_bytes())
                        (place / name).chmod(0o600)
                else:
                    assert kiosk("restore", backup, place, "--foreign").returncode == 0
                started_s = time.monotonic()
                head = HeadProcess(place / "head.toml")
                follow_tables(head.url, head.code)  # the only act of a person
                until(lambda url=head.url: state(url) == before)  # type: ignore[misc]
                data = next(place.rglob("head.sqlite")).parent
                until(lambda data=data: rows_of(data) == hall.rows())  # type: ignore[misc]
                slowest_s = max(slowest_s, time.monotonic() - started_s)
                head.kill()
        finally:
            head.kill()
    record_property("tried", 1 + times(1, 3))
    record_property("back_s", round(slowest_s, 1))
