"""Presets of divisions to choose from, as each format defines them (``engine.tournament.facts``).

A preset is data. Everything it sets can be changed on the division's page before round 1.
"""

from __future__ import annotations

from engine.tournament.facts import GROUPS, Kind
from engine.tournament.formats import FORMATS

__all__ = ["GROUPS", "KINDS", "Kind", "kind_of"]

KINDS: tuple[Kind, ...] = tuple(kind for format in FORMATS.values() for kind in format.facts.kinds)


def kind_of(key: str) -> Kind | None:
    return next((kind for kind in KINDS if kind.key == key), None)
