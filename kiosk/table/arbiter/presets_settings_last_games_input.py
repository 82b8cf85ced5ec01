"""Button handling on the pages that need no PIN: what is set on the device, a free clock's presets, the last games.
Pure.

As on every page, left goes on and right accepts; held, left goes back and right finishes. There is no arbiter's button
here, so long lists end with a line that leaves them, and holding left at the first place leaves a page; a marked figure
is turned back by it instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from engine.board.variants import PLAYABLE, STANDARD
from engine.match.time_controls import COUNT_OPTION, STEP_OPTION, ControlKind
from kiosk.locale import JAPANESE, Lang, players_languages
from kiosk.table.arbiter import two_button_form_input as form_input
from kiosk.table.arbiter.arbiter_screen_forms_to_orders import NO, YES, choice, number, time
from kiosk.table.arbiter.two_button_form_input import ArbiterInput, ArbiterUpdate
from kiosk.table.state import TableState
from kiosk.table.state.arbiter_screen_state import ArbiterPage, ArbiterSession, Field, Form, HomeLine
from kiosk.table.state.display_languages import next_language
from kiosk.table.state.free_clock_presets_settings_games import OWN, PLAYERS, Club, Preset

RULES = ("casual", "m43", "m40", "team", "wof", "chouchou")
CONTROLS = tuple(ControlKind)
BOARDS = tuple(PLAYABLE)
LETTERS = " ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
NAME_LENGTH = 6
SLOTS = tuple(f"own-{n}" for n in range(1, OWN + 1))
BRIGHTNESS = tuple(f"percent-{n}" for n in range(20, 101, 20))
VOLUME = ("percent-0", *BRIGHTNESS)
#: the sound of a device on which none was set
USUAL_VOLUME = 60
PAGES = (ArbiterPage.CLUB_PRESET, ArbiterPage.CLUB_CHOUCHOU, ArbiterPage.CLUB_CONTROL, ArbiterPage.CLUB_NAMES)
CHOUCHOU = PAGES.index(ArbiterPage.CLUB_CHOUCHOU)
#: lines of the list of presets, and of games, that are shown at a time
LINES = 8


def home_lines(state: TableState) -> tuple[HomeLine, ...]:
    """Return the lines of the first page. Tables with a head have no presets."""
    preset, left_out = state.club.preset, set[HomeLine]()
    if state.has_head:
        left_out |= {HomeLine.PRESETS, HomeLine.SWAP}
    if preset.with_swapped_colors == preset:
        left_out |= {HomeLine.SWAP}
    if not state.can_shut_down:
        left_out |= {HomeLine.OFF}
    return tuple(line for line in HomeLine if line not in left_out)


def handle_settings_input(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    """Return what an input means on the open page."""
    return _HANDLERS.get(session.page, _form)(state, session, act)


def _move_mark(session: ArbiterSession, act: ArbiterInput, lines: int) -> tuple[ArbiterSession | None, bool]:
    """Return the session after an input on a list, None: it is left, and whether the marked line is chosen."""
    touched, shown = act.number(form_input.LINE), act.number(form_input.CELL)
    at = min(session.cell if touched is None else touched, max(0, lines - 1))
    if act.name == form_input.BACK or (act.name == form_input.NEXT and act.held and at == 0):
        return None, False
    if act.name == form_input.NEXT:
        return replace(session, cell=(at + form_input.turn_step(act)) % max(1, lines)), False
    if shown is not None and shown < lines:  # a key of the display that shows other lines
        return replace(session, cell=shown), False
    return replace(session, cell=at), lines > 0 and (touched is not None or act.name == form_input.TAKE)


def _home(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    lines, club = home_lines(state), state.club
    marked, chosen = _move_mark(session, act, len(lines))
    if marked is None or not chosen:
        return ArbiterUpdate(marked)
    match lines[marked.cell]:
        case HomeLine.PRESETS:
            return ArbiterUpdate(replace(marked, page=ArbiterPage.CLUB, cell=club.chosen))
        case HomeLine.SWAP:
            return ArbiterUpdate(None, club.with_own(club.slot_of(club.chosen), club.preset.with_swapped_colors))
        case HomeLine.LANGUAGE:
            return ArbiterUpdate(marked, replace(club, languages=(next_language(_language(club)),) * 2))
        case HomeLine.DISPLAY:
            return ArbiterUpdate(replace(marked, page=ArbiterPage.CLUB_DISPLAY, cell=0, form=display_form(club)))
        case HomeLine.DEVICE:
            return ArbiterUpdate(replace(marked, page=ArbiterPage.CLUB_DEVICE, cell=0, form=_device_form(club)))
        case HomeLine.GAMES:
            return ArbiterUpdate(replace(marked, page=ArbiterPage.CLUB_GAMES, cell=0))
        case HomeLine.CLOSE:
            return ArbiterUpdate(None)
        case HomeLine.OFF:
            return ArbiterUpdate(replace(marked, page=ArbiterPage.CLUB_OFF))


def _to_home(state: TableState, session: ArbiterSession, line: HomeLine) -> ArbiterUpdate:
    """Return to the first page. Where its lines are not offered, because a game is over, the page closes."""
    lines = home_lines(state)
    if session.after_game:
        return ArbiterUpdate(None)
    return ArbiterUpdate(replace(session, page=ArbiterPage.CLUB_HOME, cell=lines.index(line), form=(), forms=()))


def _list(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    """Handle the list of presets: a short press starts a game with the preset, a hold opens it for editing."""
    club = state.club
    marked, chosen = _move_mark(session, act, len(club.every) + 1)
    if marked is None or (chosen and marked.cell == len(club.every)):
        return ArbiterUpdate(replace(session, page=ArbiterPage.CLUB_HOME, cell=0))
    if not chosen:
        return ArbiterUpdate(marked)
    if act.held:
        forms = forms_of(club.every[marked.cell], club.slot_of(marked.cell))
        return ArbiterUpdate(replace(marked, page=PAGES[0], preset=marked.cell, cell=0, form=forms[0], forms=forms))
    return ArbiterUpdate(None, replace(club, chosen=marked.cell))


def _games(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    """Handle the list of the last games, the latest first: one is replayed, or held shown to a phone."""
    marked, chosen = _move_mark(session, act, len(state.games))
    if marked is None:
        return _to_home(state, session, HomeLine.GAMES)
    if not chosen:
        return ArbiterUpdate(marked)
    page = ArbiterPage.CLUB_PHONE if act.held else ArbiterPage.CLUB_GAME
    last = len(state.games[-1 - marked.cell].moves)
    return ArbiterUpdate(replace(marked, page=page, preset=marked.cell, cell=last))


def _game(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    """Handle one game: left goes back in it and right forward; held, left leaves it and right changes between its moves
    and its code for a phone.
    """
    if not state.games:
        return ArbiterUpdate(None)
    if act.name == form_input.BACK or (act.name == form_input.NEXT and act.held):
        if session.page is ArbiterPage.CLUB_PHONE and session.after_game and not session.preset:
            return ArbiterUpdate(None)
        return ArbiterUpdate(replace(session, page=ArbiterPage.CLUB_GAMES, cell=session.preset))
    game = state.games[-1 - session.preset]
    if act.name == form_input.TAKE and act.held:
        other = ArbiterPage.CLUB_GAME if session.page is ArbiterPage.CLUB_PHONE else ArbiterPage.CLUB_PHONE
        return ArbiterUpdate(replace(session, page=other, cell=len(game.moves)))
    step = {form_input.NEXT: -1, form_input.TAKE: 1}.get(act.name, 0)
    if session.page is ArbiterPage.CLUB_PHONE:  # its address and its record take turns
        return ArbiterUpdate(replace(session, figure=(session.figure + abs(step)) % 2))
    return ArbiterUpdate(replace(session, cell=max(0, min(len(game.moves), session.cell + step))))


def _off(_state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    """Handle the page that shuts the device down: both hold their buttons, or a finger the key."""
    if act.held and act.name in (form_input.TURN, form_input.DONE):
        return ArbiterUpdate(None, shut_down=True)
    if act.name in (form_input.BACK, form_input.NEXT, form_input.TAKE):
        return ArbiterUpdate(replace(session, page=ArbiterPage.CLUB_HOME))
    return ArbiterUpdate(session)


def _form(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    leaves = act.name == form_input.NEXT and act.held and session.cell == 0 and not form_input.is_figure(session)
    if act.name == form_input.BACK or leaves:
        return _turn_to(state.club, session, -1)
    if act.name == form_input.DONE or (act.name == form_input.TAKE and act.held):
        return _turn_to(state.club, session, 1)
    return _with_both_times(session, form_input.with_form_input(session, act))


def _with_both_times(before: ArbiterSession, after: ArbiterSession) -> ArbiterUpdate:
    """Return the session after a change, in which White's time follows Black's while both are the same."""
    if after.page is PAGES[0]:
        (_, black, white, _), (rules, now, same, board) = before.form, after.form
        if black.values == white.values == same.values:
            after = replace(after, form=(rules, now, replace(same, values=now.values), board))
    return ArbiterUpdate(after)


def _turn_to(club: Club, session: ArbiterSession, by: int) -> ArbiterUpdate:
    """Turn to another page: before the first is the list, after the last the settings are complete."""
    if session.page not in PAGES:
        if by > 0:
            return ArbiterUpdate(None, _with_form(club, session))
        return ArbiterUpdate(replace(session, page=ArbiterPage.CLUB_HOME, cell=0, form=()))
    here = PAGES.index(session.page)
    if by > 0 and (refusal := _refusal({field.name: field for field in session.form})):
        return ArbiterUpdate(replace(session, outcome=refusal))
    forms = (*session.forms[:here], session.form, *session.forms[here + 1 :])
    if here + by == CHOUCHOU and forms[0][0].option != "chouchou":
        by *= 2  # Othello has no pairs, so that page is skipped
    if here + by == len(PAGES):
        return ArbiterUpdate(None, club.with_own(forms[-1][-1].values[0], preset_of(forms)))
    if here + by < 0:
        return ArbiterUpdate(replace(session, page=ArbiterPage.CLUB, cell=session.preset, form=(), forms=()))
    return ArbiterUpdate(replace(session, page=PAGES[here + by], cell=0, form=forms[here + by], forms=forms))


def _with_form(club: Club, session: ArbiterSession) -> Club:
    """Return the settings with those of the page of the display or of the device."""
    fields = {field.name: field for field in session.form}
    if session.page is ArbiterPage.CLUB_DEVICE:
        percent = {name: int(field.option.removeprefix("percent-")) for name, field in fields.items()}
        return replace(club, brightness=percent["brightness"], volume=percent["volume"])
    chosen = fields["language"].option
    languages = club.languages if chosen == _language(club) else (chosen,) * 2
    stand, large = bool(fields["stand"].values[0]), bool(fields["figures"].values[0])
    return replace(club, stand=stand, large=large, languages=languages)


def _refusal(fields: Mapping[str, Field]) -> str:
    """Return what is impossible on a page, a key of the words; empty if nothing is."""
    if any(name in fields and fields[name].number == 0 for name in ("black", "white")):
        return "zero-time"
    if "target" in fields and fields["target"].number == 0:
        return "zero-number"
    if "rules" in fields and fields["rules"].option == "chouchou" and fields["board"].option != STANDARD.name:
        return "own-board"
    if "control" in fields:
        control = ControlKind(fields["control"].option)
        if control in STEP_OPTION and fields["step"].number == 0:
            return "zero-step"
        if control in COUNT_OPTION and fields["periods"].number == 0:
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


def _device_form(club: Club) -> Form:
    """Return the form for the display's brightness and the loudspeaker's volume."""
    brightness = 100 if club.brightness is None else max(20, club.brightness)
    volume = USUAL_VOLUME if club.volume is None else club.volume
    return (
        choice("brightness", BRIGHTNESS, BRIGHTNESS.index(f"percent-{20 * round(brightness / 20)}")),
        choice("volume", VOLUME, VOLUME.index(f"percent-{20 * round(volume / 20)}")),
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
            time("step", preset.step_s, 5999),
            number("periods", preset.periods),
            choice("sound", (YES, NO), int(not preset.sound)),
        ),
        (_name("black", preset.names[0]), _name("white", preset.names[1]), choice("slot", SLOTS, slot)),
    )


def preset_of(forms: tuple[Form, ...]) -> Preset:
    fields = {field.name: field for form in forms for field in form}
    return Preset(
        fields["rules"].option,
        fields["black"].number,
        fields["white"].number,
        ControlKind(fields["control"].option),
        fields["step"].number,
        max(1, fields["periods"].number),
        fields["sound"].option == YES,
        (_name_text(fields["black-name"]), _name_text(fields["white-name"])),
        list(PLAYERS)[fields["players"].values[0]],
        max(1, fields["target"].number),
        fields["board"].option,
    )


def _name(side: str, name: str) -> Field:
    places = tuple(max(0, LETTERS.find(letter)) for letter in name.ljust(NAME_LENGTH)[:NAME_LENGTH])
    return Field(f"{side}-name", places, (len(LETTERS),) * NAME_LENGTH, letters=LETTERS)


def _name_text(field: Field) -> str:
    return "".join(LETTERS[value] for value in field.values).strip()


_HANDLERS: Mapping[ArbiterPage, Callable[[TableState, ArbiterSession, ArbiterInput], ArbiterUpdate]] = {
    ArbiterPage.CLUB_HOME: _home,
    ArbiterPage.CLUB: _list,
    ArbiterPage.CLUB_GAMES: _games,
    ArbiterPage.CLUB_GAME: _game,
    ArbiterPage.CLUB_PHONE: _game,
    ArbiterPage.CLUB_OFF: _off,
}
