"""Self-registration: the form that a phone opens from a poster, and the page that says what the desk answered.

A registration is seen by the desk, and by whoever has its code, which is in the address of its page.
"""

from __future__ import annotations

import re
import secrets
from functools import partial

from starlette.responses import Response

from engine.tournament.player_entry_fields import ASKED, PLAYER_FIELDS
from kiosk.head.access.authentication import player_subject
from kiosk.head.access.roles import Role
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event.pairings_standings_and_correction_impact import is_finished
from kiosk.head.registration.self_registration_store import CLOSED, Registration
from kiosk.head.web.form_player_and_result_parsing import BadForm, entry_from, parse_player
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext

#: the fields that a player is asked for, the usual ones first
QUESTIONS = [one for one in ASKED if one.key in PLAYER_FIELDS]
_FIRST = ("name", "kana", "grade", "club")
_FIELDS = {"code", "division", "agree", *(one.key for one in QUESTIONS)}
#: above the longest form that a browser sends for these fields
_LIMIT = 12 * 1024
_CODE = re.compile("[0-9a-f]{32}")


def _form(visit: RequestContext) -> Response:
    """Show the form for a new registration."""
    return _show(visit, "", secrets.token_hex(16))


def _show(visit: RequestContext, old: str, code: str, error: HeadError | None = None) -> Response:
    """Show the form with what was typed, or with the registration of the code ``old``."""
    store, typed = visit.head.registrations, dict(visit.form)
    if old and not typed:
        found = _registration_of_address(visit)
        typed = {"division": found.division, "agree": "yes", **{key: str(one) for key, one in found.fields.items()}}
    divisions = _unfinished_divisions(visit)
    return visit.show(
        "hall_screens/register.html", title="register", style="where.css", typed=typed, code=code, refused=error,
        until=store.until if store.is_open and divisions else "", divisions=divisions,
        action=f"/register/{old}/correct" if old else "/register",
        first=[PLAYER_FIELDS[key] for key in _FIRST], more=[one for one in QUESTIONS if one.key not in _FIRST],
    )  # fmt: skip


def _send(visit: RequestContext) -> Response | str:
    """Store a new registration. The same form sent twice is one; sent again with other data it is another person's."""
    code, fresh = visit.form["code"], secrets.token_hex(16)
    old = visit.head.registrations.find(code)
    try:
        division, fields = _read(visit)
        if old is None or (old.division, old.fields) != (division, fields):
            code = code if _CODE.fullmatch(code) and old is None else fresh
            visit.head.registrations.add(code, division, fields, visit.caller.address)
    except HeadError as error:
        return _show(visit, "", code, error)
    return _registered(visit, code)


def _correct(visit: RequestContext) -> Response | str:
    """Replace a registration that still waits."""
    code = str(visit.path["code"])
    _registration_of_address(visit)
    try:
        visit.head.registrations.add(code, *_read(visit), visit.caller.address)
    except HeadError as error:
        return _show(visit, code, code, error)
    return _registered(visit, code)


def _unfinished_divisions(visit: RequestContext) -> list[str]:
    """Return the divisions that a player can still enter."""
    return [slug for slug, division in visit.desk.state.divisions.items() if not is_finished(division)]


def _registered(visit: RequestContext, code: str) -> str:
    visit.head.pages.changes.notify()
    return f"/register/{code}"


def _read(visit: RequestContext) -> tuple[str, dict[str, str | int]]:
    """Return the division and the player's fields of a form.

    :raises HeadError: something is missing, too long, or cannot be understood.
    """
    form, divisions, unfinished = visit.form, tuple(visit.desk.state.divisions), _unfinished_divisions(visit)
    if not unfinished:
        raise Conflict(CLOSED)
    for one in QUESTIONS:
        if len(form[one.key]) > one.letters:
            raise BadForm.saying("{field}: at most {n} letters", field=one.label, n=one.letters)
    player = {key: one for key, one in parse_player(form, [one.key for one in QUESTIONS]).items() if one is not None}
    entry_from(player)
    division = divisions[0] if len(divisions) == 1 else form["division"]
    if not division:
        raise BadForm.saying("choose a division")
    if division not in divisions:
        raise BadForm.saying("the page does not offer this choice; choose again on the page")
    if division not in unfinished:
        raise Conflict.saying("all games of this division are played; choose another division, or ask at the desk")
    if not form["agree"]:
        raise BadForm.saying("please agree that your name and results may be shown")
    return division, {key: one if isinstance(one, int) else str(one) for key, one in player.items()}


def _registration_of_address(visit: RequestContext) -> Registration:
    """Return the registration of the code in the address.

    :raises NotFound: there is none.
    """
    found = visit.head.registrations.find(str(visit.path["code"]))
    if found is None:
        raise NotFound.saying("this registration is no longer known; register again, or ask at the desk")
    return found


def _items(visit: RequestContext) -> dict[str, str]:
    found = _registration_of_address(visit)
    division = visit.hall.divisions.get(found.division)
    entered = found.player if division is not None and found.player in division.players() else ""
    own = f"/p/{visit.head.access.token(player_subject(found.division, entered))}" if entered else ""
    correct = f"/register/{visit.path['code']}/correct" if visit.head.registrations.is_open else ""
    values = {"registration": found, "division": division, "questions": QUESTIONS, "own": own, "correct": correct}
    return {"registration": visit.draw("hall_screens/_registration.html", **values)}


def _correction(visit: RequestContext) -> Response:
    """Show the form with a registration that waits, to correct it."""
    return _show(visit, str(visit.path["code"]), str(visit.path["code"]))


_register_route = partial(form_route, fields=_FIELDS, role=Role.ANYBODY, limit=_LIMIT)

ADDRESSES = [
    PageRoute("/register", _form),
    _register_route("/register", _send, back="/register"),
    live_route("/register/{code}", _items, title="register", style="where.css", back="/register"),
    PageRoute("/register/{code}/correct", _correction, back="/register"),
    _register_route("/register/{code}/correct", _correct, back="/register/{code}"),
]
