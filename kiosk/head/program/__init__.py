"""The head as a program: all its parts connected, served and closed."""

from kiosk.head.program.application import HeadApplication
from kiosk.head.program.assembly import build_head, serve

__all__ = ["HeadApplication", "build_head", "serve"]
