"""View of the two halves while a clock is in use: whose time runs, how much is left, and why.

The half whose time runs is bright from edge to edge, with a thick bar at its reader's edge; the other is dark. This,
the time and the colour are readable from a distance; everything else is small.
"""

from __future__ import annotations

from engine.match.match_value_types import Phase
from kiosk.table.input.gesture_recognition import BUTTON, CHOICE, LONG, NAME
from kiosk.table.scene import Align, Box, ColorRole, Digits, Icon, IconKind, Items, Panel, Rect, SceneText, Touch, flat
from kiosk.table.state import LinkState
from kiosk.table.strings import player_strings as words
from kiosk.table.views.board_drawing import start_diagram
from kiosk.table.views.clock_time_text import clock_figures, control_line, is_last_minute, template
from kiosk.table.views.player_halves_layout import Facing, Half, is_wide
from kiosk.table.views.player_prompt import Prompt, prompt, series
from kiosk.table.views.player_view_model import SideViewModel, TableViewModel
from kiosk.table.views.shared_widgets import (
    badge,
    draw_right_marker,
    marks,
    name_line,
    order_word,
    score_board,
    split_off_alarms,
)


def clock_half(model: TableViewModel, half: Half) -> Panel:
    """Return one half with its clock."""
    side = model.sides[half.seat]
    box, strip = split_off_alarms(model, side.language, half.local)
    body, bar = box.rows(0.93, 0.07)
    own = prompt(model, side, half.layout.touch)
    arrange = _wide if is_wide(half.local) else _tall
    if half.layout.large and not (own.large or own.choices or model.is_chouchou or model.start):
        items = _largest(model, side, body)
    else:
        items = arrange(model, side, half, body, own)
    running = (Box(bar, ColorRole.ON_DAY, name="running"),) if side.running else ()
    button = (Touch(half.local, BUTTON),) if side.by_touch and half.layout.touch else ()
    return half.panel(ColorRole.DAY if side.running else ColorRole.NIGHT, (*strip, *button, *items, *running))


def _wide(model: TableViewModel, side: SideViewModel, half: Half, body: Rect, prompt: Prompt) -> Items:
    """Return a band: name above, time at the left, colour and marks at the right, message below."""
    pad = max(3, body.h // 28)
    top, middle, low = body.inset(pad * 2, pad).rows(*_band_shares(prompt), gap=pad)
    beside: Items = ()
    if model.start:
        upper, diagram = Rect(top.x, top.y, top.w, middle.y + middle.h - top.y).columns(0.68, 0.32, gap=pad)
        top, middle = upper.rows(0.24, 0.76, gap=pad)
        beside = start_diagram(diagram, model.start, side.language, side.ink)
    time, column = middle.columns(0.68, 0.32, gap=pad * 2)
    if model.is_chouchou:
        time, score = time.columns(0.66, 0.34, gap=pad * 2)
        beside = score_board(model, side, score, half.layout.touch)
    extra = side.flag or side.resumes or control_line(model, side) or is_last_minute(model, side)
    shares = (0.3, 0.57, 0.13) if extra else (0.5, 0.3, 0.2)  # what must be readable from a distance gets more space
    if prompt.choices:
        disc, count = column.rows(0.34, 0.66, gap=pad // 2)
        top, mark = top.columns(0.78, 0.22, gap=pad)
    else:
        disc, count, mark = column.rows(*shares, gap=pad // 2)
    return (
        *(_reason(top, prompt.why, side.ink) if prompt.why else name_line(side, top)),
        _time(model, side, time),
        *beside,
        *order_word(model, side, disc),
        *_state_of_play(model, side, count),
        *marks(model, side.language, mark, side.quiet),
        *_prompt(model, side, half, low, prompt),
    )


def _reason(box: Rect, text: str, ink: ColorRole) -> Items:
    return (SceneText(box, text, ink, bold=True, align=Align.CENTRE, lines=2, name="message"),)


def _largest(model: TableViewModel, side: SideViewModel, body: Rect) -> Items:
    """Return the half in play when nothing is asked: the name, the disc and the time, and the time control's line."""
    pad, low = max(3, body.h // 40), None
    inside = body.inset(pad, pad)
    table = model.public
    if not table.saved or table.link is LinkState.DOWN or table.battery is not None:  # faults are always shown
        inside, low = inside.rows(0.92, 0.08)
    if is_wide(body):
        top, time = inside.rows(0.2, 0.8, gap=pad)
        name, disc, extra = top.columns(0.45, 0.2, 0.35, gap=pad * 2)
    else:
        top, line, time = inside.rows(0.12, 0.14, 0.74, gap=pad)
        name, (disc, extra) = top, line.columns(0.5, 0.5, gap=pad)
    return (
        *name_line(side, name),
        *order_word(model, side, disc),
        *_state_of_play(model, side, extra),
        *(marks(model, side.language, low, side.quiet) if low is not None else ()),
        _time(model, side, time),
    )


def _band_shares(prompt: Prompt) -> tuple[float, float, float]:
    """Return the shares of name, time and message: the more text, the more space; the time stays by far the largest."""
    if prompt.why:
        return 0.13, 0.435, 0.435
    if prompt.choices:
        return 0.09, 0.44, 0.47
    if prompt.large:
        return ((0.19, 0.54, 0.27), (0.17, 0.48, 0.35), (0.13, 0.4, 0.47))[min(2, prompt.text.count("\n"))]
    return 0.19, 0.64, 0.17


def _tall(model: TableViewModel, side: SideViewModel, half: Half, body: Rect, prompt: Prompt) -> Items:
    """Return a block or a column: name, colour, time and message one below the other."""
    pad = max(3, body.h // 50)
    top, line, time, low, mark = body.inset(pad * 2, pad).rows(*_column_shares(model, prompt), gap=pad)
    if model.is_chouchou:
        wide = time.w >= 2.8 * time.h
        time, score = time.columns(0.62, 0.38, gap=pad * 2) if wide else time.rows(0.48, 0.52, gap=pad)
        beside = score_board(model, side, score, half.layout.touch)
    elif model.start:
        time, diagram = time.columns(0.4, 0.6, gap=pad * 2) if time.w >= 2 * time.h else time.rows(0.35, 0.65, gap=pad)
        beside = start_diagram(diagram, model.start, side.language, side.ink)
    else:
        beside = ()
    disc, small = line.columns(0.45, 0.55, gap=pad)
    marker, count = small.rows(1, 1, gap=pad // 2)
    return (
        *(
            _reason(top, prompt.why, side.ink)
            if prompt.why
            else (SceneText(top, side.name, side.ink, bold=True, name="player"),)
        ),
        *order_word(model, side, disc),
        *draw_right_marker(side, marker),
        *_state_of_play(model, side, count if side.draw_right else small),
        _time(model, side, time),
        *beside,
        *_prompt(model, side, half, low, prompt),
        *marks(model, side.language, mark, side.quiet),
    )


def _column_shares(model: TableViewModel, prompt: Prompt) -> tuple[float, float, float, float, float]:
    """Return the shares of name, colour, time, message and marks: the more text, the more space."""
    if prompt.why:
        return 0.13, 0.13, 0.17, 0.53, 0.04
    if len(prompt.choices) > 4:
        return 0.06, 0.13, 0.17, 0.6, 0.04
    if prompt.choices:
        return 0.07, 0.13, 0.25, 0.51, 0.04
    if model.is_chouchou:  # the score board stands below the time
        return (0.07, 0.13, 0.4, 0.35, 0.05) if prompt.large else (0.1, 0.17, 0.44, 0.22, 0.07)
    if prompt.large and prompt.text.count("\n") > 1:
        return 0.07, 0.13, 0.25, 0.51, 0.04
    if prompt.large:
        return 0.08, 0.15, 0.3, 0.42, 0.05
    return 0.12, 0.2, 0.38, 0.23, 0.07


def _time(model: TableViewModel, side: SideViewModel, box: Rect) -> Digits:
    reads = clock_figures(model, side)
    return Digits(box, reads, template(reads), side.ink if side.running else side.quiet, name="time")


def _state_of_play(model: TableViewModel, side: SideViewModel, box: Rect) -> Items:
    """Return the move number, and the time control's line, that the last minute has begun, or whose time goes on."""
    if side.flag or side.resumes:
        number, word = (
            box.columns(1, 1, gap=box.h // 4) if box.w >= 6 * box.h else box.rows(0.42, 0.58, gap=box.h // 16)
        )
        text = words.RESUMES if side.resumes else words.FELL_FIRST if side.flag == 1 else words.FELL
        name = "resumes" if side.resumes else "flag"
        return _move(model, side, number), *badge(word, side.say(text), side.ink, name=name)
    control = control_line(model, side)
    before = model.phase in (Phase.LATE, Phase.READY)
    if before and side.series and not control:
        return (SceneText(box.rows(0.85, 0.15)[0], side.say(series(side)), side.ink, bold=True, name="series"),)
    if not control and not is_last_minute(model, side):
        return () if before else (_move(model, side, box.rows(0.85, 0.15)[0]),)
    beside = box.w >= 6 * box.h
    first, second = box.columns(1, 1, gap=box.h // 4) if beside else box.rows(0.37, 0.63, gap=box.h // 16)
    move = () if before else (_move(model, side, first),)
    if not control:
        return (*move, *badge(second, side.say(words.LAST_MINUTE), side.ink, name="last-minute"))
    return (*move, SceneText(second, control, side.ink, bold=True, lines=2, name="control"))


def _move(model: TableViewModel, side: SideViewModel, box: Rect) -> SceneText:
    return SceneText(box, side.say(words.MOVE, n=model.move_number), side.quiet, name="move")


def _prompt(model: TableViewModel, side: SideViewModel, half: Half, box: Rect, prompt: Prompt) -> Items:
    """Return the message. Where the opponent's figures are upside down from here, their time is added upright."""
    large, wide = _large(box, prompt.text, prompt.icon, side.ink), is_wide(half.local)
    if prompt.asked or (prompt.naming and half.layout.touch):
        return *large, *((Touch(box, LONG if prompt.asked else NAME),) if half.layout.touch else ())
    if prompt.choices:
        return _choices(box, prompt, side.ink, ColorRole.DAY if side.running else ColorRole.NIGHT, half.layout.touch)
    if half.layout.facing is Facing.SAME or (prompt.large and wide):
        return large if prompt.large else _small(box, prompt.text, side.ink, side.running)
    opponent = side.say(words.OPPONENT, time=clock_figures(model, model.sides[side.seat.other]))
    if prompt.large:
        low, line = box.rows(0.74, 0.26, gap=box.h // 20)
        return *_large(low, prompt.text, prompt.icon, side.ink), _opponent(line, opponent, side.quiet, Align.CENTRE)
    if wide:
        left, right = box.columns(0.76, 0.24)
        return (
            SceneText(left, prompt.text, side.ink, bold=side.running, name="message"),
            _opponent(right, opponent, side.quiet, Align.RIGHT),
        )
    low, line = box.rows(1, 1, gap=box.h // 12)
    return *_small(low, prompt.text, side.ink, side.running), _opponent(line, opponent, side.quiet, Align.CENTRE)


def _opponent(box: Rect, text: str, quiet: ColorRole, align: Align) -> SceneText:
    return SceneText(box, text, quiet, align=align, name="opponent")


def _small(box: Rect, text: str, ink: ColorRole, bold: bool) -> Items:
    low = box.inset(0, box.h // 8)
    return (SceneText(low, text, ink, bold=bold, align=Align.CENTRE, lines=2, name="message"),)


def _choices(box: Rect, prompt: Prompt, ink: ColorRole, ground: ColorRole, touch: bool) -> Items:
    """Return a line that explains how to choose, and the choices; the marked one is filled and checked."""
    share = 0.3 if box.w >= 4 * box.h else 0.14 if prompt.why else 0.26
    ask, rest = box.rows(share, 1 - share, gap=box.h // 40)
    cells = enumerate(zip(_cells(rest, len(prompt.choices), touch), prompt.choices, strict=False))
    return SceneText(ask, prompt.text, ink, align=Align.CENTRE, lines=2, name="message"), *flat(
        (*_choice(cell, choice, number == prompt.marked, ink, ground), Touch(cell, f"{CHOICE}{number}"))
        for number, (cell, choice) in cells
    )


def _cells(box: Rect, count: int, touch: bool) -> tuple[Rect, ...]:
    """Return the cells, up to four in one row of a wide box; in a narrow one two in a row, unless it is very high."""
    gap = max(2, min(box.w, box.h) // 40)
    across = (count if touch or count <= 4 else 3) if box.w >= 6 * box.h else 2 if 2 * box.w >= box.h * 1.2 else 1
    rows = box.rows(*[1.0] * -(-count // across), gap=gap)
    return tuple(cell for row in rows for cell in row.columns(*[1.0] * across, gap=gap))


def _choice(box: Rect, text: str, marked: bool, ink: ColorRole, ground: ColorRole) -> Items:
    inside = box.inset(min(box.h // 10, box.w // 40), max(1, box.h // 24))
    most = max(box.h * 2 // 5, min(box.h, box.w // 8))
    if not marked:
        label = SceneText(inside, text, ink, bold=True, align=Align.CENTRE, lines=3, most=most, name="choice")
        return Box(box, ink, max(2, box.h // 20), "choice"), label
    check = min(inside.h * 3 // 4, inside.w // 10)
    return (
        Box(box, ink, name="marked"),
        Icon(inside.left(check), IconKind.CHECK, ground, name="marked"),
        SceneText(
            inside.after(check * 5 // 4), text, ground, bold=True, align=Align.CENTRE, lines=3, most=most, name="marked"
        ),
    )


def _large(box: Rect, text: str, icon: IconKind | None, ink: ColorRole) -> Items:
    """Return a message in a frame, with its icon."""
    edge = max(2, box.h // 18)
    inside = box.inset(edge * 3, edge * 3 // 2)
    shown: Items = (Box(box, ink, edge, name="message"),)
    if icon is not None:
        size = min(inside.h, inside.w // 6)
        shown = (*shown, Icon(inside.left(size), icon, ink, name="message"))
        inside = inside.after(size + edge * 3)
    return (*shown, SceneText(inside, text, ink, bold=True, align=Align.CENTRE, lines=6, name="message"))
