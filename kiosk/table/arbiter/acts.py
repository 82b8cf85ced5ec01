"""Meaning of the arbiter's input on the arbiter's screen: ``act(state, Act) -> Answer``, pure.

- Two buttons suffice: left goes to the next item, right accepts. The arbiter's own button goes back.
- A change of the game takes effect only from the preview, and only when the right button, or its place on the display,
  was held.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.match import MatchState
from engine.match.boards import columns_of
from engine.match.events import Arbiter
from engine.match.model import Message, Seat
from kiosk.table.arbiter import clock_settings, forms, reasons
from kiosk.table.arbiter.filling import cells, figures, is_figure, picked, step, turned, typed
from kiosk.table.arbiter.finger import BACK, CARRY_OUT, CELL, DONE, KEY, LINE, NEXT, PICK, SQUARE, TAKE, TURN, Act
from kiosk.table.boards.transcriber import index_of, with_next_disc
from kiosk.table.state import LinkState, TableState
from kiosk.table.state.arbiter_session import SECOND_NS, Countdown, Page, Session, Task
from kiosk.table.state.club import Club

#: orders after which the players continue on their own screen
_CLOSING = frozenset(
    {Task.RESULT, Task.FORFEIT, Task.RESIGNATION, Task.LATE_START, Task.REOPEN, Task.FLAG, Task.BOTH_FLAGS}
)


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of one input.

    ``session`` None: close the screen. ``check``: digits to check as a PIN. ``ruling`` is an order for the match,
    applied after ``seated`` (seat -> index into the assignment's players). ``countdown`` starts; ``equipment`` is the
    table's equipment that is switched on. ``board`` is the board on the table. ``club`` is the new setting of a free
    clock.
    """

    session: Session | None
    club: Club | None = None
    check: tuple[int, ...] = ()
    board: str = ""
    ruling: Arbiter | None = None
    seated: Mapping[Seat, int] = field(default_factory=dict)
    countdown: Countdown | None = None
    equipment: frozenset[str] | None = None


def act(state: TableState, act: Act) -> Answer:
    """Return what ``act`` means on the open page."""
    assert state.arbiter is not None
    session = replace(state.arbiter, used_ns=act.at_ns, said="")
    if act.name == TURN:
        return Answer(replace(session, turned=not session.turned))
    match session.page:
        case Page.PIN:
            return _pin(state, session, act)
        case Page.HOME:
            return _home(state, session, act)
        case Page.FORM:
            return _form(state, session, act)
        case Page.REASON:
            return _reason(state, session, act)
        case Page.PREVIEW:
            return _preview(state, session, act)
        case Page.NOTES | Page.REPLAY:
            return _looking(state, session, act)
        case Page.BOARD:
            return _board(session, act)
        case (
            Page.CLUB | Page.CLUB_PRESET | Page.CLUB_CHOUCHOU | Page.CLUB_CONTROL | Page.CLUB_NAMES | Page.CLUB_DISPLAY
        ):
            return Answer(*clock_settings.act(state.club, session, act, state.link is LinkState.NONE))


def home(session: Session, said: str = "") -> Session:
    return Session(session.used_ns, session.game, Page.HOME, turned=session.turned, said=said)


# --- the PIN --------------------------------------------------------------------------------------------------------


def _pin(state: TableState, session: Session, act: Act) -> Answer:
    if act.name == BACK:
        return Answer(None)
    if session.checking or not state.pin.is_set or act.at_ns < state.pin.locked_until_ns:
        return Answer(session)
    session = figures(session, act)
    if len(session.entered) < state.pin.digits:
        return Answer(session)
    return Answer(replace(session, checking=True), check=session.entered)


# --- choosing -------------------------------------------------------------------------------------------------------


def _home(state: TableState, session: Session, act: Act) -> Answer:
    if act.name == BACK:
        return Answer(None)
    tasks = forms.possible(state.match, act.at_ns)
    session, line = _list(session, act, len(tasks))
    return Answer(session) if line is None else _open(state, session, tasks[line], act.at_ns)


def _list(session: Session, act: Act, lines: int) -> tuple[Session, int | None]:
    """Move the mark; return the line that was chosen, if any."""
    marked = min(session.cell, lines - 1)
    touched = act.number(LINE)
    if touched is not None and touched < lines:
        return replace(session, cell=touched), touched
    if act.name == NEXT:
        return replace(session, cell=(marked + (-1 if act.held else 1)) % lines), None
    return session, marked if act.name == TAKE else None


def _open(state: TableState, session: Session, task: Task, now_ns: int) -> Answer:
    session = replace(session, task=task, cell=0)
    match = state.match
    if task is Task.TABLE:
        return Answer(replace(session, page=Page.FORM, form=forms.equipment(equipment_on(state))))
    if match is None:
        return Answer(home(session))
    if task is Task.NOTES:
        return Answer(replace(session, page=Page.NOTES))
    if task is Task.REPLAY:
        return Answer(replace(session, page=Page.REPLAY, cell=len(match.turns)))
    if task is Task.BOARD:
        return Answer(replace(session, page=Page.BOARD, draft=match.board or ""))
    form = forms.blank(match, task, now_ns, unseated=not state.player_at)
    session = replace(session, form=form)
    return Answer(replace(session, page=Page.FORM)) if form else _filled(state, session, now_ns)


def equipment_on(state: TableState) -> frozenset[str]:
    on = {f"touch-{seat}" for seat in state.touch_ordered} | {f"audible-{seat}" for seat in state.audible}
    return frozenset(on | {name for name, yes in _switches(state) if yes})


def _switches(state: TableState) -> tuple[tuple[str, bool], ...]:
    return ("silenced", state.silenced), ("one-operates", state.one_operates)


# --- filling in -----------------------------------------------------------------------------------------------------


def _form(state: TableState, session: Session, act: Act) -> Answer:
    if act.name == BACK:
        return Answer(home(session))
    if act.name == DONE or (act.name == TAKE and act.held):
        return _filled(state, session, act.at_ns)
    places = cells(session.form)
    touched, key = act.number(CELL), act.number(KEY)
    if act.name == NEXT and act.held and is_figure(session):
        return Answer(replace(session, form=turned(session.form, *places[session.cell], step(act))))
    if act.name == NEXT:
        return Answer(replace(session, cell=(session.cell + (-1 if act.held else 1)) % len(places)))
    if act.name.startswith(PICK):
        return Answer(picked(session, act.name, places))
    if act.name == TAKE or touched == session.cell:
        return Answer(replace(session, form=turned(session.form, *places[session.cell])))
    if touched is not None and touched < len(places):
        return Answer(replace(session, cell=touched))
    if key is not None:
        return Answer(typed(session, key, places))
    return Answer(session)


def _filled(state: TableState, session: Session, now_ns: int) -> Answer:
    """Continue after a completed form: to the reason, to the preview, or directly to the effect if it needs neither. An
    order that needs no reason is recorded with its usual one.
    """
    if session.task is Task.TABLE:
        on = frozenset(asked.name for asked in session.form if asked.values[0])
        return Answer(home(session, "done"), equipment=on)
    if session.task is Task.RESUME and session.form:
        return _resume(state, session, now_ns)
    if not all(field.is_filled for field in session.form):
        return Answer(replace(session, said="unfilled"))
    assert session.task is not None
    usual = reasons.usual_line(session.task)
    if forms.needs_reason(session.task):
        return Answer(replace(session, page=Page.REASON, cell=usual))
    return _to_preview(state, session, "" if session.task is Task.RESUME else reasons.filed(usual), now_ns)


def _resume(state: TableState, session: Session, now_ns: int) -> Answer:
    match = state.match
    assert match is not None and session.task is not None
    ruling = forms.order(match, session.task, session.form, "", now_ns)
    seconds = forms.countdown_s(session.form)
    if forms.after(match, ruling) is None:
        return Answer(home(session, "refused"))
    if seconds == 0:
        return Answer(None, ruling=ruling)
    return Answer(None, countdown=Countdown(now_ns, now_ns + seconds * SECOND_NS, ruling))


def _reason(state: TableState, session: Session, act: Act) -> Answer:
    if act.name == BACK:
        if session.coding:
            return Answer(replace(session, coding=False, entered=(), figure=0))
        return Answer(replace(session, page=Page.FORM, cell=0) if session.form else home(session))
    if session.coding:
        session = figures(session, act)
        if len(session.entered) < reasons.CODE_DIGITS:
            return Answer(session)
        return _to_preview(state, session, reasons.filed_code(session.entered), act.at_ns)
    session, line = _list(session, act, reasons.CODE_LINE + 1)
    if line is None:
        return Answer(session)
    if line == reasons.CODE_LINE:
        return Answer(replace(session, coding=True, entered=(), figure=0))
    return _to_preview(state, session, reasons.filed(line), act.at_ns)


# --- the effect -----------------------------------------------------------------------------------------------------


def _to_preview(state: TableState, session: Session, reason: str, now_ns: int) -> Answer:
    match, task = state.match, session.task
    assert match is not None and task is not None
    ruling = forms.order(match, task, session.form, reason, now_ns)
    return Answer(replace(session, page=Page.PREVIEW, reason=reason, ruling=ruling, coding=False, entered=(), cell=0))


def _preview(state: TableState, session: Session, act: Act) -> Answer:
    if act.name == BACK:
        return Answer(replace(session, page=Page.FORM) if session.form else home(session))
    match, task = state.match, session.task
    if not act.held or act.name not in (TAKE, CARRY_OUT) or session.ruling is None or match is None or task is None:
        return Answer(session)
    ruling = replace(session.ruling, at_ns=act.at_ns)
    if not _is_still(match, ruling):
        return Answer(home(session, "refused"))
    seated = forms.seats_of(task, session.form)
    return Answer(None if task in _CLOSING else home(session, "done"), ruling=ruling, seated=seated)


def _is_still(match: MatchState, ruling: Arbiter) -> bool:
    return forms.after(match, ruling) is not None


def _looking(state: TableState, session: Session, act: Act) -> Answer:
    """Handle the notes and the replay: left goes back in time, right forward."""
    if act.name == BACK:
        return Answer(home(session))
    match = state.match
    assert match is not None
    last = len(match.turns) if session.page is Page.REPLAY else max(0, len(notes(match)) - 1)
    earlier = session.page is Page.REPLAY
    step = {NEXT: -1 if earlier else 1, TAKE: 1 if earlier else -1}.get(act.name, 0)
    return Answer(replace(session, cell=max(0, min(last, session.cell + step))))


def _board(session: Session, act: Act) -> Answer:
    """Handle the entry of the current board, for a turn that was not read or that the arbiter corrected."""
    if act.name == BACK:
        return Answer(home(session))
    if act.name == DONE or (act.name == TAKE and act.held):
        return Answer(home(session, "done"), board=session.draft)
    if act.name == NEXT:
        return Answer(
            replace(
                session,
                cell=(session.cell + (columns_of(len(session.draft)) if act.held else 1)) % len(session.draft),
            )
        )
    if act.name.startswith(SQUARE):
        session = replace(session, cell=index_of(session.draft, act.name.removeprefix(SQUARE)))
    elif act.name != TAKE:
        return Answer(session)
    return Answer(replace(session, draft=with_next_disc(session.draft, session.cell)))


def notes(match: MatchState) -> tuple[Message, ...]:
    """Return the engine's messages for the arbiter, each once, the latest first."""
    latest = {message.text: message for message in match.shown_to_arbiter}
    return tuple(sorted(latest.values(), key=lambda message: message.at_ns, reverse=True))
