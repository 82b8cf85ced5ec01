"""Tests of a demo on virtual time that cannot reach its end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kiosk.commands.demo import _event
from kiosk.demo.hall_processes import HallPlan
from kiosk.demo.simulated_players import SimulatedPlayers
from kiosk.demo.virtual_time_demo import play
from kiosk.input_errors_and_missing_extras import InputError


def test_a_hall_without_progress_ends_with_an_error_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def idle(players: SimulatedPlayers) -> None:
        await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(SimulatedPlayers, "play", idle)
    with pytest.raises(InputError, match="stands still"):
        play(HallPlan(_event("round-robin", 4, 1), 1, 400.0, 1, tmp_path), lambda progress: None)


def test_an_unexpected_error_of_a_simulated_player_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(players: SimulatedPlayers) -> None:
        raise LookupError("no such square")

    monkeypatch.setattr(SimulatedPlayers, "play", fail)
    with pytest.raises(LookupError, match="no such square"):
        play(HallPlan(_event("round-robin", 4, 1), 1, 400.0, 1, tmp_path), lambda progress: None)
