"""Check of team events (RULES.md 6.9): matches of three boards, no avoidable rematch, equal wins, the final of the
first two.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from verify.event_parsing import ParsedEvent, PlayedRound
from verify.finals_check import is_operator_changed
from verify.lots_check import TEAMS, lots
from verify.pairing_penalties import OTHER_LOTS
from verify.plain_matching import EXACT, cheapest, cheapest_of_many
from verify.pool_check import check_pool
from verify.problems import VerificationReport

#: up to this many teams a pairing must look ahead
SMALL = 6
#: bits of the lot of a match
LOT_BITS = 32


def check_team(event: ParsedEvent, report: VerificationReport) -> None:
    last = int(event.options.get("rounds") or 5)
    strangers = {name: round_.number for round_ in event.rounds for name in round_.players if name not in event.teams}
    for name, number in strangers.items():
        report.check("TEAM-1.3", False, number, (name,), f"{name} plays and is in no team")
    for round_ in () if strangers else event.rounds:
        is_valid = _check_boards(event, round_, report)
        if is_valid:
            _check_sheets(event, round_, report)
        if is_valid and round_.number < last and not is_operator_changed(event, round_.number):
            _check_draw(event, round_, report)
        if is_valid and round_.number == last:
            _check_last(event, round_, report)


def _check_boards(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> bool:
    """Check TEAM-1.1 to 1.3: a team has one opponent, and meets it on three boards."""
    opponents: dict[str, set[str]] = {}
    boards: dict[frozenset[str], int] = {}
    before = len(report.problems)
    for game in round_.games:
        one, other = (event.teams.get(name, "") for name in game.players)
        report.check("TEAM-1.2", one != other, round_.number, game.players, "both are of one team")
        opponents.setdefault(one, set()).add(other)
        opponents.setdefault(other, set()).add(one)
        key = frozenset((one, other))
        boards[key] = boards.get(key, 0) + 1
    for team, others in opponents.items():
        report.check("TEAM-1.1", len(others) == 1, round_.number, (team,), f"{team} has {len(others)} opponents")
    here = event.here(round_.number)
    missing = {team: sum(event.teams.get(name) == team for name in event.teams.keys() - here) for team in opponents}
    for key, count in boards.items():
        # a board with both players absent is not played
        empty = min(missing[team] for team in key)
        report.check(
            "TEAM-1.3", 3 - empty <= count <= 3, round_.number, tuple(sorted(key)), f"{count} boards instead of three"
        )
    return len(report.problems) == before


def _check_sheets(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> None:
    """Check TEAM-1.2: the players with the same number on the order sheets meet. TEAM-1.5: a bye is one of three
    boards.
    """
    number = str(round_.number)
    met = {frozenset(game.players) for game in round_.games}
    for both in _matches(event, round_):
        sheets = [event.orders.get((team, number)) for team in sorted(both)]
        if sheets[0] is None or sheets[1] is None:
            continue
        for pair in zip(*sheets, strict=False):
            is_valid = frozenset(pair) in met
            report.check("TEAM-1.2", is_valid, round_.number, pair, "they have the same number on the order sheets")
    free = [event.teams.get(b.player, "") for b in round_.byes]
    for team in sorted(set(free)):
        boards = free.count(team)
        report.check("TEAM-1.5", boards == 3, round_.number, (team,), f"the bye of {team} has {boards} boards")


def _matches(event: ParsedEvent, round_: PlayedRound) -> dict[frozenset[str], list[str]]:
    """Return the two teams of a match -> the winners of its boards."""
    found: dict[frozenset[str], list[str]] = {}
    for game in round_.games:
        won = found.setdefault(frozenset(event.teams[name] for name in game.players), [])
        if game.won_by is not None:
            won.append(event.teams[game.won_by])
    return found


def _check_draw(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> None:
    """Check AMB-45, TEAM-1.4: as few second byes, rematches and differences of match wins as possible, in this order.
    With six teams or fewer, or where nearly all are to meet, the differences are not judged: a pairing may have had to
    avoid a later rematch.
    """
    wins = dict.fromkeys(sorted(set(event.teams.values())), 0)
    byes = dict.fromkeys(wins, 0)
    met: set[frozenset[str]] = set()
    for past in event.rounds[: round_.number - 1]:
        for teams, won in _matches(event, past).items():
            if any(game.met for game in past.games if {event.teams[n] for n in game.players} == teams):
                met.add(teams)
            for team in teams:
                wins[team] += _winner(event, past, teams, won) == team
        for team in {event.teams[free.player] for free in past.byes}:
            wins[team] += 1
            byes[team] += 1
    pairs = [(one, other) for one, other in (sorted(teams) for teams in _matches(event, round_))]
    free = sorted({event.teams[b.player] for b in round_.byes})
    order = [*chain.from_iterable(pairs), *free]
    if len(free) > 1:
        report.check("TEAM-1.5", False, round_.number, tuple(free), "two teams have a bye")
        return
    last = int(event.options.get("rounds") or 5)
    base: int = len(order) + 2
    levels: int = round_.number

    def cost(i: int, j: int) -> int:
        dummy = j == len(order)
        gap = wins[order[i]] + 1 if dummy else abs(wins[order[i]] - wins[order[j]])
        second = int(dummy and byes[order[i]] > 0)
        allowed = event.options.get("rematches") == "allowed"
        rematch = int(not dummy and not allowed and frozenset((order[i], order[j])) in met)
        offences: int = (second * base + rematch) * base**levels
        unequal: int = base ** (gap - 1) if gap and len(order) > max(SMALL, last + 1) else 0
        return offences + unequal

    check_pool(pairs, free[0] if free else None, order, cost, round_.number, "AMB-45", report)
    if round_.number == 1 and len(order) > SMALL:
        _check_lots(event, pairs, free, report)


def _check_lots(
    event: ParsedEvent, pairs: Sequence[tuple[str, str]], free: Sequence[str], report: VerificationReport
) -> None:
    """Check that the lots alone decide round 1; later rounds are checked for the priorities above the lots."""
    drawn = lots(event, TEAMS, 1)
    if drawn is None:
        return
    here = {*chain.from_iterable(pairs), *free}
    order = [team for team in dict.fromkeys(event.teams.values()) if team in here]
    size = len(order) + len(order) % 2

    def cost(i: int, j: int) -> int:
        return drawn[j * (j - 1) // 2 + i] >> (64 - LOT_BITS)

    place = {team: index for index, team in enumerate(order)} | dict.fromkeys([None], len(order))
    met = [sorted((place[one], place[other])) for one, other in (*pairs, *((team, None) for team in free))]
    least = cheapest(size, cost) if size <= EXACT else cheapest_of_many(size, cost)[1]
    report.check("LOTS", sum(cost(i, j) for i, j in met) == least, 1, (), OTHER_LOTS)


def team_keys(event: ParsedEvent, after: int) -> dict[str, tuple[int, ...]]:
    """Return TEAM-3.1 to 3.5: match wins, individual wins, discs, captain wins, and the rank after the round before."""
    teams = list(dict.fromkeys(event.teams.values()))
    rank = dict.fromkeys(teams, 0)
    keys: dict[str, tuple[int, ...]] = dict.fromkeys(teams, (0, 0, 0, 0, 0))
    matches = dict.fromkeys(teams, 0)
    boards, discs, captains = dict(matches), dict(matches), dict(matches)
    final: dict[str, int] = {}
    for round_ in event.rounds[:after]:
        for free in round_.byes:
            team = event.teams[free.player]
            boards[team] += 1
            discs[team] += int(event.options.get("bye_discs") or 33)
            captains[team] += event.captains.get(team) == free.player
        for team in {event.teams[free.player] for free in round_.byes}:
            matches[team] += 1
        for game in (g for g in round_.games if g.winner is not None):
            for name in game.players:
                team = event.teams[name]
                discs[team] += game.discs(name)
                boards[team] += game.won_by == name
                captains[team] += game.won_by == name == event.captains.get(team)
        for both, won in _matches(event, round_).items():
            for team in both:
                matches[team] += _winner(event, round_, both, won) == team
            winner = _winner(event, round_, both, won)
            if any(g.stage == "final" and event.teams[g.black] in both for g in round_.games) and winner:
                final = {team: 2 if team == winner else 1 for team in both}
        keys = {t: (matches[t], boards[t], discs[t], captains[t], -rank[t]) for t in teams}
        places = final if event.options.get("final_decides") is not False else {}
        order = sorted(teams, key=lambda t: (places.get(t, 0), keys[t]), reverse=True)
        rank = {t: 1 + sum((places.get(o, 0), keys[o]) > (places.get(t, 0), keys[t]) for o in order) for t in order}
    return keys


def _winner(event: ParsedEvent, round_: PlayedRound, both: frozenset[str], won: list[str]) -> str | None:
    """TEAM-1.3: who has more of the boards, once all are over; nobody if each has as many."""
    boards = [game for game in round_.games if {event.teams[name] for name in game.players} == both]
    if any(game.winner is None for game in boards):
        return None
    return next((team for team in both if 2 * won.count(team) > len(won)), None)


def _check_last(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> None:
    """Check TEAM-4.1: the first two after the round before play the final, except for absent teams."""
    finals = {event.teams[name] for g in round_.games if g.stage == "final" for name in g.players}
    keys = team_keys(event, round_.number - 1)
    there = {event.teams[name] for name in round_.players}
    report.check("TEAM-4.1", len(finals) == 2, round_.number, (), f"{len(finals)} teams in the final")
    for team in sorted(finals):
        better = sorted(other for other in there - finals if keys[other] > keys[team])
        report.check("TEAM-4.1", not better, round_.number, (team,), f"{', '.join(better)} stood before {team}")
    _check_neighbours(event, round_, finals, keys, report)


def _check_neighbours(
    event: ParsedEvent,
    round_: PlayedRound,
    finals: set[str],
    keys: dict[str, tuple[int, ...]],
    report: VerificationReport,
) -> None:
    """Check TEAM-1.0: the others play for their places against their neighbours, where TEAM-3 leaves no ties."""
    free = {event.teams[b.player] for b in round_.byes}
    pairs = [both for both in _matches(event, round_) if not both & finals]
    order = sorted((team for both in pairs for team in both), key=lambda team: keys[team], reverse=True)
    if len({keys[team] for team in order}) < len(order) or is_operator_changed(event, round_.number) or free:
        return
    for one, other in zip(order[::2], order[1::2], strict=True):
        report.check("TEAM-1.0", frozenset((one, other)) in pairs, round_.number, (one, other), "neighbours meet")
