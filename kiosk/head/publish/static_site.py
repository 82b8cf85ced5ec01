"""The pages of an event as a static site, with the same addresses on the head and in a published folder.

A page is a function of the book and its address. All links are relative and complete (``…/index.html``), so they work
from a disk, from a memory stick and from any web server; no page needs JavaScript or anything from another site.

Addresses: ``index.html``, ``style.css``, ``ja|en/index.html``, ``ja|en/article.html``, ``ja|en/DIVISION/PAGE.html``,
``ja|en/DIVISION/games/r3g2.html``, ``files/NAME``.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib.resources import files as resources

from kiosk.head.publish import export_files
from kiosk.head.publish.crosstable_and_bracket import bracket_of, by_round, matrices
from kiosk.head.publish.export_files import ExportFile
from kiosk.head.publish.game_positions_and_best_play import AFTERWARDS, SEARCHED, replay_of
from kiosk.head.publish.prizes_and_certificates import prizes_of
from kiosk.head.publish.published_event import Book, PublishedDivision, PublishedGame
from kiosk.head.publish.results_article import article_of
from kiosk.head.publish.template_render import render_template
from kiosk.locale import Lang, languages

#: the pages of a division in the order of its menu
PAGES = ("standings", "rounds", "crosstable", "bracket", "prizes", "games", "files")


class Site:
    """The site of a book. ``files``: each address with the function that makes its file, which raises ``ExportError``
    where the format cannot represent this event. ``home``: the address of the head's own pages, only where a head
    serves the site.
    """

    def __init__(self, book: Book, home: str = "") -> None:
        self._book = book
        self._home = home
        self.files = dict(self._addresses())

    def menu(self, division: PublishedDivision) -> tuple[str, ...]:
        """Return the pages that a division has."""
        return tuple(page for page in PAGES if page != "bracket" or bracket_of(division) is not None)

    def _addresses(self) -> Iterator[tuple[str, Callable[[], ExportFile]]]:
        books = {lang: self._book.in_language(lang) for lang in languages()}

        def page(
            path: str, lang: Lang, name: str, of: PublishedDivision | None = None, played: PublishedGame | None = None
        ) -> tuple[str, Callable[[], ExportFile]]:
            path = f"{lang}/{path}.html"
            return path, partial(self._page, path, lang, name, books[lang], of, played)

        yield "index.html", self._choice_of_language
        yield "style.css", _style
        for lang, book in books.items():
            yield from (page("index", lang, "overview"), page("article", lang, "article"))
            for ending in export_files.ARTICLES:
                name = f"article-{lang}.{ending}"
                yield f"files/{name}", partial(export_files.article_file, name, ending, book, lang)
            for division in book.divisions:
                yield from (page(f"{division.key}/{name}", lang, name, division) for name in self.menu(division))
        for original, *translated in zip(
            self._book.divisions, *(book.divisions for book in books.values()), strict=True
        ):
            for games in zip(*(division.recorded for division in translated), strict=True):
                # all languages in sequence, so that a game is replayed once
                for lang, division, played in zip(books, translated, games, strict=True):
                    yield page(f"{division.key}/games/{played.key}", lang, "game", division, played)
            for kind in export_files.kinds_of(original):
                yield f"files/{export_files.name_of(original, kind)}", partial(export_files.file_of, original, kind)

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
                values["article"] = article_of(book, lang)
            case "crosstable" if division:
                values |= {"table": by_round(division), "matrices": matrices(division)}
            case "bracket" if division:
                values["bracket"] = bracket_of(division)
            case "prizes" if division:
                values["prizes"] = prizes_of(division)
            case "files" if division:
                original = next(one for one in self._book.divisions if one.key == division.key)
                kinds = export_files.kinds_of(original)
                values["kinds"] = [(kind, export_files.name_of(original, kind)) for kind in kinds]
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
        return _html(path, text)

    def _choice_of_language(self) -> ExportFile:
        return _html("index.html", render_template("choose", "ja", book=self._book, home=self._home))


def _html(path: str, text: str) -> ExportFile:
    return ExportFile(path, "text/html; charset=utf-8", text.encode())


def _style() -> ExportFile:
    style = resources("kiosk.head.publish").joinpath("static/style.css").read_bytes()
    return ExportFile("style.css", "text/css; charset=utf-8", style)


def _adjacent(division: PublishedDivision, played: PublishedGame) -> tuple[PublishedGame | None, PublishedGame | None]:
    """Return the games before and after one."""
    games = division.recorded
    at = games.index(played)
    return (games[at - 1] if at else None), (games[at + 1] if at + 1 < len(games) else None)


def zipped(book: Book, folder: str) -> bytes:
    """Return the whole site as an archive that unpacks to ``folder``; another process can make it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, make in Site(book).files.items():
            with suppress(export_files.ExportError):  # the page of the files reports it
                archive.writestr(zipfile.ZipInfo(f"{folder}/{path}"), make().data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
