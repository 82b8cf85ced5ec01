"""Input of digits and form cells with two buttons, keys or touch. Pure.

A figure changes by one, or by minus one where a button is held, and repeats while it is held, so that one press reaches
any value. It can also be typed or touched. A choice goes to its next option.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.match.match_events_and_effects import ArbiterOrder
from engine.match.match_value_types import Seat
from kiosk.table.state.arbiter_screen_state import ArbiterSession, Countdown, Field, Form
from kiosk.table.state.free_clock_presets_settings_games import Club

#: buttons
NEXT, TAKE, BACK, TURN = "next", "take", "back", "turn"
#: on the display: a line of a list, a figure of a form, a key 0-9, and keys that end an entry
LINE, CELL, KEY, DELETE, DONE, CARRY_OUT = "line-", "cell-", "key-", "delete", "done", "carry-out"
#: a square of the board that is entered: ``square-e4``
SQUARE = "square-"
#: an option of a form: ``pick-CELL-OPTION``
PICK = "pick-"


@dataclass(frozen=True, slots=True)
class ArbiterInput:
    """One input. ``name`` is one of the above. ``held``: for ``LONG_NS``."""

    name: str
    held: bool
    at_ns: int

    def number(self, prefix: str) -> int | None:
        """Return the N of ``prefix-N``, else None."""
        rest = self.name.removeprefix(prefix)
        return int(rest) if rest != self.name and rest.isdigit() else None


@dataclass(frozen=True, slots=True)
class ArbiterUpdate:
    """Result of one input.

    ``session`` None: close the screen. ``check``: digits to check as a PIN. ``ruling`` is an order for the match,
    applied after ``seated`` (seat -> index into the assignment's players). ``countdown`` starts; ``equipment`` is the
    table's equipment that is switched on. ``board`` is the board on the table. ``club`` is the new setting of the
    device. ``shut_down``: switch the device off.
    """

    session: ArbiterSession | None
    club: Club | None = None
    check: tuple[int, ...] = ()
    board: str = ""
    ruling: ArbiterOrder | None = None
    seated: Mapping[Seat, int] = field(default_factory=dict)
    countdown: Countdown | None = None
    equipment: frozenset[str] | None = None
    shut_down: bool = False


def figures(session: ArbiterSession, act: ArbiterInput) -> ArbiterSession:
    """Handle an entry of digits one after the other: by keys of the display, or the right button turns a digit and the
    left one accepts it.
    """
    key = act.number(KEY)
    if act.name == DELETE or (act.name == NEXT and act.held):
        return replace(session, entered=session.entered[:-1], figure=0)
    if key is not None or act.name == NEXT:
        return replace(session, entered=(*session.entered, session.figure if key is None else key), figure=0)
    return replace(session, figure=(session.figure + turn_step(act)) % 10) if act.name == TAKE else session


def turn_step(act: ArbiterInput) -> int:
    """Return how far a button turns a figure."""
    return -1 if act.held else 1


def cells(form: Form) -> tuple[tuple[int, int], ...]:
    """Return every figure and choice of a form, as (field, value)."""
    return tuple((index, place) for index, field in enumerate(form) for place in range(len(field.values)))


def with_turned_figure(form: Form, index: int, place: int, by: int = 1) -> Form:
    """Return the form with one figure or choice changed by ``by``."""
    field = form[index]
    return _with(form, index, place, (field.values[place] + by) % field.limits[place])


def is_figure(session: ArbiterSession) -> bool:
    """Return whether a figure is marked, not a choice or letter."""
    field = session.form[cells(session.form)[session.cell][0]]
    return not (field.options or field.letters)


def is_turned(before: ArbiterSession | None, after: ArbiterSession | None) -> bool:
    """Return whether an act only turned the marked figure."""
    if before is None or after is None:
        return False
    same_place = (before.page, before.cell, before.entered) == (after.page, after.cell, after.entered)
    return same_place and (before.figure != after.figure or before.form != after.form)


def with_form_input(session: ArbiterSession, act: ArbiterInput) -> ArbiterSession:
    """Handle an input on a form: left goes to the next cell, right changes it; held, left turns a figure back or goes
    back. Keys and touched cells and options do the same.
    """
    places, touched, key = cells(session.form), act.number(CELL), act.number(KEY)
    if act.name == NEXT and act.held and is_figure(session):
        return replace(session, form=with_turned_figure(session.form, *places[session.cell], -1))
    if act.name == NEXT:
        return replace(session, cell=(session.cell + turn_step(act)) % len(places))
    if act.name.startswith(PICK):
        return with_option(session, act.name, places)
    if act.name == TAKE or touched == session.cell:
        return replace(session, form=with_turned_figure(session.form, *places[session.cell]))
    if touched is not None and touched < len(places):
        return replace(session, cell=touched)
    return session if key is None else with_typed_digit(session, key, places)


def with_option(session: ArbiterSession, name: str, places: tuple[tuple[int, int], ...]) -> ArbiterSession:
    """Set a touched option of a choice and go on to the next field. A finger lifted after its page has closed has no
    effect.
    """
    cell, option = (int(part) for part in name.removeprefix(PICK).split("-"))
    if cell >= len(places) or option >= session.form[places[cell][0]].limits[places[cell][1]]:
        return session
    return replace(session, form=_with(session.form, *places[cell], option), cell=min(cell + 1, len(places) - 1))


def with_typed_digit(session: ArbiterSession, key: int, places: tuple[tuple[int, int], ...]) -> ArbiterSession:
    index, place = places[session.cell]
    field: Field = session.form[index]
    if field.options or field.letters or key >= field.limits[place]:
        return session
    typed = _with(session.form, index, place, key)
    return replace(session, form=typed, cell=min(session.cell + 1, len(places) - 1))


def _with(form: Form, index: int, place: int, value: int) -> Form:
    field = form[index]
    changed = replace(field, values=(*field.values[:place], value, *field.values[place + 1 :]))
    return (*form[:index], changed, *form[index + 1 :])
