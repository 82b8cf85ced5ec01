"""The players of a division: entry, check-in, absence, withdrawal and return, names in Latin letters, entry fees, and
their numbers in the event and in the world rating list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from starlette.responses import JSONResponse, Response

from engine.i18n import say
from engine.tournament import EventError, planned_rounds
from engine.tournament.player_entry_fields import FORM, MOST_FEE, PLAYER_FIELDS, QUICK, Player, birth_years_differ
from kiosk.head.access.roles import Role
from kiosk.head.errors import HeadError, NotFound
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.pages.desk.division_page_helpers import UNKNOWN_ACTION, division_form, page, show, with_all_fields
from kiosk.head.registration.player_list_import import ImportedPlayer, match_with_known
from kiosk.head.registration.rating_and_member_lookup import read_file, same_name
from kiosk.head.web.form_player_and_result_parsing import (
    LARGE,
    BadForm,
    ascii_digits,
    entry_from,
    parse_choice,
    parse_int,
    parse_player,
    was_fields,
)
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.locale import render
from kiosk.records import japanese_name_search_and_order as name_order
from kiosk.records.kana_to_romaji import romaji_of
from kiosk.records.rating_list_numbers_and_names import list_number

#: players whose names in Latin letters are on one page
_MOST_LATIN = 200


def _players(visit: RequestContext) -> dict[str, object]:
    division, find = visit.division, visit.query.get("find", "")
    players = [player for player in division.event.players if name_order.matches_search(player, find)]
    initials = {player.id: name_order.index_row(player) for player in players}
    expected = [player for player in division.event.players if not player.absent]
    return {
        "players": [with_all_fields(one) for one in sorted(players, key=name_order.collation_key)],
        "initials": initials,
        "index": [row for row in name_order.INDEX if row in initials.values()],
        "keys": {one.id: name_order.search_keys(one) for one in players},
        "variants": name_order.VARIANTS,
        "find": find,
        "quick": [PLAYER_FIELDS[key] for key in QUICK],
        "hits": [with_all_fields(one) for one in visit.head.remote.roster.find(visit.query.get("known", ""))],
        "known": visit.query.get("known", ""),
        "waiting": len(visit.head.registrations.waiting),
        "present": len(division.present),
        "here": sum(player.id in division.here for player in division.present),
        "roster": len(visit.head.remote.roster),
        "listed": len(visit.head.remote.roster.federation),
        "unspelled": sum(not player.latin and _is_japanese(player) for player in expected),
        "unnumbered": sum(list_number(player.wof) is None for player in expected),
    }


def _add(visit: RequestContext) -> None:
    add_player(visit, visit.division, parse_player(visit.form, FORM))


def add_player(visit: RequestContext, division: DivisionState, fields: Mapping[str, object]) -> str:
    """Enter a player, completed from the lists of known players, and return his id.

    :raises HeadError: he is entered already, or a number is somebody else's.
    """
    player = {name: value for name, value in fields.items() if value is not None}
    if (known := visit.head.remote.roster.find_by_number(fields.get("wof"))) is not None:
        player = {**known, **player}
    elif (known := visit.head.remote.roster.find_by_name(str(fields["name"]))) is not None and not birth_years_differ(
        known.get("birth_year"), fields.get("birth_year")
    ):  # a matching name alone is not enough to assign a rating list number
        player = {**known, **player, "name": known["name"], "wof": fields.get("wof")}
    _check_match(player, division.event.players)
    (id,) = visit.desk.players.add(division.slug, [entry_from(player)])
    if division.rounds:
        visit.desk.players.check_in(division.slug, [id], arrived=True)
    return id


def _check_match(player: Mapping[str, object], known: Sequence[Player]) -> None:
    """Check a player against the known ones.

    :raises HeadError: two known players may be meant, or a number is somebody else's.
    """
    _, problems = match_with_known([ImportedPlayer(1, player)], known)
    if problems:
        raise HeadError(problems[0].why)


def _mark(visit: RequestContext) -> str | None:
    """Apply a check-in button of the list. Its value names the act and the player: ``here p12``."""
    division, players = visit.division, visit.desk.players
    what, _, id = visit.form["mark"].partition(" ")
    waiting = [player.id for player in division.present if player.id not in division.here]
    if id and id not in division.players():
        raise NotFound.saying("that player no longer exists; reload the list")
    match what:
        case "here" | "not-here":
            players.check_in(division.slug, [id], arrived=what == "here")
        case "absent" | "not-absent":
            players.set_absent(division.slug, [id], absent=what == "absent")
        case "all-here":
            players.check_in(division.slug, waiting, arrived=True)
        case "rest-absent":
            players.set_absent(division.slug, waiting, absent=True)
        case _:
            raise BadForm(UNKNOWN_ACTION)
    find = quote(visit.form["find"])
    return f"/division/{division.slug}/players?find={find}" if find else None


def _player(visit: RequestContext) -> Response:
    division, id = visit.division, str(visit.path["player"])
    if id not in division.players():
        raise NotFound.saying("there is no player '{id}' in this division", id=id[:40])
    entered = visit.desk.state.division(division.slug).players()[id]
    other = visit.query.get("than") or None
    asked = "why" in visit.query and other in (None, *division.players())
    others = [one for one in visit.desk.state.divisions.values() if one.slug != division.slug]
    open_to_move = [] if division.event.facts.teams else [one for one in others if not one.event.facts.teams]
    return show(
        visit, "players", "desk/player.html", player=with_all_fields(entered),
        form=[PLAYER_FIELDS[key] for key in FORM],
        answers=visit.desk.rounds.ask_player_explanation(division.slug, id, other).result() if asked else None,
        than=other or "", others=[(each, division.called(each)) for each in division.players() if each != id],
        proposed="" if entered.latin else romaji_of(entered.kana or ""),
        divisions=[(one.slug, one.title) for one in open_to_move],
        open_game=next((game for game in division.current if game.is_open and id in game.players), None),
        games=[game for games in division.rounds for game in games if id in game.players],
        coming=_rounds_to_come(division, id), away=division.away_in(id), missed=_missed_rounds(division, id),
    )  # fmt: skip


def _rounds_to_come(division: DivisionState, player: str) -> list[int]:
    """Return the numbers of the rounds to come, or of the next ones where nobody knows how many there are, and of
    later ones that the player is marked absent for."""
    done = len(division.rounds)
    later = [number for number in division.away_in(player) if number > done]
    try:
        last = planned_rounds(division.event)
    except EventError:  # no round can be paired now; the desk's page says why
        last = None
    if last is not None:
        return sorted({*later, *range(done + 1, last + 1)})
    return sorted({*later, *range(done + 1, done + 4), *(number + 1 for number in later)})


def _missed_rounds(division: DivisionState, player: str) -> list[int]:
    """Return the published rounds for which the event file marks the player absent."""
    absences = division.whole().options.absences
    return [number for number in range(1, len(division.rounds) + 1) if player in absences.get(str(number), ())]


def _who(visit: RequestContext) -> tuple[str, str]:
    """Return the division and the player of the address."""
    return visit.division.slug, str(visit.path["player"])


def _change(visit: RequestContext) -> None:
    """Change those fields that differ from what the page showed: others may have been changed meanwhile."""
    typed = parse_player(visit.form, FORM)
    changed = {key: value for key, value in typed.items() if visit.form[key] != visit.form.get(f"was-{key}")}
    if changed:
        visit.desk.players.change(*_who(visit), changed)


def _withdraw(visit: RequestContext) -> None:
    open_game = parse_choice(visit.form, "open_game", ("", "forfeit", "late"))
    visit.desk.players.leave(*_who(visit), visit.form["reason"], open_game)


def _mark_round(visit: RequestContext) -> None:
    """Apply a button of the page: ``miss 4`` or ``play 4``."""
    mark = re.fullmatch("(miss|play) ([0-9]{1,3})", visit.form["mark"])
    if mark is None:
        raise BadForm(UNKNOWN_ACTION)
    visit.desk.players.miss_round(*_who(visit), int(mark[2]), away=mark[1] == "miss")


def _move(visit: RequestContext) -> str:
    to = visit.form["to"]
    reason = render(say("moved to {division}", division=visit.desk.state.division(to).name), visit.lang)
    return f"/division/{to}/player/{visit.desk.players.move(*_who(visit), to, reason)}"


# names in Latin letters


def _latin(visit: RequestContext) -> dict[str, object]:
    """Return the players without a name in Latin letters, each with a proposal from the reading."""
    players = visit.desk.state.division(visit.division.slug).event.players
    none = sorted((one for one in players if not one.latin and _is_japanese(one)), key=name_order.collation_key)
    return {"rows": [(one.id, one.name, one.kana or "", romaji_of(one.kana or "")) for one in none[:_MOST_LATIN]]}


def _is_japanese(player: Player) -> bool:
    return not (player.name or player.id).isascii()


def _save_latin(visit: RequestContext) -> None:
    """Save the names of the list as they were typed; an empty field leaves a player without one."""
    form, division = visit.form, visit.division
    typed = {form[f"id{at}"]: form[f"latin{at}"][: PLAYER_FIELDS["latin"].letters] for at in range(1, _MOST_LATIN + 1)}
    changed = {id: {"latin": name} for id, name in typed.items() if name and id in division.players()}
    visit.desk.players.import_lists({division.slug: ((), changed)})


# numbers of the world rating list


def _numbers(visit: RequestContext) -> dict[str, object]:
    """Return each player with their rating list number, or with the candidates of the loaded list."""
    roster = visit.head.remote.roster
    rows = []
    event = visit.desk.state.division(visit.division.slug).event  # with the names that the list is compared with
    for player in sorted(event.players, key=name_order.collation_key):
        wof = list_number(player.wof)
        held = roster.find_by_number(wof) if wof else None
        alike = [] if wof else [with_all_fields(one) for one in roster.suggest(player.latin or player.name or "")]
        known = str(held.get("latin") or held["name"]) if held else ""
        rows.append((with_all_fields(player), wof, known, alike, same_name(player.latin or player.name or "", known)))
    return {"rows": rows, "roster": len(roster), "called": event.called}


def _assign_number(visit: RequestContext) -> None:
    """Apply the operator's choice, a button of the page: ``p12 5301``; ``p12 0`` removes the number."""
    id, _, number = visit.form["take"].partition(" ")
    division = visit.division
    if id not in division.players():
        raise NotFound.saying("that player no longer exists; reload the list")
    player = division.players()[id]
    known = visit.head.remote.roster.find_by_number(number)
    if known is None and number != "0":
        raise BadForm.saying("the list has no player with that number; look at the list again")
    taken: dict[str, object] = {"wof": None}
    if known is not None:
        latin = {"latin": known.get("latin") or known["name"], "country": known.get("country")}
        taken = {name: one for name, one in latin.items() if one and not getattr(player, name)} | {"wof": known["wof"]}
        others = [one for one in division.event.players if one.id != id]
        _check_match({"name": player.name or id, "wof": known["wof"]}, others)
    visit.desk.players.change(division.slug, id, taken)


def _load_roster(visit: RequestContext) -> None:
    """Load a list from which names are completed."""
    visit.head.remote.roster.own.replace(read_file(visit.files.get("file", b"")))


def _names(visit: RequestContext) -> Response:
    """Return the names that begin with what is being typed, for the page's own completion."""
    return JSONResponse([str(player["name"]) for player in visit.head.remote.roster.find(visit.query.get("q", ""))])


# entry fees and receipts, and the players' numbers in this event


def _fees_page(visit: RequestContext) -> dict[str, object]:
    division = visit.division
    players = division.event.players
    amounts = [player.fee for player in players if player.id in division.paid and isinstance(player.fee, int)]
    return {
        "players": [with_all_fields(one) for one in sorted(players, key=name_order.collation_key)],
        "taken": sum(amounts),
        "unnumbered": sum(player.number is None for player in players),
        "without": sum(player.fee is None for player in players),
    }


def _mark_paid(visit: RequestContext) -> str:
    """Apply a button of the list. Its value names the act and the player: ``paid p12``."""
    division = visit.division
    what, _, id = visit.form["mark"].partition(" ")
    if id not in division.players():
        raise NotFound.saying("that player no longer exists; reload the list")
    if what not in ("paid", "not-paid"):
        raise BadForm(UNKNOWN_ACTION)
    visit.desk.players.pay(division.slug, [id], paid=what == "paid")
    return f"/division/{division.slug}/money#{id}"


def _set_fees(visit: RequestContext) -> None:
    amount = re.sub(r"[,¥\u5186\s]", "", ascii_digits(visit.form["fee"]))  # with a comma or a yen sign, as in a list
    visit.desk.players.set_fees(visit.division.slug, parse_int({"fee": amount}, "fee", 0, MOST_FEE))


_AT = "/division/{division}"
_LATIN_FIELDS = {f"{name}{at}" for name in ("id", "latin") for at in range(1, _MOST_LATIN + 1)}

ADDRESSES: list[PageRoute] = [
    page("players", "desk/players.html", _players),
    division_form("players", _add, FORM, back="players"),
    division_form("players/mark", _mark, {"mark", "find"}, back="players"),
    division_form("player/{player}/move", _move, {"to"}, back="player/{player}"),
    page("latin", "desk/latin_names.html", _latin),
    division_form("latin", _save_latin, _LATIN_FIELDS, limit=LARGE, back="players"),
    page("numbers", "desk/rating_numbers.html", _numbers),
    division_form("numbers", _assign_number, {"take"}, back="numbers"),
    PageRoute(f"{_AT}/player/{{player}}", _player, Role.DESK, back=f"{_AT}/players"),
    division_form("player/{player}", _change, {*FORM, *was_fields(FORM)}, back="player/{player}"),
    division_form("player/{player}/leave", _withdraw, {"reason", "open_game"}, back="player/{player}"),
    division_form("player/{player}/back", lambda visit: visit.desk.players.cancel_withdrawal(*_who(visit)),
                  back="player/{player}"),
    division_form("player/{player}/miss", _mark_round, {"mark"}, back="player/{player}"),
    division_form("player/{player}/remove", lambda visit: visit.desk.players.remove(*_who(visit)), back="players"),
    form_route(f"{_AT}/roster", _load_roster, uploads={"file"}, limit=4 * LARGE, back=f"{_AT}/players"),
    PageRoute("/desk/names.json", _names, Role.DESK),
    page("money", "desk/entry_fees.html", _fees_page),
    division_form("money/mark", _mark_paid, {"mark"}, back="money"),
    division_form("money/fees", _set_fees, {"fee"}, back="money"),
    division_form("money/numbers", lambda visit: visit.desk.players.number(visit.division.slug), back="money"),
]  # fmt: skip
