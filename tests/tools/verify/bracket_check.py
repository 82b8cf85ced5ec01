"""Check of the knock-outs of M40F17 (17 to 32 players) and M40F13 (13 to 16): who must meet whom in every round.

The bracket is replayed from the lots and the results, slot by slot. A player who meets an empty slot advances with a
bye; an absent player leaves his slot empty. Without lots the bracket is unknown, and only rules independent of the lots
are checked.
"""

from __future__ import annotations

from collections.abc import Sequence

from verify.event_parsing import ParsedEvent
from verify.problems import VerificationReport

Slot = str | None
Duel = tuple[Slot, Slot]
Block = tuple[str, ...]
#: games of the first round of a full bracket, and the rounds of the unbeaten tournament
SIZE = {"m40-17-32": (16, 4), "m40-13-16": (8, 3)}


def check_brackets(event: ParsedEvent, lots: dict[str, int] | None, report: VerificationReport) -> None:
    _check_unbeaten(event, report)
    blocks = _blocks(event, lots)
    if blocks is None:
        return
    for block in blocks:
        is_valid = not block or frozenset(block) in _played(event, 1, None)
        report.check("AMB-22", is_valid, 1, block, "the lots put these together in the bracket")
    wanted = (_duels_17_to_32 if event.format == "m40-17-32" else _duels_13_to_16)(event, blocks)
    for number, duels in wanted.items():
        if number <= len(event.rounds):
            _check_round(event, number, duels, report)


def repechage_winners(event: ParsedEvent, lots: dict[str, int] | None) -> set[str] | None:
    """Return the players with a seat in the semi-finals by their results (M40F13-2); None if the bracket is unknown."""
    blocks = _blocks(event, lots)
    if blocks is None:
        return None
    _, finalists, _ = _unbeaten(event, blocks)
    winners, _ = _decide(event, _duels_13_to_16(event, blocks)[4][-2:], 4)
    return {name for name in (*finalists, *winners) if name is not None}


def due_in_finals(event: ParsedEvent, lots: dict[str, int] | None) -> tuple[list[str], list[str]]:
    """Return who was due in the final and in the 3rd-place game of 17 to 32 players, present or not."""
    blocks = _blocks(event, lots)
    if blocks is None or len(event.rounds) < 6:
        return [], []
    final, third = ([name for name in duel if name is not None] for duel in _duels_17_to_32(event, blocks)[6])
    return final, third


def _played(event: ParsedEvent, number: int, stages: Sequence[str] | None) -> set[frozenset[str]]:
    """Return the pairs of a round, and who had a bye, as sets of names."""
    round_ = event.rounds[number - 1]
    games = {frozenset(g.players) for g in round_.games if stages is None or g.stage in stages}
    return games | {frozenset((b.player,)) for b in round_.byes if stages is None or b.stage in stages}


def halved(count: int, parts: int) -> list[int]:
    if parts == 1:
        return [count]
    return halved(count - count // 2, parts // 2) + halved(count // 2, parts // 2)


def _blocks(event: ParsedEvent, lots: dict[str, int] | None) -> list[Block] | None:
    """Return the first round as it stands in the bracket (AMB-22): in the order of lots. None where it is unknown:
    without lots, if the operator changed the first round, or if somebody kept a place without coming (AMB-44).
    """
    options = event.options
    has_constraints = any(
        options.get(name, {}).get(key) for name in ("locked", "forbidden", "byes") for key in ("*", "1")
    )
    if lots is None or not event.rounds or has_constraints or event.kept_apart(1):
        return None
    first = event.rounds[0]
    entered = list(event.entries)
    units = [g.players for g in first.games] + [(b.player,) for b in first.byes]
    units.sort(key=lambda unit: min(map(entered.index, unit)))
    # units beyond the size of a full bracket are late entries
    order = sorted((name for unit in units[: SIZE[event.format][0]] for name in unit), key=lots.__getitem__)
    if options.get("seed_places") != "lots":
        order = _with_seeds(event, order)
    blocks: list[Block] = []
    at = 0
    for size in halved(len(order), SIZE[event.format][0]):
        blocks.append(tuple(order[at : at + size]))
        at += size
    drawn = all(frozenset(block) in _played(event, 1, None) for block in blocks if block)
    return blocks if drawn or not any(e.withdrawn_after_round == 0 for e in event.entries.values()) else None


def _with_seeds(event: ParsedEvent, order: list[str]) -> list[str]:
    """Return the order with seeds 1 to 4 in the four quarters, 1 and 2 in different halves; moved to the last places of
    quarters if not.
    """
    seeds = {e.seed: e.id for e in event.entries.values() if e.seed in (1, 2, 3, 4) and e.id in order}
    sizes = halved(len(order), 4)
    ends = [sum(sizes[: part + 1]) for part in range(4)]
    quarter = {seed: next(q for q in range(4) if order.index(name) < ends[q]) for seed, name in seeds.items()}
    apart = len(set(quarter.values())) == len(quarter)
    if apart and not (1 in quarter and 2 in quarter and quarter[1] // 2 == quarter[2] // 2):
        return order
    last = {3: ends[0], 2: ends[1], 4: ends[2], 1: ends[3]}
    moved = [name for name in order if name not in seeds.values()]
    for seed in (3, 2, 4, 1):
        if seed in seeds:
            moved.insert(last[seed] - 1, seeds[seed])
    return moved


def _pairs(slots: Sequence[Slot]) -> list[Duel]:
    return list(zip(slots[::2], slots[1::2], strict=True))


def _decide(event: ParsedEvent, duels: Sequence[Duel], number: int) -> tuple[list[Slot], list[Slot]]:
    """Return (who advances, who lost) of every duel of a round."""
    if number > len(event.rounds):
        return [None] * len(duels), [None] * len(duels)
    here = event.here(number)
    games = event.rounds[number - 1].games
    beaten = {g.lost_by for g in games}
    missed = {n for g in games if g.double_forfeit for n in g.players}
    winners: list[Slot] = []
    losers: list[Slot] = []
    for duel in duels:
        there = [name for name in duel if name in here]
        loser = next((name for name in there if name in beaten), None) if len(there) == 2 else None
        if len(there) == 2 and missed.issuperset(there):
            there = []
        losers.append(loser)
        winners.append(next((name for name in there if name != loser), None))
    return winners, losers


def _unbeaten(
    event: ParsedEvent, blocks: Sequence[Block]
) -> tuple[dict[int, list[Duel]], list[Slot], list[list[Slot]]]:
    """Return (the duels of the unbeaten tournament by round, the two who remain, the losers of each round)."""
    duels: list[Duel] = [((*block, None, None)[0], (*block, None, None)[1]) for block in blocks]
    wanted: dict[int, list[Duel]] = {}
    lost: list[list[Slot]] = []
    slots: list[Slot] = []
    for number in range(1, SIZE[event.format][1] + 1):
        wanted[number] = duels
        slots, losers = _decide(event, duels, number)
        lost.append(losers)
        duels = _pairs(slots)
    return wanted, slots, lost


def _duels_17_to_32(event: ParsedEvent, blocks: Sequence[Block]) -> dict[int, list[Duel]]:
    """Return the duels of M40F17-2 to 6 and 8: the 3rd-place tournament begins with the round-3 losers of the same
    half.
    """
    wanted, finalists, lost = _unbeaten(event, blocks)
    fourth = _pairs(lost[2])
    survivors, _ = _decide(event, fourth, 4)
    fifth = [*_pairs(lost[3]), *_pairs(survivors)]
    third, _ = _decide(event, fifth, 5)
    wanted[4] = [*wanted[4], *fourth]
    wanted[5] = [*_waiting(event, finalists), *fifth]
    wanted[6] = [*_pairs(finalists), *_pairs(third)]
    return wanted


def _duels_13_to_16(event: ParsedEvent, blocks: Sequence[Block]) -> dict[int, list[Duel]]:
    """Return the duels of M40F13-1, M40F17-8: in round 4 a round-3 loser meets the survivor of the other half. The
    semi-finals and finals are checked separately.
    """
    wanted, finalists, lost = _unbeaten(event, blocks)
    third = _pairs(lost[1])
    (first, second), _ = _decide(event, third, 3)
    wanted[3] = [*wanted[3], *third]
    wanted[4] = [*_waiting(event, finalists), (lost[2][0], second), (lost[2][1], first)]
    return wanted


def _waiting(event: ParsedEvent, names: Sequence[Slot]) -> list[Duel]:
    """Return the duels of AMB-23: the round in which the unbeaten wait is recorded as a bye, unless the option says it
    is not recorded.
    """
    return [] if event.options.get("waiting") == "nothing" else [(name, None) for name in names]


def _check_round(event: ParsedEvent, number: int, duels: Sequence[Duel], report: VerificationReport) -> None:
    rule = "M40F17-2" if event.format == "m40-17-32" else "M40F13-1"
    if event.format == "m40-17-32" and number >= 4:
        rule = "M40F17-8"
    here = event.here(number)
    wanted = {frozenset(name for name in duel if name is not None and name in here) for duel in duels}
    wanted.discard(frozenset())
    played = _played(event, number, ("knockout",) if number < 6 else ("final", "third-place"))
    for names in wanted.symmetric_difference(played):
        pair = tuple(sorted(names))
        text = "the bracket puts these together" if names in wanted else "the bracket has no such game"
        report.check(rule, False, number, pair, f"{text}: {' - '.join(pair)}")
    report.check(rule, True, number, (), "")


def _check_unbeaten(event: ParsedEvent, report: VerificationReport) -> None:
    """Check that the unbeaten meet the unbeaten in the knock-out, whatever the bracket."""
    out: set[str] = set()
    for round_ in event.rounds[: SIZE[event.format][1]]:
        for game in (g for g in round_.games if g.stage == "knockout"):
            mixed = len(out.intersection(game.players)) == 1
            report.check("M40F17-2", not mixed, round_.number, game.players, "an unbeaten player meets a beaten one")
        won = {g.won_by for g in round_.games} | {b.player for b in round_.byes}
        out = {name for name in event.entries if name in out or name not in won}
