"""Tests of the sounds: nothing reveals a flag where the rules require silence; elsewhere all sounds are played."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables.states import BLACK, LEFT, RIGHT, SECOND, WHITE, match, table

from engine.match import Phase, Seat, Setup, new_match, step
from engine.match.match_events_and_effects import Press
from engine.match.rule_sets_and_options import RULE_SETS
from kiosk.table.signals import beep_schedule_and_player
from kiosk.table.signals.beep_schedule_and_player import LATE_NS, Beep, BuzzerPlayer
from kiosk.table.state import TableState

SILENT = sorted(name for name, rules in RULE_SETS.items() if not rules.audible)
BOTH = frozenset(Seat)


def running(rules: str, main_s: int = 600, **fields: object) -> TableState:
    """Return a state in which LEFT's time runs from 0."""
    game, _ = step(new_match(Setup(rules=rules, black_seat=LEFT, main_ns=main_s * SECOND)), Press(0, RIGHT))
    return replace(table(game), match=game, **fields)  # type: ignore[arg-type]


def planned(state: TableState) -> list[tuple[float, Beep]]:
    return [(one.at_ns / SECOND, one.beep) for one in beep_schedule_and_player.scheduled_beeps(state)]


@pytest.mark.parametrize("rules", SILENT)
def test_without_permission_time_alone_is_silent(rules: str) -> None:
    assert planned(running(rules)) == []


@pytest.mark.parametrize("rules", SILENT)
def test_an_audible_clock_announces_minutes_and_not_the_end(rules: str) -> None:
    """K-02, K-17."""
    heard = planned(running(rules, 700, audible=BOTH))
    assert heard == [(700 - 60 * minutes, Beep.MARK) for minutes in (10, 5, 3, 2, 1)]
    assert planned(running(rules, 59, audible=BOTH)) == []


@given(st.sampled_from(SILENT), st.integers(min_value=-3600, max_value=3600), st.sampled_from(Seat))
def test_a_flag_is_silent_unless_the_rules_allow_it(rules: str, left_s: int, seat: Seat) -> None:
    """Nothing sounds in the last minute, at zero or after it, for a player with an audible clock."""
    game = match(Phase.TURN, seat, (left_s, left_s), side=BLACK if seat is LEFT else WHITE)
    state = table(replace(game, setup=replace(game.setup, rules=rules)), audible=BOTH)
    zero_ns = left_s * SECOND
    assert all(one.at_ns <= zero_ns - 60 * SECOND for one in beep_schedule_and_player.scheduled_beeps(state))


def test_last_seconds_and_the_end_sound_if_allowed() -> None:
    heard = planned(running("casual", 600))
    assert heard == [(590 + tick, Beep.TICK) for tick in range(10)] + [(600, Beep.TIME_UP)]


def test_chouchou_announces_the_minute_after_the_main_time() -> None:
    """CC-SUP-2: 60 s a move."""
    heard = planned(running("chouchou", 600))
    assert heard[0] == (600, Beep.PERIOD)
    assert heard[1:] == [(650 + tick, Beep.TICK) for tick in range(10)] + [(660, Beep.TIME_UP)]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_sounds_switched_off_by_an_arbiter_are_not_played(rules: str) -> None:
    state = running(rules, audible=BOTH, silenced=True)
    assert planned(state) == []
    before = replace(state, match=new_match(Setup(rules=rules, black_seat=LEFT)))
    assert beep_schedule_and_player.transition_beep(before, state) is None


def test_a_press_sounds_for_players_with_an_audible_clock() -> None:
    before = running("m43")
    after = replace(before, match=step(before.match, Press(SECOND, LEFT))[0])  # type: ignore[arg-type]
    assert beep_schedule_and_player.transition_beep(before, after) is None
    for seat, beep in ((LEFT, Beep.TAKEN), (RIGHT, Beep.TURN)):
        hears = frozenset({seat})
        heard = beep_schedule_and_player.transition_beep(replace(before, audible=hears), replace(after, audible=hears))
        assert heard is beep


class Ear:
    def __init__(self) -> None:
        self.heard: list[int] = []

    def beep(self, on_ns: int, off_ns: int, times: int) -> None:
        self.heard.append(on_ns)


def test_the_buzzer_sounds_on_time_once_and_never_late() -> None:
    ear, state = Ear(), running("casual", 600)
    sounder = BuzzerPlayer(ear)
    sounder.advance_time(state, SECOND)
    assert sounder.next_deadline_ns(state) == 590 * SECOND
    sounder.advance_time(state, 590 * SECOND)
    sounder.advance_time(state, 590 * SECOND)
    assert ear.heard == [40_000_000] and sounder.next_deadline_ns(state) == 591 * SECOND
    sounder.advance_time(state, 591 * SECOND + LATE_NS + 1)
    assert len(ear.heard) == 1
    sounder.advance_time(state, 600 * SECOND)
    assert ear.heard == [40_000_000, 1_000_000_000] and sounder.next_deadline_ns(state) is None
