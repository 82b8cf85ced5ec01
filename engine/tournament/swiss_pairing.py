"""Brightwell Swiss pairing of one pool: penalties, the cheapest round, its colours, and the cost of any other round.

- The pairing has the smallest total penalty (PAIRING.md 2). Between pairings of equal cost a lot of every pair decides,
  drawn from the event's ``random_seed`` and the round, so the event file alone reproduces the draw with any solver.
- In a large pool lots are drawn only for the pairs that a cheapest round can use (``pruned_costs``); the result is the
  same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from itertools import combinations

from engine.tournament.event_model import WIN, Bye, Event, Game, Round
from engine.tournament.lots_and_leagues import LotDraw
from engine.tournament.min_cost_matching import Pair, min_cost_matching, pruned_costs, total_cost
from engine.tournament.pairing_history_and_constraints import (
    LEAGUE_STAGES,
    ColorSide,
    History,
    PlayerHistory,
    check_enough_present,
    history_before,
)

# Default penalties (PAIRING.md 2), one function per term. Scores are half points and every penalty is an integer; the
# cost of a round is the plain sum over its pairs.

#: by |blacks - whites| after the game; the last value also stands for more
COLOUR = (0, 20, 105, 225, 530, 1075)
SAME_COLOUR_AGAIN = 15
#: by score difference in half points; the last value also stands for more
FLOAT = (
    0, 20_000, 40_588, 62_785, 87_119, 114_041, 143_998, 177_453, 214_908, 256_910, 304_062, 357_037, 416_582,
    483_534, 558_828, 643_514, 738_767, 845_906, 966_413, 1_101_949, 1_254_381, 1_425_805, 1_618_578, 1_835_345,
    2_079_081,
)  # fmt: skip
FLOAT_AGAIN = 25
COMPENSATING_FLOAT = -10
COMPENSATION_FROM_ROUND = 3
SAME_COLOURS_MET = 10_000_000
REVERSED_COLOURS_MET = 5_000_000
MET_LAST_ROUND = 1
SECOND_BYE = 10_000_000
SAME_COUNTRY = 2


@dataclass(frozen=True, slots=True)
class PairingPenalty:
    """A cost split into its terms. ``rule``: for pairs that a format forbids as long as they can be avoided."""

    colour: int = 0
    float: int = 0
    repetition: int = 0
    country: int = 0
    elitism: int = 0
    rule: int = 0

    @property
    def total(self) -> int:
        return self.colour + self.float + self.repetition + self.country + self.elitism + self.rule

    def __add__(self, other: PairingPenalty) -> PairingPenalty:
        return PairingPenalty(*map(sum, zip(astuple(self), astuple(other), strict=True)))


def colour(record: PlayerHistory, side: ColorSide) -> int:
    """Return the penalty of colour balance after the game and of the same colour twice in a row."""
    balance = record.balance + (1 if side is ColorSide.BLACK else -1)
    return COLOUR[min(abs(balance), len(COLOUR) - 1)] + (SAME_COLOUR_AGAIN if record.last_side is side else 0)


def _float_habit(record: PlayerHistory, difference: int, round_: int) -> int:
    """Return the penalty of floating the same way twice in a row; a float that compensates for the last one is
    cheaper."""
    product = difference * record.last_float
    if product > 0:
        return FLOAT_AGAIN
    if product < 0 and round_ >= COMPENSATION_FROM_ROUND:
        lost_above = record.last_float < 0 and record.last_points == 0
        won_below = record.last_float > 0 and record.last_points == WIN
        if lost_above or won_below:
            return COMPENSATING_FLOAT
    return 0


def _repetition(history: History, black: str, white: str) -> int:
    same = history.meetings.get((black, white), [])
    reverse = history.meetings.get((white, black), [])
    if not same and not reverse:
        return 0
    again = sum(round_ == history.round - 1 for round_ in (*same, *reverse))
    return len(same) * SAME_COLOURS_MET + len(reverse) * REVERSED_COLOURS_MET + again * MET_LAST_ROUND


def _elitism(one: int, other: int, round_: int) -> int:
    """Return the penalty of a difference, which weighs more between players with many points."""
    if one == other or one < 0 or other < 0:
        return 0
    factor = 100 if round_ <= 3 else 200 if round_ <= 5 else 300 if round_ <= 9 else 400
    return factor * (one + other) * abs(one - other) // 2


# Pairing of a pool.

#: penalty of what a format avoids first of all; more than any sum of other terms
RULE = 10_000_000_000
#: lots are this many bits wide: two different cheapest pairings practically never have the same sum of lots
LOT_BITS = 40


@dataclass(frozen=True, slots=True)
class SwissPool:
    """Players of one draw. ``kept_from_bye``: those who get a bye only if nobody else can (AMB-15). ``kept_apart``:
    those who do not meet one another (M43F-04)."""

    players: tuple[str, ...]
    kept_from_bye: frozenset[str] = frozenset()
    kept_apart: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Pairing:
    """Complete round of a pool. ``pairs`` are (black, white). ``requested``: byes that the operator set."""

    pairs: tuple[tuple[str, str], ...]
    bye: str | None = None
    penalty: PairingPenalty = field(default_factory=PairingPenalty)
    requested: tuple[str, ...] = ()


class Prices:
    """Costs of each pair and each bye of a pool before a round."""

    def __init__(self, event: Event, history: History, pool: SwissPool) -> None:
        self._history = history
        self._pool = pool
        self._country = {p.id: p.country for p in event.players}
        self._lowest = min((history.records[p].score for p in pool.players), default=0)

    def pair(self, black: str, white: str) -> PairingPenalty:
        """Return the penalty if the two meet with these colours."""
        history, country, apart = self._history, self._country[black], self._pool.kept_apart
        one, other = history.records[black], history.records[white]
        difference = one.score - other.score
        return PairingPenalty(
            colour=colour(one, ColorSide.BLACK) + colour(other, ColorSide.WHITE),
            float=FLOAT[min(abs(difference), len(FLOAT) - 1)]
            + _float_habit(one, difference, history.round)
            + _float_habit(other, -difference, history.round),
            repetition=_repetition(history, black, white),
            country=SAME_COUNTRY if country and country == self._country[white] else 0,
            elitism=_elitism(one.score, other.score, history.round),
            rule=RULE if black in apart and white in apart else 0,
        )

    def cheaper(self, one: str, other: str) -> int:
        """Return the penalty of two players in the cheaper colours."""
        return min(self.pair(one, other).total, self.pair(other, one).total)

    def by_kind(self, one: str, other: str) -> int:
        """Return the penalty of two players in the cheaper colours, without the terms for their meetings and
        countries."""
        both = self.pair(one, other), self.pair(other, one)
        return min(penalty.total - penalty.repetition - penalty.country for penalty in both)

    def kind(self, player: str) -> Hashable:
        """Return a key that is equal for players who cost the same with everybody, apart from meetings and
        countries."""
        record = self._history.records[player]
        past = record.score, record.balance, record.last_side, record.last_float, record.last_points
        return *past, player in self._pool.kept_apart

    def same_country_pairs(self) -> Iterable[tuple[str, str]]:
        """Yield all pairs of players of one country, in the order of the pool."""
        found: dict[str, list[str]] = {}
        for name in self._pool.players:
            if country := self._country[name]:
                found.setdefault(country, []).append(name)
        return (pair for names in found.values() for pair in combinations(names, 2))

    def bye(self, player: str) -> PairingPenalty:
        """Return the penalty of a bye: the opponent is a pseudo-player with half a point less than the lowest score
        present. The bye has no colour, so the player's colours do not change."""
        record = self._history.records[player]
        difference = record.score - (self._lowest - 1)
        return PairingPenalty(
            colour=COLOUR[min(abs(record.balance), len(COLOUR) - 1)],
            float=FLOAT[min(difference, len(FLOAT) - 1)] + _float_habit(record, difference, self._history.round),
            repetition=record.byes * SECOND_BYE,
            elitism=_elitism(record.score, self._lowest - 1, self._history.round),
            rule=RULE if player in self._pool.kept_from_bye else 0,
        )


def cheapest_round(event: Event, history: History, pool: SwissPool) -> Pairing:
    """Return the pairing of a pool with the smallest total penalty, with colours; an odd pool has one bye.

    :raises EventError: if there is nobody to pair
    """
    requested = tuple(name for name in pool.players if name in history.wishes.byes)
    pool = replace(pool, players=tuple(name for name in pool.players if name not in requested))
    players = pool.players
    check_enough_present(len(players))
    prices = Prices(event, history, pool)
    lots = LotDraw(event.options.random_seed or 0, history.round)
    costs = pool_costs(history, pool, prices, lots)
    size = len(players) + len(players) % 2
    lots.skip(size * (size - 1) // 2)
    bye, pairs, penalty = None, [], PairingPenalty()
    for i, j in min_cost_matching(size, costs):
        if j == len(players):
            bye = players[i]
            penalty += prices.bye(bye)
        else:
            black, white = choose_colours(prices, history, players[i], players[j], lots)
            pairs.append((black, white))
            penalty += prices.pair(black, white)
    return Pairing(tuple(by_table(history, pairs)), bye, penalty, requested)


def smallest_total(event: Event, history: History, pool: SwissPool, without: Sequence[str]) -> int:
    """Return the cost of ``cheapest_round``, without choosing among the rounds that cost the same. ``without``: two who
    do not meet, or one who has no bye.

    :raises MatchingError: if that or the constraints leave no pairing
    """
    players = tuple(name for name in pool.players if name not in history.wishes.byes)
    pool = replace(pool, players=players)
    penalties = pool_penalties(history, pool, Prices(event, history, pool))
    ends = sorted(players.index(name) for name in set(without))
    penalties.pop((ends[0], [*ends, len(players)][1]), None)
    size = len(players) + len(players) % 2
    return total_cost(min_cost_matching(size, penalties), penalties)


def pool_costs(history: History, pool: SwissPool, prices: Prices, lots: LotDraw) -> dict[Pair, int]:
    """Return the cost of every pair of a pool that a cheapest round may use, by index, with the pair's lot in the low
    bits; in an odd pool the last index is the bye."""
    size = len(pool.players) + len(pool.players) % 2
    shift = LOT_BITS + len(pool.players).bit_length()  # all lots of a round together stay below one unit of penalty
    penalties = pool_penalties(history, pool, prices)

    def lot(i: int, j: int) -> int:
        """Return the lot of a pair; lots are numbered row by row, as if drawn in turn."""
        return lots.ahead(i * size - i * (i + 1) // 2 + j - i - 1) >> (64 - LOT_BITS)

    return {(i, j): (penalty << shift) + lot(i, j) for (i, j), penalty in pruned_costs(size, penalties).items()}


def pool_penalties(history: History, pool: SwissPool, prices: Prices) -> dict[Pair, int]:
    """Return the penalty of every allowed pair of a pool by index, in the cheaper colours; in an odd pool the last
    index is the bye.

    Players with the same past cost the same, so it is computed once for each two kinds of players; the terms for
    countries and meetings are added afterwards.
    """
    players, wishes = pool.players, history.wishes
    kinds: dict[Hashable, int] = {}
    kind = [kinds.setdefault(prices.kind(name), len(kinds)) for name in players]
    first = [players[kind.index(number)] for number in range(len(kinds))]
    table = [[prices.by_kind(one, other) for other in first] for one in first]
    place = {name: index for index, name in enumerate(players)}
    penalties: dict[Pair, int] = {}
    for i, number in enumerate(kind):
        row = table[number]
        for j in range(i + 1, len(players)):
            penalties[i, j] = row[kind[j]]
    for one, other in prices.same_country_pairs():
        penalties[place[one], place[other]] += SAME_COUNTRY
    for black, white in history.meetings:
        if black in place and white in place:
            i, j = sorted((place[black], place[white]))
            penalties[i, j] = prices.cheaper(players[i], players[j])
    if wishes:
        for i, j in list(penalties):
            allowed = _allowed_colours(history, players[i], players[j])
            penalties[i, j] = min((prices.pair(*colours).total for colours in allowed), default=0)
            if not allowed:
                del penalties[i, j]
    if len(players) % 2:
        for i, one in enumerate(players):
            if wishes.allows_bye(one):
                penalties[i, len(players)] = prices.bye(one).total
    return penalties


def _allowed_colours(history: History, one: str, other: str) -> list[tuple[str, str]]:
    """Return the colourings (black, white) of a pair that the constraints allow; none if the two may not meet."""
    wishes = history.wishes
    if not wishes:
        return [(one, other), (other, one)]
    if not wishes.allows(one, other):
        return []
    return [pair for pair in ((one, other), (other, one)) if wishes.allows_colours(*pair)]


def choose_colours(prices: Prices, history: History, one: str, other: str, lots: LotDraw) -> tuple[str, str]:
    """Return (black, white): the cheaper colouring; if equal, the reverse of the last round in which their colours
    differed; else by lot."""
    if len(allowed := _allowed_colours(history, one, other)) == 1:
        return allowed[0]
    first, second = prices.pair(one, other).total, prices.pair(other, one).total
    if first != second:
        return (one, other) if first < second else (other, one)
    sides = zip(history.records[one].sides, history.records[other].sides, strict=True)
    for side, other_side in reversed(list(sides)):
        if side is not other_side:
            had_black = side is ColorSide.BLACK or other_side is ColorSide.WHITE
            return (other, one) if had_black else (one, other)
    return (one, other) if lots.below(2) else (other, one)


def by_table(history: History, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the pairs in the order of the tables: highest scores first."""

    def height(pair: tuple[str, str]) -> tuple[int, int]:
        scores = [history.records[player].score for player in pair]
        return -max(scores), -sum(scores)

    return sorted(pairs, key=height)


def cost_of_games(event: Event, history: History, pool: SwissPool, games: Sequence[Game], bye: Bye | None) -> int:
    """Return the total penalty of a round as it was played, with the colours it was played with."""
    prices = Prices(event, history, pool)
    total = sum(prices.pair(game.black, game.white).total for game in games)
    return total + (prices.bye(bye.player).total if bye else 0)


def cost_and_optimum(before: Event, played: Round, pool: SwissPool) -> tuple[int, int]:
    """Return (played, optimum): the total penalty of a round as it was played, and the smallest one over the same
    players.

    :param before: the event without that round
    """
    games = [game for game in played.games if game.stage in LEAGUE_STAGES]
    if not games:
        return 0, 0  # finals and leaders' byes: no pair was chosen by penalties
    byes = [bye for bye in played.byes if bye.player in pool.players]
    paired = [name for game in games for name in game.players]
    history = history_before(before, played.number)
    prices = []
    # an odd pool has one bye; with several byes all but one were given for other reasons
    candidates: list[Bye | None] = [*byes] if byes else [None]
    for bye in candidates:
        members = SwissPool((*paired, bye.player) if bye else tuple(paired), pool.kept_from_bye, pool.kept_apart)
        optimum = cheapest_round(before, history, members).penalty.total
        prices.append((cost_of_games(before, history, members, games, bye), optimum))
    return min(prices)


def as_cost(penalty: PairingPenalty) -> Mapping[str, int]:
    """Return the ``cost`` object of ``kiosk pair``: the total and its terms."""
    return {"penalty": penalty.total, **asdict(penalty)}
