"""The head as a program: all its parts connected, served and closed."""

from kiosk.head.program.program import HeadProgram, serve

__all__ = ["HeadProgram", "serve"]
