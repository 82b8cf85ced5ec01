"""The pages of an event as a static site, with the same addresses on the head and in a published folder.

A page is a function of the book and its address. All links are relative and complete (``…/index.html``), so they work
from a disk, from a memory stick and from any web server; no page needs JavaScript or anything from another site.

Addresses: ``index.html``, ``style.css``, ``ja|en/index.html``, ``ja|en/article.html``, ``ja|en/DIVISION/PAGE.html``,
``ja|en/DIVISION/games/r3g2.html``, ``files/NAME``.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from importlib.resources import files as resources
from typing import IO

from markupsafe import Markup

from kiosk.head.publish import export_files
from kiosk.head.publish.crosstable_and_bracket import bracket_of, by_round, matrices
from kiosk.head.publish.export_files import ExportFile
from kiosk.head.publish.game_positions_and_best_play import AFTERWARDS, SEARCHED, replay_of
from kiosk.head.publish.prizes_and_certificates import prizes_of
from kiosk.head.publish.published_event import Book, PublishedDivision, PublishedGame
from kiosk.head.publish.results_article import article_of, as_html
from kiosk.head.publish.template_render import render_template
from kiosk.locale import Lang, languages

_HTML = "text/html; charset=utf-8"
#: the pages of a division in the order of its menu
PAGES = ("standings", "rounds", "crosstable", "bracket", "prizes", "games", "files")


class Site:
    """The site of a book. ``home``: the address of the head's own pages, only where a head serves the site."""

    def __init__(self, book: Book, home: str = "") -> None:
        self._book = book
        self._home = home

    def paths(self) -> Iterator[str]:
        """Yield all addresses, for a folder or an archive."""
        yield from ("index.html", "style.css")
        for lang in languages():
            yield from (f"{lang}/index.html", f"{lang}/article.html")
            yield from (f"files/article-{lang}.{ending}" for ending in export_files.ARTICLES)
            for division in self._book.divisions:
                yield from (f"{lang}/{division.key}/{page}.html" for page in self.menu(division))
        for division in self._book.divisions:
            for played in division.recorded:  # both languages in sequence, so that a game is replayed once
                yield from (f"{lang}/{division.key}/games/{played.key}.html" for lang in languages())
            yield from (
                f"files/{division.key}{export_files.KINDS[kind][0]}" for kind in export_files.kinds_of(division)
            )

    def menu(self, division: PublishedDivision) -> tuple[str, ...]:
        """Return the pages that a division has."""
        return tuple(page for page in PAGES if page != "bracket" or bracket_of(division) is not None)

    def file(self, path: str) -> ExportFile | None:
        """Return the file at an address; None if there is none.

        :raises ExportError: a file's format cannot represent this event.
        """
        match path.split("/"):
            case ["index.html"]:
                return self._html(path, render_template("choose", "ja", book=self._book, home=self._home))
            case ["style.css"]:
                style = resources("kiosk.head.publish").joinpath("static/style.css").read_bytes()
                return ExportFile("style.css", "text/css; charset=utf-8", style)
            case ["files", name]:
                return self._article(name) or self._download(name)
            case [lang, *inside] if lang in languages():
                return self._in_language(path, lang, inside)
        return None

    def _in_language(self, path: str, lang: Lang, inside: list[str]) -> ExportFile | None:
        book = self._book.in_language(lang)
        match inside:
            case ["index.html"]:
                return self._page(path, lang, "overview", book)
            case ["article.html"]:
                return self._page(path, lang, "article", book)
            case [key, name] if division := book.division(key):
                page = name.removesuffix(".html")
                if name.endswith(".html") and page in self.menu(division):
                    return self._page(path, lang, page, book, division)
            case [key, "games", name] if division := book.division(key):
                for played in division.recorded:
                    if f"{played.key}.html" == name:
                        return self._page(path, lang, "game", book, division, played)
        return None

    def _article(self, name: str) -> ExportFile | None:
        for lang in languages():
            for ending, write in export_files.ARTICLES.items():
                if name == f"article-{lang}.{ending}":
                    text = write(article_of(self._book.in_language(lang), lang))
                    return ExportFile(name, "text/plain; charset=utf-8", text.encode())
        return None

    def _download(self, name: str) -> ExportFile | None:
        for division in self._book.divisions:
            for kind in export_files.kinds_of(division):
                if name == division.key + export_files.KINDS[kind][0]:
                    return export_files.file_of(division, kind)
        return None

    def _page(
        self,
        path: str,
        lang: Lang,
        page: str,
        book: Book,
        division: PublishedDivision | None = None,
        played: PublishedGame | None = None,
    ) -> ExportFile:
        values: dict[str, object] = {"book": book, "division": division, "played": played, "page": page}
        match page:
            case "article":
                values["article"] = Markup(as_html(article_of(book, lang)))  # as_html escapes its input
            case "crosstable" if division:
                values |= {"table": by_round(division), "matrices": matrices(division)}
            case "bracket" if division:
                values["bracket"] = bracket_of(division)
            case "prizes" if division:
                values["prizes"] = prizes_of(division)
            case "files" if division:
                kinds = export_files.kinds_of(division)
                values["kinds"] = [(kind, division.key + export_files.KINDS[kind][0]) for kind in kinds]
            case "game" if division and played:
                searched = AFTERWARDS if division.is_over else SEARCHED
                proved = division.endings.get(played.game.transcript or "", ())
                replay = replay_of(played.game, searched, proved, division.event.variant)
                values |= {"replay": replay, "around": _adjacent(division, played)}
        menu = self.menu(division) if division else ()
        root = "../" * path.count("/")
        other_languages = [(other, root + other + path.removeprefix(lang)) for other in languages() if other != lang]
        text = render_template(
            page, lang, root=root, other_languages=other_languages, menu=menu, home=self._home, **values
        )
        return self._html(path, text)

    def _html(self, path: str, text: str) -> ExportFile:
        return ExportFile(path, _HTML, text.encode())


def _adjacent(division: PublishedDivision, played: PublishedGame) -> tuple[PublishedGame | None, PublishedGame | None]:
    """Return the games before and after one."""
    games = division.recorded
    at = games.index(played)
    return (games[at - 1] if at else None), (games[at + 1] if at + 1 < len(games) else None)


def zipped(book: Book, folder: str) -> bytes:
    """Return the archive as bytes; another process can make it."""
    packed = io.BytesIO()
    write_zip(book, packed, folder)
    return packed.getvalue()


def write_zip(book: Book, into: IO[bytes], folder: str = "") -> None:
    """Write the whole site as an archive, page by page; ``folder``: the folder it unpacks to."""
    site = Site(book)
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in site.paths():
            try:
                file = site.file(path)
            except export_files.ExportError:
                continue  # the page of the files reports it
            if file is not None:
                archive.writestr(
                    zipfile.ZipInfo(f"{folder}/{path}" if folder else path), file.data, zipfile.ZIP_DEFLATED
                )
