"""The teams of a division and their order sheets."""

from __future__ import annotations

from engine.i18n import say
from engine.tournament.event_model import Team
from kiosk.head.pages.desk.division_page_helpers import division_form, page, with_all_fields
from kiosk.head.web.form_player_and_result_parsing import BadForm, parse_int
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext

_MEMBERS = tuple(f"player{number}" for number in range(1, 6))
_BOARDS = tuple(f"board{number}" for number in range(1, 4))


def _teams(visit: RequestContext) -> dict[str, object]:
    division = visit.division
    in_teams = {id for team in division.event.teams for id in team.players}
    number = len(division.rounds) + 1
    return {
        "teams": division.event.teams,
        "free": [with_all_fields(player) for player in division.event.players if player.id not in in_teams],
        "number": number,
        "people": division.players(),
        "members": _MEMBERS,
        "boards": _BOARDS,
    }


def _add(visit: RequestContext) -> None:
    form, division = visit.form, visit.division
    players = [form[name] for name in _MEMBERS if form[name]]
    if not form["name"] or len(players) < 3 or len(set(players)) < len(players):
        raise BadForm(say("a team needs a name and at least three different players"))
    team = Team("", form["name"][:60], tuple(players), players[0])
    visit.desk.players.set_team(division.slug, team)


def _remove(visit: RequestContext) -> None:
    visit.desk.players.remove_team(visit.division.slug, visit.form["team"])


def _order(visit: RequestContext) -> None:
    form = visit.form
    players = [form[name] for name in _BOARDS if form[name]]
    if len(players) != len(_BOARDS) or len(set(players)) != len(players):
        raise BadForm(say("an order sheet names three different players"))
    visit.desk.players.set_order(visit.division.slug, form["team"], parse_int(form, "round", 1, 100), players)


ADDRESSES: list[PageRoute] = [
    page("teams", "desk/teams.html", _teams),
    division_form("teams", _add, {"name", *_MEMBERS}, back="teams"),
    division_form("teams/remove", _remove, {"team"}, back="teams"),
    division_form("teams/order", _order, {"team", "round", *_BOARDS}, back="teams"),
]
