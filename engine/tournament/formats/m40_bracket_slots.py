"""M40 knock-out bracket in slots, replayed from the results (AMB-22).

- Places in the bracket follow the lots; byes are only in its first round, spread as evenly as halving allows.
- Once the first round has been played, its pairs in the order of their lots are the bracket.
- A slot without a player is empty; a player who meets an empty slot advances.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from engine.tournament.event_model import Event, Stage
from engine.tournament.formats.m40_deciding_games import Duel, duel_entry
from engine.tournament.formats.m40_round_plan import RoundContext
from engine.tournament.formats.shared_finals_stages import Entry
from engine.tournament.m40_lots_and_leagues import designated_numbers, halved_block_sizes, players_to_place
from engine.tournament.shared_format_options import SEED_PLACES

Unit = tuple[str, ...]


def paired(slots: Sequence[str | None]) -> list[Duel]:
    """Return the pairs of neighbouring slots."""
    return [(slots[index], slots[index + 1]) for index in range(0, len(slots), 2)]


def _games_of_a_full_round(event: Event) -> int:
    """Return the games of the first round when the bracket is full: of 32 players 16, of 16 players 8."""
    return event.facts.lots.bracket if event.facts.lots else 0


def bracket_units(event: Event, lots: Mapping[str, int], outside: Collection[str] = ()) -> list[Unit]:
    """Return the bracket as drawn: blocks of one or two players in rising order of lots; seeds 1 to 4 are apart, unless
    ``seed_places`` leaves them to their lots (AMB-22). ``outside``: players without a place in it."""
    count = _games_of_a_full_round(event)
    order = sorted((p.id for p in players_to_place(event) if p.id not in outside), key=lots.__getitem__)
    seeds = {p.seed: p.id for p in event.players if p.seed is not None and p.seed <= 4 and p.id in set(order)}
    if SEED_PLACES.of(event) != "lots" and not _apart(order, seeds):
        designated = {seeds[seed]: number for seed, number in designated_numbers(len(order)).items() if seed in seeds}
        order = [name for name in order if name not in designated]
        for name, number in sorted(designated.items(), key=lambda item: item[1]):
            order.insert(number - 1, name)
    units, first = [], 0
    for size in halved_block_sizes(len(order), count):
        units.append(tuple(order[first : first + size]))
        first += size
    return units


def _apart(order: Sequence[str], seeds: dict[int, str]) -> bool:
    """Return whether seeds 1 to 4 are in the four quarters, 1 and 2 in different halves (AMB-22)."""
    ends = [sum(halved_block_sizes(len(order), 4)[: part + 1]) for part in range(4)]
    quarter = {seed: sum(order.index(name) >= end for end in ends) for seed, name in seeds.items()}
    halves_differ = 1 not in quarter or 2 not in quarter or quarter[1] // 2 != quarter[2] // 2
    return len(set(quarter.values())) == len(quarter) and halves_differ


def units(at: RoundContext) -> list[Unit]:
    """Return the bracket as played: the recorded first round, in the drawn order if it is the drawn one. Pairs beyond a
    full bracket are late entries, last in the list, who only play in the placement league."""
    if not at.event.rounds:
        return bracket_units(at.event, at.lots)
    first = at.event.rounds[0]
    entered = {player.id: place for place, player in enumerate(at.event.players)}
    played: list[Unit] = [entry.players for entry in first.entries]
    played.sort(key=lambda unit: min(entered[name] for name in unit))
    late = {name for unit in played[_games_of_a_full_round(at.event) :] for name in unit}
    played = [unit for unit in played if not late.intersection(unit)]
    drawn = bracket_units(at.event, at.lots, late)
    recorded = {frozenset(unit) for unit in played}
    if all(frozenset(unit) in recorded for unit in drawn if len(unit) > 1):
        return drawn
    played.sort(key=lambda unit: min(at.lots[name] for name in unit))
    return [*played, *[()] * (_games_of_a_full_round(at.event) - len(played))]


def winner_and_loser(at: RoundContext, duel: Duel, round_: int) -> Duel:
    """Return (winner, loser) of a pair in a past round; (the player present, None) where the other was absent."""
    one, other = (name if name is not None and at.was_present(name, round_) else None for name in duel)
    if one is None or other is None:
        return one or other, None
    for winner, loser in ((one, other), (other, one)):
        result = at.results[round_ - 1].get(winner)
        if result is not None and result.won:
            return winner, loser
    return None, None


def after_round(at: RoundContext, duels: Sequence[Duel], round_: int) -> tuple[list[str | None], list[str | None]]:
    """Return (the winners, the losers) of a round of the bracket, slot by slot."""
    decided = [winner_and_loser(at, duel, round_) for duel in duels]
    return [winner for winner, _ in decided], [loser for _, loser in decided]


def unbeaten_and_losers(at: RoundContext, rounds: int) -> tuple[list[str | None], list[list[str | None]]]:
    """Return the slots of the unbeaten tournament after ``rounds`` rounds, and the losers of each of these rounds."""
    slots: list[str | None] = []
    losers: list[list[str | None]] = []
    for number in range(1, rounds + 1):
        if number == 1:
            duels = [((*unit, None, None)[0], (*unit, None, None)[1]) for unit in units(at)]
        else:
            duels = paired(slots)
        slots, lost = after_round(at, duels, number)
        losers.append(lost)
    return slots, losers


def first_round(at: RoundContext) -> list[Entry]:
    entries: list[Entry] = []
    for unit in units(at):
        one, other = [name if name in at.here else None for name in (*unit, None, None)[:2]]
        entries += duel_entry(one, other, Stage.KNOCKOUT)
    return entries


def knockout_games(at: RoundContext, duels: Sequence[Duel]) -> list[Entry]:
    """Return the games of a later round among the players present."""
    entries: list[Entry] = []
    for duel in duels:
        one, other = (name if name in at.here else None for name in duel)
        entries += duel_entry(one, other, Stage.KNOCKOUT)
    return entries
