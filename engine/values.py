"""Values that are never changed: a change makes another one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import replace as replace  # whose fields and their types are checked
else:

    def replace(value, /, **changes):
        """``dataclasses.replace`` of a frozen, slotted value without ``__post_init__``, many times as fast: a game is
        thousands of them, and a table that starts goes through all of them again.

        :raises TypeError: it has no such field.
        """
        return _changer(type(value))(value, changes)


@cache
def _changer(kind: type[Any]) -> Callable[[Any, dict[str, Any]], Any]:
    """Of a class: gives a value with some fields changed. The value is made as a twin of the same layout which is not
    frozen yet, so that each field is written as fast as it is read; then it becomes one of that class."""
    assert not hasattr(kind, "__post_init__"), f"{kind.__name__} looks at its fields: dataclasses.replace"
    names = [field.name for field in dataclasses.fields(kind)]
    own = kind.__dict__["__slots__"]
    made_by: Any = type(kind)
    open_ = made_by(kind.__name__, kind.__bases__, {"__slots__": own, "__setattr__": object.__setattr__})
    lines = [
        "def change(value, changes):",
        " other = new(open_)",
        *(f" other.{name} = value.{name}" for name in names),
        " for name in changes:",
        "  if name not in names: raise TypeError(f'{kind.__name__} has no field {name}')",
        "  set(other, name, changes[name])",
        " other.__class__ = kind",
        " return other",
    ]
    made: dict[str, Any] = {
        "new": object.__new__, "open_": open_, "names": frozenset(names), "set": object.__setattr__, "kind": kind,
    }  # fmt: skip
    exec("\n".join(lines), made)  # as dataclasses make their methods; the names are those of fields
    change: Callable[[Any, dict[str, Any]], Any] = made["change"]
    return change
