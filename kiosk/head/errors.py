"""What the head refuses. Every refusal is one sentence: what, where, and what to do."""

from __future__ import annotations

from engine.text import Text, TextError


class HeadError(TextError, ValueError):
    """Family of the head's refusals. ``status`` is the HTTP status that a page answers with."""

    status = 400


class StoreError(HeadError):
    """The store is damaged, is used by another head, or could not commit."""

    status = 503


class NotFound(HeadError):  # noqa: N818 - it says what is the matter, as the pages do
    """Names a game, player or table that does not exist."""

    status = 404


class Conflict(HeadError):  # noqa: N818
    """The action does not fit what has happened in the meantime; look again and decide again."""

    status = 409


class Forbidden(HeadError):  # noqa: N818
    """The operator is not signed in, or the form did not come from our own page."""

    status = 403


class TooMany(HeadError):  # noqa: N818
    """Too many wrong passwords or codes; ``wait_s``: how long nothing more is looked at."""

    status = 429

    def __init__(self, text: Text, wait_s: int = 0) -> None:
        super().__init__(text)
        self.wait_s = wait_s
