"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# A deadline would judge how busy the machine is, not the code.
settings.register_profile("calm", deadline=None)
settings.load_profile("calm")
