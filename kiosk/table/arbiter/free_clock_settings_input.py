"""Button handling on the settings pages of a free clock: list of presets, one preset, names. Pure.

As on every page, left moves on and right accepts; held, they go back and finish. There is no arbiter's button here, so
the list ends with a line that closes it, and holding left at the first place leaves a page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.board.variants import PLAYABLE, STANDARD
from engine.match.time_controls import ControlKind
from kiosk.locale import JAPANESE, Lang, players_languages
from kiosk.table.arbiter.arbiter_input import BACK, CELL, DONE, KEY, LINE, NEXT, PICK, TAKE, ArbiterInput
from kiosk.table.arbiter.arbiter_order_forms import NO, YES, choice, number, time
from kiosk.table.arbiter.form_input import cells, with_option, with_turned_figure, with_typed_digit
from kiosk.table.state.arbiter_session import ArbiterPage, ArbiterSession, Field, Form
from kiosk.table.state.free_clock_presets import OWN, PLAYERS, Club, Preset

RULES = ("casual", "m43", "m40", "wof", "chouchou")
CONTROLS = (ControlKind.SUDDEN_DEATH, ControlKind.FISCHER, ControlKind.SIMPLE_DELAY, ControlKind.BYO_YOMI)
BOARDS = tuple(PLAYABLE)
LETTERS = " ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
NAME_LENGTH = 6
SLOTS = tuple(f"own-{n}" for n in range(1, OWN + 1))
PAGES = (ArbiterPage.CLUB_PRESET, ArbiterPage.CLUB_CHOUCHOU, ArbiterPage.CLUB_CONTROL, ArbiterPage.CLUB_NAMES)
CHOUCHOU = PAGES.index(ArbiterPage.CLUB_CHOUCHOU)
#: the session after the act, and the club settings once they are complete
Settled = tuple[ArbiterSession | None, Club | None]


def handle_settings_input(club: Club, session: ArbiterSession, act: ArbiterInput, free: bool = True) -> Settled:
    """Handle one act. ``free``: a clock without a head; other tables only have the display page."""
    session_after, settled = (
        _list(club, session, act) if session.page is ArbiterPage.CLUB else _form(club, session, act)
    )
    return (
        None if session_after is not None and session_after.page is ArbiterPage.CLUB and not free else session_after,
        settled,
    )


def _list(club: Club, session: ArbiterSession, act: ArbiterInput) -> Settled:
    """Handle the list of presets: a short press starts a game with the preset, a hold opens it for editing."""
    lines, touched = len(club.every) + 2, act.number(LINE)
    at = session.cell if touched is None else min(touched, lines - 1)
    if act.name == BACK or (act.name == NEXT and act.held and at == 0):
        return None, None
    if act.name == NEXT:
        return replace(session, cell=(at + (-1 if act.held else 1)) % lines), None
    if touched is None and act.name != TAKE:
        return session, None
    if at == lines - 1:
        return None, None
    if at == len(club.every):
        return replace(session, page=ArbiterPage.CLUB_DISPLAY, cell=0, form=display_form(club)), None
    if act.held:
        forms = forms_of(club.every[at], club.slot_of(at))
        return replace(session, page=PAGES[0], preset=at, cell=0, form=forms[0], forms=forms), None
    return None, replace(club, chosen=at)


def _form(club: Club, session: ArbiterSession, act: ArbiterInput) -> Settled:
    places, touched, key = cells(session.form), act.number(CELL), act.number(KEY)
    if act.name == BACK or (act.name == NEXT and act.held and session.cell == 0):
        return _turn_to(club, session, -1)
    if act.name == DONE or (act.name == TAKE and act.held):
        return _turn_to(club, session, 1)
    if act.name == NEXT:
        return replace(session, cell=(session.cell + (-1 if act.held else 1)) % len(places)), None
    if act.name.startswith(PICK):
        return with_option(session, act.name, places), None
    if act.name == TAKE or touched == session.cell:
        return _with_both_times(session, replace(session, form=with_turned_figure(session.form, *places[session.cell])))
    if touched is not None and touched < len(places):
        return replace(session, cell=touched), None
    return _with_both_times(session, session if key is None else with_typed_digit(session, key, places))


def _with_both_times(before: ArbiterSession, after: ArbiterSession) -> Settled:
    """Return the session after a change, in which White's time follows Black's while both are the same."""
    if after.page is PAGES[0]:
        (_, black, white, _), (rules, now, same, board) = before.form, after.form
        if black.values == white.values == same.values:
            after = replace(after, form=(rules, now, replace(same, values=now.values), board))
    return after, None


def _turn_to(club: Club, session: ArbiterSession, by: int) -> Settled:
    """Turn to another page: before the first is the list, after the last the settings are complete."""
    if session.page is ArbiterPage.CLUB_DISPLAY:
        stand, large, language = session.form
        if by > 0:
            same = language.option == _language(club)
            spoken = club.languages if same else (language.option,) * 2
            return None, replace(club, stand=bool(stand.values[0]), large=bool(large.values[0]), languages=spoken)
        return replace(session, page=ArbiterPage.CLUB, cell=len(club.every), form=()), None
    here = PAGES.index(session.page)
    if by > 0 and (said := _refusal({field.name: field for field in session.form})):
        return replace(session, said=said), None
    forms = (*session.forms[:here], session.form, *session.forms[here + 1 :])
    if here + by == CHOUCHOU and forms[0][0].option != "chouchou":
        by *= 2  # Othello has no pairs, so that page is skipped
    if here + by == len(PAGES):
        return None, club.with_own(forms[-1][-1].values[0], preset_of(forms))
    if here + by < 0:
        return replace(session, page=ArbiterPage.CLUB, cell=session.preset, form=(), forms=()), None
    return replace(session, page=PAGES[here + by], cell=0, form=forms[here + by], forms=forms), None


def _refusal(said: Mapping[str, Field]) -> str:
    """Return what is impossible on a page, a key of the words; empty if nothing is."""
    if any(name in said and said[name].number == 0 for name in ("black", "white")):
        return "zero-time"
    if "target" in said and said["target"].number == 0:
        return "zero-number"
    if "rules" in said and said["rules"].option == "chouchou" and said["board"].option != STANDARD.name:
        return "own-board"
    if "control" in said and (control := said["control"].option) != ControlKind.SUDDEN_DEATH:
        if said["step"].number == 0:
            return "zero-step"
        if control == ControlKind.BYO_YOMI and said["periods"].number == 0:
            return "zero-number"
    return ""


def display_form(club: Club) -> Form:
    """Return the form for the display's orientation, text size and language."""
    known = players_languages()
    return (
        choice("stand", ("flat", "stand"), int(club.stand or False)),
        choice("figures", ("normal", "large"), int(club.large or False)),
        choice("language", known, known.index(_language(club))),
    )


def _language(club: Club) -> Lang:
    return club.languages[0] if club.languages else JAPANESE


def forms_of(preset: Preset, slot: int = 0) -> tuple[Form, ...]:
    """Return the forms of a preset, one for each page; ``slot``: the own preset that it is stored as."""
    rules = RULES.index(preset.rules) if preset.rules in RULES else 0
    control = CONTROLS.index(preset.control) if preset.control in CONTROLS else 0
    return (
        (
            choice("rules", RULES, rules),
            time("black", preset.black_s, 5999),
            time("white", preset.white_s, 5999),
            choice("board", BOARDS, BOARDS.index(preset.board)),
        ),
        (choice("players", tuple(PLAYERS), list(PLAYERS).index(preset.players)), number("target", preset.target)),
        (
            choice("control", CONTROLS, control),
            number("step", preset.step_s),
            number("periods", preset.periods),
            choice("sound", (YES, NO), int(not preset.sound)),
        ),
        (_name("black", preset.names[0]), _name("white", preset.names[1]), choice("slot", SLOTS, slot)),
    )


def preset_of(forms: tuple[Form, ...]) -> Preset:
    said = {field.name: field for form in forms for field in form}
    return Preset(
        said["rules"].option,
        said["black"].number,
        said["white"].number,
        ControlKind(said["control"].option),
        said["step"].number,
        max(1, said["periods"].number),
        said["sound"].option == YES,
        (_written(said["black-name"]), _written(said["white-name"])),
        list(PLAYERS)[said["players"].values[0]],
        max(1, said["target"].number),
        said["board"].option,
    )


def _name(side: str, name: str) -> Field:
    places = tuple(max(0, LETTERS.find(letter)) for letter in name.ljust(NAME_LENGTH)[:NAME_LENGTH])
    return Field(f"{side}-name", places, (len(LETTERS),) * NAME_LENGTH, letters=LETTERS)


def _written(field: Field) -> str:
    return "".join(LETTERS[value] for value in field.values).strip()
