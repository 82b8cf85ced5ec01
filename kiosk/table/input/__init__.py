"""Gestures of the players at the buttons and on the display, and their meaning: pure functions of the times of the
edges.
"""
