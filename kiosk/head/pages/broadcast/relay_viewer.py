"""The static page that a relay puts beside its games: the broadcast pages for use without a head."""

from __future__ import annotations

from importlib.resources import files as resources

from kiosk.head.export.broadcast_relay import INDEX
from kiosk.head.pages.broadcast.broadcast_script_strings import strings
from kiosk.head.web.html_renderer import Renderer
from kiosk.locale import JAPANESE, languages

_STATIC = ("live.js", "live.css", "head.css", "icon.svg")


def viewer_files(renderer: Renderer) -> dict[str, bytes]:
    """Return the files by name; one page for each language, ``index.html`` is the Japanese one."""
    static = resources("kiosk.head.web").joinpath("static")
    found = {name: static.joinpath(name).read_bytes() for name in _STATIC}
    pages = {lang: "index.html" if lang == JAPANESE else f"{lang}.html" for lang in languages()}
    for lang, name in pages.items():
        told = {"now": 0, "tables": [], "games": [], "lang": lang, "words": strings(lang), "index": INDEX}
        found[name] = renderer.draw("broadcast/viewer.html", lang, None, told=told, pages=pages).encode()
    return found
