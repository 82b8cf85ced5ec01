"""The desk's first page: what needs somebody, the round, the tables, and the forms."""

from __future__ import annotations

from typing import Any

from kiosk.head.access.rights import Role
from kiosk.head.errors import HeadError
from kiosk.head.games import ENDS
from kiosk.head.pages.address import live
from kiosk.head.pages.hall import arbiter_cards
from kiosk.head.pages.render import Item
from kiosk.head.pages.signing import sign_in_form
from kiosk.head.pages.visit import Visit
from kiosk.head.state import DivisionState


def _items(visit: Visit) -> list[Item]:
    desk, state = visit.desk, visit.desk.state
    troubles = visit.parts.renderer.troubles()
    items = [("notices", visit.draw("desk/_notices.html", problem=desk.core.problems.get(""), troubles=troubles))]
    items += [
        (f"progress-{division.slug}", visit.draw("desk/_round.html", division=division, **_round(visit, division)))
        for division in state.divisions.values()
    ]
    items += [
        (f"table-{card.number}", visit.draw("desk/_table.html", card=card))
        for card in arbiter_cards(desk, visit.parts.live)
    ]
    games = [
        (division, game)
        for division in state.divisions.values()
        for games in reversed(division.rounds)
        for game in games
        if not game.is_bye
    ]
    names = {game.id: division.called for division, game in games}
    forms = visit.draw(
        "desk/_forms.html",
        games=[game for _, game in games],
        ends=ENDS,
        name_in=lambda game, player: names[game.id](player),
        player_names=lambda game: f"{names[game.id](game.black)} – {names[game.id](game.white)}",
    )
    items.append(("forms", forms))
    items.append(("commands", visit.draw("desk/_commands.html", commands=desk.orders.recent())))
    return items


def _round(visit: Visit, division: DivisionState) -> dict[str, Any]:
    """What the desk says about the round: progress, or the draft of the next one, or why there is none."""
    desk = visit.desk
    auto, draft, problem = desk.auto(division), None, desk.core.problems.get(division.slug, "")
    if division.round_is_complete and not auto:
        try:
            thought = desk.rounds.ask_draft(division.slug)
            draft = thought.result() if thought.done() else None
        except HeadError as error:
            problem = str(error)
    return {"draft": draft, "problem": problem, "auto": auto}


ADDRESSES = [live("/desk", "desk/desk.html", _items, title="desk", role=Role.DESK, stranger=sign_in_form)]
