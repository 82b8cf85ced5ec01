"""The desk's page of what goes out: prints, the published pages, hall screens, and what spectators may see."""

from __future__ import annotations

from starlette.responses import Response

from kiosk.head.access.rights import Role, admits
from kiosk.head.event.bodies import Changed
from kiosk.head.event.spectators import MOST_DELAY, Boards, read_spectators
from kiosk.head.publish.naming import NameStyle
from kiosk.head.publish.prints import KINDS
from kiosk.head.web.address import Address, action
from kiosk.head.web.forms import whole
from kiosk.head.web.visit import Visit


def _page(visit: Visit) -> Response:
    divisions = [(one, one.spectators) for one in visit.desk.state.divisions.values()]
    return visit.show(
        "published/publish.html",
        title="publish",
        divisions=divisions,
        kinds=KINDS,
        boards=[choice.value for choice in Boards],
        styles=[style.value for style in NameStyle],
        may_set=admits(visit.session, Role.DESK),
        most_delay=MOST_DELAY,
    )


def _set(visit: Visit) -> None:
    form, division = visit.form, visit.division
    names = {"everybody": form["everybody"], "minors": form["minors"]}
    wished = {"boards": form["boards"], "delay": whole(form, "delay", 0, MOST_DELAY), "names": names}
    visit.desk.divisions.change(Changed(division.slug, spectators=read_spectators(wished).line()))


ADDRESSES = [
    Address("/publish", _page, Role.SIGNED_IN),
    action("/publish/spectators", _set, {"division", "boards", "delay", "everybody", "minors"}, back="/publish"),
]
