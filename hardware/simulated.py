"""Simulated hardware with fault injection, for tests and demos."""

from hardware.simulated_pins import WORN_SWITCH_NS, SimulatedButton, SimulatedFactory
from hardware.simulated_power import SimulatedFirmware, SimulatedSupply
from hardware.simulated_sensor_board import SimulatedSensorBoard
from hardware.simulated_serial import SimulatedWire
from hardware.timebase import ManualTime, ScaledTime

__all__ = [
    "WORN_SWITCH_NS",
    "ManualTime",
    "ScaledTime",
    "SimulatedButton",
    "SimulatedFactory",
    "SimulatedFirmware",
    "SimulatedSensorBoard",
    "SimulatedSupply",
    "SimulatedWire",
]
