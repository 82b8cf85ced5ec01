"""Views before the clock: no game yet, and the steps that settle colours, draw right and seats.

The screen guides the hidden-disc procedure (FS-01 ... FS-06) and shows whose button is next; it never draws lots or
decides for the players.
"""

from __future__ import annotations

import re

from engine.board.color import Color
from engine.i18n import Renderable
from engine.match.game_start_and_late_player import disc_hider
from engine.match.rule_sets_and_options import ColorDecision
from kiosk.link.link_messages import PlayerInfo, edge_source_name
from kiosk.locale import JAPANESE, Lang, language_of, own_name, render
from kiosk.table.input.gesture_recognition import DONE
from kiosk.table.scene import (
    Align,
    Box,
    ColorRole,
    Digits,
    Icon,
    IconKind,
    Items,
    Panel,
    Rect,
    SceneDisc,
    SceneText,
    Touch,
)
from kiosk.table.state import LinkState, SetupStep
from kiosk.table.state.display_languages import next_language
from kiosk.table.state.free_clock_presets_settings_games import GAME_CLOCK
from kiosk.table.strings import player_strings as words
from kiosk.table.views.player_halves_layout import Half, is_wide
from kiosk.table.views.player_view_model import TableViewModel
from kiosk.table.views.shared_widgets import battery_mark, head_line, icon_text, split_off_alarms

GRADE = re.compile(r"(\d+)\s*(d|k|段|級)", re.IGNORECASE)


def waiting_half(model: TableViewModel, half: Half) -> Panel:
    """Return a half without a game: the table number as large as possible, and the state of the link to the head."""
    language = model.sides[half.seat].language
    box, strip = split_off_alarms(model, language, half.local)
    pad = max(4, box.h // 16)
    inside = box.inset(pad)
    left, right = inside.columns(1, 1, gap=pad) if is_wide(half.local) else inside.rows(0.52, 0.48, gap=pad)
    title, number = left.rows(0.18, 0.82, gap=pad)
    line, link, edges, hint = right.rows(0.38, 0.24, 0.18, 0.2, gap=pad // 3)
    number_text = str(model.public.table)
    items = (
        SceneText(title, render(words.TABLE, language), ColorRole.QUIET, align=Align.CENTRE, name="title"),
        Digits(number, number_text, number_text, name="table"),
        SceneText(line, render(words.WAITING, language), lines=3, name="message"),
        *_head_line(model, language, link),
        *(
            _edges(model, language, edges)
            if model.public.battery is None
            else battery_mark(model.public.battery, language, edges, ColorRole.QUIET)
        ),
        other_language(language, hint),
    )
    return half.panel(ColorRole.NIGHT, (*strip, *items))


def _edges(model: TableViewModel, language: Lang, box: Rect) -> Items:
    """Return the source and accuracy of the press times."""
    if model.public.edge_accuracy_ns is None:
        return ()
    ms = f"{model.public.edge_accuracy_ns / 1_000_000:g}"
    source = edge_source_name(model.public.edge_source)
    return (SceneText(box, render(words.EDGES, language, source=source, ms=ms), ColorRole.QUIET, name="edges"),)


def other_language(language: Lang, box: Rect) -> SceneText:
    """Return the text that shows how to switch this half's language: a long press
    (``kiosk.table.input.gesture_responses``)."""
    return SceneText(
        box,
        render(words.OTHER_LANGUAGE, language, language=own_name(next_language(language))),
        ColorRole.QUIET,
        lines=2,
        name="language",
    )


def _head_line(model: TableViewModel, language: Lang, box: Rect) -> Items:
    if model.public.link is LinkState.NONE:
        return (SceneText(box, render(GAME_CLOCK, language), ColorRole.QUIET, lines=2, name="link"),)
    up = model.public.link is LinkState.UP
    text, icon = (words.HEAD_UP, IconKind.LINK) if up else (words.HEAD_DOWN, IconKind.NO_LINK)
    return icon_text(box, icon, render(text, language, head=model.public.head), ColorRole.QUIET, name="link")


def setup_half(model: TableViewModel, half: Half) -> Panel:
    """Return who plays whom, what to do, and whose button is next."""
    language = model.sides[half.seat].language
    box, strip = split_off_alarms(model, language, half.local)
    pad = max(4, box.h // 30)
    guided = model.public.step is SetupStep.ASK_PLAYER_A
    wide = is_wide(half.local)
    if guided:
        shares = (0.13, 0.0, 0.46, 0.28, 0.13) if wide else (0.12, 0.09, 0.48, 0.2, 0.11)
    else:
        shares = (0.13, 0.2, 0.01, 0.5, 0.16) if wide else (0.13, 0.18, 0.01, 0.5, 0.18)
    head, names, guide, call, hint = box.inset(pad * 2, pad).rows(*shares, gap=pad // 3)
    game = model.public.assignment
    assert game is not None
    label = game.label_ja if language_of(language) == JAPANESE else game.label_en
    title = render(words.GAME, language, label=label, table=model.public.table)
    items = (
        *strip,
        *(_game_and_names(model, title, head) if guided and wide else head_line(model, language, head, title)),
        *(() if guided and wide else _names(model, language, names)),
        *(_guide(model, language, guide) if guided else ()),
        *_call(render(_request(model), language), call),
        *_foot(model, language, hint, half.layout.touch),
    )
    return half.panel(ColorRole.NIGHT, items)


def _game_and_names(model: TableViewModel, title: str, box: Rect) -> Items:
    """Return the game and who plays it in one line, as the procedure needs the height."""
    left, right = box.columns(0.5, 0.5, gap=box.h // 2)
    names = " – ".join(player.name for player in model.players)
    return (
        SceneText(left, title, ColorRole.QUIET, name="title"),
        SceneText(right, names, bold=True, align=Align.RIGHT, name="player"),
    )


def _foot(model: TableViewModel, language: Lang, box: Rect, touch: bool) -> Items:
    """Return the other language; how to undo the last answer, or on a free clock how to choose another game."""
    if model.public.link is not LinkState.NONE and not model.can_take_back:
        return (other_language(language, box),)
    left, right = box.columns(0.26, 0.74, gap=box.h // 2) if is_wide(box) and box.w > 12 * box.h else box.rows(1, 2)
    text = render(words.TAKE_BACK if model.can_take_back else words.SETTINGS, language)
    settings = SceneText(right, text, ColorRole.QUIET, align=Align.RIGHT, lines=2, name="settings")
    return other_language(language, left), settings, *((Touch(right, DONE),) if touch else ())


def _request(model: TableViewModel) -> Renderable:
    """Return the request for the button that is next."""
    name = model.players[0].name if model.players else ""
    if model.public.step is SetupStep.ASK_DRAW_RIGHT:
        return words.ASK_DRAW_RIGHT
    if model.public.step is SetupStep.ASK_PLAYER_A:
        return (words.SEATS_STAND if model.came_late else words.SEAT_PLAYER_A)(name=name)
    if model.public.step is SetupStep.ASK_BLACK and model.public.designated and name:
        return (words.SEATS_STAND_BLACK if model.came_late else words.SEAT_BLACK)(name=name)
    return words.ASK_FIRST if model.is_chouchou else words.ASK_BLACK


def _call(text: str, box: Rect) -> Items:
    edge = max(2, min(box.w, box.h) // 24)
    inside = box.inset(edge * 2, edge)
    if is_wide(box):
        icon = inside.left(min(inside.h, box.w // 8))
        line = inside.after(icon.w + edge * 2)
    else:
        icon, line = inside.rows(0.25, 0.75, gap=edge)
    return (
        Box(box, ColorRole.DAY, name="call"),
        Icon(icon, IconKind.BUTTON, ColorRole.ON_DAY, name="call"),
        SceneText(line, text, ColorRole.ON_DAY, bold=True, lines=5, name="call"),
    )


def _names(model: TableViewModel, language: Lang, box: Rect) -> Items:
    """Return the two players; with their discs if the colours are designated."""
    if not model.players:
        return ()
    left, right = box.columns(1, 1, gap=box.h // 2) if box.w >= 12 * box.h else box.rows(1, 1)
    first, second = model.players
    if model.is_chouchou:  # pieces have colours of their own
        return tuple(
            SceneText(half, player.name, bold=True, name="player") for half, player in ((left, first), (right, second))
        )
    colors = (Color.BLACK, Color.WHITE) if model.public.designated else (None, None)
    return (*_player_items(first, colors[0], left), *_player_items(second, colors[1], right))


def _player_items(player: PlayerInfo, color: Color | None, box: Rect) -> Items:
    return (
        SceneDisc(box.left(box.h).inset(box.h // 12), color),
        SceneText(box.after(round(box.h * 1.15)), player.name, bold=True, name="player"),
    )


def _guide(model: TableViewModel, language: Lang, box: Rect) -> Items:
    """Return the procedure in numbered steps, all in one size."""
    steps = _decision_steps(model)
    text = "\n".join(f"{number}  {render(step, language)}" for number, step in enumerate(steps, start=1))
    return (SceneText(box, text, lines=2 * len(steps), name="guide"),)


def _decision_steps(model: TableViewModel) -> tuple[Renderable, ...]:
    """Return how colours are decided where they are not given (RULES.md 2): rock, paper, scissors; or the hidden disc
    with or without the draw right: FS-01 who hides; FS-03 or FS-04 what the other says; FS-05 who chooses what; M43-4
    Black chooses the seat, if nobody was late (M43-12.1).
    """
    if model.decision is ColorDecision.ROCK_PAPER_SCISSORS:
        return words.PLAY_ROCK, words.WINNER_SEAT, words.LOSER_FIRST
    hides = who_hides(model.players)
    hide: Renderable = words.HIDE_OLDER
    guesser: Renderable = words.OTHER
    if hides is not None:
        hide = words.HIDE_KNOWN(hider=model.players[hides].name)
        guesser = words.PLAYER(name=model.players[1 - hides].name)
    seat = () if model.came_late else (words.BLACK_SEAT,)
    if model.no_draw:
        return hide, words.GUESS_NO_DRAW(guesser=guesser), words.CHOOSE, *seat
    return hide, words.GUESS_DRAWS(guesser=guesser), words.TAKE_NAMED, *seat


def who_hides(players: tuple[PlayerInfo, ...]) -> int | None:
    """Return the index of the player who hides the disc (FS-01). None: the older one, and the birth years are not
    known.
    """
    if len(players) != 2:
        return None
    return disc_hider([grade_rank(player.grade) for player in players])


def grade_rank(grade: str | None) -> int | None:
    """Return a number that grows with the grade, dan above kyu, for styles like ``6d`` and ``六段``. None: not
    understood.
    """
    found = GRADE.fullmatch((grade or "").strip())
    if found is None:
        return None
    number, kind = int(found[1]), found[2].lower()
    return number if kind in ("d", "段") else -number
