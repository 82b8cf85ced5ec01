"""Pieces that several views share: marks, trouble strip, name line, disc with its word."""

from __future__ import annotations

from engine.board.color import Color
from kiosk.table.scene import Align, Box, Digits, Disc, Icon, IconKind, Ink, Item, Rect, Text
from kiosk.table.state import Language, LinkState
from kiosk.table.views.facts import Facts, Side
from kiosk.table.words import players as words
from kiosk.table.words.players import Phrase


def icon_text(box: Rect, kind: IconKind, text: str, ink: Ink, *, name: str, bold: bool = False) -> tuple[Item, ...]:
    """An icon with its words to the right of it: never one without the other."""
    return (
        Icon(box.left(box.h), kind, ink, name=name),
        Text(box.after(round(box.h * 1.2)), text, ink, bold=bold, lines=2, name=name),
    )


def marks(facts: Facts, language: Language, box: Rect, ink: Ink) -> tuple[Item, ...]:
    """Saved and link marks, beside each other."""
    first, second = box.columns(1, 1, gap=max(1, box.w // 40))
    kind, phrase = (IconKind.CHECK, words.SAVED) if facts.saved else (IconKind.OPEN, words.SAVING)
    items = icon_text(first, kind, phrase.say(language), ink, name="saved")
    match facts.link:
        case LinkState.NONE:
            return items
        case LinkState.UP:
            kind, text = IconKind.LINK, words.LINK_UP.say(language)
        case LinkState.DOWN:
            kind = IconKind.NO_LINK
            text = words.UNSENT.say(language, n=facts.unsynced) if facts.unsynced else words.LINK_DOWN.say(language)
    return (*items, *icon_text(second, kind, text, ink, name="link"))


def head_line(facts: Facts, language: Language, box: Rect, title: str) -> tuple[Item, ...]:
    """What the page is about, and the marks; in a narrow half one below the other."""
    if box.w >= 12 * box.h:
        left, right = box.columns(0.68, 0.32, gap=box.h // 3)
    else:
        left, right = box.rows(0.55, 0.45)
    return Text(left, title, Ink.QUIET, name="title"), *marks(facts, language, right, Ink.QUIET)


def trouble_strip(facts: Facts, language: Language, box: Rect) -> tuple[Item, ...]:
    """A thin strip with what an arbiter should know."""
    text = "　".join(trouble.ja if language is Language.JAPANESE else trouble.en for trouble in facts.troubles)
    inside = box.inset(round(box.h * 0.3), round(box.h * 0.08))
    return (Box(box, Ink.ALERT, name="trouble"), *icon_text(inside, IconKind.WARNING, text, Ink.ON_DAY, name="trouble"))


def cut_trouble(facts: Facts, language: Language, box: Rect) -> tuple[Rect, tuple[Item, ...]]:
    """The box that remains, and the strip at its upper rim if there is any trouble."""
    if not facts.troubles:
        return box, ()
    strip, rest = box.rows(0.1, 0.9)
    return rest, trouble_strip(facts, language, strip)


def color_word(color: Color | None, language: Language) -> str:
    phrase: Phrase = words.COLORS[color] if color is not None else words.COLOR_OPEN
    return phrase.say(language)


def disc_word(color: Color | None, language: Language, box: Rect, ink: Ink) -> tuple[Item, ...]:
    """A disc and the name of its colour to the right of it."""
    return (
        Disc(box.left(box.h), color, name="disc"),
        Text(box.after(round(box.h * 1.15)), color_word(color, language), ink, bold=True, name="color"),
    )


def order_word(facts: Facts, side: Side, box: Rect, ink: Ink) -> tuple[Item, ...]:
    """Disc and colour; at ChouChou, where the pieces have colours of their own, who moves first."""
    if not facts.is_chouchou or side.color is None:
        return disc_word(side.color, side.language, box, ink)
    number, word = box.left(box.h), box.after(round(box.h * 1.15))
    inside = number.inset(box.h // 5, box.h // 6)
    return (
        Box(number, ink, max(2, box.h // 16), name="order"),
        Digits(inside, "1" if side.color is Color.BLACK else "2", "0", ink, name="order"),
        Text(word, words.ORDER[side.color].say(side.language), ink, bold=True, name="color"),
    )


def name_line(side: Side, box: Rect, ink: Ink) -> tuple[Item, ...]:
    """The player's name, and at the right the marker if he holds the draw right."""
    if not side.draw_right:
        return (Text(box, side.name, ink, bold=True, name="player"),)
    marker = round(box.h * (2.6 if side.language is Language.JAPANESE else 4.0))
    name, badge = box.left(box.w - marker - box.h // 4), box.after(box.w - marker)
    return (Text(name, side.name, ink, bold=True, name="player"), *draw_right_marker(side, badge, ink))


def draw_right_marker(side: Side, box: Rect, ink: Ink) -> tuple[Item, ...]:
    """The marker beside the holder of the draw right (FS-06)."""
    return badge(box, words.DRAW_RIGHT.say(side.language), ink, name="draw-right") if side.draw_right else ()


def badge(box: Rect, text: str, ink: Ink, *, name: str) -> tuple[Item, ...]:
    """A word in a filled box."""
    on = Ink.DAY if ink is Ink.ON_DAY else Ink.NIGHT
    inside = box.inset(box.h // 6, box.h // 10)
    return Box(box, ink, name=name), Text(inside, text, on, bold=True, align=Align.CENTRE, lines=2, name=name)
