"""Final places given by the finals, derived from the stages in the file: M43R-1 and 2, M40R-1, M40K17-1, TEAM-4.

A player due in a final who did not come has lost it; a place without a player is closed up.
"""

from __future__ import annotations

from verify.bracket_check import due_in_finals
from verify.event_parsing import ParsedEvent
from verify.m40 import lots_of

#: M40: the round of the final, and whether its 3rd-place game gives a 3rd place, and a 4th
M40_LAST = {"m40-open": 8, "m40-33-64": 6, "m40-17-32": 6, "m40-13-16": 6, "m40-9-12": 6}
FOURTH = ("m40-33-64", "m40-9-12")


def places_after(event: ParsedEvent, after: int) -> dict[str, int] | None:
    """Return name -> place for those ordered by the finals after a round; None where the file does not name the players
    of the finals.
    """
    if event.format == "team":
        return _of_teams(event, after)
    if event.format in ("round-robin", "knockout", "othello-pool"):
        return {}
    if event.format not in M40_LAST:
        return _places_by_stage(event, after)
    if after < M40_LAST[event.format]:
        return {}
    if not any("final" in r.stages for r in event.rounds[:after]):
        return None
    places = _of_m40(event, after)
    first = min(places.values(), default=1)  # 2 if nobody won the final
    better = {name: sum(other < place for other in places.values()) for name, place in places.items()}
    better |= {name: better[name] + 1 for name in _missed(event, after, "third-place") if name in places}
    return {name: min(place, first + better[name]) for name, place in places.items()}


def _decided(event: ParsedEvent, after: int, stage: str) -> tuple[list[str], list[str]]:
    """Return (the winners, the losers) of a stage; a bye counts as won."""
    games = [g for r in event.rounds[:after] for g in r.games if g.stage == stage and g.won_by is not None]
    byes = [b.player for r in event.rounds[:after] for b in r.byes if b.stage == stage]
    return [*(g.won_by or "" for g in games), *byes], [g.lost_by or "" for g in games]


def _missed(event: ParsedEvent, after: int, stage: str) -> list[str]:
    """Return the players of the games of a stage to which neither came."""
    games = [g for r in event.rounds[:after] for g in r.games if g.stage == stage and g.double_forfeit]
    return [name for g in games for name in g.players]


def _places_by_stage(event: ParsedEvent, after: int) -> dict[str, int]:
    """Return the places by stage: semi-finals put two above two, the final and the 3rd-place game order each two.

    AMB-49: of a game to which neither came both have the last place, which of a semi-final is the 4th.
    """
    places: dict[str, int] = {}
    for stage, winner_place, loser_place in (("semi-final", 1, 3), ("final", 1, 2), ("third-place", 3, 4)):
        winners, losers = _decided(event, after, stage)
        places |= dict.fromkeys(winners, winner_place) | dict.fromkeys(losers, loser_place)
        places |= dict.fromkeys(_missed(event, after, stage), 4 if stage == "semi-final" else loser_place)
    return places


def _of_m40(event: ParsedEvent, after: int) -> dict[str, int]:
    finalists, beaten = _decided(event, after, "semi-final")
    if event.format == "m40-17-32":
        finalists, beaten = due_in_finals(event, lots_of(event))
    winners, losers = _decided(event, after, "final")
    places = dict.fromkeys(winners, 1) | dict.fromkeys(
        [*losers, *(n for n in finalists if n not in (*winners, *losers))], 2
    )
    if event.format == "m40-open" or (event.format == "m40-9-12" and len(beaten) == 1):
        return places | dict.fromkeys((n for n in beaten if n not in places), 3)
    winners, losers = _decided(event, after, "third-place")
    places |= dict.fromkeys(winners, 3)
    if event.format in FOURTH and event.options.get("fourth_place") != "wins":
        absent = [n for n in beaten if winners and n not in (*winners, *losers)] or _missed(event, after, "third-place")
        places |= dict.fromkeys([*losers, *absent], 4)
    return places


def _of_teams(event: ParsedEvent, after: int) -> dict[str, int]:
    """Return the places of TEAM-4: the winner of more boards of the final is 1st, the other 2nd (AMB-45)."""
    if event.options.get("final_decides") is False:
        return {}
    games = [g for r in event.rounds[:after] for g in r.games if g.stage == "final" and g.won_by is not None]
    teams = {event.teams[name] for g in games for name in g.players}
    won = {team: sum(event.teams[g.won_by or ""] == team for g in games) for team in teams}
    return {team: 1 if 2 * won[team] > len(games) else 2 for team in teams}
