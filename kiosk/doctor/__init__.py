"""Checks of ``kiosk doctor``.

A check only reads. It changes nothing, asks for no password, and can run while the programs run.
"""
