"""Test of docs/setup/head.md with real processes: the head's machine fails, and a spare one continues."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from halls.many_tables import crowd, prepare_hall
from heads.process import HeadProcess, free_port, kiosk, rows_of
from heads.staff import CHIEF, PASSWORD, add_person, first_chief, follow_if_asked, sign_in, token
from heads.world import event
from waiting import HANGS_S, until

from kiosk.head.backup.signed_backup_creation import BACKUP_FILE
from kiosk.head.backup.signing_key_and_trusted_heads import own_signer
from kiosk.head.store.store_backup_check_and_restore import extent, reading
from kiosk.head.store.store_rows import read_events
from kiosk.link.websocket_transport import WebSocketTransport

DIVISIONS = ("open", "women")
ROUNDS = 3


def _kiosk(*arguments: object) -> str:
    done = kiosk(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _finished(url: str) -> dict[str, int]:
    """Return how many rounds of each division have all their results."""
    found = {}
    for division in DIVISIONS:
        rounds = httpx.get(f"{url}/event.json", params={"division": division}).json()["rounds"]
        found[division] = sum(all("winner" in game or "bye" in game for game in round["games"]) for round in rounds)
    return found


def _backed_up(stick: Path, events: int) -> bool:
    if not (stick / BACKUP_FILE).is_file():
        return False
    with reading(stick / BACKUP_FILE, quiet=True) as copy:
        return extent(copy).events >= events


def _divisions(data: Path) -> list[str]:
    """Return the divisions that were ever created."""
    with reading(data / "head.sqlite") as connection:
        return [str(event.body["division"]) for event in read_events(connection) if event.kind == "event-created"]


@pytest.mark.fault(17, "head restored over sockets from its backup on a stick; back in {machine_s} s")
def test_a_spare_machine_takes_over_by_the_documented_steps(
    tmp_path: Path, postgres: Any, record_property: Callable[[str, object], None]
) -> None:
    """The lost head kept its store in PostgreSQL, which the spare machine need not have."""
    home, stick, spare, port = tmp_path / "home", tmp_path / "usb" / "othello", tmp_path / "spare", free_port()
    for folder in (home, stick.parent):
        folder.mkdir()
    names = [f"{division}.json" for division in DIVISIONS]
    more = {"backup": str(stick), "setup_code": "code.txt", "store": postgres.new()}
    keys = prepare_hall(home, event(), 8, port, auto=True, **more)
    config = (home / "head.toml").read_text()
    (home / "head.toml").write_text(config.replace('event = "event.json"', f"event = {json.dumps(names)}"))
    for name in names:
        file = event(8, "round-robin")
        (home / name).write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")
    with crowd(keys, lambda number: WebSocketTransport(f"ws://127.0.0.1:{port}/link"), cards=True) as hall:
        head = HeadProcess(home / "head.toml")
        with httpx.Client(base_url=head.url, timeout=HANGS_S) as web:
            first_chief(web, head.code)
            add_person(web, "Lund", "arbiter")
            events = len(web.get("/audit").text.split('class="number"')) - 1
        until(lambda: min(_finished(head.url).values()) >= 1 and _backed_up(stick, events))
        head.kill()  # the power supply has failed
        assert "secrets.json" in {file.name for file in (home / "data").iterdir()}

        begun_s = time.monotonic()  # step 4 of the page: the two commands, and what the machine does then
        _kiosk("restore", stick, spare, "--from", own_signer(home / "data").fingerprint)  # the volunteer confirms
        head = HeadProcess(spare / "head.toml")
        try:
            until(hall.all_up)
            until(hall.all_acknowledged)
            record_property("machine_s", round(time.monotonic() - begun_s, 1))
            assert (spare / "setup-code.txt").read_text().strip() == head.code
            with httpx.Client(base_url=head.url, timeout=HANGS_S) as web:  # step 5
                asked = web.get("/desk?lang=en", follow_redirects=True).text
                assert 'action="/sign-in/code"' in asked and "setup code" in asked and "do not work" in asked
                refused = web.post("/sign-in?lang=en", data={"name": CHIEF, "password": PASSWORD})
                assert refused.status_code == 403 and "a backup holds no passwords" in refused.text
                first_chief(web, head.code)
                accounts = web.get("/accounts?lang=en").text
                assert "Lund" in accounts and "no password" in accounts
                assert token(web) and web.get("/desk").status_code == 200

                def is_through() -> bool:
                    follow_if_asked(web)  # step 6; the page asks again if a round of the backup had no tables yet
                    return min(_finished(head.url).values()) >= ROUNDS

                until(is_through)
            until(hall.all_acknowledged)
            until(lambda: rows_of(spare) == hall.rows())
            assert _divisions(spare) == list(DIVISIONS)  # the same divisions and no new ones
            assert _kiosk("audit", "verify", spare).startswith("intact: ")
            with httpx.Client(base_url=head.url) as web:
                sign_in(web)
        finally:
            head.kill()
