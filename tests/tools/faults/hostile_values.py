"""Hostile values that replace any field of a body, which no correct program writes."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

#: JSON values of every kind, and some that JSON cannot express
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**63, 2**64, 10**400, 0.5, 1.0, float("nan"), float("inf"), "", "NaN", "x",
    "\x00", "\ud800", "\u202e", "<b>", "9" * 5000, "あ" * 300, [], [1], {}, {"x": 1}, [[]], {"": None}, [{"id": []}],
)  # fmt: skip
#: what somebody types into a form or an address: in part values that exist
TYPED = (
    "", " ", "\t", "0", "1", "2", "3", "16", "32", "33", "64", "-1", "1.5", "1e9", "9" * 30, "１２", "nan", "x" * 3000,
    "é", "あ", "山田 太郎", "👨‍👩‍👧", "\x00", "\x01", "\u202e", "\U0001f600", "'; --", "<b>", "../../etc/passwd",
    "%s%n", "null", "[]", '{"a":1}', "p1", "p2", "p3", "p1 p2", "p1, p3", "main", "black", "normal", "yes", "JPN", "3d",
    "初段", "2031-04-05", "10:30", "25:61", "p1\np2", "1\n2\n3", "名前,段位\n山田,3段\n", "a,b\n\"", "\r\n\r\n",
)  # fmt: skip


def deep(levels: int) -> Any:
    """Return nested lists."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


def places(body: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value inside a body."""
    items = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(body: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return the body with another value at ``path``; ``...`` removes the field."""
    body = copy.deepcopy(body)
    inside: Any = body
    for key in path[:-1]:
        inside = inside[key]
    if value is ...:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    return body


def mutated(body: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return the body with one field changed: removed, of another type, renamed, or with an additional field."""
    there = list(places(body))
    if not there or chance.random() < 0.05:
        return {**body, chance.choice(("extra", "", "\x00", "game")): chance.choice(VALUES)}
    if chance.random() < 0.02:
        return changed(body, chance.choice(there), deep(chance.choice((10, 200))))
    value = ... if chance.random() < 0.1 else chance.choice(VALUES)
    return changed(body, chance.choice(there), value)
