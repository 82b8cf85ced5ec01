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
#: each section, and patterns of the pages that it explains; the first pattern that fits counts
SECTIONS = {
    "head-table#division": "/desk/new /division/*/settings",
    "head-table#trouble": "/desk/follow-tables",
    "head-table#registration": "/desk/registrations",
    "head-table#desk": "/desk*",
    "head-table#roster": "/division/*/import* /division/*/numbers /division/*/latin",
    "head-table#fees": "/division/*/money",
    "head-table#check-in": "/division/*/players*",
    "head-table#late": "/division/*/player/*",
    "head-table#lots": "/division/*/lots* /draw",
    "head-table#teams": "/division/*/teams*",
    "head-table#amend": "/division/*/amend",
    "head-table#pairing": "/division/*/round*",
    "head-table#results": "/division/*/results*",
    "head-table#corrections": "/division/*/game/* /division/*/correction/*",
    "head-table#timetable": "/division/*/timetable",
    "head-table#sign-in": "/sign-in*",
    "head-table#staff": "/accounts*",
    "head-table#audit": "/audit*",
    "head-table#closing": "/close* /lists/*",
    "publish#elsewhere": "/publish/elsewhere",
    "publish": "/publish* /organiser/*",
    "publish#print": "/print*",
    "publish#broadcast": "/overlays /live*",
    "publish#screens": "/wall/choose",
    "arbiter#pin": "/devices/pin",
    "head-table#devices": "/devices*",
    "arbiter#photograph": "/floor/*/photograph /floor/photographs/*",
    "arbiter#orders": "/floor/*",
    "arbiter#floor": "/floor",
    "publish#federation": "/venue* /who",
    "player#table": "/where /register* /p/*",
    "player#result": "/g/*",
    "player": "/",
}

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
    for section, patterns in SECTIONS.items():
        if any(fnmatchcase(path, pattern) for pattern in patterns.split()):
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
