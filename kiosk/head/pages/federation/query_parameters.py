"""Functions shared by the pages of a federation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from engine.i18n import say
from kiosk.head.errors import NotFound
from kiosk.head.federation.database.live_update import Projection
from kiosk.head.web.request_context import RequestContext

T = TypeVar("T")


def projection(visit: RequestContext) -> Projection:
    """Return the federation's database.

    :raises NotFound: this head is not a federation's.
    """
    if visit.head.remote.projection is None:
        raise NotFound(say("this head does not collect from venues; see docs/setup/federation.md"))
    return visit.head.remote.projection


def query(visit: RequestContext, question: Callable[..., T], *about: object) -> T:
    """Return the answer of the federation's database.

    :raises NotFound: this head is not a federation's.
    """
    with projection(visit).engine.connect() as connection:
        return question(connection, *about)


def number(text: str) -> int:
    """Return the number in an address; 0 if it is not one that the database can hold."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
