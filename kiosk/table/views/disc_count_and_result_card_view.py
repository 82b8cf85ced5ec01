"""Views after the game: the count to agree on, the card to confirm, and the state of its submission.

What is shown here is what goes on the card (M43-18.1). A check mark means a player's confirmation (M43-18.2) and
nothing else.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.i18n import Renderable
from engine.match.match_value_types import Phase
from engine.match.rule_sets_and_options import Submitter
from engine.match.screen_messages import COLORS
from kiosk.locale import Lang, render
from kiosk.table.input.gesture_recognition import BUTTON, COUNT, DONE, NAME
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
    flat,
)
from kiosk.table.state import LinkState
from kiosk.table.strings import player_strings as words
from kiosk.table.views.player_halves_layout import Half, is_wide
from kiosk.table.views.player_prompt import series
from kiosk.table.views.player_view_model import SideViewModel, TableViewModel
from kiosk.table.views.shared_widgets import badge, color_word, head_line, icon_text, key, plus_minus, split_off_alarms


def card_half(model: TableViewModel, half: Half) -> Panel:
    """Return the card for one player: both names, both counts, the winner, who has confirmed, and what the player has
    to do.
    """
    side = model.sides[half.seat]
    language = side.language
    box, strip = split_off_alarms(model, language, half.local)
    pad = max(4, box.h // 30)
    explained = model.enters_count and not is_wide(half.local)
    shares = (0.22, 0.5, 0.28) if explained else (0.13, 0.56, 0.31)
    head, players, low = box.inset(pad * 2, pad).rows(*shares, gap=pad // 2)
    button = (Touch(half.local, BUTTON),) if side.by_touch and half.layout.touch else ()
    return half.panel(
        ColorRole.NIGHT,
        (
            *strip,
            *button,
            *_head(model, side, head),
            *(_sheet if model.company else _items_of_both)(model, language, players),
            *_foot(model, side, low, half.layout.touch),
        ),
    )


def _head(model: TableViewModel, side: SideViewModel, box: Rect) -> Items:
    """Return the page's title; a count that was not agreed on is shown to both."""
    language = side.language
    if model.result is None and model.notice is not None and model.notice.kind == "count-again":
        inside, text = box.inset(box.h // 3, box.h // 12), render(words.ENTER_AGAIN, language)
        again = icon_text(inside, IconKind.WARNING, text, ColorRole.ON_DAY, name="title", bold=True)
        return Box(box, ColorRole.ALERT, name="title"), *again
    title = render(_title(model), language)
    if model.enters_count:
        return (SceneText(box, title, ColorRole.QUIET, lines=5, name="ask"),)
    score = f" · {render(series(side), language)}" if side.series and model.result is not None else ""
    return head_line(model, language, box, f"{title}{score}")


def _title(model: TableViewModel) -> Renderable:
    if model.public.counting:
        return words.CAPTURES_ENTER
    if model.enters_count:
        return _enter_free(model) if model.phase is Phase.FREE else _enter(model.public.black_count, model.squares)
    if model.phase is Phase.ENDED:
        return words.ENDED
    if model.result is not None and model.result.winner is None:
        return words.RESULT_DRAW
    return words.RESULT


def _enter(black: int, squares: int) -> Renderable:
    """Return the request to enter the count: usually 64 in all. Empty squares go to the winner (OTH-14), in a draw to
    nobody (OTH-16).
    """
    if 2 * black == squares:
        return words.ENTER_LEVEL(squares=squares, half=squares // 2)
    return words.ENTER(squares=squares, winner=COLORS[Color.BLACK if 2 * black > squares else Color.WHITE])


def _enter_free(model: TableViewModel) -> Renderable:
    """M43-17.2: return the request after free play was stopped: the empty squares go to the loser."""
    winner = next((side.color for side in model.sides.values() if side.acts), None) or Color.BLACK
    return words.ENTER_FREE(squares=model.squares, winner=COLORS[winner], loser=COLORS[winner.opponent])


def _items_of_both(model: TableViewModel, language: Lang, box: Rect) -> Items:
    rows = zip(Color, box.rows(1, 1, gap=max(2, box.h // 36)), strict=True)
    return flat(_row(model, language, color, row) for color, row in rows)


def _row(model: TableViewModel, language: Lang, color: Color, box: Rect) -> Items:
    """Return one player's line: disc, name, the winner's mark, the score, and a check if confirmed or a button if the
    press is still due. In a narrow half the name has a line of its own.
    """
    ground = box.inset(0, max(1, box.h // 30))
    if ground.w >= 6 * ground.h:
        disc, rest = ground.left(ground.h), ground.after(ground.h)
        name, won, count, sign = rest.columns(0.54, 0.15, 0.2, 0.11, gap=ground.h // 8)
    else:
        name, rest = ground.inset(ground.h // 10, 0).rows(0.45, 0.55)
        disc, won, count, sign = rest.columns(0.22, 0.27, 0.33, 0.18, gap=ground.h // 8)
    order = render(words.ORDER[1 if color is Color.BLACK else 2], language)
    label = model.name_of(color) or (order if model.is_chouchou else color_word(color, language))
    winner = model.result is not None and model.result.winner is color
    return (
        Box(ground, ColorRole.PANEL, name="row"),
        *_order(model, color, disc.inset(disc.h // 10)),
        SceneText(name.inset(0, name.h // 6), label, bold=True, name="player"),
        *(_winner(won.inset(0, won.h // 6), language) if winner else ()),
        *_score_items(model, color, language, count.inset(0, count.h // 7), winner),
        *_confirmation_items(model, color, sign.inset(sign.w // 8, sign.h // 4)),
    )


def _winner(box: Rect, language: Lang) -> Items:
    return badge(box, render(words.WIN, language), ColorRole.ON_NIGHT, name="winner")


def _sheet(model: TableViewModel, language: Lang, box: Rect) -> Items:
    """Return the sheet of ChouChou with more than two players: a line for each, in turn order, as on the score sheet
    (CC-SCO-1). In pairs the winner's partner wins too (CC-WIN-4).
    """
    items: Items = ()
    rows = box.rows(*[1.0] * len(model.company), gap=max(1, box.h // 60))
    for number, (row, pieces) in enumerate(zip(rows, model.company, strict=True)):
        order, name, won, count, points = row.inset(row.h // 8, 0).columns(0.1, 0.36, 0.24, 0.15, 0.15, gap=row.h // 6)
        color = Color.WHITE if number % 2 else Color.BLACK
        winner = model.won is not None and (
            number == model.won or (model.options.pairs and (number - model.won) % 2 == 0)
        )
        left = render(words.FELL, language) if number in model.out else ""
        sheet = "" if model.public.counting else plus_minus(pieces, model.options.target)
        label = model.name_of(color) if model.options.pairs else left
        items = (
            *items,
            Box(row, ColorRole.PANEL, name="row"),
            Digits(order.inset(0, order.h // 10), str(number + 1), str(number + 1), ColorRole.QUIET, name="order"),
            SceneText(name.inset(0, name.h // 8), label, bold=True, name="player"),
            *(_winner(won, language) if winner else ()),
            Digits(count.inset(0, count.h // 10), str(pieces), "00", name="discs"),
            SceneText(
                points.inset(0, points.h // 10), sheet, ColorRole.QUIET, bold=True, align=Align.CENTRE, name="points"
            ),
        )  # fmt: skip
    return items


def _order(model: TableViewModel, color: Color, box: Rect) -> Items:
    if not model.is_chouchou:
        return (SceneDisc(box, color),)
    return (Digits(box, "1" if color is Color.BLACK else "2", "0", ColorRole.QUIET, name="order"),)


def _score_items(model: TableViewModel, color: Color, language: Lang, box: Rect, winner: bool) -> Items:
    """Return the score: discs; where the card has no disc count, only win or loss (M40-15.1); in ChouChou captured
    pieces, plus and minus.
    """
    number = discs(model)[0 if color is Color.BLACK else 1]
    if not model.is_chouchou and number is None:
        text = render(words.WIN if winner else words.LOSS, language)
        return (SceneText(box, text, bold=True, align=Align.CENTRE, name="discs"),)
    if not model.is_chouchou:
        return (Digits(box, str(number), "00", name="discs"),)
    pieces, points = box.columns(0.5, 0.5)
    sheet = "" if model.public.counting else plus_minus(number, model.options.target)
    return (
        Digits(pieces, "–" if number is None else str(number), "00", name="discs"),
        SceneText(points, sheet, ColorRole.QUIET, bold=True, align=Align.CENTRE, name="points"),
    )


def _confirmation_items(model: TableViewModel, color: Color, box: Rect) -> Items:
    if model.result is None:
        return ()
    signed = any(side.confirmed for side in model.sides.values() if side.color is color)
    done = signed or model.phase in (Phase.SIGNED, Phase.SUBMITTED)
    return (Icon(box, IconKind.CHECK if done else IconKind.BUTTON, name="confirmed"),)


def discs(model: TableViewModel) -> tuple[int | None, int | None]:
    """Return the counts to show, (black, white): the card's, or those being entered; None where a card has no disc
    count.
    """
    if model.public.counting or model.captures_missing:
        black, white = (sum(s.captures for s in model.sides.values() if s.color is color) for color in Color)
        return black, white
    if model.result is not None:
        return model.result.black_discs, model.result.white_discs
    return model.public.black_count, model.squares - model.public.black_count


def _foot(model: TableViewModel, side: SideViewModel, box: Rect, touch: bool) -> Items:
    """Return what this player has to do now, or the state of the card's submission."""
    if model.enters_count and touch and not model.public.counting:
        return _count_keys(box, side.language)
    if (asked := _asked(model, side)) is not None:
        claims = asked is words.AGREE_OR_CLAIM and touch and not side.by_touch
        return *_request(box, side.say(asked)), *((Touch(box, DONE),) if claims else ())
    if model.phase in (Phase.ENDED, Phase.RESULT):
        return _notice_line(box, side.say(words.CONFIRM_WAIT), IconKind.CHECK)
    return _after_game(model, side, box, touch)


def _asked(model: TableViewModel, side: SideViewModel) -> Renderable | None:
    """Return what this player has to do now; None if nothing."""
    if model.public.counting:
        return words.COUNT_CAPTURES
    if model.enters_count:
        # Black's button adds one, White's subtracts one (``kiosk.table.input.gesture_responses``).
        return words.ENTER_ASK(sign="＋" if side.color is Color.BLACK else "－")
    if side.confirmed or model.phase not in (Phase.ENDED, Phase.RESULT):
        return None
    if model.phase is Phase.ENDED:
        return words.AGREE_OR_CLAIM if model.may_claim_time else words.AGREE
    if model.captures_missing:
        return words.CAPTURES_MISSING
    return words.AGREE if model.hand_counted else words.CONFIRM


def _after_game(model: TableViewModel, side: SideViewModel, box: Rect, touch: bool) -> Items:
    """Return the state of the card's submission, and the menu of what a player can do now."""
    language = side.language
    marked = side.marked % len(model.after_choices)
    choice = render(words.AFTER_CHOICE[model.after_choices[marked]], language)
    text = render(words.AFTER_MENU, language, choice=choice, n=marked + 1, of=len(model.after_choices))
    if model.public.link is LinkState.NONE:  # that it is saved stands beside the title
        return *_request(box, text), *((Touch(box, NAME),) if touch else ())
    kept, menu = box.columns(0.45, 0.55, gap=box.h // 8) if box.w >= 4 * box.h else box.rows(0.5, 0.5, gap=box.h // 12)
    phrase, icon = words.SENT, IconKind.CHECK
    if model.phase is Phase.SIGNED:
        down = model.public.link is LinkState.DOWN
        phrase, icon = (words.KEPT, IconKind.NO_LINK) if down else (words.SENDING, IconKind.OPEN)
    return (
        *_notice_line(kept, _with_hands(model, language, phrase), icon),
        *_request(menu, text),
        *((Touch(menu, NAME),) if touch else ()),
    )


def _with_hands(model: TableViewModel, language: Lang, phrase: Renderable) -> str:
    """Return the phrase with who submits a paper card: a team's captain (TEAM-10.11), and where the head cannot be
    reached the player named by the rules (M43-18.3, AMB-14).
    """
    text, who = render(phrase, language), model.submitter
    if who is None or not (who is Submitter.CAPTAIN or model.public.link is LinkState.DOWN):
        return text
    return f"{text}\n{render(words.HANDS_IN[who], language)}"


def _count_keys(box: Rect, language: Lang) -> Items:
    """Return keys to enter the count by touch: Black's discs more or fewer, and done. The buttons do the same."""
    if box.w < 5 * box.h:
        cells, done = box.rows(1, 1, gap=box.h // 30)
    else:
        cells, done = box.columns(0.7, 0.3, gap=box.h // 8)
    places = zip(cells.columns(1, 1, 1, 1, gap=box.h // 10), (-10, -1, 1, 10), strict=True)
    keys = flat(
        key(place, render(words.MORE if by > 0 else words.LESS, language, n=abs(by)), f"{COUNT}{by:+}")
        for place, by in places
    )
    text, inside = render(words.HOLD_DONE, language), done.inset(done.h // 8)
    label = SceneText(inside, text, ColorRole.ON_DAY, bold=True, align=Align.CENTRE, lines=2, name="call")
    return *keys, Box(done, ColorRole.DAY, name="call"), label, Touch(done, DONE)


def _request(box: Rect, text: str) -> Items:
    button = icon_text(box.inset(box.h // 12), IconKind.BUTTON, text, ColorRole.ON_DAY, name="call", bold=True, lines=6)
    return Box(box, ColorRole.DAY, name="call"), *button


def _notice_line(box: Rect, text: str, icon: IconKind) -> Items:
    return icon_text(box.inset(box.h // 12), icon, text, ColorRole.ON_NIGHT, name="told", bold=True, lines=6)
