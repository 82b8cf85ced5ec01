"""The two halves while a clock is in use: whose time runs, how much there is, and why.

The law: the half whose time runs is bright from edge to edge, with a thick bar at its reader's edge; the other is dark.
That, the time and the colour are readable from afar; everything else is small.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.match.model import Phase
from kiosk.table import words
from kiosk.table.scene import Align, Box, Digits, Icon, IconKind, Ink, Item, Panel, Rect, Text
from kiosk.table.state import HOLD_CHOICES, TIME_WIN_CHOICES, Language
from kiosk.table.views.clock_face import TEMPLATE, face
from kiosk.table.views.facts import Facts, Side
from kiosk.table.views.layout import Half, is_wide
from kiosk.table.views.parts import cut_trouble, disc_word, draw_right_marker, marks, name_line
from kiosk.table.words import Phrase


@dataclass(frozen=True, slots=True)
class Told:
    """What is said below the time. ``large``: something must be done or understood now, so it gets more room.
    ``choices`` are the lines of a menu, ``marked`` the one that a long press takes."""

    text: str
    large: bool = False
    icon: IconKind | None = None
    choices: tuple[str, ...] = ()
    marked: int = 0


def told(facts: Facts, side: Side) -> Told:
    """What the player at ``side`` is told: why the time runs, what he is asked for, and what the match adds."""
    said = _of_phase(facts, side)
    if facts.notice is None or said.choices:
        return said
    notice = facts.notice.ja if side.language is Language.JAPANESE else facts.notice.en
    if facts.phase is Phase.HOLD:
        return replace(said, text=notice)
    return replace(said, text=f"{said.text}\n{notice}", large=True)


def _of_phase(facts: Facts, side: Side) -> Told:
    own, language = side.acts, side.language

    def say(phrase: Phrase, icon: IconKind | None = None) -> Told:
        return Told(phrase.say(language), True, icon)

    match facts.phase:
        case Phase.LATE if own:
            return say(words.LATE_START, IconKind.BUTTON)
        case Phase.LATE:
            return say(words.LATE_RUNS if side.running else words.LATE_WAITS)
        case Phase.READY:
            return say(words.START_PRESS, IconKind.BUTTON) if own else say(words.START_WAIT)
        case Phase.CORR:
            return say(words.CORRECT if own else words.CORRECT_WAIT)
        case Phase.HOLD if own:
            return _menu(words.HOLD_ASK, [words.HOLD_CHOICE[choice] for choice in HOLD_CHOICES], facts, language)
        case Phase.HOLD:
            return say(words.HOLD, IconKind.HAND)
        case Phase.CHECK:
            return say(words.CHECK if own else words.CHECK_WAIT)
        case Phase.FINISH:
            return say(words.FINISH_OWN, IconKind.BUTTON) if own else say(words.FINISH_WAIT)
        case Phase.CHOICE if own:
            return _menu(
                words.CHOICE_ASK, [words.TIME_WIN_CHOICE[choice] for choice in TIME_WIN_CHOICES], facts, language
            )
        case Phase.CHOICE:
            return say(words.CHOICE_WAIT)
        case Phase.FREE:
            return say(words.FREE_OWN if own else words.FREE_WAIT)
        case _:
            return Told((words.YOUR_TURN if side.running else words.NOT_TURN).say(language))


def _menu(ask: Phrase, choices: list[Phrase], facts: Facts, language: Language) -> Told:
    lines = tuple(choice.say(language) for choice in choices)
    return Told(ask.say(language), True, choices=lines, marked=facts.menu)


def clock_half(facts: Facts, half: Half) -> Panel:
    """One half with its clock."""
    side = facts.sides[half.seat]
    other = facts.sides[half.seat.other]
    ground, ink, quiet = (Ink.DAY, Ink.ON_DAY, Ink.ON_DAY) if side.running else (Ink.NIGHT, Ink.ON_NIGHT, Ink.QUIET)
    box, strip = cut_trouble(facts, side.language, half.local)
    body, bar = box.rows(0.93, 0.07)
    arrange = _wide if is_wide(half.local) else _tall
    items = arrange(facts, side, other, body, told(facts, side), ink, quiet)
    running = (Box(bar, Ink.ON_DAY, name="running"),) if side.running else ()
    return half.panel(ground, (*strip, *items, *running))


def _wide(facts: Facts, side: Side, other: Side, body: Rect, said: Told, ink: Ink, quiet: Ink) -> tuple[Item, ...]:
    """A band: name above, time at the left, colour and marks at the right, message below."""
    pad = max(3, body.h // 28)
    shares = (0.17, 0.45, 0.38) if said.choices else (0.19, 0.54, 0.27) if said.large else (0.19, 0.64, 0.17)
    top, middle, low = body.inset(pad * 2, pad).rows(*shares, gap=pad)
    time, column = middle.columns(0.68, 0.32, gap=pad * 2)
    disc, count, mark = column.rows(0.56, 0.24, 0.2, gap=pad // 2)
    return (
        *name_line(side, top, ink),
        _time(side, time, ink, quiet),
        *disc_word(side.color, side.language, disc, ink),
        *_move_number(facts, side, count, quiet),
        *marks(facts, side.language, mark, quiet),
        *_told(side, other, low, said, ink, quiet),
    )


def _tall(facts: Facts, side: Side, other: Side, body: Rect, said: Told, ink: Ink, quiet: Ink) -> tuple[Item, ...]:
    """A column: name, colour, time and message one below the other. The other half is upright beside it."""
    pad = max(3, body.h // 50)
    shares = (0.12, 0.15, 0.3, 0.36, 0.07) if said.choices else (0.13, 0.17, 0.38, 0.24, 0.08)
    top, line, time, low, mark = body.inset(pad * 2, pad).rows(*shares, gap=pad)
    disc, small = line.columns(0.62, 0.38, gap=pad)
    marker, count = small.rows(1, 1, gap=pad // 2)
    return (
        Text(top, side.name, ink, bold=True, name="player"),
        *disc_word(side.color, side.language, disc, ink),
        *draw_right_marker(side, marker, ink),
        *_move_number(facts, side, count, quiet),
        _time(side, time, ink, quiet),
        *_told(side, None, low, said, ink, quiet),
        *marks(facts, side.language, mark, quiet),
    )


def _time(side: Side, box: Rect, ink: Ink, quiet: Ink) -> Digits:
    return Digits(box, face(side.left_ns), TEMPLATE, ink if side.running else quiet, Align.CENTRE, name="time")


def _move_number(facts: Facts, side: Side, box: Rect, quiet: Ink) -> tuple[Item, ...]:
    if facts.phase in (Phase.LATE, Phase.READY):
        return ()
    return (Text(box, words.MOVE.say(side.language, n=facts.move_number), quiet, name="move"),)


def _told(side: Side, other: Side | None, box: Rect, said: Told, ink: Ink, quiet: Ink) -> tuple[Item, ...]:
    """The message; beside a small one the opponent's time, since his own figures stand upside down from here."""
    if said.choices:
        return _choices(box, said, ink, Ink.DAY if side.running else Ink.NIGHT)
    if said.large:
        return _large(box, said.text, said.icon, ink)
    if other is None:
        low = box.inset(0, box.h // 4)
        return (Text(low, said.text, ink, bold=side.running, align=Align.CENTRE, name="message"),)
    left, right = box.columns(0.6, 0.4)
    opponent = words.OPPONENT.say(side.language, time=face(other.left_ns))
    return (
        Text(left, said.text, ink, bold=side.running, name="message"),
        Text(right, opponent, quiet, align=Align.RIGHT, name="opponent"),
    )


def _choices(box: Rect, said: Told, ink: Ink, ground: Ink) -> tuple[Item, ...]:
    """A line that says how to choose, and the choices; the marked one is filled and checked."""
    beside = box.w >= 4 * box.h
    ask, rest = box.rows(0.4, 0.6, gap=box.h // 20) if beside else box.rows(1, len(said.choices), gap=box.h // 20)
    shares = [1.0] * len(said.choices)
    cells = rest.columns(*shares, gap=box.h // 8) if beside else rest.rows(*shares, gap=box.h // 30)
    items: tuple[Item, ...] = (Text(ask, said.text, ink, align=Align.CENTRE, lines=2, name="message"),)
    for number, (cell, choice) in enumerate(zip(cells, said.choices, strict=True)):
        items = (*items, *_choice(cell, choice, number == said.marked, ink, ground))
    return items


def _choice(box: Rect, text: str, marked: bool, ink: Ink, ground: Ink) -> tuple[Item, ...]:
    inside = box.inset(box.h // 5, box.h // 10)
    if not marked:
        label = Text(inside, text, ink, bold=True, align=Align.CENTRE, lines=2, name="choice")
        return Box(box, ink, max(2, box.h // 20), "choice"), label
    return (
        Box(box, ink, name="marked"),
        Icon(inside.left(inside.h * 3 // 4), IconKind.CHECK, ground, name="marked"),
        Text(inside.after(inside.h), text, ground, bold=True, align=Align.CENTRE, lines=2, name="marked"),
    )


def _large(box: Rect, text: str, icon: IconKind | None, ink: Ink) -> tuple[Item, ...]:
    """A message in a frame, with its icon."""
    edge = max(2, box.h // 18)
    inside = box.inset(edge * 3, edge * 2)
    shown: tuple[Item, ...] = (Box(box, ink, edge, name="message"),)
    if icon is not None:
        size = min(inside.h, inside.w // 6)
        shown = (*shown, Icon(inside.left(size), icon, ink, name="message"))
        inside = inside.after(size + edge * 3)
    return (*shown, Text(inside, text, ink, bold=True, align=Align.CENTRE, lines=3, name="message"))
