"""Rankings, implemented a second time from RULES.md: Brightwell, disc difference, M40K, M40K17.

A ranking is a key per player, where larger is better; players the rules leave equal have equal keys.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from verify.event_parsing import ParsedEvent, PlayedGame
from verify.lots_check import lots_of_entries

SCORED = ("league", "placement", "semi-final")
ALL = (*SCORED, "final", "third-place", "knockout")
Keys = dict[str, tuple[int, ...]]


def brightwell(event: ParsedEvent, after: int, stages: Iterable[str]) -> Keys:
    """Return (half points, twice the Brightwell points, discs) over the games of ``stages``: BW-1, BW-4, AMB-10."""
    wanted = set(stages)
    rounds = [r for r in event.rounds[:after] if wanted.intersection(r.stages)]
    points = dict.fromkeys(event.entries, 0)
    discs = dict.fromkeys(event.entries, 0)
    half = event.total // 2
    bye_discs = event.share(40) if event.format in ("swiss", "adjacent") else half
    for round_ in rounds:
        for game in (g for g in round_.games if g.stage in wanted):
            for name in game.players:
                points[name] += game.points(name)
                discs[name] += game.discs(name) if game.winner else 0
        for free in (b for b in round_.byes if b.stage in wanted):
            points[free.player] += 2
            discs[free.player] += int(event.options.get("bye_discs") or bye_discs)
    keys: Keys = {}
    no_shows = event.no_shows
    entered = (
        int(event.options.get("bye_discs") or bye_discs) if event.options.get("bye_brightwell") == "entered" else half
    )
    for name in event.entries:
        own, other = 0, 0
        own += (entered - half) * sum(b.player == name and b.stage in wanted for r in rounds for b in r.byes)
        for round_ in rounds:
            own_game = next((g for g in round_.games if g.stage in wanted and name in g.players), None)
            opponent = None if own_game is None else event.entries[own_game.other(name)]
            gone = (
                opponent is not None
                and opponent.withdrawn_after_round is not None
                and opponent.withdrawn_after_round < rounds[-1].number
            )
            gone = gone or (opponent is not None and opponent.id in no_shows)
            if own_game is None or opponent is None or gone:
                own, other = own + half, other + points[name]
            elif own_game.winner is not None:
                own, other = own + own_game.discs(name), other + points[opponent.id]
        keys[name] = (points[name], _twice(event, own, other, len(rounds)), discs[name])
    return keys


def _twice(event: ParsedEvent, discs: int, half_points: int, rounds: int) -> int:
    c = event.options.get("brightwell_c", 6)
    if rounds == 0:
        return 0
    if c == "modified":
        return 2 * ((4 * rounds * discs + 2 * event.total * half_points + 2 * rounds) // (4 * rounds))
    if c == "64/games":
        c = round(event.total / rounds)
    return 2 * discs + int(6 if c is None else c) * half_points


def disc_difference(event: ParsedEvent, after: int) -> Keys:
    """Return (half points, disc difference); a bye counts 40-24 (AMB-16)."""
    bye = 2 * int(event.options.get("bye_discs") or event.share(40)) - event.total
    points = dict.fromkeys(event.entries, 0)
    difference = dict.fromkeys(event.entries, 0)
    for round_ in event.rounds[:after]:
        for free in round_.byes:
            points[free.player] += 2
            difference[free.player] += bye
        for game in round_.games:
            for name in game.players:
                points[name] += game.points(name)
                difference[name] += game.discs(name) - game.discs(game.other(name))
    return {name: (points[name], difference[name]) for name in event.entries}


def league(event: ParsedEvent, after: int) -> Keys:
    """Return the order of ``swiss`` and of adjacent pairing: the tie-breaks of the event, else the usual ones."""
    stages = ("league",) if event.format == "swiss" else ALL
    named = event.options.get("tie_breaks") if event.format in ("swiss", "adjacent") else None
    if not named:
        return brightwell(event, after, stages) if event.format == "swiss" else disc_difference(event, after)
    usual = brightwell(event, after, stages)
    games = [g for r in event.rounds[:after] for g in r.games if g.stage in stages and g.winner]
    keys: Keys = {name: key[:1] for name, key in usual.items()}
    for criterion in named:
        values = _criterion(event, after, stages, criterion, usual, keys, games)
        keys = {name: (*keys[name], values[name]) for name in keys}
    return keys


def _criterion(
    event: ParsedEvent,
    after: int,
    stages: tuple[str, ...],
    criterion: str,
    usual: Keys,
    keys: Keys,
    games: list[PlayedGame],
) -> dict[str, int]:
    if criterion in ("brightwell", "discs"):
        return {name: key[1 if criterion == "brightwell" else 2] for name, key in usual.items()}
    if criterion == "lot":
        return lots_of_entries(event)
    if criterion == "opponents":  # C = 2 counts each half point of theirs twice, and C = 0 the discs alone
        with_points, without = (
            brightwell(replace(event, options={**event.options, "brightwell_c": c}), after, stages) for c in (2, 0)
        )
        return {name: (with_points[name][1] - without[name][1]) // 2 for name in event.entries}
    values = dict.fromkeys(event.entries, 0)
    if criterion == "disc_difference":
        bye = 2 * int(event.options.get("bye_discs") or event.share(40)) - event.total
        return {
            name: sum(bye for r in event.rounds[:after] for b in r.byes if b.player == name and b.stage in stages)
            + sum(g.discs(name) - g.discs(g.other(name)) for g in games if name in g.players)
            for name in event.entries
        }
    for name in event.entries:
        level = {other for other in keys if keys[other] == keys[name] and other not in event.no_shows}
        between = [g for g in games if g.met and level.issuperset(g.players)]
        if len({frozenset(g.players) for g in between}) == len(level) * (len(level) - 1) // 2:
            values[name] = sum(g.points(name) for g in between if name in g.players)
    return values


def wins(event: ParsedEvent, after: int) -> dict[str, int]:
    total = dict.fromkeys(event.entries, 0)
    for round_ in event.rounds[:after]:
        for name in [b.player for b in round_.byes] + [g.won_by for g in round_.games if g.won_by]:
            total[name] += 1
    return total


def m40k(event: ParsedEvent, after: int, lots: dict[str, int]) -> Keys:
    """Return M40K-1 to 9: wins, S_1 … S_6, lot; a bye is a win over a player with -1 wins (M40K-12)."""
    total = wins(event, after)
    beat: dict[str, list[int]] = {name: [] for name in event.entries}
    lost: dict[str, list[int]] = {name: [] for name in event.entries}
    for round_ in event.rounds[:after]:
        for free in round_.byes:
            beat[free.player].append(-1)
        for game in round_.games:
            if game.won_by is not None and game.lost_by is not None:
                beat[game.won_by].append(total[game.lost_by])
                lost[game.lost_by].append(total[game.won_by])
    keys: Keys = {}
    for name in event.entries:
        best, worst = sorted(beat[name], reverse=True), sorted(lost[name])
        sums = (sum(best[:k]) + sum(worst[:k]) for k in range(1, 7))
        keys[name] = (total[name], *sums, lots.get(name, 0))
    return keys


def m40k17(event: ParsedEvent, after: int, lots: dict[str, int]) -> Keys:
    """Return M40K17-2 to 5 with the upset rule 3x."""
    order = sorted(event.entries, key=lambda name: -lots.get(name, 0))
    total = dict.fromkeys(event.entries, 0)
    keys: Keys = {name: (0, 0, -rank) for rank, name in enumerate(order)}
    for round_ in event.rounds[:after]:
        treated = dict.fromkeys(event.entries, 0)
        for free in round_.byes:
            treated[free.player] = 1
        for game in round_.games:
            if game.won_by is not None and game.lost_by is not None:
                upset = total[game.won_by] < total[game.lost_by]
                treated[game.lost_by if upset else game.won_by] = 1
        for name in [b.player for b in round_.byes] + [g.won_by for g in round_.games if g.won_by]:
            total[name] += 1
        keys = {name: (total[name], total[name] - treated[name], -rank) for rank, name in enumerate(order)}
        order.sort(key=lambda name: keys[name], reverse=True)
    return keys


def chouchou(event: ParsedEvent, after: int) -> Keys:
    """Return CC-RANK-1 to 4: wins, sum of plus and minus, highest plus, worst minus (AMB-28); captured minus target."""
    own = int(event.options.get("target") or 10)
    target = own * (2 if event.options.get("pair_play") else 1)
    sheet: dict[str, list[int]] = {name: [] for name in event.entries}
    for game in (g for r in event.rounds[:after] for g in r.games if g.winner is not None):
        for name in game.players:
            pieces = game.black_discs if name == game.black else game.white_discs
            if pieces is None:  # a win or a loss without a game
                pieces = target if game.won_by == name else 0
            points = pieces - target
            floor = event.options.get("time_loss") == "no_minus" and game.end == "time" and game.won_by == name
            sheet[name].append(max(0, points) if floor else points)
    total = wins(event, after)
    keys: Keys = {}
    for name, points_ in sheet.items():
        worst = min([0, *points_])
        worst = -worst if event.options.get("worst_minus") == "larger" else worst
        keys[name] = (2 * total[name], sum(points_), max([0, *points_]), worst)
    return keys
