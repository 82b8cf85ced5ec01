"""The head as a program: all its parts connected, served and closed."""

from kiosk.head.program.assembly import build_head, serve
from kiosk.head.program.head_application import HeadApplication

__all__ = ["HeadApplication", "build_head", "serve"]
