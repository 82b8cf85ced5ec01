"""The devices at the tables: enrolment, replacement by a spare, return, PIN and updates."""

from kiosk.head.devices.arbiter_pin import SharedPin
from kiosk.head.devices.pending_enrolments import Enrolments, PendingEnrolment
from kiosk.head.devices.replaced_devices import ReplacedDevices
from kiosk.head.devices.table_software_updates_and_logs import Updates

__all__ = ["Enrolments", "PendingEnrolment", "ReplacedDevices", "SharedPin", "Updates"]
