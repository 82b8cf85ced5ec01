"""Registrations by phone: opened until a time, accepted or refused by the desk."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta

from engine.i18n import say
from engine.tournament.player_entry_fields import ASKED
from kiosk.head.access.roles import Role
from kiosk.head.errors import Conflict, HeadError
from kiosk.head.event.pairings_standings_and_correction_impact import is_finished
from kiosk.head.pages.desk.division_page_helpers import UNKNOWN_ACTION
from kiosk.head.pages.desk.player_list_import_page import listed_divisions
from kiosk.head.pages.desk.players_fees_and_numbers_page import add_player
from kiosk.head.registration.player_list_import import ImportedPlayer, ImportProblem, match_entries
from kiosk.head.registration.self_registration_store import Registration, RegistrationStatus
from kiosk.head.web.form_player_and_result_parsing import BadForm, ascii_digits
from kiosk.head.web.page_routes_and_password_reentry import form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext

_AT = "/desk/registrations"
#: how far ahead the closing time may be
_LONGEST = timedelta(days=366)
_MARK = re.compile("(accept|same|refuse|back) ([0-9]{1,8})")


def _match_registrations(visit: RequestContext) -> dict[int, ImportedPlayer | ImportProblem]:
    """Return by number what each waiting registration would be as a line of a list; the lines are counted as shown."""
    waiting = visit.head.registrations.waiting
    finished = {slug for slug, division in visit.desk.state.divisions.items() if is_finished(division)}
    lines = [ImportedPlayer(line, one.fields, one.division) for line, one in enumerate(waiting, start=1)]
    found, problems = match_entries(lines, listed_divisions(visit, {}))
    by_line: dict[int, ImportedPlayer | ImportProblem] = {one.line: one for one in found}
    by_line |= {one.line: one for one in problems}
    over = say("all games of this division are played")
    by_line |= {one.line: ImportProblem(one.line, "", over) for one in lines if one.division in finished}
    gone = say("the division of this registration was removed")
    return {one.number: by_line.get(line) or ImportProblem(line, "", gone) for line, one in enumerate(waiting, start=1)}


def _is_new(found: ImportedPlayer | ImportProblem | None) -> bool:
    """Check whether a registration can be accepted without a question."""
    return isinstance(found, ImportedPlayer) and found.known is None and found.note is None


def _items(visit: RequestContext) -> dict[str, str]:
    store, found = visit.head.registrations, _match_registrations(visit)
    day = visit.desk.state.date
    proposed = datetime.now().astimezone() + timedelta(hours=2)
    if day > f"{proposed:%Y-%m-%d}":
        proposed = datetime.fromisoformat(f"{day}T09:00")
    until, site = f"{proposed:%Y-%m-%dT%H:00}", visit.site_in_the_hall
    rows = [(one, found[one.number]) for one in store.waiting if one.number in found]
    shown = [one for one in ASKED if one.key not in ("name", "kana", "grade", "club")]
    values = {"store": store, "rows": rows, "simple": sum(map(_is_new, found.values())), "shown": shown}
    return {
        "times": visit.draw("desk/_registration_times.html", store=store, proposed=until, site=site),
        "registrations": visit.draw("desk/_registrations.html", **values),
    }


def _open(visit: RequestContext) -> None:
    typed = ascii_digits(visit.form["until"])
    try:
        until = datetime.fromisoformat(typed).astimezone()
    except (ValueError, OverflowError) as error:
        raise BadForm.saying("'{typed}' is not a time such as 2031-04-05T09:00", typed=typed[:40]) from error
    now = datetime.now().astimezone()
    if not now < until <= now + _LONGEST:
        raise BadForm.saying("registration ends at a time within the coming year; choose another one")
    if not visit.desk.state.divisions:
        raise Conflict.saying("make a division first; players register for it")
    visit.head.registrations.set_end(until.isoformat(timespec="seconds"))
    visit.head.pages.changes.notify()


def _close(visit: RequestContext) -> None:
    visit.head.registrations.set_end("")
    visit.head.pages.changes.notify()


def _mark(visit: RequestContext) -> None:
    """Apply a button of the list. Its value names the act and the registration: ``accept 12``."""
    typed = visit.form["mark"]
    if typed == "all":
        _accept_all(visit)
    elif (mark := _MARK.fullmatch(typed)) is not None:
        _answer(visit, mark[1], visit.head.registrations.open_registration(int(mark[2])))
    else:
        raise BadForm(UNKNOWN_ACTION)
    visit.head.pages.changes.notify()


def _answer(visit: RequestContext, act: str, one: Registration) -> None:
    store = visit.head.registrations
    match act:
        case "accept":
            store.accept({one.number: _enter(visit, one)})
        case "same":
            found = _match_registrations(visit).get(one.number)
            if not isinstance(found, ImportedPlayer) or found.known is None:
                raise Conflict.saying("this player is not entered yet; look at the list again")
            store.accept({one.number: found.known})
        case "refuse":
            store.set_status(one.number, RegistrationStatus.REFUSED)
        case _:
            store.set_status(one.number, RegistrationStatus.WAITING)


def _enter(visit: RequestContext, one: Registration) -> str:
    """Enter the player as by hand and return his id. He is entered before the registration is answered: after a stop
    between the two the page shows that he is entered already."""
    return add_player(visit, visit.desk.state.division(one.division), one.fields)


def _accept_all(visit: RequestContext) -> None:
    found = _match_registrations(visit)
    accepted: dict[int, str] = {}
    for one in visit.head.registrations.waiting:
        if _is_new(found.get(one.number)):
            with suppress(HeadError):  # it stays in the list, with the reason
                accepted[one.number] = _enter(visit, one)
    visit.head.registrations.accept(accepted)


ADDRESSES = [
    live_route(_AT, _items, title="desk", template="desk/registrations.html", role=Role.DESK, back="/desk"),
    form_route(f"{_AT}/open", _open, {"until"}, back=_AT),
    form_route(f"{_AT}/close", _close, back=_AT),
    form_route(f"{_AT}/mark", _mark, {"mark"}, back=_AT),
]
