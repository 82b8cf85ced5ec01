"""Filling in: figures one after the other, the cells of a form. Pure.

The law: a figure is turned on by one, or back by one where a button is held, and again as long as it is held, so that
one press comes to any figure; or it is typed, or touched; a choice goes to its next option. Nothing here knows what
for.
"""

from __future__ import annotations

from dataclasses import replace

from kiosk.table.arbiter.finger import DELETE, KEY, NEXT, PICK, TAKE, Act
from kiosk.table.state.arbiter_session import Field, Form, Session


def figures(session: Session, act: Act) -> Session:
    """Figures one after the other: keys of the display, or the right button turns one and the left one takes it."""
    key = act.number(KEY)
    if act.name == DELETE or (act.name == NEXT and act.held):
        return replace(session, entered=session.entered[:-1], figure=0)
    if key is not None or act.name == NEXT:
        return replace(session, entered=(*session.entered, session.figure if key is None else key), figure=0)
    return replace(session, figure=(session.figure + step(act)) % 10) if act.name == TAKE else session


def step(act: Act) -> int:
    """How far a button turns a figure."""
    return -1 if act.held else 1


def cells(form: Form) -> tuple[tuple[int, int], ...]:
    """Every figure and every choice of a form, as (field, value)."""
    return tuple((index, place) for index, asked in enumerate(form) for place in range(len(asked.values)))


def turned(form: Form, index: int, place: int, by: int = 1) -> Form:
    """The next value of one figure or choice."""
    asked = form[index]
    return _with(form, index, place, (asked.values[place] + by) % asked.limits[place])


def is_figure(session: Session) -> bool:
    """Whether a figure is marked, and no choice or letter."""
    asked = session.form[cells(session.form)[session.cell][0]]
    return not (asked.options or asked.letters)


def is_turned(before: Session | None, after: Session | None) -> bool:
    """Whether an act turned the marked figure and did nothing else."""
    if (
        before is None
        or after is None
        or (before.page, before.cell, before.entered)
        != (
            after.page,
            after.cell,
            after.entered,
        )
    ):
        return False
    return before.figure != after.figure or before.form != after.form


def picked(session: Session, name: str, places: tuple[tuple[int, int], ...]) -> Session:
    """One option of a choice, touched, and on to what is asked next; a finger lifted from a page that is gone picks
    nothing."""
    cell, option = (int(part) for part in name.removeprefix(PICK).split("-"))
    if cell >= len(places) or option >= session.form[places[cell][0]].limits[places[cell][1]]:
        return session
    return replace(session, form=_with(session.form, *places[cell], option), cell=min(cell + 1, len(places) - 1))


def typed(session: Session, key: int, places: tuple[tuple[int, int], ...]) -> Session:
    index, place = places[session.cell]
    asked: Field = session.form[index]
    if asked.options or asked.letters or key >= asked.limits[place]:
        return session
    typed = _with(session.form, index, place, key)
    return replace(session, form=typed, cell=min(session.cell + 1, len(places) - 1))


def _with(form: Form, index: int, place: int, value: int) -> Form:
    asked = form[index]
    changed = replace(asked, values=(*asked.values[:place], value, *asked.values[place + 1 :]))
    return (*form[:index], changed, *form[index + 1 :])
