"""Screen of a table. Nothing else in the project imports pygame."""

from kiosk.table.screen.screen import Output, Screen, ScreenError

__all__ = ["Output", "Screen", "ScreenError"]
