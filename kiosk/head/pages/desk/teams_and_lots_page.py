"""The teams of a division and their order sheets; the drawing of lots, and the public page that shows the draw."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from starlette.responses import Response

from engine.tournament.event_model import Event, EventError, Team
from engine.tournament.formats.team_matches_and_ranking import board_order
from engine.tournament.pairing_history_and_constraints import present_entries
from kiosk.head.errors import NotFound
from kiosk.head.event.act_types import LotsDrawn
from kiosk.head.event.pairings_standings_and_correction_impact import is_over
from kiosk.head.pages.desk.division_page_helpers import division_form, page, with_all_fields
from kiosk.head.registration.lot_drawing import GENERATOR, draw_trace_of, lots_from_ballots, lots_from_seed
from kiosk.head.web.form_player_and_result_parsing import LARGE, BadForm, ascii_digits, parse_int, parse_optional_int
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext

_MEMBERS = tuple(f"player{number}" for number in range(1, 6))
_BOARDS = tuple(f"board{number}" for number in range(1, 4))
#: fields of lots typed by hand; a division has at most 500 players
_MOST_LOTS = 500
_LOT_FIELDS = {f"{name}{number}" for name in ("id", "lot") for number in range(1, _MOST_LOTS + 1)}


def _teams(visit: RequestContext) -> dict[str, object]:
    division = visit.division
    number = len(division.rounds) + 1
    in_teams = {id for team in division.event.teams for id in team.players}
    here = [player.id for player in present_entries(division.whole(), number)]
    return {
        "teams": division.event.teams,
        "free": [with_all_fields(player) for player in division.event.players if player.id not in in_teams],
        "number": number,
        "over": bool(division.rounds) and is_over(division.whole()),
        "people": division.players(),
        "here": here,
        "orders": {team.id: _order_now(division.event, team, number, here) for team in division.event.teams},
        "members": _MEMBERS,
        "boards": _BOARDS,
    }


def _order_now(event: Event, team: Team, round: int, here: Sequence[str]) -> tuple[str, ...]:
    """Return who sits at the boards of a round by the sheet or without one; empty in a team of fewer players."""
    with suppress(EventError):
        return board_order(event, team, round, here)[0]
    return ("",) * len(_BOARDS)


def _add(visit: RequestContext) -> None:
    form, division = visit.form, visit.division
    players = [form[name] for name in _MEMBERS if form[name]]
    if not form["name"] or len(players) < 3 or len(set(players)) < len(players):
        raise BadForm.saying("a team needs a name and at least three different players")
    visit.desk.players.set_team(division.slug, Team("", form["name"][:60], tuple(players), players[0]))


def _join(visit: RequestContext) -> None:
    """Add a player to a team, also while rounds are played."""
    division, player, id = visit.division, visit.form["player"], visit.form["team"]
    team = division.teams().get(id)
    if team is None:
        raise NotFound.saying("there is no team '{team}'; choose one of the division's teams", team=id[:40])
    if player not in division.players():
        raise BadForm.saying("choose a player for team {team}", team=division.called(team.id))
    visit.desk.players.set_team(division.slug, replace(team, players=(*team.players, player)))


def _order(visit: RequestContext) -> None:
    form = visit.form
    players = [form[name] for name in _BOARDS if form[name]]
    if len(players) != len(_BOARDS) or len(set(players)) != len(players):
        raise BadForm.saying(
            "{team}: an order sheet names three different players", team=visit.division.called(form["team"][:40])
        )
    visit.desk.players.set_order(visit.division.slug, form["team"], parse_int(form, "round", 1, 100), players)


def _lots(visit: RequestContext) -> dict[str, object]:
    division = visit.division
    return {
        "draw": draw_trace_of(division),
        "players": [with_all_fields(player) for player in division.event.players],
        "generator": GENERATOR,
    }


def _draw(visit: RequestContext) -> None:
    form, division = visit.form, visit.division
    match form["method"]:
        case "ballots":
            drawn = lots_from_ballots(division, [ascii_digits(form[f"ballot{number}"]) for number in (1, 2, 3)])
        case "head":
            ballots = [f"{secrets.randbelow(100_000):05d}" for _ in range(3)]
            drawn = lots_from_ballots(division, ballots)
        case "seed":
            drawn = lots_from_seed(division, secrets.randbelow(1_000_000))
        case _:
            raise BadForm.saying("choose how to draw")
    visit.desk.players.set_lots(drawn)


def _by_hand(visit: RequestContext) -> None:
    """Record the numbers that the players drew themselves; of a player who was deleted meanwhile, none. A form without
    ids has the order of the list."""
    division, form = visit.division, visit.form
    players, lots = division.players(), {}
    sent = [form[f"id{number}"] for number in range(1, _MOST_LOTS + 1)]
    for number, id in enumerate(sent if any(sent) else players, start=1):
        lot = parse_optional_int(form, f"lot{number}", 1, 10_000)
        if lot is not None and id in players:
            lots[id] = lot
    visit.desk.players.set_lots(LotsDrawn(division.slug, lots=lots, method="hand"))


def _public_draw(visit: RequestContext) -> Response:
    """Show the draw on a public page."""
    division = visit.division if visit.desk.state.divisions else None
    draw = None if division is None else draw_trace_of(division)
    return visit.show("desk/draw.html", title="draw", division=division, draw=draw, generator=GENERATOR)


ADDRESSES: list[PageRoute] = [
    page("teams", "desk/teams.html", _teams),
    division_form("teams", _add, {"name", *_MEMBERS}, back="teams"),
    division_form("teams/join", _join, {"team", "player"}, back="teams"),
    division_form("teams/remove", lambda visit: visit.desk.players.remove_team(visit.division.slug, visit.form["team"]),
                  {"team"}, back="teams"),
    division_form("teams/order", _order, {"team", "round", *_BOARDS}, back="teams"),
    page("lots", "desk/lots.html", _lots),
    division_form("lots", _draw, {"method", "ballot1", "ballot2", "ballot3"}, back="lots"),
    division_form("lots/hand", _by_hand, _LOT_FIELDS, limit=LARGE, back="lots"),
    PageRoute("/draw", _public_draw),
]  # fmt: skip
