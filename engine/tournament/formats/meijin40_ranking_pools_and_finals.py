"""Parts of the M40 formats: provisional rankings, the round before it is paired, its pools, and the deciding games.

- Rankings are M40K (33 and more players, 9 to 12) and M40K17 (13 to 32). Ranks are strict after every round, because
  lots never tie.
- A bye is a win over a player with -1 wins (M40K-12). A player without a game because he has already won his league, or
  waits for his final, wins that round (M40K-11, AMB-23); a player who withdrew or was away loses it.
- Each pool is paired independently under PAIRING.md 1; its players are in provisional rank order.
- A result file may not mark which game was a final. If it does, the mark counts; otherwise the game between the players
  whom the rules expect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from engine.i18n import Text, say
from engine.tournament import format_spec_and_options as spec
from engine.tournament import othello_system_pairing as othello_system
from engine.tournament.event_model import WIN, Bye, Event, Game, Stage, Winner
from engine.tournament.formats.final_rounds import loser, winner
from engine.tournament.formats.format_interface import Entry
from engine.tournament.pairing_history_and_constraints import (
    away_in_round,
    constraints_of,
    has_withdrawn,
    history_before,
)

#: two players of a bracket or of the finals; None for an empty place
Duel = tuple[str | None, str | None]

# Provisional rankings.

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
                    results[player] = LeagueResult(won, opponent)
        for player in (idle or {}).get(round_.number, ()):
            results.setdefault(player, LeagueResult(won=True))
        rounds.append(results)
    return rounds


def wins_of(players: Iterable[str], rounds: Sequence[RoundResults]) -> dict[str, int]:
    return {name: sum(results[name].won for results in rounds if name in results) for name in players}


def m40k(lots: Mapping[str, int], rounds: Sequence[RoundResults]) -> list[Placed]:
    """Return the M40K ranking: wins, S_1 to S_6, lot. S_k is the sum of the k best win totals among the players beaten
    and of the k worst among those lost to; shorter lists are summed completely."""
    wins = wins_of(lots, rounds)
    placed = []
    for player, lot in lots.items():
        own = [results[player] for results in rounds if player in results]
        beaten = [othello_system.DUMMY_WINS if r.opponent is None else wins[r.opponent] for r in own if r.won]
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


# The round before it is paired, and the pairing of its pools.


@dataclass(frozen=True, slots=True)
class M40Pool:
    """Players, best first, who are paired among themselves. ``by_halves``: the first round of M40P-1 to 3."""

    players: tuple[str, ...]
    stage: Stage
    league: str | None = None
    by_halves: bool = False

    @property
    def name(self) -> Text:
        if self.league is not None:
            return say("league {league}", league=self.league)
        if self.stage is Stage.PLACEMENT:
            return say("the placement league")
        return say("the league")


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """A round before it is paired. ``fixed``: the games and byes in which the rules leave no choice."""

    pools: tuple[M40Pool, ...] = ()
    fixed: tuple[Entry, ...] = ()
    warnings: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class RoundContext:
    """An event before round ``round``: lots, results, the provisional order, and the players present."""

    event: Event
    round: int
    lots: Mapping[str, int]
    results: Sequence[RoundResults]
    order: tuple[str, ...]
    here: frozenset[str]

    def ranked(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of ``names`` who are present, best first."""
        present = self.here.intersection(names)
        return tuple(name for name in self.order if name in present)

    def others(
        self, entries: Iterable[Entry], pools: Iterable[M40Pool] = (), idle: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """Return all players present without a game, bye, pool or idle round, best first."""
        busy = {name for entry in entries for name in entry.players} | {n for pool in pools for n in pool.players}
        return self.ranked(self.here - busy - set(idle))

    def games(self, duels: Iterable[Duel], stage: Stage) -> list[Entry]:
        """Return the games of a stage among the players present; one without an opponent has a bye."""
        entries: list[Entry] = []
        for duel in duels:
            names = [name for name in duel if name is not None and name in self.here]
            if names:
                entries.append(Game(names[0], names[1], stage) if len(names) == 2 else Bye(names[0], stage))
        return entries

    def was_present(self, name: str, round_: int) -> bool:
        return not has_withdrawn(self.event.player(name), round_ - 1) and name not in away_in_round(self.event, round_)


def no_final(at: RoundContext, final: Duel) -> list[Text]:
    """Return the operator's warning if both finalists have withdrawn."""
    one, other = final
    if one is None or other is None or at.here.intersection((one, other)):
        return []
    label = at.event.called
    return [
        say("no final: {one} and {other} have both withdrawn, so nobody wins it", one=label(one), other=label(other))
    ]


def rules_of(event: Event, direction: othello_system.Direction | None = None) -> othello_system.OthelloSystemRules:
    """Return the readings by which pools are paired; ``direction`` None: as the options say (M40P-9: the highest meets
    the lowest)."""
    return othello_system.OthelloSystemRules(
        direction or othello_system.Direction(spec.DIRECTION.of(event) or othello_system.Direction.LOWEST),
        othello_system.Profile(spec.PROFILE.of(event) or othello_system.Profile.WORST_FIRST),
        othello_system.Floater(spec.FLOATER.of(event) or othello_system.Floater.LITERAL),
    )


def paired_pool(
    at: RoundContext, pool: M40Pool, rules: othello_system.OthelloSystemRules
) -> tuple[list[Entry], tuple[int, ...]]:
    if not pool.players:
        return [], (0, 0)
    ranked = ranked_pool(at, pool.players)
    requested: tuple[str, ...] = ()
    if (halved := halves(at, pool)) is not None:
        pairs, bye = halved
        cost = othello_system.cost_of(ranked, pairs, bye, rules)
    else:
        pairing = othello_system.pair_pool(ranked, rules)
        pairs, bye, cost = list(pairing.pairs), pairing.bye, pairing.cost
        requested = pairing.requested
    entries: list[Entry] = [Game(one, other, pool.stage, league=pool.league) for one, other in pairs]
    if bye is not None:
        entries.append(Bye(bye, pool.stage, pool.league))
    entries += [Bye(name, pool.stage, pool.league) for name in requested]
    return entries, cost


def halves(at: RoundContext, pool: M40Pool) -> tuple[list[tuple[str, str]], str | None] | None:
    """Return pairs by M40P-1 to 3 in falling order of lots: the highest lot has the bye of an odd league, then the
    highest of the upper half meets the highest of the lower half, and so on. None: the pool is not paired so (AMB-46),
    or a constraint does not allow it."""
    if not pool.by_halves or spec.FIRST_ROUND.of(at.event) == "pool":
        return None
    players, wishes = pool.players, constraints_of(at.event, at.round)
    bye = players[0] if len(players) % 2 else None
    rest = players[len(players) % 2 :]
    half = len(rest) // 2
    pairs = list(zip(rest[:half], rest[half:], strict=True))
    kept = all(wishes.allows(*pair) for pair in pairs) and (bye is None or wishes.allows_bye(bye))
    return (pairs, bye) if kept and not set(wishes.byes).intersection(players) else None


def ranked_pool(at: RoundContext, players: Iterable[str]) -> othello_system.RankedPool:
    """Return the past of these players as the pairing needs it; rounds won without a game count as wins."""
    history = history_before(at.event, at.round, tuple(Stage))
    pool = othello_system.ranked_pool_of(history, tuple(players))
    return replace(pool, wins=wins_of(pool.players, at.results))


def cost_of_pool(
    at: RoundContext, pairs: Sequence[tuple[str, str]], bye: str | None, rules: othello_system.OthelloSystemRules
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    names = [name for pair in pairs for name in pair] + ([] if bye is None else [bye])
    pool = ranked_pool(at, [name for name in at.order if name in set(names)])
    return othello_system.cost_of(pool, pairs, bye, rules), othello_system.pair_pool(pool, rules).cost


def merged_pools(pools: list[set[str]], games: Sequence[Game]) -> list[set[str]]:
    """Return the pools, with those merged that the operator joined by a game."""
    for game in games:
        joined = [pool for pool in pools if pool.intersection(game.players)]
        if len(joined) == 2 and set(game.players) <= joined[0] | joined[1]:
            pools = [pool for pool in pools if pool not in joined] + [joined[0] | joined[1]]
    return pools


def add_costs(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sum of two costs; the differences are aligned at the right, where 1 is."""
    width = max(len(one), len(other))
    return tuple(a + b for a, b in zip(widened(one, width), widened(other, width), strict=True))


def widened(cost: tuple[int, ...], width: int) -> tuple[int, ...]:
    return cost[:2] + (0,) * (width - len(cost)) + cost[2:]


# Deciding games: their players and winners, and the semi-final rule.


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
