"""Evaluation of positions for spectators.

- It uses a spectator's card, so it never concerns a position that may not be seen yet, and is shown only where the
  division delays its games, so that it cannot help a player (promise 3).
- With few empty squares it is exact, by the project's own solver; before that it is the value of the organiser's
  engine, if there is one.
- Both run in separate processes; nobody waits for them.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from engine.board.color import Color
from engine.board.errors import BoardError
from engine.board.position import Position
from kiosk.head.head_config import Analysis
from kiosk.head.tables.live_game_json_and_document_cache import PositionEvaluation
from kiosk.head.tables.nboard_engine_client import NBoard
from kiosk.head.tables.public_and_arbiter_table_cards import TableCard

#: empty squares from which the solver is used; it takes a second or two, and is stopped after ``SOLVE_S``
EXACT, SOLVE_S = 12, 15.0
#: the project's solver as an NBoard engine
OWN = (sys.executable, "-m", "kiosk", "engine")
#: positions that are cached
_KEPT = 4096

_Key = tuple[str, Color]


class Evaluator:
    """Evaluator of cards. Call it with a card; an unknown value is computed in the background, and then ``changed`` is
    called. Close it at the end.
    """

    def __init__(
        self, analysis: Analysis | None, changed: Callable[[], None] = lambda: None, own: Sequence[str] = OWN
    ) -> None:
        self._changed = changed
        self._solver = NBoard(own, EXACT, SOLVE_S, pong_s=2.0)
        self._engine = None if analysis is None else NBoard(analysis.engine, analysis.depth, analysis.think_s)
        self._known: OrderedDict[_Key, PositionEvaluation | None] = OrderedDict()
        self._queue: OrderedDict[int, _Key] = OrderedDict()
        self._condition = threading.Condition()
        self._stopping = False
        # started by the first request, because most heads have none
        self._thread = threading.Thread(target=self._run, name="head-worth", daemon=True)

    def close(self) -> None:
        with self._condition:
            self._stopping = True
            self._condition.notify()
        self._solver.close()
        if self._engine is not None:
            self._engine.close()
        if self._thread.is_alive():
            self._thread.join(5.0)

    def __call__(self, card: TableCard) -> PositionEvaluation | None:
        """Return the known value of the position on a spectator's card, if it may be shown."""
        key = _position(card)
        if key is None or not card.rule.shows_evaluation:
            return None
        with self._condition:
            if key in self._known:
                return self._known[key]
            self._queue[card.number] = key  # only a table's latest position is computed
            if self._thread.ident is None and not self._stopping:
                self._thread.start()
            self._condition.notify()
        return None

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._queue or self._stopping)
                if self._stopping:
                    return
                _, key = self._queue.popitem(last=False)
                if key in self._known:
                    continue
            found = self._worth(key)
            with self._condition:
                self._known[key] = found
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)
            if found is not None:
                self._changed()

    def _worth(self, key: _Key) -> PositionEvaluation | None:
        cells, color = key
        try:
            position = Position.from_cells(cells, color)
        except BoardError:
            return None  # of another size
        if position.is_over:
            return None
        exact = position.empty.bit_count() <= EXACT
        asked = self._solver if exact else self._engine
        value = None if asked is None else asked.value(position)
        if asked is None or value is None:
            return None
        black = value if color is Color.BLACK else -value
        return PositionEvaluation(round(black) if exact else round(black, 1), exact, asked.name)


def _position(card: TableCard) -> _Key | None:
    """Return the shown position of a game in progress, and who is to move."""
    view, game = card.view, card.game
    if game is None or game.outcome is not None or view.board is None or not view.turns:
        return None
    return view.board, view.turns[-1].by.opponent
