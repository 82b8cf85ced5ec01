"""Turns the head's state into HTML: whole pages, and the single items that live updates replace.

The law: an item's HTML changes only when what it says changes. Running clocks carry the instant they count from, and
the page counts; so the hall can watch without the head drawing every second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from kiosk.head.access.sessions import Session
from kiosk.head.desk import Desk
from kiosk.head.event.games import LABELS
from kiosk.head.event.state import DivisionState
from kiosk.head.tables.live import Live
from kiosk.head.web.japanese import in_japanese
from kiosk.head.web.texts import Lang, text
from kiosk.locale import render

Item = tuple[str, str]

_CELLS = {"X": "black", "O": "white"}


def clock(left_ms: int) -> str:
    """Minutes and seconds as a chess clock shows them; a fallen flag reads 0:00 (K-02)."""
    seconds = -(-max(left_ms, 0) // 1000)
    return f"{seconds // 60}:{seconds % 60:02d}"


def board_paths(cells: str) -> dict[str, str]:
    """The discs of a board as two SVG paths of round dots."""
    dots = {"black": [], "white": []} if len(cells) == 64 else {}  # type: dict[str, list[str]]
    for index, cell in enumerate(cells):
        if dots and cell in _CELLS:
            dots[_CELLS[cell]].append(f"M{index % 8}.5 {index // 8}.5h0")
    return {color: "".join(path) for color, path in dots.items()}


class Renderer:
    """Draws pages from the desk and the live tables."""

    def __init__(
        self,
        desk: Desk,
        live: Live,
        speed: float = 1.0,
        troubles: Callable[[], Sequence[tuple[str, str]]] = lambda: (),
    ) -> None:
        """``troubles``: what the head itself has to say to the desk, in Japanese and English."""
        self.troubles = troubles
        self._desk = desk
        self._live = live
        self._speed = speed
        self._env = Environment(
            # "floor/_row.html" stands beside the pages of that room; "common/" is what every page has around it
            loader=ChoiceLoader([PackageLoader("kiosk.head.pages", ""), PackageLoader("kiosk.head.web", "")]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._env.filters |= {"clock": clock, "board_paths": board_paths}

    def draw(self, template: str, lang: Lang, session: Session | None, **values: object) -> str:
        """A page or a piece of one."""
        return self._env.get_template(template).render(self._common(lang, session) | values)

    def _common(self, lang: Lang, session: Session | None) -> dict[str, object]:
        state = self._desk.state
        english = lang == "en"

        def title(division: DivisionState) -> str:
            """The division in the reader's language; one that nobody has named by its event."""
            return division.title[english] or division.title[not english] or division.event.name or ""

        return {
            "t": partial(text, lang=lang),
            "w": lambda ja, en: en if english else ja,
            "told": lambda sentence: sentence if english else in_japanese(sentence) or sentence,
            "spoken": partial(render, lang=lang),
            "say": lambda words: words.en if english else words.ja,
            "lang": lang,
            "hall": state,
            "title_of": title,
            "event_name": state.title or text("head", lang),
            "csrf": session.token if session else "",
            "signed_in": session is not None,
            "me": session,
            "now_ms": self._live.now_ms(),
            "speed": self._speed,
            "tables": self._desk.tables,
            "labels": {stage: names[english] for stage, names in LABELS.items()},
            "zip": zip,
        }
