"""Views of the arbiter's input pages: the PIN, a form, a code; and the preview of the outcome."""

from __future__ import annotations

import re

from engine.board.color import Color
from engine.i18n import Renderable, Text
from engine.match import GameResult, MatchState
from engine.match.match_events_and_effects import Action
from engine.match.rule_sets_and_options import FlagOutcome, ScoreRule
from kiosk.link.link_messages import localize_reason
from kiosk.locale import own_name, players_languages
from kiosk.table.arbiter import arbiter_screen_forms_to_orders
from kiosk.table.arbiter.two_button_form_input import CARRY_OUT, CELL, DELETE, DONE, KEY, PICK, cells
from kiosk.table.scene import Align, Box, ColorRole, Digits, Items, Rect, SceneText, Touch, flat
from kiosk.table.state.arbiter_screen_state import SECOND_NS, ArbiterPage, Field
from kiosk.table.strings import arbiter_strings as words
from kiosk.table.views.arbiter_page_parts import Reader, arbiter_face, game_summary, line, warning_box
from kiosk.table.views.arbiter_turn_replay_and_findings import challenged_turn
from kiosk.table.views.shared_widgets import key


def pin_page(reader: Reader, box: Rect) -> Items:
    """Return the PIN page. Before the right PIN nothing of the game is visible."""
    pin, session = reader.state.pin, reader.session
    if not pin.is_set:
        return warning_box(box.rows(1, 2, 1)[1], reader.say(words.PIN_UNSET))
    wait_ns = pin.locked_until_ns - reader.now_ns
    if wait_ns > 0:
        return warning_box(box.rows(1, 1, 1)[1], reader.say(words.PIN_LOCKED, s=-(-wait_ns // SECOND_NS)))
    if session.checking:
        return (SceneText(box.rows(1, 1, 1)[1], reader.say(words.PIN_CHECKING), align=Align.CENTRE),)
    ask = reader.say(words.PIN) if pin.wrong == 0 else reader.say(words.PIN_WRONG, n=pin.wrong)
    return figures_entry(reader, box, ask, pin.digits, hidden=True)


def may_enter_pin(reader: Reader) -> bool:
    """Check whether the PIN page takes digits: there is a PIN, and no wait after wrong ones."""
    return reader.state.pin.is_set and reader.state.pin.locked_until_ns <= reader.now_ns


def figures_entry(reader: Reader, box: Rect, ask: str, digits: int, *, hidden: bool) -> Items:
    """Return an entry of digits one after the other.

    ``hidden``: two players sit beside the display, so no digit is shown in clear. Entered ones are dots; the current
    one is a ring that fills and empties with each press, which the arbiter counts.
    """
    entered, turning = reader.session.entered, reader.session.figure
    field, pad = _keypad_split(box) if reader.touch else (box, None)
    title, row, _ = field.rows(0.25, 0.4, 0.35, gap=box.h // 30)
    side = min(row.h, row.w // (digits + 1))
    middle = Rect(row.x + (row.w - side * digits) // 2, row.y, side * digits, row.h)
    current = ("◎" if turning % 2 else "○") if hidden else str(turning)
    texts = [*("●" if hidden else str(figure) for figure in entered), current, *[""] * digits]
    cells = enumerate(zip(middle.columns(*([1.0] * digits), gap=side // 8), texts, strict=False))
    figures = flat(_figure(cell, text, place == len(entered)) for place, (cell, text) in cells)
    keys = () if pad is None else _keypad(pad, reader.say(words.DELETE), DELETE)
    return SceneText(title, ask, bold=True, align=Align.CENTRE, lines=2, name="ask"), *figures, *keys


def _keypad_split(box: Rect) -> tuple[Rect, ...]:
    """Return the places of the entry and of the keys."""
    return box.columns(0.62, 0.38, gap=box.w // 40) if box.w > box.h else box.rows(0.55, 0.45, gap=box.h // 40)


def _keypad(box: Rect, last: str, action: str) -> Items:
    """Return keys for 1 to 9, 0, and one more."""
    gap = max(3, box.h // 40)
    *rows, lowest = box.rows(1, 1, 1, 1, gap=gap)
    zero, more = lowest.columns(1, 2, gap=gap)
    places = [*(cell for row in rows for cell in row.columns(1, 1, 1, gap=gap)), zero]
    figures = flat(key(cell, str(figure % 10), f"{KEY}{figure % 10}") for figure, cell in enumerate(places, start=1))
    return *figures, *key(more, last, action)


def _figure(box: Rect, text: str, marked: bool) -> Items:
    ground, ink = (ColorRole.DAY, ColorRole.ON_DAY) if marked else (ColorRole.PANEL, ColorRole.ON_NIGHT)
    figure = Digits(box.inset(box.w // 8, box.h // 6), text, "0", ink, name="figure")
    dot = SceneText(box.inset(box.w // 8, box.h // 5), text, ink, align=Align.CENTRE, name="figure")
    return Box(box, ground, name="cell"), figure if text.isdigit() else dot


# --- forms ----------------------------------------------------------------------------------------------------------


def form_page(reader: Reader, box: Rect) -> Items:
    """Return a form with each field in a row; beside it keys for the figures, or what the arbiter needs to see for the
    decision.
    """
    session, match = reader.session, reader.state.match
    has_figures = any(not (field.options or field.letters) for field in session.form)
    ruling = session.task is Action.CHALLENGE and match is not None
    items: Items = ()
    if match is not None and session.task is Action.CHALLENGE:
        box, side = box.columns(0.36, 0.64, gap=box.w // 40) if box.w > box.h else box.rows(0.3, 0.7)
        items = challenged_turn(reader, match, side)
    elif session.task is Action.RESUME and match is not None:
        box, side = box.columns(0.55, 0.45, gap=box.w // 40) if box.w > box.h else box.rows(0.6, 0.4)
        items = game_summary(reader, match, side.rows(0.7, 0.3)[0])
    elif has_figures and reader.touch:
        box, side = _keypad_split(box)
        items = _keypad(side, reader.say(words.DONE), DONE)
    elif session.task is Action.LATE_READING and match is not None:
        box, low = box.rows(0.8, 0.2, gap=box.h // 40)
        done = key(low, reader.say(words.DONE), DONE) if reader.touch else ()
        return (*_readings(reader, match, session.form[0], box), *done)
    rows = box.rows(*([1.0] * max(4, len(session.form) + reader.touch)), gap=box.h // 40)
    first = 0
    for field, row in zip(session.form, rows, strict=False):
        items = (*items, *_field(reader, field, row, first))
        first += len(field.values)
    if reader.touch and not (has_figures and not ruling):
        label = words.START if session.task is Action.RESUME else words.DONE
        items = (*items, *key(rows[-1], reader.say(label), DONE))
    return items


def _field(reader: Reader, field: Field, box: Rect, first: int) -> Items:
    label, rest = box.columns(0.36, 0.64, gap=box.h // 6)
    name = SceneText(
        label.inset(0, box.h // 40),
        reader.say(words.FIELDS[_label(reader, field)]),
        lines=2,
        most=box.h * 11 // 20,
        name="field",
    )
    marked = cells(reader.session.form)[reader.session.cell]
    here = reader.session.form[marked[0]] is field
    if field.options:
        return (name, *_options(reader, field, rest, first, here))
    return (name, *_figures(field, rest, first, marked[1] if here else None))


def _label(reader: Reader, field: Field) -> str:
    """Return the name of a field; where a preset's two times are the same, the first sets both."""
    times = {one.name: one.values for one in reader.session.form if one.name in ("black", "white")}
    if reader.session.page is ArbiterPage.CLUB_PRESET and field.name in times and times["black"] == times["white"]:
        return "both" if field.name == "black" else "other"
    return field.name


def _options(reader: Reader, field: Field, box: Rect, first: int, here: bool) -> Items:
    """Return a field's options side by side, the chosen one filled; where they would be illegible, only the chosen one
    with its number of how many. A marked field has a frame.
    """
    inside = box.inset(max(3, box.h // 12))
    items: Items = (Box(box, ColorRole.DAY, max(2, box.h // 20), name="here"),) if here else ()
    widest = max(_widest_part(option_word(reader, option)) for option in field.options)
    if field.is_filled and widest * box.h > _LEGIBLE * inside.w / len(field.options):
        return (*items, *_one_option(reader, field, inside, first))
    for number, cell in enumerate(inside.columns(*([1.0] * len(field.options)), gap=max(2, box.h // 16))):
        taken = number == field.values[0]
        ground, ink = (ColorRole.DAY, ColorRole.ON_DAY) if taken else (ColorRole.PANEL, ColorRole.QUIET)
        text = SceneText(
            cell.inset(cell.h // 40, cell.h // 40),
            option_word(reader, field.options[number]),
            ink,
            bold=taken,
            align=Align.CENTRE,
            lines=2,
            most=cell.h * 3 // 5,
            name="taken" if taken else "option",
        )
        items = (*items, Box(cell, ground, name="option"), text, Touch(cell, f"{PICK}{first}-{number}"))
    return items


#: the smallest letters of an option are a third of its row's height
_LEGIBLE = 3
#: where a line may break: at a space or a bracket, after hiragana
_PARTS = re.compile(r"(?<=[\u3041-\u3093])|[ \uff08\uff09]")


def _widest_part(text: str) -> float:
    """Return the width of the longest unbreakable part of a line, in units of its letter height; Latin letters count
    half.
    """
    return max(sum(1.0 if ord(letter) > 0x2E7F else 0.5 for letter in part) for part in _PARTS.split(text))


def _one_option(reader: Reader, field: Field, box: Rect, first: int) -> Items:
    taken, count = box.columns(0.76, 0.24, gap=box.h // 8)
    word = option_word(reader, field.option)
    of = f"{field.values[0] + 1}/{len(field.options)}"
    return (
        Box(taken, ColorRole.DAY, name="option"),
        SceneText(
            taken.inset(taken.h // 8, 0),
            word,
            ColorRole.ON_DAY,
            bold=True,
            align=Align.CENTRE,
            lines=2,
            most=taken.h * 3 // 5,
            name="taken",
        ),
        SceneText(count.inset(0, count.h // 5), of, ColorRole.QUIET, align=Align.CENTRE, name="count"),
        Touch(box, f"{CELL}{first}"),
    )


def _readings(reader: Reader, match: MatchState, field: Field, box: Rect) -> Items:
    """AMB-05: return both readings with their outcome, one below the other; none is marked before one is chosen."""
    ask, *rows = box.rows(0.2, 0.4, 0.4, gap=box.h // 30)
    readings = enumerate(zip(rows, _consequences(match), strict=True))
    return SceneText(ask, reader.say(words.FIELDS[field.name]), lines=2, name="field"), *flat(
        line(row, reader.say(phrase), f"{PICK}0-{number}", number == field.values[0])
        for number, (row, phrase) in readings
    )


def _consequences(match: MatchState) -> tuple[Renderable, Renderable]:
    if match.rules.score is not ScoreRule.DISCS:
        return words.AS_LOSS, words.AS_TIME_LOSS
    half, choice = match.squares // 2, match.options.flag_outcome is FlagOutcome.CHOICE
    as_choice = words.AS_TIME_CHOICE(won=half + 1, lost=half - 1)
    return words.AS_FORFEIT(squares=match.squares), as_choice if choice else words.AS_TIME_LOSS


def option_word(reader: Reader, option: str) -> str:
    game = reader.state.assignment
    if option in arbiter_screen_forms_to_orders.PLAYERS and game is not None:
        return game.players[arbiter_screen_forms_to_orders.PLAYERS.index(option)].name
    if option in players_languages():
        return own_name(option)
    phrase = words.OPTIONS.get(option)
    return reader.say(words.SECONDS, s=option) if phrase is None else reader.say(phrase)


def _figures(field: Field, box: Rect, first: int, marked: int | None) -> Items:
    """Return figures in cells, with a colon before the seconds."""
    time = len(field.limits) > 2 and not field.letters
    count = len(field.values)
    size = min(box.h, box.w // (count + 1))
    items: Items = ()
    x = box.x
    for place, value in enumerate(field.values):
        if time and place == count - 2:
            colon = Rect(x, box.y, size // 2, box.h)
            items = (*items, SceneText(colon, ":", bold=True, align=Align.CENTRE, name="colon"))
            x += size // 2
        cell = Rect(x, box.y, size - max(2, size // 12), box.h)
        face = field.letters[value] if field.letters else str(value)
        items = (*items, *_figure(cell, face, place == marked), Touch(cell, f"{CELL}{first + place}"))
        x += size
    return items


# --- the preview ----------------------------------------------------------------------------------------------------


def preview_page(reader: Reader, box: Rect) -> Items:
    """Return the present state and the state after the order, as the engine computes it."""
    match, ruling = reader.state.match, reader.session.ruling
    if match is None or ruling is None:
        return ()
    after = arbiter_screen_forms_to_orders.game_after_order(match, ruling)
    table, low = box.rows(0.74, 0.26, gap=box.h // 30)
    if isinstance(after, Text):
        return warning_box(table, reader.say(words.REFUSED, why=after))
    before, then = _order_effects(reader, match), _order_effects(reader, after)
    rows = table.rows(*([1.0] * (len(before) + 2)), gap=max(2, table.h // 50))
    head = _row(rows[0], ("", reader.say(words.NOW), reader.say(words.THEN)), ColorRole.QUIET, changed=False)
    facts = flat(
        _row(row, (label, old, new), ColorRole.ON_NIGHT, changed=old != new)
        for row, (label, old), (_, new) in zip(rows[1:], before, then, strict=False)
    )
    why = reader.session.reason
    text = f"{reader.say(words.REASON)}: {reader.say(localize_reason(why))}" if why else ""
    reason = SceneText(rows[-1], text, ColorRole.QUIET, name="reason")
    return *head, *facts, reason, *_carry_out(reader, low)


def _order_effects(reader: Reader, match: MatchState) -> tuple[tuple[str, str], ...]:
    """Return what an order can change, as (label, value)."""
    times = tuple((reader.say(words.TIME_OF, side=reader.side(color)), _time(reader, match, color)) for color in Color)
    rated = words.IS_UNRATED if match.unrated or (match.result and not match.result.rated) else words.IS_RATED
    return (
        *times,
        (reader.say(words.GAME), reader.phase(match)),
        (reader.say(words.FIELDS["move"]), str(match.move_number)),
        (reader.say(words.RESULT), _result(reader, match.result)),
        (reader.say(words.RATED), reader.say(rated)),
    )


def _time(reader: Reader, match: MatchState, color: Color) -> str:
    time, seat = arbiter_face(match.remaining_ns(color, reader.now_ns)), match.seat_of(color)
    fallen = seat is not None and match.clock.flag_at_ns(seat, reader.now_ns) is not None
    return reader.say(words.FLAG_FALLEN, time=time) if fallen else time


def _result(reader: Reader, result: GameResult | None) -> str:
    if result is None:
        return "–"
    won = reader.say(words.DRAW) if result.winner is None else reader.say(words.WINS, side=reader.side(result.winner))
    if result.black_discs is None or result.white_discs is None:
        return won
    discs = (result.black_discs, result.white_discs)
    first, second = discs[::-1] if result.winner is Color.WHITE else discs  # the winner's first
    return f"{won}　{first}–{second}"


def _row(box: Rect, texts: tuple[str, str, str], ink: ColorRole, *, changed: bool) -> Items:
    label, old, new = box.columns(0.28, 0.36, 0.36, gap=box.h // 3)
    then_ink = ColorRole.ON_DAY if changed else ink
    return (
        SceneText(label, texts[0], ColorRole.QUIET, lines=2, name="fact"),
        SceneText(old, texts[1], ink, lines=2, name="now"),
        *((Box(new, ColorRole.DAY, name="changed"),) if changed else ()),
        SceneText(new.inset(box.h // 4, 0), texts[2], then_ink, bold=changed, lines=2, name="then"),
    )


def _carry_out(reader: Reader, box: Rect) -> Items:
    inside = box.inset(box.h // 5, box.h // 6)
    return (
        Box(box, ColorRole.DAY, name="carry-out"),
        SceneText(
            inside, reader.say(words.CARRY_OUT), ColorRole.ON_DAY, bold=True, align=Align.CENTRE, name="carry-out"
        ),
        Touch(box, CARRY_OUT),
    )
