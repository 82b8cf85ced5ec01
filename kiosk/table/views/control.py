"""The time control in one short line, and what the figures of each control read.

The law: what is said of periods and delays follows from the time alone, so a fallen flag adds nothing to it (K-02).
"""

from __future__ import annotations

from typing import assert_never

from engine.match.controls import ControlKind
from kiosk.table.views.clock_face import (
    SECOND_NS,
    face,
    face_of_used,
    next_face_in_ns,
    next_growth_in_ns,
    next_used_in_ns,
    whole_seconds,
)
from kiosk.table.views.facts import Facts, Side
from kiosk.table.words import players as words

#: below this much time the display says so in words
LAST_MINUTE_NS = 60 * SECOND_NS


def figures(facts: Facts, side: Side) -> str:
    """What the side's clock reads."""
    return face_of_used(side.left_ns) if facts.control.kind is ControlKind.UP_COUNT else face(side.left_ns)


def next_figures_in_ns(facts: Facts, side: Side) -> int | None:
    """How long the passing of time alone leaves the side's figures and its control line as they are."""
    runs = any(one.running for one in facts.sides.values())
    if side.running and side.delay_ns > 0:
        return (side.delay_ns - 1) % SECOND_NS + 1
    if side.running and facts.control.kind is ControlKind.UP_COUNT:
        return next_used_in_ns(side.left_ns)
    if side.running:
        return next_face_in_ns(side.left_ns)
    return next_growth_in_ns(side.left_ns) if runs and facts.control.kind is ControlKind.HOURGLASS else None


def is_last_minute(facts: Facts, side: Side) -> bool:
    """Said from one minute down, and on at zero, of a time that runs out for good."""
    return facts.control.kind is ControlKind.SUDDEN_DEATH and side.left_ns <= LAST_MINUTE_NS


def control_line(facts: Facts, side: Side) -> str:
    """Such as ``+5 s a move`` or ``60 s: 2 left``; nothing where the main time is all there is."""
    control, language = facts.control, side.language
    seconds = f"{control.step_ns / SECOND_NS:g}"
    match control.kind:
        case ControlKind.SUDDEN_DEATH:
            return ""
        case ControlKind.FISCHER:
            return words.INCREMENT.say(language, s=seconds)
        case ControlKind.BRONSTEIN:
            return words.GIVES_BACK.say(language, s=seconds)
        case ControlKind.SIMPLE_DELAY if side.delay_ns > 0:
            return words.DELAY_LEFT.say(language, s=whole_seconds(side.delay_ns))
        case ControlKind.SIMPLE_DELAY:
            return words.DELAY.say(language, s=seconds)
        case ControlKind.BYO_YOMI if control.periods == 1:
            return (words.IN_PERIOD_EACH if side.in_period else words.PERIOD_EACH).say(language, s=seconds)
        case ControlKind.BYO_YOMI:
            return (words.PERIOD if side.in_period else words.PERIODS).say(language, s=seconds, n=side.periods)
        case ControlKind.HOURGLASS:
            return words.HOURGLASS.say(language)
        case ControlKind.PER_MOVE:
            return words.PER_MOVE.say(language, s=seconds)
        case ControlKind.UP_COUNT:
            return words.USED.say(language)
        case _:
            assert_never(control.kind)
