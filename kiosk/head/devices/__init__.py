"""The devices at the tables: enrolment, replacement by a spare, return, PIN and updates."""

from kiosk.head.devices.enrolments import Enrolments, Waiting
from kiosk.head.devices.pin import HallPin
from kiosk.head.devices.returned import ReturnedDevices
from kiosk.head.devices.updates import Updates

__all__ = ["Enrolments", "HallPin", "ReturnedDevices", "Updates", "Waiting"]
