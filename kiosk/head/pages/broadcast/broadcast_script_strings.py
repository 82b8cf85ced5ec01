"""The strings that the broadcast script needs, in one language."""

from __future__ import annotations

from engine.i18n import Text, say
from kiosk.head.publish.published_labels import grade_name
from kiosk.head.web.record_and_order_labels import LABELS
from kiosk.locale import JAPANESE, Lang, render

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


#: grades as player lists write them
_GRADES = [*(f"{n}d" for n in range(1, 11)), *(f"{n}k" for n in range(1, 16))]


def strings(lang: Lang) -> dict[str, object]:
    texts: dict[str, object] = {name: render(text, lang, n="{n}") for name, text in _WORDS.items()}
    # the same names as on the head's other pages
    names = {held: grade_name(held) for held in _GRADES} if lang == JAPANESE else {}
    grades = {held: render(name, lang) for held, name in names.items() if isinstance(name, Text)}
    return texts | {"grades": grades, "phases": {phase: render(text, lang) for phase, text in LABELS["phase"].items()}}
