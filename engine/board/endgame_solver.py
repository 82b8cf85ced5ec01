"""Exact endgame solver: the best score and a line that reaches it, for analysis after the game.

- Alpha-beta search to the last empty square: scores are proved, not estimated.
- Scores are final disc differences for the side to move, empties to the winner (OTH-14).
- The window of a search is (alpha, beta): a score at or below alpha, or at or above beta, is only a bound.
- Move ordering prefers moves that leave the enemy few answers, then squares in odd regions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.board.board_geometry import Geometry, scan
from engine.board.errors import UnsolvableBoard
from engine.board.position import Position
from engine.board.variant_rules_and_move_generation import legal_moves
from engine.i18n import say

#: With more empty squares than this a search in plain Python takes too long.
MOST_EMPTIES = 20
#: From this many empty squares positions are cached and moves are ordered by weight.
_WEIGHED = 7
#: Below this many empty squares ordering them by parity costs more than it saves.
_ORDERED = 4
#: Weights of a corner and of an odd region in move ordering, in enemy answers.
_CORNER, _ODD = 4, 1
#: Weight of the cached best move, which comes first.
_FIRST = -1000

#: Positions searched between two checks for cancellation.
_ASKS = 1000

#: A line from a square: its first square, and all of it.
_Ray: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Solution:
    """Result of a search. ``score``: the final disc difference for the side to move with best play. ``line``: best play
    to the end, None for a pass. ``nodes``: positions searched."""

    score: int
    line: tuple[str | None, ...]
    nodes: int


def solve(position: Position) -> Solution:
    """Return the exact value of a position and a best line.

    :raises UnsolvableBoard: if more than ``MOST_EMPTIES`` squares are empty, or the rules are not Othello's.
    """
    _check(position)
    search = _Search(position.geometry)
    score = value = search.value(position)
    line, after = list[str | None](), position
    while not after.is_over:
        if after.must_pass:
            line.append(None)
            after, value = after.pass_turn(), -value
            continue
        for square in search.likely_best_first(after):
            following = after.play(square)
            if search.reaches(following, -value):
                line.append(after.geometry.name(square))
                after, value = following, -value
                break
    return Solution(score, tuple(line), search.nodes)


def values(positions: Sequence[Position]) -> list[int]:
    """Return the exact scores of the positions of one game, each for its side to move.

    :raises UnsolvableBoard: as ``solve``.
    """
    return list(values_backwards(positions))[::-1]


def values_backwards(positions: Sequence[Position], go_on: Callable[[], bool] = lambda: True) -> Iterator[int]:
    """Yield the exact scores of the positions of one game from the last position to the first.

    All positions share one search: its cache and the known value of the move played bound each earlier position, so
    only better moves have to be searched.

    :param go_on: called about every thousand positions; once it returns False, no more scores are yielded
    :raises UnsolvableBoard: as ``solve``.
    """
    for position in positions:
        _check(position)
    if not positions:
        return
    search = _Search(positions[0].geometry, go_on)
    after: Position | None = None
    try:
        for position in reversed(positions):
            if after is not None:
                search.played(position, after)
            yield search.value(position)
            after = position
    except _StoppedError:
        return


def _check(position: Position) -> None:
    """Check that a position can be searched.

    :raises UnsolvableBoard: if it cannot.
    """
    empties = position.empty.bit_count()
    if not position.rules.are_othello:
        raise UnsolvableBoard(say("only boards with the rules of Othello can be solved"))
    if empties > MOST_EMPTIES:
        text = say("{empties} squares are empty; at most {most} can be searched to the end")
        raise UnsolvableBoard(text(empties=empties, most=MOST_EMPTIES))


class _StoppedError(Exception):
    """Cancellation of the search by the caller."""


class _Search:
    """Search on one board, with a cache of searched positions."""

    def __init__(self, geometry: Geometry, go_on: Callable[[], bool] = lambda: True) -> None:
        self.geometry = geometry
        self.go_on = go_on
        self.size = geometry.size
        self.nodes = self.asked = 0
        #: (own, enemy) -> proved bounds of the score and the best square
        self.known: dict[tuple[int, int], tuple[int, int, int]] = {}
        self.rising: dict[int, tuple[_Ray, ...]] = {}
        self.falling: dict[int, tuple[_Ray, ...]] = {}
        self.around: dict[int, int] = {}
        self.region: dict[int, int] = {}
        self.corners = 0
        for square in geometry.squares:
            self._prepare(square)

    def value(self, position: Position) -> int:
        """Return the exact score for the side to move."""
        return self._search(position.own, position.enemy, position.empty, -self.size, self.size)

    def played(self, position: Position, after: Position) -> None:
        """Record that the move to ``after``, whose score is known, was played: the best score is at least as good."""
        move = position.empty & ~after.empty
        square = move.bit_length() - 1
        if not move & position.legal_moves() or position.play(square) != after:
            return  # a pass, or not its successor
        self.known[position.own, position.enemy] = -self.value(after), self.size, square

    def reaches(self, position: Position, score: int) -> bool:
        """Return whether the exact score for the side to move is ``score``."""
        own, enemy, empty = position.own, position.enemy, position.empty
        return self._search(own, enemy, empty, score - 1, score + 1) == score

    def likely_best_first(self, position: Position) -> list[int]:
        """Return the legal moves, the best cached one first."""
        squares = scan(position.legal_moves())
        best = self.known.get((position.own, position.enemy), (0, 0, -1))[2]
        return sorted(squares, key=lambda square: square != best)

    def _prepare(self, square: int) -> None:
        geometry = self.geometry
        rising: list[_Ray] = []
        falling: list[_Ray] = []
        around = 0
        for shift in geometry.shifts:
            for step, rays in ((shift, rising), (-shift, falling)):
                ray, at = 0, square + step
                while at >= 0 and geometry.playable >> at & 1:
                    ray |= 1 << at
                    at += step
                if ray.bit_count() > 1:
                    near = 1 << square + step
                    around |= near
                    rays.append((near, ray))
        self.rising[square], self.falling[square], self.around[square] = tuple(rising), tuple(falling), around
        row, column = divmod(square, geometry.stride)
        self.region[square] = 1 << 2 * (2 * row >= geometry.rows) + (2 * column >= geometry.columns)
        if len(rising) + len(falling) <= 3:
            self.corners |= 1 << square

    def _flips(self, own: int, enemy: int, square: int) -> int:
        """Return the flips as ``variant_rules_and_move_generation.flips``, faster: the first gap in a ray of enemy
        discs ends it.
        """
        turned = 0
        for near, ray in self.rising[square]:
            if enemy & near:
                gaps = ray & ~enemy
                end = gaps & -gaps
                if end & own:
                    turned |= ray & end - 1
        for near, ray in self.falling[square]:
            if enemy & near:
                gaps = ray & ~enemy
                if gaps:
                    end = 1 << gaps.bit_length() - 1
                    if end & own:
                        turned |= ray & -end
        return turned & enemy

    def _final(self, own: int, enemy: int) -> int:
        difference = own.bit_count() - enemy.bit_count()
        empties = self.size - (own | enemy).bit_count()
        return difference + empties if difference > 0 else difference - empties if difference < 0 else 0

    def _search(self, own: int, enemy: int, empty: int, alpha: int, beta: int) -> int:
        """Return the score of a position with ``_WEIGHED`` or more empty squares; ``_finish`` handles fewer."""
        if empty.bit_count() < _WEIGHED:
            squares = tuple(scan(empty))
            odd = 0
            for square in squares:
                odd ^= self.region[square]
            return self._finish(own, enemy, squares, odd, alpha, beta)
        self.nodes += 1
        if self.nodes > self.asked + _ASKS:
            self.asked = self.nodes
            if not self.go_on():
                raise _StoppedError
        low, high, best = self.known.get((own, enemy), (-self.size, self.size, -1))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        moves = self._order_moves(own, enemy, empty, best)
        if not moves:
            if not legal_moves(self.geometry, enemy, own):
                return self._final(own, enemy)
            return -self._search(enemy, own, empty, -beta, -alpha)

        floor, ceiling = max(alpha, low), min(beta, high)
        for _, square, turned in moves:  # a cached answer that is bad for the enemy causes a cutoff without a search
            answer = self.known.get((enemy ^ turned, own | turned | 1 << square))
            if answer is not None and -answer[1] >= ceiling:
                return -answer[1]
        score, bound = -self.size - 1, floor
        for _, square, turned in moves:
            disc = 1 << square
            after = enemy ^ turned, own | turned | disc, empty ^ disc
            if score == -self.size - 1:
                value = -self._search(*after, -ceiling, -bound)
            else:
                value = -self._search(*after, -bound - 1, -bound)
                if bound < value < ceiling:
                    value = -self._search(*after, -ceiling, -value)
            if value > score:
                score, best = value, square
                if value > bound:
                    bound = value
                    if value >= ceiling:
                        break
        if score > floor:
            low = max(low, score)
        if score < ceiling:
            high = min(high, score)
        self.known[own, enemy] = low, high, best
        return score

    def _order_moves(self, own: int, enemy: int, empty: int, best: int) -> list[tuple[int, int, int]]:
        """Return the legal moves with their flips: the cached best move, then those that leave the enemy the fewest
        answers."""
        odd = 0
        for square in scan(empty):
            odd ^= self.region[square]
        moves = []
        for square in scan(legal_moves(self.geometry, own, enemy)):
            turned = self._flips(own, enemy, square)
            answers = 0 if square == best else legal_moves(self.geometry, enemy ^ turned, own | turned | 1 << square)
            weight = 2 * answers.bit_count() + 2 * (answers & self.corners).bit_count()
            weight -= _CORNER * (self.corners >> square & 1) + _ODD * bool(odd & self.region[square])
            moves.append((_FIRST if square == best else weight, square, turned))
        moves.sort()
        return moves

    def _finish(self, own: int, enemy: int, squares: tuple[int, ...], odd: int, alpha: int, beta: int) -> int:
        """Search the last empty squares, odd regions first, without the cache."""
        self.nodes += 1
        if len(squares) == 1:
            return self._last(own, enemy, squares[0])
        if not squares:
            return self._final(own, enemy)
        order = squares
        if odd and len(squares) >= _ORDERED:
            region = self.region
            order = tuple(sorted(squares, key=lambda square: not odd & region[square]))
        score = self._best_of(own, enemy, order, odd, alpha, beta)
        if score is not None:
            return score
        score = self._best_of(enemy, own, order, odd, -beta, -alpha)
        return self._final(own, enemy) if score is None else -score

    def _best_of(self, own: int, enemy: int, squares: tuple[int, ...], odd: int, alpha: int, beta: int) -> int | None:
        """Return the best score of all moves, None if there is none."""
        best = None
        around, flips = self.around, self._flips
        for index, square in enumerate(squares):
            if not enemy & around[square]:
                continue
            turned = flips(own, enemy, square)
            if not turned:
                continue
            rest = squares[:index] + squares[index + 1 :]
            value = -self._finish(
                enemy ^ turned, own | turned | 1 << square, rest, odd ^ self.region[square], -beta, -alpha
            )
            if best is None or value > best:
                best = value
                if value > alpha:
                    if value >= beta:
                        return value
                    alpha = value
        return best

    def _last(self, own: int, enemy: int, square: int) -> int:
        """Return the score with one empty square, played by whichever side can."""
        difference = own.bit_count() - enemy.bit_count()
        if turned := self._flips(own, enemy, square):
            return difference + 2 * turned.bit_count() + 1
        if turned := self._flips(enemy, own, square):
            return difference - 2 * turned.bit_count() - 1
        return difference + 1 if difference > 0 else difference - 1 if difference < 0 else 0
