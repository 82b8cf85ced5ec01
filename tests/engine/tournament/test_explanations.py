"""Why a row stands above the next, and why a pair meets: true in every format, in both languages."""

from __future__ import annotations

import random

import pytest
from whole_events import event_of, play_round, rounds_of

from engine.tournament import EventError, from_dict, next_round, standings
from engine.tournament.constraints import Constraints
from engine.tournament.explain import explain_round, explain_standings

SIZES = {
    "swiss": 11, "m43-open": 13, "m43-division": 12, "m40-open": 22, "m40-33-64": 34, "m40-17-32": 20,
    "m40-13-16": 14, "m40-9-12": 11, "m40-elementary": 12, "adjacent": 9, "othello-pool": 9, "round-robin": 6,
    "knockout": 11,
}  # fmt: skip


@pytest.mark.parametrize("format_", SIZES)
def test_every_row_of_every_format_has_its_reason(format_: str):
    data = event_of(format_, SIZES[format_], rounds=4) if format_ in ("swiss", "adjacent") else event_of(
        format_, SIZES[format_]
    )  # fmt: skip
    rng = random.Random(5)
    played = 0
    for _ in rounds_of(data, rng):
        played += 1
        event = from_dict(data)
        table = standings(event)
        reasons = explain_standings(event, table)
        assert len(reasons) == len(table.rows)
        for row, below, reason in zip(table.rows, table.rows[1:], reasons, strict=False):
            assert reason.ja and reason.en
            # ranks are shared exactly where the reason says so
            assert (row.rank == below.rank) == ("share the rank" in reason.en)
            if row.keys[0] != below.keys[0] and "finals" not in reason.en and format_ != "knockout":
                assert f" {row.keys[0]} against {below.keys[0]} " in reason.en
        if played == 8:
            break
    assert played >= 3


@pytest.mark.parametrize("format_", ["swiss", "m43-open", "adjacent", "m40-open", "m40-9-12"])
def test_the_price_of_a_pair_is_what_the_round_costs_more_without_it(format_: str):
    data = event_of(format_, 11)
    for _ in range(3):
        play_round(data, random.Random(2))
    event = from_dict(data)
    paired = next_round(event)
    reasons = explain_round(event, paired)
    assert [r.players for r in reasons] == [
        (g["bye"],) if "bye" in g else (g["black"], g["white"]) for g in paired.games
    ]
    for reason in reasons:
        assert all(words.ja and words.en for words in reason.reasons)
        if isinstance(reason.price, int):
            wish = (reason.players[0], reason.players[-1])
            other = next_round(event, Constraints(forbidden=(wish,)))
            assert reason.price == other.cost["penalty"] - paired.cost["penalty"]  # type: ignore[operator]
            assert reason.price >= 0
        elif reason.price is not None:
            assert reason.price >= (0,) * len(reason.price)


def test_one_players_question_gets_one_answer():
    data = event_of("swiss", 8)
    play_round(data, random.Random(2))
    event = from_dict(data)
    paired = next_round(event)
    (reason,) = explain_round(event, paired, "p3")
    assert "p3" in reason.players
    text = " | ".join(words.en for words in reason.reasons)
    assert "they have not met" in text and "penalty" in text and "Black is" in text
    with pytest.raises(EventError, match="p77"):
        explain_round(event, paired, "p77")


def test_the_rules_name_the_pairs_of_the_finals():
    data = event_of("m43-open", 12)
    for _ in range(6):
        play_round(data, random.Random(2))
    event = from_dict(data)
    reasons = explain_round(event, next_round(event))
    assert reasons[0].price is None and "semi-final" in reasons[0].reasons[0].en
