"""Every route of a head, from its own routing table, with values for the variable parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.routing import BaseRoute, Mount, Route

from kiosk.head.head_config import HeadConfig
from kiosk.head.program import build_head

_VARIABLE = re.compile(r"\{(\w+)(?::\w+)?\}")


@dataclass(frozen=True, slots=True)
class Target:
    """One route. ``path`` is as Starlette writes it; ``fields`` and ``uploads`` are what its form may send."""

    method: str
    path: str
    fields: frozenset[str] = frozenset()
    uploads: frozenset[str] = frozenset()


def addresses(data: Path) -> list[Target]:
    """Return every route of a head with an empty store in ``data``."""
    program = build_head(HeadConfig(data=data, keys=data / "keys.json", port=0), {}).start()
    try:
        return targets(program.app.routes)
    finally:
        program.close()


def targets(routes: Iterable[BaseRoute], before: str = "") -> list[Target]:
    found = []
    for route in routes:
        if isinstance(route, Mount):
            found += targets(route.routes, before + route.path)
        elif isinstance(route, Route):
            address = getattr(route.endpoint, "__self__", None)
            fields, uploads = getattr(address, "fields", frozenset()), getattr(address, "uploads", frozenset())
            for method in sorted((route.methods or {"GET"}) - {"HEAD"}):
                found.append(Target(method, before + route.path, fields, uploads))
    return found


def filled(path: str, values: Mapping[str, str]) -> str | None:
    """Return the path with its variables filled in, None if one of them has no value."""
    names = [found[1] for found in _VARIABLE.finditer(path)]
    if any(name not in values for name in names):
        return None
    return _VARIABLE.sub(lambda found: values[found[1]], path)
