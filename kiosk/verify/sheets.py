"""A standings sheet against the event: the finals on top, everybody else in the order of the rules.

The law: M43R-1 to 4, M40R-1 and 2, and the order of the Swiss and of neighbours. Keys that are equal may stand in any
order; after the last round of M40 only wins are asked of those outside the finals.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from kiosk.verify.m40 import lots_of
from kiosk.verify.problems import Report
from kiosk.verify.ranks import SCORED, Keys, brightwell, disc_difference, m40k, m40k17, wins
from kiosk.verify.reading import Held, UnreadableEventError

_FINALS = ("semi-final", "final", "third-place")
#: M40R-2: after this round equal wins share the rank
_LAST_ROUND = {"m40-open": 8, "m40-33-64": 6, "m40-9-12": 6}
_PLACES = {"final": (1, 2), "third-place": (3, 4)}


def check_sheet(held: Held, table: Mapping[str, Any], report: Report) -> None:
    """Checks what ``kiosk standings --json`` printed.

    :raises UnreadableEventError: if it is no such sheet
    """
    try:
        after = int(table["after_round"])
        rows = [(int(row["rank"]), str(row["id"])) for row in table["rows"]]
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableEventError(f"the standings are no sheet of 'kiosk standings --json': {error!r}") from None
    if (found := _keys(held, after)) is None:
        return
    rule, keys = found
    names = [name for _, name in rows]
    if unknown := [name for name in names if name not in held.entries]:
        raise UnreadableEventError(f"the standings name {unknown[0]!r}, who is no entry of the event")
    report.check(rule, len(set(names)) == len(names), after, (), "a player stands twice on the sheet")
    finalists = {n for r in held.rounds[:after] for g in r.games if g.stage in _FINALS for n in g.players}
    finalists |= {b.player for r in held.rounds[:after] for b in r.byes if b.stage in _FINALS}
    _check_places(held, after, {name: rank for rank, name in rows}, report)
    others = [(rank, name) for rank, name in rows if name not in finalists]
    for (rank, name), (next_rank, below) in pairwise(others):
        good = keys[name] >= keys[below] and (rank < next_rank or keys[name] == keys[below])
        report.check(rule, good, after, (name, below), f"{name} stands above {below} with {keys[name]}, {keys[below]}")


def _check_places(held: Held, after: int, ranks: Mapping[str, int], report: Report) -> None:
    """Places 1 to 4 as the final and the 3rd-place game decided them (M43R-1, M43R-2)."""
    for round_ in held.rounds[:after]:
        for game in (g for g in round_.games if g.stage in _PLACES and g.won_by is not None):
            for name, place in zip((game.won_by, game.lost_by), _PLACES[game.stage], strict=True):
                # the loser of a 3rd-place game of M40K17 is ranked by his wins (M40F17-6, AMB-43)
                if place < 4 or held.format in ("m43-open", "m43-division", "m40-33-64", "m40-9-12"):
                    rank = ranks.get(name or "")
                    text = f"{name} has rank {rank}; the {game.stage} gave place {place}"
                    report.check("M43R-1", rank == place, after, (name or "",), text)


def _keys(held: Held, after: int) -> tuple[str, Keys] | None:
    """(rule, keys) of the sheet; None where this format's order is not checked."""
    if held.format == "m43-open":
        return "M43R-4", {name: key[:2] for name, key in brightwell(held, after, SCORED).items()}
    if held.format == "swiss":
        return "SWISS-RANK", brightwell(held, after, ("league",))
    if held.format in ("adjacent", "m43-division", "m40-elementary"):
        return "AMB-16", disc_difference(held, after)
    if after >= _LAST_ROUND.get(held.format, after + 1):
        return "M40R-2", {name: (total,) for name, total in wins(held, after).items()}
    lots = lots_of(held)
    if lots is None or not held.format.startswith("m40-"):
        return None
    narrow = held.format in ("m40-17-32", "m40-13-16")
    return ("M40K17", m40k17(held, after, lots)) if narrow else ("M40K", m40k(held, after, lots))
