"""The operator's desk: what people do, and what follows from it by itself."""

from kiosk.head.desk.desk import Desk

__all__ = ["Desk"]
