"""Screen of a table. Nothing else in the project imports pygame."""

import os

# pygame prints a greeting to stdout, where ``--json`` promises only JSON; set before any module here imports it.
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

from kiosk.table.screen.pygame_screen import Output, PygameScreen, ScreenError
from kiosk.table.screen.text_layout_and_font_fallback import can_draw

__all__ = ["Output", "PygameScreen", "ScreenError", "can_draw"]
