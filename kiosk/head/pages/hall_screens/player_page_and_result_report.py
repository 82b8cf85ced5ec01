"""A player's own pages, opened by QR code: one game by the code on its slip, the whole day by the code on a badge.

A code opens one game or one player's day and nothing else; it is no account. A reported result stays unconfirmed until
the opponent reports the same from another phone, or the desk enters it. Players at a kiosk report their result there.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import Future

from starlette.responses import RedirectResponse, Response

from engine.i18n import say
from kiosk.head.access.authentication import game_subject, player_subject
from kiosk.head.errors import NotFound
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.pairings_standings_and_correction_impact import ExplainedStandings
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.pages.hall_screens.seat_lookup_page import FoundSeat, ended_divisions, notify_item, seat_of, seats_item
from kiosk.head.web.form_player_and_result_parsing import BadForm, ascii_digits, parse_choice, parse_int, parse_outcome
from kiosk.head.web.html_renderer import Item
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, live_route
from kiosk.head.web.request_context_and_page_rendering import PHONE_COOKIE, YEAR_S, RequestContext

_FIELDS = frozenset({"me", "black", "black_discs", "white_discs", "winner", "agree"})
_UNKNOWN = say("this code is no longer valid: its round is over, or it belongs to another event. Ask at the desk.")


def _games(visit: RequestContext) -> Iterator[tuple[DivisionState, HeadGame]]:
    for division in visit.hall.divisions.values():
        for games in reversed(division.rounds):
            for game in games:
                if not game.is_bye:
                    yield division, game


def _game(visit: RequestContext) -> tuple[DivisionState, HeadGame]:
    """Return the game of the code on a slip.

    :raises NotFound: the code is of no published game.
    """
    token, of = visit.path["token"], visit.head.access.token
    for division, game in _games(visit):
        if secrets.compare_digest(of(game_subject(game.id)).encode(), token.encode()):
            return division, game
    raise NotFound(_UNKNOWN)


def _player(visit: RequestContext) -> tuple[DivisionState, str]:
    """Return the player of the code on a badge.

    :raises NotFound: the code is of no player.
    """
    token, of = visit.path["token"], visit.head.access.token
    for division in visit.hall.divisions.values():
        for id in division.players():
            if secrets.compare_digest(of(player_subject(division.slug, id)).encode(), token.encode()):
                return division, id
    raise NotFound(_UNKNOWN)


def _form(
    visit: RequestContext, division: DivisionState, game: HeadGame, me: str | None, seats: Sequence[FoundSeat]
) -> str:
    """Draw the form in which ``me`` may report the result; ``me`` None: the player is not chosen yet. ``seats``: where
    the players sit now."""
    return visit.draw(
        "hall_screens/_report.html",
        division=division,
        game=game,
        me=me,
        here=visit.here.removeprefix("/stream"),
        by_kiosk=game.table in visit.desk.tables,
        said=visit.hall.reports.get(game.id, {}),
        seats=seats,
        over=division.slug in ended_divisions(visit, seats),
    )


def _game_page(visit: RequestContext) -> list[Item]:
    division, game = _game(visit)
    me = {"1": game.black, "2": game.white}.get(visit.query.get("me", ""))
    seats = [seat_of(division, id) for id in (sorted(game.players) if me is None else [me])]
    items = [visit.announcement_item(division), ("report", _form(visit, division, game, me, seats))]
    if any(seat.game is None or seat.game.id != game.id for seat in seats):
        items.append(seats_item(visit, seats))
    return items if me is None else [*items, notify_item(visit)]


def _player_page(visit: RequestContext) -> list[Item]:
    division, id = _player(visit)
    seat = seat_of(division, id)
    items = [visit.announcement_item(division), seats_item(visit, [seat]), notify_item(visit)]
    if seat.game is not None and not seat.game.is_bye:
        items.append(("report", _form(visit, division, seat.game, id, [seat])))
    if (row := _rank(visit, division, id)) is not None:
        items.append(("rank", visit.draw("hall_screens/_rank.html", row=row)))
    return items


def _rank(visit: RequestContext, division: DivisionState, id: str) -> object | None:
    """Return the player's row of the standings if they are computed, without waiting for the computation."""
    if not division.rounds:
        return None
    asked: Future[ExplainedStandings] = visit.desk.ask_ranking(division.slug)
    if not asked.done() or asked.exception() is not None:
        return None
    return next((row for row in asked.result().standings.rows if row.id == id), None)


def _report(visit: RequestContext, division: DivisionState, game: HeadGame, me: str) -> None:
    form, reports = dict(visit.form), visit.hall.reports.get(game.id, {})
    if form["agree"]:
        other = next((report for id, report in reports.items() if id != me), None)
        if other is None or division.scored(other.outcome) != form["agree"]:
            raise BadForm(say("your opponent has entered a different result meanwhile; check it again"))
        visit.desk.results.report(game.id, me, other.outcome, visit.caller.phone)
        return
    parse_choice(form, "winner", ("", "black", "white", "draw"))  # a forfeit is entered at the desk
    if not game.designated and form["black"] not in game.players:
        raise BadForm(say("say who had Black"))
    form |= {"end": "normal", "reason": "", "black_discs": ascii_digits(form["black_discs"])}
    if form["black_discs"] and game.total is not None:
        white = game.total - parse_int(form, "black_discs", 0, game.total)
        form["white_discs"] = str(white)
        if 2 * white != game.total:
            form["winner"] = ""
    visit.desk.results.report(game.id, me, parse_outcome(form, division.event, game), visit.caller.phone)


def _report_result(visit: RequestContext, division: DivisionState, game: HeadGame, me: str, back: str) -> Response:
    """Record a result reported from a phone.

    :raises BadForm: the phone has no cookie, so it cannot be distinguished from the opponent's.
    """
    if not (visit.caller.phone.isalnum() and len(visit.caller.phone) == 32):
        raise BadForm(say("open the page again, and allow its cookie: it tells your phone from your opponent's"))
    _report(visit, division, game, me)
    return RedirectResponse(back, 303)


def _report_by_slip(visit: RequestContext) -> Response:
    division, game = _game(visit)
    me = {"1": game.black, "2": game.white}.get(visit.form["me"])
    if me is None:
        raise BadForm(say("choose who you are"))
    return _report_result(visit, division, game, me, f"/g/{visit.path['token']}?me={visit.form['me']}")


def _report_by_badge(visit: RequestContext) -> Response:
    division, me = _player(visit)
    game = seat_of(division, me).game
    if game is None or game.is_bye:
        raise NotFound(_UNKNOWN)
    return _report_result(visit, division, game, me, f"/p/{visit.path['token']}")


def _with_phone_cookie(address: PageRoute) -> PageRoute:
    """Return the address with a page that also sets the cookie by which phones are distinguished."""
    show = address.answer

    def answer(visit: RequestContext) -> Response:
        response = show(visit)
        if not visit.caller.phone:
            response.set_cookie(PHONE_COOKIE, secrets.token_hex(16), max_age=YEAR_S, httponly=True, samesite="lax")
        return response

    return PageRoute(address.path, answer, items=address.items, back=address.back)


ADDRESSES = [
    _with_phone_cookie(live_route("/g/{token}", _game_page, title="own", template="hall_screens/seat.html")),
    _with_phone_cookie(live_route("/p/{token}", _player_page, title="own", template="hall_screens/seat.html")),
    PageRoute("/g/{token}", _report_by_slip, method="POST", fields=_FIELDS, back="/g/{token}", players=True),
    PageRoute("/p/{token}", _report_by_badge, method="POST", fields=_FIELDS, back="/p/{token}", players=True),
]
