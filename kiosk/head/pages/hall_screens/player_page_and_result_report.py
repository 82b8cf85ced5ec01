"""A player's own pages, opened by QR code: one game by the code on its slip, the whole day by the code on a badge.

A code opens one game or one player's day and nothing else; it is no account. A reported result stays unconfirmed until
the opponent reports the same from another phone, or the desk enters it. Players at a kiosk report their result there.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from starlette.responses import Response

from engine.i18n import say
from kiosk.head.access.authentication import game_subject, player_subject
from kiosk.head.access.roles import Role
from kiosk.head.errors import NotFound
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.pages.hall_screens.seat_lookup_page import FoundSeat, draw_notify, draw_seats, ended_divisions, seat_of
from kiosk.head.web.form_player_and_result_parsing import BadForm, ascii_digits, parse_choice, parse_int, parse_outcome
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import PHONE_COOKIE, YEAR_S, RequestContext

_FIELDS = {"me", "of", "black", "black_discs", "white_discs", "winner", "agree"}
_UNKNOWN = say("this code is no longer valid: its round is over, or it belongs to another event. Ask at the desk.")


def _game(visit: RequestContext) -> tuple[DivisionState, HeadGame]:
    """Return the game of the code on a slip.

    :raises NotFound: the code is of no published game.
    """
    for division in visit.hall.divisions.values():
        for game in chain.from_iterable(reversed(division.rounds)):
            if not game.is_bye and _is_token_of(visit, game_subject(game.id)):
                return division, game
    raise NotFound(_UNKNOWN)


def _is_token_of(visit: RequestContext, subject: str) -> bool:
    return secrets.compare_digest(visit.head.access.token(subject).encode(), visit.path["token"].encode())


def _player(visit: RequestContext) -> tuple[DivisionState, str]:
    """Return the player of the code on a badge.

    :raises NotFound: the code is of no player.
    """
    for division in visit.hall.divisions.values():
        for id in division.players():
            if _is_token_of(visit, player_subject(division.slug, id)):
                return division, id
    raise NotFound(_UNKNOWN)


def _form(
    visit: RequestContext, division: DivisionState, game: HeadGame, me: str | None, seats: Sequence[FoundSeat]
) -> str:
    """Draw the form in which ``me`` may report the result; ``me`` None: the player is not chosen yet. ``seats``: where
    the players sit now."""
    return visit.draw(
        "hall_screens/_report.html", division=division, game=game, me=me, here=visit.here.removeprefix("/stream"),
        by_kiosk=game.table in visit.desk.tables, said=visit.hall.reports.get(game.id, {}), seats=seats,
        over=division.slug in ended_divisions(visit, seats),
    )  # fmt: skip


def _game_page(visit: RequestContext) -> dict[str, str]:
    division, game = _game(visit)
    me = {"1": game.black, "2": game.white}.get(visit.query.get("me", ""))
    seats = [seat_of(division, id) for id in (sorted(game.players) if me is None else [me])]
    items = {"announcement": visit.announcement(division), "report": _form(visit, division, game, me, seats)}
    if any(seat.game is None or seat.game.id != game.id for seat in seats):
        items["seats"] = draw_seats(visit, seats)
    return items if me is None else items | draw_notify(visit)


def _player_page(visit: RequestContext) -> dict[str, str]:
    division, id = _player(visit)
    seat = seat_of(division, id)
    items = {"announcement": visit.announcement(division), "seats": draw_seats(visit, [seat]), **draw_notify(visit)}
    if seat.game is not None and not seat.game.is_bye:
        items["report"] = _form(visit, division, seat.game, id, [seat])
    ranking = visit.computed_ranking(division)
    for row in ranking.standings.rows if ranking else ():
        if row.id == id:
            items["rank"] = visit.draw("hall_screens/_rank.html", row=row)
    return items


def _report(visit: RequestContext, division: DivisionState, game: HeadGame, me: str) -> None:
    """Record a result reported from a phone.

    :raises BadForm: the page was of another game of the player; or the phone has no cookie, so it cannot be
        distinguished from the opponent's.
    """
    if visit.form["of"] not in ("", game.id):
        raise BadForm.saying("you have another game now; open the page again")
    if not (visit.caller.phone.isalnum() and len(visit.caller.phone) == 32):
        raise BadForm.saying("open the page again, and allow its cookie: it tells your phone from your opponent's")
    form, reports = dict(visit.form), visit.hall.reports.get(game.id, {})
    if form["agree"]:
        other = next((report for id, report in reports.items() if id != me), None)
        if other is None or other.key != form["agree"]:
            raise BadForm.saying("your opponent has entered a different result meanwhile; check it again")
        visit.desk.results.report(game.id, me, other.outcome, visit.caller.phone)
        return
    parse_choice(form, "winner", ("", "black", "white", "draw"))  # a forfeit is entered at the desk
    if not game.designated and form["black"] not in game.players:
        raise BadForm.saying("say who had Black")
    form |= {"end": "normal", "reason": "", "black_discs": ascii_digits(form["black_discs"])}
    if form["black_discs"] and game.total is not None:
        white = game.total - parse_int(form, "black_discs", 0, game.total)
        form["white_discs"] = str(white)
        if 2 * white != game.total:
            form["winner"] = ""
    visit.desk.results.report(game.id, me, parse_outcome(form, division.event, game), visit.caller.phone)


def _report_by_slip(visit: RequestContext) -> str:
    division, game = _game(visit)
    me = {"1": game.black, "2": game.white}.get(visit.form["me"])
    if me is None:
        raise BadForm.saying("choose who you are")
    _report(visit, division, game, me)
    return f"/g/{visit.path['token']}?me={visit.form['me']}"


def _report_by_badge(visit: RequestContext) -> None:
    division, me = _player(visit)
    game = seat_of(division, me).game
    if game is None or game.is_bye:
        raise NotFound(_UNKNOWN)
    _report(visit, division, game, me)


def _with_phone_cookie(address: PageRoute) -> PageRoute:
    """Return the address with a page that also sets the cookie by which phones are distinguished."""

    def answer(visit: RequestContext) -> Response:
        response = address.answer(visit)
        if not visit.caller.phone:
            response.set_cookie(PHONE_COOKIE, secrets.token_hex(16), max_age=YEAR_S, httponly=True, samesite="lax")
        return response

    return replace(address, answer=answer)


ADDRESSES = [
    _with_phone_cookie(live_route("/g/{token}", _game_page, title="own", template="hall_screens/seat.html")),
    _with_phone_cookie(live_route("/p/{token}", _player_page, title="own", template="hall_screens/seat.html")),
    form_route("/g/{token}", _report_by_slip, _FIELDS, role=Role.ANYBODY, back="/g/{token}"),
    form_route("/p/{token}", _report_by_badge, _FIELDS, role=Role.ANYBODY, back="/p/{token}"),
]
