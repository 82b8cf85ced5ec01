"""Widgets that several views share: marks, alarm strip, name line, disc with its colour's name, ChouChou's score
board.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.i18n import Renderable
from engine.match.screen_messages import COLORS
from kiosk.locale import JAPANESE, Lang, render
from kiosk.table.game.chouchou_capture_count_entry import CAPTURED_LESS, CAPTURED_MORE
from kiosk.table.scene import Align, Box, ColorRole, Digits, Icon, IconKind, Items, Rect, SceneDisc, SceneText, Touch
from kiosk.table.state import Battery, LinkState
from kiosk.table.strings import player_strings as words
from kiosk.table.views.player_view_model import SideViewModel, TableViewModel


def icon_text(
    box: Rect, kind: IconKind, text: str, ink: ColorRole, *, name: str, bold: bool = False, lines: int = 2
) -> Items:
    """Return an icon with its words to the right; neither is shown without the other."""
    size = min(box.h, box.w // 8)
    return (
        Icon(box.left(size), kind, ink, name=name),
        SceneText(box.after(round(size * 1.2)), text, ink, bold=bold, lines=lines, name=name),
    )


def marks(model: TableViewModel, language: Lang, box: Rect, ink: ColorRole) -> Items:
    """Return the marks for saved, link and battery, side by side."""
    if model.public.battery is not None:
        box, low = box.columns(0.6, 0.4, gap=max(1, box.w // 40))
        return *_marks(model, language, box, ink), *battery_mark(model.public.battery, language, low, ink)
    return _marks(model, language, box, ink)


def battery_mark(battery: Battery, language: Lang, box: Rect, ink: ColorRole) -> Items:
    """Return the battery's level and its remaining time if known: in whole hours, below two hours in minutes."""
    minutes = battery.minutes_left
    if battery.plugged:
        text = words.BATTERY_PLUGGED(percent=battery.percent)
    elif minutes is None:
        text = words.BATTERY(percent=battery.percent)
    elif minutes >= 120:
        text = words.BATTERY_HOURS(percent=battery.percent, n=minutes // 60)
    else:
        text = words.BATTERY_MINUTES(percent=battery.percent, n=minutes)
    return icon_text(box, IconKind.BATTERY, render(text, language), ink, name="battery")


def _marks(model: TableViewModel, language: Lang, box: Rect, ink: ColorRole) -> Items:
    first, second = box.columns(1, 1, gap=max(1, box.w // 40))
    kind, phrase = (IconKind.CHECK, words.SAVED) if model.public.saved else (IconKind.OPEN, words.SAVING)
    items = icon_text(first, kind, render(phrase, language), ink, name="saved")
    match model.public.link:
        case LinkState.NONE:
            return items
        case LinkState.UP:
            kind, text = IconKind.LINK, render(words.LINK_UP, language)
        case LinkState.DOWN:
            kind = IconKind.NO_LINK
            down = words.UNSENT(n=model.public.unsynced) if model.public.unsynced else words.LINK_DOWN
            text = render(down, language)
    return (*items, *icon_text(second, kind, text, ink, name="link"))


def head_line(model: TableViewModel, language: Lang, box: Rect, title: str) -> Items:
    """Return the page's title and the marks; in a narrow half one below the other."""
    if box.w >= 12 * box.h:
        left, right = box.columns(0.68, 0.32, gap=box.h // 3)
    else:
        left, right = box.rows(0.6, 0.4)
    return SceneText(left, title, ColorRole.QUIET, name="title"), *marks(model, language, right, ColorRole.QUIET)


def alarm_strip(model: TableViewModel, language: Lang, box: Rect) -> Items:
    """Return a thin strip with the alarms for an arbiter."""
    text = "　".join(render(trouble.text, language) for trouble in model.troubles)
    inside = box.inset(round(box.h * 0.15), round(box.h * 0.03))
    return (
        Box(box, ColorRole.ALERT, name="trouble"),
        *icon_text(inside, IconKind.WARNING, text, ColorRole.ON_DAY, name="trouble", lines=4),
    )


def split_off_alarms(model: TableViewModel, language: Lang, box: Rect) -> tuple[Rect, Items]:
    """Return the remaining box, and the strip at its upper edge if there is any alarm."""
    if not model.troubles:
        return box, ()
    strip, rest = box.rows(0.22, 0.78) if box.w > box.h else box.rows(0.18, 0.82)
    return rest, alarm_strip(model, language, strip)


def color_word(color: Color | None, language: Lang) -> str:
    phrase: Renderable = COLORS[color] if color is not None else words.COLOR_OPEN
    return render(phrase, language)


def order_word(model: TableViewModel, side: SideViewModel, box: Rect) -> Items:
    """Return disc and colour; in ChouChou, whose pieces have colours of their own, who moves first."""
    size = min(box.h, box.w // 3)
    sign, word = Rect(box.x, box.y + (box.h - size) // 2, size, size), box.after(round(size * 1.15))
    if not model.is_chouchou or side.color is None:
        text = color_word(side.color, side.language)
        return SceneDisc(sign, side.color, name="disc"), SceneText(word, text, side.ink, bold=True, name="color")
    place = word.inset(0, max(0, min(word.h // 4, word.h // 2 - 13)))
    return (
        Box(sign, side.ink, max(2, box.h // 16), name="order"),
        Digits(sign.inset(size // 5, size // 6), str(side.number), "0", side.ink, name="order"),
        SceneText(place, side.say(words.ORDER[side.number]), side.ink, bold=True, name="color"),
    )


def name_line(side: SideViewModel, box: Rect) -> Items:
    """Return the player's name, and at the right the marker if the player has the draw right."""
    if not side.draw_right:
        return (SceneText(box, side.name, side.ink, bold=True, name="player"),)
    marker = round(box.h * (2.6 if side.language == JAPANESE else 5.0))
    name, badge = box.left(box.w - marker - box.h // 4), box.after(box.w - marker)
    return (SceneText(name, side.name, side.ink, bold=True, name="player"), *draw_right_marker(side, badge))


def draw_right_marker(side: SideViewModel, box: Rect) -> Items:
    """Return the marker beside the holder of the draw right (FS-06)."""
    return badge(box, side.say(words.DRAW_RIGHT), side.ink, name="draw-right") if side.draw_right else ()


def badge(box: Rect, text: str, ink: ColorRole, *, name: str) -> Items:
    """Return a word in a filled box."""
    on = ColorRole.DAY if ink is ColorRole.ON_DAY else ColorRole.NIGHT
    inside = box.inset(min(box.h // 8, box.w // 12), box.h // 24)
    return Box(box, ink, name=name), SceneText(inside, text, on, bold=True, align=Align.CENTRE, lines=2, name=name)


def key(box: Rect, text: str, action: str, ink: ColorRole = ColorRole.ON_NIGHT) -> Items:
    """Return a touch key: a frame with a word in it. Whatever it does, the two buttons do too."""
    edge = max(2, box.h // 16)
    label = SceneText(box.inset(edge * 2, edge * 4 // 3), text, ink, bold=True, align=Align.CENTRE, lines=2, name="key")
    return Box(box, ink, edge, name="key"), label, Touch(box, action)


# ChouChou's score board: pieces captured by both, the target, and plus and minus at the end (CC-WIN-1, CC-SCO-1);
# it shows what the players entered, as the board is not read

#: player numbers in turn order
PLAYER_NUMBERS = "①②③④"


def score_board(model: TableViewModel, side: SideViewModel, box: Rect, touch: bool) -> Items:
    """Return the player's own pieces large, the opponent's small; with a touch display, keys to add and subtract."""
    if not touch:
        return _counts(model, side, box)
    if box.w >= 3 * box.h:
        board, keys = box.columns(1, 1, gap=box.h // 6)
    else:
        board, keys = box.rows(0.54, 0.46, gap=box.h // 30)
    less, more = keys.columns(1, 1, gap=box.w // 16)
    steps = (*key(less, "－1", CAPTURED_LESS, side.ink), *key(more, "＋1", CAPTURED_MORE, side.ink))
    return (*_counts(model, side, board), *steps)


def _counts(model: TableViewModel, side: SideViewModel, box: Rect) -> Items:
    above, below = box.rows(0.34, 0.66, gap=box.h // 30)
    title, target = above.columns(0.7, 0.3)
    own, theirs = below.columns(0.4, 0.6) if model.company else below.columns(0.6, 0.4, gap=box.w // 20)
    return (
        SceneText(title, side.say(words.CAPTURED), side.quiet, name="captured-title"),
        SceneText(
            target, side.say(words.OF_TARGET, n=model.options.target), side.quiet, align=Align.RIGHT, name="target"
        ),
        Digits(own, str(side.captures), "00", side.ink, name="captured"),
        *_others(model, side, theirs),
    )


def _others(model: TableViewModel, side: SideViewModel, box: Rect) -> Items:
    """Return the opponent's pieces; with more than two players everybody's by number, two in a line."""
    if not model.company:
        other = model.sides[side.seat.other]
        return (Digits(box.inset(0, box.h // 5), str(other.captures), "00", side.quiet, name="captured-opponent"),)
    places = (place for row in box.rows(1, 1) for place in row.columns(1, 1, gap=box.w // 16))
    return tuple(
        SceneText(place, f"{mark}{pieces}", side.quiet, align=Align.RIGHT, name="captured-each")
        for place, mark, pieces in zip(places, PLAYER_NUMBERS, model.company, strict=False)
    )


def plus_minus(pieces: int | None, target: int) -> str:
    """Return ``+2`` or ``−3`` as on the score sheet; empty before anything was entered."""
    if pieces is None:
        return ""
    return f"+{pieces - target}" if pieces >= target else f"−{target - pieces}"
