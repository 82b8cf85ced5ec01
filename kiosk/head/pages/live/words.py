"""The words that the script of the broadcast needs, in one language."""

from __future__ import annotations

from engine.text import say
from kiosk.head.web.labels import LABELS
from kiosk.locale import Lang, render

_WORDS = {
    "board": say("Board"),
    "black": say("Black"),
    "white": say("White"),
    "table": say("Table {n}"),
    "move": say("move {n}"),
    "pass": say("passes"),
    "right": say("draw right"),
    "free": say("Free"),
    "hidden": say("This game is shown later."),
    "exact": say("exact"),
}


def words(lang: Lang) -> dict[str, object]:
    said: dict[str, object] = {name: render(text, lang, n="{n}") for name, text in _WORDS.items()}
    return said | {"phases": {phase: render(text, lang) for phase, text in LABELS["phase"].items()}}
