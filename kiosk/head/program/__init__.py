"""The program that a head is: all parts joined, served, and closed again."""

from kiosk.head.program.program import HeadProgram, serve

__all__ = ["HeadProgram", "serve"]
