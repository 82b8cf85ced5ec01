"""Results by hand: entering, correcting, taking back.

The law: a result of the desk goes before a card. A correction needs a reason and names what it replaces, so that two
operators who look at the same game cannot overwrite each other unseen.
"""

from __future__ import annotations

import secrets
from typing import Any

from kiosk.head.desk.core import Core
from kiosk.head.desk.seating import Seating
from kiosk.head.errors import Conflict, HeadError
from kiosk.head.event.games import Outcome, check


class Results:
    def __init__(self, core: Core, seating: Seating) -> None:
        self._core = core
        self._seating = seating

    def enter(self, game_id: str, outcome: Outcome, reason: str = "") -> None:
        """Enters a result by hand; the table, if it still plays that game, is told to stop.

        :raises Conflict: the game has a result; it can be corrected with a reason.
        """
        core = self._core
        with core.lock:
            division, game = core.game(game_id)
            if game.outcome is not None:
                raise Conflict(
                    f"game {game_id} has a result already ({spoken_outcome(game.outcome)}); correct it with a reason"
                )
            check(game, outcome)
            body = result_body(game_id, outcome, reason) | {"division": division.slug}
            core.append("result-entered", body, self._seating.withdrawals([game]))

    def correct(self, game_id: str, outcome: Outcome, reason: str, seen: str | None = None) -> None:
        """Replaces a recorded result (K-14: only with a reason). ``seen``: the result as the operator saw it.

        :raises Conflict: the result is another one by now.
        """
        if not reason.strip():
            raise HeadError("a correction needs a reason; it goes into the audit trail")
        core = self._core
        with core.lock:
            division, game = core.game(game_id)
            if game.outcome is None:
                raise Conflict(f"game {game_id} has no result yet; enter one first")
            if seen is not None and seen != spoken_outcome(game.outcome):
                raise Conflict(
                    f"the result of game {game_id} was changed by somebody else to {spoken_outcome(game.outcome)} "
                    "while you looked at it; look again and decide again"
                )
            check(game, outcome)
            body = result_body(game_id, outcome, reason) | {
                "division": division.slug,
                "old": result_body(game_id, game.outcome, ""),
            }
            core.append("result-corrected", body)

    def take_back(self, game_id: str, reason: str) -> None:
        """Takes back a result that was entered by hand for the wrong game: the game is open again.

        :raises Conflict: the result is a card's, or a later round stands on it.
        """
        if not reason.strip():
            raise HeadError("taking a result back needs a reason; it goes into the audit trail")
        core = self._core
        with core.lock:
            division, game = core.game(game_id)
            if game.source != "desk":
                raise Conflict(f"the result of game {game_id} came from its table; correct it instead")
            if game not in division.current:
                raise Conflict(f"round {game.round + 1} was paired with this result; correct it instead")
            if any(one.is_open and one.table == game.table for one in core.state.current):
                raise Conflict(f"table {game.table} has another game by now; correct the result instead")
            body = {"division": division.slug, "game": game_id, "reason": reason.strip()}
            orders = (
                [] if game.table is None else self._seating.orders_for(division, game, game.table, secrets.token_hex(4))
            )
            core.append("result-taken-back", body, orders)


def spoken_outcome(outcome: Outcome) -> str:
    """ "p1 40-24 p2 (black, normal)": names one result for people and for stale forms."""
    score = "?-?" if outcome.black_discs is None else f"{outcome.black_discs}-{outcome.white_discs}"
    return f"{outcome.black} {score} {outcome.white} ({outcome.winner}, {outcome.end})"


def result_body(game_id: str, outcome: Outcome, reason: str) -> dict[str, Any]:
    return {
        "game": game_id,
        "black": outcome.black,
        "white": outcome.white,
        "winner": outcome.winner,
        "black_discs": outcome.black_discs,
        "white_discs": outcome.white_discs,
        "end": outcome.end,
        "rated": outcome.rated,
        "reason": reason.strip(),
    }
