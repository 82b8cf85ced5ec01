"""The desk's acts, and the automatic steps that follow from them."""

from kiosk.head.desk.desk_and_automatic_steps import Desk

__all__ = ["Desk"]
