"""Meaning of the arbiter's input on the arbiter's screen: ``handle_input(state, act) -> ArbiterUpdate``, pure.

- Two buttons suffice: left goes to the next item, right accepts. The arbiter's own button goes back.
- A change of the game takes effect only from the preview, and only when the right button, or its place on the display,
  was held.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from engine.board.variants import shape_of
from engine.i18n import Text
from engine.match import MatchState
from engine.match.arbiter_order_specs_and_parser import RULINGS
from engine.match.match_events_and_effects import Action
from engine.match.match_value_types import Message
from kiosk.table.arbiter import arbiter_screen_forms_to_orders
from kiosk.table.arbiter import two_button_form_input as form_input
from kiosk.table.arbiter.presets_settings_last_games_input import handle_settings_input
from kiosk.table.arbiter.two_button_form_input import ArbiterInput, ArbiterUpdate
from kiosk.table.board_sources.transcriber_source import index_of, with_next_disc
from kiosk.table.state import TableState
from kiosk.table.state.arbiter_screen_state import SECOND_NS, ArbiterPage, ArbiterSession, Countdown, HomeTask, Task

#: orders after which the arbiter's screen stays open; after the others the players continue on their own
_STAYING = frozenset({Action.CHALLENGE, Action.LATE_READING, Action.SET_TIME, Action.DEDUCT, Action.UNRATED})


def handle_input(state: TableState, act: ArbiterInput) -> ArbiterUpdate:
    """Return what an input means on the open page."""
    assert state.arbiter is not None
    session = replace(state.arbiter, used_ns=act.at_ns, outcome="")
    if act.name == form_input.TURN and session.page is not ArbiterPage.CLUB_OFF:
        return ArbiterUpdate(replace(session, turned=not session.turned))
    return _HANDLERS.get(session.page, handle_settings_input)(state, session, act)


def home(session: ArbiterSession, message: str = "") -> ArbiterSession:
    return ArbiterSession(session.used_ns, session.game, ArbiterPage.HOME, turned=session.turned, outcome=message)


# --- the PIN --------------------------------------------------------------------------------------------------------


def _pin(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    if act.name == form_input.BACK:
        return ArbiterUpdate(None)
    if session.checking or not state.pin.is_set or act.at_ns < state.pin.locked_until_ns:
        return ArbiterUpdate(session)
    session = form_input.figures(session, act)
    if len(session.entered) < state.pin.digits:
        return ArbiterUpdate(session)
    return ArbiterUpdate(replace(session, checking=True), check=session.entered)


# --- choosing -------------------------------------------------------------------------------------------------------


def _home(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    if act.name == form_input.BACK:
        return ArbiterUpdate(None)
    tasks = arbiter_screen_forms_to_orders.available_tasks(state.match, act.at_ns)
    session, line = _list(session, act, len(tasks))
    return ArbiterUpdate(session) if line is None else _open(state, session, tasks[line], act.at_ns)


def _list(session: ArbiterSession, act: ArbiterInput, lines: int) -> tuple[ArbiterSession, int | None]:
    """Move the mark; return the line that was chosen, if any."""
    marked = min(session.cell, lines - 1)
    touched = act.number(form_input.LINE)
    if touched is not None and touched < lines:
        return replace(session, cell=touched), touched
    if act.name == form_input.NEXT:
        return replace(session, cell=(marked + form_input.turn_step(act)) % lines), None
    return session, marked if act.name == form_input.TAKE else None


def _open(state: TableState, session: ArbiterSession, task: HomeTask, now_ns: int) -> ArbiterUpdate:
    session = replace(session, task=task, cell=0)
    match = state.match
    if task is Task.TABLE:
        form = arbiter_screen_forms_to_orders.equipment(equipment_on(state))
        return ArbiterUpdate(replace(session, page=ArbiterPage.FORM, form=form))
    if match is None:
        return ArbiterUpdate(home(session))
    if task is Task.NOTES:
        return ArbiterUpdate(replace(session, page=ArbiterPage.NOTES))
    if task is Task.REPLAY:
        return ArbiterUpdate(replace(session, page=ArbiterPage.REPLAY, cell=len(match.turns)))
    if not isinstance(task, Action):
        return ArbiterUpdate(replace(session, page=ArbiterPage.BOARD, draft=match.board or ""))
    form = arbiter_screen_forms_to_orders.initial_form(match, task, now_ns, unseated=not state.player_at)
    session = replace(session, form=form)
    return ArbiterUpdate(replace(session, page=ArbiterPage.FORM)) if form else _after_form(state, session, now_ns)


def equipment_on(state: TableState) -> frozenset[str]:
    """Return the names of the equipment that is switched on."""
    on = {f"touch-{seat}" for seat in state.touch_ordered} | {f"audible-{seat}" for seat in state.audible}
    switches = {"silenced": state.silenced, "one-operates": state.one_operates}
    return frozenset(on | {name for name, is_on in switches.items() if is_on})


# --- filling in -----------------------------------------------------------------------------------------------------


def _form(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    if act.name == form_input.BACK:
        return ArbiterUpdate(home(session))
    if act.name == form_input.DONE or (act.name == form_input.TAKE and act.held):
        return _after_form(state, session, act.at_ns)
    return ArbiterUpdate(form_input.with_form_input(session, act))


def _after_form(state: TableState, session: ArbiterSession, now_ns: int) -> ArbiterUpdate:
    """Continue after a completed form: to the reason, to the preview, or directly to the effect if it needs neither. An
    order that needs no reason is recorded with its usual one.
    """
    if session.task is Task.TABLE:
        on = frozenset(field.name for field in session.form if field.values[0])
        return ArbiterUpdate(home(session, "done"), equipment=on)
    if session.task is Action.RESUME and session.form:
        return _resume(state, session, now_ns)
    if not all(field.is_filled for field in session.form):
        return ArbiterUpdate(replace(session, outcome="unfilled"))
    assert isinstance(session.task, Action)
    usual = arbiter_screen_forms_to_orders.USUAL_REASON.get(session.task, 0)
    if RULINGS[session.task].needs_reason:
        return ArbiterUpdate(replace(session, page=ArbiterPage.REASON, cell=usual))
    reason = "" if session.task is Action.RESUME else arbiter_screen_forms_to_orders.recorded_reason(usual)
    return _to_preview(state, session, reason, now_ns)


def _resume(state: TableState, session: ArbiterSession, now_ns: int) -> ArbiterUpdate:
    match = state.match
    assert match is not None
    ruling = arbiter_screen_forms_to_orders.order(match, Action.RESUME, session.form, "", now_ns)
    seconds = int(session.form[0].option)
    if isinstance(arbiter_screen_forms_to_orders.game_after_order(match, ruling), Text):
        return ArbiterUpdate(home(session, "refused"))
    if seconds == 0:
        return ArbiterUpdate(None, ruling=ruling)
    return ArbiterUpdate(None, countdown=Countdown(now_ns + seconds * SECOND_NS, ruling))


def _reason(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    if act.name == form_input.BACK:
        if session.coding:
            return ArbiterUpdate(replace(session, coding=False, entered=(), figure=0))
        return ArbiterUpdate(replace(session, page=ArbiterPage.FORM, cell=0) if session.form else home(session))
    if session.coding:
        session = form_input.figures(session, act)
        if len(session.entered) < arbiter_screen_forms_to_orders.CODE_DIGITS:
            return ArbiterUpdate(session)
        return _to_preview(state, session, f"code {''.join(map(str, session.entered))}", act.at_ns)
    session, line = _list(session, act, arbiter_screen_forms_to_orders.CODE_LINE + 1)
    if line is None:
        return ArbiterUpdate(session)
    if line == arbiter_screen_forms_to_orders.CODE_LINE:
        return ArbiterUpdate(replace(session, coding=True, entered=(), figure=0))
    return _to_preview(state, session, arbiter_screen_forms_to_orders.recorded_reason(line), act.at_ns)


# --- the effect -----------------------------------------------------------------------------------------------------


def _to_preview(state: TableState, session: ArbiterSession, reason: str, now_ns: int) -> ArbiterUpdate:
    match, task = state.match, session.task
    assert match is not None and isinstance(task, Action)
    ruling = arbiter_screen_forms_to_orders.order(match, task, session.form, reason, now_ns)
    return ArbiterUpdate(
        replace(session, page=ArbiterPage.PREVIEW, reason=reason, ruling=ruling, coding=False, entered=(), cell=0)
    )


def _preview(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    if act.name == form_input.BACK:
        return ArbiterUpdate(replace(session, page=ArbiterPage.FORM) if session.form else home(session))
    match, carried_out = state.match, act.held and act.name in (form_input.TAKE, form_input.CARRY_OUT)
    if not carried_out or session.ruling is None or match is None:
        return ArbiterUpdate(session)
    ruling = replace(session.ruling, at_ns=act.at_ns)
    if isinstance(arbiter_screen_forms_to_orders.game_after_order(match, ruling), Text):
        return ArbiterUpdate(home(session, "refused"))
    seated = arbiter_screen_forms_to_orders.seats_of(ruling.action, session.form)
    return ArbiterUpdate(home(session, "done") if ruling.action in _STAYING else None, ruling=ruling, seated=seated)


def _notes_or_replay(state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    """Handle the notes and the replay: left goes back in time, right forward."""
    if act.name == form_input.BACK:
        return ArbiterUpdate(home(session))
    match = state.match
    assert match is not None
    last = len(match.turns) if session.page is ArbiterPage.REPLAY else max(0, len(arbiter_notes(match)) - 1)
    earlier = session.page is ArbiterPage.REPLAY
    step = {form_input.NEXT: -1 if earlier else 1, form_input.TAKE: 1 if earlier else -1}.get(act.name, 0)
    return ArbiterUpdate(replace(session, cell=max(0, min(last, session.cell + step))))


def _board(_state: TableState, session: ArbiterSession, act: ArbiterInput) -> ArbiterUpdate:
    """Handle the entry of the current board, for a turn that was not read or that the arbiter corrected."""
    if act.name == form_input.BACK:
        return ArbiterUpdate(home(session))
    if act.name == form_input.DONE or (act.name == form_input.TAKE and act.held):
        return ArbiterUpdate(home(session, "done"), board=session.draft)
    if act.name == form_input.NEXT:
        step = shape_of(session.draft).columns if act.held else 1
        return ArbiterUpdate(replace(session, cell=(session.cell + step) % len(session.draft)))
    if act.name.startswith(form_input.SQUARE):
        session = replace(session, cell=index_of(session.draft, act.name.removeprefix(form_input.SQUARE)))
    elif act.name != form_input.TAKE:
        return ArbiterUpdate(session)
    return ArbiterUpdate(replace(session, draft=with_next_disc(session.draft, session.cell)))


def arbiter_notes(match: MatchState) -> tuple[Message, ...]:
    """Return the engine's messages for the arbiter, each once, the latest first."""
    latest = {message.text: message for message in match.shown_to_arbiter}
    return tuple(sorted(latest.values(), key=lambda message: message.at_ns, reverse=True))


_HANDLERS: Mapping[ArbiterPage, Callable[[TableState, ArbiterSession, ArbiterInput], ArbiterUpdate]] = {
    ArbiterPage.PIN: _pin,
    ArbiterPage.HOME: _home,
    ArbiterPage.FORM: _form,
    ArbiterPage.REASON: _reason,
    ArbiterPage.PREVIEW: _preview,
    ArbiterPage.NOTES: _notes_or_replay,
    ArbiterPage.REPLAY: _notes_or_replay,
    ArbiterPage.BOARD: _board,
}
