"""The devices at the tables: how one gets its key, is replaced by a spare, and comes back."""

from kiosk.head.devices.enrolments import Enrolments, Waiting
from kiosk.head.devices.pin import HallPin
from kiosk.head.devices.returned import ReturnedDevices
from kiosk.head.devices.updates import Updates

__all__ = ["Enrolments", "HallPin", "ReturnedDevices", "Updates", "Waiting"]
