"""Tests of the head's routes: spectators read, a signed-in operator acts, and invalid requests get an error message."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import httpx
import pytest
from heads.addresses import filled
from heads.staff import CHIEF, PASSWORD, chief_at, first_chief, token
from heads.tournaments import outcome, publish_round
from heads.world import PlayedTable, event, running_head
from msgspec import UnsetType

from engine.board.color import Color
from engine.end_reason import EndReason
from engine.i18n import say
from engine.match.match_events_and_effects import Action
from engine.match.match_value_types import Phase, Seat
from engine.tournament.formats import FORMATS
from engine.tournament.player_entry_fields import PLAYER_FIELDS
from kiosk.errors import InputError
from kiosk.head.access.authentication import COOKIE
from kiosk.head.access.roles import UserSession
from kiosk.head.errors import NotFound
from kiosk.head.event.act_types import SHAPES, LotsDrawn, event_of
from kiosk.head.event.head_game_and_result_check import outcome_key
from kiosk.head.event.tournament_state import TableRules
from kiosk.head.head_config import load_config
from kiosk.head.pages import accounts
from kiosk.head.pages.desk import ADDRESSES
from kiosk.head.pages.http_app_and_security_headers import AREAS
from kiosk.head.program import HeadApplication
from kiosk.head.program.listening_sockets_tls_and_server import listen
from kiosk.head.store.store_rows import CommandStatus
from kiosk.head.web.bilingual_labels import LABELS, VALUE_GROUPS
from kiosk.head.web.change_notifier_and_live_updates import ChangeNotifier, updates
from kiosk.head.web.html_renderer import format_local
from kiosk.link.link_messages import ArbiterScreenEvent, Command


@pytest.fixture
def options() -> dict[str, Any]:
    return {"tables": 8}


def test_every_page_is_in_both_languages(web: httpx.Client) -> None:
    words = {"ja": "順位表", "en": "Standings"}
    for page, (lang, word) in product(("/", "/pairings", "/standings", "/desk"), words.items()):
        answer = web.get(page, params={"lang": lang})
        assert answer.status_code == 200 and f'<html lang="{lang}">' in answer.text and word in answer.text
        assert word in web.get(page).text  # the language is in the cookie


def test_a_stored_time_is_shown_in_the_heads_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        assert format_local("2031-04-05T23:30:07.000Z") == "04-06 08:30:07"
        assert format_local("2031-04-05T23:30:07.000Z", "%H:%M") == "08:30"
        assert format_local("soon") == "–"
    time.tzset()


def test_every_kind_of_entry_in_the_trail_has_a_text() -> None:
    assert [kind for kind in [*SHAPES, "order-note"] if kind not in LABELS["kind"]] == []


def test_every_field_of_an_entry_in_the_trail_has_a_text() -> None:
    """A field that is shown as it is, without those of the act's division and table, and every field of a player."""
    plain = {str, int, bool, type(None), UnsetType}
    fields = {
        name
        for act in SHAPES.values()
        for name, kind in get_type_hints(act).items()
        if get_origin(kind) is Literal
        or (get_origin(kind) in (None, UnionType) and plain.issuperset(get_args(kind) or {kind}))
    }
    assert sorted((fields | set(PLAYER_FIELDS)) - set(LABELS["field"]) - {"division", "table"}) == []


@pytest.mark.parametrize(
    ("group", "keys"),
    [
        ("phase", Phase),
        ("value", [f"phase.{phase}" for phase in Phase]),
        ("act", [*Action, *get_args(get_type_hints(ArbiterScreenEvent)["act"])]),
        ("order", CommandStatus),
        ("end", EndReason),
        ("value", [*Color, *Seat]),
        (VALUE_GROUPS["order"], get_args(get_type_hints(Command)["kind"])),
        (VALUE_GROUPS["format"], list(FORMATS)),
        (VALUE_GROUPS["method"], get_args(get_type_hints(LotsDrawn)["method"])),
    ],
    ids=str,
)
def test_no_value_of_an_enumeration_is_shown_by_its_name(group: str, keys: list[str]) -> None:
    assert [key for key in keys if str(key) not in LABELS[group]] == []


def test_pages_work_offline_and_cannot_be_framed(web: httpx.Client) -> None:
    for page in ("/", "/pairings", "/standings", "/desk"):
        answer = web.get(page)
        assert not re.search(r'(?:src|href|action)="(?:https?:)?//', answer.text)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "<style" not in answer.text and " style=" not in answer.text  # the CSP would block them
    for file in ("/static/head.css", "/static/head.js", "/static/icon.svg"):
        assert web.get(file).status_code == 200


def test_a_refused_form_with_a_secret_is_shown_again_with_the_reason(web: httpx.Client) -> None:
    csrf = token(web)
    wrong = {"name": CHIEF, "password": "x", "code": "x", "old": "x", "new": "1", "again": "2", "pin": "1"}
    for path in ("/sign-in", "/sign-in/code", "/accounts/password", "/devices/pin"):
        (fields,) = (one.fields for area in AREAS for one in area.ADDRESSES if (one.path, one.method) == (path, "POST"))
        answer = web.post(path, data={"csrf": csrf} | {name: wrong[name] for name in fields & wrong.keys()})
        assert 400 <= answer.status_code < 500 and 'class="wrong"' in answer.text and f'action="{path}' in answer.text


ACTIONS = {address.path: address for address in ADDRESSES if address.method == "POST"}


def test_nobody_acts_with_a_foreign_form(program: HeadApplication, web: httpx.Client) -> None:
    before = program.store.operator_events()
    for path, address in ACTIONS.items():
        fields, file = dict.fromkeys(address.fields, "1"), {"file": ("list.csv", b"name")}
        for forged in ("", "forged"):
            files = file if address.uploads else None
            answer = web.post(path, data=fields | {"csrf": forged}, files=files)
            assert answer.status_code == 403 and "open the page again" in answer.text, path
    assert program.store.operator_events() == before


def test_the_operator_publishes_and_enters_a_result(program: HeadApplication, web: httpx.Client) -> None:
    csrf = token(web)
    digest = re.search(r'name="digest" value="([^"]+)"', web.get("/division/main/round").text)
    assert digest
    assert web.post("/division/main/publish", data={"csrf": csrf, "digest": digest[1]}).status_code == 303
    at = f"/division/main/game/{program.desk.state.current[0].id}"
    form = {"csrf": csrf, "black_discs": "40", "white_discs": "24", "end": "normal"}
    assert web.post(f"{at}/enter", data=form).status_code == 303
    again = web.post(f"{at}/enter", data=form)
    assert again.status_code == 409 and "correct it with a reason" in again.text
    seen = re.search(r'name="seen" value="([^"]+)"', web.get(at).text)
    assert seen
    form |= {"black_discs": "30", "white_discs": "34", "reason": "counted again", "seen": seen[1]}
    assert web.post(f"{at}/correct", data=form).status_code == 303
    stale = web.post(f"{at}/correct", data=form | {"reason": "another operator, who saw the old result"})
    assert stale.status_code == 409 and "was changed to" in stale.text
    file = web.get("/event.json").json()
    first = file["rounds"][0]["games"][0]
    assert (first["black_discs"], first["white_discs"], first["winner"]) == (30, 34, "white")
    assert list(file)[:5] == ["schema", "name", "date", "format", "options"]
    assert "30 – 34" in web.get("/pairings").text
    assert web.get("/standings.json").json()["after_round"] == 0


def test_no_shows_are_named_in_the_next_draft_and_an_ended_division_promotes_nobody(
    program: HeadApplication, web: httpx.Client
) -> None:
    csrf, rounds = token(web), program.desk.rounds
    rounds.publish(rounds.draft("main").digest, "main")
    first, *others = program.desk.state.current
    at = f"/division/main/game/{first.id}"
    assert f'value="without {first.black}"' in web.get(at).text
    form = {"csrf": csrf, "winner": f"without {first.black}"}
    assert web.post(f"{at}/enter", data=form).status_code == 303
    for game in others:
        program.desk.results.enter(game.id, outcome(game, 40))
    rounds.draft("main")
    page = web.get("/division/main/round").text
    named = re.search(r"Paired again after a game lost without playing.*?</p>", page)
    assert named and re.findall(r"/player/(\w+)", named[0]) == [first.black]
    name = program.desk.state.first.called(others[0].black)
    assert "wait for the next round" in web.get("/where", params={"name": name}).text
    assert web.post("/division/main/end", data={"csrf": csrf, "ended": "yes"}).status_code == 303
    program.desk.ask_ranking("main").result()
    assert "Your games are over" in web.get("/where", params={"name": name}).text
    assert "ended after round 1" in web.get("/division/main/round").text
    assert web.post("/division/main/end", data={"csrf": csrf, "ended": "no"}).status_code == 303
    assert "End here, before the last round" in web.get("/division/main/round").text


def test_a_player_is_marked_to_miss_a_round_on_his_page(web: httpx.Client) -> None:
    csrf, at = token(web), "/division/main/player/p3"
    page = web.get(at, params={"lang": "en"}).text
    assert 'value="miss 1"' in page and 'value="play 1"' not in page
    assert web.post(f"{at}/miss", data={"csrf": csrf, "mark": "miss 1"}).status_code == 303
    page = web.get(at).text
    assert 'value="play 1"' in page and 'value="miss 1"' not in page and "Plays after all" in page
    assert re.findall(r'value="miss (\d)"', page) == [*"2345678"]
    assert web.get("/event.json").json()["options"]["absences"] == {"1": ["p3"]}
    assert "Round 1 away" in web.get("/division/main/players").text
    draft = web.get("/division/main/round").text
    assert re.search(r'Away in this round: <a href="/division/main/player/p3">', draft)
    assert "round missed" in web.get("/audit").text and "回戦を休む" in web.get("/audit?lang=ja").text
    assert web.post(f"{at}/miss", data={"csrf": csrf, "mark": "play 1"}).status_code == 303
    assert "absences" not in web.get("/event.json").json()["options"]
    for nonsense in ("", "miss", "miss x", "stay 1", "miss 99999", "miss ²"):
        assert web.post(f"{at}/miss", data={"csrf": csrf, "mark": nonsense}).status_code == 400


def test_a_stage_has_its_own_time_control_and_rule_set(program: HeadApplication, web: httpx.Client) -> None:
    csrf, at = token(web), "/division/main/settings"
    form = {"csrf": csrf, "title_ja": "無差別", "title_en": "Open", "main": "20", "rules": "m43", "auto": "no"}

    def rules_after_post(**more: str) -> dict[str, tuple[str, int]]:
        assert web.post(at, data=form | more).status_code == 303
        rules = program.desk.state.first.table_rules
        return {
            stage: (rules.at(stage).rules, rules.at(stage).main_s // 60) for stage in ("league", "knockout", "final")
        }

    assert rules_after_post(rules_final="m40") == {"league": ("m43", 20), "knockout": ("m43", 20), "final": ("m40", 20)}
    page = web.get(at, params={"lang": "en"}).text
    assert "<details open>" in page and '<option value="m40" selected>' in page
    both = rules_after_post(knockout="30", rules_knockout="wof", rules_final="m40")
    assert both == {"league": ("m43", 20), "knockout": ("wof", 30), "final": ("m40", 30)}
    assert rules_after_post(knockout="30", final="20") == {
        "league": ("m43", 20),
        "knockout": ("m43", 30),
        "final": ("m43", 20),
    }
    assert set(rules_after_post().values()) == {("m43", 20)}
    assert "<details open>" not in web.get(at).text
    assert web.post(at, data=form | {"rules_final": "chess"}).status_code == 400


def test_small_answers_do_not_wait_for_the_other_sides_acknowledgement() -> None:
    """Without TCP_NODELAY every page and every table's acknowledgement takes 40 ms more."""
    with listen("127.0.0.1", 0) as listener:
        assert listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def test_an_event_can_be_created_on_the_desk_page(tmp_path: Path) -> None:
    with chief_at(tmp_path, event=None, language="en") as (_, web):
        assert web.get("/event.json").status_code == 400
        assert web.get("/").status_code == web.get("/pairings").status_code == web.get("/standings").status_code == 200
        form = {"csrf": token(web), "event": json.dumps(event() | {"format": "chess"})}
        bad = web.post("/desk/create", data=form)
        assert bad.status_code == 400 and "format is" in bad.text
        assert web.post("/desk/create", data=form | {"event": json.dumps(event())}).status_code == 303
        assert web.get("/event.json").json()["name"] == "春のオセロ大会 Spring Open"


def test_a_list_after_round_1_changes_no_lot_and_no_seed(program: HeadApplication, web: httpx.Client) -> None:
    """The preview says so, and the rest of the list is imported."""
    publish_round(program)
    name = program.desk.state.first.players()["p1"].name
    form = {"csrf": token(web), "text": f"氏名,抽選番号,シード,所属\n{name},99,2,架空クラブ\n"}
    preview = web.post("/division/main/import", data=form, files={"file": ("", b"")}).text
    assert "lots and seeds stay" in preview and "update the 1 known players" in preview
    assert web.post("/division/main/import/take", data=form | {"update": "yes"}).status_code == 303
    entry = program.desk.state.first.players()["p1"]
    assert (entry.lot, entry.seed, entry.club) == (None, None, "架空クラブ")


def test_lists_are_imported_from_files_of_other_programs(program: HeadApplication, web: httpx.Client) -> None:
    """A CSV in Windows-31J is previewed, then imported; a PAPP list completes entered names."""
    csrf, at = token(web), "/division/main"
    sheet = "氏名,段位\n髙木 花,三段\n".encode("cp932")
    page = web.post(f"{at}/import", data={"csrf": csrf, "text": ""}, files={"file": ("list.csv", sheet)}).text
    assert "髙木 花" in page and "3d" in page and len(program.desk.state.first.players()) == 16
    text = re.search(r"<textarea name=\"text\" hidden>(.*?)</textarea>", page, re.DOTALL)
    assert text
    for _ in range(2):  # pressed twice
        form = {"csrf": csrf, "text": text[1], "update": "yes"}
        assert web.post(f"{at}/import/take", data=form).status_code == 303
    assert [p.name for p in program.desk.state.first.players().values()][16:] == ["髙木 花"]
    titled = "みどり市大会,\n氏名,部門\n石田 結衣,無差別\n森 葉,小学生\n1234,小学生\n"
    page = web.post(f"{at}/import", data={"csrf": csrf, "text": titled}, files={"file": ("", b"")}).text
    assert "names several divisions (無差別, 小学生)" in page
    page = web.post(f"{at}/import/take", data={"csrf": csrf, "text": titled}).text
    assert ">氏名,部門\n1234,小学生</textarea>" in page  # with the headings, which stand below a title
    papp = b'pays = "SWE"\n5301 LUND, Bea %_<1565>\n'
    loaded = web.post(f"{at}/roster", data={"csrf": csrf}, files={"file": ("joueurs.txt", papp)})
    assert loaded.status_code == 303 and web.get("/desk/names.json?q=lu").json() == ["LUND Bea"]
    assert "LUND Bea" in web.get(f"{at}/players?known=lund").text
    typed = {"csrf": csrf, "name": "lund bea", "grade": "", "birth_year": "", "sex": ""}
    assert web.post(f"{at}/players", data=typed).status_code == 303
    last = list(program.desk.state.first.players().values())[-1]
    assert (last.name, last.country, last.rating) == ("LUND Bea", "SWE", 1565)
    again = web.post(f"{at}/players", data=typed)
    assert again.status_code == 400 and "entered already" in again.text
    assert last.wof is None and "5301 LUND Bea" in (asked := web.get(f"{at}/numbers?lang=en").text)
    assert "newcomer" in asked and "Farid Oster" in asked
    for number, wof in (("5301", 5301), ("0", None), ("5301", 5301)):
        assert web.post(f"{at}/numbers", data={"csrf": csrf, "take": f"{last.id} {number}"}).status_code == 303
        assert program.desk.state.first.players()[last.id].wof == wof
    for refused in (f"{last.id} 77", "p99 5301", "p1 5301"):
        assert web.post(f"{at}/numbers", data={"csrf": csrf, "take": refused}).status_code >= 400
    numbered = {"csrf": csrf, "name": "ルンド", "wof": "5301"}
    assert "LUND Bea" in web.post(f"{at}/players", data=numbered).text
    for path in ("import", "roster"):
        bad = web.post(f"{at}/{path}", data={"csrf": csrf}, files={"file": ("x.xlsx", b"PK\x03\x04\xff\xfe\x81")})
        assert 400 <= bad.status_code < 500


def _messages(lines: Iterator[str]) -> Iterator[dict]:
    yield from (json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: "))


def test_an_open_page_gets_only_changes(program: HeadApplication, web: httpx.Client) -> None:
    publish_round(program)
    tables = [PlayedTable(number, program.devices.collection) for number in range(1, 9)]
    for table in tables:
        table.execute_commands()
        table.live()
    with web.stream("GET", "/stream/", params={"lang": "en"}) as stream:
        messages = _messages(stream.iter_lines())
        assert [key for key, html in next(messages)["items"] if html] == [f"table-{number}" for number in range(1, 9)]
        tables[4].play(1)
        changed = next(message for message in messages if "items" in message)
        assert [key for key, html in changed["items"] if html] == ["table-5"]


def test_the_stream_of_a_page_that_is_gone_is_refused(web: httpx.Client) -> None:
    """A stream that begins and ends with an error would be requested again every two seconds."""
    for path in ("/division/nothing/players", "/division/main/correction/999", "/division/nothing/results"):
        assert web.get(f"/stream{path}").status_code == 404


def test_the_stream_of_a_page_ends_with_the_page() -> None:
    """Whoever requests it again is refused, and nothing is logged."""
    drawn = [{"a": "1"}]

    def draw() -> dict[str, str]:
        if not drawn:
            raise NotFound(say("that division is not there"))
        return drawn.pop()

    async def read() -> list[str]:
        changes = ChangeNotifier()
        changes.attach(asyncio.get_running_loop())
        found = []
        async for line in updates(changes, draw, lambda: 0, lambda: True, None):
            found.append(line)
            changes.notify()
        return found

    assert len(asyncio.run(read())) == 2


@pytest.mark.parametrize(
    ("proxies", "address", "secure"),
    [([], "127.0.0.1", False), (["127.0.0.0/8"], "203.0.113.9", True), (["192.0.2.7"], "127.0.0.1", False)],
)
def test_a_configured_proxy_sets_the_address(tmp_path: Path, proxies: list[str], address: str, secure: bool) -> None:
    """Without it every phone behind the proxy would share one address, and one wrong guesser would make all of them
    wait."""
    forwarded = {"x-forwarded-for": "198.51.100.1, 203.0.113.9", "x-forwarded-proto": "https"}
    with (
        running_head(tmp_path, proxies=proxies) as (program, url),
        httpx.Client(base_url=url, headers=forwarded) as web,
    ):
        first_chief(web, program.access.setup_code)
        (device,) = program.access._sessions._by_print.values()
        assert device.address == address
        answer = httpx.post(f"{url}/sign-in", data={"name": CHIEF, "password": PASSWORD}, headers=forwarded)
        assert ("secure" in answer.headers["set-cookie"].lower()) == secure


def test_an_invalid_proxy_address_is_refused(tmp_path: Path) -> None:
    for wrong in ("*", "proxy.example", "127.0.0.1/8"):
        (tmp_path / "head.toml").write_text(f'data = "data"\nproxies = ["{wrong}"]\n')
        with pytest.raises(InputError, match="neither an address nor a network"):
            load_config(tmp_path / "head.toml")


def test_a_session_expires_also_while_the_machine_sleeps(web: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The monotonic clock of a suspended laptop stands still."""
    assert web.get("/accounts").status_code == 200
    real, sleep_ns = time.clock_gettime_ns, 25 * 3600 * 10**9
    asleep = time.CLOCK_BOOTTIME
    monkeypatch.setattr(time, "clock_gettime_ns", lambda clock: real(clock) + (sleep_ns if clock == asleep else 0))
    assert web.get("/accounts").headers["location"].startswith("/sign-in")


def test_every_path_that_changes_a_recorded_result_asks_for_the_password(
    program: HeadApplication, web: httpx.Client
) -> None:
    """K-14: every form of the head except those of accounts is sent by somebody whose password was given long ago.
    The first result of a game is entered without it; then nothing changes that result until it is given."""
    csrf = token(web)
    desk = program.desk
    desk.rounds.publish(desk.rounds.draft().digest)
    (device,) = program.access._sessions._by_print.values()
    device.password_ns = None
    game = desk.state.division("main").current[0]
    black, white = sorted(str(id) for id in game.players)
    values = {
        "csrf": csrf, "game": game.id, "black": black, "black_discs": "40", "white_discs": "24", "winner": "black",
        "end": "normal", "reason": "x", "table": str(game.table), "by": black, "confirm": "yes", "round": "1",
        "number": "1", "player": black, "name": "x", "absent": white, "id": black,
    }  # fmt: skip

    forms = {
        address.path: address.fields
        for area in AREAS
        for address in area.ADDRESSES
        if area is not accounts and address.method == "POST" and not address.uploads
    }

    def send(path: str, **changed: str) -> httpx.Response:
        form = {name: (values | changed).get(name, "") for name in {"csrf", *forms[path]}}
        seen = desk.state.game(game.id)
        if "seen" in form and seen is not None and seen.outcome is not None:
            form["seen"] = outcome_key(seen.outcome)
        return web.post(filled(path, {"division": "main", **values}) or path, data=form)

    at = "/division/{division}/"
    assert send(at + "game/{game}/enter").status_code == 303
    result = desk.state.game(game.id)
    assert result is not None and result.outcome is not None
    kinds = len(program.store.operator_events())
    for path in forms:
        send(path, black_discs="30", white_discs="34", winner="white")
        now = desk.state.game(game.id)
        assert now is not None and now.outcome == result.outcome, path
    assert not {"result-corrected", "result-taken-back"} & {
        event.kind for event in program.store.operator_events()[kinds:]
    }
    program.access.give_password(_session(program, web), PASSWORD)
    assert send(at + "typed/undo").status_code == 303
    now = desk.state.game(game.id)
    assert now is not None and now.outcome is None


def _session(program: HeadApplication, web: httpx.Client) -> UserSession:
    session = program.access.session(web.cookies[COOKIE])
    assert session is not None
    return session


def _bad_bodies() -> list[tuple[str, bytes, str]]:
    form = "application/x-www-form-urlencoded"
    return [
        ("application/json", b"{}", ""),
        ("text/plain", b"csrf=x", ""),
        (form, b"\xff\xfe", ""),
        (form, b"csrf=%ff%fe", ""),
        (form, b"a=1&a=2", ""),
        (form, b"csrf=1&csrf=2", ""),
        (form, b"&".join(b"x%d=1" % number for number in range(200)), ""),
        (form, b"csrf=" + b"x" * 5_000_000, ""),
        (form, b"table=99999999999999999999999999", "csrf"),
        (form, "table=３&action=hold".encode(), "csrf"),
        (form, b"table=-1&action=hold", "csrf"),
        (form, b"game=%00", "csrf"),
        (form, b"game=nothing&black_discs=400", "csrf"),
        (form, b"event=[1]", "csrf"),
        (form, b"event=" + b"[" * 100_000, "csrf"),
        (form, b"event=%7B%22schema%22%3A%22othello-event/1%22%7D", "csrf"),
        (form, b"player=nobody", "csrf"),
        (form, b"digest=1", "csrf"),
    ]


def test_invalid_bodies_are_answered_with_a_message(program: HeadApplication, web: httpx.Client) -> None:
    """FAULTS.md 20: none causes a crash."""
    csrf = token(web).encode()
    publish_round(program)
    before = program.store.operator_events()
    game = program.desk.state.current[0].id
    for path in ("/sign-in", "/desk/create", "/division/main/typed", f"/division/main/game/{game}/enter"):
        for kind, body, signed in _bad_bodies():
            content = body + b"&csrf=" + csrf if signed else body
            answer = web.post(path, content=content, headers={"content-type": kind})
            assert 400 <= answer.status_code < 500, (path, body[:60], answer.status_code)
            assert re.search(r"refused\">\s*<h1>[^<]+</h1>\s*<p>[^<]{10,}</p>", answer.text) or "wrong" in answer.text
    assert program.store.operator_events() == before


def test_unknown_addresses_are_answered_with_a_page(web: httpx.Client) -> None:
    for path in ("/nothing", "/static/../head.py", "/static/", "/division/main/publish", "/stream/x", "/%00"):
        assert 400 <= web.get(path).status_code < 500
    assert 400 <= web.request("DELETE", "/").status_code < 500


def test_markup_in_a_name_is_escaped(tmp_path: Path) -> None:
    evil = event()
    evil["name"] = "<script>alert(1)</script>"
    evil["players"][0]["name"] = '"><img src=x onerror=alert(1)>'
    with running_head(tmp_path, event=None) as (program, url):
        program.desk.divisions.create(event_of(evil), TableRules("", 1200))
        publish_round(program)
        for page in ("/", "/pairings", "/standings"):
            text = httpx.get(url + page).text
            assert "<script>alert" not in text and "<img" not in text
