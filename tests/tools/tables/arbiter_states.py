"""Table states with the arbiter's screen open, reached by arbiter input in a game that was really played."""

from __future__ import annotations

from dataclasses import replace

from tables.states import BLACK, LEFT, SECOND, table

from engine.board.position import Position
from engine.match import MatchState, Setup, new_match, step
from engine.match.match_events_and_effects import (
    Action,
    ArbiterOrder,
    BoardReported,
    ClaimKind,
    Event,
    Hold,
    PlayerClaim,
    Press,
    SeatsAssigned,
    Tick,
)
from engine.match.match_value_types import NS_PER_S, Seat
from kiosk.locale import Lang
from kiosk.table.arbiter.arbiter_input_handler import handle_input, home
from kiosk.table.arbiter.arbiter_screen_forms_to_orders import available_tasks
from kiosk.table.arbiter.presets_settings_last_games_input import home_lines
from kiosk.table.arbiter.two_button_form_input import NEXT, TAKE, ArbiterInput
from kiosk.table.state import LinkState, TableState
from kiosk.table.state.arbiter_screen_state import ArbiterPage, ArbiterSession, HomeLine, HomeTask, Pin, Task
from kiosk.table.state.free_clock_presets_settings_games import Club
from kiosk.table.state.recent_games import KeptGame

START = Position.start().cells()
MINUTE = 60 * SECOND


def played(*events: Event) -> MatchState:
    state = new_match(Setup(main_ns=1200 * NS_PER_S, has_board_source=True))
    for event in events:
        state = step(state, event)[0]
    return state


def flipped_wrong() -> MatchState:
    """Return a state in HOLD: Black f5; White d6 with one disc flipped wrongly; Black challenges, and they do not
    agree."""
    first = Position.start().play(Position.start().geometry.square("f5")).cells()
    position = Position.from_cells(first, Position.from_cells(first, Position.start().to_move.opponent).to_move)
    right = position.play(position.geometry.square("d6")).cells()
    index = position.geometry.square("e4")
    cell = [*right]
    place = 8 * 3 + 4  # e4
    cell[place] = "O" if cell[place] == "X" else "X"
    wrong = "".join(cell)
    assert index is not None
    return played(
        SeatsAssigned(0, LEFT),
        Press(0, Seat.RIGHT),
        Press(61 * SECOND, Seat.LEFT),
        BoardReported(62 * SECOND, first, 1),
        Press(155 * SECOND, Seat.RIGHT),
        BoardReported(156 * SECOND, wrong, 2),
        PlayerClaim(170 * SECOND, position.to_move.opponent, ClaimKind.ILLEGAL, "IM-5", ("e4",)),
        Hold(180 * SECOND, LEFT),
    )


PLAYED = KeptGame(
    "e/g", "2026-11-27 14:05", "casual", "Ann Lee", "", BLACK, 40, 24, (65, 301), LEFT, 1,
    ("f5", "d6", "c3", "d3", "c4", "f4", "f6", "f3", "e6", "e7"), (5, 12, 7, 61, 3, 4, 5, 6, 7, 8),
)  # fmt: skip


def never_came() -> MatchState:
    """Return a state in which RIGHT's whole time is used up before anybody played, most of it deducted."""
    late = ArbiterOrder(0, Action.LATE_START, side=Seat.RIGHT)
    deducted = ArbiterOrder(SECOND, Action.DEDUCT, "?", side=Seat.RIGHT, amount_ns=1100 * SECOND)
    return played(SeatsAssigned(0, LEFT), late, deducted, Tick(150 * SECOND))


def opened(match: MatchState | None, language: Lang, **fields: object) -> TableState:
    """Return the home page, at 200 s."""
    state = table(match, language, arbiter_language=language, pin=Pin("$argon2"), **fields)
    return replace(state, arbiter=home(ArbiterSession(200 * SECOND, "g1")))


def after_acts(state: TableState, *acts: str) -> TableState:
    """Return the state after ``next``, ``take``, ``hold`` (the right button held) or actions of the display, one second
    apart."""
    assert state.arbiter is not None
    for name in acts:
        at_ns = state.arbiter.used_ns + SECOND
        held = name in ("hold", "next-held")
        one = ArbiterInput({"hold": TAKE, "next-held": NEXT}.get(name, name), held, at_ns)
        session = handle_input(state, one).session
        assert session is not None, name
        state = replace(state, arbiter=session)
    return state


def on(state: TableState, task: HomeTask) -> TableState:
    """Return the state after that line of the home page was chosen."""
    assert state.arbiter is not None
    lines = available_tasks(state.match, state.arbiter.used_ns)
    return after_acts(state, f"line-{lines.index(task)}")


def arbiter_states(language: Lang) -> dict[str, TableState]:
    """Return every page, and every variant of it that looks different."""
    home_page = opened(flipped_wrong(), language)
    pin = replace(home_page, arbiter=ArbiterSession(200 * SECOND, "g1"))
    times = on(home_page, Action.SET_TIME)
    settings = ArbiterSession(200 * SECOND, "g1", ArbiterPage.CLUB)
    club = replace(home_page, link=LinkState.NONE, club=Club(languages=(language, language)), arbiter=settings)
    games = tuple(replace(PLAYED, key=f"e/{n}", round=n) for n in range(10))
    first = replace(settings, page=ArbiterPage.CLUB_HOME)
    device = replace(club, games=games, can_shut_down=True, arbiter=first)
    lines = {name: f"line-{place}" for place, name in enumerate(home_lines(device))}
    never = opened(never_came(), language)
    return {
        "pin": after_acts(pin, "take", "take", "take", "next", "take"),
        "pin-wrong": replace(pin, pin=replace(pin.pin, wrong=2)),
        "pin-locked": replace(pin, pin=replace(pin.pin, wrong=3, locked_until_ns=260 * SECOND)),
        "pin-unset": replace(pin, pin=Pin()),
        "home": home_page,
        "home-no-game": opened(None, language),
        "set-time": after_acts(times, "next", "take", "take"),
        "reason": after_acts(times, "hold"),
        "code": after_acts(times, "hold", "line-7", "take", "take", "take", "next"),
        "preview": after_acts(times, "take", "next", "next", "take", "take", "pick-8-2", "hold", "take"),
        "deduct": on(home_page, Action.DEDUCT),
        "result": on(home_page, Action.RESULT),
        "preview-result": after_acts(on(home_page, Action.RESULT), "hold", "line-6"),
        "challenge": on(home_page, Action.CHALLENGE),
        "resume": on(home_page, Action.RESUME),
        "notes": on(home_page, Task.NOTES),
        "replay": on(home_page, Task.REPLAY),
        "replay-first": after_acts(on(home_page, Task.REPLAY), "next"),
        "board": after_acts(on(home_page, Task.BOARD), "square-e4", "square-e4"),
        "late-home": never,
        "late-reading": on(never, Action.LATE_READING),
        "late-reading-taken": after_acts(on(never, Action.LATE_READING), "take", "take"),
        "late-preview": after_acts(on(never, Action.LATE_READING), "take", "hold"),
        "club": club,
        "club-preset": after_acts(club, "next", "hold", "next"),
        "club-corners": after_acts(club, "next", "hold", *["next"] * 9, "take"),
        "club-control": after_acts(club, "next", "hold", "hold", "next"),
        "club-refused": after_acts(club, "hold", "next", *["take"] * 9, "hold"),
        "club-home": device,
        "club-display": after_acts(device, lines[HomeLine.DISPLAY]),
        "club-device": after_acts(device, lines[HomeLine.DEVICE]),
        "club-games": after_acts(device, lines[HomeLine.GAMES]),
        "club-game": after_acts(device, lines[HomeLine.GAMES], "next", "take", "next"),
        "club-phone": after_acts(device, lines[HomeLine.GAMES], "hold"),
        "club-no-games": after_acts(replace(device, games=()), lines[HomeLine.GAMES]),
        "club-off": after_acts(device, lines[HomeLine.OFF]),
        "club-names": after_acts(club, "next", "hold", "hold", "hold", "next"),
        "table": on(home_page, Task.TABLE),
    }
