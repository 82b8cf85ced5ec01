"""The desk's first page: what needs somebody, the round, the tables, and the forms."""

from __future__ import annotations

from typing import Any

from kiosk.head.errors import HeadError
from kiosk.head.games import ENDS
from kiosk.head.pages.accounts import sign_in_form
from kiosk.head.pages.address import live
from kiosk.head.pages.hall import arbiter_cards
from kiosk.head.pages.render import Item
from kiosk.head.pages.roles import Role
from kiosk.head.pages.visit import Visit


def _items(visit: Visit) -> list[Item]:
    desk = visit.desk
    items = [("progress", visit.draw("desk/_round.html", **_round(visit)))]
    items += [
        (f"table-{card.number}", visit.draw("desk/_table.html", card=card))
        for card in arbiter_cards(desk, visit.parts.live)
    ]
    games = [game for games in reversed(desk.state.rounds) for game in games if not game.is_bye]
    items.append(("forms", visit.draw("desk/_forms.html", games=games, ends=ENDS)))
    items.append(("commands", visit.draw("desk/_commands.html", commands=desk.recent_orders())))
    return items


def _round(visit: Visit) -> dict[str, Any]:
    """What the desk says about the round: progress, or the draft of the next one, or why there is none."""
    desk = visit.desk
    state, draft, problem = desk.state, None, desk.problem
    if state.event is not None and state.round_is_complete and not desk.auto:
        try:
            draft = desk.draft()
        except HeadError as error:
            problem = str(error)
    return {"draft": draft, "problem": problem, "auto": desk.auto, "troubles": visit.parts.renderer.troubles()}


ADDRESSES = [live("/desk", "desk/desk.html", _items, title="desk", role=Role.DESK, stranger=sign_in_form)]
