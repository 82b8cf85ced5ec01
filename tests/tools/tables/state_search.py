"""Search of every state that two players can reach at a table, and of the way out of each: pure, without a loop or a
disk.

A node is the table's state, the discs on the board and the time. ``ACTS`` are the possible acts, with ``ORDERS`` where
there is an arbiter; ``BUTTONS`` are those of them that two players do with two buttons alone. Nodes are distinguished
by ``key``, which leaves out figures that decide nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from matches import games

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.copy_with_changes import replace
from engine.match import IllegalEvent, awaits_count, step
from engine.match.chouchou_multiplayer_and_score_board import captured_by
from engine.match.match_events_and_effects import (
    Action,
    ArbiterOrder,
    BoardReported,
    Event,
    Press,
    ReadBoard,
    Restart,
    Retract,
    Tick,
)
from engine.match.match_state import MatchState
from engine.match.match_value_types import Phase, Seat
from kiosk.link.game_replay_and_event_encoding import initial_state
from kiosk.link.link_messages import Assigned, Assignment, PlayerInfo
from kiosk.table.game.journaled_state_changes_and_recovery import (
    AT_REST,
    after_step,
    known_seats,
    next_step,
    with_seats,
)
from kiosk.table.input.gesture_recognition import BothPressed, ButtonDown, Gesture, LongPress, ShortPress
from kiosk.table.input.gesture_responses import Response, respond
from kiosk.table.loop.button_processing_and_inbox import TABLE_FIELDS
from kiosk.table.state import LinkState, TableState

S = 1_000_000_000
MAIN_S = 30
LEFT, RIGHT = Seat.LEFT, Seat.RIGHT


@dataclass(frozen=True, slots=True)
class Node:
    """One state. ``answers``: the board source answers when it is asked."""

    state: TableState
    now_ns: int
    cells: str = ""
    answers: bool = True


Act = Callable[[Node], Node]


def table(
    rules: str, stage: Literal["league", "knockout"] = "league", *,
    read: bool = False, answers: bool = True, designated: bool = True,
    link: LinkState = LinkState.UP, options: dict[str, object] | None = None,
) -> Node:  # fmt: skip
    """Return a table that has just been given its game."""
    players = [PlayerInfo("p0", "A"), PlayerInfo("p1", "B")]
    game = Assignment("g", "e", "d", 1, 1, rules, stage, "", "", MAIN_S, designated, players, options or {})
    match = initial_state(Assigned(game, read), 0)
    state = TableState(1, game, match, link=link, captures=captured_by(match))
    return Node(replace(state, step=next_step(state)), 0, match.board or "", answers)


def with_known_seats(node: Node, seats: dict[Seat, int]) -> Node:
    """Return the node after the arbiter has entered the seats at the table."""
    state = with_seats(node.state, seats)
    return replace(node, state=replace(state, step=next_step(state)))


# --- acts -----------------------------------------------------------------------------------------------------------


def after_events(node: Node, *events: Event) -> Node | None:
    """Return the node after these events; None if the rules refuse one."""
    for event in events:
        assert node.state.match is not None
        try:
            match, effects = step(node.state.match, event)
        except IllegalEvent:
            return None
        node = replace(node, state=after_step(node.state, event, match))
        for effect in effects:
            if isinstance(effect, ReadBoard) and node.answers:
                node = (
                    after_events(node, BoardReported(max(event.at_ns, match.clock.since_ns), node.cells, effect.number))
                    or node
                )
        if (seats := known_seats(node.state)) is not None:
            node = after_events(node, seats) or node
    return node


def after_gesture(node: Node, gesture: Gesture) -> tuple[Node, Response, bool]:
    """Return the result of a gesture, as ``kiosk.table.loop.button_processing_and_inbox`` applies it."""
    if isinstance(gesture, BothPressed):
        for pressed_ns in respond(node.state, gesture).taken_back:
            node = after_events(node, Retract(node.now_ns, pressed_ns)) or node
    response = respond(node.state, gesture)
    before, after = node.state, after_events(node, *response.events)
    if after is None:
        return node, response, False
    state, own = after.state, response.state
    if own is not before:
        changed = {name: new for name in TABLE_FIELDS if (new := getattr(own, name)) is not getattr(before, name)}
        state = replace(state, **changed)
    if response.seated is not None:
        state = with_seats(state, dict(response.seated))
        state = replace(state, step=next_step(state))
    if len(state.menu) > 1 and not isinstance(gesture, BothPressed):
        seat = gesture.seat  # the two menus are independent: one at a time is enough
        state = replace(state, menu={seat: state.marked(seat)})
    if isinstance(gesture, BothPressed) and response.after is not None:
        state = replace(state, match=None)
    return replace(after, state=state), response, True


def _down(node: Node, seat: Seat) -> tuple[Node, bool]:
    node, response, is_accepted = after_gesture(node, ButtonDown(seat, node.now_ns))
    return node, bool(response.events) and is_accepted


def press(seat: Seat) -> Act:
    def act(node: Node) -> Node:
        node, spent = _down(later(node, 1), seat)
        return node if spent else after_gesture(later(node, 0.1), ShortPress(seat, node.now_ns + S // 10))[0]

    return act


def hold(seat: Seat, *, knocked: bool = False) -> Act:
    def act(node: Node) -> Node:
        if knocked:
            node = press(seat)(node)
        node, spent = _down(later(node, 0.5), seat)
        return node if spent else after_gesture(later(node, 1), LongPress(seat, node.now_ns + S, knocked))[0]

    return act


def both(node: Node) -> Node:
    node, _ = _down(later(node, 1), LEFT)
    first_ns = node.now_ns
    node = later(node, 0.05)
    match = node.state.match
    if match is None or match.turn_since_ns != first_ns:  # else it is no reply
        node, _ = _down(node, RIGHT)
    second_ns, node = node.now_ns, later(node, 1)
    return after_gesture(node, BothPressed(node.now_ns, (second_ns, first_ns)))[0]


def later(node: Node, seconds: float) -> Node:
    return Node(node.state, node.now_ns + round(seconds * S), node.cells, node.answers)


def wait(node: Node) -> Node:
    """Wait longer than any clock has."""
    node = later(node, MAIN_S + 5)
    return after_events(node, Tick(node.now_ns)) or node


def order(action: Action, **fields: object) -> Act:
    def act(node: Node) -> Node:
        node = later(node, 1)
        return after_events(node, ArbiterOrder(node.now_ns, action, "x", **fields)) or node  # type: ignore[arg-type]

    return act


def power_cut(node: Node) -> Node:
    match = node.state.match
    assert match is not None
    if match.phase in AT_REST:
        return node
    node = later(node, 1)
    return after_events(node, Restart(node.now_ns)) or node


def move(node: Node) -> Node:
    """Play the first legal move on the board."""
    match = node.state.match
    if match is None or not match.turn_board or match.phase not in (Phase.TURN, Phase.FREE, Phase.FINISH):
        return node
    position = match.position(match.turn_board, match.to_move)
    moves = list(scan(position.legal_moves()))
    return _with_board(node, position.play(moves[0]).cells()) if moves else node


def slip(node: Node) -> Node:
    """Put a disc on an empty square without flipping anything."""
    match = node.state.match
    if match is None or not match.turn_board or match.phase not in (Phase.TURN, Phase.FREE, Phase.CORR):
        return node
    return _with_board(node, match.turn_board.replace("-", match.to_move.symbol, 1))


def _with_board(node: Node, cells: str) -> Node:
    node = later(node, 1)
    return after_events(replace(node, cells=cells), BoardReported(node.now_ns, cells)) or node


BUTTONS: dict[str, Act] = {
    **{f"press {seat}": press(seat) for seat in Seat},
    **{f"hold {seat}": hold(seat) for seat in Seat},
    **{f"knock and hold {seat}": hold(seat, knocked=True) for seat in Seat},
    "both": both,
}
ACTS: dict[str, Act] = {**BUTTONS, "wait": wait, "move": move, "slip": slip, "power cut": power_cut}
#: orders of an arbiter
ORDERS: dict[str, Act] = {
    "late left": order(Action.LATE_START, side=LEFT),
    "late right": order(Action.LATE_START, side=RIGHT),
    "resume": order(Action.RESUME),
    "reopen": order(Action.REOPEN),
}


def played(node: Node, transcript: str) -> Node:
    """Return the game after these moves, each of which took next to no time."""
    node = press(LEFT)(node)
    node = press(RIGHT)(node)
    for _, _, cells in games.turns(transcript):
        node = replace(node, cells=cells, now_ns=node.now_ns + S // 100)
        match = node.state.match
        assert match is not None and match.clock.running is not None
        node = after_events(node, Press(node.now_ns, match.clock.running)) or node
    return node


def nearly_over(node: Node, empty: int) -> Node:
    """Return the game in which always the first legal move was played, when that many squares are still empty, or
    before the move that ends it.
    """
    for seat in (LEFT, RIGHT, LEFT):  # Black's seat, then whoever starts
        if node.state.match is not None and node.state.match.phase is not Phase.TURN:
            node = press(seat)(node)
    before = node
    while node.cells.count("-") > empty:
        before, node = node, move(node)
        match = node.state.match
        assert match is not None
        if match.phase is not Phase.TURN or match.clock.running is None:
            return before
        node = replace(node, now_ns=match.clock.since_ns + S // 100)
        node = after_events(node, Press(node.now_ns, match.clock.running)) or node
        assert node.state.match is not None
        if node.state.match.phase is not Phase.TURN:
            return before
    return node


# --- search ---------------------------------------------------------------------------------------------------------


#: whether a game is over, by the name of its variant and its board, unless the turns count too
_over: dict[tuple[str, str | None], bool] = {}


def _is_over(match: MatchState) -> bool:
    if match.variant.rules.supply is not None:
        return match.is_over(match.turn_board)
    name = match.variant.name, match.turn_board
    if name not in _over:
        _over[name] = match.is_over(match.turn_board)
    return _over[name]


def key(node: Node) -> tuple[object, ...]:
    """Return what distinguishes states, as far as it decides what can happen."""
    state, match, now_ns = node.state, node.state.match, node.now_ns
    if match is None:
        return ()
    last = match.turns[-1] if match.turns else None
    challenge, result, offer = match.challenge, match.result, state.offered
    before_start = match.phase in (Phase.SETUP, Phase.LATE, Phase.READY)

    def whose(seat: Seat | None) -> object:  # the two seats are equivalent: what counts is which of them has Black
        return seat if match.black_seat is None or seat is None else match.color_at(seat)

    return (
        match.phase, match.resume_phase, match.side, whose(match.clock.running), match.flag(Color.BLACK, now_ns),
        match.flag(Color.WHITE, now_ns), whose(match.held_by), match.ended_from, match.free_stopped,
        (whose(match.late), match.start_press_due) if before_start or match.active_phase is Phase.LATE else None,
        None if match.board is None else match.board == match.turn_board, last and last.after is None,
        tuple((one.phase, one.side) for one in match.pending[:1]), match.last_move_ns is None,
        challenge and (challenge.by, challenge.returns_to, challenge.agreed),
        match.both_claimed, match.playing_out, match.press_owed, match.time_loser, match.free_attempt is None,
        match.recount, match.reading_open, match.confirmed, result and result.end,
        _is_over(match), min(4, (match.turn_board or "-----").count("-")),
        offer and (offer.choice, whose(offer.by)),
        (state.step, state.black_seat, bool(state.player_at)) if before_start else None, state.counting,
        tuple(state.marked(match.seat_of(color) or LEFT) for color in Color)
        if match.phase in (Phase.HOLD, Phase.CHOICE) or state.claims_time else None, state.claims_time,
        state.black_count == match.squares // 2 if awaits_count(match) else None,
        max(state.captures) >= match.options.target,
        match.company and (match.company.turn, match.company.out),
    )  # fmt: skip


def _flags(node: Node) -> tuple[bool, bool] | None:
    """Return which flags have fallen: all of ``key`` that depends on the time."""
    match = node.state.match
    return match and (match.flag(Color.BLACK, node.now_ns), match.flag(Color.WHITE, node.now_ns))


class Nodes(dict[tuple[object, ...], Node]):
    """One node of each kind, by its key. ``before``: from which nodes a button leads to each."""

    def __init__(self, start: Node) -> None:
        super().__init__({key(start): start})
        self.before: dict[tuple[object, ...], set[tuple[object, ...]]] = {}


def reachable(start: Node, most: int = 8000) -> Nodes:
    """Return one node of each kind that ``ACTS`` lead to."""
    found = Nodes(start)
    waiting = deque(found.items())
    acts = ACTS if start.state.unarbitrated else ACTS | ORDERS
    while waiting:
        name, node = waiting.popleft()
        for what, act in acts.items():
            if node.state.match is None or (after := act(node)).state.match is None:
                continue
            if after.state is node.state and _flags(after) == _flags(node):
                continue  # refused: the same key, for less
            next_name = key(after)
            if what in BUTTONS:
                found.before.setdefault(next_name, set()).add(name)
            if next_name not in found:
                found[next_name] = after
                waiting.append((next_name, after))
                assert len(found) <= most, "more states than the test was made for"
    return found


def without_way_out(nodes: Nodes) -> list[Node]:
    """Return the nodes from which two buttons alone lead neither to a signed card nor to the arbiter."""
    out = {name for name, node in nodes.items() if is_out(node)}
    spreading = list(out)
    while spreading:
        for before in nodes.before.get(spreading.pop(), set()) - out:
            out.add(before)
            spreading.append(before)
    return [node for name, node in nodes.items() if name not in out]


def is_out(node: Node) -> bool:
    """Return whether the card is signed, or the arbiter has been called and the clock is stopped."""
    match, state = node.state.match, node.state
    if match is None or match.phase in (Phase.SIGNED, Phase.SUBMITTED):
        return True
    return not state.unarbitrated and (match.phase is Phase.HOLD or match.reading_open)
