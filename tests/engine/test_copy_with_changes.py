"""``replace``: the result equals that of ``dataclasses.replace``."""

from __future__ import annotations

import dataclasses

import pytest

from engine.copy_with_changes import replace


@dataclasses.dataclass(frozen=True, slots=True)
class _Base:
    one: int
    two: str = "two"


@dataclasses.dataclass(frozen=True, slots=True)
class _Value(_Base):
    three: tuple[int, ...] = ()


def test_replace_equals_dataclasses_replace() -> None:
    """Inherited fields are included, unnamed fields are not copied, and the old value is unchanged."""
    old = _Value(1, three=(1, 2))
    assert replace(old, two="2") == dataclasses.replace(old, two="2") == _Value(1, "2", (1, 2))
    assert replace(old, one=3, three=()) == _Value(3)
    assert replace(old).three is old.three
    assert old == _Value(1, "two", (1, 2))


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(TypeError, match="_Value has no field four"):
        replace(_Value(1), four=4)  # type: ignore[call-arg]
