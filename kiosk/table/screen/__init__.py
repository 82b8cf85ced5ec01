"""Screen of a table. Nothing else in the project imports pygame."""

from kiosk.table.screen.pygame_screen import Output, PygameScreen, ScreenError

__all__ = ["Output", "PygameScreen", "ScreenError"]
