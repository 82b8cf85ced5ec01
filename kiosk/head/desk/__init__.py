"""The desk's acts, and the automatic steps that follow from them."""

from kiosk.head.desk.desk import Desk

__all__ = ["Desk"]
