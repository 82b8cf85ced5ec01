"""Property tests of games of random events."""

from __future__ import annotations

import contextlib
import json
import random
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from matches.random_matches import EDITS, any_event, likely_event
from matches.steps import BLIND, FINAL, READ, B, S, W

from engine.board.color import Color
from engine.match import TABLE, IllegalEvent, MatchState, Phase, Seat, Setup, new_match, step
from engine.match.match_events_and_effects import ArbiterOrder, BoardReported, Event, Press, Retract, Tick
from engine.match.rule_sets_and_options import FlagCallers, LastMoveFlag, ScoreRule
from engine.match.state_machine import kind_of
from engine.match.time_controls import ControlKind
from kiosk.link.game_replay_and_event_encoding import event_from_dict, event_to_dict

MAIN_NS = 20 * S
SETUPS = (
    replace(READ, main_ns=MAIN_NS),
    replace(BLIND, main_ns=MAIN_NS),
    replace(FINAL, main_ns=MAIN_NS, options={"countdown_from_s": 5, "free_play_floor": False}),
    Setup(main_ns=MAIN_NS, options={"late_never_came": "choice", "turned_win": "arbiter"}),
)
#: the other rule sets; for Othello with and without a board source
OTHERS = (
    *(
        replace(setup, main_ns=MAIN_NS, rules=rules, draw_right=right)
        for rules, right in (("m40", W), ("team", B), ("wof", None))
        for setup in (READ, BLIND)
    ),
    replace(FINAL, main_ns=MAIN_NS, rules="team", options={"play_out": "arbiter", "last_move_flag": "press"}),
    replace(FINAL, main_ns=MAIN_NS, rules="m40", options={"claimant_needs_time": False, "late_never_came": "choice"}),
    replace(READ, main_ns=MAIN_NS, rules="casual"),
    replace(BLIND, main_ns=MAIN_NS, rules="casual", options={"who_may_call": "clock"}),
)
#: time controls that give and take; their arithmetic has tests of its own (test_game_clock)
CONTROLLED = (
    replace(BLIND, main_ns=MAIN_NS, rules="chouchou", options={"period_s": 5}),
    *(
        replace(setup, main_ns=MAIN_NS, rules="casual", options=options)
        for setup in (READ, BLIND)
        for options in (
            {"control": "fischer", "increment_s": 2},
            {"control": "bronstein", "delay_s": 2},
            {"control": "simple-delay", "delay_s": 2},
            {"control": "byo-yomi", "period_s": 3, "periods": 2},
            {"control": "hourglass"},
            {"control": "per-move", "limit_s": 4, "who_may_call": "clock"},
            {"control": "up-count"},
        )
    ),
)
#: ChouChou among more than two, whose sides' clocks are their players' in turn
COMPANIES = tuple(
    replace(BLIND, main_ns=MAIN_NS, rules="chouchou", options={"players": players, "pairs": pairs})
    for players, pairs in ((3, False), (4, False), (4, True))
)
EVERY = (*SETUPS, *OTHERS, *CONTROLLED, *COMPANIES)


class Game:
    """One random game: its accepted events, and the state and the time before and after each."""

    def __init__(self, setup: Setup, seed: int, edits: bool) -> None:
        rng = random.Random(f"{setup} {seed}")
        self.setup, self.states, self.events, self.times_ns = setup, [new_match(setup)], list[Event](), [0]
        now_ns = 0
        for _ in range(60):
            now_ns += rng.choice([0, 1, rng.randint(1, S), rng.randint(1, 6 * S)])
            event = (likely_event if rng.random() < 0.6 else any_event)(self.states[-1], now_ns, rng)
            if isinstance(event, ArbiterOrder) and event.action in EDITS and not edits:
                continue
            with contextlib.suppress(IllegalEvent):
                self.states.append(step(self.states[-1], event)[0])
                self.events.append(event)
                self.times_ns.append(now_ns)

    @property
    def steps(self) -> list[tuple[MatchState, Event, MatchState, int]]:
        return list(zip(self.states, self.events, self.states[1:], self.times_ns[1:], strict=False))


@cache
def games(setups: tuple[int, ...] = tuple(range(len(EVERY))), *, edits: bool = True) -> tuple[Game, ...]:
    """Return random games of each set-up; ``edits``: an arbiter changes clocks in them."""
    return tuple(Game(EVERY[number], seed, edits) for seed in range(3 if edits else 6) for number in setups)


#: numbers of the set-ups without a time control that gives or takes, and of those with one
PLAIN = tuple(range(len(SETUPS) + len(OTHERS)))
GIVING = tuple(range(len(PLAIN), len(PLAIN) + len(CONTROLLED)))


def test_time_is_conserved_to_the_nanosecond() -> None:
    """Charged and remaining time total the main time at every event. Nothing is charged while the clock is stopped."""
    for game in games(PLAIN, edits=False):
        charged, last_ns = dict.fromkeys(Seat, 0), 0
        for before, event, after, now_ns in game.steps:
            if isinstance(event, Retract) or (before.phase is Phase.LATE and isinstance(event, Press)):
                break  # these two recalculate past charges, and have their own tests
            running, until_ns = before.clock.running, now_ns
            deadline_ns = before.next_deadline_ns()
            timed = before.phase in (Phase.LATE, Phase.FREE) or before.options.who_may_call is FlagCallers.CLOCK
            if timed and deadline_ns is not None:
                until_ns = min(until_ns, max(deadline_ns, last_ns))
            if running is not None:
                charged[running] += until_ns - last_ns
            last_ns = now_ns
            if (loser := after.time_loser) is not before.time_loser and loser is not None:  # two minutes more
                assert after.remaining_ns(loser, last_ns) in (120 * S, before.remaining_ns(loser, last_ns))
                break
            for seat in Seat:
                assert charged[seat] + after.clock.remaining_ns(seat, now_ns) == MAIN_NS


def test_time_given_by_a_control_is_accounted_to_the_nanosecond() -> None:
    """Both clocks change by exactly the elapsed time, less the free seconds, plus what a press earned."""
    for game in games(GIVING, edits=False):
        last_ns, earner = 0, Seat.LEFT
        for before, event, after, now_ns in game.steps:
            if isinstance(event, Retract) or before.phase is Phase.LATE or after.clock.since_ns < last_ns:
                break
            _check_given_time(before, event, after, now_ns, last_ns, earner)
            last_ns = now_ns
            if isinstance(event, Press) and before.phase is Phase.TURN:
                earner = event.seat


def _check_given_time(
    before: MatchState, event: Event, after: MatchState, now_ns: int, last_ns: int, earner: Seat
) -> None:
    old, new = before.clock, after.clock
    for seat in Seat:
        ran = old.remaining_ns(seat, now_ns)  # the time left if nothing but time had passed
        if after.phase is Phase.RESULT and before.phase is not Phase.RESULT:
            assert abs(new.remaining_ns(seat, now_ns) - ran) <= now_ns - last_ns
            continue
        given_ns = new.remaining_ns(seat, now_ns) - ran
        pressed = isinstance(event, Press) and before.phase is Phase.TURN and event.seat is seat
        taken_back = old.bonus_ns != 0 and new.bonus_ns == 0 and not isinstance(event, Press)
        match new.control.kind:
            case ControlKind.HOURGLASS | ControlKind.UP_COUNT | ControlKind.SIMPLE_DELAY:
                assert given_ns == 0
            case ControlKind.FISCHER:
                assert given_ns == (2 * S if pressed else -2 * S if taken_back and seat is earner else 0)
            case ControlKind.BRONSTEIN if pressed:
                assert given_ns == min(2 * S, old.spent_at_ns(now_ns))
            case ControlKind.PER_MOVE if pressed:
                assert new.remaining_ns(seat, now_ns) == 4 * S
            case ControlKind.BYO_YOMI if pressed and new.side(seat).in_period and not new.side(seat).flag_at_ns:
                assert new.remaining_ns(seat, now_ns) == new.control.step_ns
            case _:
                assert given_ns == (-old.bonus_ns if taken_back and seat is earner else 0)


def test_illegal_events_change_nothing() -> None:
    """A refused event leaves the same state, and no event alters a state in place."""
    rng = random.Random(1)
    for game in games():
        at = rng.randrange(len(game.states))
        state, frozen = game.states[at], repr(game.states[at])
        for _ in range(20):
            with contextlib.suppress(IllegalEvent):
                step(state, any_event(state, game.times_ns[at], rng))
        assert repr(state) == frozen


def test_a_replayed_journal_gives_an_equal_state() -> None:
    for game in games():
        state = game.states[0]
        for event in game.events:
            state, _ = step(state, event_from_dict(json.loads(json.dumps(event_to_dict(event)))))
        assert state == game.states[-1]


def test_every_state_is_consistent() -> None:
    """The clock that runs is the phase's, there is a result from RESULT on, and a card totals 64. Random games enter
    every phase."""
    for before, event, state, _ in (each for game in games() for each in game.steps):
        assert (
            (before.phase, kind_of(event)) in TABLE
            or before.next_deadline_ns() is not None
            or before.options.who_may_call is FlagCallers.CLOCK
            or isinstance(event, Retract)
        )
        seat = state.clock_seat(state.phase, state.side)
        paused = state.phase in (Phase.FINISH, Phase.FREE) and state.clock.running is None
        assert state.clock.running is seat or paused
        assert (state.phase is Phase.HOLD) is (state.resume_phase is not None)
        assert (state.active_phase is Phase.CORR) is (state.challenge is not None)
        assert (state.result is not None) is (state.phase in (Phase.RESULT, Phase.SIGNED, Phase.SUBMITTED))
        if state.result is not None and state.rules.score is ScoreRule.DISCS:
            assert (state.result.black_discs or 0) + (state.result.white_discs or 0) == 64
        if state.result is not None and state.rules.score is ScoreRule.NONE:
            assert state.result.black_discs is state.result.white_discs is None
        if state.result is not None and state.no_draw:
            assert state.result.winner is not None or isinstance(event, ArbiterOrder) or before.result
        if state is not before:
            assert state.revision == before.revision + 1
        for earlier, turn in pairwise(state.turns):
            assert turn.by is earlier.by.opponent or state.company is not None
            assert turn.before == earlier.after
    assert {state.phase for game in games() for state in game.states} == set(Phase)


def test_players_see_no_unclaimed_flag_or_illegal_move() -> None:
    """Promise 3: a flag or the legality of a move is shown to the players only after a player has claimed it."""
    for before, event, after, _ in (each for game in games(PLAIN[:-1]) for each in game.steps):
        new = after.shown_to_players[len(before.shown_to_players) :]
        for message in new:
            if message.kind in ("challenge-confirmed", "challenge-denied", "choice", "finish"):
                strict = before.options.last_move_flag is LastMoveFlag.PRESS
                by_itself = isinstance(event, BoardReported | Tick)
                assert not by_itself or before.phase in (Phase.LATE, Phase.FINISH) or strict
            if message.kind not in ("challenge-confirmed", "challenge-denied"):
                assert "IM-" not in str(message.text)
        if isinstance(event, Tick) and before.phase not in (Phase.LATE, Phase.FREE):
            assert not new


def test_a_retracted_press_leaves_no_trace() -> None:
    rng, retracted = random.Random(1), 0
    for game in games(PLAIN[:3] + PLAIN[len(SETUPS) : len(SETUPS) + 9]):
        at = rng.randrange(len(game.states))
        state, at_ns, spike_ns = game.states[at], game.times_ns[at] + 1, rng.randint(0, 3 * S)
        for seat in Seat:
            spiked = state
            with contextlib.suppress(IllegalEvent):
                spiked, _ = step(state, Press(at_ns, seat))
            if spiked is state:
                continue
            retracted += 1
            back, _ = step(spiked, Retract(at_ns + spike_ns, at_ns))
            expected, _ = step(state, Tick(at_ns + spike_ns))
            assert replace(back, asked=0, revision=0, undo=None) == replace(expected, asked=0, revision=0, undo=None)
            with pytest.raises(IllegalEvent):
                step(state, Retract(at_ns + spike_ns, at_ns))
    assert retracted > 10


def test_ticks_at_deadlines_make_progress() -> None:
    """At most three ticks at one time leave no deadline due, so that a waiting table sleeps."""
    for state, now_ns in (each for game in games() for each in zip(game.states, game.times_ns, strict=True)):
        at_ns = now_ns + 30 * S
        for _ in range(3):
            due_ns = state.next_deadline_ns()
            if due_ns is None or due_ns > at_ns:
                break
            state, _ = step(state, Tick(at_ns))
        else:
            raise AssertionError(f"three ticks at {at_ns} leave {state.next_deadline_ns()} due")


@pytest.mark.parametrize("phase", list(Phase))
def test_transitions_outside_the_table_are_refused(phase: Phase) -> None:
    state = replace(new_match(READ), phase=phase, side=Color.BLACK, resume_phase=Phase.TURN)
    listed = {kind for at, kind in TABLE if at is phase}
    rng = random.Random(1)
    refused = set()
    for _ in range(400):
        event = any_event(state, S, rng)
        if kind_of(event) not in listed:
            refused.add(kind_of(event))
            with pytest.raises(IllegalEvent):
                step(state, event)
    assert len(refused) + len(listed) == 23
