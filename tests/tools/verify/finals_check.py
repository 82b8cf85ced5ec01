"""Check of semi-finals, finals and the additions of M43: M43F-04 to M43F-11.

Where the rules leave players equal, any order of them is accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations

from verify.event_parsing import ParsedEvent, PlayedRound, round_history
from verify.pairing_penalties import check_penalties
from verify.pool_check import check_pool, neighbour_cost
from verify.problems import VerificationReport
from verify.ranking_check import SCORED, Keys, brightwell

LEAGUE_ROUNDS = 6


def check_semi_finals(
    event: ParsedEvent, round_: PlayedRound, keys: Keys, rule: str, report: VerificationReport
) -> None:
    """Check 1st v 4th and 2nd v 3rd of those present."""
    games = [g.players for g in round_.games if g.stage == "semi-final"]
    byes = [(b.player,) for b in round_.byes if b.stage == "semi-final"]
    if not games and not byes:
        return
    here = event.here(round_.number)
    four = [name for names in (*games, *byes) for name in names]
    count = min(4, len(here))
    is_valid = len(games) + len(byes) == 2 and len(four) == count
    report.check(rule, is_valid, round_.number, (), f"{len(games)} semi-finals, {len(four)} players in them")
    # players who sit out the semi-finals are ranked like all others, if they have ever played
    known = {name for r in event.rounds[: round_.number - 1] for name in r.players}
    others = [keys[name] for name in event.entries if name in here and name in known and name not in four]
    for name in four:
        is_valid = all(keys[name] >= key for key in others)
        report.check(rule, is_valid, round_.number, (name,), f"{name} is not among the first four")
    pairs = {frozenset(names) for names in (*games, *byes)}
    fits = any(
        all(keys[a] >= keys[b] for a, b in pairwise(order))
        and pairs == {frozenset((order[0], *order[3:])), frozenset(order[1:3])}
        for order in permutations(four)
    )
    report.check(rule, fits, round_.number, tuple(four), "the semi-finals are not 1 v 4 and 2 v 3")


def check_lone_final(
    event: ParsedEvent, round_: PlayedRound, keys: Keys, rule: str, report: VerificationReport
) -> None:
    """Check finals ``1-2``: the first two of those present play the final."""
    if any("semi-final" in r.stages for r in event.rounds):
        return
    known = {name for r in event.rounds[: round_.number - 1] for name in r.players} & event.here(round_.number)
    for game in (g for g in round_.games if g.stage == "final"):
        is_valid = all(keys[name] >= keys[other] for name in game.players for other in known.difference(game.players))
        report.check(rule, is_valid, round_.number, game.players, "the final is not of the first two")


def check_unbeaten_semi_finals(
    event: ParsedEvent, round_: PlayedRound, keys: Keys, rule: str, report: VerificationReport
) -> None:
    """Check M40F13-3, M40F9-4: never two without a loss, no rematch, then 1st v 4th and 2nd v 3rd of the four."""
    games = [g.players for g in round_.games if g.stage == "semi-final"]
    if len(games) != 2:
        return
    earlier = [g for r in event.rounds[: round_.number - 1] for g in r.games]
    beaten = {g.lost_by for g in earlier} | {n for g in earlier if g.double_forfeit for n in g.players}
    met = round_history(event, round_.number).met
    a, b, c, d = sorted((n for pair in games for n in pair), key=lambda name: keys[name], reverse=True)

    def offences(pairs: Sequence[tuple[str, str]], place: int) -> tuple[int, int, int]:
        both = sum(not beaten.intersection(pair) for pair in pairs)
        return both, sum(frozenset(pair) in met for pair in pairs), place

    readings = (((a, d), (b, c)), ((a, c), (b, d)), ((a, b), (c, d)))
    costs = {
        frozenset(frozenset(pair) for pair in pairs): offences(pairs, min(index, 1))
        for index, pairs in enumerate(readings)
    }
    played = costs[frozenset(frozenset(pair) for pair in games)]
    is_valid = played == min(costs.values())
    report.check(rule, is_valid, round_.number, (a, b, c, d), "another arrangement of the four goes before")


def check_final_pairs(event: ParsedEvent, rule: str, report: VerificationReport) -> None:
    """Check that the winners of the semi-finals play the final, and the losers the 3rd-place game."""
    semi = [g for r in event.rounds for g in r.games if g.stage == "semi-final"]
    byes = {b.player for r in event.rounds for b in r.byes if b.stage == "semi-final"}
    if len(semi) + len(byes) != 2:
        return
    wanted = {"final": {g.won_by for g in semi} | byes, "third-place": {g.lost_by for g in semi}}
    for round_ in event.rounds:
        for game in (g for g in round_.games if g.stage in wanted):
            is_valid = set(game.players) == wanted[game.stage]
            report.check(rule, is_valid, round_.number, game.players, f"the {game.stage} is not of the right players")


def check_m43_open(event: ParsedEvent, report: VerificationReport) -> None:
    for round_ in event.rounds:
        stages = {g.stage for g in round_.games} | {b.stage for b in round_.byes}
        allowed = (
            {"league"} if round_.number <= LEAGUE_ROUNDS
            else {"semi-final", "placement"} if round_.number == LEAGUE_ROUNDS + 1
            else {"final", "third-place", "womens-final"}
        )  # fmt: skip
        is_valid = stages <= allowed and round_.number <= LEAGUE_ROUNDS + 2
        report.check(
            "M43F-02", is_valid, round_.number, (), f"stages {', '.join(sorted(stages))} in round {round_.number}"
        )
        if round_.number <= LEAGUE_ROUNDS + 1:
            _check_league_round(event, round_, report)
    if len(event.rounds) > LEAGUE_ROUNDS:
        check_semi_finals(event, event.rounds[LEAGUE_ROUNDS], _keys(event, LEAGUE_ROUNDS), "M43F-07", report)
    check_final_pairs(event, "M43F-08", report)
    if len(event.rounds) > LEAGUE_ROUNDS + 1:
        _check_women(event, report)


def _keys(event: ParsedEvent, after: int) -> Keys:
    return {name: key[:2] for name, key in brightwell(event, after, SCORED).items()}


def _check_league_round(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> None:
    number = round_.number
    leaders: set[str] = set()
    if number == 1:
        seeds = [n for n, e in event.entries.items() if e.seed is not None]
        for game in round_.games:
            apart = not set(game.players) <= set(seeds) or 2 * len(seeds) > len(round_.players)
            report.check("M43F-04", apart, number, game.players, "seeds meet in round 1")
    for game in (g for g in round_.games if number != LEAGUE_ROUNDS):
        report.check("M43F-06", game.end != "not-played", number, game.players, "only round 6 leaves games unplayed")
    if number == LEAGUE_ROUNDS:
        leaders = _check_leads(event, round_, report)
    before = round_history(event, number, ("league", "placement"))
    stage = "league" if number <= LEAGUE_ROUNDS else "placement"
    byes = [b.player for b in round_.byes if b.stage == stage and b.player not in leaders]
    pool = [n for g in round_.games if g.stage == stage for n in g.players] + byes
    if is_operator_changed(event, number) or not pool:
        return
    claims = {name: (before.byes[name], before.points[name]) for name in pool}
    lowest = min(claims.values())
    by_rank = stage == "placement" and event.options.get("placement_pairing") == "neighbours"
    free = by_rank or event.options.get("odd_bye") == "penalty"
    for name in byes:
        is_valid = claims[name] == lowest or free
        report.check("AMB-15", is_valid, number, (name,), f"the bye of {name} belongs to a player of the lowest score")
    report.check("AMB-15", len(byes) <= 1, number, tuple(byes), f"{len(byes)} byes")
    if by_rank:
        keys = brightwell(event, number - 1, SCORED)
        order = sorted(pool, key=lambda name: keys[name][:2], reverse=True)
        pairs = [g.players for g in round_.games if g.stage == stage]
        ranked = len({keys[name][:2] for name in pool}) == len(pool)
        cost, digit = neighbour_cost(event, number, order, ranked)
        check_pool(pairs, byes[0] if byes else None, order, cost, number, "AMB-12", report, digit)
        return
    banned = [name for name in pool if claims[name] != lowest and not free]
    check_penalties(event, round_, byes[0] if byes else None, banned, report)


def _check_leads(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> set[str]:
    """Check M43F-05 and M43F-06; return who has a bye for his lead."""
    here = event.here(LEAGUE_ROUNDS)
    points = round_history(event, LEAGUE_ROUNDS, ("league",)).points
    order = sorted((points[name] for name in here), reverse=True)
    fifth = order[4] if len(order) > 4 else max(order, default=0)
    leaders = {name for name in here if points[name] - fifth >= 3}
    byes = {b.player for b in round_.byes}
    for name in sorted(leaders):
        report.check("M43F-05", name in byes, LEAGUE_ROUNDS, (name,), f"{name} leads by 1.5 and has no bye")
    for game in round_.games:
        pointless = all(points[name] - fifth == 2 for name in game.players) and len(order) > 4
        unplayed = game.end == "not-played"
        text = "both lead by exactly 1.0, so it is not played" if pointless else "it must be played"
        is_valid = pointless == unplayed and (not unplayed or game.winner == "draw")
        report.check("M43F-06", is_valid, LEAGUE_ROUNDS, game.players, text)
    return leaders & byes


def _check_women(event: ParsedEvent, report: VerificationReport) -> None:
    number = LEAGUE_ROUNDS + 2
    keys = _keys(event, LEAGUE_ROUNDS + 1)
    here = event.here(number)
    women = [n for n, e in event.entries.items() if e.sex == "F" and n in here]
    semi = {n for g in event.rounds[LEAGUE_ROUNDS].games if g.stage == "semi-final" for n in g.players}
    games = [g for g in event.rounds[number - 1].games if g.stage == "womens-final"]
    wanted = len(women) >= 2 and not semi.intersection(n for n, e in event.entries.items() if e.sex == "F")
    if semi.intersection(women) or not wanted:
        report.check("M43F-11", not games or wanted, number, (), "a women's final though a woman is in the semi-finals")
        return
    report.check("M43F-10", len(games) == 1, number, (), "the women's final is missing")
    for game in games:
        others = [keys[name] for name in women if name not in game.players]
        is_valid = all(keys[name] >= key for name in game.players for key in others)
        report.check("M43F-10", is_valid, number, game.players, "not the two best placed women")


def is_operator_changed(event: ParsedEvent, round_: int) -> bool:
    """Return whether the operator changed this round; then only the operator's constraints are checked."""
    names: Sequence[str] = ("locked", "forbidden", "byes", "colours")
    is_changed = any(event.options.get(name, {}).get(key) for name in names for key in ("*", str(round_)))
    return is_changed or bool(event.kept_apart(round_))
