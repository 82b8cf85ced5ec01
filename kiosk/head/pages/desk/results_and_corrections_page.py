"""Results of a round: entered and open games, corrections of any earlier result, and the effects of a correction."""

from __future__ import annotations

from starlette.responses import Response

from engine.end_reason import EndReason
from engine.i18n import say
from engine.tournament.event_model import Game, Winner
from engine.tournament.formats.format_interface_and_helpers import forfeited, missed_by_both
from kiosk.head.access.roles import Role
from kiosk.head.desk import Desk
from kiosk.head.desk.result_entry_and_correction import outcome_from_body, outcome_key
from kiosk.head.errors import HeadError, NotFound
from kiosk.head.event.head_game_and_result_check import ENDS, HeadGame, check
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.pages.desk.desk_overview_page import still_playing
from kiosk.head.pages.desk.division_page_helpers import division_form, live_page, show
from kiosk.head.pages.desk.result_slip_entry_page import check_total, latest_entries, open_matches
from kiosk.head.web.form_player_and_result_parsing import (
    NOT_COME,
    RESULT_FIELDS,
    ascii_digits,
    number_in,
    parse_int,
    parse_outcome,
)
from kiosk.head.web.html_renderer import Item
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext

_AT = "/division/{division}"


def _items(visit: RequestContext) -> list[Item]:
    division = visit.division
    number = _round(visit, division)
    games = division.rounds[number - 1] if number else ()
    typing = visit.draw(
        "desk/_games_without_result.html",
        division=division,
        playing=still_playing(division),
        matches=open_matches(division),
    )
    listed = visit.draw("desk/_results.html", division=division, number=number, games=games)
    return [latest_entries(visit), ("typing", typing), ("results", listed)]


def _round(visit: RequestContext, division: DivisionState) -> int:
    number, last = number_in(visit.query.get("round", ""), 0), len(division.rounds)
    return number if 1 <= number <= last else last


def _check_discs(visit: RequestContext, game: HeadGame) -> None:
    chosen = visit.form["winner"] or visit.form["won"]
    if chosen == "neither" or chosen.startswith(NOT_COME):
        return  # nobody has played
    check_total(game, ascii_digits(visit.form["black_discs"]), ascii_digits(visit.form["white_discs"]))


def _game(visit: RequestContext) -> Response:
    division, game = _game_of_path(visit)
    return show(
        visit,
        "results",
        "desk/game.html",
        game=game,
        # NOT_PLAYED is set by the pairing (M43F-06) or by a double forfeit, not by the desk
        ends=[end for end in ENDS if end != EndReason.NOT_PLAYED or (game.outcome and game.outcome.end == end)],
        history=visit.desk.results.history(game.id),
        seen=outcome_key(game.outcome) if game.outcome else "",
        tables=other_tables(visit.desk),
        is_current=game in division.current,
        outcome_of=outcome_from_body,
        forfeit=_forfeit(division, game),
        both_draw=missed_by_both(division.event, Game(game.black, str(game.white), game.stage)).winner is Winner.DRAW,
        counted=None if game.outcome or game.counts_captures else visit.desk.orders.counted(game.id),
    )


def _forfeit(division: DivisionState, game: HeadGame) -> Game | None:
    """Return how an open game ends if its missing player, or both, do not come."""
    entry, absent = game.entry(), [name for at, name in division.missing() if at == game]
    if not isinstance(entry, Game):
        return None
    if len(absent) == 2:
        return missed_by_both(division.event, entry)
    if len(absent) != 1 or game.total is None:
        return None
    return forfeited(division.event, entry, absent[0])


def other_tables(desk: Desk) -> list[tuple[str, int, HeadGame | None]]:
    """Return all tables with the games that are played there, each with the value of the form that moves a game."""
    games = {game.table: game for game in desk.state.current if game.is_open}
    at = [(number, games.get(number)) for number in sorted(desk.seating.known_tables())]
    return [(f"{number} {game.id if game else ''}", number, game) for number, game in at]


def move_game(visit: RequestContext, game: str) -> None:
    """Give a game the table chosen in the form; two games exchange theirs."""
    table, _, other = visit.form["table"].partition(" ")
    visit.desk.seating.move(game, parse_int({"table": table}, "table", 1, 100_000), other)


def _game_of_path(visit: RequestContext) -> tuple[DivisionState, HeadGame]:
    division, game = visit.division, visit.desk.state.game(str(visit.path["game"]))
    if game is None or game.is_bye or not any(game in games for games in division.rounds):
        raise NotFound(say("that game no longer exists; choose one from the list"))
    return division, game


def _enter(visit: RequestContext) -> None:
    _, game = _game_of_path(visit)
    _check_discs(visit, game)
    visit.desk.results.enter(game.id, parse_outcome(visit.form, visit.division.event, game), visit.form["reason"])


def _check_possible(visit: RequestContext) -> None:
    """Check the correction before the password is asked for.

    :raises HeadError: the correction is not possible.
    """
    _, game = _game_of_path(visit)
    _check_discs(visit, game)
    check(game, parse_outcome(visit.form, visit.division.event, game))
    if not visit.form["reason"]:
        raise HeadError(say("a correction needs a reason; it goes into the audit trail"))


def _correct(visit: RequestContext) -> str:
    division, game = _game_of_path(visit)
    typed, form = parse_outcome(visit.form, visit.division.event, game), visit.form
    number = visit.desk.results.correct(game.id, typed, form["reason"], form["seen"])
    return f"/division/{division.slug}/correction/{number}"


def _take_back(visit: RequestContext) -> None:
    _, game = _game_of_path(visit)
    visit.desk.results.take_back(game.id, visit.form["reason"])


def _move(visit: RequestContext) -> None:
    move_game(visit, _game_of_path(visit)[1].id)


def _correction(visit: RequestContext) -> list[Item]:
    """Return what a correction changed."""
    division, results = visit.division, visit.desk.results
    event, game, old = results.correction(str(visit.path["number"]))
    asked = results.ask_consequences(event, game)
    found = asked.result() if asked.done() else None
    html = visit.draw("desk/_correction.html", division=division, event=event, game=game, found=found, old=old)
    return [("correction", html)]


ADDRESSES: list[PageRoute] = [
    live_page("results", _items, "desk/results.html", lambda visit: {"table": visit.query.get("table", "")[:6]}),
    PageRoute(_AT + "/game/{game}", _game, Role.DESK, back=_AT + "/results"),
    division_form("game/{game}/enter", _enter, RESULT_FIELDS, back="game/{game}"),
    division_form(
        "game/{game}/correct", _correct, {"seen", *RESULT_FIELDS}, back="game/{game}", again=True, check=_check_possible
    ),
    division_form("game/{game}/take-back", _take_back, {"reason"}, back="game/{game}", again=True),
    division_form("game/{game}/move", _move, {"table"}, back="game/{game}"),
    live_page("correction/{number}", _correction),
]
