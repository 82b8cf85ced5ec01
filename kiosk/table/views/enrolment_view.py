"""View of a table without a key: the QR code of the head's enrolment page, and the code to compare.

Pure, like every view. Both languages are shown, because the readers' language is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.i18n import Renderable, say
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.table.scene import Align, Box, ColorRole, Digits, Icon, IconKind, Item, Items, Panel, Rect, Scene, SceneText
from kiosk.table.views.qr_code import Modules, qr_code


@dataclass(frozen=True, slots=True)
class EnrolmentViewModel:
    """Content of the view. ``table`` 0: a spare, whose number comes with its key. ``modules``: the QR code, empty while
    the head cannot be reached; ``letters``: the same for typing; ``code``: six digits to compare with the head's page;
    ``becomes``: the table whose key has come over the cable.
    """

    table: int
    head: str = ""
    modules: Modules = ()
    letters: str = ""
    code: str = ""
    agreed: bool = False
    problem: str = ""
    cable: bool = False
    becomes: int = 0


def enrolment_scene(model: EnrolmentViewModel, size: tuple[int, int]) -> Scene:
    screen = Rect(0, 0, *size)
    pad = max(4, min(size) // 24)
    inside = screen.inset(pad)
    if size[0] >= size[1]:
        left, right = inside.left(min(inside.h, inside.w // 2)), inside.after(min(inside.h, inside.w // 2) + pad)
    else:
        left, right = inside.rows(0.5, 0.5, gap=pad)
    code: Items = (Icon(left.inset(left.h // 4), IconKind.NO_LINK, ColorRole.QUIET, name="no-link"),)
    items = (*(qr_code(model.modules, left) if model.modules else code), *_words(model, right, pad))
    return Scene(size, (Panel(screen, False, ColorRole.NIGHT, items, name="enrolment"),))


def _words(model: EnrolmentViewModel, box: Rect, pad: int) -> Items:
    title, ja, en, code, foot = box.rows(0.14, 0.2, 0.2, 0.26, 0.2, gap=pad // 2)
    who = say("Table {n}", n=model.table) if model.table else say("Spare")
    text = _instruction(model)
    items: list[Item] = [
        SceneText(title, _in_both_languages(who), bold=True, name="title"),
        SceneText(ja, render(text, JAPANESE), bold=True, lines=3, name="message"),
        SceneText(en, render(text, ENGLISH), lines=3, name="message"),
    ]
    if model.code and not model.becomes:
        shown = f"{model.code[:3]} {model.code[3:]}"
        items += [
            Box(code, ColorRole.DAY, name="code"),
            Digits(code.inset(pad // 2), shown, "888 888", ColorRole.ON_DAY, name="code"),
        ]
    if model.problem:
        below = Rect(code.x, code.y, code.w, foot.y + foot.h - code.y)  # there is no code after a problem
        items.append(SceneText(below, model.problem, ColorRole.ALERT, lines=6, name="problem"))
    elif model.letters:
        letters, hint = foot.rows(0.55, 0.45)
        typed, instead = f"{model.letters[:4]} {model.letters[4:8]}", _in_both_languages(say("To type instead"))
        items += [
            SceneText(letters, typed, align=Align.CENTRE, name="letters"),
            SceneText(hint, instead, ColorRole.QUIET, align=Align.CENTRE, name="hint"),
        ]
    return tuple(items)


def _instruction(model: EnrolmentViewModel) -> Renderable:
    if model.becomes:
        return say(
            "A key came over the cable: this becomes table {n}. If that is right, press both buttons together",
            n=model.becomes,
        )
    if model.agreed:
        return say("Now approve it on the head's page")
    if model.code:
        return say(
            "This table is not registered yet. Scan the QR code; if the page shows the same "
            "number, press both buttons together"
        )
    if model.modules:
        return say("This table is not registered yet. Arbiter: scan the QR code")
    if model.cable:
        return say("No key, and the head table {head} is not reached, or give the key by cable", head=model.head)
    return say("No key, and the head table {head} is not reached", head=model.head)


def _in_both_languages(text: Renderable) -> str:
    """Return the text in Japanese and English, because the readers' language is not known."""
    return "　".join(render(text, language) for language in (JAPANESE, ENGLISH))
