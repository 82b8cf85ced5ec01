"""Tests that an arbiter's order is one row of ``engine.match.arbiter_order_specs_and_parser``, with the same meaning in
engine, table and head."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from matches.random_matches import any_event, likely_event
from matches.steps import BLIND, FINAL, READ, S

from engine.board.color import Color
from engine.match import IllegalEvent, MatchState, new_match, step
from engine.match.arbiter_order_specs_and_parser import RULINGS, possible_orders, read_order
from engine.match.match_events_and_effects import Action, ArbiterOrder, MatchEventError, Tick
from engine.match.match_value_types import Seat, Setup
from engine.match.rule_sets_and_options import NoShowPolicy, rule_set
from kiosk.head.pages.arbiter.table_and_order_forms_page import BY_NAME, order_body
from kiosk.head.web.form_player_and_result_parsing import BadForm
from kiosk.table.arbiter import arbiter_screen_forms_to_orders

BODY = {
    "black_s": 300, "white_s": 200, "turn": "black", "from": "black", "seconds": 30, "loser": "white",
    "winner": "black", "black_discs": 40, "white_discs": 24, "absent": "left", "upheld": True,
    "reading": "choice", "move": 30,
}  # fmt: skip
FORM = {
    "reason": "seen", "upheld": "yes", "seat": "left", "black_min": "5", "black_sec": "0", "white_min": "3",
    "white_sec": "20", "turn": "black", "side": "white", "seconds": "30", "winner": "black", "black_discs": "40",
    "white_discs": "24", "reading": "choice",
}  # fmt: skip
#: known to the clock only: whether a flag has fallen
OF_THE_CLOCK = {Action.FLAG, Action.BOTH_FLAGS}
_OF_OTHER_RULES = (replace(FINAL, rules="team"), replace(READ, rules="m40"), replace(BLIND, rules="chouchou"))
SETUPS = (READ, BLIND, replace(READ, black_seat=None), *_OF_OTHER_RULES)


def samples(action: Action, at_ns: int) -> list[ArbiterOrder]:
    """Return orders of that kind with valid values."""
    sides: tuple[Color | Seat, ...] = (*Seat, *Color)
    match action:
        case Action.SET_TIME:
            return [ArbiterOrder(at_ns, action, "r", black_ns=5 * S, white_ns=6 * S)]
        case Action.DEDUCT:
            return [ArbiterOrder(at_ns, action, "r", side=side, amount_ns=1) for side in sides]
        case Action.FORFEIT | Action.RESIGNATION | Action.LATE_START:
            return [ArbiterOrder(at_ns, action, "r", side=side) for side in sides]
        case Action.FLAG:
            return [ArbiterOrder(at_ns, action, "r", side=side) for side in (None, *sides)]
        case Action.RESULT:
            return [ArbiterOrder(at_ns, action, "r", winner=Color.BLACK, black_discs=40, white_discs=24)]
        case Action.CHALLENGE:
            return [ArbiterOrder(at_ns, action, "r", upheld=upheld) for upheld in (True, False)]
        case Action.LATE_READING:
            return [
                ArbiterOrder(at_ns, action, "r", reading=one) for one in (NoShowPolicy.FORFEIT, NoShowPolicy.CHOICE)
            ]
        case _:
            return [ArbiterOrder(at_ns, action, "r")]


def taken(state: MatchState, order: ArbiterOrder) -> bool:
    try:
        step(state, order)
    except IllegalEvent:
        return False
    return True


def states(setup: Setup, seed: int) -> list[tuple[MatchState, int]]:
    """Return the states of a game with likely and unlikely events, and of one to which a player never came."""
    rng, state, at_ns = random.Random(seed), new_match(replace(setup, main_ns=40 * S)), 0
    absent, _ = step(state, ArbiterOrder(0, Action.LATE_START, side=Seat.RIGHT))
    found = [(state, at_ns), (step(absent, Tick(50 * S))[0], 50 * S)]
    for _ in range(150):
        at_ns += rng.choice((0, S // 10, S, 3 * S))
        happened = likely_event(state, at_ns, rng) if rng.random() < 0.6 else any_event(state, at_ns, rng)
        if not (isinstance(happened, ArbiterOrder) and happened.action is Action.RESULT):
            try:
                state, _ = step(state, happened)
            except IllegalEvent:
                continue
            found.append((state, at_ns))
    return found


@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: f"{setup.rules}-{setup.black_seat}")
def test_offered_orders_are_those_that_the_engine_accepts(setup: Setup) -> None:
    """The only exception is a flag."""
    seen: set[Action] = set()
    for seed in range(4):
        for state, at_ns in states(setup, seed):
            accepted = {action for action in RULINGS if any(taken(state, one) for one in samples(action, at_ns))}
            offered = set(possible_orders(state))
            assert accepted - offered <= ({Action.UNRATED} if state.unrated else set()), state.phase
            assert offered - accepted <= OF_THE_CLOCK, state.phase
            tasks = arbiter_screen_forms_to_orders.available_tasks(state, at_ns)
            at_table = {Action(task) for task in tasks if task.value in set(Action)}
            assert at_table == offered & accepted - {Action.HOLD}, "the arbiter's button stops the clock"
            seen |= accepted
    assert seen >= {Action.HOLD, Action.SET_TIME, Action.FORFEIT, Action.RESULT, Action.UNRATED, Action.LATE_START}


def test_orders_that_change_clock_result_or_rating_need_a_reason() -> None:
    """K-15."""
    assert {action.value for action, row in RULINGS.items() if row.needs_reason} == {
        "set_time", "deduct", "forfeit", "resignation", "result", "unrated",
    }  # fmt: skip


@pytest.mark.parametrize("action", RULINGS)
def test_the_engine_reads_exactly_the_row_s_fields_and_reason(action: Action) -> None:
    row = RULINGS[action]
    body: dict[str, object] = {"action": action.value, "reason": "r", **{name: BODY[name] for name in row.fields}}
    read_order(0, {**body, **{name: BODY[name] for name in row.optional}})
    for name in row.fields:
        with pytest.raises(MatchEventError, match=f"'{name}' is missing"):
            read_order(0, {key: value for key, value in body.items() if key != name})
    with pytest.raises(MatchEventError, match="unknown field 'also'"):
        read_order(0, {**body, "also": 1})
    able = [
        (state, order)
        for setup in SETUPS
        for state, at_ns in states(setup, 3)
        for order in samples(action, at_ns)
        if taken(state, order)
    ]
    assert able, "one of the games comes to a moment for every order"
    for state, order in able[:20]:
        assert taken(state, replace(order, reason=" ")) is not row.needs_reason


@pytest.mark.parametrize("action", [action for action in RULINGS if action is not Action.HOLD])
def test_the_table_s_form_gives_the_order_with_the_row_s_reason(action: Action) -> None:
    match = new_match(READ)
    form = arbiter_screen_forms_to_orders._sample(action, arbiter_screen_forms_to_orders.initial_form(match, action, 0))
    said = arbiter_screen_forms_to_orders.order(match, action, form, "r", 0)
    assert said.action is action and said.reason == "r"


@pytest.mark.parametrize("action", [action for action in RULINGS if action not in (Action.HOLD, Action.RESUME)])
def test_the_head_s_form_has_the_row_s_fields_and_reason(action: Action) -> None:
    act, row = BY_NAME[action.value], RULINGS[action]
    assert (act.needs_reason, act.grave) == (row.needs_reason, row.grave)
    body = order_body(act, FORM, rule_set("m43"), 64)
    given = set(body) - {"action", "reason"}
    assert set(row.fields) <= given <= {*row.fields, *row.optional}
    assert read_order(0, body).action is action
    if row.needs_reason:
        with pytest.raises(BadForm, match="needs a reason"):
            order_body(act, {**FORM, "reason": ""}, rule_set("m43"), 64)
    else:
        assert order_body(act, {**FORM, "reason": ""}, rule_set("m43"), 64)["reason"] == ""
