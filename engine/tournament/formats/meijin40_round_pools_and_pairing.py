"""M40 round: the past, the pools and fixed games before it is paired, and the pairing of each pool under PAIRING.md 1.

Each pool is paired independently; its players are in provisional rank order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.i18n import Text, say
from engine.tournament.event_model import Bye, Event, Game, Stage
from engine.tournament.formats.meijin40_finals_and_semifinals import Duel
from engine.tournament.formats.shared_finals_stages import Entry, players_of
from engine.tournament.meijin40_ranking import RoundResults
from engine.tournament.organiser_pairing_constraints import constraints_of
from engine.tournament.othello_system_pairing import (
    Direction,
    Floater,
    OthelloSystemRules,
    Profile,
    RankedPool,
    cost_of,
    pair_pool,
)
from engine.tournament.player_history_and_presence import away_in_round, has_withdrawn
from engine.tournament.shared_format_options import DIRECTION, FIRST_ROUND, FLOATER, PROFILE


@dataclass(frozen=True, slots=True)
class M40Pool:
    """Players, best first, who are paired among themselves. ``by_halves``: the first round of M40P-1 to 3."""

    players: tuple[str, ...]
    stage: Stage
    league: str | None = None
    by_halves: bool = False


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
        busy = {name for entry in entries for name in players_of(entry)} | {n for pool in pools for n in pool.players}
        return self.ranked(self.here - busy - set(idle))

    def present_players(self, duel: Duel) -> Duel:
        one, other = duel
        return (one if one in self.here else None), (other if other in self.here else None)

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


def rules_of(event: Event, direction: Direction | None = None) -> OthelloSystemRules:
    """Return the readings by which pools are paired; ``direction`` None: as the options say (M40P-9: the highest meets
    the lowest)."""
    return OthelloSystemRules(
        direction or Direction(DIRECTION.of(event) or Direction.LOWEST),
        Profile(PROFILE.of(event) or Profile.WORST_FIRST),
        Floater(FLOATER.of(event) or Floater.LITERAL),
    )


def paired_pool(at: RoundContext, pool: M40Pool, rules: OthelloSystemRules) -> tuple[list[Entry], tuple[int, ...]]:
    if not pool.players:
        return [], (0, 0)
    ranked = ranked_pool(at, pool.players)
    requested: tuple[str, ...] = ()
    by_halves = pool.by_halves and FIRST_ROUND.of(at.event) != "pool"  # AMB-46
    if by_halves and not ranked.wishes.concerns(pool.players):
        pairs, bye = halves(pool.players)
        cost = cost_of(ranked, pairs, bye, rules)
    else:
        pairing = pair_pool(ranked, rules)
        pairs, bye, cost = list(pairing.pairs), pairing.bye, pairing.cost
        requested = pairing.requested
    entries: list[Entry] = [Game(one, other, pool.stage, league=pool.league) for one, other in pairs]
    if bye is not None:
        entries.append(Bye(bye, pool.stage, pool.league))
    entries += [Bye(name, pool.stage, pool.league) for name in requested]
    return entries, cost


def halves(players: Sequence[str]) -> tuple[list[tuple[str, str]], str | None]:
    """Return pairs by M40P-1 to 3 in falling order of lots: the highest lot has the bye of an odd league, then the
    highest of the upper half meets the highest of the lower half, and so on."""
    bye = players[0] if len(players) % 2 else None
    rest = players[len(players) % 2 :]
    half = len(rest) // 2
    return list(zip(rest[:half], rest[half:], strict=True)), bye


def ranked_pool(at: RoundContext, players: Sequence[str]) -> RankedPool:
    """Return the past of these players as the pairing needs it; a forfeited pairing is no meeting (PAIRING.md 4)."""
    members = set(players)
    wins = dict.fromkeys(players, 0)
    met: set[frozenset[str]] = set()
    for results in at.results:
        for name in members.intersection(results):
            result = results[name]
            wins[name] += result.won
            if result.met and result.opponent in members:
                met.add(frozenset((name, result.opponent)))
    wishes = constraints_of(at.event, at.round)
    return RankedPool(tuple(players), wins, met, frozenset(had_bye(at.event, at.round)), wishes)


def had_bye(event: Event, before: int) -> set[str]:
    return {bye.player for round_ in event.rounds[: before - 1] for bye in round_.byes}


def cost_of_pool(
    at: RoundContext, pairs: Sequence[tuple[str, str]], bye: str | None, rules: OthelloSystemRules
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    names = [name for pair in pairs for name in pair] + ([] if bye is None else [bye])
    pool = ranked_pool(at, [name for name in at.order if name in set(names)])
    return cost_of(pool, pairs, bye, rules), pair_pool(pool, rules).cost


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
