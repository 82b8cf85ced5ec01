"""Reproducible lots: a SplitMix64 generator seeded from the event's recorded seed; the lots and leagues of M40.

Every lot can be drawn again from the event file, on any machine and with any Python version; Python's ``random``
guarantees that only for some methods. SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
2014.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from engine.i18n import Text, say
from engine.tournament.event_model import Event, Player, event_error
from engine.tournament.format_spec_and_options import NO_SHOWS
from engine.tournament.pairing_history_and_constraints import away_in_round, present_entries

T = TypeVar("T")
_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


class LotDraw:
    """Stream of lots. ``seed`` is any whole number >= 0; ``round_`` and ``purpose`` separate independent draws."""

    def __init__(self, seed: int, round_: int = 0, purpose: int = 0) -> None:
        self._state = seed & _MASK
        for part in (seed >> 64, round_, purpose):
            self._state = (self.next64() ^ part) & _MASK

    def next64(self) -> int:
        """Return a number from 0 to 2**64 - 1."""
        number = self.ahead(0)
        self.skip(1)
        return number

    def skip(self, count: int) -> None:
        """Skip so many numbers."""
        self._state = (self._state + count * _STEP) & _MASK

    def ahead(self, index: int) -> int:
        """Return the number that ``next64`` would give after ``index`` others."""
        z = (self._state + (index + 1) * _STEP) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound - 1, all equally likely."""
        limit = (1 << 64) - (1 << 64) % bound
        while (lot := self.next64()) >= limit:
            pass
        return lot % bound

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return a random permutation (Fisher-Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order


def lots_of_entries(event: Event) -> dict[str, int]:
    """Return one lot for every player for the whole event; a larger one is higher (M40K).

    It is the ``lot`` of the entry if everybody in round 1 has one, else drawn from the recorded seed. A late entry at
    the end of the list changes no other lot; without a lot of its own it is below all who have one.
    """
    drawn = LotDraw(event.options.random_seed or 0, purpose=2)
    lots = {player.id: drawn.next64() for player in event.players}
    own = {player.id: player.lot for player in event.players if player.lot is not None}
    there = event.rounds[0].players if event.rounds else [player.id for player in present_entries(event, 1)]
    if any(name not in own for name in there):
        return lots
    return {name: own.get(name, lot - 2**64) for name, lot in lots.items()}


# Lots and leagues of M40: M40L-1 to 6, M40F33-1, M40F17-1, M40F9-1, M40G-1 to 3.
#
# - Numbers written in the event file are kept. Missing ones are drawn from the ballots of the opening (a linear
#   congruential generator, M40L) or from the event's recorded seed (lots drawn by hand), so the same file always gives
#   the same numbers.
# - Late entries get the numbers after the highest.

#: M40L-1
MODULUS = 8_388_608
MULTIPLIER = 65_793
INCREMENT = 4_282_663
#: M40L-2: three ballots of five digits make a number of 15 digits (AMB: leading zeros kept)
BALLOTS = 3
BALLOT_DIGITS = 5
#: M40L-4, M40L-5: seeds have 1 to 4, the others begin at 11
FIRST_LOT = 11
SEEDS = 4
LEAGUES = ("A", "B", "C", "D")
_PURPOSE = 2


@dataclass(frozen=True, slots=True)
class M40LotDraw:
    """Result of the draw. ``written``: the lots were in the file. ``preliminary`` and ``initial`` only where the
    generator made the lots; ``leagues`` in rising order of lots, only if requested; ``moves`` are (player, from, to) of
    M40G-2."""

    lots: Mapping[str, int]
    written: bool
    preliminary: Mapping[str, int]
    initial: int | None
    leagues: Mapping[str, tuple[str, ...]]
    moves: tuple[tuple[str, str, str], ...]
    warnings: tuple[Text, ...]


def initial_number(ballots: Sequence[str]) -> int:
    """Return x0 from the three drawn ballots (M40L-2, M40L-3)."""
    if len(ballots) != BALLOTS or any(len(b) != BALLOT_DIGITS or not b.isascii() or not b.isdigit() for b in ballots):
        raise event_error(
            "options.lot_ballots is {list}; give the three drawn ballots of five digits each, as texts",
            list=list(ballots),
        )
    return int("".join(ballots)) % MODULUS


def preliminary_numbers(initial: int, count: int) -> list[int]:
    """Return x1 … for the whole player list, seeds and absentees included (M40L-3)."""
    numbers = []
    for _ in range(count):
        initial = (MULTIPLIER * initial + INCREMENT) % MODULUS
        numbers.append(initial)
    return numbers


def draw_lots(event: Event, *, leagues: bool) -> M40LotDraw:
    """Return the lots of an event, and with ``leagues`` the four leagues they make.

    :raises EventError: if two players have the same lot, a seed is not 1 to 4, or the ballots are not usable
    """
    warnings: list[Text] = []
    preliminary: dict[str, int] = {}
    initial = None
    open_ = [p for p in event.players if p.seed is None or _in_bracket(event)]
    written = [player for player in open_ if player.lot is not None]
    if event.facts.lots is not None and event.facts.lots.generator and (event.options.lot_ballots or not written):
        initial = _ballots(event, warnings)
        numbers = preliminary_numbers(initial, len(event.players))
        preliminary = {player.id: number for player, number in zip(event.players, numbers, strict=True)}
    if written:
        lots = _lots_in_file(event, warnings)
    elif preliminary:
        lots = _by_preliminary_number(event, preliminary)
    else:
        lots = _by_hand(event, warnings)
    _check(event, lots)
    members, moves = _deal(event, lots) if leagues else ({}, [])
    return M40LotDraw(lots, bool(written), preliminary, initial, members, tuple(moves), tuple(warnings))


def _in_bracket(event: Event) -> bool:
    """Return whether lots are places in a bracket (M40F17-1)."""
    return event.facts.lots is not None and event.facts.lots.bracket > 0


def lots_of(event: Event) -> Mapping[str, int]:
    return draw_lots(event, leagues=False).lots


def participating_players(event: Event) -> list[Player]:
    """Return everybody who is not absent, and everybody who has played before becoming absent."""
    played = {name for round_ in event.rounds for name in round_.players}
    return [player for player in event.players if not player.absent or player.id in played]


def _seed_lot(event: Event, player: Player) -> int | None:
    """Return the lot of a seed, 1 to 4, as drawn at reception (M40L-5)."""
    if player.seed is None:
        return None
    if player.lot is None and player.seed > SEEDS:
        raise event_error(
            "{label} is seed {seed}; seeds are 1 to {seeds}, or give the player a 'lot'",
            label=event.called(player.id),
            seed=player.seed,
            seeds=SEEDS,
        )
    return player.lot or player.seed


def _seed(event: Event) -> str:
    seed = event.options.random_seed
    return "0; record 'options.random_seed'" if seed is None else f"options.random_seed {seed}"


def _ballots(event: Event, warnings: list[Text]) -> int:
    if event.options.lot_ballots:
        return initial_number(event.options.lot_ballots)
    warnings.append(
        say("options.lot_ballots is missing, so the three ballots were drawn from {seed}", seed=_seed(event))
    )
    return initial_number([f"{lot:05d}" for lot in _three_ballots(event)])


def _three_ballots(event: Event) -> list[int]:
    lots = LotDraw(event.options.random_seed or 0, purpose=_PURPOSE)
    return [lots.below(10**BALLOT_DIGITS) for _ in range(BALLOTS)]


def _by_preliminary_number(event: Event, preliminary: Mapping[str, int]) -> dict[str, int]:
    """Return lots from 11 in rising order of preliminary numbers (M40L-4); a seed's own number stays empty (M40L-5)."""
    order = sorted(preliminary, key=preliminary.__getitem__)
    lots = {name: lot for lot, name in enumerate(order, start=FIRST_LOT)}
    return lots | {p.id: lot for p in event.players if (lot := _seed_lot(event, p)) is not None}


def _by_hand(event: Event, warnings: list[Text]) -> dict[str, int]:
    """Return lots drawn by hand: M40F33-1, M40F9-1 from 11; M40F17-1 from 1, the seeds on designated numbers. Absentees
    draw none."""
    warnings.append(say("players have no 'lot', so lots were drawn from {seed}", seed=_seed(event)))
    drawn = LotDraw(event.options.random_seed or 0, purpose=_PURPOSE)
    here = participating_players(event)
    if _in_bracket(event):
        designated = designated_numbers(len(here))
        lots = {p.id: designated[p.seed] for p in here if p.seed is not None and p.seed in designated}
        numbers = [number for number in range(1, len(here) + 1) if number not in lots.values()]
    else:
        lots = {p.id: lot for p in here if (lot := _seed_lot(event, p)) is not None}
        numbers = list(range(FIRST_LOT, FIRST_LOT + len(here) - len(lots)))
    others = drawn.shuffled([player.id for player in here if player.id not in lots])
    return lots | dict(zip(others, numbers, strict=True))


def _lots_in_file(event: Event, warnings: list[Text]) -> dict[str, int]:
    """Return the lots of the event file; late entries come after the highest."""
    bracket = _in_bracket(event)
    lots = {p.id: p.lot for p in event.players if p.lot is not None}
    if not bracket:
        lots |= {p.id: lot for p in event.players if p.id not in lots and (lot := _seed_lot(event, p)) is not None}
    highest = max(lots.values())
    for player in participating_players(event):
        if player.id not in lots:
            highest += 1
            lots[player.id] = highest
            warnings.append(
                say(
                    "{label} has no 'lot'; a late entry has {highest}, after all others",
                    label=event.called(player.id),
                    highest=highest,
                )
            )
    return lots


def _check(event: Event, lots: Mapping[str, int]) -> None:
    holder: dict[int, str] = {}
    for name, lot in lots.items():
        if lot in holder:
            raise event_error(
                "{label} and {label2} both have lot {lot}; lots are unique",
                label=event.called(holder[lot]),
                label2=event.called(name),
                lot=lot,
            )
        holder[lot] = name


# Leagues


def players_to_place(event: Event) -> list[Player]:
    """Return the players who get a place. Absentees and those who announced missing round 1 get none; a player who does
    not come keeps his place (AMB-44), unless ``no_shows`` removes him; a player who withdraws later keeps it in any
    case."""
    keeps = NO_SHOWS.of(event) != "removed"
    if not event.rounds:
        here = [p for p in event.players if not p.absent and p.id not in away_in_round(event, 1)]
        return [p for p in here if keeps or p.withdrawn_after_round != 0]
    first = set(event.rounds[0].players)
    return [p for p in event.players if p.id in first or (keeps and p.withdrawn_after_round == 0 and not p.absent)]


def _deal(event: Event, lots: Mapping[str, int]) -> tuple[dict[str, tuple[str, ...]], list[tuple[str, str, str]]]:
    """Deal players to leagues: in rising order of lots to A, B, C, D, A, …, missing numbers skipped (M40G-1); at most
    one odd league (M40G-3)."""
    for player in event.players:
        if player.league is not None and player.league not in LEAGUES:
            raise event_error(
                "{label} is in league {league!r}; leagues are A, B, C and D",
                label=event.called(player.id),
                league=player.league,
            )
    order = sorted(players_to_place(event), key=lambda player: lots[player.id])
    leagues: dict[str, list[str]] = {league: [] for league in LEAGUES}
    moves: list[tuple[str, str, str]] = []
    if order and all(player.league for player in order):
        for player in order:
            leagues[str(player.league)].append(player.id)
    else:
        for index, player in enumerate(order):
            leagues[LEAGUES[index % len(LEAGUES)]].append(player.id)
        moves = [*_balance(leagues, "A", "B"), *_balance(leagues, "C", "D")]
    assigned = {name for names in leagues.values() for name in names}
    late = (p for p in event.players if p.id not in assigned and not p.absent and p.withdrawn_after_round != 0)
    for player in late:
        shortest = min(LEAGUES, key=lambda league: len(leagues[league]))
        leagues[player.league or shortest].append(player.id)
    return {league: tuple(sorted(names, key=lots.__getitem__)) for league, names in leagues.items()}, moves


def _balance(leagues: dict[str, list[str]], to: str, from_: str) -> list[tuple[str, str, str]]:
    """Move the highest lot of the second league to the first if both are odd (M40G-2, M40G-3)."""
    if len(leagues[to]) % 2 == 0 or len(leagues[from_]) % 2 == 0:
        return []
    moved = leagues[from_].pop()
    leagues[to].append(moved)
    return [(moved, from_, to)]


# Brackets


def halved_block_sizes(count: int, parts: int) -> list[int]:
    """Return the sizes of contiguous blocks, halved repeatedly, so that byes are spread evenly (AMB-22)."""
    if parts == 1:
        return [count]
    return [*halved_block_sizes(count - count // 2, parts // 2), *halved_block_sizes(count // 2, parts // 2)]


def designated_numbers(count: int) -> dict[int, int]:
    """Return seed -> number from 1 (AMB-22): seeds 1 to 4 are in the four quarters, 1 and 2 in different halves; each
    has the last place of his quarter, which has a bye before any other."""
    first, second, third, fourth = halved_block_sizes(count, 4)
    return {3: first, 2: first + second, 4: first + second + third, 1: first + second + third + fourth}
