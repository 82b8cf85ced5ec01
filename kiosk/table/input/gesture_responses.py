"""Meaning of a gesture at the two buttons in the present state: ``respond(state, gesture) -> Response``, pure.

- While a clock runs, a player's own button switches it at the edge (``ButtonDown``), and the players need to do
  nothing else.
- Both buttons held together stop it and call the arbiter. So does the waiting player by a short press followed by a
  long one; leaning on a button stops no clock.
- Elsewhere the buttons answer the screen: a short press says yes or goes on, a long press chooses or calls, both
  together end a count.
- Ending a game that has no board source, and resuming or resigning where no arbiter can be reached, takes both
  players: one offers, the other agrees.
- No rule is decided here; ``engine.match`` refuses a press that the rules do not allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.board.color import Color
from engine.copy_with_changes import replace
from engine.i18n import say
from engine.match import MatchState, Phase, Seat, awaits_count, is_hand_counted, proposed_result
from engine.match import match_events_and_effects as events
from engine.match.match_events_and_effects import Event
from kiosk.table.game import chouchou_capture_count_entry
from kiosk.table.game.match_steps_and_head_commands import call_arbiter
from kiosk.table.input import challenge_violation_menu
from kiosk.table.input import gesture_recognition as gestures
from kiosk.table.state import TIME_WIN_CHOICES, AfterChoice, Hint, HoldChoice, PendingAgreement, SetupStep, TableState
from kiosk.table.state.display_languages import next_language

#: phases in which a player's own button switches the clock
CLOCK_PHASES = frozenset({Phase.READY, Phase.TURN, Phase.CORR, Phase.FINISH})
#: those in which one person who presses for both stops the clock by holding a button
STOPPED_BY_ONE = CLOCK_PHASES - {Phase.READY}
#: phases in which a place on the screen may replace holding both buttons
_TOUCHED_DONE = frozenset({Phase.SETUP, Phase.ENDED, Phase.RESULT, Phase.SIGNED})
#: touch keys of ChouChou's score board, and by how much they change it
_CAPTURE_KEYS = {chouchou_capture_count_entry.CAPTURED_MORE: 1, chouchou_capture_count_entry.CAPTURED_LESS: -1}
#: discs per step of a held button; with short presses for the rest, every count is quickly reached
HELD_COUNT = 5


@dataclass(frozen=True, slots=True)
class Response:
    """Answer to a gesture.

    ``state``: the table's new state; ``events``: events for the match; ``seated``: who sits where once known (seat ->
    index into the assignment's players). ``taken_back``: times of presses that turned out to be part of this gesture.
    ``settings``: open the settings. ``after``: do what a player chose after the game. ``hint``: why the gesture has no
    effect.
    """

    state: TableState
    events: tuple[Event, ...] = ()
    seated: Mapping[Seat, int] | None = None
    taken_back: tuple[int, ...] = ()
    settings: bool = False
    after: AfterChoice | None = None
    hint: Hint | None = None


def respond(state: TableState, gesture: gestures.Gesture) -> Response:
    """Return the response to ``gesture`` in ``state``. If the match refuses an event, the caller drops ``state`` and
    logs.
    """
    match = state.match
    if state.countdown is not None:
        return Response(state)  # both wait for the countdown's end; the arbiter's button stops it
    if isinstance(gesture, gestures.HoldRepeat):
        return _repeat_count(state, gesture.seat)
    if isinstance(gesture, gestures.LongPress) and (stopped := _stop_by_one(state, gesture)) is not None:
        return stopped
    if isinstance(gesture, gestures.LongPress) and (match is None or match.phase is Phase.SETUP):
        changed = {**state.languages, gesture.seat: next_language(state.languages[gesture.seat])}
        return Response(replace(state, languages=changed))
    if match is None:
        return Response(state, settings=isinstance(gesture, gestures.BothPressed))
    if state.counting and match.phase is Phase.TURN:
        return _count_discs(state, match, gesture)
    if match.phase in CLOCK_PHASES:
        return _clock_running(state, match, gesture)
    match gesture:
        case gestures.ButtonDown(seat, at_ns) if match.phase is Phase.LATE:
            return Response(state, (_while_late(match, seat, at_ns),))
        case gestures.ButtonDown():
            return Response(state)
        case gestures.ShortPress(seat, at_ns):
            return _short(state, match, seat, at_ns)
        case gestures.LongPress(seat, at_ns, pressed_before):
            return _long(state, match, seat, at_ns, pressed_before)
        case gestures.BothPressed(at_ns, _):
            return _press_both(state, match, at_ns)


def _repeat_count(state: TableState, seat: Seat) -> Response:
    """Continue a count while the button is held; nothing else repeats."""
    match = state.match
    if match is None or not awaits_count(match):
        return Response(state)
    return Response(replace(state, black_count=_count(state, match, seat, HELD_COUNT)))


def _clock_running(state: TableState, match: MatchState, gesture: gestures.Gesture) -> Response:
    begun = match.phase is not Phase.READY
    match gesture:
        case gestures.ButtonDown(seat) | gestures.ShortPress(seat) | gestures.LongPress(seat) if (
            match.phase is Phase.CORR and challenge_violation_menu.naming_state_of(state, seat) is not None
        ):
            return _name_error(state, match, gesture)
        case gestures.ButtonDown(seat, at_ns):
            noted = chouchou_capture_count_entry.pending_count(state, match, at_ns)
            return Response(state, (*noted, events.Press(at_ns, _seat_of_press(state, match, seat))))
        case gestures.LongPress(seat, at_ns, pressed) if begun and seat is not match.clock.running:
            return _stop(state, seat, at_ns, pressed)
        case gestures.BothPressed(at_ns, _) if not begun and state.can_take_back:
            return Response(state, (events.Reopen(at_ns),))
        case gestures.BothPressed(at_ns, presses) if (before := _start_of_both(match, presses)) is not None and (
            replace(state, match=before).can_take_back
        ):
            return Response(state, (events.Reopen(at_ns),), taken_back=presses)
        case gestures.BothPressed(at_ns, presses) if begun:
            return _both_clock_running(state, match, at_ns, presses)
        case _:
            return Response(state)


def _name_error(state: TableState, match: MatchState, gesture: gestures.Gesture) -> Response:
    """M43-6a.3: name the error by the challenger's button, while the offender's time runs after the challenge press."""
    if not isinstance(gesture, gestures.ShortPress | gestures.LongPress):
        return Response(state)
    named = challenge_violation_menu.naming_state_of(state, gesture.seat)
    assert named is not None
    if isinstance(gesture, gestures.ShortPress):
        return Response(challenge_violation_menu.next_line(state, match, named))
    return Response(*challenge_violation_menu.choose_line(state, match, named, gesture.seat, gesture.at_ns))


def _while_late(match: MatchState, seat: Seat, at_ns: int) -> Event:
    """M43-12.2: start the late player's time by the button of the player present. While it runs, a press on either side
    reports the late player's arrival (M43-13.1). The press counts at its edge.
    """
    if seat is match.late or match.start_press_due:
        return events.Press(at_ns, seat)
    return events.Arrive(at_ns)


def _both_clock_running(state: TableState, match: MatchState, at_ns: int, presses: tuple[int, int]) -> Response:
    """Handle both buttons held: the clock stops and the arbiter is called (M43-11); in ChouChou the score board is
    entered. The two presses were no moves.
    """
    if chouchou_capture_count_entry.can_enter_pieces(match):
        count = chouchou_capture_count_entry.final_count(state, match, at_ns)
        return Response(replace(state, counting=not count), count, taken_back=presses)
    return Response(replace(state, menu={}), call_arbiter(state, at_ns), taken_back=presses)


def _stop(state: TableState, seat: Seat, at_ns: int, pressed_before: bool) -> Response:
    """M43-11: stop the clock and call the arbiter for the waiting player."""
    if not pressed_before:
        return Response(state, hint=Hint.KNOCK)
    return Response(replace(state, menu={}), (events.Hold(at_ns, seat),))


def _stop_by_one(state: TableState, held: gestures.LongPress) -> Response | None:
    """M43-19: where one person presses for both, holding a button stops the clock; its press was no move."""
    match, pressed_ns = state.match, held.at_ns - gestures.LONG_NS
    if match is None or not state.one_operates:
        return None
    before = match.undo.before if match.undo is not None and match.undo.press.at_ns == pressed_ns else match
    if before.phase not in STOPPED_BY_ONE:
        return None
    taken_back = () if before is match else (pressed_ns,)
    return Response(replace(state, menu={}), call_arbiter(replace(state, match=before), held.at_ns), None, taken_back)


def _seat_of_press(state: TableState, match: MatchState, seat: Seat) -> Seat:
    """K-17: return the seat that a press counts for; where one person presses for both, any button is accepted."""
    if not state.one_operates:
        return seat
    if match.phase is Phase.READY:
        return match.seat_of(match.first.opponent) or seat
    return match.clock.running or seat


def _count_discs(state: TableState, match: MatchState, gesture: gestures.Gesture) -> Response:
    """Handle the entry of ChouChou's score board by the buttons, on the player's own time."""
    match gesture:
        case gestures.ShortPress(seat, _):
            return Response(chouchou_capture_count_entry.with_pieces_changed(state, match, seat, 1))
        case gestures.LongPress(seat, _):
            return Response(chouchou_capture_count_entry.with_pieces_changed(state, match, seat, -1))
        case gestures.BothPressed(at_ns, _):
            final = chouchou_capture_count_entry.final_count(state, match, at_ns)
            return Response(replace(state, counting=False), final)
        case gestures.ButtonDown() | gestures.HoldRepeat():
            return Response(state)


def _short(state: TableState, match: MatchState, seat: Seat, at_ns: int) -> Response:
    if awaits_count(match):
        return Response(replace(state, black_count=_count(state, match, seat, 1)))
    match match.phase:
        case Phase.SETUP:
            return _settle(state, seat, at_ns)
        case Phase.CHECK | Phase.FREE:
            return Response(state, (events.Press(at_ns, seat),))
        case Phase.HOLD if state.offered is not None:
            return Response(replace(state, offer=None))
        case Phase.HOLD:
            return _mark_next(state, seat, len(state.hold_choices))
        case Phase.CHOICE if seat is _concerned_seat(match):
            return _mark_next(state, seat, len(TIME_WIN_CHOICES))
        case Phase.SIGNED | Phase.SUBMITTED:
            return _mark_next(state, seat, len(state.after_choices))
        case Phase.ENDED if state.claims_time:
            return _mark_next(state, seat, len(state.hold_choices))
        case Phase.ENDED | Phase.RESULT if proposed_result(match) is not None:
            return Response(state, (events.Confirm(at_ns, _color(match, seat)),))
        case _:
            return Response(state)


def _long(state: TableState, match: MatchState, seat: Seat, at_ns: int, pressed_before: bool = False) -> Response:
    if awaits_count(match):
        return Response(replace(state, black_count=_count(state, match, seat, HELD_COUNT)))
    match match.phase:
        case Phase.CHECK if seat is match.clock.running:
            return Response(state, (events.DeclareEnd(at_ns, _color(match, seat)),))
        case Phase.CHECK:
            return _stop(state, seat, at_ns, pressed_before)
        case Phase.ENDED if state.claims_time:
            return _chosen_in_hold(state, match, seat, at_ns)
        case Phase.ENDED if proposed_result(match) is not None:
            return Response(state, (events.Agree(at_ns, agree=False),))
        case Phase.HOLD if state.offered is not None:
            return _carry_out_offer(state, match, state.offered, seat, at_ns)
        case Phase.HOLD:
            return _chosen_in_hold(state, match, seat, at_ns)
        case Phase.CHOICE if seat is _concerned_seat(match):
            return Response(replace(state, menu={}), (events.Choose(at_ns, TIME_WIN_CHOICES[state.marked(seat)]),))
        case Phase.SIGNED | Phase.SUBMITTED:
            return Response(state, after=state.after_choices[state.marked(seat) % len(state.after_choices)])
        case Phase.FREE if seat is _concerned_seat(match):
            return Response(state, (events.StopFreePlay(at_ns),))
        case Phase.FREE:
            return _stop(state, seat, at_ns, pressed_before)
        case Phase.RESULT if chouchou_capture_count_entry.are_pieces_missing(match):
            return Response(chouchou_capture_count_entry.with_one_piece_more(state, match, seat))
        case Phase.RESULT if is_hand_counted(match) and match.color_at(seat) not in match.confirmed:
            return Response(state, (events.Agree(at_ns, agree=False),))
        case _:
            return Response(state)


def _press_both(state: TableState, match: MatchState, at_ns: int) -> Response:
    if awaits_count(match):
        return Response(state, (events.DiscCount(at_ns, state.black_count, match.squares - state.black_count),))
    match match.phase:
        case Phase.CHECK | Phase.FREE:
            return Response(replace(state, menu={}), call_arbiter(state, at_ns))
        case Phase.ENDED if state.may_claim_time:
            since_ns = -1 if state.claims_time else match.clock.since_ns
            return Response(replace(state, menu={}, claims_since_ns=since_ns))
        case Phase.ENDED if proposed_result(match) is None:
            return Response(state, chouchou_capture_count_entry.final_count(state, match, at_ns))
        case Phase.RESULT if chouchou_capture_count_entry.can_enter_pieces(match):
            return Response(state, chouchou_capture_count_entry.final_count(state, match, at_ns))
        case Phase.SETUP if state.can_take_back:
            return _one_step_back(state)
        case Phase.SETUP if not state.has_head:
            return Response(state, settings=True)
        case Phase.SIGNED if not state.has_head:
            return Response(state, after=AfterChoice.NEW_GAME)
        case _:
            return Response(state)


def _mark(state: TableState, seat: Seat, line: int) -> TableState:
    return replace(state, menu={**state.menu, seat: line})


def _mark_next(state: TableState, seat: Seat, lines: int) -> Response:
    return Response(_mark(state, seat, (state.marked(seat) + 1) % lines))


def _settle(state: TableState, seat: Seat, at_ns: int) -> Response:
    """Handle one step of the set-up: who sits where, who has Black, who has the draw right (RULES.md 2)."""
    match state.step:
        case SetupStep.ASK_BLACK if state.asks_draw_right:
            return Response(replace(state, step=SetupStep.ASK_DRAW_RIGHT, black_seat=seat))
        case SetupStep.ASK_BLACK if state.designated:
            # M43-1: the colours are given, players[0] has Black; M43-4: Black chooses the seat.
            return Response(
                replace(state, step=None), (events.SeatsAssigned(at_ns, seat, None),), {seat: 0, seat.other: 1}
            )
        case SetupStep.ASK_PLAYER_A:
            seated = {seat: 0, seat.other: 1}
            return Response(replace(state, step=SetupStep.ASK_BLACK, player_at=seated), seated=seated)
        case SetupStep.ASK_BLACK if state.match is not None and state.match.no_draw:
            return Response(replace(state, step=SetupStep.ASK_DRAW_RIGHT, black_seat=seat))
        case SetupStep.ASK_BLACK:
            # This game can be drawn: the hidden disc decided only the colours (FS-03).
            return Response(replace(state, step=None), (events.SeatsAssigned(at_ns, seat, None),))
        case SetupStep.ASK_DRAW_RIGHT:
            assert state.black_seat is not None
            right = Color.BLACK if seat is state.black_seat else Color.WHITE
            players = {state.black_seat: 0, state.black_seat.other: 1} if state.asks_draw_right else None
            return Response(replace(state, step=None), (events.SeatsAssigned(at_ns, state.black_seat, right),), players)
        case None:
            return Response(state)


def _one_step_back(state: TableState) -> Response:
    """FS-05: go back one step, as both say that the last answer was wrong."""
    if state.black_seat is not None:
        return Response(replace(state, step=SetupStep.ASK_BLACK, black_seat=None))
    return Response(replace(state, step=SetupStep.ASK_PLAYER_A), seated={})


def _start_of_both(match: MatchState, presses: tuple[int, int]) -> MatchState | None:
    """Return the game before it was started by one of the two presses of a both-buttons hold; None if it was not."""
    undo = match.undo
    while undo is not None and undo.press.at_ns in presses:
        if undo.before.phase is Phase.READY:
            return undo.before
        undo = undo.before.undo
    return None


def _chosen_in_hold(state: TableState, match: MatchState, seat: Seat, at_ns: int) -> Response:
    chosen = state.hold_choices[state.marked(seat) % len(state.hold_choices)]
    state = replace(state, claims_since_ns=-1, menu={})
    match chosen:
        case HoldChoice.BACK:
            return Response(state)
        case HoldChoice.GO_ON if state.alone and match.held_by in (None, seat):
            reason = say("the players go on").template
            return Response(state, (events.ArbiterOrder(at_ns, events.Action.RESUME, reason),))
        case HoldChoice.CLAIM_TIME:
            return Response(state, (events.PlayerClaim(at_ns, _color(match, seat), events.ClaimKind.FLAG),))
        case HoldChoice.OWN_TIME_OUT:
            return Response(state, (events.Declare(at_ns, _color(match, seat)),))
        case HoldChoice.CHALLENGE:
            return Response(state, (events.PlayerClaim(at_ns, _color(match, seat), events.ClaimKind.ILLEGAL),))
        case HoldChoice.ARBITER | HoldChoice.GO_ON | HoldChoice.END | HoldChoice.RESIGN | HoldChoice.PENALTY:
            return Response(replace(state, offer=PendingAgreement(chosen, seat, match.clock.since_ns)))


def _carry_out_offer(state: TableState, match: MatchState, offer: PendingAgreement, seat: Seat, at_ns: int) -> Response:
    """Carry out the offer, to which the other player agreed by holding the button."""
    if seat is offer.by:
        return Response(state)
    settled = replace(state, menu={}, offer=None)
    match offer.choice:
        case HoldChoice.END:
            ender = match.side if match.active_phase is Phase.TURN else _color(match, offer.by)
            return Response(settled, () if ender is None else (events.DeclareEnd(at_ns, ender),))
        case HoldChoice.RESIGN:
            reason, loser = say("a player resigned, the other agreed").template, _color(match, offer.by)
            return Response(settled, (events.ArbiterOrder(at_ns, events.Action.RESIGNATION, reason, loser),))
        case HoldChoice.PENALTY:
            return Response(settled, () if match.side is None else (events.CapturePenalty(at_ns, match.side),))
        case HoldChoice.GO_ON:
            reason = say("both players agreed to go on, no arbiter").template
            return Response(settled, (events.ArbiterOrder(at_ns, events.Action.RESUME, reason),))
        case _:
            return Response(state)


def why_refused(match: MatchState, gesture: gestures.Gesture, response: Response) -> Hint | None:
    """Return the hint for a player whose press the rules did not allow."""
    for event in response.events:
        match event:
            case events.PlayerClaim(at_ns, by, events.ClaimKind.FLAG):
                return _why_not_established(match, by.opponent, at_ns, Hint.OPPONENT_HAS_TIME)
            case events.Declare(at_ns, by):
                return _why_not_established(match, by, at_ns, Hint.OWN_TIME_LEFT)
    match gesture:
        case gestures.ButtonDown(seat) if (
            match.phase in (Phase.TURN, Phase.CORR, Phase.FINISH) and seat is not match.clock.running
        ):
            return Hint.NOT_YOUR_TURN
        case gestures.LongPress() | gestures.ShortPress() | gestures.BothPressed():
            return Hint.NOT_NOW
        case _:
            return None  # the screen already shows whose press is expected


def _why_not_established(match: MatchState, flagged: Color, at_ns: int, has_time: Hint) -> Hint:
    """M43-15.3, TEAM-7.7c, AMB-06: after the last move only its maker's flag can be claimed or declared, until both
    have agreed. In play a fallen flag is refused only where the loser on time plays on, or nobody holds the draw right.
    """
    if not match.flag(flagged, at_ns):
        return has_time
    return Hint.NOT_NOW if match.last_move_ns is None else Hint.FLAG_TOO_LATE


def respond_to_touch(state: TableState, tap: gestures.Tap) -> Response:
    """Return the response to a touch on a player's half: a key drawn there, never the clock (see
    ``ButtonPipeline``)."""
    match, seat = state.match, Seat(tap.panel)
    if match is None or state.countdown is not None:
        return Response(state)
    if tap.action == gestures.NAME and challenge_violation_menu.naming_state_of(state, seat) is not None:
        return _name_error(state, match, (gestures.LongPress if tap.held else gestures.ShortPress)(seat, tap.at_ns))
    if tap.action == gestures.NAME and state.after_choices:
        return (_long if tap.held else _short)(state, match, seat, tap.at_ns)
    if tap.action == gestures.LONG:
        return respond(state, gestures.LongPress(seat, tap.at_ns)) if tap.held else Response(state)
    if tap.action == gestures.DONE:
        done = tap.held and (match.phase in _TOUCHED_DONE or awaits_count(match))
        return _press_both(state, match, tap.at_ns) if done else Response(state)
    if tap.action in _CAPTURE_KEYS and chouchou_capture_count_entry.can_enter_pieces(match):
        by = _CAPTURE_KEYS[tap.action]
        return Response(chouchou_capture_count_entry.with_pieces_changed(state, match, seat, by))
    if tap.action.startswith(gestures.COUNT) and awaits_count(match):
        count = state.black_count + int(tap.action.removeprefix(gestures.COUNT))
        return Response(replace(state, black_count=max(0, min(match.squares, count))))
    if tap.action.startswith(gestures.CHOICE) and (
        match.phase is Phase.HOLD or state.claims_time or _chooses(match, seat)
    ):
        lines = len(TIME_WIN_CHOICES if _chooses(match, seat) else state.hold_choices)
        marked = _mark(state, seat, min(int(tap.action[len(gestures.CHOICE) :]), lines - 1))
        return _long(marked, match, seat, tap.at_ns) if tap.held else Response(marked)
    return Response(state)


def _chooses(match: MatchState, seat: Seat) -> bool:
    return match.phase is Phase.CHOICE and seat is _concerned_seat(match)


def _concerned_seat(match: MatchState) -> Seat | None:
    """Return the seat of the player concerned by the phase (the winner on time in CHOICE and FREE)."""
    return None if match.side is None else match.seat_of(match.side)


def _count(state: TableState, match: MatchState, seat: Seat, by: int) -> int:
    """Change Black's count by the buttons: Black's own button adds, White's subtracts; one per press, five per step
    while held. The count wraps round, so that either player alone can reach every count.
    """
    step = by if match.color_at(seat) is Color.BLACK else -by
    return (state.black_count + step) % (match.squares + 1)


def _color(match: MatchState, seat: Seat) -> Color:
    color = match.color_at(seat)
    assert color is not None, "colours are settled in every phase but SETUP and LATE"
    return color
