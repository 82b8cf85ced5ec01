"""Forms of the arbiter's orders at the table, and the orders made from them. Pure.

A form starts with the present values. What an order needs is defined by
``engine.match.arbiter_order_specs_and_parser``; whether it is allowed, and its effect, are determined by ``step``.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from engine.board.color import Color
from engine.i18n import Text, say, text_of
from engine.match import IllegalEvent, MatchState, arbiter_order_specs_and_parser, step
from engine.match.arbiter_order_specs_and_parser import read_order
from engine.match.match_events_and_effects import Action, ArbiterOrder
from engine.match.match_value_types import NS_PER_S, Phase, Seat
from engine.match.rule_sets_and_options import NoShowPolicy, ScoreRule
from kiosk.table.state.arbiter_screen_state import NONE_YET, ORDERS, Field, Form, HomeTask, Task

#: seconds of countdown before a clock resumes, so that both players are ready; 0: at once
COUNTDOWNS_S = (3, 5, 10, 0)
BOTH_COLORS = (str(Color.BLACK), str(Color.WHITE))
BOTH_SEATS = (str(Seat.LEFT), str(Seat.RIGHT))
KEEP, DRAW, YES, NO = "keep", "draw", "yes", "no"
#: the two players by their index in the assignment; orders that are possible before they are seated ask for one
PLAYERS = ("player-0", "player-1")
_WHO = {Action.LATE_START: "who-absent", Action.FORFEIT: "who-loses", Action.RESULT: "who-black"}
#: equipment that can be switched at the table; the names are those of the table's state
EQUIPMENT = ("touch-left", "touch-right", "audible-left", "audible-right", "silenced", "one-operates")


def available_tasks(match: MatchState | None, now_ns: int) -> tuple[HomeTask, ...]:
    """Return the lines of the home page: the orders that the rules allow now, and the pages that are always there."""
    if match is None:
        return (Task.TABLE,)
    offered = arbiter_order_specs_and_parser.possible_orders(match)
    orders = (action for action in ORDERS if action in offered and _is_allowed(match, action, now_ns))
    entered = (Task.BOARD,) if can_enter_board(match) else ()
    return (*orders, *entered, Task.NOTES, Task.REPLAY, Task.TABLE)


def marked_first(match: MatchState | None, now_ns: int) -> int:
    """Return the line to mark when the page opens: the ruling on a challenge if one is open."""
    lines = available_tasks(match, now_ns)
    open_ = match is not None and match.challenge is not None and Action.CHALLENGE in lines
    return lines.index(Action.CHALLENGE) if open_ else 0


def can_enter_board(match: MatchState) -> bool:
    """Return whether the arbiter can enter the board: with the clock stopped in play, in a game with a board source."""
    playing = match.active_phase in (Phase.TURN, Phase.CORR, Phase.CHECK)
    return match.phase is Phase.HOLD and playing and match.board is not None


def _is_allowed(match: MatchState, task: Action, now_ns: int) -> bool:
    """Return whether the rules allow this order now; for a flag this depends on the clock."""
    form = initial_form(match, task, now_ns)
    return isinstance(game_after_order(match, order(match, task, _sample(task, form), "?", now_ns)), MatchState)


def _sample(task: Action, form: Form) -> Form:
    """Return the form filled with sample values, to test whether the rules allow the order."""
    if task is Action.DEDUCT:
        return (form[0], time("seconds", 1, 1))
    if task is Action.LATE_READING:
        return (replace(form[0], values=(0,)),)
    return form


def game_after_order(match: MatchState, ruling: ArbiterOrder) -> MatchState | Text:
    """Return the game after the order, or why the rules do not allow it now."""
    try:
        return step(match, ruling)[0]
    except IllegalEvent as error:
        return text_of(error)


def initial_form(match: MatchState, task: Action, now_ns: int, *, unseated: bool = False) -> Form:
    """Return the initial form of an order. ``unseated``: it is not known which player sits where, so the form asks for
    the player concerned.
    """
    who = (choice(_WHO[task], PLAYERS),) if unseated and task in _WHO else ()
    return (*_blank(match, task, now_ns), *who)


def _blank(match: MatchState, task: Action, now_ns: int) -> Form:
    sides = BOTH_SEATS if match.black_seat is None else BOTH_COLORS
    match task:
        case Action.RESUME:
            if match.phase is Phase.LATE:
                return ()
            return (choice("countdown", tuple(str(seconds) for seconds in COUNTDOWNS_S), usual=1),)
        case Action.CHALLENGE:
            return (choice("upheld", (YES, NO)),)
        case Action.LATE_READING:  # AMB-05: no value is proposed
            return (choice("reading", (NoShowPolicy.FORFEIT, NoShowPolicy.CHOICE), NONE_YET),)
        case Action.SET_TIME:
            main_s = match.setup.main_ns // NS_PER_S
            clocks = (_clock(match, color, now_ns, main_s) for color in Color)
            return (*clocks, choice("turn", (KEEP, *BOTH_COLORS)), number("move", match.move_number))
        case Action.DEDUCT:
            return choice("from", sides), time("seconds", 60, 60)
        case Action.LATE_START:
            return (choice("absent", BOTH_SEATS),)
        case Action.FORFEIT | Action.RESIGNATION:
            return (choice("loser", sides),)
        case Action.RESULT:
            return _result(match)
        case _:
            return ()


def _result(match: MatchState) -> Form:
    may_draw = match.rules.may_draw(match.setup.stage)
    winners, card = (*BOTH_COLORS, DRAW) if may_draw else BOTH_COLORS, match.result
    named = None if card is None else str(card.winner) if card.winner is not None else DRAW
    winner = choice("winner", winners, winners.index(named) if named in winners else 0)
    match match.rules.score:
        case ScoreRule.NONE:
            return (winner,)
        case ScoreRule.DISCS:
            black_discs = None if card is None else card.black_discs
            usual = match.squares // 2 + 1 if black_discs is None else black_discs
            return winner, number("black_discs", usual, len(str(match.squares)))
        case ScoreRule.CAPTURES:
            black, white = match.count or (0, 0)
            return winner, number("black_discs", black), number("white_discs", white)


def order(match: MatchState, task: Action, form: Form, reason: str, at_ns: int) -> ArbiterOrder:
    """Return the order that a form describes."""
    body: dict[str, Any] = {"action": task, "reason": reason}
    for field in form:
        match field.name:
            case "black" | "white":
                body[f"{field.name}_s"] = Decimal(_set_ns(match, Color(field.name), field.number, at_ns)) / NS_PER_S
            case "upheld":
                body["upheld"] = field.option == YES
            case "move" if field.number == match.move_number % 100:
                pass
            case "turn" if field.option == KEEP:
                pass
            case name if name not in ("countdown", *_WHO.values()):
                body[name] = field.option if field.options else field.number
    if task is Action.RESULT and match.rules.score is ScoreRule.DISCS:
        black = match.squares // 2 if body["winner"] == DRAW else body["black_discs"]
        body |= {"black_discs": black, "white_discs": match.squares - black}
    return read_order(at_ns, body)


def seats_of(task: Action, form: Form) -> dict[Seat, int]:
    """Return who sits where according to the form; empty if it was known before."""
    fields = {field.name: field for field in form}
    if task not in _WHO or _WHO[task] not in fields:
        return {}
    player = PLAYERS.index(fields[_WHO[task]].option)
    named = {Action.LATE_START: "absent", Action.FORFEIT: "loser"}.get(task)
    seat = Seat.LEFT if named is None else Seat(fields[named].option)  # the engine then uses LEFT for Black
    return {seat: player, seat.other: 1 - player}


def choice(name: str, options: tuple[str, ...], usual: int = 0) -> Field:
    return Field(name, (usual,), (len(options),), options)


def _clock(match: MatchState, color: Color, now_ns: int, main_s: int) -> Field:
    return time(str(color), _shown_s(match, color, now_ns), main_s)


def _shown_s(match: MatchState, color: Color, now_ns: int) -> int:
    """Return the seconds that the display shows: rounded up, never below zero."""
    return max(0, -(-match.remaining_ns(color, now_ns) // NS_PER_S))


def _set_ns(match: MatchState, color: Color, seconds: int, now_ns: int) -> int:
    """Return the time to set. If its figures were not changed, the clock keeps its time to the nanosecond."""
    if seconds == _shown_s(match, color, now_ns):
        return max(0, match.remaining_ns(color, now_ns))
    return seconds * NS_PER_S


def time(name: str, seconds: int, longest_s: int) -> Field:
    """Return a ``mm:ss`` field with as many minute digits as the longest time has."""
    minutes, seconds = divmod(seconds, 60)
    places = max(2, len(str(max(minutes, longest_s // 60))))
    figures = (*(int(figure) for figure in str(minutes).zfill(places)), seconds // 10, seconds % 10)
    return Field(name, figures, (*((10,) * places), 6, 10))


def number(name: str, value: int, places: int = 2) -> Field:
    figures = tuple(map(int, str(value).zfill(places)[-places:]))
    return Field(name, figures, (10,) * places)


def equipment(on: frozenset[str]) -> Form:
    """Return the form of the table's equipment: each of ``EQUIPMENT`` is on or off."""
    return tuple(Field(name, (int(name in on),), (2,), (NO, YES)) for name in EQUIPMENT)


# Reasons for arbiter orders (K-15), each with the orders for which it is usual.
#
# A reason is recorded as the English template here, or as ``code N`` from the tournament's own list; it is translated
# for display. Where the rules require a reason, no order is recorded without one.

REASONS = (
    say("Clock pressed by mistake, or not pressed"),
    say("The equipment failed"),
    say("The board was not right"),
    say("Disturbance, conduct"),
    say("Late or absent"),
    say("Both players agree"),
    say("Ruling by the rules"),
)
#: line after the reasons: a numbered reason of the tournament's own list
CODE_LINE = len(REASONS)
CODE_DIGITS = 2

#: of each order the usual line
USUAL_REASON = {
    Action.SET_TIME: 0,
    Action.CHALLENGE: 6,
    Action.DEDUCT: 3,
    Action.FLAG: 6,
    Action.BOTH_FLAGS: 6,
    Action.LATE_READING: 6,
    Action.LATE_START: 4,
    Action.REOPEN: 5,
    Action.FORFEIT: 6,
    Action.RESULT: 6,
    Action.RESIGNATION: 5,
    Action.UNRATED: 6,
}


def recorded_reason(line: int) -> str:
    return REASONS[line].template
