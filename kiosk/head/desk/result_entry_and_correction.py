"""Results entered at the desk: entering, correcting, taking back.

A result of the desk takes precedence over a table's card. A correction needs a reason and names what it replaces, so
that two operators at the same game cannot overwrite each other unnoticed.
"""

from __future__ import annotations

import secrets
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from msgspec import convert, to_builtins
from msgspec.structs import asdict

from engine.tournament.event_model import Event, Game
from engine.tournament.formats import format_of
from kiosk.head.desk.act_commit_and_games_claimed_by_tables import EventCore, Line, under_lock
from kiosk.head.desk.background_pairings_and_standings import Calculations
from kiosk.head.desk.table_assignment import TableAssigner
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event.act_types import RESULT, Body, ResultCorrected, ResultEntered, ResultReported, ResultTakenBack
from kiosk.head.event.head_game_and_result_check import HeadGame, check, outcome_key, same_score
from kiosk.head.event.pairings_standings_and_correction_impact import CorrectionImpact, correction_impact
from kiosk.head.event.publication_redaction_and_latin_names import public_division
from kiosk.head.event.tournament_state import DivisionState, games_not_due
from kiosk.head.store.hash_chain import OperatorEvent

#: how often a player may change the reported result
MOST_REPORTS = 10

_RESULTS = ("result-entered", "result-corrected", "result-taken-back")


def check_entered(event: Event, game: HeadGame, outcome: Game) -> None:
    """Check that a person may enter this result: it is possible for the game and in the event's format.

    :raises HeadError: it is not.
    """
    check(game, outcome)
    if problem := format_of(event).result_problem(event, outcome):
        raise HeadError.saying("{game}: {problem}", game=game.description, problem=problem)


class Results:
    def __init__(self, core: EventCore, seating: TableAssigner, calculations: Calculations) -> None:
        self._core = core
        self._seating = seating
        self._calculations = calculations

    @under_lock
    def enter(self, game_id: str, outcome: Game, reason: str = "") -> None:
        """Enter a result by hand; a table that still plays that game is ordered to stop.

        :raises Conflict: the game has a result; it can be corrected with a reason.
        """
        division, game = self._core.game(game_id)
        if game.outcome is not None:
            raise Conflict.saying(
                "{game} has a result already ({result}); correct it with a reason",
                game=game.description,
                result=division.scored(game.outcome),
            )
        check_entered(division.event, game, outcome)
        self._core.act(result_entered_act(division.slug, game_id, outcome, reason), self._seating.withdrawals([game]))

    @under_lock
    def report(self, game_id: str, by: str, outcome: Game, phone: str) -> bool:
        """Take a player's report about his game at a plain table. If both players report the same from two phones, it
        is entered like a slip; return whether it was.

        :raises Conflict: players do not report this game, or both reports are from one phone.
        """
        core = self._core
        division, game = core.game(game_id)
        if game.outcome is not None:
            result = public_division(division, core.state.date).scored(game.outcome)  # a player reads the message
            raise Conflict.saying("the result is in already: {result}", result=result)
        is_forfeit = not outcome.over_the_board  # only the desk may report a player who did not come
        if is_forfeit or game not in division.current or game.table in core.tables:
            raise Conflict.saying("the result of this game is entered at its table")
        check_entered(division.event, game, outcome)
        reports = core.state.reports.get(game_id, {})
        if by in reports and reports[by].times >= MOST_REPORTS:
            raise Conflict.saying("you have entered too many different results; take the slip to the desk")
        other = next((report for id, report in reports.items() if id != by), None)
        if other is not None and other.phone == phone:
            raise Conflict.saying("your opponent confirms on another phone; or take the slip to the desk")
        act = ResultReported(**asdict(result_entered_act(division.slug, game_id, outcome, "")), by=by, phone=phone)
        lines: list[Line] = [(act, ())]
        agreed = other is not None and same_score(other.outcome, outcome)
        if agreed:
            players = " + ".join(division.called(id) for id in (*reports, by) if id in game.players)
            lines.append((result_entered_act(division.slug, game_id, outcome, f"QR: {players}"), ()))
        core.act_all(lines)
        return agreed

    @under_lock
    def correct(self, game_id: str, outcome: Game, reason: str, seen: str | None = None) -> int:
        """Replace a recorded result (K-14: only with a reason) and return the correction's number. ``seen``: the result
        as the operator saw it.

        :raises Conflict: the result has changed meanwhile.
        """
        if not reason.strip():
            raise HeadError.saying("a correction needs a reason; it goes into the audit trail")
        core = self._core
        division, game = core.game(game_id)
        if game.outcome is None:
            raise Conflict.saying("{game} has no result yet; enter one first", game=game.description)
        if seen is not None and seen != outcome_key(game.outcome):
            raise changed_meanwhile(division, game, game.outcome)
        check_entered(division.event, game, outcome)
        new = result_entered_act(division.slug, game_id, outcome, reason)
        old = to_builtins(result_entered_act(division.slug, game_id, game.outcome, ""))
        orders = self._seating.withdrawals(games_not_due(division, replace(game, outcome=outcome)))
        core.act(ResultCorrected(**asdict(new), old=old), orders)
        return next(event.number for event in reversed(core.events) if event.kind == "result-corrected")

    @under_lock
    def take_back(self, game_id: str, reason: str) -> None:
        """Take back a result that was entered by hand for the wrong game: the game is open again.

        :raises Conflict: the game has a card, or a later round depends on the result.
        """
        if not reason.strip():
            raise HeadError.saying("taking a result back needs a reason; it goes into the audit trail")
        core = self._core
        division, game = core.game(game_id)
        act = ResultTakenBack(division.slug, game=game_id, reason=reason.strip())
        left = core.state_after(act).game(game_id) if game.source == "desk" else None
        if game.source != "desk" or (left is not None and left.outcome is not None):  # a card would count
            raise Conflict.saying("the result of {game} came from its table; correct it instead", game=game.description)
        if game not in division.current:
            raise Conflict.saying("round {round} was paired with this result; correct it instead", round=game.round + 1)
        gone = games_not_due(division, replace(game, outcome=None))
        others = [one for one in core.state.current if one.is_open and one not in gone]
        if game.table is not None and any(one.table == game.table for one in others):
            raise Conflict.saying("table {table} has another game by now; correct the result instead", table=game.table)
        orders = self._seating.withdrawals(gone)
        if game.table is not None and left is not None:  # a match that was decided before has no such game
            orders += self._seating.orders_for(division, game, game.table, secrets.token_hex(4))
        core.act(act, orders)

    def recent_manual_results(self, division: DivisionState, most: int) -> list[HeadGame]:
        """Return the games of the last round whose results were entered by hand, the latest first."""
        open_to = {game.id: game for game in division.current if game.source == "desk"}
        found: list[HeadGame] = []
        for event in reversed(self._core.events):
            if not open_to or len(found) == most:
                break
            if event.kind in _RESULTS and (game := open_to.pop(event.body["game"], None)):
                found.append(game)
        return found

    def history(self, game_id: str) -> list[OperatorEvent]:
        """Return the desk's acts on the result of a game, the first act first."""
        return [event for event in self._core.events if event.kind in _RESULTS and event.body["game"] == game_id]

    def correction(self, number: str) -> tuple[OperatorEvent, HeadGame, Game]:
        """Return a correction by its number in the audit trail, its game as it is now, and the result it had before.

        :raises NotFound: there is no such correction, or its game's round was taken back.
        """
        for event in self._core.events:
            if str(event.number) == number and event.kind == "result-corrected" and "old" in event.body:
                game = self._core.state.game(event.body["game"])
                if game is None or game.outcome is None:
                    raise NotFound.saying("that game's round was taken back")
                return event, game, outcome_from_body(event.body["old"])
        raise NotFound.saying("there is no such correction")

    def ask_consequences(self, correction: OperatorEvent, game: HeadGame) -> Future[CorrectionImpact]:
        """Return what a correction changed: the standings, and whether later rounds would have been
        paired otherwise.
        """
        division, _ = self._core.game(game.id)
        now = division.whole()
        old = replace(game, outcome=outcome_from_body(correction.body["old"])).entry()
        assert isinstance(old, Game), "a bye has no result to correct"
        weight = len(now.players) * (len(now.rounds) - game.round)
        which = game.round, game.match_game
        question = f"correction {correction.number}"
        return self._calculations.ask(division, question, correction_impact, now, old, *which, weight=weight)


def changed_meanwhile(division: DivisionState, game: HeadGame, outcome: Game) -> Conflict:
    """Return the error of a form that showed another result of the game than ``outcome``."""
    return Conflict.saying(
        "the result of {game} was changed to {result} while you looked at it; look again and decide again",
        game=game.description,
        result=division.scored(outcome),
    )


def outcome_from_body(body: Body) -> Game:
    """Return the outcome in an operator event about a result."""
    return convert({"game": "", **body}, ResultEntered).outcome


def result_entered_act(slug: str, game_id: str, outcome: Game, reason: str) -> ResultEntered:
    """Return the act of a complete result."""
    result: dict[str, Any] = {name: getattr(outcome, name) for name in RESULT}
    return ResultEntered(slug, game=game_id, **result, transcript=outcome.transcript or "", reason=reason.strip())
