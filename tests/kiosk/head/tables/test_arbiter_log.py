"""Tests of the arbiter log, read from the tables' records: shown at /floor and on a page of all tables."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
from heads.staff import first_chief
from heads.world import PlayedTable, running_head
from waiting import HANGS_S

from engine.match import Seat
from engine.match.arbiter_order_specs_and_parser import read_order
from engine.match.match_events_and_effects import Hold
from kiosk.head.tables.arbiter_log import ArbiterLog, RulingChange
from kiosk.link.link_messages import (
    CALLED_AT_TABLE,
    POWER_FAILED,
    ArbiterScreenEvent,
    TableRecord,
    localize_reason,
    to_dict,
)

S = 1_000_000_000
REASON = "The equipment failed / 機器の故障"


def at_arbiter(table: PlayedTable, act: str, **more: object) -> None:
    table.send("arbiter", to_dict(ArbiterScreenEvent(act, table.assignment.game, at_ns=table.at_ns, **more)))  # type: ignore[arg-type]


def ruled(table: PlayedTable) -> None:
    """A table at which a player stops the clock, and an arbiter sets both times and resumes after the countdown."""
    table.send("boot", {"boot_id": "b", "wall_ns": 1_900_000_000 * S, "at_ns": table.at_ns})
    table.play(4)
    table.at_ns += 2 * S
    table.apply_event(Hold(table.at_ns, table.match.clock.running))
    at_arbiter(table, "opened")
    table.at_ns += 30 * S
    order = {"action": "set_time", "black_s": 750, "white_s": 905, "turn": "white", "reason": REASON}
    table.apply_event(read_order(table.at_ns, order))
    at_arbiter(table, "equipment", on=["silenced"])
    table.at_ns += 5 * S
    table.apply_event(read_order(table.at_ns, {"action": "resume", "reason": ""}))
    at_arbiter(table, "closed")


def test_rulings_at_a_table_say_what_changed_why_and_when(tmp_path: Path) -> None:
    with running_head(tmp_path / "hall") as (program, _):
        program.desk.rounds.publish(program.desk.rounds.draft().digest)
        table = PlayedTable(1, program.devices.collection)
        ruled(table)
        acts = ArbiterLog(program.store).all()
        assert [act.what for act in acts] == ["closed", "resume", "equipment", "set_time", "opened"]
        times = acts[3]
        assert times.reason == localize_reason(REASON) and times.game == table.assignment.game and not times.from_head
        assert times.at == "2030-03-17T17:47:40+00:00"  # 28 s of four turns, 2 s, 30 s
        left = {change.name: (change.before, change.after) for change in times.changes}
        # Black has used his two turns of 7 s and the 2 s until the clock was stopped
        assert (left["black"], left["white"]) == ((1_184_000, 750_000), (1_186_000, 905_000))
        assert acts[1].changes[0] == RulingChange("game", "phase.HOLD", "phase.TURN")
        assert acts[2].on == ("silenced",)

        again = [TableRecord(number, record.type, record.body) for number, record in enumerate(table.sent, 1)]
        program.devices.collection.commit(1, "renewed", again)
        assert ArbiterLog(program.store).all() == acts, "the same card under another epoch tells nothing new"


def test_calls_and_orders_of_the_head_are_distinguished_from_rulings(tmp_path: Path) -> None:
    with running_head(tmp_path / "hall") as (program, url):
        program.desk.rounds.publish(program.desk.rounds.draft().digest)
        table, known = PlayedTable(2, program.devices.collection), ArbiterLog(program.store)
        table.play(2)
        assert known.all() == []
        table.apply_event(read_order(table.at_ns + S, {"action": "hold", "reason": "stop all"}))
        table.send("command", {"id": "all-1", "status": "applied", "reason": ""})
        table.apply_event(read_order(table.at_ns + 2 * S, {"action": "resume", "reason": ""}))
        table.apply_event(read_order(table.at_ns + 3 * S, {"action": "hold", "reason": CALLED_AT_TABLE}))
        table.apply_event(read_order(table.at_ns + 4 * S, {"action": "resume", "reason": ""}))
        table.apply_event(read_order(table.at_ns + 5 * S, {"action": "hold", "reason": POWER_FAILED}))
        table.send("event", {"game": table.assignment.game, "event": {"type": "teleport"}})
        table.send("command", {"id": "x", "status": "refused", "reason": "no"})
        told = [(act.what, act.from_head, str(act.reason or ""), act.at) for act in known.all()]
        rest = [("called", False, "", ""), ("resume", False, "", ""), ("hold", True, "stop all", "")]
        assert told == [("power-failed", False, "", ""), ("resume", False, "", ""), *rest]
        own = [act.what for act in known.of_table(2)]
        assert own == ["power-failed", "resume", "called", "resume"] and known.of_table(1) == []
        web = httpx.Client(base_url=url, timeout=HANGS_S)
        first_chief(web, program.access.setup_code)
        assert "Stopped: the power failed" in web.get("/audit/tables", params={"lang": "en"}).text


def test_the_staff_sees_them_on_the_floor_and_on_a_page_of_all_tables(tmp_path: Path) -> None:
    with running_head(tmp_path / "hall") as (program, url):
        program.desk.rounds.publish(program.desk.rounds.draft().digest)
        ruled(PlayedTable(1, program.devices.collection))
        other = PlayedTable(2, program.devices.collection)
        other.execute_commands()
        other.apply_event(Hold(other.at_ns + S, Seat.LEFT))
        at_arbiter(other, "wrong-pin")
        web = httpx.Client(base_url=url, timeout=HANGS_S)
        assert web.get("/audit/tables").status_code == 303  # spectators sign in first
        first_chief(web, program.access.setup_code)
        english, japanese = (web.get("/audit/tables", params={"lang": lang}).text for lang in ("en", "ja"))
        assert "19:44 → 12:30" in english and "The equipment failed" in english and "機器の故障" not in english
        assert "Wrong PIN" in english and "Table 2" in english
        assert "機器の故障" in japanese and "暗証番号の誤り" in japanese and "1番卓" in japanese
        for page in (english, japanese):
            assert not re.search(r"(act|changed|on|wins|phase|flag)\.[A-Za-z]", page.partition("<main")[2])
        assert "Wrong PIN" not in web.get("/audit/tables", params={"lang": "en", "table": "1"}).text
        floor = web.get("/floor/1", params={"lang": "en"}).text
        assert "Arbiters at the tables" in floor and "19:44 → 12:30" in floor


def test_a_corrected_move_number_and_a_flag_by_deduction_are_logged(tmp_path: Path) -> None:
    """K-05, K-03: the log has the number of the move, and after a deduction the time that the table shows."""
    with running_head(tmp_path / "hall") as (program, url):
        program.desk.rounds.publish(program.desk.rounds.draft().digest)
        table = PlayedTable(1, program.devices.collection)
        table.play(4)
        table.apply_event(Hold(table.at_ns + 2 * S, table.match.clock.running))
        table.at_ns += 3 * S
        order = {"action": "set_time", "black_s": 48, "white_s": 905, "move": 9, "reason": REASON}
        table.apply_event(read_order(table.at_ns, order))
        deduction = {"action": "deduct", "from": "black", "seconds": 60, "reason": REASON}
        table.apply_event(read_order(table.at_ns, deduction))
        deduct, times = ArbiterLog(program.store).all()
        assert RulingChange("move", "5", "9") in times.changes
        assert set(deduct.changes) == {RulingChange("flag", "–", "black"), RulingChange("black", 48_000, -12_000)}
        web = httpx.Client(base_url=url, timeout=HANGS_S)
        first_chief(web, program.access.setup_code)
        english, japanese = (web.get("/audit/tables", params={"lang": lang}).text for lang in ("en", "ja"))
        assert "0:48 → −0:12" in english and "0:48 → −0:12" in japanese
        assert re.search(r"Number of the move:</span> 5 → 9", english)
        assert re.search(r"Flag fallen:</span> – → Black", english)
        assert "Flag fallen" not in japanese
