"""The fees page of a division: entry numbers, entry fees and receipts."""

from __future__ import annotations

from engine.i18n import say
from engine.tournament.player_entry_fields import MOST_FEE
from kiosk.head.errors import NotFound
from kiosk.head.pages.desk.division_page_helpers import UNKNOWN_ACTION, division_form, page, with_all_fields
from kiosk.head.web.form_player_and_result_parsing import BadForm, parse_int
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.records.japanese_name_search_and_order import collation_key


def _fees_page(visit: RequestContext) -> dict[str, object]:
    division = visit.division
    players = division.event.players
    amounts = [player.fee for player in players if player.id in division.paid and isinstance(player.fee, int)]
    return {
        "players": [with_all_fields(one) for one in sorted(players, key=collation_key)],
        "taken": sum(amounts),
        "unnumbered": sum(player.number is None for player in players),
        "without": sum(player.fee is None for player in players),
    }


def _mark(visit: RequestContext) -> str:
    """Apply a button of the list. Its value names the act and the player: ``paid p12``."""
    division, players = visit.division, visit.desk.players
    what, _, id = visit.form["mark"].partition(" ")
    if id not in division.players():
        raise NotFound(say("that player no longer exists; reload the list"))
    if what not in ("paid", "not-paid"):
        raise BadForm(UNKNOWN_ACTION)
    players.pay(division.slug, [id], paid=what == "paid")
    return f"/division/{division.slug}/money#{id}"


def _set_fees(visit: RequestContext) -> None:
    visit.desk.players.set_fees(visit.division.slug, parse_int(visit.form, "fee", 0, MOST_FEE))


def _assign_numbers(visit: RequestContext) -> None:
    visit.desk.players.number(visit.division.slug)


ADDRESSES: list[PageRoute] = [
    page("money", "desk/entry_fees.html", _fees_page),
    division_form("money/mark", _mark, {"mark"}, back="money"),
    division_form("money/fees", _set_fees, {"fee"}, back="money"),
    division_form("money/numbers", _assign_numbers, back="money"),
]
