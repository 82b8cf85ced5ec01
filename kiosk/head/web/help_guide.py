"""The guide that the head shows at ``/help``: its Markdown as HTML, and which of its sections explains which page.

The Markdown lies in ``docs/guide`` of the repository, and in ``kiosk/guide`` of an installed package (``setup.py``).
A heading may end in ``{#anchor}``, as in MkDocs; anchors are the same in both languages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from kiosk.locale import ENGLISH, JAPANESE, Lang

#: the pages in the order of the menu
PAGES = ("index", "head-table", "checklists", "arbiter", "player", "club-clock", "publish")
HELP = "/help"
#: a page of the head, and the section that explains it; the first pattern that fits counts
SECTIONS = (
    ("/desk/new", "head-table#division"),
    ("/desk/follow-tables", "head-table#trouble"),
    ("/desk/registrations", "head-table#registration"),
    ("/desk*", "head-table#desk"),
    ("/division/*/settings", "head-table#division"),
    ("/division/*/import*", "head-table#roster"),
    ("/division/*/numbers", "head-table#roster"),
    ("/division/*/latin", "head-table#roster"),
    ("/division/*/money", "head-table#fees"),
    ("/division/*/players*", "head-table#check-in"),
    ("/division/*/player/*", "head-table#late"),
    ("/division/*/lots*", "head-table#lots"),
    ("/draw", "head-table#lots"),
    ("/division/*/teams*", "head-table#teams"),
    ("/division/*/amend", "head-table#amend"),
    ("/division/*/round*", "head-table#pairing"),
    ("/division/*/results*", "head-table#results"),
    ("/division/*/game/*", "head-table#corrections"),
    ("/division/*/correction/*", "head-table#corrections"),
    ("/division/*/timetable", "head-table#timetable"),
    ("/sign-in*", "head-table#sign-in"),
    ("/accounts*", "head-table#staff"),
    ("/audit*", "head-table#audit"),
    ("/close*", "head-table#closing"),
    ("/lists/*", "head-table#closing"),
    ("/publish/elsewhere", "publish#elsewhere"),
    ("/publish*", "publish"),
    ("/organiser/*", "publish"),
    ("/print*", "publish#print"),
    ("/overlays", "publish#broadcast"),
    ("/live*", "publish#broadcast"),
    ("/wall/choose", "publish#screens"),
    ("/devices/pin", "arbiter#pin"),
    ("/devices*", "head-table#devices"),
    ("/floor/*/photograph", "arbiter#photograph"),
    ("/floor/photographs/*", "arbiter#photograph"),
    ("/floor/*", "arbiter#orders"),
    ("/floor", "arbiter#floor"),
    ("/venue*", "publish#federation"),
    ("/who", "publish#federation"),
    ("/where", "player#table"),
    ("/register*", "player#table"),
    ("/g/*", "player#result"),
    ("/p/*", "player#table"),
    ("/", "player"),
)

_ANCHOR = re.compile(r"\s*\{#([a-z0-9-]+)\}$")
_PAGE = re.compile(r"(?:index|([a-z-]+))\.md(#[a-z0-9-]+)?")
_PICTURES = "../pictures/"


@dataclass(frozen=True, slots=True)
class Page:
    """``lang``: the language it is written in. ``sections``: anchor and text of each heading of the second level."""

    name: str
    lang: Lang
    title: str
    html: Markup
    sections: tuple[tuple[str, str], ...]


def section_for(path: str) -> str:
    """Return the address of the section that explains a page of this head."""
    for pattern, section in SECTIONS:
        if fnmatchcase(path, pattern):
            return f"{HELP}/{section}"
    return HELP


def folder() -> Path:
    """Return where the guide lies: in the installed package, or in the repository."""
    packaged = Path(__file__).parents[2] / "guide"
    return packaged if packaged.is_dir() else packaged.parents[1] / "docs" / "guide"


@cache
def page(name: str, lang: Lang) -> Page | None:
    """Return a page in a language, or None if there is no such page."""
    written = lang if lang in (JAPANESE, ENGLISH) else ENGLISH
    file = folder() / written / f"{name}.md"
    return _render_page(name, written, file.read_text(encoding="utf-8")) if name in PAGES and file.is_file() else None


@cache
def picture(name: str) -> bytes | None:
    """Return a picture of the guide, or None if there is no such picture."""
    pictures = {file.name: file for file in (folder() / "pictures").glob("*.png")}
    return pictures[name].read_bytes() if name in pictures else None


def _render_page(name: str, lang: Lang, text: str) -> Page:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    title, sections = name, []
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            anchor = _take_anchor(following)
            if anchor:
                token.attrSet("id", anchor)
            if token.tag == "h1":
                title = following.content
            elif token.tag == "h2" and anchor:
                sections.append((anchor, following.content))
        for child in token.children or ():
            _point_inside(child)
    return Page(name, lang, title, Markup(markdown.renderer.render(tokens, markdown.options, {})), tuple(sections))


def _take_anchor(heading: Token) -> str:
    """Take ``{#anchor}`` off the end of a heading and return the anchor, empty if there is none."""
    found = _ANCHOR.search(heading.content)
    if found is None:
        return ""
    heading.content = heading.content[: found.start()]
    last = (heading.children or [])[-1]
    last.content = _ANCHOR.sub("", last.content)
    return found[1]


def _point_inside(token: Token) -> None:
    """Turn a link between files of the guide into one between pages of the head."""
    if token.type == "link_open" and (found := _PAGE.fullmatch(str(token.attrGet("href")))):
        token.attrSet("href", (f"{HELP}/{found[1]}" if found[1] else HELP) + (found[2] or ""))
    elif token.type == "image":
        token.attrSet("src", str(token.attrGet("src")).replace(_PICTURES, f"{HELP}/pictures/"))
