"""Explanations of standings: why a player ranks above the next, in sentences for the organiser.

The reason is the first value in which the two rows differ, or the game that decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from engine.i18n import Text, say
from engine.tournament.event_model import Event, Stage, event_error
from engine.tournament.format_spec_and_options import MATCH_LEVEL, PLAY_OFF, ROUNDS
from engine.tournament.formats import format_of
from engine.tournament.formats.final_rounds import places_in_finals
from engine.tournament.formats.swiss import Swiss
from engine.tournament.formats.team_matches_and_ranking import final_places
from engine.tournament.formats.team_swiss import TeamSwiss
from engine.tournament.multi_game_matches import MultiGameMatch, best_of, has_matches, match_of, single_games
from engine.tournament.standings_and_tie_breaks import KEYS, Standings, StandingsRow, key_words, short_key_words


def explain_standings(event: Event, table: Standings) -> tuple[Text, ...]:
    """Return for every row why it ranks above the next; the last row has no reason."""
    places = _places(event, table)
    reasons = [_rank_reason(event, table, row, below, places) for row, below in pairwise(table.rows)]
    return (*reasons, say("the last row")) if table.rows else ()


def explain_place(event: Event, table: Standings, one: str, other: str | None = None) -> tuple[str, str, Text]:
    """Return (the upper player, the lower player, the reason) for two rows of the standings; without ``other`` for a
    row and the row above it, for the first row and the row below.

    :raises EventError: if one of them is not in the standings, or there is no other row
    """
    order = [row.id for row in table.rows]
    for name in (one, other):
        if name is not None and name not in order:
            raise event_error("{label} is not in the standings", label=event.called(name))
    if len(order) < 2 or one == other:
        raise event_error("two rows of the standings are compared; name two players")
    if other is None:
        other = order[order.index(one) - 1 if order.index(one) else 1]
    above, below = sorted((one, other), key=order.index)
    rows = {row.id: row for row in table.rows}
    return above, below, _rank_reason(event, table, rows[above], rows[below], _places(event, table))


def _places(event: Event, table: Standings) -> Mapping[str, int]:
    event, after = single_games(event), table.after_round
    return final_places(event, after) if isinstance(format_of(event), TeamSwiss) else places_in_finals(event, after)


def _rank_reason(
    event: Event, table: Standings, row: StandingsRow, below: StandingsRow, places: Mapping[str, int]
) -> Text:
    return (
        _won_match(event, row, below, table.after_round)
        or _won_play_off(event, row, below, table.after_round)
        or _reason_above(event, row, below, places)
    )


def _reason_above(event: Event, row: StandingsRow, below: StandingsRow, places: Mapping[str, int]) -> Text:
    name = event.called(below.id)
    if row.rank == below.rank:
        return say("equal to {name} in everything the rules compare, so they share the rank", name=name)
    place, place_below = places.get(row.id), places.get(below.id)
    if place is not None and place_below is None:
        return say("reached the finals, {name} did not", name=name)
    if place is not None and place_below is not None and place != place_below:
        return say("the finals decided: their games put this row above {name}", name=name)
    for key, one, other in zip(row.key_names, row.keys, below.keys, strict=True):
        if one != other and (one < other) == (key in KEYS and KEYS[key][1]):
            words = key_words(key)
            equal = _equal_until(row, key)
            if key == "previous_rank":
                return say(
                    "{equal}{one:ordinal} before the latest round, {name} {other:ordinal}",
                    equal=equal,
                    one=int(one),
                    name=name,
                    other=int(other),
                )
            return say(
                "{equal}{words} {one} against {other} of {name}",
                equal=equal,
                words=words,
                one=one,
                other=other,
                name=name,
            )
        if one != other:
            break
    return _by_earlier_rank(event, row, below)


def _by_earlier_rank(event: Event, row: StandingsRow, below: StandingsRow) -> Text:
    """Return the reason by M43R-5 for rows equal in all shown values: the latest round after which they differed, else
    the lot."""
    name = event.called(below.id)
    for after in range(len(event.rounds) - 1, 0, -1):
        ranks = {r.id: r.rank for r in format_of(event).standings(event, after).rows}
        if ranks[row.id] < ranks[below.id]:
            return say(
                "level with {name} in the values shown; ranked {id:ordinal} against {id2:ordinal} after round {after}",
                name=name,
                id=ranks[row.id],
                id2=ranks[below.id],
                after=after,
            )
    return say("level with {name} in the values shown; decided by lot", name=name)


def _won_play_off(event: Event, row: StandingsRow, below: StandingsRow, after: int) -> Text | None:
    """Return the reason if the two are level in points and one won their play-off for the 4th seat."""
    if not isinstance(format_of(event), Swiss) or not PLAY_OFF.of(event) or row.keys[0] != below.keys[0]:
        return None
    for round_ in event.rounds[ROUNDS.of(event) : after]:
        for game in round_.games:
            if game.stage is Stage.KNOCKOUT and set(game.players) == {row.id, below.id}:
                name = event.called(below.id)
                return say("won the play-off for the 4th place against {name}", name=name)
    return None


def _won_match(event: Event, row: StandingsRow, below: StandingsRow, after: int) -> Text | None:
    """Return the reason if the upper player has won a match of several games against the other."""
    for round_ in reversed(event.rounds[:after] if has_matches(event) else ()):
        games = [
            game for game in round_.games if set(game.players) == {row.id, below.id} and best_of(event, game.stage) > 1
        ]
        if games and (match := match_of(event, games)).winner == row.id:
            return _match_words(event, match, row.id, below.id)
    return None


def _match_words(event: Event, match: MultiGameMatch, winner: str, loser: str) -> Text:
    name, score = event.called(loser), match.score(winner)
    if match.half_points[0] != match.half_points[1]:
        return say("won the match against {name} {score}", name=name, score=score)
    if MATCH_LEVEL.of(event) == "discs":
        return say("the match against {name} was level, {score}; more discs in its games", name=name, score=score)
    return say("the match against {name} was level, {score}; ranked higher before it", name=name, score=score)


def _equal_until(row: StandingsRow, key: str) -> Text:
    """Return the text for the keys that were equal before this one."""
    before = row.key_names[: row.key_names.index(key)]
    if not before:
        return Text("")
    names = [short_key_words(name) for name in before]
    if len(names) > 2:
        return say("equal in {first} to {last}; ", first=names[0], last=names[-1])
    if len(names) == 2:
        return say("equal in {first} and {last}; ", first=names[0], last=names[1])
    return say("equal in {name}; ", name=names[0])
