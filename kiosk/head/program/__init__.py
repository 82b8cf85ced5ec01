"""The head as a program: all its parts connected, served and closed."""

from kiosk.head.program.head_application import HeadApplication
from kiosk.head.program.head_assembly_and_run import build_head, serve

__all__ = ["HeadApplication", "build_head", "serve"]
