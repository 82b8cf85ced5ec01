"""M40: lots, leagues, who leaves when, pools, brackets (RULES.md 6.3 to 6.7).

The law: lots come from the file or from its ballots; without either, only what no lot decides is checked.
"""

from __future__ import annotations

from kiosk.verify.finals import check_final_pairs, check_unbeaten_semi_finals, wished
from kiosk.verify.pools import check_pool, groups, othello_cost
from kiosk.verify.problems import Report
from kiosk.verify.ranks import Keys, m40k, m40k17, wins
from kiosk.verify.reading import Held, PlayedRound

SEMI_FINAL_ROUND = {"m40-open": 7, "m40-33-64": 5}
#: M40P9-2: byes from the top in rounds 1, 2, 3
TOP_BYES = {9: (1, 1, 1), 10: (2, 2, 0), 11: (1, 0, 0), 12: (0, 0, 0)}


def lots_of(held: Held) -> dict[str, int] | None:
    """The lots in the file; for the open division else from the three ballots (M40L-1 to 5); None if unknown."""
    entries = list(held.entries.values())
    if all(e.lot is not None for e in entries if not e.absent):
        return {e.id: e.lot or 0 for e in entries}
    ballots = held.options.get("lot_ballots")
    if held.format != "m40-open" or not ballots or any(e.lot is not None for e in entries):
        return None
    x = int("".join(ballots)) % 2**23
    numbers = {}
    for entry in entries:
        x = (65793 * x + 4282663) % 2**23
        numbers[entry.id] = x
    lots = {name: lot for lot, name in enumerate(sorted(numbers, key=numbers.__getitem__), start=11)}
    return lots | {e.id: e.seed for e in entries if e.seed is not None}


def check_m40(held: Held, report: Report) -> None:
    lots = lots_of(held)
    leagues = _leagues(held, lots) if held.format in SEMI_FINAL_ROUND and lots else {}
    for round_ in held.rounds:
        if leagues:
            _check_course(held, round_, leagues, report)
        if not wished(held, round_.number):
            _check_pools(held, round_, lots, report)
    if leagues:
        _check_semi_finals(held, leagues, report)
    if held.format in ("m40-13-16", "m40-9-12") and len(held.rounds) > 4 and lots:
        wide = held.format == "m40-9-12"
        keys = (m40k if wide else m40k17)(held, 4, lots)
        rule = "M40F9-4" if wide else "M40F13-3"
        check_unbeaten_semi_finals(held, held.rounds[4], keys, rule, report)
    if held.format in ("m40-17-32", "m40-13-16"):
        _check_unbeaten(held, report)
    if held.format != "m40-open":
        check_final_pairs(held, "M40F33-3", report)
    else:
        check_final_pairs(held, "M40F-3", report)


def _leagues(held: Held, lots: dict[str, int]) -> dict[str, list[str]]:
    """M40G-1 to 3 for those of the first round."""
    first = set(held.rounds[0].players) if held.rounds else set()
    written = {n: held.entries[n].league for n in first}
    if first and all(written.values()):
        return {letter: [n for n in first if written[n] == letter] for letter in "ABCD"}
    leagues: dict[str, list[str]] = {letter: [] for letter in "ABCD"}
    for index, name in enumerate(sorted(first, key=lots.__getitem__)):
        leagues["ABCD"[index % 4]].append(name)
    for to, giver in (("A", "B"), ("C", "D")):
        if len(leagues[to]) % 2 and len(leagues[giver]) % 2:
            leagues[to].append(leagues[giver].pop())
    return leagues


def _state(held: Held, members: list[str], before: int) -> tuple[list[str], bool]:
    """(who is unbeaten before a round, whether those with a loss have left the league): M40F-1, M40F-2."""
    unbeaten = [n for n in members if (held.entries[n].left or 99) >= 1]
    left = False
    for round_ in held.rounds[: before - 1]:
        won = {b.player for b in round_.byes} | {g.won_by for g in round_.games}
        unbeaten = [n for n in unbeaten if n in won and (held.entries[n].left or 99) > round_.number]
        left = left or len(unbeaten) & (len(unbeaten) - 1) == 0
    return unbeaten, left


def _check_course(held: Held, round_: PlayedRound, leagues: dict[str, list[str]], report: Report) -> None:
    number = round_.number
    if number >= SEMI_FINAL_ROUND[held.format]:
        return
    playing = {(g.stage, g.league): set[str]() for g in round_.games}
    for (stage, league), (pairs, byes) in groups(round_).items():
        playing[stage, league] = {n for pair in pairs for n in pair} | set(byes)
    for letter, members in leagues.items():
        in_league = playing.get(("league", letter), set())
        unbeaten, left = _state(held, members, number)
        here = held.here(number)
        wanted = {n for n in (unbeaten if left else members) if n in here and n in round_.players}
        if number == 1:
            wanted = set(members)
        rule = "M40G-1" if number == 1 else "M40F-2"
        wrong = tuple(sorted(in_league.symmetric_difference(wanted)))
        known = {n for names in leagues.values() for n in names}
        wrong = tuple(name for name in wrong if name in known)  # late entries are not told apart
        report.check(rule, not wrong, number, wrong, f"league {letter} is not of those who belong to it")
        if len(wanted) == 1 and number > 1:
            alone = {b.player for b in round_.byes if b.league == letter and b.stage == "league"}
            report.check("M40P-4", alone == wanted, number, tuple(wanted), "the only unbeaten player has a bye")


def _check_pools(held: Held, round_: PlayedRound, lots: dict[str, int] | None, report: Report) -> None:
    number = round_.number
    total = wins(held, number - 1)
    narrow = held.format in ("m40-17-32", "m40-13-16")
    narrow = narrow or (held.format == "othello-pool" and held.options.get("ranking") == "m40k17")
    highest = held.options.get("direction") == "highest" if held.format == "othello-pool" else narrow
    keys: Keys = (m40k17 if narrow else m40k)(held, number - 1, lots or {})
    halves = number == 1 and (held.format in SEMI_FINAL_ROUND or held.format == "othello-pool")
    for (stage, league), (pairs, byes) in groups(round_).items():
        if stage not in ("league", "placement") or held.options.get("floater") == "top_down" or not pairs:
            continue
        names = [n for pair in pairs for n in pair]
        names += byes
        order = sorted(names, key=lambda name: keys[name], reverse=True)
        if halves:
            if lots:
                _check_halves(order, pairs, byes, number, league, report)
            continue
        top = _top_byes(held, number, len(names), order, byes, report) if held.format == "m40-9-12" else []
        order = [n for n in order if n not in top]
        rest = [n for n in byes if n not in top]
        report.check("M40P-5", len(rest) <= 1, number, tuple(rest), f"{len(rest)} byes in one pool")
        if len(rest) > 1:
            continue
        cost = othello_cost(held, number, order, total, highest, ranked=lots is not None)
        rule = "M40P17-5" if narrow else "M40P-9"
        check_pool(pairs, rest[0] if rest else None, order, cost, number, rule, report)


def _check_halves(
    order: list[str], pairs: list[tuple[str, str]], byes: list[str], number: int, league: str | None, report: Report
) -> None:
    """M40P-1 to 3: the highest lot of an odd league has the bye, then equal places of the two halves meet."""
    odd = len(order) % 2
    report.check("M40P-1", byes == order[:odd], number, tuple(byes), f"the bye of league {league}")
    rest = order[odd:]
    half = len(rest) // 2
    wanted = {frozenset(pair) for pair in zip(rest[:half], rest[half:], strict=True)}
    good = {frozenset(pair) for pair in pairs} == wanted
    report.check("M40P-3", good, number, (), f"the halves of league {league} do not meet place by place")


def _top_byes(held: Held, number: int, size: int, order: list[str], byes: list[str], report: Report) -> list[str]:
    """M40P9-2: as many byes from the top as the table says, to players who had none."""
    entrants = len(held.rounds[0].players)
    count = TOP_BYES.get(entrants, (0, 0, 0))[number - 1] if number <= 3 else 0
    had = {b.player for r in held.rounds[: number - 1] for b in r.byes}
    wanted = [n for n in order if n not in had][:count]
    if number == 4:
        wanted = _resting(held)
        count = len(wanted)
    good = set(wanted) <= set(byes) and len(byes) == count + (size - count) % 2
    report.check("M40P9-2", good or size != entrants, number, tuple(byes), f"byes {byes}; the top is {wanted}")
    return [n for n in wanted if n in byes]


def _resting(held: Held) -> list[str]:
    """M40F9-2: after two 3-0 and four 2-1, or one 3-0 and six 2-1, the 3-0 players have a bye in round 4."""
    total = wins(held, 3)
    lost = {g.lost_by for r in held.rounds[:3] for g in r.games}
    perfect = [n for n in held.entries if total[n] == 3 and n not in lost]
    twice = sum(total[n] == 2 for n in held.entries)
    return perfect if (len(perfect), twice) in ((2, 4), (1, 6)) else []


def _check_semi_finals(held: Held, leagues: dict[str, list[str]], report: Report) -> None:
    """M40F-3: A1 v D1, B1 v C1, where every league has its one unbeaten player."""
    number = SEMI_FINAL_ROUND[held.format]
    if len(held.rounds) < number:
        return
    winners = {letter: _state(held, members, number)[0] for letter, members in leagues.items()}
    met = {frozenset(g.players) for g in held.rounds[number - 1].games if g.stage == "semi-final"}
    for one, other in (("A", "D"), ("B", "C")):
        if len(winners[one]) == len(winners[other]) == 1:
            pair = (winners[one][0], winners[other][0])
            report.check("M40F-3", frozenset(pair) in met, number, pair, f"{one}1 v {other}1 is not played")


def _check_unbeaten(held: Held, report: Report) -> None:
    """M40F17-2, M40F13-1: in the knock-out the unbeaten meet the unbeaten."""
    rounds = 4 if held.format == "m40-17-32" else 3
    beaten: set[str] = set()
    for round_ in held.rounds[:rounds]:
        for game in round_.games:
            mixed = len(beaten.intersection(game.players)) == 1
            report.check("M40F17-2", not mixed, round_.number, game.players, "an unbeaten player meets a beaten one")
        beaten |= {g.lost_by for g in round_.games if g.lost_by}
