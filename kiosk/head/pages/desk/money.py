"""The fees page of a division: entry numbers, entry fees and receipts."""

from __future__ import annotations

from engine.text import say
from kiosk.head.errors import NotFound
from kiosk.head.pages.desk.common import MOST_FEE, act, page, with_all_fields
from kiosk.head.web.address import Address
from kiosk.head.web.forms import BadForm, whole
from kiosk.head.web.visit import Visit
from kiosk.records.kana import in_order


def _money(visit: Visit) -> dict[str, object]:
    division = visit.division
    players = division.event.players
    taken = [player.fee for player in players if player.id in division.paid and isinstance(player.fee, int)]
    return {
        "players": [with_all_fields(one) for one in sorted(players, key=in_order)],
        "taken": sum(taken),
        "unnumbered": sum(player.number is None for player in players),
        "without": sum(player.fee is None for player in players),
    }


def _mark(visit: Visit) -> str:
    """Apply a button of the list. Its value names the act and the player: ``paid p12``."""
    division, players = visit.division, visit.desk.players
    what, _, id = visit.form["mark"].partition(" ")
    if id not in division.players():
        raise NotFound(say("that player no longer exists; reload the list"))
    if what not in ("paid", "not-paid"):
        raise BadForm(say("the form contains no known action; use the buttons of the page"))
    players.pay(division.slug, [id], paid=what == "paid")
    return f"/division/{division.slug}/money#{id}"


def _fees(visit: Visit) -> None:
    visit.desk.players.set_fees(visit.division.slug, whole(visit.form, "fee", 0, MOST_FEE))


def _number(visit: Visit) -> None:
    visit.desk.players.number(visit.division.slug)


ADDRESSES: list[Address] = [
    page("money", "desk/money.html", _money),
    act("money/mark", _mark, {"mark"}, back="money"),
    act("money/fees", _fees, {"fee"}, back="money"),
    act("money/numbers", _number, back="money"),
]
