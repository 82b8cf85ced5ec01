"""The desk's first page: calls for an arbiter, alerts, the next action of every division, and the games still in
play; and the page of games that are missing after a restore."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta

from starlette.responses import Response

from kiosk.head.access.roles import Role
from kiosk.head.desk.resolve_games_missing_after_restore import MOST_CLAIMS, claims_digest
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.round_timetable import parse_time_of_day
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.pages.accounts import sign_in_form
from kiosk.head.pages.arbiter.table_list_and_stop_all_page import calls
from kiosk.head.pages.desk.next_division_action import next_action
from kiosk.head.pages.hall_screens.seat_lookup_page import find_seats
from kiosk.head.publish.template_render import qr
from kiosk.head.web.form_player_and_result_parsing import ascii_digits, parse_int, parse_optional_int
from kiosk.head.web.head_url_on_hall_network import NO_ADDRESS
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext


def still_playing(division: DivisionState) -> list[tuple[HeadGame, int | None]]:
    """Return the open games with the minutes since their table was assigned, the longest first; None: no table yet."""
    now = datetime.now(UTC)
    found = [(game, _minutes_since(game.since, now)) for game in division.current if game.is_open]
    return sorted(found, key=lambda one: (one[1] is not None, -(one[1] or 0), one[0].table or 0))


def _minutes_since(at: str, now: datetime) -> int | None:
    return max(0, int((now - datetime.fromisoformat(at)).total_seconds() // 60)) if at else None


def _items(visit: RequestContext) -> dict[str, str]:
    desk, divisions, site = visit.desk, visit.hall.divisions.values(), visit.site_in_the_hall
    notices = visit.draw(
        "desk/_notices.html", problem=desk.problem(), troubles=visit.head.pages.troubles(),
        ahead=desk.claims.to_follow(), waiting=len(visit.head.registrations.waiting),
    )  # fmt: skip
    begun, picture = any(division.rounds for division in divisions), qr(site) if site else None
    return {
        "calls": visit.draw("arbiter/_calls.html", calls=calls(visit), from_desk=True),
        "notices": notices,
        **{f"part-{division.slug}": _draw_division(visit, division) for division in divisions},
        "start": visit.draw("desk/_start.html"),
        "reach": visit.draw("desk/_phone_address.html", site=site, picture=picture, missing=NO_ADDRESS, begun=begun),
    }


def _draw_division(visit: RequestContext, division: DivisionState) -> str:
    desk = visit.desk
    return visit.draw(
        "desk/_division.html", division=division, step=next_action(desk, division), playing=still_playing(division),
        games=[game for game in division.current if not game.is_bye],
        problem=desk.problem(division.slug) if desk.auto(division) else "",
    )  # fmt: skip


def _find(visit: RequestContext) -> Response:
    typed = visit.query.get("name", "")[:60]
    return visit.show("desk/find.html", title="desk", typed=typed, seats=find_seats(visit, typed))


def _announce(visit: RequestContext) -> None:
    text, minutes = " ".join(visit.form["text"].split())[:400], parse_optional_int(visit.form, "minutes", 1, 600)
    ends = datetime.now(UTC) + timedelta(minutes=minutes) if text and minutes else None
    visit.desk.divisions.announce(text, visit.form["prizes"][:200], ends.isoformat(timespec="seconds") if ends else "")


def _undo(visit: RequestContext) -> str:
    """Undo an act and return to the page where the button was pressed."""
    visit.desk.undo.take_back(parse_int(visit.form, "number", 0, 10**9))
    back = visit.form["back"]
    return back if re.fullmatch(r"/[a-z][A-Za-z0-9/_-]{0,200}", back) else "/desk"


def _time(visit: RequestContext) -> None:
    """Set when the round starts, today in the head's time zone, and its length."""
    starts = datetime.now().astimezone().replace(microsecond=0)
    if typed := visit.form["starts"]:
        begins = parse_time_of_day(ascii_digits(typed))
        starts = starts.replace(hour=begins // 60, minute=begins % 60, second=0)
    visit.desk.divisions.time_round(visit.division.slug, starts, parse_optional_int(visit.form, "minutes", 0, 600) or 0)


# Games that the tables report and this head has not, after a restore: which table says that it plays which game.
#
# The operator ticks the tables to follow. Only unambiguous reports are ticked in advance: not a table that reports two
# games of one round, and not the tables of a game that two tables report.

_TICKS = [f"plays{number}" for number in range(1, MOST_CLAIMS + 1)]


def _reported_games(visit: RequestContext) -> Response:
    claims = visit.desk.claims.open()
    often = Counter((claim.round, table) for claim in claims for table in claim.tables)
    twice = [{table for table in claim.tables if often[claim.round, table] > 1} for claim in claims]
    rows = list(zip(claims, twice, strict=True))
    return visit.show("desk/claims.html", title="desk", claims=rows, digest=claims_digest(claims))


def _follow_tables(visit: RequestContext) -> None:
    claims, form = visit.desk.claims, visit.form
    confirmed = {claim.game: form[tick] for claim, tick in zip(claims.open(), _TICKS, strict=False)}
    tables = {game: int(table) for game, table in confirmed.items() if table.isdecimal() and len(table) <= 9}
    claims.follow_tables(form["digest"], tables)


ADDRESSES: list[PageRoute] = [
    live_route("/desk", _items, title="desk", template="desk/desk.html", role=Role.DESK, stranger=sign_in_form),
    PageRoute("/desk/find", _find, Role.DESK, back="/desk"),
    form_route("/desk/notice", lambda visit: visit.desk.divisions.dismiss_notice(visit.form["key"]), {"key"}),
    form_route("/desk/announce", _announce, {"text", "minutes", "prizes"}),
    form_route("/desk/undo", _undo, {"number", "back"}),
    form_route("/desk/time", _time, {"division", "starts", "minutes"}),
    PageRoute("/desk/follow-tables", _reported_games, Role.DESK),
    form_route("/desk/follow-tables", _follow_tables, {"digest", *_TICKS}),
]
