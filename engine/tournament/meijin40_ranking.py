"""Provisional rankings of M40: M40K (33 and more players, 9 to 12) and M40K17 (13 to 32).

- Ranks are strict after every round, because lots never tie.
- A bye is a win over a player with -1 wins (M40K-12).
- A player without a game because he has already won his league, or waits for his final, wins that round (M40K-11,
  AMB-23); a player who withdrew or was away loses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.tournament.event_model import WIN, Event, Winner
from engine.tournament.othello_system_pairing import DUMMY_WINS

#: M40K-2 to M40K-8: the best 1 to 6 beaten, and the worst 1 to 6 lost to
CRITERIA = range(1, 7)
M40K_KEYS = ("wins", *(f"S_{k}" for k in CRITERIA), "lot")
M40K17_KEYS = ("wins", "wins_before_last_game", "previous_rank", "lot")


class M40Ranking(StrEnum):
    M40K = "m40k"
    M40K17 = "m40k17"


@dataclass(frozen=True, slots=True)
class LeagueResult:
    """One player's round. ``opponent`` None: a bye, or an idle round that counts as one."""

    won: bool
    opponent: str | None = None
    met: bool = False


#: one round: the result of every player who has one
RoundResults = Mapping[str, LeagueResult]


@dataclass(frozen=True, slots=True)
class Placed:
    """Place in a ranking: the values that decide it, larger is better (a rank counts the other way)."""

    id: str
    wins: int
    keys: tuple[int, ...]


def results_of(event: Event, after: int, idle: Mapping[int, Sequence[str]] | None = None) -> list[RoundResults]:
    """Return all results of rounds 1 to ``after``. ``idle``: round -> players who won it without a game or a recorded
    bye."""
    rounds: list[RoundResults] = []
    for round_ in event.rounds[:after]:
        results = {bye.player: LeagueResult(won=True) for bye in round_.byes}
        for game in round_.games:
            if game.winner is not None:
                for player in game.players:
                    won = game.half_points(player) == WIN
                    # in a double forfeit nobody lost to the other
                    opponent = None if game.winner is Winner.NEITHER else game.opponent(player)
                    results[player] = LeagueResult(won, opponent, game.over_the_board)
        for player in (idle or {}).get(round_.number, ()):
            results.setdefault(player, LeagueResult(won=True))
        rounds.append(results)
    return rounds


def wins_of(players: Sequence[str], rounds: Sequence[RoundResults]) -> dict[str, int]:
    wins = dict.fromkeys(players, 0)
    for results in rounds:
        for player, result in results.items():
            wins[player] += result.won
    return wins


def m40k(lots: Mapping[str, int], rounds: Sequence[RoundResults]) -> list[Placed]:
    """Return the M40K ranking: wins, S_1 to S_6, lot. S_k is the sum of the k best win totals among the players beaten
    and of the k worst among those lost to; shorter lists are summed completely."""
    wins = wins_of(list(lots), rounds)
    placed = []
    for player, lot in lots.items():
        own = [results[player] for results in rounds if player in results]
        beaten = [DUMMY_WINS if r.opponent is None else wins[r.opponent] for r in own if r.won]
        lost_to = [wins[r.opponent] for r in own if not r.won and r.opponent is not None]
        beaten.sort(reverse=True)
        lost_to.sort()
        sums = (sum(beaten[:k]) + sum(lost_to[:k]) for k in CRITERIA)
        placed.append(Placed(player, wins[player], (wins[player], *sums, lot)))
    return sorted(placed, key=lambda place: place.keys, reverse=True)


def m40k17(lots: Mapping[str, int], rounds: Sequence[RoundResults]) -> list[Placed]:
    """Return the ranking of M40K17-2 to 5: wins, wins before the latest game, better rank before it, lot; round by
    round from the lots."""
    order = sorted(lots, key=lots.__getitem__, reverse=True)
    wins = dict.fromkeys(lots, 0)
    placed = [Placed(name, 0, (0, 0, rank, lots[name])) for rank, name in enumerate(order, start=1)]
    for results in rounds:
        rank = {place.id: number for number, place in enumerate(placed, start=1)}
        treated = _latest_game_values(wins, results)
        for player, result in results.items():
            wins[player] += result.won
        placed = [Placed(p, wins[p], (wins[p], wins[p] - treated.get(p, 0), rank[p], lots[p])) for p in lots]
        placed.sort(key=lambda place: (-place.keys[0], -place.keys[1], place.keys[2]))
    return placed


def _latest_game_values(wins: Mapping[str, int], results: RoundResults) -> dict[str, int]:
    """Return the value of the latest game (M40K17-3); if the lower player won, the two are swapped (M40K17-3x)."""
    treated = {}
    for player, result in results.items():
        other = result.opponent
        upset = other is not None and wins[other] != wins[player] and (wins[other] > wins[player]) == result.won
        treated[player] = int(result.won != upset)
    return treated
