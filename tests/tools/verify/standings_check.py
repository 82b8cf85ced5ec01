"""Check of a standings sheet against the event: the finals on top, all others in the order of the rules.

Covers M43R-1 to 4, M40R-1 and 2, and the order of the Swiss and of adjacent pairing. Players with equal keys may be in
any order; after the last round of M40 only wins are checked outside the finals.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from verify.event_parsing import ParsedEvent, UnreadableEventError
from verify.final_places import M40_LAST, places_after
from verify.m40 import lots_of, with_rest_byes
from verify.problems import VerificationReport
from verify.ranking_check import SCORED, Keys, brightwell, chouchou, league, m40k, m40k17, wins
from verify.round_robin_check import knockout_keys, round_robin_keys
from verify.teams_check import team_keys

FINALS_RULE = "M43R-1"
#: M40R-2: after this round equal wins share the rank
_LAST_ROUND = {"m40-open": 8, "m40-33-64": 6, "m40-9-12": 6}
#: the stages after the league
ENDS = frozenset({"semi-final", "final", "third-place", "knockout"})
#: M40: those that give places; without a final wins alone rank the players of the semi-finals too
LAST_GAMES = frozenset({"final", "third-place"})
#: orders that end in shared ranks (M43R-5 and lots decide elsewhere)
_SHARING = frozenset({"SWISS-RANK", "TIE-BREAKS", "AMB-16", "CC-RANK-1", "RR-RANK", "KO-RANK", "TEAM-3.1", "M40R-2"})


def check_sheet(event: ParsedEvent, table: Mapping[str, Any], report: VerificationReport) -> None:
    """Check the output of ``kiosk standings --json``.

    :raises UnreadableEventError: if it is not such a sheet
    """
    try:
        after = int(table["after_round"])
        rows = [(int(row["rank"]), str(row["id"])) for row in table["rows"]]
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableEventError(f"the standings are no sheet of 'kiosk standings --json': {error!r}") from None
    if (found := _keys(event, after)) is None:
        return
    rule, keys = found
    names = [name for _, name in rows]
    if unknown := [name for name in names if name not in keys]:
        raise UnreadableEventError(f"the standings name {unknown[0]!r}, who is no entry of the event")
    report.check(rule, len(set(names)) == len(names), after, (), "a player stands twice on the sheet")
    stages = LAST_GAMES if event.format in M40_LAST else ENDS
    ends = [g for r in event.rounds[:after] for g in r.games if g.stage in stages]
    missed = {name for g in ends if g.double_forfeit for name in g.players}
    for place, (rank, name) in enumerate(rows, start=1):
        before = rows[place - 2][0] if place > 1 else 1
        sharing = {other for number, other in rows if number == rank}
        # AMB-49: who did not come to the game for these places have the last of them, and are never 1st
        last = missed >= sharing and rank == max(2, place + len(sharing) - 1)
        last |= place == 1 and rank == 2 and event.format in M40_LAST  # M40: also of a final that was not drawn
        report.check(
            "SHEET-RANKS",
            (rank in (place, before) and not (rank == 1 and name in missed))
            or last
            or (rank == before + 1 and rows[0][1] in missed),
            after,
            (name,),
            f"{name} in row {place} has rank {rank}",
        )
    missing = tuple(sorted(set(keys) - set(names) - {e.id for e in event.entries.values() if e.absent}))
    report.check("SHEET-RANKS", not missing, after, missing, "these are not on the sheet")
    places = places_after(event, after)
    if places is None:
        return
    shares = rule in _SHARING
    # players outside the finals rank below those in them
    whole = {name: (-places.get(name, 99), *key) for name, key in keys.items()}
    for (rank, name), (next_rank, below) in pairwise(rows):
        level = whole[name] == whole[below]
        is_valid = whole[name] >= whole[below] and (
            rank < next_rank or level or places.get(name) == places.get(below, 0)
        )
        text = f"{name} stands above {below} with {keys[name]!s}, {keys[below]!s}"
        by_finals = places.get(name) != places.get(below)
        report.check(FINALS_RULE if by_finals else rule, is_valid, after, (name, below), text)
        if shares and level:
            report.check(rule, rank == next_rank, after, (name, below), f"{name} and {below} share their rank")


def _keys(event: ParsedEvent, after: int) -> tuple[str, Keys] | None:
    """Return (rule, keys) of the sheet; None where this format's order depends on lots that are not in the file."""
    match event.format:
        case "m43-open":
            return "M43R-4", {name: key[:2] for name, key in brightwell(event, after, SCORED).items()}
        case "swiss":
            rule = "TIE-BREAKS" if _own_order(event) else "SWISS-RANK"
            return ("SWISS-PLAY-OFF" if _play_off_held(event, after) else rule), _swiss(event, after)
        case "adjacent" | "m43-division" | "m40-elementary":
            return ("TIE-BREAKS" if _own_order(event) else "AMB-16"), league(event, after)
        case "chouchou":
            return "CC-RANK-1", chouchou(event, after)
        case "round-robin":
            return "RR-RANK", round_robin_keys(event, after)
        case "knockout":
            return "KO-RANK", knockout_keys(event, after)
        case "team":
            return "TEAM-3.1", team_keys(event, after)
    lots = lots_of(event)
    event = with_rest_byes(event, lots)
    if after >= _LAST_ROUND.get(event.format, after + 1):
        return "M40R-2", {name: (total,) for name, total in wins(event, after).items()}
    if lots is None:
        return None
    narrow = event.format in ("m40-17-32", "m40-13-16")
    if event.format == "othello-pool":
        highest = event.options.get("direction") == "highest"
        narrow = (event.options.get("ranking") or ("m40k17" if highest else "m40k")) == "m40k17"
    return ("M40K17", m40k17(event, after, lots)) if narrow else ("M40K", m40k(event, after, lots))


def _own_order(event: ParsedEvent) -> bool:
    return event.format in ("swiss", "adjacent") and bool(event.options.get("tie_breaks"))


def _play_off_held(event: ParsedEvent, after: int) -> bool:
    return any(g.stage == "knockout" for r in event.rounds[:after] for g in r.games) and bool(
        event.options.get("play_off")
    )


def _swiss(event: ParsedEvent, after: int) -> Keys:
    """Return the order of the league; with a play-off only points, since it may decide between equal points."""
    keys = league(event, after)
    return {name: key[:1] for name, key in keys.items()} if _play_off_held(event, after) else keys
