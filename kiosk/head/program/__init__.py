"""The head as a program: all its parts connected, served and closed."""

from kiosk.head.program.head_application import HeadApplication, serve

__all__ = ["HeadApplication", "serve"]
