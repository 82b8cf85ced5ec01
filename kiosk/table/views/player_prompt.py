"""Prompts below a player's time: why it runs, what the player has to do, what the match adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.board.color import Color
from engine.board.illegal_move_diagnosis_and_challenge import ViolationKind
from engine.i18n import Renderable, Text
from engine.match.match_value_types import Phase
from kiosk.locale import render
from kiosk.table.input import challenge_violation_menu
from kiosk.table.scene import IconKind
from kiosk.table.state import TIME_WIN_CHOICES, Hint, HoldChoice, PendingAgreement
from kiosk.table.strings import player_strings as words
from kiosk.table.views.clock_time_text import clock_figures
from kiosk.table.views.player_view_model import SideViewModel, TableViewModel


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt. ``large``: needs attention now, so it gets more space. ``choices`` are the lines of a menu, ``marked``
    the one that a long press chooses, ``why`` the reason of the menu, if there is one. ``asked``: a long press says
    yes; ``naming``: a long press names the error.
    """

    text: str
    large: bool = False
    icon: IconKind | None = None
    choices: tuple[str, ...] = ()
    marked: int = 0
    why: str = ""
    asked: bool = False
    naming: bool = False


def prompt(model: TableViewModel, side: SideViewModel, touch: bool = False) -> Prompt:
    """Return the prompt of the player at ``side``. ``touch``: it is a touch display."""
    result = _of_phase(model, side)
    if side.hint is not None and not result.choices:
        return replace(result, text=_refusal_text(model, side, side.hint), large=True, icon=IconKind.WARNING)
    if result.choices:
        return result if side.hint is None else replace(result, text=_refusal_text(model, side, side.hint), why="")
    if model.notice is not None:
        notice = _notice(model, side)
        whole = notice if model.phase is Phase.HOLD else f"{result.text}\n{notice}"
        result = replace(result, text=whole, large=True)
    if side.by_touch:
        nobody = words.BUTTON_ILL_ALONE if model.public.alone else words.BUTTON_ILL
        ill = words.BUTTON_HELD if side.pressed else words.TOUCH_HERE if touch else nobody
        here = side.say(ill)
        return Prompt(f"{here}\n{result.text}" if result.large else here, True, IconKind.WARNING)
    return result


def _of_phase(model: TableViewModel, side: SideViewModel) -> Prompt:
    own, language = side.acts, side.language

    def asked(phrase: Renderable, icon: IconKind | None = None) -> Prompt:
        return Prompt(render(phrase, language), True, icon)

    match model.phase:
        case Phase.LATE if own:
            return asked(words.LATE_START, IconKind.BUTTON)
        case Phase.LATE:
            return asked(words.LATE_RUNS if side.running else words.LATE_WAITS)
        case Phase.READY:
            return _ready(model, side, asked(words.START_PRESS, IconKind.BUTTON))
        case Phase.CORR if side.naming is not None:
            return replace(asked(words.NAMING(line=_marked_line(model, *side.naming))), naming=True)
        case Phase.CORR if own and model.public.one_operates:
            return asked(words.CORRECT_ONE)
        case Phase.CORR if own:
            return asked(words.CORRECT_ALONE if model.public.alone else words.CORRECT_OR_CALL)
        case Phase.CORR:
            return asked(words.CORRECT_WAIT)
        case Phase.HOLD if model.offer is not None:
            return _offer_prompt(model.offer, side)
        case Phase.HOLD:
            recovered = model.notice is not None and model.notice.kind == "recovery"
            alone = words.HOLD_ASK_RECOVERED if recovered else words.HOLD_ASK_ALONE
            ask = alone if model.public.alone else words.HOLD_ASK
            menu = _menu(ask, [words.HOLD_CHOICE[choice] for choice in model.hold_choices], side)
            if model.notice is None or model.public.alone:
                return menu
            return replace(menu, text=render(words.MENU_KEYS, language), why=_notice(model, side))
        case Phase.ENDED:
            return _menu(words.CLAIM_ASK, [words.HOLD_CHOICE[choice] for choice in model.hold_choices], side)
        case Phase.CHECK:
            return asked(words.CHECK if own else words.CHECK_WAIT)
        case Phase.FINISH:
            return asked(words.FINISH_OWN, IconKind.BUTTON) if own else asked(words.FINISH_WAIT)
        case Phase.CHOICE if own:
            won, lost = model.squares // 2 + 1, model.squares // 2 - 1
            choices = [words.TIME_WIN_CHOICE[choice](won=won, lost=lost) for choice in TIME_WIN_CHOICES]
            return _menu(words.CHOICE_ASK, choices, side)
        case Phase.CHOICE:
            return asked(words.CHOICE_WAIT)
        case Phase.FREE:
            return asked(words.FREE_OWN if own else words.FREE_WAIT)
        case Phase.RESULT:
            return asked(words.NEVER_CAME, IconKind.HAND)
        case Phase.TURN if model.public.counting:
            return asked(words.COUNT_CAPTURES)
        case Phase.TURN if model.is_chouchou and max(model.pieces) >= model.options.target:
            return asked(words.REACHED, IconKind.BUTTON)
        case _:
            return Prompt(render(_turn(model, side), language))


def _turn(model: TableViewModel, side: SideViewModel) -> Renderable:
    """Return whose turn it is, and how this player stops the clock or enters captured pieces."""
    if model.public.one_operates:
        return words.YOUR_TURN_ONE if side.running else words.NOT_TURN_ONE
    if not side.running:
        return words.NOT_TURN_STOP if model.public.alone else words.NOT_TURN_CALL
    if model.is_chouchou:
        return words.YOUR_TURN_CAPTURES
    return words.YOUR_TURN_STOP if model.public.alone else words.YOUR_TURN_CALL


def _notice(model: TableViewModel, side: SideViewModel) -> str:
    assert model.notice is not None
    kind, text = model.notice.kind, model.notice.text
    return side.say(words.ALONE.get(kind, text) if model.public.alone else text)


def _refusal_text(model: TableViewModel, side: SideViewModel, hint: Hint) -> str:
    """Return why a press had no effect; of a claim, how much time is left."""
    whose = side if hint is Hint.OWN_TIME_LEFT else model.sides[side.seat.other]
    return side.say(words.WHY[hint], time=clock_figures(model, whose))


def _marked_line(model: TableViewModel, kind: str, line: str) -> Renderable:
    """Return the marked line: a kind, or a column or square for the chosen kind."""
    if line == challenge_violation_menu.ARBITER:
        return words.STOP_CLOCK if model.public.alone else words.CALL_ARBITER
    if line == challenge_violation_menu.BACK:
        return words.SOMETHING_ELSE
    return (
        words.NAMED_SQUARE(kind=words.KINDS[ViolationKind(kind)], square=line)
        if kind
        else words.KINDS[ViolationKind(line)]
    )


def _ready(model: TableViewModel, side: SideViewModel, start: Prompt) -> Prompt:
    """Return who starts, with the accessibility settings in force."""
    if not side.acts:
        waits = words.START_WAIT_HANDICAP if model.options.variant.first is Color.WHITE else words.START_WAIT
        start = Prompt(side.say(words.START_FIRST if model.is_chouchou else waits), True)
    arranged = [words.ONE_OPERATES] if model.public.one_operates else []
    arranged += [words.HEARD] if side.audible else []
    arranged += [words.SETTLE_AGAIN] if model.can_take_back else []
    return replace(start, text="\n".join([start.text, *(side.say(phrase) for phrase in arranged)]))


def series(side: SideViewModel) -> Text:
    """Return the score of a series of rematches, the player's own first; a draw is a half."""
    own, other = (f"{points // 2 or ''}½" if points % 2 else str(points // 2) for points in side.series)
    return words.SERIES(own=own, other=other)


def _offer_prompt(offer: PendingAgreement, side: SideViewModel) -> Prompt:
    """Return the prompt of an open offer: what one player chose and the other is asked. Both see that the arbiter was
    called.
    """
    own = offer.by is side.seat
    offered, ask = words.OFFERS.get(offer.choice, (words.CALLED, words.CALLED))
    asked = not own and offer.choice is not HoldChoice.ARBITER
    return Prompt(side.say(offered if own else ask), True, IconKind.BUTTON if asked else IconKind.HAND, asked=asked)


def _menu(ask: Renderable, choices: Sequence[Renderable], side: SideViewModel) -> Prompt:
    lines = tuple(side.say(choice) for choice in choices)
    return Prompt(side.say(ask), True, choices=lines, marked=side.marked)
