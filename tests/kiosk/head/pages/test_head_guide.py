"""Tests of the guide at /help: public, in both languages, without JavaScript; each page of the staff leads to its
section."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from heads.staff import first_chief
from heads.world import running_head

from kiosk.head.access.roles import Role
from kiosk.head.pages.http_app_and_security_headers import AREAS
from kiosk.head.web import help_guide
from kiosk.locale import ENGLISH, JAPANESE

LANGUAGES = (JAPANESE, ENGLISH)
#: addresses that are no pages: files, data for programs, pictures
NO_PAGE = re.compile(r"\.|/organiser/|/publish/elo|/photographs/")


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, str]]:
    """A browser at a head, and the setup code."""
    with running_head(tmp_path_factory.mktemp("guide")) as (program, url), httpx.Client(base_url=url) as web:
        yield web, program.access.setup_code


def staff_pages() -> list[str]:
    """Return every page that needs a sign-in, with values for its parameters."""
    found = (one for area in AREAS for one in area.ADDRESSES if one.method == "GET" and one.role is not Role.ANYBODY)
    return sorted({re.sub(r"\{[^}]*\}", "x", one.path) for one in found if not NO_PAGE.search(one.path)})


def test_each_staff_page_has_its_section() -> None:
    """Another test checks that each section exists."""
    without = [path for path in staff_pages() if help_guide.section_for(path) == help_guide.HELP]
    assert without == [], "name their sections in kiosk/head/web/help_guide.py"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_linked_section_exists(head: tuple[httpx.Client, str], lang: str) -> None:
    for section in help_guide.SECTIONS:
        name, _, anchor = section.partition("#")
        page = help_guide.page(name, lang)
        assert page is not None, section
        assert not anchor or f'id="{anchor}"' in page.html, section


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_page_shows_its_link(head: tuple[httpx.Client, str], lang: str) -> None:
    web, code = head
    if "kiosk_session" not in web.cookies:
        first_chief(web, code)
    for path in ("/desk", "/division/main/players", "/floor", "/close", "/accounts"):
        assert f'class="help" href="{help_guide.section_for(path)}"' in web.get(path, params={"lang": lang}).text, path


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", help_guide.PAGES)
def test_links_and_pictures_of_a_page_exist(head: tuple[httpx.Client, str], name: str, lang: str) -> None:
    """Every page is readable without sign-in; its links lead to this head, and none needs JavaScript."""
    web = httpx.Client(base_url=head[0].base_url, params={"lang": lang})
    text = web.get("/help" if name == "index" else f"/help/{name}").text
    article = text[text.index("<article") : text.index("</article>")]
    assert "<script" not in article
    for address in re.findall(r'(?:href|src)="([^"]+)"', article):
        place, _, anchor = address.partition("#")
        answer = web.get(place) if place else None
        assert answer is None or answer.status_code == 200, address
        assert not anchor or f'id="{anchor}"' in (text if answer is None else answer.text), address
    web.close()


def test_both_languages_have_the_same_sections() -> None:
    for name in help_guide.PAGES:
        ids = [
            re.findall(r' id="([a-z0-9-]+)"', page.html) for lang in LANGUAGES if (page := help_guide.page(name, lang))
        ]
        assert len(ids) == 2 and ids[0] == ids[1], name
        assert len(set(ids[0])) == len(ids[0]), name


def test_missing_pages_are_reported(head: tuple[httpx.Client, str]) -> None:
    for path in ("/help/nowhere", "/help/..%2Fja%2Findex", "/help/pictures/none.png", "/help/pictures/..%2Findex.md"):
        assert head[0].get(path).status_code == 404, path


def test_the_tables_page_leads_to_the_players_sheet(head: tuple[httpx.Client, str]) -> None:
    assert 'href="/help/player"' in head[0].get("/").text


def test_every_picture_is_shown_and_small() -> None:
    pictures = {file.name: file.stat().st_size for file in (help_guide.folder() / "pictures").glob("*.png")}
    text = "".join(file.read_text(encoding="utf-8") for file in help_guide.folder().glob("*/*.md"))
    assert set(re.findall(r"\.\./pictures/([^)]+)\)", text)) == set(pictures)
    assert sum(pictures.values()) < 1_500_000


@pytest.mark.parametrize("lang", LANGUAGES)
def test_quoted_labels_are_in_the_catalogue(lang: str) -> None:
    """Bold words of the guide are texts of the screens: a template or its translation."""
    from babel.messages.pofile import read_po

    with Path(help_guide.__file__).parents[2].joinpath("locale/ja.po").open("rb") as file:
        catalogue = read_po(file)
    said = set()
    for message in catalogue:
        ids, texts = (one if isinstance(one, (tuple, list)) else (one,) for one in (message.id, message.string))
        said |= {str(one).strip() for one in (ids if lang == ENGLISH else texts)}
    patterns = [re.compile(re.sub(r"\\\{[^}]*\\\}", "[0-9]+", re.escape(one))) for one in said if "{" in one]
    unknown = {
        f"{file.name}: {label}"
        for file in sorted((help_guide.folder() / lang).glob("*.md"))
        for label in re.findall(r"\*\*([^*]+)\*\*", file.read_text(encoding="utf-8"))
        if label not in said and not any(one.fullmatch(label) for one in patterns)
    }
    assert unknown == set()
    assert not any("**" in page.html for name in help_guide.PAGES if (page := help_guide.page(name, lang)))
