"""Every address that a head answers at, from its own table of routes, with something to put in for what is variable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from starlette.routing import BaseRoute, Mount, Route

from kiosk.head.config import HeadConfig
from kiosk.head.program import HeadProgram

_VARIABLE = re.compile(r"\{(\w+)(?::\w+)?\}")


def addresses(data: Path) -> list[tuple[str, str]]:
    """(method, path) of every route of a head with an empty store in ``data``; paths as Starlette writes them."""
    program = HeadProgram(HeadConfig(data=data, keys=data / "keys.json", port=0), {})
    try:
        return sorted(set(_of(program.app.routes)))
    finally:
        program.close()


def _of(routes: list[BaseRoute], before: str = "") -> list[tuple[str, str]]:
    found = []
    for route in routes:
        if isinstance(route, Mount):
            found += _of(list(route.routes), before + route.path)
        elif isinstance(route, Route):
            methods = (route.methods or {"GET"}) - {"HEAD"}
            found += [(method, before + route.path) for method in methods]
    return found


def filled(path: str, values: Mapping[str, str]) -> str | None:
    """The path with its variables filled in, None if one of them has no value."""
    names = [found[1] for found in _VARIABLE.finditer(path)]
    if any(name not in values for name in names):
        return None
    return _VARIABLE.sub(lambda found: values[found[1]], path)
