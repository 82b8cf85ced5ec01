"""Nothing that an organiser hides is at any public address: every route of the running head is asked, so a new one is
asked by itself, by a stranger and with a player's code, in both languages; its streams, files and zip too; and every
route of a federation that has the venue's rows and its broadcast."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx
import pytest
import websockets
from heads.addresses import Door, doors, filled
from heads.staff import first_chief, token
from heads.world import PlayedTable, event, quick_card, running_head
from starlette.routing import WebSocketRoute
from waiting import until

from kiosk.head.access.rights import Role
from kiosk.head.config import TO_FEDERATION, Federation, Publishing, Relaying
from kiosk.head.event.bodies import Changed
from kiosk.head.event.spectators import read_spectators
from kiosk.head.federation.keys import new_key, save_venues
from kiosk.head.program import HeadProgram
from kiosk.head.publish.site import Site
from kiosk.head.outgoing.books import public_book
from kiosk.head.web.tokens import of_game, of_player

MINORS = read_spectators({"names": {"everybody": "full", "minors": "ids"}}).line()
LANGUAGES = ("ja", "en")
#: of these players of the 16: under 18, of unknown age, grown up
YOUNG, UNKNOWN, ADULT = range(1, 9), range(9, 13), range(13, 17)


def person(number: int, year: int | None) -> dict[str, Any]:
    """Everything that is private of a player can be told from everything else by its letters."""
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
        "rating": 5_510_000 + number,
        "national": f"8812-77{number:02}",
        "wof": 7_730_000 + number,
        "fee": 6_640_000 + number,
        "remark": f"注記{chr(0x9F80 + number)}覚書",
    }


def story(dated: bool) -> dict[str, Any]:
    """The same people where the event has a date, and where it has none."""
    years = {number: 2018 for number in YOUNG} | {number: 1961 for number in ADULT}
    told = {**event(), "players": [person(number, years.get(number)) for number in range(1, 17)]}
    if not dated:
        del told["date"]
    return told


def private(told: Mapping[str, Any], dated: bool) -> dict[str, str]:
    """What must not be read anywhere: what it is, by how it is written."""
    found: dict[str, str] = {}
    for player in told["players"]:
        hidden = not dated or int(player["id"][1:]) not in ADULT
        fields = ["national", "wof", "fee", "remark", *(("rating", "kana", "latin", "club") if hidden else ())]
        found |= {str(player[field]): f"{field} of {player['id']}" for field in fields}
        if hidden:
            for field in ("name", "kana", "latin"):
                found |= {word: f"{field} of {player['id']}" for word in player[field].split()}
    return found


def read(data: bytes) -> str:
    """Everything that an answer says, its archives unpacked and its escapes written out."""
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "\n".join(one.filename + "\n" + read(archive.read(one)) for one in archive.infolist())
    text = data.decode("utf-8", "ignore")
    written = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    return "\n".join((text, unescape(text), unquote(text), written))


@dataclass
class Found:
    """``leaks``: what was read where. ``asked``: the answers that were pages or files."""

    words: Mapping[str, str]
    leaks: set[str]
    asked: set[str]

    def look(self, where: str, data: bytes, headers: Iterable[str] = ()) -> None:
        said = read(data) + "\n" + unquote("\n".join(headers))
        self.leaks |= {f"{where}: {what}" for word, what in self.words.items() if word in said}
        years = re.findall(r"birth_year\D{1,4}(\d{4})|(?<!\d)(2018|1961)(?!\d)", said)
        if years:
            self.leaks.add(f"{where}: years of birth")


def public_doors(program: HeadProgram) -> list[Door]:
    """The addresses that ask for no role, and what is no ``Address``."""
    staff = {
        (method, route.path)
        for route in program.app.routes
        if (address := getattr(getattr(route, "endpoint", None), "__self__", None)) is not None
        and getattr(address, "role", Role.ANYBODY) is not Role.ANYBODY
        for method in route.methods or {"GET"}
    }
    return [door for door in doors(program.app.routes) if (door.method, door.path) not in staff]


def crawl(url: str, program: HeadProgram, values: list[Mapping[str, str]], found: Found) -> None:
    """Every public address, filled in with each of ``values``, as a page, as a stream, as a form, and where its links
    lead."""
    wanted: list[str] = []
    with httpx.Client(base_url=url, timeout=30) as web:
        for door in public_doors(program):
            for value in values:
                path = filled(door.path, value)
                if path is None or door.path.startswith("/static"):
                    continue
                if door.method == "POST":
                    answer = web.post(path, data={name: "1" for name in door.fields})
                    found.look(f"POST {path}", answer.content, answer.headers.values())
                elif path.startswith("/stream/"):
                    for lang in LANGUAGES:
                        found.look(f"stream {path}", first_of(web, path, lang))
                elif path not in wanted:
                    wanted.append(path)
        done: set[str] = set()
        while wanted:
            path = wanted.pop()
            if path in done:
                continue
            done.add(path)
            for lang in LANGUAGES:
                answer = web.get(path, params={"lang": lang} if "?" not in path else None)
                found.look(path, answer.content, answer.headers.values())
                if answer.status_code == 200:
                    found.asked.add(urlsplit(path).path)
                if "html" in answer.headers.get("content-type", ""):
                    wanted += [link for link in links(answer) if link not in done]


def links(answer: httpx.Response) -> Iterator[str]:
    """Where a page leads on this head, but for the pages of the staff, the language and what ``/wall`` shows next."""
    for link in re.findall(r'(?:href|src|content)="(?:\d+; url=)?([^"#]+)', answer.text):
        parts = urlsplit(str(answer.url.join(unescape(link))))
        local = parts.netloc == answer.url.netloc.decode()
        if local and parts.scheme == "http" and "lang=" not in parts.query and "turn=" not in parts.query:
            yield parts.path + (f"?{parts.query}" if parts.query else "")


def first_of(web: httpx.Client, path: str, lang: str) -> bytes:
    """The first two messages of a stream: the first one of a page says only that it is open."""
    said = b""
    with web.stream("GET", path, params={"lang": lang}) as answer:
        if answer.status_code != 200 or "event-stream" not in answer.headers.get("content-type", ""):
            return answer.read()
        for piece in answer.iter_bytes():
            said += piece
            if said.count(b"data:") and said.endswith(b"\n\n"):
                return said
    return said


async def first_frames(url: str, path: str) -> bytes:
    """What a WebSocket says to a stranger before he has said anything he can prove."""
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


def sockets(url: str, program: HeadProgram, found: Found) -> None:
    for route in program.app.routes:
        if isinstance(route, WebSocketRoute):
            found.look(route.path, asyncio.run(first_frames(url, route.path)))


@contextmanager
def played(folder: Path, told: Mapping[str, Any], **options: Any) -> Iterator[tuple[HeadProgram, str]]:
    """Round 1 played and round 2 in play: a game with moves at table 1, one that is over at table 2, the players of a
    table without kiosk; minors are hidden."""
    folder.mkdir(parents=True)
    (folder / "told.json").write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
    with running_head(folder, tables=6, event=None, **options) as (program, url):
        yield program, url
