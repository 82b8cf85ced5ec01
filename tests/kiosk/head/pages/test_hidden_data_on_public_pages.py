"""Tests that no public address shows anything that an organiser hides: every route of the running head is requested
(new ones automatically), without a sign-in and with a player's code, in both languages, with its streams, files and
zip; and every route of a federation that has the venue's rows and its broadcast."""

from __future__ import annotations

import asyncio
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx
import pytest
import websockets
from heads.addresses import Target, filled, targets
from heads.staff import first_chief, token
from heads.tournaments import outcome
from heads.world import PlayedTable, event, quick_card, running_head
from sqlalchemy import text
from starlette.routing import WebSocketRoute
from waiting import until

from kiosk.head.access.authentication import game_subject, player_subject
from kiosk.head.access.roles import Role
from kiosk.head.event.act_types import DivisionChanged, event_of
from kiosk.head.event.spectator_visibility import read_spectators
from kiosk.head.event.tournament_state import TableRules
from kiosk.head.head_config import Publishing, Relaying
from kiosk.head.program import HeadApplication

MINORS = read_spectators({"names": {"everybody": "full", "minors": "ids"}})
LANGUAGES = ("ja", "en")
#: of the 16 players: these are under 18, of unknown age, adults
YOUNG, UNKNOWN, ADULT = range(1, 9), range(9, 13), range(13, 17)


def person(number: int, year: int | None) -> dict[str, Any]:
    """Return a player whose private data are recognisable strings."""
    return {
        "id": f"p{number}",
        "name": f"秘密氏{chr(0x9F00 + number)} 隠名{chr(0x9F40 + number)}",
        "kana": f"ひみつし{chr(0x30A2 + number)} かくしな{chr(0x30A2 + number)}",
        "latin": f"HIDDENFAMILY{number:02}X Givenname{number:02}X",
        "club": f"学校{chr(0x9F80 + number)}クラブ",
        **({} if year is None else {"birth_year": year}),
        "grade": f"{number % 6 + 1}d",
        "country": "JPN",
        "sex": "F" if number % 2 else "M",
        "national": f"8812-77{number:02}",
        "wof": 7_730_000 + number,
        "fee": 6_640_000 + number,
        "remark": f"注記{chr(0x9F80 + number)}覚書",
    }


def event_with_minors(dated: bool) -> dict[str, Any]:
    """Return the event with these people, with a date or without one."""
    years = dict.fromkeys(YOUNG, 2018) | dict.fromkeys(ADULT, 1961)
    told = {**event(), "players": [person(number, years.get(number)) for number in range(1, 17)]}
    if not dated:
        del told["date"]
    return told


def private(told: Mapping[str, Any], dated: bool) -> dict[str, str]:
    """Return what must not be published: name of the datum by its string."""
    found: dict[str, str] = {}
    for player in told["players"]:
        hidden = not dated or int(player["id"][1:]) not in ADULT
        fields = ["national", "wof", "fee", "remark", *(("kana", "latin", "club") if hidden else ())]
        found |= {str(player[field]): f"{field} of {player['id']}" for field in fields}
        if hidden:
            for field in ("name", "kana", "latin"):
                found |= dict.fromkeys(player[field].split(), f"{field} of {player['id']}")
    return found


def read(data: bytes) -> str:
    """Return all text of an answer, with archives unpacked and escapes decoded."""
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "\n".join(one.filename + "\n" + read(archive.read(one)) for one in archive.infolist())
    text = data.decode("utf-8", "ignore")
    written = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    return "\n".join(dict.fromkeys((text, unescape(text), unquote(text), written)))  # most are equal


@dataclass
class Found:
    """Result of a search. ``leaks``: private data by address. ``asked``: number of answers that were pages or files."""

    words: Mapping[str, str]
    leaks: set[str]
    asked: set[str]

    def look(self, where: str, data: bytes, headers: Iterable[str] = ()) -> None:
        said = read(data) + "\n" + unquote("\n".join(headers))
        self.leaks |= {f"{where}: {what.partition(' of ')[0]}" for word, what in self.words.items() if word in said}
        told = re.search(r"birth_?year\W{1,4}\d{4}", said)
        listed = "birth_year" in said and re.search(r"[,;\t\n]\"?(2018|1961)\"?[,;\t\r\n]", said)
        if told or listed:
            self.leaks.add(f"{where}: years of birth")


def public_targets(program: HeadApplication) -> list[Target]:
    """Return the addresses that need no role, and the routes that are no ``PageRoute``."""
    staff = set()
    for route in program.app.routes:
        address = getattr(getattr(route, "endpoint", None), "__self__", None)
        if getattr(address, "role", Role.ANYBODY) is not Role.ANYBODY:
            staff |= {(method, route.path) for method in route.methods}
    every = (target for target in targets(program.app.routes) if not target.path.startswith("/static"))
    return [target for target in every if (target.method, target.path) not in staff]


def crawl(
    url: str,
    program: HeadApplication,
    values: Sequence[Mapping[str, str]],
    more: Iterable[str],
    found: Found,
    languages: Sequence[str],
) -> None:
    """Request every public address, filled in with each of ``values``, as a page, as a stream and as a form;
    ``more``; and the addresses to which their links lead. A page of the record has its language in its path."""
    pages, forms = list(more), []
    with httpx.Client(base_url=url, timeout=30) as web:
        for target in public_targets(program):
            paths = {path for value in values if (path := filled(target.path, value)) is not None}
            assert paths, f"{target.path}: say in this test what its parts may be"
            if target.method == "POST":
                word = {"me": "1", "black_discs": "40"}
                forms += [(path, form) for path in paths for form in (dict.fromkeys(target.fields, "1"), word)]
            elif target.path.startswith("/stream/"):
                for path, lang in product(paths, languages):
                    found.look(f"stream {path}", first_of(web, path, lang))
            else:
                pages += paths
        done: set[str] = set()
        while pages:
            path = pages.pop()
            if path in done:
                continue
            done.add(path)
            for lang in languages[:1] if path.startswith("/event/") else languages:
                answer = web.get(f"{path}{'&' if '?' in path else '?'}lang={lang}")
                found.look(path, answer.content, [str(answer.url), *answer.headers.values()])
                if answer.status_code == 200:
                    found.asked.add(urlsplit(path).path)
                if answer.has_redirect_location:
                    pages.append(urlsplit(str(answer.url.join(answer.headers["location"]))).path)
                if "html" in answer.headers.get("content-type", ""):
                    pages += [link for link in links(answer) if link not in done]
        for path, form in forms:  # last, because a player's form records a result
            answer = web.post(path, data=form)
            found.look(f"POST {path}", answer.content, answer.headers.values())


def links(answer: httpx.Response) -> Iterator[str]:
    """Return a page's links on this head, except staff pages, the language, and the next page of ``/wall``."""
    for link in re.findall(r'(?:href|src|content)="(?:\d+; url=)?([^"#]+)', answer.text):
        parts = urlsplit(str(answer.url.join(unescape(link))))
        local = parts.netloc == answer.url.netloc.decode()
        if local and parts.scheme == "http" and "lang=" not in parts.query and "turn=" not in parts.query:
            yield parts.path + (f"?{parts.query}" if parts.query else "")


def first_of(web: httpx.Client, path: str, lang: str) -> bytes:
    """Return a stream's content up to its first data, or to its end."""
    said = b""
    with suppress(httpx.RemoteProtocolError), web.stream("GET", path, params={"lang": lang}) as answer:
        if answer.status_code != 200 or "event-stream" not in answer.headers.get("content-type", ""):
            return answer.read()
        for piece in answer.iter_bytes():
            said += piece
            if said.count(b"data:") and said.endswith(b"\n\n"):
                return said
    return said


async def first_frames(url: str, path: str) -> bytes:
    """Return what a WebSocket sends to a client before it has proved a key."""
    said = b""
    try:
        async with websockets.connect(url.replace("http", "ws", 1) + path) as line:
            await line.send(json.dumps({"type": "hello"}))
            async with asyncio.timeout(0.5):
                async for frame in line:
                    said += frame.encode() if isinstance(frame, str) else frame
    except (OSError, TimeoutError, websockets.WebSocketException) as error:
        said += str(error).encode()
    return said


def sockets(url: str, program: HeadApplication, found: Found) -> None:
    for route in program.app.routes:
        if isinstance(route, WebSocketRoute):
            found.look(route.path, asyncio.run(first_frames(url, route.path)))


@contextmanager
def playing(folder: Path, told: Mapping[str, Any], **options: Any) -> Iterator[tuple[HeadApplication, str]]:
    """Round 2: a game with moves at table 1, a finished one at table 2; tables 7 and 8 have no kiosk. Of round 1 one
    complete game is known. Minors are hidden."""
    with running_head(folder, tables=6, event=None, **options) as (program, url):
        desk = program.desk
        desk.divisions.create(event_of(told), TableRules("", 1200))
        desk.divisions.set_tables("main", range(1, 9))
        desk.divisions.set_slot("final", 1)
        hide_minors(program)
        tables = [PlayedTable(number, program.devices.collection) for number in range(1, 7)]
        desk.rounds.publish(desk.rounds.draft().digest)
        for table in tables:
            for command in table.execute_commands():
                if table.number == 1:
                    table.finish()
                elif command.kind == "assign":
                    table.send("card", quick_card(command, 30 + table.number))
        until(lambda: sum(game.is_open for game in desk.state.current) == 2)
        for game in desk.state.current:
            if game.is_open:
                desk.results.enter(game.id, outcome(game, 40))
        desk.rounds.publish(desk.rounds.draft().digest)
        for table in tables[:2]:
            table.execute_commands()
        tables[0].play(9)
        tables[1].finish()
        until(lambda: any(game.outcome for game in desk.state.current))
        yield program, url


def hide_minors(program: HeadApplication) -> None:
    program.desk.divisions.change(DivisionChanged("main", spectators=MINORS))


def places(program: HeadApplication) -> list[dict[str, str]]:
    """Return values of address parameters: the codes of a player of each age and of two games, tables, divisions."""
    state, token = program.desk.state, program.access.token
    codes = [token(player_subject("main", f"p{ages[0]}")) for ages in (YOUNG, UNKNOWN, ADULT)]
    codes += [token(game_subject(game.id)) for game in state.current[:2]]
    every = {"slot": "final", "path": "files/main.json", "kind": "json", "name": "main", "key": "x", "division": "main",
             "page": "player", "venue": "osaka", "trail": "trail", "table": "1", "person": "1",
             "other": "2", "code": "0" * 32}  # fmt: skip
    more = [{"token": code} for code in codes] + [{"game": game.id} for game in state.current[:2]]
    return [every, *({**every, "slot": str(number)} for number in (1, 2, 7)), *more]


#: further requests without sign-in: a part of a name, the parts of an overlay, the screens, each player of a slip
ASKED = (
    "/where?name=秘密", "/where?name=hidden", "/where?name=ひみつ", "/where?name=p3", "/people?name=秘密",
    "/people?name=hidden", "/wall?show=standings", "/wall?show=boards", "/wall?show=pairings&rows=30",
    "/overlay/final?part=names", "/commentary/final?show=1", "/live?wall=1", "/division/none", "/event/ja/main/x",
)  # fmt: skip


@pytest.fixture(params=[True, False], ids=["dated", "undated"])
def dated(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_nothing_private_is_at_any_public_address(tmp_path: Path, dated: bool) -> None:
    """Nor is it in what is uploaded to a web server, pushed as a broadcast, or put in the zip. The same holds for a
    registration that waits for the desk."""
    told = event_with_minors(dated)
    registered = person(17, 2018)
    options = {"publish": Publishing(str(tmp_path / "record")), "relay": Relaying(str(tmp_path / "live"), every_s=0.5)}
    found = Found(private({"players": [*told["players"], registered]}, dated), set(), set())
    with playing(tmp_path / "head", told, **options) as (program, url):
        del registered["id"], registered["fee"]
        program.services.registrations.set_end("2099-01-01T00:00:00+00:00")
        program.services.registrations.add("1" * 32, "main", registered, "10.0.0.9")
        slips = [f"/g/{program.access.token(game_subject(game.id))}?me=1" for game in program.desk.state.current[:2]]
        crawl(url, program, places(program), (*ASKED, *slips), found, LANGUAGES if dated else LANGUAGES[:1])
        sockets(url, program, found)
        publisher, relay = program.outbound.publisher, program.outbound.relay
        assert publisher is not None and relay is not None
        publisher.publish_soon()
        until(lambda: publisher.status.up > 0 and not publisher.status.running, 60)
        until(lambda: relay.status.games > 0, 20)
        with httpx.Client(base_url=url, timeout=30) as desk:
            first_chief(desk, program.access.setup_code)
            found.look("/publish/event.zip", desk.get("/publish/event.zip").content)
            whole = desk.get("/event.json").json()
    for folder in ("record", "live"):
        files = [file for file in (tmp_path / folder).rglob("*") if file.is_file()]
        assert len(files) > 5
        for file in files:
            found.look(f"{folder}/{file.name}", file.name.encode() + b"\n" + file.read_bytes())
    assert "/register" in found.asked and len(program.services.registrations.waiting) == 1
    assert sorted(found.leaks) == []
    assert whole["players"] == told["players"], "whoever is signed in has the whole event file"
    wanted = {"/", "/event.json", "/live.json", "/live/final.pgn", "/live.ggf", "/overlay/final", "/wall",
              "/tables.json", "/event/files/main.json", "/event/files/main.csv",
              "/event/ja/main/standings.html"}  # fmt: skip
    assert wanted <= found.asked, "the test has looked there"
    assert any(path.startswith("/p/") for path in found.asked) and any(path.startswith("/g/") for path in found.asked)


def test_nothing_private_is_at_any_public_address_of_a_federation(
    tmp_path: Path, dated: bool, federation: tuple[HeadApplication, str, dict[str, Any]]
) -> None:
    """The federation has all of the venue's rows and its broadcast."""
    told, (head, above, options) = event_with_minors(dated), federation
    found = Found(private(told, dated), set(), set())
    with playing(tmp_path / "osaka", told, **options) as (program, _), httpx.Client(base_url=above) as web:
        relay, collector = program.outbound.relay, head.remote.federation.collector
        assert relay is not None
        until(lambda: relay.status.games > 0, 20)
        last = len(program.store.operator_events())

        def database() -> list[tuple[Any, ...]]:
            with head.remote.federation.projection.engine.connect() as c:
                return [tuple(row) for row in c.execute(text("SELECT entries FROM events"))]

        until(lambda: database() == [(last,)], 30)
        (one,) = web.get("/venues/osaka/events.json").json()["events"]
        here = {"venue": "osaka", "trail": one["event"], "path": "files/main.json", "person": "1", "other": "2",
                "key": "x", "name": "x", "page": "player", "slot": "1", "table": "1", "token": "x",
                "game": "x", "code": "x"}  # fmt: skip
        more = [*ASKED, *(f"/people/{number}" for number in range(1, 20))]
        crawl(above, head, [here, {**here, "path": "files/main.csv"}], more, found, LANGUAGES[dated:])
        sockets(above, head, found)
        entered = collector.venue("osaka").state.first.event.players  # type: ignore[union-attr]
    assert sorted(found.leaks) == []
    assert {one.national for one in entered} == {one["national"] for one in told["players"]}, "the rows keep all"
    wanted = {"/venues/osaka", "/venues/osaka/live/live.json", "/venues/osaka/live/1.json", "/people",
              f"/record/osaka/{one['event']}/files/main.json", "/venues/osaka/live/games.pgn"}  # fmt: skip
    assert wanted <= found.asked, "the test has looked there"


def test_years_and_numbers_of_visible_players_can_be_published(tmp_path: Path) -> None:
    """A switch of ``/publish``, off by default, publishes them; hidden players stay hidden, fees and remarks are
    never published."""
    told = event_with_minors(dated=True)
    with playing(tmp_path, told) as (program, url), httpx.Client(base_url=url) as desk:
        first_chief(desk, program.access.setup_code)
        form = {"csrf": token(desk), "division": "main", "boards": "live", "delay": "6", "everybody": "full",
                "minors": "ids", "details": "on"}  # fmt: skip
        for lang in LANGUAGES:
            page = desk.get(f"/publish?lang={lang}").text
            assert 'name="details">' in page
        assert desk.post("/publish/spectators", data=form).status_code == 303
        assert 'name="details" checked>' in desk.get("/publish").text
        for path in ("/event.json", "/event/files/main.json"):
            shown = {one["id"]: one for one in httpx.get(url + path).json()["players"]}
            for player in told["players"]:
                public = shown[player["id"]]
                grown = int(player["id"][1:]) in ADULT
                for field in ("birth_year", "national", "wof", "name"):
                    assert public.get(field) == (player[field] if grown else None)
                assert "fee" not in public and "remark" not in public
