"""After the game: the count to agree on, the card to confirm, and what became of it.

The law: what is shown here is what goes on the card (M43-18.1); a check mark stands for a player's confirmation
(M43-18.2) and never for anything else.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.match.model import Phase
from kiosk.table import words
from kiosk.table.scene import Align, Box, Digits, Disc, Icon, IconKind, Ink, Item, Panel, Rect, Text
from kiosk.table.state import Language, LinkState
from kiosk.table.views.facts import Facts, Side
from kiosk.table.views.layout import Half
from kiosk.table.views.parts import badge, color_word, cut_trouble, head_line
from kiosk.table.words import Phrase


def card_half(facts: Facts, half: Half) -> Panel:
    """The card for one player: both names, both counts, the winner, and what he is asked for."""
    side = facts.sides[half.seat]
    language = side.language
    box, strip = cut_trouble(facts, language, half.local)
    pad = max(4, box.h // 30)
    head, black, white, low = box.inset(pad * 2, pad).rows(0.13, 0.29, 0.29, 0.29, gap=pad // 2)
    return half.panel(
        Ink.NIGHT,
        (
            *strip,
            *head_line(facts, language, head, _title(facts).say(language)),
            *_row(facts, language, Color.BLACK, black),
            *_row(facts, language, Color.WHITE, white),
            *_foot(facts, side, low),
        ),
    )


def _title(facts: Facts) -> Phrase:
    if facts.phase is Phase.ENDED:
        return words.ENTER if facts.result is None else words.ENDED
    if facts.result is not None and facts.result.winner is None:
        return words.RESULT_DRAW
    return words.RESULT


def _row(facts: Facts, language: Language, color: Color, box: Rect) -> tuple[Item, ...]:
    """One player's line: disc, name, the winner's mark, discs; in a narrow half the name has a line of its own."""
    ground = box.inset(0, max(1, box.h // 30))
    if ground.w >= 6 * ground.h:
        disc, rest = ground.left(ground.h), ground.after(ground.h)
        name, won, count = rest.columns(0.62, 0.16, 0.22, gap=ground.h // 8)
    else:
        name, rest = ground.inset(ground.h // 10, 0).rows(0.45, 0.55)
        disc, won, count = rest.columns(0.3, 0.3, 0.4, gap=ground.h // 8)
    number = discs(facts)[0 if color is Color.BLACK else 1]
    label = facts.name_of(color) or color_word(color, language)
    winner = facts.result is not None and facts.result.winner is color
    sign = str(number) if number is not None else "○" if winner else "×"  # M40-15.1
    return (
        Box(ground, Ink.PANEL, name="row"),
        Disc(disc.inset(disc.h // 10), color),
        Text(name.inset(0, name.h // 6), label, Ink.ON_NIGHT, bold=True, name="player"),
        *(badge(won.inset(0, won.h // 6), words.WIN.say(language), Ink.ON_NIGHT, name="winner") if winner else ()),
        Digits(count.inset(0, count.h // 7), sign, "00", Ink.ON_NIGHT, Align.CENTRE, name="discs"),
    )


def discs(facts: Facts) -> tuple[int | None, int | None]:
    """The counts to show, (black, white): the card's, or those being entered; None where a card counts no discs."""
    if facts.result is not None:
        return facts.result.black_discs, facts.result.white_discs
    return facts.black_count, 64 - facts.black_count


def _foot(facts: Facts, side: Side, box: Rect) -> tuple[Item, ...]:
    """What this player does now, or what became of the card."""
    language = side.language
    match facts.phase:
        case Phase.ENDED if facts.result is None:
            # Black's button adds one, White's takes one away (kiosk.table.conduct).
            return _asked(box, words.ENTER_ASK.say(language, sign="＋" if side.color is Color.BLACK else "－"))
        case Phase.ENDED if not side.confirmed:
            return _asked(box, words.AGREE.say(language))
        case Phase.RESULT if not side.confirmed:
            return _asked(box, words.CONFIRM.say(language))
        case Phase.ENDED | Phase.RESULT:
            return _told(box, words.CONFIRM_WAIT.say(language), IconKind.CHECK)
        case Phase.SIGNED if facts.link is LinkState.NONE:
            return _told(box, words.KEPT_ALONE.say(language), IconKind.CHECK)
        case Phase.SIGNED if facts.link is LinkState.DOWN:
            return _told(box, words.KEPT.say(language), IconKind.NO_LINK)
        case Phase.SIGNED:
            return _told(box, words.SENDING.say(language), IconKind.OPEN)
        case _:
            return _told(box, words.SENT.say(language), IconKind.CHECK)


def _asked(box: Rect, text: str) -> tuple[Item, ...]:
    return (Box(box, Ink.DAY, name="call"), *_line(box, text, IconKind.BUTTON, Ink.ON_DAY, "call"))


def _told(box: Rect, text: str, icon: IconKind) -> tuple[Item, ...]:
    return _line(box, text, icon, Ink.ON_NIGHT, "told")


def _line(box: Rect, text: str, icon: IconKind, ink: Ink, name: str) -> tuple[Item, ...]:
    inside = box.inset(box.h // 8)
    size = min(inside.h, inside.w // 7)
    return (
        Icon(inside.left(size), icon, ink, name=name),
        Text(inside.after(round(size * 1.3)), text, ink, bold=True, lines=3, name=name),
    )
