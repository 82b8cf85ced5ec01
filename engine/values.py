"""Values that are never changed: a change makes another one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

_new = object.__new__

if TYPE_CHECKING:
    from dataclasses import replace as replace  # whose fields and their types are checked
else:

    def replace(value, /, **changes):
        """``dataclasses.replace`` of a frozen, slotted value without ``__post_init__``, three times as fast: a game is
        thousands of them, and a table that starts goes through all of them again.

        :raises TypeError: it has no such field.
        """
        places, read, writers = _of(type(value))
        fields = list(read(value))
        for name, change in changes.items():
            place = places.get(name)
            if place is None:
                raise TypeError(f"{type(value).__name__} has no field {name}")
            fields[place] = change
        other = _new(type(value))
        for write, field in zip(writers, fields, strict=True):
            write(other, field)
        return other


@cache
def _of(kind: type) -> tuple[dict[str, int], Callable[[Any], tuple[Any, ...]], list[Callable[[Any, Any], None]]]:
    """Of a class: where each field stands, how all of them are read, how each is written."""
    assert not hasattr(kind, "__post_init__"), f"{kind.__name__} looks at its fields: dataclasses.replace"
    names = [field.name for field in dataclasses.fields(kind)]
    assert len(names) > 1, "of one field nothing is left to keep"
    writers = [getattr(kind, name).__set__ for name in names]
    return {name: place for place, name in enumerate(names)}, attrgetter(*names), writers
