"""Views of the settings pages of a free clock: the list of presets, one preset, the names."""

from __future__ import annotations

from engine.board.variants import STANDARD
from engine.i18n import Renderable
from engine.match.time_controls import ControlKind
from kiosk.table.arbiter.arbiter_input import LINE
from kiosk.table.scene import ColorRole, Icon, IconKind, Item, Rect
from kiosk.table.state.arbiter_session import ArbiterPage
from kiosk.table.state.free_clock_presets import PRESETS, Preset
from kiosk.table.strings import arbiter_strings as words
from kiosk.table.views.arbiter_forms import form_page
from kiosk.table.views.arbiter_widgets import Reader, line_list
from kiosk.table.views.board_drawing import start_diagram


def club_page(reader: Reader, box: Rect) -> tuple[Item, ...]:
    if reader.session.page is ArbiterPage.CLUB_DISPLAY:
        return _display_page(reader, box)
    if reader.session.page is ArbiterPage.CLUB_PRESET:
        return _preset_page(reader, box)
    if reader.session.page is not ArbiterPage.CLUB:
        return form_page(reader, box)
    every = reader.state.club.every
    texts = tuple(_line(reader, number, preset) for number, preset in enumerate(every))
    texts = (*texts, reader.say(words.DISPLAY), reader.say(words.CLOSE))
    return line_list(box, texts, reader.session.cell, 3 if box.w > box.h else 2, LINE)


def _display_page(reader: Reader, box: Rect) -> tuple[Item, ...]:
    """Return the page of the display's orientation, with a side view of each: two players, display and table."""
    form, drawing = box.columns(0.72, 0.28, gap=box.w // 30) if box.w > box.h else box.rows(0.66, 0.34)
    stand = bool(reader.session.form[0].values[0])
    kind = IconKind.STAND if stand else IconKind.FLAT
    return *form_page(reader, form), Icon(drawing.rows(0.7, 0.3)[0], kind, ColorRole.ON_NIGHT, name="drawing")


def _preset_page(reader: Reader, box: Rect) -> tuple[Item, ...]:
    """Return the rules, times and board of a preset, with a diagram of a set-up that is not the usual one."""
    start = next(field.option for field in reader.session.form if field.name == "board")
    if start == STANDARD.name:
        return form_page(reader, box)
    share = 0.78 if reader.touch else 0.7  # the keys of a touch display need the place
    cut = box.columns if box.w > box.h else box.rows
    form, drawing = cut(share, 1 - share, gap=box.h // 40)
    return *form_page(reader, form), *start_diagram(drawing, start, reader.language, ColorRole.ON_NIGHT)


def _line(reader: Reader, number: int, preset: Preset) -> str:
    parts = [reader.say(words.OPTIONS[preset.rules]), _time(reader, preset)]
    if preset.options["control"] != ControlKind.SUDDEN_DEATH:
        parts.append(reader.say(_step(preset), s=preset.step_s, n=preset.periods))
    if preset.board != STANDARD.name:
        parts.append(reader.say(words.OPTIONS[preset.board]))
    if any(preset.names):
        parts.append(" – ".join(filter(None, preset.names)))
    own = number - len(PRESETS) + 1
    return " ".join(([reader.say(words.OWN_PRESET, n=own)] if own > 0 else []) + parts)


def _time(reader: Reader, preset: Preset) -> str:
    times = dict.fromkeys((_minutes(preset.black_s), _minutes(preset.white_s)))
    return reader.say(words.MINUTES, m="–".join(times))


def _minutes(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}:{rest:02}" if rest else str(minutes)


def _step(preset: Preset) -> Renderable:
    match preset.control:
        case ControlKind.FISCHER:
            return words.STEP_INCREMENT
        case ControlKind.SIMPLE_DELAY:
            return words.STEP_DELAY
        case _:
            return words.STEP_PERIODS
