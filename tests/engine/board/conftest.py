"""Settings of the board's property tests."""

from hypothesis import settings

# How long an example takes says nothing about the board: other programs may run on this machine.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
