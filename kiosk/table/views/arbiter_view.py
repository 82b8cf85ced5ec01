"""View of the arbiter's screen: one page over the whole display, for one reader.

- It is drawn only while an arbiter has it open, and before the right PIN it shows nothing of the game.
- Its foot always shows what the three buttons do now. Every key on the display does what a button does too.
"""

from __future__ import annotations

from engine.i18n import Renderable
from engine.match import MatchState
from engine.match.match_events_and_effects import Action
from kiosk.locale import render
from kiosk.table.arbiter import arbiter_input_handler, arbiter_screen_forms_to_orders
from kiosk.table.arbiter.two_button_form_input import BACK, LINE, NEXT, TAKE, TURN, is_figure
from kiosk.table.scene import Align, Box, ColorRole, Items, Panel, Rect, Scene, SceneText, Touch, flat
from kiosk.table.state import TableState
from kiosk.table.state.arbiter_screen_state import CLUB_FORMS, CLUB_PAGES, ArbiterPage, ArbiterSession
from kiosk.table.state.free_clock_presets_settings_games import GAME_CLOCK
from kiosk.table.strings import arbiter_strings as words
from kiosk.table.views.arbiter_form_and_preview_view import (
    figures_entry,
    form_page,
    may_enter_pin,
    pin_page,
    preview_page,
)
from kiosk.table.views.arbiter_page_parts import Reader, game_summary, line, line_list, warning_box
from kiosk.table.views.arbiter_turn_replay_and_findings import board_page, replay_page
from kiosk.table.views.player_halves_layout import Layout
from kiosk.table.views.presets_settings_and_last_games_view import club_page
from kiosk.table.views.shared_widgets import key

PANEL = "arbiter"


def arbiter_scene(state: TableState, now_ns: int, layout: Layout) -> Scene:
    """Return the scene of the open page."""
    session = state.arbiter
    assert session is not None
    reader = Reader(state, session, now_ns, layout.touch)
    local = Rect(0, 0, layout.width, layout.height)
    pad = max(4, min(local.w, local.h) // 60)
    shares = (0.12, 0.76, 0.12) if local.w > local.h else (0.14, 0.76, 0.1)
    head, body, foot = local.inset(pad).rows(*shares, gap=pad)
    full_page = session.page is ArbiterPage.CLUB_PHONE and local.w > local.h  # the code as large as possible
    if full_page:
        inside = local.inset(pad)
        _, head, foot = inside.after(inside.h + pad).rows(0.46, 0.16, 0.38, gap=pad)
        body, back = (inside, key(head, reader.say(_back_item(session)), BACK) if layout.touch else ())
        items = (*back, *_page(reader, body), *_foot(reader, foot))
    else:
        items = (*_head(reader, head), *_page(reader, body), *_foot(reader, foot))
    return Scene(layout.size, (Panel(local, session.turned, ColorRole.NIGHT, items, PANEL),))


def _page(reader: Reader, body: Rect) -> Items:
    pages = {
        ArbiterPage.PIN: pin_page, ArbiterPage.HOME: home_page, ArbiterPage.FORM: form_page,
        ArbiterPage.REASON: reason_page, ArbiterPage.PREVIEW: preview_page, ArbiterPage.NOTES: notes_page,
        ArbiterPage.REPLAY: replay_page, ArbiterPage.BOARD: board_page,
    }  # fmt: skip
    return pages.get(reader.session.page, club_page)(reader, body)


def _head(reader: Reader, box: Rect) -> Items:
    """Return the page's title, with a key that turns the picture and a key that goes back."""
    where, title, turn, back = _head_cells(box, reader.touch)
    heading = reader.say(GAME_CLOCK if reader.session.page in CLUB_PAGES else words.ARBITER, table=reader.state.table)
    title_text, how_to_turn = _title(reader), not reader.touch and reader.session.page not in CLUB_PAGES
    name = SceneText(title.inset(0, title.h // 8), title_text, bold=True, lines=2, name="title")
    if how_to_turn and not title_text:
        name = SceneText(
            title.inset(0, title.h // 8), reader.say(words.TURN_BOTH), ColorRole.QUIET, lines=2, name="turn"
        )
    items: Items = (SceneText(where.inset(0, where.h // 5), heading, ColorRole.QUIET, lines=2, name="where"), name)
    if turn is None or back is None:
        return items
    if reader.session.page is not ArbiterPage.CLUB_OFF:  # where a hold of both buttons does not turn the picture
        items = (*items, *key(turn, reader.say(words.TURN_PICTURE), TURN))
    return *items, *key(back, reader.say(_back_item(reader.session)), BACK)


def _head_cells(box: Rect, touch: bool) -> tuple[Rect, Rect, Rect | None, Rect | None]:
    """Return the boxes of the location, the title and the two keys; on a portrait display the keys are below."""
    if not touch:
        where, title = box.columns(0.4, 0.6, gap=box.h // 4)
        return where, title, None, None
    if box.w >= 8 * box.h:
        where, rest = box.columns(0.4, 0.6, gap=box.h // 4)
        return where, *rest.columns(0.5, 0.22, 0.28, gap=box.h // 4)  # type: ignore[return-value]
    upper, lower = box.rows(0.45, 0.55, gap=box.h // 12)
    return *upper.columns(0.45, 0.55, gap=box.h // 8), *lower.columns(1, 1, gap=box.h // 4)  # type: ignore[return-value]


def _title(reader: Reader) -> str:
    session = reader.session
    if session.outcome in words.OUTCOMES:
        return reader.say(words.OUTCOMES[session.outcome])
    if session.page in (ArbiterPage.PIN, ArbiterPage.HOME) or session.task is None:
        return ""
    return reader.task(session.task)


def _back_item(session: ArbiterSession) -> Renderable:
    closes = (ArbiterPage.PIN, ArbiterPage.HOME, ArbiterPage.CLUB_HOME)
    return words.CLOSE if session.page in closes else words.BACK


def _foot(reader: Reader, box: Rect) -> Items:
    """Return the labels of the three buttons, in their physical order."""
    left, right = _buttons(reader.session)
    if reader.session.page is ArbiterPage.PIN and not may_enter_pin(reader):
        left = right = words.LEFT_NOTHING
    back = render(words.BUTTON_BACK, reader.language, what=reader.say(_back_item(reader.session)))
    cells = box.columns(0.35, 0.29, 0.36, gap=box.h // 5)
    if reader.session.page in CLUB_PAGES:
        cells, back = (box.columns if box.w > 2 * box.h else box.rows)(1, 0, 1, gap=box.h // 12), ""
    texts = (reader.say(left), back, reader.say(right))
    labelled = zip(cells, texts, (NEXT, BACK, TAKE), strict=True)
    return flat(_button(cell, text, action) for cell, text, action in labelled if text)


def _button(cell: Rect, text: str, action: str) -> Items:
    inside, most = cell.inset(cell.h // 8, cell.h // 24), cell.h // 2
    label = SceneText(inside, text, ColorRole.QUIET, align=Align.CENTRE, lines=2, most=most, name="button")
    return Box(cell, ColorRole.PANEL, name="button"), label, Touch(cell, action)


#: what the left and the right button do on each page; on forms ``_form_buttons``, on the others next and choose
_BUTTONS = {
    ArbiterPage.PIN: (words.LEFT_TAKES, words.RIGHT_FIGURE),
    ArbiterPage.PREVIEW: (words.LEFT_NOTHING, words.RIGHT_CARRY_OUT),
    ArbiterPage.NOTES: (words.LEFT_OLDER, words.RIGHT_NEWER),
    ArbiterPage.REPLAY: (words.LEFT_EARLIER, words.RIGHT_LATER),
    ArbiterPage.BOARD: (words.LEFT_SQUARE, words.RIGHT_DISC),
    ArbiterPage.CLUB: (words.LEFT_ALONE, words.RIGHT_PLAYS),
    ArbiterPage.CLUB_HOME: (words.LEFT_ALONE, words.RIGHT_TAKE),
    ArbiterPage.CLUB_GAMES: (words.LEFT_ALONE, words.RIGHT_GAME),
    ArbiterPage.CLUB_GAME: (words.LEFT_EARLIER_ALONE, words.RIGHT_LATER_ALONE),
    ArbiterPage.CLUB_PHONE: (words.LEFT_ALONE, words.RIGHT_MOVES),
    ArbiterPage.CLUB_OFF: (words.LEFT_BACK, words.RIGHT_BACK),
}


def _buttons(session: ArbiterSession) -> tuple[Renderable, Renderable]:
    if session.page is ArbiterPage.FORM or session.page in CLUB_FORMS:
        return _form_buttons(session)
    page = ArbiterPage.PIN if session.page is ArbiterPage.REASON and session.coding else session.page
    return _BUTTONS.get(page, (words.LEFT_NEXT, words.RIGHT_TAKE))


def _form_buttons(session: ArbiterSession) -> tuple[Renderable, Renderable]:
    figure = is_figure(session)
    if session.page in CLUB_FORMS:
        return (words.LEFT_FURTHER, words.RIGHT_TURNS) if figure else (words.LEFT_ALONE, words.RIGHT_CHANGES)
    if session.task is Action.RESUME:
        return words.LEFT_NOTHING, words.RIGHT_STARTS
    only_choices = all(field.options for field in session.form)
    return words.LEFT_FURTHER if figure else words.LEFT_NEXT, words.RIGHT_CHANGES if only_choices else words.RIGHT_TURNS


# --- lists: available orders, reasons, the engine's notes ----------------------------------------------------------

#: messages for the arbiter that must not be missed
HIGHLIGHTED = frozenset(
    {"flag", "both-flags", "both-flags-unread", "moves-again", "no-right-holder", "board-adopted", "late-never-came"}
)
NOTES_ON_PAGE = 5


def home_page(reader: Reader, box: Rect) -> Items:
    """Return the available orders, with the game's state and the highlighted messages beside them."""
    match = reader.state.match
    tasks = arbiter_screen_forms_to_orders.available_tasks(match, reader.now_ns)
    texts = tuple(reader.task(task) for task in tasks)
    wide = box.w > box.h
    todo, seen = box.columns(0.62, 0.38, gap=box.w // 40) if wide else box.rows(0.6, 0.4, gap=box.h // 40)
    marked = min(reader.session.cell, len(texts) - 1)
    items = line_list(todo, texts, marked, 2, LINE)
    if match is None:
        text = reader.say(words.NO_GAME)
        return *items, SceneText(seen.rows(1, 1)[0], text, ColorRole.QUIET, lines=2, name="phase")
    game, rest = seen.rows(0.5, 0.5, gap=box.h // 30)
    return (*items, *game_summary(reader, match, game), *_highlights(reader, match, rest))


def _highlights(reader: Reader, match: MatchState, box: Rect) -> Items:
    """Return the latest highlighted message, and an open challenge."""
    important = [note for note in reversed(match.shown_to_arbiter) if note.kind in HIGHLIGHTED]
    texts = [reader.say(note.text) for note in important[:2]]
    if match.challenge is not None:
        texts.insert(0, reader.say(words.CHALLENGED, by=reader.side(match.challenge.by)))
    rows = box.rows(*([1.0] * max(1, len(texts))), gap=max(2, box.h // 30))
    return flat(warning_box(row, text, 9 // len(texts)) for row, text in zip(rows, texts, strict=False))


def reason_page(reader: Reader, box: Rect) -> Items:
    if reader.session.coding:
        return figures_entry(
            reader, box, reader.say(words.CODE), arbiter_screen_forms_to_orders.CODE_DIGITS, hidden=False
        )
    head, rest = box.rows(0.12, 0.88, gap=box.h // 60)
    texts = (*(reader.say(phrase) for phrase in arbiter_screen_forms_to_orders.REASONS), reader.say(words.CODE_LINE))
    title = SceneText(head, reader.say(words.REASON), ColorRole.QUIET, name="ask")
    return (title, *line_list(rest, texts, reader.session.cell, 2, LINE))


def notes_page(reader: Reader, box: Rect) -> Items:
    """Return all of the engine's messages for the arbiter in this game."""
    match = reader.state.match
    notes = () if match is None else arbiter_input_handler.arbiter_notes(match)
    if not notes:
        return (SceneText(box.rows(1, 4)[0], reader.say(words.NO_NOTES), ColorRole.QUIET, name="note"),)
    first = min(reader.session.cell, len(notes) - 1)
    rows = zip(box.rows(*([1.0] * NOTES_ON_PAGE), gap=box.h // 50), notes[first:], strict=False)
    return flat((warning_box if note.kind in HIGHLIGHTED else _note)(row, reader.say(note.text)) for row, note in rows)


def _note(box: Rect, text: str) -> Items:
    """Return a line that cannot be chosen."""
    return tuple(item for item in line(box, text, "", False) if item.name != "touch")
