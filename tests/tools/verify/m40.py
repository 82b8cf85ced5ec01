"""Check of M40: lots, leagues, exits from leagues, pools, brackets (RULES.md 6.3 to 6.7).

Lots come from the file or from its ballots; without either, only rules independent of the lots are checked.
"""

from __future__ import annotations

from dataclasses import replace

from verify.bracket_check import SIZE, check_brackets, halved, repechage_winners
from verify.event_parsing import ParsedBye, ParsedEvent, PlayedRound, round_history
from verify.finals_check import check_final_pairs, check_unbeaten_semi_finals, is_operator_changed
from verify.lots_check import ENTRIES, RecordedLots, bounded_number, shuffled
from verify.lots_check import lots as drawn_lots
from verify.pool_check import check_pool, groups, othello_cost
from verify.problems import VerificationReport
from verify.ranking_check import Keys, m40k, m40k17, wins

SEMI_FINAL_ROUND = {"m40-open": 7, "m40-33-64": 5}
#: M40P9-2: byes from the top in rounds 1, 2, 3
TOP_BYES = {9: (1, 1, 1), 10: (2, 2, 0), 11: (1, 0, 0), 12: (0, 0, 0)}


def lots_of(event: ParsedEvent) -> dict[str, int] | None:
    """Return the lots in the file; without any, for the open division those of the three ballots (M40L-1 to 5), else
    those of the recorded seed; None if unknown.
    """
    entries = list(event.entries.values())
    if all(e.lot is not None for e in entries if not e.absent):
        return {e.id: e.lot or 0 for e in entries}
    if any(e.lot is not None for e in entries):
        return None
    drawn = drawn_lots(event, ENTRIES)
    if event.format != "m40-open":
        return None if drawn is None or event.format == "othello-pool" else _by_hand(event, drawn)
    ballots = event.options.get("lot_ballots") or ([] if drawn is None else _ballots(drawn))
    if not ballots or not all(len(b) == 5 and b.isascii() and b.isdigit() for b in ballots):
        return None
    x = int("".join(ballots)) % 2**23
    numbers = {}
    for entry in entries:
        x = (65793 * x + 4282663) % 2**23
        numbers[entry.id] = x
    found = {name: lot for lot, name in enumerate(sorted(numbers, key=numbers.__getitem__), start=11)}
    return found | {e.id: e.seed for e in entries if e.seed is not None}


def _ballots(drawn: RecordedLots) -> list[str]:
    """Return three ballots of five digits each."""
    found, at = [], 0
    for _ in range(3):
        ballot, at = bounded_number(drawn, at, 10**5)
        found.append(f"{ballot:05d}")
    return found


def _by_hand(event: ParsedEvent, drawn: RecordedLots) -> dict[str, int] | None:
    """Return the lots drawn by hand: seeds keep their numbers, or their places in the bracket; the others have the
    remaining ones, from 11 or from 1. None if somebody entered after round 1, because it is unknown who was present at
    the draw.
    """
    first = set(event.rounds[0].players) if event.rounds else set()
    here = [e for e in event.entries.values() if not e.absent or any(e.id in r.players for r in event.rounds)]
    if not {e.id for e in here} <= first:
        return None
    if event.format in SIZE:
        ends = [sum(halved(len(here), 4)[: part + 1]) for part in range(4)]
        designated = dict(zip((3, 2, 4, 1), ends, strict=True))
        seeds = {e.id: designated[e.seed] for e in here if e.seed in designated}
        numbers = [number for number in range(1, len(here) + 1) if number not in seeds.values()]
    else:
        seeds = {e.id: e.seed for e in here if e.seed is not None}
        numbers = list(range(11, 11 + len(here) - len(seeds)))
    return seeds | dict(zip(shuffled(drawn, [e.id for e in here if e.id not in seeds]), numbers, strict=True))


def check_m40(event: ParsedEvent, report: VerificationReport) -> None:
    lots = lots_of(event)
    leagues = _leagues(event, lots) if event.format in SEMI_FINAL_ROUND and lots else {}
    credited_ = with_rest_byes(event, lots)
    for round_ in event.rounds:
        if leagues:
            _check_course(event, round_, leagues, report)
        if not is_operator_changed(event, round_.number):
            _check_pools(event, credited_, round_, lots, report)
    if leagues:
        _check_semi_finals(event, leagues, report)
    if (
        event.format in ("m40-13-16", "m40-9-12")
        and len(event.rounds) > 4
        and lots
        and not is_operator_changed(event, 5)
    ):
        wide = event.format == "m40-9-12"
        keys = (m40k if wide else m40k17)(event, 4, lots)
        rule = "M40F9-4" if wide else "M40F13-3"
        check_unbeaten_semi_finals(event, event.rounds[4], keys, rule, report)
        _check_seats(event, keys, lots, report)
    if event.format in ("m40-17-32", "m40-13-16"):
        check_brackets(event, lots, report)
    if event.format != "m40-open":
        check_final_pairs(event, "M40F33-3", report)
    else:
        check_final_pairs(event, "M40F-3", report)


def with_rest_byes(event: ParsedEvent, lots: dict[str, int] | None) -> ParsedEvent:
    """Return the event with a bye for every round that a league's winner rested without one in the file (M40K-11)."""
    if event.format not in SEMI_FINAL_ROUND or not lots:
        return event
    last = SEMI_FINAL_ROUND[event.format]
    rounds = list(event.rounds)
    for members in _leagues(event, lots).values():
        for number in range(2, min(last, len(rounds) + 1)):
            unbeaten, _ = _state(event, members, number)
            if len(unbeaten) == 1 and unbeaten[0] not in rounds[number - 1].players:
                round_ = rounds[number - 1]
                rounds[number - 1] = replace(round_, byes=(*round_.byes, ParsedBye(unbeaten[0], "league", None)))
    return replace(event, rounds=tuple(rounds))


def _check_seats(event: ParsedEvent, keys: Keys, lots: dict[str, int], report: VerificationReport) -> None:
    """Check M40F9-3: the best four after round 4, or three if exactly three have 3-1 or better. M40F13-2: those
    remaining after the knock-outs; the next in rank replaces an absent player.
    """
    here = event.here(5)
    order = sorted(here, key=lambda name: keys[name], reverse=True)
    if event.format == "m40-9-12":
        rule = "M40F9-3"
        wanted = order[: 3 if sum(keys[name][0] >= 3 for name in order) == 3 else 4]
    else:
        rule = "M40F13-2"
        seats = repechage_winners(event, lots)
        if seats is None:
            return
        wanted = [name for name in order if name in seats]
        wanted += [name for name in order if name not in seats][: 4 - len(wanted)]
    round_ = event.rounds[4]
    seated = {n for g in round_.games if g.stage == "semi-final" for n in g.players}
    seated |= {b.player for b in round_.byes if b.stage == "semi-final"}
    wrong = tuple(sorted(seated.symmetric_difference(wanted)))
    report.check(rule, not wrong, 5, wrong, f"the semi-finals belong to {', '.join(wanted)}")


def _leagues(event: ParsedEvent, lots: dict[str, int]) -> dict[str, list[str]]:
    """Return the leagues of the players of the first round (M40G-1 to 3)."""
    first = set(event.rounds[0].players) if event.rounds else set()
    written = {n: event.entries[n].league for n in first}
    if first and all(written.values()):
        return {letter: [n for n in first if written[n] == letter] for letter in "ABCD"}
    leagues: dict[str, list[str]] = {letter: [] for letter in "ABCD"}
    for index, name in enumerate(sorted(first, key=lots.__getitem__)):
        leagues["ABCD"[index % 4]].append(name)
    for to, giver in (("A", "B"), ("C", "D")):
        if len(leagues[to]) % 2 and len(leagues[giver]) % 2:
            leagues[to].append(leagues[giver].pop())
    return leagues


def _state(event: ParsedEvent, members: list[str], before: int) -> tuple[list[str], bool]:
    """Return (who is unbeaten before a round, whether those with a loss have left the league): M40F-1, M40F-2."""
    here = event.here(1)
    unbeaten = [n for n in members if n in here]
    left = False
    for round_ in event.rounds[: before - 1]:
        won = {b.player for b in round_.byes} | {g.won_by for g in round_.games}
        if len(unbeaten) == 1:  # a league's winner remains its winner if absent while resting
            won |= set(unbeaten) - set(round_.players)
        unbeaten = [n for n in unbeaten if n in won]
        here = event.here(round_.number + 1)
        if len(unbeaten) == 1:
            last = event.entries[unbeaten[0]].withdrawn_after_round
            unbeaten = [n for n in unbeaten if last is None or last > round_.number]
        else:
            unbeaten = [n for n in unbeaten if n in here]
        left = left or len(unbeaten) & (len(unbeaten) - 1) == 0
    return unbeaten, left


def _check_course(
    event: ParsedEvent, round_: PlayedRound, leagues: dict[str, list[str]], report: VerificationReport
) -> None:
    number = round_.number
    if number >= SEMI_FINAL_ROUND[event.format]:
        return
    playing = {(g.stage, g.league): set[str]() for g in round_.games}
    named = any(g.league for r in event.rounds for g in r.games)
    for game in (g for g in round_.games if g.stage == "league" and g.league not in leagues and named):
        report.check("M40F-2", False, number, game.players, "a game of the league that names none of A, B, C, D")
    for (stage, league), (pairs, byes) in groups(round_).items():
        playing[stage, league] = {n for pair in pairs for n in pair} | set(byes)
    for letter, members in leagues.items():
        in_league = playing.get(("league", letter), set())
        unbeaten, left = _state(event, members, number)
        here = event.here(number)
        wanted = {n for n in (unbeaten if left else members) if n in here and n in round_.players}
        if number == 1:
            wanted = set(members)
        rule = "M40G-1" if number == 1 else "M40F-2"
        wrong = tuple(sorted(in_league.symmetric_difference(wanted)))
        known = {n for names in leagues.values() for n in names}
        wrong = tuple(name for name in wrong if name in known)  # late entries cannot be distinguished
        report.check(rule, not wrong, number, wrong, f"league {letter} is not of those who belong to it")
        if len(wanted) == 1 and number > 1:
            alone = {b.player for b in round_.byes if b.league == letter and b.stage == "league"}
            report.check("M40P-4", alone == wanted, number, tuple(wanted), "the only unbeaten player has a bye")


def _check_pools(
    event: ParsedEvent,
    credited_: ParsedEvent,
    round_: PlayedRound,
    lots: dict[str, int] | None,
    report: VerificationReport,
) -> None:
    number = round_.number
    total = wins(credited_, number - 1)
    narrow = event.format in ("m40-17-32", "m40-13-16")
    highest = narrow
    if event.format == "othello-pool":
        highest = event.options.get("direction") == "highest"
        narrow = (event.options.get("ranking") or ("m40k17" if highest else "m40k")) == "m40k17"
    keys: Keys = (m40k17 if narrow else m40k)(credited_, number - 1, lots or {})
    halves = number == 1 and (event.format in SEMI_FINAL_ROUND or (event.format == "othello-pool" and not highest))
    halves = halves and event.options.get("first_round") != "pool"
    for (stage, league), (pairs, byes) in groups(round_).items():
        if stage not in ("league", "placement") or not pairs:
            continue
        names = [n for pair in pairs for n in pair]
        names += byes
        order = sorted(names, key=lambda name: keys[name], reverse=True)
        if halves:
            if lots:
                _check_halves(order, pairs, byes, number, league, report)
            continue
        standing: Keys = keys if lots is None else {name: (place,) for place, name in enumerate(reversed(order))}
        top = _top_byes(event, number, len(names), order, byes, standing, report) if event.format == "m40-9-12" else []
        order = [n for n in order if n not in top]
        rest = [n for n in byes if n not in top]
        report.check("M40P-5", len(rest) <= 1, number, tuple(rest), f"{len(rest)} byes in one pool")
        if len(rest) > 1:
            continue
        cost, digit = othello_cost(
            round_history(event, number), event.options, order, total, highest, ranked=lots is not None
        )
        rule = "M40P17-5" if narrow else "M40P-9"
        check_pool(pairs, rest[0] if rest else None, order, cost, number, rule, report, digit)


def _check_halves(
    order: list[str],
    pairs: list[tuple[str, str]],
    byes: list[str],
    number: int,
    league: str | None,
    report: VerificationReport,
) -> None:
    """Check M40P-1 to 3: the highest lot of an odd league has the bye, then equal places of the two halves meet."""
    odd = len(order) % 2
    report.check("M40P-1", byes == order[:odd], number, tuple(byes), f"the bye of league {league}")
    rest = order[odd:]
    half = len(rest) // 2
    wanted = {frozenset(pair) for pair in zip(rest[:half], rest[half:], strict=True)}
    is_valid = {frozenset(pair) for pair in pairs} == wanted
    report.check("M40P-3", is_valid, number, (), f"the halves of league {league} do not meet place by place")


def _top_byes(
    event: ParsedEvent,
    number: int,
    size: int,
    order: list[str],
    byes: list[str],
    standing: Keys,
    report: VerificationReport,
) -> list[str]:
    """Check M40P9-2: as many byes from the top as the table gives, to players who had none. ``standing``: players equal
    by it may have each other's bye, because their lots are unknown.
    """
    entrants = len(event.rounds[0].players)
    count = TOP_BYES.get(entrants, (0, 0, 0))[number - 1] if number <= 3 else 0
    if number <= 3 and event.options.get("odd_pool") == "from_top" and (size - count) % 2:
        count += 1
    earlier = {b.player for r in event.rounds[: number - 1] for b in r.byes}
    wanted = [n for n in order if n not in earlier][:count]
    if number == 4:
        wanted = _resting(event)
        count = len(wanted)
    top = (
        [n for n in order if n in byes and n not in earlier][:count]
        if number <= 3
        else [n for n in wanted if n in byes]
    )
    is_valid = [standing[n] for n in top] == [standing[n] for n in wanted] and len(byes) == count + (size - count) % 2
    report.check(
        "M40P9-2",
        is_valid or size != entrants,
        number,
        tuple(byes),
        f"byes {', '.join(byes)}; the top is {', '.join(wanted)}",
    )
    return top


def _resting(event: ParsedEvent) -> list[str]:
    """Return the players with a bye in round 4 (M40F9-2): after two 3-0 and four 2-1, or one 3-0 and six 2-1, the 3-0
    players.
    """
    total = wins(event, 3)
    losers = {g.lost_by for r in event.rounds[:3] for g in r.games}
    here = event.here(4)
    perfect = [n for n in event.entries if total[n] == 3 and n not in losers and n in here]
    twice = sum(total[n] == 2 for n in here)
    return perfect if (len(perfect), twice) in ((2, 4), (1, 6)) else []


def _check_semi_finals(event: ParsedEvent, leagues: dict[str, list[str]], report: VerificationReport) -> None:
    """Check M40F-3: A1 v D1, B1 v C1, where every league has its one unbeaten player."""
    number = SEMI_FINAL_ROUND[event.format]
    if len(event.rounds) < number:
        return
    winners = {letter: _state(event, members, number)[0] for letter, members in leagues.items()}
    met = {frozenset(g.players) for g in event.rounds[number - 1].games if g.stage == "semi-final"}
    for one, other in (("A", "D"), ("B", "C")):
        here = event.here(number)
        if len(winners[one]) == len(winners[other]) == 1 and here.issuperset((*winners[one], *winners[other])):
            pair = (winners[one][0], winners[other][0])
            report.check("M40F-3", frozenset(pair) in met, number, pair, f"{one}1 v {other}1 is not played")
