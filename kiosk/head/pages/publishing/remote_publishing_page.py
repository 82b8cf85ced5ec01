"""The page about publishing to a target outside this head: what is published there, what is not, and the button that
publishes."""

from __future__ import annotations

from engine.i18n import say
from kiosk.head.access.roles import Role
from kiosk.head.errors import Conflict
from kiosk.head.web.html_renderer import Item
from kiosk.head.web.page_route_handling import form_route, live_route
from kiosk.head.web.request_context import RequestContext


def _items(visit: RequestContext) -> list[Item]:
    publisher = visit.head.outbound.publisher
    status = None if publisher is None else publisher.status
    return [("up", visit.draw("publishing/_up.html", status=status))]


def _publish(visit: RequestContext) -> None:
    if visit.head.outbound.publisher is None:
        raise Conflict(say("no place is configured; write [publish] into head.toml (docs/reference/configuration.md)"))
    visit.head.outbound.publisher.wanted()


ADDRESSES = [
    live_route("/publish/elsewhere", _items, title="publish", template="publishing/elsewhere.html", role=Role.SIGNED_IN,
         values=lambda visit: {"configured": visit.head.outbound.publisher is not None}, back="/publish"),
    form_route("/publish/elsewhere", _publish, set(), back="/publish/elsewhere"),
]  # fmt: skip
