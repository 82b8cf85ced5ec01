"""Tests of the simulated cables: they damage data, and the product's own session continues."""

from __future__ import annotations

import asyncio
from random import Random

from simulate.drifting_clock import run
from simulate.simulated_cables import Cable, CablePort

from kiosk.demo.virtual_time_loop_and_connection import VirtualTime
from kiosk.link.serial_framing_and_transport import BAUD, SerialLine


def _received(noise: float) -> tuple[list[bytes], float]:
    """Return what arrives at the head of 200 frames of 300 bytes, and how long that took."""
    time, arrived = VirtualTime(), []
    begun_s = time.monotonic_s()

    async def main() -> None:
        cable = Cable(Random(3))
        cable.noise = noise
        table, head = SerialLine(CablePort(cable, 0, BAUD)), SerialLine(CablePort(cable, 1, BAUD))

        async def hear() -> None:
            while True:
                arrived.append(await head.receive())

        hearing = asyncio.create_task(hear())
        for number in range(200):
            await table.send(number.to_bytes(2, "big") * 150)
        await asyncio.sleep(1)
        hearing.cancel()

    run(time, main)
    return arrived, time.monotonic_s() - begun_s


def test_a_cable_without_noise_carries_frames_at_its_baud_rate() -> None:
    """200 frames of 300 bytes at ten bits a byte take 5.3 s."""
    arrived, took_s = _received(0.0)
    assert arrived == [number.to_bytes(2, "big") * 150 for number in range(200)]
    assert 5.2 < took_s - 1 + 0.1 < 5.6


def test_a_noisy_cable_loses_duplicates_and_reorders_frames() -> None:
    arrived, _ = _received(0.6)
    numbers = [int.from_bytes(frame[:2], "big") for frame in arrived]
    assert all(frame == frame[:2] * 150 for frame in arrived)
    assert len(set(numbers)) < 180
    assert len(numbers) > len(set(numbers))
    assert numbers != sorted(numbers)
