"""Presets of divisions to choose from, as each format defines them (``engine.tournament.format_spec_and_options``).

A preset is data. Everything it sets can be changed on the division's page before round 1.
"""

from __future__ import annotations

from engine.tournament.format_spec_and_options import GROUPS, DivisionPreset
from engine.tournament.formats import FORMATS

__all__ = ["GROUPS", "KINDS", "DivisionPreset", "preset_by_key"]

KINDS: tuple[DivisionPreset, ...] = tuple(kind for format in FORMATS.values() for kind in format.facts.kinds)


def preset_by_key(key: str) -> DivisionPreset | None:
    return next((kind for kind in KINDS if kind.key == key), None)
