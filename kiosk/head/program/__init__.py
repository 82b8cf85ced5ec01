"""The program that a head is: all parts joined, served, and closed again."""

from kiosk.head.program.program import HeadProgram, read_event, serve

__all__ = ["HeadProgram", "read_event", "serve"]
