"""Counting of ChouChou, for a game whose moves are known and for the clock alone: turn order, pieces of a penalty, who
reached the target (CC-WIN-1, CC-SUP-1).

Players are numbered in turn order, from 0; a *color* is a player, or a pair (players 0 and 2, 1 and 3).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

#: CC-SUP-1: pieces that each opponent receives, by the number of players
PENALTIES = {2: 5, 3: 4, 4: 3}
#: CC-SUP-1, semi-official: pieces of a penalty where a pair counts on one score board
PENALTY_ON_ONE_BOARD = 5


def turn_order(player: int, players: int, out: Collection[int] = ()) -> list[int]:
    """Return the players still in the game, clockwise from the next one; ``player`` is last."""
    after = [(player + step) % players for step in range(1, players + 1)]
    return [one for one in after if one not in out]


def with_penalty(
    scores: Sequence[int],
    order: Sequence[int],
    *,
    pairs: bool = False,
    divided: bool = False,
    one_score_board: bool = False,
) -> tuple[int, ...]:
    """Return the scores after a movement in consecutive turns by the last player of ``order``: every opponent receives
    pieces, or a part of them (``divided``, AMB-35). ``one_score_board``: a pair's are given to its next player."""
    players, offender = len(scores), order[-1]
    opponents = [one for one in order[:-1] if not pairs or (one - offender) % 2]
    pieces = PENALTIES[players]
    if pairs and one_score_board:
        opponents, pieces = opponents[:1], PENALTY_ON_ONE_BOARD
    elif divided and not pairs:
        pieces //= len(opponents)
    return tuple(own + pieces * (player in opponents) for player, own in enumerate(scores))


def first_to_reach(scores: Sequence[int], target: int, order: Sequence[int]) -> int | None:
    """Return the first player of ``order`` who has the target (CC-WIN-1); None if nobody has."""
    return next((player for player in order if scores[player] >= target), None)
