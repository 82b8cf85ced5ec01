"""Views of the arbiter's lists: available orders, reasons, the engine's notes."""

from __future__ import annotations

from engine.match import MatchState
from engine.match.model import Message
from kiosk.table.arbiter import arbiter_input_handler, arbiter_order_forms, order_reasons
from kiosk.table.arbiter.arbiter_input import LINE
from kiosk.table.scene import ColorRole, Item, Rect, SceneText
from kiosk.table.strings import arbiter_strings as words
from kiosk.table.views.arbiter_forms import figures_entry
from kiosk.table.views.arbiter_page_parts import Reader, game_summary, line, line_list, warning_box

#: messages for the arbiter that must not be missed
HIGHLIGHTED = frozenset(
    {"flag", "both-flags", "both-flags-unread", "moves-again", "no-right-holder", "board-adopted", "late-never-came"}
)
NOTES_ON_PAGE = 5


def home_page(reader: Reader, box: Rect) -> tuple[Item, ...]:
    """Return the available orders, with the game's state and the highlighted messages beside them."""
    match = reader.state.match
    tasks = arbiter_order_forms.available_tasks(match, reader.now_ns)
    texts = tuple(reader.task(task) for task in tasks)
    wide = box.w > box.h
    todo, seen = box.columns(0.62, 0.38, gap=box.w // 40) if wide else box.rows(0.6, 0.4, gap=box.h // 40)
    marked = min(reader.session.cell, len(texts) - 1)
    items = line_list(todo, texts, marked, 2, LINE)
    if match is None:
        return (
            *items,
            SceneText(seen.rows(1, 1)[0], reader.say(words.NO_GAME), ColorRole.QUIET, lines=2, name="phase"),
        )
    game, rest = seen.rows(0.5, 0.5, gap=box.h // 30)
    return (*items, *game_summary(reader, match, game), *_must_see(reader, match, rest))


def _must_see(reader: Reader, match: MatchState, box: Rect) -> tuple[Item, ...]:
    """Return the latest highlighted message, and an open challenge."""
    texts = [reader.say(note.text) for note in highlights(match)[:2]]
    if match.challenge is not None:
        texts.insert(0, reader.say(words.CHALLENGED, by=reader.side(match.challenge.by)))
    rows = box.rows(*([1.0] * max(1, len(texts))), gap=max(2, box.h // 30))
    items: tuple[Item, ...] = ()
    for row, text in zip(rows, texts, strict=False):
        items = (*items, *warning_box(row, text, 9 // len(texts)))
    return items


def highlights(match: MatchState) -> tuple[Message, ...]:
    """Return the highlighted messages, the latest first."""
    return tuple(note for note in reversed(match.shown_to_arbiter) if note.kind in HIGHLIGHTED)


def reason_page(reader: Reader, box: Rect) -> tuple[Item, ...]:
    if reader.session.coding:
        return figures_entry(reader, box, reader.say(words.CODE), order_reasons.CODE_DIGITS, hidden=False)
    head, rest = box.rows(0.12, 0.88, gap=box.h // 60)
    texts = (*(reader.say(phrase) for phrase in order_reasons.REASONS), reader.say(words.CODE_LINE))
    title = SceneText(head, reader.say(words.REASON), ColorRole.QUIET, name="ask")
    return (title, *line_list(rest, texts, reader.session.cell, 2, LINE))


def notes_page(reader: Reader, box: Rect) -> tuple[Item, ...]:
    """Return all of the engine's messages for the arbiter in this game."""
    match = reader.state.match
    notes = () if match is None else arbiter_input_handler.arbiter_notes(match)
    if not notes:
        return (SceneText(box.rows(1, 4)[0], reader.say(words.NO_NOTES), ColorRole.QUIET, name="note"),)
    first = min(reader.session.cell, len(notes) - 1)
    items: tuple[Item, ...] = ()
    for row, note in zip(box.rows(*([1.0] * NOTES_ON_PAGE), gap=box.h // 50), notes[first:], strict=False):
        text = reader.say(note.text)
        items = (*items, *(warning_box(row, text) if note.kind in HIGHLIGHTED else _note(row, text)))
    return items


def _note(box: Rect, text: str) -> tuple[Item, ...]:
    """Return a line that cannot be chosen."""
    return tuple(item for item in line(box, text, "", False) if item.name != "touch")
