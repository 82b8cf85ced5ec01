"""Deciding games of M40: their players and winners, and the semi-final rule.

A result file may not mark which game was a final. If it does, the mark counts; otherwise the game between the players
whom the rules expect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.tournament.event_model import Bye, Event, Game, Stage, Winner
from engine.tournament.formats.shared_finals_stages import loser, winner

Duel = tuple[str | None, str | None]


def deciding_games(event: Event, number: int, stage: Stage, expected: Sequence[Duel]) -> list[Duel]:
    """Return (winner, loser) of the games of a stage in a round, with None for an empty place; if the file has no game
    of that stage there, of the games that the expected players played. An expected player who did not come has lost;
    both, if neither came to the final."""
    if number > len(event.rounds):
        return []
    round_ = event.rounds[number - 1]
    games = [game for game in round_.games if game.stage is stage]
    opponent = {name: other for one, two in expected for name, other in ((one, two), (two, one))}
    decided: list[Duel] = [(bye.player, opponent.get(bye.player)) for bye in round_.byes if bye.stage is stage]
    if not games and not decided:
        games = [game for game in round_.games if any(set(game.players) == set(pair) for pair in expected)]
        decided = [(one or other, None) for one, other in expected if (one is None) != (other is None)]
        here = {*round_.players, None}
        decided += [(None, name) for duel in expected if stage is Stage.FINAL and not here & {*duel} for name in duel]
    if stage is not Stage.SEMI_FINAL:  # a semi-final without players has no winner, and no player for 3rd place
        decided += [(None, name) for game in games if game.winner is Winner.NEITHER for name in game.players]
    return [*((winner(game), loser(game)) for game in games if game.decided), *decided]


def winners_and_losers(semi_finals: Sequence[Duel]) -> tuple[Duel, Duel]:
    """Return (the winners, the losers) of two semi-finals, with None for each that is missing."""
    (one, lost_one), (other, lost_other) = [*semi_finals, (None, None), (None, None)][:2]
    return (one, other), (lost_one, lost_other)


def duel_entry(one: str | None, other: str | None, stage: Stage) -> list[Game | Bye]:
    """Return the game of two players, or the bye of one without an opponent."""
    if one is not None and other is not None:
        return [Game(one, other, stage)]
    left = one if one is not None else other
    return [] if left is None else [Bye(left, stage)]


def semi_final_pairs(order: Sequence[str], losses: Mapping[str, int], met: Iterable[frozenset[str]]) -> list[Duel]:
    """Return the pairs by M40F13-3, M40F9-4: never two players without a loss, then no rematch, then 1st v 4th and 2nd
    v 3rd."""
    first, second, third, fourth = order
    known = set(met)

    def cost(pairs: Sequence[tuple[str, str]]) -> tuple[int, int]:
        unbeaten = sum(not losses[one] and not losses[other] for one, other in pairs)
        return unbeaten, sum(frozenset(pair) in known for pair in pairs)

    choices = [
        [(first, fourth), (second, third)],
        [(first, third), (second, fourth)],
        [(first, second), (third, fourth)],
    ]
    best = min(choices, key=cost)
    return [(one, other) for one, other in best]
