"""Screen of a table. Nothing else in the project imports pygame."""

from kiosk.table.screen.pygame_screen import Output, PygameScreen, ScreenError
from kiosk.table.screen.text_layout import can_draw

__all__ = ["Output", "PygameScreen", "ScreenError", "can_draw"]
