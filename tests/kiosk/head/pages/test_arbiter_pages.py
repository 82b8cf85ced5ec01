"""Tests of the arbiter's pages: the order of tables, the conditions of an order, and confirmation of serious orders."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from heads.floor import HEALTH, Floor, S
from heads.staff import add_person, token, use_code
from msgspec.structs import replace
from waiting import until

from engine.board.color import Color
from engine.i18n import say
from engine.match.match_events_and_effects import Hold
from hardware.camera.board_finder import Reason
from hardware.camera.frames_and_camera_faults import CameraStatus
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.store import CommandStatus
from kiosk.head.tables.table_alerts import Severity, alerts_of, usual_program, worst_first
from kiosk.head.tables.table_view_data import StaffDetails, TableView
from kiosk.link.link_messages import Health, TroubleInfo
from kiosk.locale import JAPANESE, render
from kiosk.table.board_sources.camera_fault_texts import board_trouble, camera_trouble


def view(
    number: int, *, link: str = "ok", silent_ms: int | None = 100, offset_ms: int = 0, **health: object
) -> TableView:
    told = Health(**(HEALTH | {"program": "1"} | health))  # type: ignore[arg-type]
    return TableView(number, link=link, inside=StaffDetails(told, silent_ms, offset_ms))


FINE = view(1)
FULL = say("Hot: {celsius} °C", celsius=90)  # any sentence of the catalogue


@pytest.mark.parametrize(
    ("seen", "kind", "level"),
    [
        (view(1, link="amber", silent_ms=7_000), "silent", Severity.AMBER),
        (view(1, link="red", silent_ms=16_000), "silent", Severity.RED),
        (view(1, link="red", silent_ms=None), "never-seen", Severity.RED),
        (view(1, unsynced=3, unsynced_s=12), "unsynced", Severity.AMBER),
        (view(1, unsynced=3, unsynced_s=61), "unsynced", Severity.RED),
        (view(1, troubles=[TroubleInfo("journal-disk-full", FULL)]), "journal-disk-full", Severity.RED),
        (view(1, troubles=[TroubleInfo("journal-card-suspect", FULL)]), "journal-card-suspect", Severity.AMBER),
        *(
            (view(1, troubles=[TroubleInfo("board", text)]), "board", Severity.RED)
            for text in [camera_trouble(CameraStatus.GONE, "/dev/video0"), board_trouble(Reason.CUT_OFF, False)]
            if text is not None
        ),
        (view(1, battery_percent=25), "battery", Severity.AMBER),
        (view(1, battery_percent=9), "battery", Severity.RED),
        (
            view(1, under_voltage=True, troubles=[TroubleInfo("supply-low-voltage", FULL)]),
            "supply-low-voltage",
            Severity.RED,
        ),
        (view(1, battery_percent=9, troubles=[TroubleInfo("battery-empty", FULL)]), "battery", Severity.RED),
        (view(1, battery_percent=40, troubles=[TroubleInfo("battery-empty", FULL)]), "battery-empty", Severity.RED),
        (view(1, under_voltage_seen=True), "under-voltage-seen", Severity.AMBER),
        (view(1, battery_percent=19, troubles=[TroubleInfo("battery-low", FULL)]), "battery", Severity.AMBER),
        (view(1, battery_percent=40, troubles=[TroubleInfo("battery-low", FULL)]), "battery-low", Severity.AMBER),
        (view(1, temperature_c=76, troubles=[TroubleInfo("supply-hot", FULL)]), "hot", Severity.AMBER),
        (view(1, temperature_c=70, troubles=[TroubleInfo("supply-hot", FULL)]), "supply-hot", Severity.AMBER),
        (view(1, temperature_c=76), "hot", Severity.AMBER),
        (view(1, temperature_c=84), "hot", Severity.RED),
        (view(1, boots=2), "boots", Severity.AMBER),
        (view(1, boots=5), "boots", Severity.RED),
        (view(1, offset_ms=-3_000), "clock-offset", Severity.AMBER),
        (view(1, offset_ms=90_000), "clock-offset", Severity.RED),
        (view(1, disk_free_mb=50), "disk", Severity.RED),
        (view(1, program="2"), "version", Severity.AMBER),
    ],
)
def test_each_alarm_of_a_table_is_shown_in_both_languages(seen: TableView, kind: str, level: Severity) -> None:
    (concern,) = alerts_of(seen, "1")
    assert (concern.kind, concern.level) == (kind, level) and render(concern.text, JAPANESE) != str(concern.text)


def test_a_table_in_order_has_no_alarm() -> None:
    assert alerts_of(FINE, "1") == ()
    assert alerts_of(view(1, unsynced=2, unsynced_s=1), "1") == ()  # records being sent are no alarm


def test_tables_are_sorted_by_severity() -> None:
    hall = [FINE, view(2, boots=2), view(3, link="red", silent_ms=None), view(4, boots=2, temperature_c=78), view(5)]
    hall.append(view(6, disk_free_mb=10, temperature_c=84))
    ordered = worst_first((table, alerts_of(table, "1")) for table in hall)
    assert [table.number for table, _ in ordered] == [6, 3, 4, 2, 1, 5]


def test_the_expected_version_is_that_of_most_tables() -> None:
    assert usual_program([view(1, program="a"), view(2, program="b"), view(3, program="b")]) == "b"
    assert usual_program([]) == ""


# the pages


def post(web: httpx.Client, path: str, **fields: str) -> httpx.Response:
    return web.post(path, data={"csrf": token(web), **fields})


def form_of(page: str) -> dict[str, str]:
    """Return the hidden fields of the page's own form."""
    return dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page))


def test_calls_are_first_and_tables_sorted_by_severity(arbiter: httpx.Client) -> None:
    page = arbiter.get("/floor", params={"lang": "en"}).text
    keys = re.findall(r'data-key="([a-z]+(?:-\d+)?)"', page)
    assert keys[:2] == ["all", "calls"]
    assert [key for key in keys if key.startswith("table-")][:3] == ["table-6", "table-7", "table-8"]
    assert page.index('class="called"') < page.index('data-key="table-6"')
    assert "7 records not sent for 1:15" in page and "The card cannot be written." in page
    assert "Not connected since the head started" in page


def test_the_arbiter_sees_the_finding_and_the_legal_squares(arbiter: httpx.Client) -> None:
    page = arbiter.get("/floor/4", params={"lang": "en"}).text
    assert "IM-4" in page and "not turned" in page and "Squares that could be played" in page
    assert page.count('class="board"') == 2  # before and after


def test_spectators_and_the_desk_cannot_send_orders(floor: Floor, arbiter: httpx.Client, tmp_path: Path) -> None:
    with httpx.Client(base_url=floor.url) as nobody:
        assert nobody.get("/floor").status_code in (303, 403)
        assert nobody.post("/floor/stop-all", data={"reason": ""}).status_code in (303, 403)
    code = add_person(arbiter, "Desk", "desk")
    with httpx.Client(base_url=floor.url) as desk:
        use_code(desk, code)
        page = desk.get("/floor/4", params={"lang": "en"}).text
        assert "Only arbiters can give orders" in page and "/floor/4/hold" not in page
        assert post(desk, "/floor/4/hold").status_code == 403


def test_a_serious_order_needs_a_confirmation_page(floor: Floor, arbiter: httpx.Client) -> None:
    until(lambda: post(arbiter, "/floor/1/hold").status_code == 303 and floor.tables[1].match.phase == "HOLD")
    held = str(floor.tables[1].match.revision)
    until(lambda: form_of(arbiter.get("/floor/1/forfeit").text).get("revision") == held)  # the head has received it
    before = len(floor.program.desk.orders.of_table(1))
    form = form_of(arbiter.get("/floor/1/forfeit").text)
    assert post(arbiter, "/floor/1/forfeit", revision=form["revision"], side="black", reason="").status_code == 400
    first = post(arbiter, "/floor/1/forfeit", revision=form["revision"], side="black", reason="did not come back")
    loser = floor.tables[1].assignment.players[0].name  # type: ignore[union-attr]
    assert first.status_code == 200 and loser in first.text and "64–0" in first.text
    assert len(floor.program.desk.orders.of_table(1)) == before  # nothing was sent
    again = form_of(first.text)
    assert again["sure"] == "yes" and again["side"] == "black"
    assert arbiter.post("/floor/1/forfeit", data=again).status_code == 303
    until(lambda: floor.tables[1].match.result is not None)
    result = floor.tables[1].match.result
    assert (result.winner, result.black_discs, result.rated) == ("white", 0, False)
    assert "did not come back" in arbiter.get("/floor/1").text


def test_a_draw_is_offered_only_where_the_rules_of_the_table_have_draws(floor: Floor, arbiter: httpx.Client) -> None:
    """A division may play by a rule set without draws; the table would refuse one."""
    division = floor.program.desk.state.division()
    rules, slug = division.table_rules, division.slug
    form = {"winner": "draw", "black_discs": "32", "white_discs": "32", "reason": "both agree"}
    until(lambda: "revision" in form_of(arbiter.get("/floor/3/result").text))
    assert 'value="draw"' in arbiter.get("/floor/3/result").text
    floor.program.desk.divisions.change(DivisionChanged(slug, table=replace(rules, rules="team")))
    page = arbiter.get("/floor/3/result").text
    assert 'value="black"' in page and 'value="draw"' not in page
    assert post(arbiter, "/floor/3/result", revision=form_of(page)["revision"], **form).status_code == 400
    floor.program.desk.divisions.change(DivisionChanged(slug, table=rules))


def test_orders_name_players_in_latin_letters_in_english(floor: Floor, arbiter: httpx.Client) -> None:
    """On the page of a form and on the one that shows its consequences, as on the table's own page."""
    desk, assignment = floor.program.desk, floor.tables[3].assignment
    assert assignment is not None
    desk.players.change(None, assignment.players[0].id, {"name": "架空 花", "latin": "Kaku Hana"})
    sent = {"side": "black", "reason": "did not come back"}
    form = arbiter.get("/floor/3/forfeit", params={"lang": "en"}).text
    confirm = arbiter.post("/floor/3/forfeit", params={"lang": "en"}, data=form_of(form) | sent).text
    for page in (form, confirm):
        assert "Kaku Hana" in page and assignment.players[0].name not in page and "架空" not in page


def test_an_order_for_a_changed_game_is_refused_with_the_reason(floor: Floor, arbiter: httpx.Client) -> None:
    """A refusal is sent as its template, so the page shows it in the reader's language."""
    stale = str(floor.tables[3].match.revision - 1)
    form = {"revision": stale, "black_min": "5", "black_sec": "0", "white_min": "5", "white_sec": "30", "reason": "x"}
    assert post(arbiter, "/floor/3/set_time", **form).status_code == 303
    until(lambda: floor.program.desk.orders.of_table(3)[0].status is CommandStatus.REFUSED)
    page = arbiter.get("/floor/3", params={"lang": "en"}).text
    assert "refused" in page and "the game has moved on" in page
    assert "見ている間に対局が進みました" in arbiter.get("/floor/3", params={"lang": "ja"}).text


def test_times_are_set_in_minutes_and_seconds(floor: Floor, arbiter: httpx.Client) -> None:
    revision = str(floor.tables[3].match.revision)
    form = {"revision": revision, "black_min": "5", "black_sec": "0", "white_min": "4", "white_sec": "30"}
    assert post(arbiter, "/floor/3/set_time", **form, reason="x").status_code == 303
    until(lambda: floor.program.desk.orders.of_table(3)[0].status is CommandStatus.APPLIED)
    table = floor.tables[3]
    left = [table.match.remaining_ns(side, table.at_ns) // 10**9 for side in (Color.BLACK, Color.WHITE)]
    assert left == [300, 270]


def test_a_challenge_is_ruled_on(floor: Floor, arbiter: httpx.Client) -> None:
    revision = form_of(arbiter.get("/floor/4/challenge").text)["revision"]
    assert post(arbiter, "/floor/4/challenge", revision=revision, upheld="maybe").status_code == 400
    assert post(arbiter, "/floor/4/challenge", revision=revision, upheld="yes").status_code == 303
    until(lambda: floor.tables[4].match.challenge is not None and floor.tables[4].match.challenge.agreed)


def test_notes_stay_with_the_table_and_in_the_audit_trail(floor: Floor, arbiter: httpx.Client) -> None:
    assert post(arbiter, "/floor/9/note", text="").status_code == 400
    assert post(arbiter, "/floor/9/note", text="<b>wobbly chair</b>").status_code == 303
    assert "&lt;b&gt;wobbly chair" in arbiter.get("/floor/9").text
    trail = [event for event in floor.program.store.operator_events() if event.kind == "order-note"]
    assert trail[-1].body["table"] == 9


def test_invalid_orders_are_answered_with_a_message(arbiter: httpx.Client) -> None:
    assert arbiter.get("/floor/999").status_code == 404
    assert arbiter.get("/floor/4/explode").status_code == 404
    assert post(arbiter, "/floor/4/forfeit", side="purple", reason="x", revision="1").status_code == 400
    assert post(arbiter, "/floor/9/hold").status_code == 409  # the table has no game


def test_all_clocks_are_stopped_and_resumed(floor: Floor, arbiter: httpx.Client) -> None:
    running = [n for n, table in floor.tables.items() if table.match and table.match.clock.running and not table.silent]
    assert running
    assert post(arbiter, "/floor/stop-all", reason="fire alarm").status_code == 303
    until(lambda: all(floor.tables[number].match.clock.running is None for number in running))
    until(lambda: f"applied {len(running)}" in arbiter.get("/floor", params={"lang": "en"}).text)
    page = arbiter.get("/floor", params={"lang": "en"}).text
    assert re.search(r'go there and stop them by hand: <a href="/floor/7">Table 7</a>', page)
    assert floor.tables[2].match.phase == "HOLD"
    calls = page[page.index('class="called"') : page.index("</ul>", page.index('class="called"'))]
    assert re.findall(r'href="/floor/(\d+)"', calls) == ["2"]  # a clock that an arbiter has stopped raises no call
    assert post(arbiter, "/floor/resume-all").status_code == 303
    until(lambda: all(floor.tables[number].match.clock.running is not None for number in running))
    assert floor.tables[2].match.phase == "HOLD"  # a clock that was stopped for another reason needs its own ruling


def test_a_clock_that_a_player_stopped_after_all_were_resumed_is_not_resumed_with_all(
    floor: Floor, arbiter: httpx.Client
) -> None:
    assert post(arbiter, "/floor/stop-all", reason="fire alarm").status_code == 303
    orders = floor.program.desk.orders
    until(lambda: (last := orders.last_bulk_order("hold")) and not {*last.unanswered} - {7})  # 7 has never connected
    until(lambda: "/floor/resume-all" in arbiter.get("/floor").text)
    assert post(arbiter, "/floor/resume-all").status_code == 303
    table = floor.tables[3]
    until(lambda: table.match.clock.running is not None)
    until(lambda: not (last := orders.last_bulk_order("arbiter")) or not last.unanswered)
    assert "/floor/resume-all" not in arbiter.get("/floor").text
    table.at_ns += S
    table.apply_event(Hold(table.at_ns, table.match.clock.running))
    until(lambda: re.search(r'class="called".*href="/floor/3"', arbiter.get("/floor").text, re.DOTALL))
    assert "/floor/resume-all" not in arbiter.get("/floor").text
