"""Entry of results from slips, one line each: table, who had Black where that is open, Black's discs.

A line is answered on the page where it was typed, recorded or refused. A mistyped slip can be taken back on the same
page by whoever typed it, with the password like any change of a recorded result, as long as nothing depends on it.
"""

from __future__ import annotations

import re

from starlette.responses import JSONResponse, Response

from engine.i18n import say
from engine.tournament.formats.team_matches_and_ranking import team_of
from kiosk.head.access.roles import Role
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.pages.desk.division_page_helpers import division_form
from kiosk.head.web.form_player_and_result_parsing import BadForm, ascii_digits, parse_int, parse_outcome
from kiosk.head.web.html_renderer import Item
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.locale import render

_LINE = re.compile(r"(?:(\d{1,3})(?:[-–/: ]+(\d{1,3}))?)?\s*([-+=○×△])?")
_WINNERS = {"+": "black", "○": "black", "-": "white", "×": "white", "=": "draw", "△": "draw"}
_FIELDS = {"table", "game", "black", "black_discs", "white_discs", "winner"}
#: number of latest entries shown
_SHOWN = 8


def latest_entries(visit: RequestContext) -> Item:
    """Return the latest entries of this round."""
    games = visit.desk.results.recent_manual_results(visit.division, _SHOWN)
    return "recent-results", visit.draw("desk/_recent_results.html", division=visit.division, games=games)


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
            raise Conflict(
                say(
                    "table {table} has its result already ({words}); open that game to correct it",
                    table=table,
                    words=division.scored(done.outcome),
                ),
            )
        raise NotFound(say("no game is open at table {table}; look at the list", table=table))
    read = {"end": "normal", "black": _black(visit, game), "winner": form["winner"]}
    black, white, winner = _parse_line(visit, game)
    check_total(game, black, white)
    read |= {"black_discs": black, "white_discs": white, "winner": winner or form["winner"]}
    visit.desk.results.enter(game.id, parse_outcome(read, division.event, game))
    return game


def _black(visit: RequestContext, game: HeadGame) -> str:
    """Return who had Black: the designated player; else the named one, or "1" or "2" in the order in which the game
    names them."""
    if game.designated:
        return game.black
    white = str(game.white)
    named = {"1": game.black, "2": white, game.black: game.black, white: white}.get(ascii_digits(visit.form["black"]))
    if named is None:
        called = visit.division.called
        raise BadForm(
            say(
                "the players of table {table} settled the colours themselves: who had Black? 1 {one}, 2 {other}",
                table=game.table,
                one=called(game.black),
                other=called(white),
            )
        )
    return named


def _parse_line(visit: RequestContext, game: HeadGame) -> tuple[str, str, str]:
    """Return Black's discs, White's discs and the winner's colour, as far as they were typed."""
    typed = ascii_digits(visit.form["black_discs"])
    found = _LINE.fullmatch(typed)
    if found is None:
        raise BadForm(say("'{typed}' is not a result; type Black's discs, such as 40, or 40-24", typed=typed[:40]))
    black, white, sign = (part or "" for part in found.groups())
    white = white or ascii_digits(visit.form["white_discs"])
    if black and not white and game.total is not None and int(black) <= game.total:
        white = str(game.total - int(black))
    return black, white, _WINNERS.get(sign, "")


def check_total(game: HeadGame, black: str, white: str) -> None:
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
        raise BadForm(
            say(
                "{counts} and {counts2} are {counts3} discs together, not {total}; ask the arbiter",
                counts=counts[0],
                counts2=counts[1],
                counts3=sum(counts),
                total=total,
            ),
        )
    raise BadForm(
        say(
            "{counts} and {counts2} are {counts3} discs together, not {total}. Count again; if nobody can, "
            "the card is read to the winner's disadvantage (M43-18.5): Black {best}, White {best2}",
            counts=counts[0],
            counts2=counts[1],
            counts3=sum(counts),
            total=total,
            best=best[0],
            best2=best[1],
        ),
    )


def _enter(visit: RequestContext) -> None:
    _record_slip(visit)


def _enter_here(visit: RequestContext) -> Response:
    """Record a line sent by the page's script: a refusal is shown beside the line."""
    try:
        game = _record_slip(visit)
    except HeadError as error:
        return JSONResponse({"said": render(error.text, visit.lang)}, error.status)
    division, now = visit.division, visit.desk.state.game(game.id)
    assert now is not None and now.outcome is not None
    message = say("Table {table}: {words}", table=now.table, words=division.scored(now.outcome))
    return JSONResponse({"said": render(message, visit.lang)})


def open_matches(division: DivisionState) -> dict[str, str]:
    """Return the match of every open game of two teams, so that the operator can go on with its next board."""
    team = team_of(division.event)
    found = {
        game.id: sorted(team[id] for id in game.players if id in team) for game in division.current if game.is_open
    }
    return {game: " ".join(teams) for game, teams in found.items() if len(teams) == 2}


def _confirm(visit: RequestContext) -> None:
    """Confirm a result that a player reported."""
    report = visit.desk.state.reports.get(visit.form["game"], {}).get(visit.form["by"])
    if report is None:
        raise NotFound(say("that game no longer exists; choose one from the list"))
    visit.desk.results.enter(visit.form["game"], report.outcome, f"QR: {visit.division.called(visit.form['by'])}")


def _take_back(visit: RequestContext) -> None:
    """Take back a mistyped slip: the game is open again."""
    game = visit.desk.state.game(visit.form["game"])
    if game is None or game not in visit.division.current:
        raise NotFound(say("that game no longer exists; choose one from the list"))
    visit.desk.results.take_back(game.id, render(say("typed by mistake"), visit.lang))


ADDRESSES: list[PageRoute] = [
    division_form("typed", _enter, _FIELDS, back="results"),
    PageRoute("/division/{division}/typed.json", _enter_here, Role.DESK, "POST", fields=frozenset(_FIELDS)),
    division_form("typed/confirm", _confirm, {"game", "by"}, back="results"),
    division_form("typed/undo", _take_back, {"game"}, back="results", again=True),
]
