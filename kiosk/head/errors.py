"""Errors of the head. Every message is one sentence: what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from engine.i18n import LocalizedError, Text


class HeadError(LocalizedError, ValueError):
    """Base class of the head's errors. ``status`` is the HTTP status of the page that reports it."""

    status = 400


class StoreError(HeadError):
    """The store is damaged, in use by another head, or could not commit."""

    status = 503


class NotFound(HeadError):  # noqa: N818 - named after the condition
    """The named game, player or table does not exist."""

    status = 404


class Conflict(HeadError):  # noqa: N818
    """The state has changed since the page was shown, so the action no longer applies; the user
    reviews it and repeats.
    """

    status = 409


class Forbidden(HeadError):  # noqa: N818
    """The user is not signed in, or the form did not come from this head's page."""

    status = 403


class RateLimited(HeadError):  # noqa: N818
    """Too many wrong passwords or codes, or forms; for ``wait_s`` seconds no further one is accepted."""

    status = 429

    def __init__(self, text: Text, wait_s: int = 0) -> None:
        super().__init__(text)
        self.wait_s = wait_s


@contextmanager
def as_connection_errors() -> Iterator[None]:
    """Raise a ``StoreError`` as a ``ConnectionError``. It ends the link of one table, which connects again."""
    try:
        yield
    except StoreError as error:
        raise ConnectionError(str(error)) from error
