"""What the two buttons mean on the pages of a free clock's settings: the list of presets, a preset, the names. Pure.

The law: as on every page, left goes on and right takes, and held they go back and are done; here nobody has a third
button, so left held at the first place leaves the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.match.controls import ControlKind
from kiosk.table.arbiter.filling import cells, picked, turned, typed
from kiosk.table.arbiter.finger import BACK, CELL, DONE, KEY, LINE, NEXT, PICK, TAKE, Act
from kiosk.table.arbiter.forms import NO, YES, choice, number, time
from kiosk.table.state.arbiter_session import Field, Form, Page, Session
from kiosk.table.state.club import Club, Preset

RULES = ("casual", "m43", "m40", "wof", "chouchou")
CONTROLS = (ControlKind.SUDDEN_DEATH, ControlKind.FISCHER, ControlKind.SIMPLE_DELAY, ControlKind.BYO_YOMI)
LETTERS = " ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
NAME_LENGTH = 8
#: the session after the act, and what the club has set once it is done
Settled = tuple[Session | None, Club | None]


def act(club: Club, session: Session, act: Act) -> Settled:
    match session.page:
        case Page.CLUB:
            return _list(club, session, act)
        case Page.CLUB_PRESET:
            return _form(session, act, lambda: _names(session, club), lambda: _at_list(session))
        case _:
            return _form(session, act, lambda: _done(session, club), lambda: _preset_again(session, club))


def _list(club: Club, session: Session, act: Act) -> Settled:
    """A short press takes the preset and begins a game with it; held, it is changed."""
    lines, touched = len(club.every), act.number(LINE)
    at = session.cell if touched is None else min(touched, lines - 1)
    if act.name == BACK or (act.name == NEXT and act.held and at == 0):
        return None, None
    if act.name == NEXT:
        return replace(session, cell=(at + (-1 if act.held else 1)) % lines), None
    if touched is None and act.name != TAKE:
        return session, None
    if act.held:
        form = preset_form(club.every[at])
        return replace(session, page=Page.CLUB_PRESET, preset=at, cell=0, form=form), None
    return None, replace(club, chosen=at)


def _form(session: Session, act: Act, done: Callable[[], Settled], back: Callable[[], Settled]) -> Settled:
    places, touched, key = cells(session.form), act.number(CELL), act.number(KEY)
    if act.name == BACK or (act.name == NEXT and act.held and session.cell == 0):
        return back()
    if act.name == DONE or (act.name == TAKE and act.held):
        return done()
    if act.name == NEXT:
        return replace(session, cell=(session.cell + (-1 if act.held else 1)) % len(places)), None
    if act.name.startswith(PICK):
        return picked(session, act.name, places), None
    if act.name == TAKE or touched == session.cell:
        return replace(session, form=turned(session.form, *places[session.cell])), None
    if touched is not None and touched < len(places):
        return replace(session, cell=touched), None
    return (session if key is None else typed(session, key, places)), None


def _at_list(session: Session) -> Settled:
    return replace(session, page=Page.CLUB, cell=session.preset, form=()), None


def _names(session: Session, club: Club) -> Settled:
    form = names_form(club.every[session.preset].names)
    return replace(session, page=Page.CLUB_NAMES, cell=0, form=form, first=session.form), None


def _preset_again(session: Session, club: Club) -> Settled:
    return replace(session, page=Page.CLUB_PRESET, cell=0, form=session.first, first=()), None


def _done(session: Session, club: Club) -> Settled:
    return None, club.with_own(session.preset, preset_of(session.first, session.form))


def preset_form(preset: Preset) -> Form:
    rules = RULES.index(preset.rules) if preset.rules in RULES else 0
    control = CONTROLS.index(preset.control) if preset.control in CONTROLS else 0
    return (
        choice("rules", RULES, rules),
        time("black", preset.black_s, 5999),
        time("white", preset.white_s, 5999),
        choice("control", CONTROLS, control),
        number("step", preset.step_s),
        number("periods", preset.periods),
        choice("sound", (YES, NO), int(not preset.sound)),
    )


def preset_of(form: Form, names: Form) -> Preset:
    said = {field.name: field for field in form}
    return Preset(
        said["rules"].option,
        max(1, said["black"].number),
        max(1, said["white"].number),
        ControlKind(said["control"].option),
        said["step"].number,
        max(1, said["periods"].number),
        said["sound"].option == YES,
        (_written(names[0]), _written(names[1])),
    )


def names_form(names: tuple[str, str]) -> Form:
    return _name("black", names[0]), _name("white", names[1])


def _name(side: str, name: str) -> Field:
    places = tuple(max(0, LETTERS.find(letter)) for letter in name.ljust(NAME_LENGTH)[:NAME_LENGTH])
    return Field(f"{side}-name", places, (len(LETTERS),) * NAME_LENGTH, letters=LETTERS)


def _written(field: Field) -> str:
    return "".join(LETTERS[value] for value in field.values).strip()
