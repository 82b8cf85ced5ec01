"""What the head refuses. Every message is one sentence: what, where, and what to do."""

from __future__ import annotations


class HeadError(ValueError):
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
    """Too many wrong setup codes in a short time."""

    status = 429
