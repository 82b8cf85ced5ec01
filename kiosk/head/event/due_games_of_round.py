"""Games of a round that are due: of a match of several games, the next one when the one before has its result.

All games that a match can have get their ids when the round is published; those that are not due are not shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from engine.match.rulesets import rule_set
from engine.tournament.event_model import Event, Game, Stage
from engine.tournament.multi_game_matches import best_of, draws_count, match_of, most_games, next_game, parts_of
from engine.tournament.shared_format_options import MATCH_LEVEL
from kiosk.head.event.game_state import HeadGame
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.store.hash_chain import canonical


def match_number(number: int, entries: int, match_game: int) -> int:
    """Return the number of a game of a match in its round. ``number``: of the match, ``entries``: in the round."""
    return number + entries * (match_game - 1)


def games_of_match(division: DivisionState, edition: int, entries: int, first: HeadGame) -> list[HeadGame]:
    """Return all games that the match of a published game can have. The colours of later ones are not known yet."""
    event = division.event
    count = best_of(event, first.stage)
    if first.is_bye or count == 1:
        return [first]
    # M40-1, TEAM-5: where the rules of the tables know no draws, every game has a draw right
    may_draw = draws_count(event) and rule_set(division.table_rules.at(first.stage).rules).draws
    games = []
    for match_game in range(1, most_games(event, first.stage) + 1):
        number = match_number(first.number, entries, match_game)
        games.append(
            replace(
                first,
                id=game_id(division.event_id, first.round, number, edition),
                number=number,
                must_have_winner=not may_draw or match_game > count,
                outcome=first.outcome if match_game == 1 else None,
                source=first.source if match_game == 1 else "",
                match_game=match_game,
                best_of=count,
            )
        )
    return games


def due_games(event: Event, before: Callable[[], Event], games: tuple[HeadGame, ...]) -> tuple[HeadGame, ...]:
    """Return the games of a round that have a result or can be played now. ``before``: the event with the results of
    the rounds before, which only a level match may need."""
    if all(game.best_of == 1 for game in games):
        return games
    matches: dict[tuple[Stage, frozenset[str]], list[HeadGame]] = {}
    for game in games:
        matches.setdefault((game.stage, game.players), []).append(game)
    found: list[HeadGame] = []
    for match in matches.values():
        found += [match[0]] if match[0].best_of == 1 else _due(event, before, match)
    return tuple(found)


def games_not_due(division: DivisionState, changed: HeadGame) -> list[HeadGame]:
    """Return the open games of the last round that are not due any more once a game of it is changed."""
    games = tuple(changed if game.id == changed.id else game for game in division.current)
    due = {game.id for game in due_games(division.event, division.whole, games)}
    return [game for game in division.current if game.is_open and game.id not in due]


def _due(event: Event, before: Callable[[], Event], games: list[HeadGame]) -> list[HeadGame]:
    found = [games[0]]
    while found[-1].outcome is not None and len(found) < len(games):
        played = [entry for game in found if isinstance(entry := game.entry(), Game)]
        following = games[len(found)]
        decides = len(found) >= following.best_of and MATCH_LEVEL.of(event) == "rank"
        known = before() if decides else event
        due = next_game(known, match_of(known, played))
        if due is None:
            break
        paired = Game(*due.players, following.stage)
        found.append(replace(following, paired=paired, designated=due.designated and not following.must_have_winner))
    # a correction may have decided the match earlier; what was played stays
    found += [game for game in games[len(found) :] if game.outcome is not None]
    parts = parts_of(event, [entry for game in found if isinstance(entry := game.entry(), Game)])
    return [replace(game, match_part=part) for game, part in zip(found, parts, strict=True)]


# Deterministic ids of events and games.
#
# A head that was restored, or starts again from an empty disk, gives the same id to the same place in the same draw. A
# round that was taken back gets other ids, so that a late card of it is never taken for a game of the new one.


def event_name(body: Mapping[str, object]) -> str:
    """Return a short name that the same event always gets."""
    return hashlib.sha256(canonical(body).encode()).hexdigest()[:8]


def game_id(event_id: str, round: int, number: int, edition: int = 0) -> str:
    """Return a game's id; ``edition``: how often its round was taken back before."""
    return f"{event_id}-{round}{f'.{edition}' if edition else ''}-{number}"
