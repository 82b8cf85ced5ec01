"""Results of a round: entered and open games, entry from slips, corrections of any earlier result, and the effects of
a correction.

A slip is one line: table, who had Black where that is open, Black's discs. It is answered on the page where it was
typed, recorded or refused. A mistyped slip can be taken back on the same page by whoever typed it, with the password
like any change of a recorded result, as long as nothing depends on it.
"""

from __future__ import annotations

import re

from starlette.responses import JSONResponse, Response

from engine.end_reason import EndReason
from engine.i18n import say
from engine.tournament.event_model import Game, Winner
from engine.tournament.formats.format_interface import forfeited, missed_by_both
from engine.tournament.formats.team_matches_and_ranking import team_of
from kiosk.head.access.roles import Role
from kiosk.head.desk import Desk
from kiosk.head.desk.result_entry_and_correction import changed_meanwhile, check_entered, outcome_from_body
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event.head_game_and_result_check import ENDS, HeadGame, outcome_key
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.pages.desk.desk_overview_page import still_playing
from kiosk.head.pages.desk.division_page_helpers import division_form, live_page, show
from kiosk.head.web.form_player_and_result_parsing import (
    NOT_COME,
    RESULT_FIELDS,
    BadForm,
    ascii_digits,
    number_in,
    parse_int,
    parse_outcome,
)
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.locale import render

_LINE = re.compile(r"(?:(\d{1,3})(?:[-–/: ]+(\d{1,3}))?)?\s*([-+=○×△])?")
_WINNERS = {"+": "black", "○": "black", "-": "white", "×": "white", "=": "draw", "△": "draw"}
_FIELDS = {"table", "game", "black", "black_discs", "white_discs", "winner"}
#: number of latest entries shown
_SHOWN = 8


def _record_slip(visit: RequestContext) -> HeadGame:
    """Record a slip and return its game as it was before.

    :raises HeadError: no such game, or the line cannot be read; the message says what to type.
    """
    form, division = visit.form, visit.division
    table = parse_int(form, "table", 1, 100_000)
    game = next((game for game in division.current if game.is_open and game.table == table), None)
    # the game that the page showed there: of a match, the next game may be there already
    shown = next((one for one in division.current if one.id == form["game"] and one.table == table), game)
    if game is None or shown is not game:
        done = shown or next((game for game in division.current if game.table == table), None)
        if done is not None and done.outcome is not None:
            sentence = say("table {table} has its result already ({words}); open that game to correct it")
            raise Conflict(sentence(table=table, words=division.scored(done.outcome)))
        raise NotFound.saying("no game is open at table {table}; look at the list", table=table)
    read = {"end": "normal", "black": _black(visit, game), "winner": form["winner"]}
    black, white, winner = _parse_line(visit, game)
    _check_total(game, black, white)
    read |= {"black_discs": black, "white_discs": white, "winner": winner or form["winner"]}
    visit.desk.results.enter(game.id, parse_outcome(read, division.event, game))
    return game


def _black(visit: RequestContext, game: HeadGame) -> str:
    """Return who had Black: the designated player; else the named one, or "1" or "2" in the order in which the game
    names them. Where pieces are captured nobody has: the player named first."""
    if game.designated or (game.counts_captures and not visit.form["black"]):
        return game.black
    white = str(game.white)
    named = {"1": game.black, "2": white, game.black: game.black, white: white}.get(ascii_digits(visit.form["black"]))
    if named is None:
        called = visit.division.called
        sentence = say("the players of table {table} settled the colours themselves: who had Black? 1 {one}, 2 {other}")
        raise BadForm(sentence(table=game.table, one=called(game.black), other=called(white)))
    return named


def _parse_line(visit: RequestContext, game: HeadGame) -> tuple[str, str, str]:
    """Return Black's discs, White's discs and the winner's colour, as far as they were typed."""
    typed = ascii_digits(visit.form["black_discs"])
    found = _LINE.fullmatch(typed)
    if found is None:
        raise BadForm.saying("'{typed}' is not a result; type Black's discs, such as 40, or 40-24", typed=typed[:40])
    black, white, sign = (part or "" for part in found.groups())
    white = white or ascii_digits(visit.form["white_discs"])
    if black and not white and game.total is not None and int(black) <= game.total:
        white = str(game.total - int(black))
    if game.counts_captures and not (black and white):
        raise BadForm.saying("table {table}: type the pieces taken by both players, such as 10-7", table=game.table)
    return black, white, _WINNERS.get(sign, "")


def _check_total(game: HeadGame, black: str, white: str) -> None:
    """Check that the discs make the total. M43-18.5: other counts are read to the winner's disadvantage; the message
    tells the operator how.

    :raises BadForm: they do not.
    """
    if game.total is None or not (black and white):
        return
    form = {"black_discs": black, "white_discs": white}
    total = game.total
    counts = parse_int(form, "black_discs", 0, total), parse_int(form, "white_discs", 0, total)
    if sum(counts) == total:
        return
    won, lost = max(counts), min(counts)
    read = min(won, total - lost)
    best = (read, total - read) if counts[0] > counts[1] else (total - read, read)
    if read <= total // 2:  # AMB-13: this reading would reverse the win or make it a draw
        why = say("{counts} and {counts2} are {counts3} discs together, not {total}; ask the arbiter")
    else:
        why = say(
            "{counts} and {counts2} are {counts3} discs together, not {total}. Count again; if nobody can, "
            "the card is read to the winner's disadvantage (M43-18.5): Black {best}, White {best2}",
            best=best[0],
            best2=best[1],
        )
    raise BadForm(why(counts=counts[0], counts2=counts[1], counts3=sum(counts), total=total))


def _enter_slip(visit: RequestContext) -> None:
    _record_slip(visit)


def _enter_slip_here(visit: RequestContext) -> Response:
    """Record a line sent by the page's script: a refusal is shown beside the line."""
    try:
        game = _record_slip(visit)
    except HeadError as error:
        return JSONResponse({"said": visit.say_to_staff(error.text)}, error.status)
    division, now = visit.division, visit.desk.state.game(game.id)
    assert now is not None and now.outcome is not None
    message = say("Table {table}: {words}", table=now.table, words=division.scored(now.outcome))
    return JSONResponse({"said": visit.say_to_staff(message)})


def _open_matches(division: DivisionState) -> dict[str, str]:
    """Return the match of every open game of two teams, so that the operator can go on with its next board."""
    team = team_of(division.event)
    found = {
        game.id: sorted(team[id] for id in game.players if id in team) for game in division.current if game.is_open
    }
    return {game: " ".join(teams) for game, teams in found.items() if len(teams) == 2}


def _confirm_report(visit: RequestContext) -> None:
    """Confirm a result that a player reported; ``seen``: as the operator saw it, if that is sent."""
    state, form = visit.desk.state, visit.form
    game, report = state.game(form["game"]), state.reports.get(form["game"], {}).get(form["by"])
    if game is None or report is None:
        raise NotFound.saying("that game no longer exists; choose one from the list")
    if form["seen"] not in ("", report.key):
        raise changed_meanwhile(visit.division, game, report.outcome)
    visit.desk.results.enter(game.id, report.outcome, f"QR: {visit.division.called(form['by'])}")


def _take_back_slip(visit: RequestContext) -> None:
    """Take back a mistyped slip: the game is open again."""
    game = visit.desk.state.game(visit.form["game"])
    if game is None or game not in visit.division.current:
        raise NotFound.saying("that game no longer exists; choose one from the list")
    visit.desk.results.take_back(game.id, render(say("typed by mistake"), visit.lang))


# the results of a round, and one game


def _items(visit: RequestContext) -> dict[str, str]:
    division = visit.division
    asked, last = number_in(visit.query.get("round", ""), 0), len(division.rounds)
    number = asked if 1 <= asked <= last else last
    latest = visit.desk.results.recent_manual_results(division, _SHOWN)
    playing, matches = still_playing(division), _open_matches(division)
    values = {"division": division, "number": number, "games": division.rounds[number - 1] if number else ()}
    return {
        "recent-results": visit.draw("desk/_recent_results.html", division=division, games=latest),
        "typing": visit.draw("desk/_games_without_result.html", division=division, playing=playing, matches=matches),
        "results": visit.draw("desk/_results.html", **values),
    }


def _check_discs(visit: RequestContext, game: HeadGame) -> None:
    chosen = visit.form["winner"] or visit.form["won"]
    if chosen == "neither" or chosen.startswith(NOT_COME):
        return  # nobody has played
    _check_total(game, ascii_digits(visit.form["black_discs"]), ascii_digits(visit.form["white_discs"]))


def _game(visit: RequestContext) -> Response:
    division, game = _game_of_path(visit)
    # NOT_PLAYED is set by the pairing (M43F-06) or by a double forfeit, not by the desk
    ends = [end for end in ENDS if end != EndReason.NOT_PLAYED or (game.outcome and game.outcome.end == end)]
    return show(
        visit, "results", "desk/game.html", game=game, ends=ends, history=visit.desk.results.history(game.id),
        seen=outcome_key(game.outcome) if game.outcome else "", tables=other_tables(visit.desk),
        is_current=game in division.current, outcome_of=outcome_from_body, forfeit=_forfeit(division, game),
        both_draw=missed_by_both(division.event, Game(game.black, str(game.white), game.stage)).winner is Winner.DRAW,
        counted=None if game.outcome or game.counts_captures else visit.desk.orders.counted(game.id),
    )  # fmt: skip


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
        raise NotFound.saying("that game no longer exists; choose one from the list")
    return division, game


def _enter(visit: RequestContext) -> None:
    _, game = _game_of_path(visit)
    _check_discs(visit, game)
    visit.desk.results.enter(game.id, parse_outcome(visit.form, visit.division.event, game), visit.form["reason"])


def _check_possible(visit: RequestContext) -> None:
    """Check the correction before the password is asked for.

    :raises HeadError: the correction is not possible.
    """
    division, game = _game_of_path(visit)
    _check_discs(visit, game)
    check_entered(division.event, game, parse_outcome(visit.form, division.event, game))
    if not visit.form["reason"]:
        raise HeadError.saying("a correction needs a reason; it goes into the audit trail")


def _correct(visit: RequestContext) -> str:
    division, game = _game_of_path(visit)
    typed, form = parse_outcome(visit.form, visit.division.event, game), visit.form
    number = visit.desk.results.correct(game.id, typed, form["reason"], form["seen"])
    return f"/division/{division.slug}/correction/{number}"


def _take_back(visit: RequestContext) -> None:
    _, game = _game_of_path(visit)
    visit.desk.results.take_back(game.id, visit.form["reason"])


def _correction(visit: RequestContext) -> dict[str, str]:
    """Return what a correction changed."""
    division, results = visit.division, visit.desk.results
    event, game, old = results.correction(str(visit.path["number"]))
    asked = results.ask_consequences(event, game)
    found = asked.result() if asked.done() else None
    html = visit.draw("desk/_correction.html", division=division, event=event, game=game, found=found, old=old)
    return {"correction": html}


_AT = "/division/{division}"

ADDRESSES: list[PageRoute] = [
    live_page("results", _items, "desk/results.html", lambda visit: {"table": visit.query.get("table", "")[:6]}),
    PageRoute(_AT + "/game/{game}", _game, Role.DESK, back=_AT + "/results"),
    division_form("game/{game}/enter", _enter, RESULT_FIELDS, back="game/{game}"),
    division_form("game/{game}/correct", _correct, {"seen", *RESULT_FIELDS}, back="game/{game}", again=True,
                  check=_check_possible),
    division_form("game/{game}/take-back", _take_back, {"reason"}, back="game/{game}", again=True),
    division_form("game/{game}/move", lambda visit: move_game(visit, _game_of_path(visit)[1].id), {"table"},
                  back="game/{game}"),
    live_page("correction/{number}", _correction),
    division_form("typed", _enter_slip, _FIELDS, back="results"),
    form_route(_AT + "/typed.json", _enter_slip_here, _FIELDS, back="/"),
    division_form("typed/confirm", _confirm_report, {"game", "by", "seen"}, back="results"),
    division_form("typed/undo", _take_back_slip, {"game"}, back="results", again=True),
]  # fmt: skip
