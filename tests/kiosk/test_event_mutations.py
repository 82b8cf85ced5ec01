"""Tests of damaged events with every command that reads one: a result, or one sentence and exit status 2."""

from __future__ import annotations

from pathlib import Path

import pytest
from events.mutations import faults_of, mutated


@pytest.mark.parametrize("first", [1, 1061, 1428, 1915, 110_450])
def test_damaged_events_are_answered_or_refused_in_one_sentence(first: int, tmp_path: Path):
    """Six selected seeds, some of which broke a command; ``python -m events.mutations`` runs as many as wanted."""
    for seed in range(first, first + 6):
        assert faults_of(mutated(seed), tmp_path) == [], f"python -m events.mutations 1 {seed}"


def test_a_million_rounds_are_refused_at_once(tmp_path: Path):
    data = {"schema": "othello-event/1", "format": "swiss", "options": {"rounds": 10**9}, "players": [{"id": "p1"}]}
    assert faults_of(data, tmp_path) == []
