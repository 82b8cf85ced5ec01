"""Check of round robin and knock-out: who must meet by the table or the bracket, and how they are ranked.

The players of round 1 form the table or the bracket. A game that one player missed is a forfeit in a round robin and a
bye in a knock-out.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from verify.event_parsing import ParsedEvent, PlayedRound
from verify.finals_check import is_operator_changed
from verify.lots_check import BRACKET, lots, shuffled
from verify.pairing_penalties import OTHER_LOTS
from verify.problems import VerificationReport
from verify.ranking_check import Keys


def check_round_robin(event: ParsedEvent, report: VerificationReport) -> None:
    """Check that every round is one of the Berger table not played yet, and that at the end everybody has met
    everybody.
    """
    if not event.rounds:
        return
    table = _table(event)
    length = len(table) - 1 + len(table) % 2
    cycles = int(event.options.get("cycles") or 1)
    left: list[int] = []
    for round_ in event.rounds:
        cycle = (round_.number - 1) // length
        left = list(range(length)) if (round_.number - 1) % length == 0 else left
        played = {frozenset(g.players) for g in round_.games}
        fitting = [turn for turn in left if _fits(event, round_, played, _berger(table, turn))]
        is_valid = bool(fitting) and cycle < cycles
        report.check("RR-2", is_valid, round_.number, (), "these games are no unplayed round of the Berger table")
        idle = tuple(sorted(set(table) - set(round_.players)))
        report.check("RR-2", not idle, round_.number, idle, "they have neither a game nor a rest")
        if is_valid:
            left.remove(fitting[0])
            if not event.options.get("colours"):
                first = _berger(table, fitting[0])
                wrong = [g.players for g in round_.games if (first[frozenset(g.players)] == g.black) == bool(cycle % 2)]
                for pair in wrong:
                    report.check("RR-3", False, round_.number, pair, "the colours are not those of the table")
                report.check("RR-3", True, round_.number, (), "")
    if len(event.rounds) >= length * cycles:
        _check_everybody_met(event, table, cycles, report)


def _table(event: ParsedEvent) -> list[str]:
    """Return the table's order: by ``lot`` if everybody in round 1 has one, else in the order of the file."""
    first = set(event.rounds[0].players)
    names = [name for name in event.entries if name in first]
    lots = {name: lot for name in names if (lot := event.entries[name].lot) is not None}
    return sorted(lots, key=lots.__getitem__) if len(lots) == len(names) else names


def _berger(table: list[str], turn: int) -> dict[frozenset[str], str]:
    """Return pair -> who has Black in round ``turn`` (from 0): the last number stays, the others turn by half a
    circle.
    """
    seats: list[str | None] = [*table, *[None] * (len(table) % 2)]
    size = len(seats)
    circle = seats[:-1]
    for _ in range(turn):
        half = size // 2
        circle = circle[half:] + circle[:half]
    pairs = [(seats[-1], circle[0]) if turn % 2 else (circle[0], seats[-1])]
    pairs += [(circle[step], circle[-step]) for step in range(1, size // 2)]
    return {frozenset((one, other)): one for one, other in pairs if one is not None and other is not None}


def _fits(
    event: ParsedEvent, round_: PlayedRound, played: set[frozenset[str]], turn: Mapping[frozenset[str], str]
) -> bool:
    """Return whether every game of the table's round was played or forfeited, except those whose two players were both
    absent.
    """
    here = event.here(round_.number)
    return played <= turn.keys() and all(pair in played or not here.intersection(pair) for pair in turn)


def _check_everybody_met(event: ParsedEvent, table: list[str], cycles: int, report: VerificationReport) -> None:
    always = set(table).intersection(*(event.here(r.number) for r in event.rounds))
    games = [frozenset(g.players) for r in event.rounds for g in r.games]
    for one, other in combinations(sorted(always), 2):
        times = games.count(frozenset((one, other)))
        report.check("RR-1", times == cycles, 0, (one, other), f"they met {times} times instead of {cycles}")


def round_robin_keys(event: ParsedEvent, after: int) -> Keys:
    """Return (half points, discs); a rest counts nothing."""
    points = dict.fromkeys(event.entries, 0)
    discs = dict.fromkeys(event.entries, 0)
    for game in (g for r in event.rounds[:after] for g in r.games if g.winner is not None):
        for name in game.players:
            points[name] += game.points(name)
            discs[name] += game.discs(name)
    return {name: (points[name], discs[name]) for name in event.entries}


def check_knockout(event: ParsedEvent, report: VerificationReport) -> None:
    """Check that every player who won, or had a bye, plays on, and every loser is out, except for the 3rd place."""
    if not event.rounds:
        return
    field = set(event.rounds[0].players)
    size = 1 << (len(field) - 1).bit_length()
    inside = field
    tree: list[frozenset[str]] = []
    for round_ in event.rounds:
        number = round_.number
        places = size >> number
        games = [g for g in round_.games if g.stage != "third-place"]
        byes = [b.player for b in round_.byes]
        playing = {n for g in games for n in g.players} | set(byes)
        due = inside & event.here(number)
        walkovers = {n for g in games if g.end in ("forfeit", "late") for n in g.players}
        for name in sorted(playing - inside):
            report.check("KO-1", False, number, (name,), f"{name} has lost, or never was in the bracket")
        for name in sorted(due - playing):
            report.check("KO-1", False, number, (name,), f"{name} is unbeaten and has no game")
        report.check("KO-1", places > 0, number, (), "the final has been played")
        if number == 1:
            is_valid = len(byes) == size - len(field)
            report.check("KO-2", is_valid, 1, tuple(byes), f"{len(byes)} byes; the bracket has {size - len(field)}")
            _check_seeded_byes(event, byes, report)
            _check_drawn(event, size, report)
        else:
            empty = 2 * places - len(inside & event.here(number) | (walkovers & inside))
            report.check("KO-2", len(byes) <= empty, number, tuple(byes), "a bye though nobody is missing")
        _check_seeds_apart(event, round_, size, report)
        wanted = {1: "final", 2: "semi-final"}.get(places, "knockout")
        for game in games:
            report.check("KO-3", game.stage == wanted, number, game.players, f"stage {game.stage}, not {wanted}")
        _check_third_place(event, round_, places, report)
        tree = _checked_tree(event, round_, places, tree, report)
        inside = {g.won_by for g in games if g.won_by is not None} | set(byes)


def _checked_tree(
    event: ParsedEvent, round_: PlayedRound, places: int, tree: list[frozenset[str]], report: VerificationReport
) -> list[frozenset[str]]:
    """Return the players below every place of the bracket. A round without byes gives the order of the places, as the
    file lists its games; from then on the winners of adjacent places meet.
    """
    units = [frozenset(g.players) for g in round_.games if g.stage != "third-place"]
    if not tree:
        return units if len(units) == places else []
    merged = [tree[i] | tree[i + 1] for i in range(0, len(tree) - 1, 2)]
    for unit in units:
        is_valid = any(unit <= names for names in merged) or is_operator_changed(event, round_.number)
        report.check("KO-6", is_valid, round_.number, tuple(sorted(unit)), "not the winners of neighbouring games")
    return merged


def _check_seeded_byes(event: ParsedEvent, byes: list[str], report: VerificationReport) -> None:
    """Check that the best seeds have the byes of round 1."""
    if is_operator_changed(event, 1):
        return
    field = event.rounds[0].players
    seeds = sorted((e.seed, e.id) for e in event.entries.values() if e.seed is not None and e.id in field)
    for _, name in seeds[: len(byes)]:
        report.check("KO-2", name in byes, 1, (name,), f"seed {name} has no bye, and others have")


def _check_drawn(event: ParsedEvent, size: int, report: VerificationReport) -> None:
    """Check that the seeds in their order, then the others as the recorded seed draws them, have the places of the
    bracket.
    """
    drawn, first = lots(event, BRACKET), event.rounds[0]
    if drawn is None or is_operator_changed(event, 1):
        return
    field = [event.entries[name] for name in event.entries if name in first.players]
    order = [e.id for e in sorted((e for e in field if e.seed is not None), key=lambda e: e.seed or 0)]
    order += shuffled(drawn, [e.id for e in field if e.seed is None])
    places = [1]
    while len(places) < size:
        places = [seed for one in places for seed in (one, 2 * len(places) + 1 - one)]
    slots = [order[seed - 1 : seed] for seed in places]
    wanted = {frozenset(one + other) for one, other in zip(slots[::2], slots[1::2], strict=True)}
    met = {frozenset(g.players) for g in first.games} | {frozenset((b.player,)) for b in first.byes}
    report.check("LOTS", size < 2 or met == wanted, 1, (), OTHER_LOTS)


def _check_seeds_apart(event: ParsedEvent, round_: PlayedRound, size: int, report: VerificationReport) -> None:
    """Check that the first 2, 4, 8 … seeds are in different halves, quarters, eighths."""
    if any(is_operator_changed(event, r.number) for r in event.rounds):
        return
    field = event.rounds[0].players
    order = sorted(e.seed for e in event.entries.values() if e.seed is not None and e.id in field)
    for game in round_.games:
        ranks = [event.entries[name].seed for name in game.players]
        if game.stage == "third-place" or any(seed is None for seed in ranks):
            continue
        worst = max(order.index(seed) for seed in ranks if seed is not None) + 1
        section = 1 << (worst - 1).bit_length()
        is_valid = size >> round_.number <= max(1, section // 2)
        report.check("KO-4", is_valid, round_.number, game.players, "two seeds meet earlier than the bracket lets them")


def _check_third_place(event: ParsedEvent, round_: PlayedRound, places: int, report: VerificationReport) -> None:
    for game in (g for g in round_.games if g.stage == "third-place"):
        semi = event.rounds[round_.number - 2].games if round_.number > 1 else ()
        is_valid = places == 1 and set(game.players) <= {g.lost_by for g in semi}
        report.check(
            "KO-5", is_valid, round_.number, game.players, "the 3rd place is for the losers of the semi-finals"
        )


def knockout_keys(event: ParsedEvent, after: int) -> Keys:
    """Return how far each player came: the last round he won or lost in; the winner of a 3rd-place game ranks above its
    loser, the winner of a round above its losers.
    """
    reached = dict.fromkeys(event.entries, 0)
    for round_ in event.rounds[:after]:
        for free in round_.byes:
            reached[free.player] = 4 * round_.number + 2
        for game in (g for g in round_.games if g.double_forfeit):
            before = {g.won_by for r in event.rounds[: round_.number - 1] for g in r.games}
            reached |= {name: 0 for name in game.players if name not in before}
            if game.stage == "semi-final":  # AMB-49: the last place of the semi-finals
                reached |= {name: 4 * round_.number - 3 for name in game.players if name in before}
        for game in (g for g in round_.games if g.won_by is not None):
            if game.stage == "third-place":
                reached[game.won_by or ""] += 1
            else:
                reached[game.won_by or ""] = 4 * round_.number + 2
                reached[game.lost_by or ""] = 4 * round_.number
    # out in round r, or waiting after it: losers of a round rank below players who won the round before and left
    return {name: (_level(value),) for name, value in reached.items()}


def _level(value: int) -> int:
    """Return the level of a value. 4r + 2: won round r. 4r: lost in it, which equals having won round r - 1. 4r - 3:
    below both."""
    return value if value % 4 >= 2 or value == 0 else value - 2
