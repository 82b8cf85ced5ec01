"""The commands of ``kiosk``: one module for a command, or for several that belong together."""
