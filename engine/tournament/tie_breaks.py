"""Ranking of a league by points, then by an ordered list of tie-breaks (``options.tie_breaks``).

Each criterion orders only players who are level in all before it. A player level in all of them shares the rank, unless
the last is the lot.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations, groupby

from engine.i18n import say
from engine.tournament.event_model import Event, EventError, Game, Stage
from engine.tournament.seeded_lots import lots_of_entries
from engine.tournament.shared_format_options import TIE_BREAKS
from engine.tournament.standings_table import ScoreSummary, bye_discs, number, tally

#: a bye is entered as 40-24, as in the published results of international events (AMB-16)
USUAL_BYE = 40
#: the criteria whose values are halves
_HALVES = frozenset({"wins", "brightwell", "opponents", "direct"})
#: lots up to here are shown as they are; longer ones, of the program, as their place from below
_MOST_SHOWN = 1_000_000

#: half points, then the values of the criteria; larger is better
Key = tuple[int, ...]


def criteria_of(event: Event, usual: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tie-breaks of an event in their order; without a list of its own, ``usual``."""
    offered = TIE_BREAKS in event.facts.choices
    return TIE_BREAKS.of(event) or usual if offered else usual


def check_tie_breaks(event: Event) -> None:
    """Check that no criterion is named twice, and none after the lot, which leaves nobody level.

    :raises EventError: if one is
    """
    named = TIE_BREAKS.of(event) or ()
    for at, name in enumerate(named):
        if name in named[:at]:
            raise EventError(say("options.tie_breaks has {name!r} twice; name each criterion once", name=name))
        if at and named[at - 1] == "lot":
            raise EventError(
                say("options.tie_breaks has {name!r} after 'lot', which decides everything; put 'lot' last", name=name)
            )


def scores(event: Event, after: int, stages: Collection[Stage]) -> dict[str, ScoreSummary]:
    """Return the totals of the league over the games of ``stages``, of all but no-shows."""
    return tally(event, after, stages, bye_discs=bye_discs(event, USUAL_BYE))


def league_keys(event: Event, after: int, stages: Collection[Stage], criteria: Sequence[str]) -> dict[str, Key]:
    """Return what ranks the players after a round."""
    tallies = scores(event, after, stages)
    keys: dict[str, Key] = {name: (t.score,) for name, t in tallies.items()}
    for criterion in criteria:
        values = _values(event, after, stages, criterion, tallies, keys)
        keys = {name: (*key, values[name]) for name, key in keys.items()}
    return keys


def shown(key: Key, criteria: Sequence[str]) -> tuple[int | float, ...]:
    """Return a key as it is shown in the standings, where halves are halves."""
    names = ("wins", *criteria)
    return tuple(number(value) if name in _HALVES else value for name, value in zip(names, key, strict=True))


def swiss_criteria(event: Event) -> tuple[str, ...]:
    return criteria_of(event, ("brightwell", "discs"))


def swiss_keys(event: Event, after: int) -> dict[str, Key]:
    return league_keys(event, after, (Stage.LEAGUE,), swiss_criteria(event))


def swiss_order(event: Event, after: int) -> list[str]:
    """Return all players in the order of the Swiss league, level players by lot."""
    keys, lots = swiss_keys(event, after), lots_of_entries(event)
    return sorted(keys, key=lambda name: (*keys[name], lots[name]), reverse=True)


def _values(
    event: Event,
    after: int,
    stages: Collection[Stage],
    criterion: str,
    tallies: Mapping[str, ScoreSummary],
    keys: Mapping[str, Key],
) -> Mapping[str, int]:
    match criterion:
        case "brightwell":
            return {name: t.brightwell_twice for name, t in tallies.items()}
        case "opponents":
            return {name: t.opponents for name, t in tallies.items()}
        case "discs":
            return {name: t.discs for name, t in tallies.items()}
        case "disc_difference":
            return {name: t.difference for name, t in tallies.items()}
        case "direct":
            games = [game for round_ in event.rounds[:after] for game in round_.games if game.stage in stages]
            return _direct(games, keys)
        case "lot":
            return _lots(event, tallies)
    raise AssertionError(criterion)


def _direct(games: Iterable[Game], keys: Mapping[str, Key]) -> dict[str, int]:
    """Return the half points from the games among those who are level so far, where every two of them have met over the
    board; else 0, which leaves them level."""
    values = dict.fromkeys(keys, 0)
    met = [game for game in games if game.winner is not None and game.over_the_board]
    pairs = {frozenset(game.players) for game in met}
    for _, group in groupby(sorted(keys, key=keys.__getitem__), key=keys.__getitem__):
        level = set(group)
        if any(frozenset(pair) not in pairs for pair in combinations(level, 2)):
            continue
        for game in met:
            if level.issuperset(game.players):
                for name in game.players:
                    values[name] += game.half_points(name)
    return values


def _lots(event: Event, names: Iterable[str]) -> Mapping[str, int]:
    lots = lots_of_entries(event)
    if all(0 <= lots[name] <= _MOST_SHOWN for name in names):
        return lots
    return {name: place for place, name in enumerate(sorted(lots, key=lots.__getitem__), start=1)}
