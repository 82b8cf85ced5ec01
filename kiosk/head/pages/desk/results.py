"""Results: cards that are typed in, corrections of any old result, and what a correction changed."""

from __future__ import annotations

from starlette.responses import Response

from engine.text import say
from kiosk.head.access.rights import Role
from kiosk.head.desk.results import outcome_in, spoken_outcome
from kiosk.head.errors import Conflict, NotFound
from kiosk.head.event.games import ENDS, HeadGame
from kiosk.head.event.state import DivisionState
from kiosk.head.pages.desk.common import act, live_page, show
from kiosk.head.pages.desk.overview import still_playing
from kiosk.head.web.address import Address
from kiosk.head.web.forms import RESULT_FIELDS, BadForm, outcome, whole
from kiosk.head.web.render import Item
from kiosk.head.web.visit import Visit

_AT = "/division/{division}"


def _items(visit: Visit) -> list[Item]:
    division = visit.division
    number = _round(visit, division)
    games = division.rounds[number - 1] if number else ()
    typing = visit.draw("desk/_typing.html", division=division, playing=still_playing(division))
    listed = visit.draw("desk/_results.html", division=division, number=number, games=games)
    return [("typing", typing), ("results", listed)]


def _round(visit: Visit, division: DivisionState) -> int:
    asked = visit.query.get("round", "")
    last = len(division.rounds)
    return int(asked) if asked.isascii() and asked.isdigit() and 1 <= int(asked) <= last else last


def _typed(visit: Visit) -> None:
    """A card of a table: its number and the discs are enough."""
    form, division = visit.form, visit.division
    table = whole(form, "table", 1, 100_000)
    game = next((game for game in division.current if game.is_open and game.table == table), None)
    if game is None:
        done = next((game for game in division.current if game.table == table and game.outcome), None)
        if done is not None:
            raise Conflict(
                say(
                    "table {table} has its result already ({words}); open that game to correct it",
                    table=table,
                    words=_words(division, done),
                ),
            )
        raise NotFound(say("no game is open at table {table}; look at the list", table=table))
    if not game.designated:
        raise Conflict(
            say(
                "the players of table {table} settled the colours themselves; open that game and say who had Black",
                table=table,
            ),
        )
    _check_total(visit, game)
    visit.desk.results.enter(game.id, outcome({**form, "black": "", "end": "normal"}, game))


def _words(division: DivisionState, game: HeadGame) -> str:
    o = game.outcome
    assert o is not None
    score = "–" if o.black_discs is None else f"{o.black_discs}–{o.white_discs}"
    return f"{division.called(o.black)} {score} {division.called(o.white)}"


def _check_total(visit: Visit, game: HeadGame) -> None:
    """M43-18.5: counts that do not make 64 are read to the winner's disadvantage; the operator is told how.

    :raises BadForm: they do not make 64.
    """
    black, white = visit.form["black_discs"], visit.form["white_discs"]
    if game.counts_captures or not (black and white):
        return
    counts = whole(visit.form, "black_discs", 0, 64), whole(visit.form, "white_discs", 0, 64)
    if sum(counts) == 64:
        return
    won, lost = max(counts), min(counts)
    read = min(won, 64 - lost)
    best = (read, 64 - read) if counts[0] > counts[1] else (64 - read, read)
    if read <= 32:  # AMB-13: it would turn or level the win
        raise BadForm(
            say(
                "{counts} and {counts2} are {counts3} discs together, not 64; ask the arbiter",
                counts=counts[0],
                counts2=counts[1],
                counts3=sum(counts),
            ),
        )
    raise BadForm(
        say(
            "{counts} and {counts2} are {counts3} discs together, not 64. Count again; if nobody can, "
            "the card is read to the winner's disadvantage (M43-18.5): Black {best}, White {best2}",
            counts=counts[0],
            counts2=counts[1],
            counts3=sum(counts),
            best=best[0],
            best2=best[1],
        ),
    )


def _game(visit: Visit) -> Response:
    division, game = _named(visit)
    return show(
        visit,
        "results",
        "desk/game.html",
        game=game,
        ends=ENDS,
        history=visit.desk.results.history(game.id),
        seen=spoken_outcome(game.outcome) if game.outcome else "",
        free=_free_tables(visit, division),
        is_current=game in division.current,
        outcome_of=outcome_in,
    )


def _free_tables(visit: Visit, division: DivisionState) -> list[int]:
    taken = {game.table for game in visit.desk.state.current if game.is_open}
    known = {*visit.desk.tables, *(division.tables or ())}
    return sorted(known - taken)


def _named(visit: Visit) -> tuple[DivisionState, HeadGame]:
    division, game = visit.division, visit.desk.state.game(str(visit.path["game"]))
    if game is None or game.is_bye or not any(game in games for games in division.rounds):
        raise NotFound(say("that game is not there any more; choose one of the list"))
    return division, game


def _enter(visit: Visit) -> None:
    _, game = _named(visit)
    _check_total(visit, game)
    visit.desk.results.enter(game.id, outcome(visit.form, game), visit.form["reason"])


def _correct(visit: Visit) -> str:
    division, game = _named(visit)
    _check_total(visit, game)
    typed, form = outcome(visit.form, game), visit.form
    number = visit.desk.results.correct(game.id, typed, form["reason"], form["seen"])
    return f"/division/{division.slug}/correction/{number}"


def _take_back(visit: Visit) -> None:
    _, game = _named(visit)
    visit.desk.results.take_back(game.id, visit.form["reason"])


def _move(visit: Visit) -> None:
    _, game = _named(visit)
    visit.desk.seating.move(game.id, whole(visit.form, "table", 1, 100_000))


def _correction(visit: Visit) -> list[Item]:
    """What a correction changed."""
    division, results = visit.division, visit.desk.results
    event, game, old = results.correction(str(visit.path["number"]))
    asked = results.ask_consequences(event, game)
    found = asked.result() if asked.done() else None
    html = visit.draw("desk/_correction.html", division=division, event=event, game=game, found=found, old=old)
    return [("correction", html)]


ADDRESSES: list[Address] = [
    live_page("results", _items),
    act("typed", _typed, {"table", "black_discs", "white_discs", "winner"}, back="results"),
    Address(_AT + "/game/{game}", _game, Role.DESK, back=_AT + "/results"),
    act("game/{game}/enter", _enter, RESULT_FIELDS, back="game/{game}"),
    act("game/{game}/correct", _correct, {"seen", *RESULT_FIELDS}, back="game/{game}", again=True),
    act("game/{game}/take-back", _take_back, {"reason"}, back="game/{game}", again=True),
    act("game/{game}/move", _move, {"table"}, back="game/{game}"),
    live_page("correction/{number}", _correction),
]
