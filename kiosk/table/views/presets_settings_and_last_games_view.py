"""Views of the pages that need no PIN: what is set on the device, the presets of a free clock, the last games."""

from __future__ import annotations

from engine.board.color import Color
from engine.board.errors import BoardError
from engine.board.position import Position
from engine.board.transcript import plies
from engine.board.variants import STANDARD
from engine.match.time_controls import ControlKind
from kiosk.locale import own_name
from kiosk.table.arbiter.presets_settings_last_games_input import LINES, home_lines
from kiosk.table.arbiter.two_button_form_input import CELL, DONE, LINE
from kiosk.table.scene import Align, Box, ColorRole, Icon, IconKind, Items, Rect, SceneDisc, SceneText
from kiosk.table.state.arbiter_screen_state import ArbiterPage, HomeLine
from kiosk.table.state.free_clock_presets_settings_games import PRESETS, Preset
from kiosk.table.state.recent_games import KeptGame, clock_text
from kiosk.table.strings import arbiter_strings as words
from kiosk.table.views.arbiter_form_and_preview_view import form_page
from kiosk.table.views.arbiter_page_parts import Reader, line_list, warning_box
from kiosk.table.views.board_drawing import board, start_diagram
from kiosk.table.views.qr_code import phone_text, qr_code, qr_modules
from kiosk.table.views.shared_widgets import key


def club_page(reader: Reader, box: Rect) -> Items:
    match reader.session.page:
        case ArbiterPage.CLUB_HOME:
            texts = tuple(_home_line(reader, one) for one in home_lines(reader.state))
            return line_list(box, texts, reader.session.cell, 2 if box.w > box.h else 1, LINE)
        case ArbiterPage.CLUB:
            every = enumerate(reader.state.club.every)
            texts = tuple(_preset_line(reader, number, preset) for number, preset in every)
            return _visible_lines(reader, box, (*texts, reader.say(words.BACK)))
        case ArbiterPage.CLUB_PRESET:
            return _preset_page(reader, box)
        case ArbiterPage.CLUB_DISPLAY:
            return _display_page(reader, box)
        case ArbiterPage.CLUB_GAMES:
            return _visible_lines(reader, box, tuple(_game_line(reader, game) for game in reversed(reader.state.games)))
        case ArbiterPage.CLUB_GAME:
            return _game_page(reader, box)
        case ArbiterPage.CLUB_PHONE:
            return _phone_page(reader, box)
        case ArbiterPage.CLUB_OFF:
            return _off_page(reader, box)
        case _:
            return form_page(reader, box)


def _home_line(reader: Reader, name: HomeLine) -> str:
    match name:
        case HomeLine.LANGUAGE:
            return reader.say(words.LANGUAGE_NOW, language=own_name(reader.language))
        case HomeLine.GAMES:
            return reader.say(words.LAST_GAMES, n=len(reader.state.games))
        case _:
            return reader.say(words.HOME_LINES[name])


def _visible_lines(reader: Reader, box: Rect, texts: tuple[str, ...]) -> Items:
    """Return the part of a long list that has the marked line, and which part that is."""
    if not texts:
        return warning_box(box.rows(1, 1, 1)[1], reader.say(words.NO_GAMES))
    columns = 2 if box.w > box.h else 1
    marked, parts = min(reader.session.cell, len(texts) - 1), -(-len(texts) // LINES)
    part = marked // LINES
    cut, low = box.rows(0.87, 0.13, gap=max(3, box.h // 60)) if parts > 1 else (box, box)
    shown = texts[part * LINES : (part + 1) * LINES]
    items = line_list(cut, shown, marked, columns, LINE, rows=LINES // columns, first=part * LINES)
    if parts == 1:
        return items
    text = reader.say(words.PART, n=part + 1, of=parts)
    if reader.touch:
        return (*items, *key(low, text, f"{CELL}{(part + 1) % parts * LINES}"))
    return (*items, SceneText(low, text, ColorRole.QUIET, align=Align.CENTRE, name="part"))


def _display_page(reader: Reader, box: Rect) -> Items:
    """Return the page of the display's orientation, with a side view of each: two players, display and table."""
    form, drawing = box.columns(0.72, 0.28, gap=box.w // 30) if box.w > box.h else box.rows(0.66, 0.34)
    stand = bool(reader.session.form[0].values[0])
    kind = IconKind.STAND if stand else IconKind.FLAT
    return *form_page(reader, form), Icon(drawing.rows(0.7, 0.3)[0], kind, name="drawing")


def _off_page(reader: Reader, box: Rect) -> Items:
    asked, low = box.rows(0.6, 0.4, gap=box.h // 20)
    keys = key(low.rows(1, 1)[0], reader.say(words.OFF_HOLD), DONE) if reader.touch else ()
    return *warning_box(asked, reader.say(words.OFF_ASK)), *keys


def _preset_page(reader: Reader, box: Rect) -> Items:
    """Return the rules, times and board of a preset, with a diagram of a set-up that is not the usual one."""
    start = next(field.option for field in reader.session.form if field.name == "board")
    if start == STANDARD.name:
        return form_page(reader, box)
    share = 0.78 if reader.touch else 0.7  # the keys of a touch display need the place
    cut = box.columns if box.w > box.h else box.rows
    form, drawing = cut(share, 1 - share, gap=box.h // 40)
    return *form_page(reader, form), *start_diagram(drawing, start, reader.language, ColorRole.ON_NIGHT)


# --- presets ---------------------------------------------------------------------------------------------------------


def _preset_line(reader: Reader, number: int, preset: Preset) -> str:
    own = number - len(PRESETS) + 1
    parts = [reader.say(words.OWN_PRESET, n=own)] if own > 0 else []
    kind = ControlKind(str(preset.options["control"]))
    if preset.rules == "casual":  # named as on a chess clock
        parts.append(reader.say(words.METHODS[kind]))
    else:
        parts.append(reader.say(words.OPTIONS[preset.rules]))
    if kind not in (ControlKind.PER_MOVE, ControlKind.UP_COUNT):
        parts.append(_time(reader, preset))
    if kind in words.STEPS:
        parts.append(reader.say(words.STEPS[kind], s=_seconds(reader, preset.step_s), n=preset.periods))
    if preset.board != STANDARD.name:
        parts.append(reader.say(words.OPTIONS[preset.board]))
    if any(preset.names):
        parts.append(" – ".join(filter(None, preset.names)))
    return " ".join(parts)


def _time(reader: Reader, preset: Preset) -> str:
    times = dict.fromkeys((_minutes(preset.black_s), _minutes(preset.white_s)))
    return reader.say(words.MINUTES, m="–".join(times))


def _seconds(reader: Reader, seconds: int) -> str:
    """Return a period in words: whole minutes from two on, else seconds."""
    if seconds >= 120 and seconds % 60 == 0:
        return reader.say(words.MINUTES, m=seconds // 60)
    return reader.say(words.SECONDS, s=seconds)


def _minutes(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}:{rest:02}" if rest else str(minutes)


# --- the last games --------------------------------------------------------------------------------------------------


def _game_line(reader: Reader, game: KeptGame) -> str:
    names = " – ".join(_name(reader, game, color) for color in Color)
    return f"{game.when[5:]} {names} {_score(reader, game)}"


def _name(reader: Reader, game: KeptGame, color: Color) -> str:
    return (game.black if color is Color.BLACK else game.white) or reader.side(color)


def _score(reader: Reader, game: KeptGame) -> str:
    if game.black_discs is not None and game.white_discs is not None:
        return f"{game.black_discs}–{game.white_discs}"
    return reader.say(words.DRAW) if game.winner is None else reader.say(words.WINS, side=reader.side(game.winner))


def _game_page(reader: Reader, box: Rect) -> Items:
    """Return the board after a number of moves, the session's ``cell``, and who played with what result."""
    game = reader.state.games[-1 - min(reader.session.preset, len(reader.state.games) - 1)]
    cells, played = _board_after(game, reader.session.cell)
    if not game.moves or cells is None:
        return _card(reader, game, box.rows(0.2, 0.8)[1])
    left, right = box.columns(0.6, 0.4, gap=box.w // 40) if box.w > box.h else box.rows(0.62, 0.38, gap=box.h // 40)
    title, rest = right.rows(0.2, 0.8, gap=box.h // 40)
    caption = reader.say(words.MOVE_OF, n=reader.session.cell, last=len(game.moves), move=played or "–")
    return (
        *board(left, cells, filled=[played] if played else ()),
        SceneText(title, caption, bold=True, lines=2, name="turn"),
        *_card(reader, game, rest),
    )


def _card(reader: Reader, game: KeptGame, box: Rect) -> Items:
    """Return when it was played, and for each player name, result and remaining time."""
    when, *rows = box.rows(0.2, 0.3, 0.3, 0.2, gap=box.h // 30)
    items: Items = (SceneText(when, game.when, ColorRole.QUIET, name="when"),)
    discs = (game.black_discs, game.white_discs)
    for row, color, number, left_s in zip(rows, Color, discs, game.left_s, strict=False):
        disc, rest = row.left(row.h // 2), row.after(row.h // 2 + row.h // 8)
        name, low = rest.rows(1, 1)
        score = "" if number is None else str(number)
        if number is None and game.winner is color:
            score = reader.say(words.WINS, side=reader.side(color))
        items = (
            *items,
            Box(row, ColorRole.PANEL, name="row"),
            SceneDisc(Rect(disc.x, row.y + row.h // 4, disc.w, disc.w), color),
            SceneText(name.inset(0, name.h // 10), _name(reader, game, color), bold=True, name="player"),
            SceneText(low.inset(0, low.h // 10), f"{score}  {clock_text(left_s)}".strip(), name="score"),
        )
    return items


def _board_after(game: KeptGame, count: int) -> tuple[str | None, str]:
    """Return the board after so many moves and the last of them; None: the moves cannot be followed to it."""
    start = Position.start(game.board)
    if count == 0:
        return start.cells(), ""
    placed = 0
    try:
        for move, position in plies(game.moves, start):
            placed += move is not None
            if placed == count and move is not None:
                return position.cells(), move
    except BoardError:
        pass
    return None, ""


def _phone_page(reader: Reader, box: Rect) -> Items:
    """Return the code that a phone reads, as large as possible: the game's address at the head, or its record."""
    if not reader.state.games:
        return warning_box(box.rows(1, 1, 1)[1], reader.say(words.NO_GAMES))
    game = reader.state.games[-1 - min(reader.session.preset, len(reader.state.games) - 1)]
    text, is_page = phone_text(game, reader.session.figure == 1)
    if box.w > box.h:
        code, rest = box.left(box.h), box.after(box.h + box.w // 40).rows(0.45, 0.55)[0]
    else:
        code, rest = box.rows(0.7, 0.3)
    caption, score = rest.rows(0.6, 0.4)
    return (
        *qr_code(qr_modules(text, "l"), code),
        SceneText(caption, reader.say(words.PHONE_PAGE if is_page else words.PHONE_RECORD), lines=4, name="phone"),
        SceneText(score, f"{game.when} {_score(reader, game)}", ColorRole.QUIET, lines=2, name="when"),
    )
