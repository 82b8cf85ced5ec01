"""Whose hand moves the head now.

The law: every line of the audit trail names the person who did it. The person goes with the context (thread or task),
so no action has to be handed it, and none can forget it; what the head does by itself, nobody did.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: what stands in the audit trail where no person acted
HEAD = "-"

_person: ContextVar[str] = ContextVar("acting_person", default=HEAD)


def acting() -> str:
    """The name of the person on whose behalf this thread or task acts."""
    return _person.get()


@contextmanager
def acting_as(person: str) -> Iterator[None]:
    """Everything that is written inside is this person's doing."""
    before = _person.set(person)
    try:
        yield
    finally:
        _person.reset(before)
