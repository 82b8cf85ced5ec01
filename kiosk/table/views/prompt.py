"""What a player is told below his time: why it runs, what he is asked for, what the match adds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.match.model import Phase
from kiosk.table.scene import IconKind
from kiosk.table.state import TIME_WIN_CHOICES, Language
from kiosk.table.views.facts import Facts, Side
from kiosk.table.words import players as words
from kiosk.table.words.players import Phrase


@dataclass(frozen=True, slots=True)
class Prompt:
    """``large``: something must be done or understood now, so it gets more room. ``choices`` are the lines of a menu,
    ``marked`` the one that a long press takes."""

    text: str
    large: bool = False
    icon: IconKind | None = None
    choices: tuple[str, ...] = ()
    marked: int = 0


def prompt(facts: Facts, side: Side, touch: bool = False) -> Prompt:
    """What the player at ``side`` is asked or told. ``touch``: the display feels fingers."""
    said = _of_phase(facts, side)
    if said.choices:
        return said
    if facts.notice is not None:
        notice = facts.notice.ja if side.language is Language.JAPANESE else facts.notice.en
        whole = notice if facts.phase is Phase.HOLD else f"{said.text}\n{notice}"
        said = replace(said, text=whole, large=True)
    if side.by_touch:
        here = (words.TOUCH_HERE if touch else words.BUTTON_ILL).say(side.language)
        return Prompt(f"{here}\n{said.text}" if said.large else here, True, IconKind.WARNING)
    return said


def _of_phase(facts: Facts, side: Side) -> Prompt:
    own, language = side.acts, side.language

    def say(phrase: Phrase, icon: IconKind | None = None) -> Prompt:
        return Prompt(phrase.say(language), True, icon)

    match facts.phase:
        case Phase.LATE if own:
            return say(words.LATE_START, IconKind.BUTTON)
        case Phase.LATE:
            return say(words.LATE_RUNS if side.running else words.LATE_WAITS)
        case Phase.READY:
            return _ready(facts, side, say(words.START_PRESS, IconKind.BUTTON))
        case Phase.CORR:
            return say(words.CORRECT if own else words.CORRECT_WAIT)
        case Phase.HOLD if own:
            return _menu(words.HOLD_ASK, [words.HOLD_CHOICE[choice] for choice in facts.hold_choices], facts, language)
        case Phase.HOLD:
            return say(words.HOLD, IconKind.HAND)
        case Phase.CHECK:
            return say(words.CHECK if own else words.CHECK_WAIT)
        case Phase.FINISH:
            return say(words.FINISH_OWN, IconKind.BUTTON) if own else say(words.FINISH_WAIT)
        case Phase.CHOICE if own:
            choices = [words.TIME_WIN_CHOICE[choice] for choice in TIME_WIN_CHOICES]
            return _menu(words.CHOICE_ASK, choices, facts, language)
        case Phase.CHOICE:
            return say(words.CHOICE_WAIT)
        case Phase.FREE:
            return say(words.FREE_OWN if own else words.FREE_WAIT)
        case Phase.TURN if facts.counting:
            return say(words.COUNT_CAPTURES)
        case Phase.TURN if facts.is_chouchou and any(one.captures >= facts.target for one in facts.sides.values()):
            return say(words.REACHED, IconKind.BUTTON)
        case _:
            waits = words.NOT_TURN if facts.is_chouchou else words.NOT_TURN_CALL
            return Prompt((words.YOUR_TURN if side.running else waits).say(language))


def _ready(facts: Facts, side: Side, start: Prompt) -> Prompt:
    """Who starts, and what is arranged for players who need it."""
    if not side.acts:
        start = Prompt((words.START_FIRST if facts.is_chouchou else words.START_WAIT).say(side.language), True)
    arranged = [words.ONE_OPERATES] if facts.one_operates else []
    arranged += [words.HEARD] if side.audible else []
    return replace(start, text="\n".join([start.text, *(phrase.say(side.language) for phrase in arranged)]))


def _menu(ask: Phrase, choices: list[Phrase], facts: Facts, language: Language) -> Prompt:
    lines = tuple(choice.say(language) for choice in choices)
    return Prompt(ask.say(language), True, choices=lines, marked=facts.menu)
