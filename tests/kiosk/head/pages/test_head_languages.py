"""Tests that every sentence of every page is from the catalogue, by means of a pseudo-language.

In the pseudo-language every translation is its template in ⟦…⟧. Text outside the brackets must be the same on the
Japanese and the English page: a name, a number or data.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import astuple

import pytest
from babel.messages.pofile import read_po, write_po
from heads.addresses import filled, targets
from heads.floor import Floor, floor_in_play
from heads.page_text import read_texts
from heads.staff import CHIEF
from httpx import Client

from kiosk import locale

PSEUDO = "xx"
JAPANESE = re.compile(r"[぀-ヿ㐀-鿿]")
#: data that no catalogue contains: names, addresses, machines, names of files and programs
#: kinds of illegal moves (IM-4), forms of codes, contents of the trail as written, tables of the rules
OWN = {
    "IM", "XXXX", "ELO", "GGF", "PGN", "Japan", "English", "日本語", "chief", "setup", "code", "elementary", "master",
}  # fmt: skip
DATA = re.compile(
    r"\{.*\}|"
    r"\b[\w.-]+\.(?:json|csv|elo|txt|zip|ggf|pgn|wtb|toml)\b|https?://\S+|(?<!\S)/\S+|\b[0-9a-f]{8,}\b|\b[a-h][1-8]\b|\b(?:MB|Hz|min)\b"
)


def words(page: str) -> list[str]:
    return [text for text in outside("\n".join(read_texts(page))).splitlines() if text.strip()]


def outside(text: str) -> str:
    """Return the text without its bracketed parts, which may be nested and extend over several nodes."""
    while (less := re.sub(r"⟦[^⟦⟧]*⟧", " ", text)) != text:
        text = less
    return text


@pytest.fixture(scope="module")
def pseudo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A third language, registered as a translator would: one file beside the others."""
    folder = tmp_path_factory.mktemp("locale")
    for file in locale.FOLDER.glob("*.po"):
        shutil.copy(file, folder)
    with (locale.FOLDER / "ja.po").open("rb") as opened:
        catalogue = read_po(opened)
    for message in catalogue:
        if message.id:
            forms = message.id if isinstance(message.id, tuple) else (message.id,)
            message.string = (f"⟦{forms[-1]}⟧",) if message.pluralizable else f"⟦{forms[0]}⟧"
    with (folder / f"{PSEUDO}.po").open("wb") as opened:
        write_po(opened, catalogue)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locale, "FOLDER", folder)
        locale._catalogue.cache_clear()
        yield
    locale._catalogue.cache_clear()


@pytest.fixture(scope="module")
def floor(pseudo: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with floor_in_play(tmp_path_factory.mktemp("head")) as floor:
        yield floor


def names(floor: Floor) -> set[str]:
    """Return every word of people's and divisions' names, and of what the tables report about themselves."""
    state = floor.program.desk.state
    found = [state.title, state.name]
    found += [person.name for person in floor.program.access.people.all()] + [CHIEF]
    for division in state.divisions.values():
        found += [division.slug, *division.title, division.event.name or "", division.format]
        for id, player in division.players().items():
            found += [id, *map(str, astuple(player))]
    return {word for text in found if text for word in re.findall(r"\w+", text)}


def pages(floor: Floor) -> list[str]:
    """Return the address of every page, with real values for its parameters."""
    division = next(iter(floor.program.desk.state.divisions.values()))
    values = {
        "division": division.slug, "player": next(iter(division.players())), "game": division.current[0].id,
        "table": "1", "act": "result", "token": "x", "code": "x", "person": "1", "other": "2", "slot": "1", "key": "x",
    }  # fmt: skip
    kinds = ("cards", "seats", "slips", "standings", "prizes", "certificates")
    menu = ("standings", "rounds", "crosstable", "prizes", "games", "files")
    found = [f"/print/{kind}" for kind in kinds]
    found += [f"/event/{PSEUDO}/index.html", *(f"/event/{PSEUDO}/{division.slug}/{page}.html" for page in menu)]
    found += [f"/floor/{table}" for table in floor.tables] + ["/desk/new?kind=m43-open", "/where?name=a", "/nowhere"]
    # the guide has Markdown of its own for each language; other languages get the English one
    for target in targets(floor.program.app.routes):
        path = filled(target.path, values)
        if path and target.method == "GET" and not re.search(r"\.\w+$|^/(help|static|stream)|^/update/", path):
            found.append(path)
    return found


def test_every_text_of_a_page_is_from_the_catalogue(floor: Floor, arbiter: Client) -> None:
    known, wrong, seen = names(floor), [], 0
    for path in pages(floor):
        answer = arbiter.get(f"{path}{'&' if '?' in path else '?'}lang={PSEUDO}", follow_redirects=True)
        assert answer.status_code in (200, 400, 404, 409) and "text/html" in answer.headers["content-type"], path
        seen += "⟦" in answer.text
        for text in words(answer.text):
            left = [word for word in re.findall(r"[^\W\d_]{2,}", DATA.sub(" ", text)) if word not in known | OWN]
            if left:
                wrong.append((path, text[:120], left[:6]))
    assert wrong == [], "\n".join(sorted({f"{t} {left} {p}" for p, t, left in wrong}))
    assert seen > 40


def test_english_pages_have_no_japanese_except_names(floor: Floor, arbiter: Client) -> None:
    known = names(floor)
    for path in pages(floor):
        page = arbiter.get(path.replace(f"/{PSEUDO}/", "/en/"), params={"lang": "en"}, follow_redirects=True)
        found = [text for text in words(page.text) for word in re.findall(r"\w+", text) if word not in known | OWN
                 and JAPANESE.search(word)]  # fmt: skip
        assert found == [], path
