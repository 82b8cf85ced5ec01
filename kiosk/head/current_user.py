"""The person on whose behalf the current thread or task acts.

Every line of the audit trail names the person who acted. The name is held in a context variable, so functions need not
pass it on. Acts of the head itself have no person.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: value in the audit trail where no person acted
HEAD = "-"

_person: ContextVar[str] = ContextVar("acting_person", default=HEAD)


def acting() -> str:
    """Return the name of the person on whose behalf this thread or task acts."""
    return _person.get()


@contextmanager
def as_user(person: str) -> Iterator[None]:
    """Record everything written inside the context as this person's act."""
    before = _person.set(person)
    try:
        yield
    finally:
        _person.reset(before)
