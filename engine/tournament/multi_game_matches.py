"""Matches of several games in the finals and in a knock-out: score, winner, and the next game (AMB-50).

- The games of a match stand in one round of the event, in the order in which they were played. ``single_games`` makes
  one game of each match, with which formats compute as if it had been a single game.
- A match is won by more than half of the points, a draw is half a point each. If it is level after all games,
  ``options.match_level`` decides; a further game that decides it has no draws. A double forfeit ends a match that
  nobody wins.
- The players settle the colours of the first game, and of the last of an odd number; between, colours are exchanged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.end_reason import EndReason
from engine.i18n import Text, say
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import Event, Game, Round, Stage, Winner, event_error
from engine.tournament.standings_and_tie_breaks import number_of_wins, swiss_order

#: by stage, the option with the number of games of its matches
GAMES: Mapping[Stage, spec.IntOption] = {
    Stage.KNOCKOUT: spec.KNOCKOUT_GAMES,
    Stage.SEMI_FINAL: spec.SEMI_FINAL_GAMES,
    Stage.FINAL: spec.FINAL_GAMES,
    Stage.THIRD_PLACE: spec.THIRD_PLACE_GAMES,
}


def best_of(event: Event, stage: Stage) -> int:
    """Return the number of games of a match of this stage; 1: a single game."""
    option = GAMES.get(stage)
    return (option.of(event) or 1) if option is not None and option in event.facts.choices else 1


def draws_count(event: Event) -> bool:
    """Return whether a game of a match can be a draw."""
    return spec.MATCH_DRAWS.of(event) != "draw_right"


def most_games(event: Event, stage: Stage) -> int:
    """Return the most games that a match of this stage can have, with the one that decides a level match."""
    games = best_of(event, stage)
    return games + 1 if games > 1 else 1


@dataclass(frozen=True, slots=True)
class MultiGameMatch:
    """Two players with their games of one round. ``half_points``: of each, the first game's Black first. ``winner``:
    None as long as there is none; a double forfeit leaves a match that is ``over`` without one."""

    games: tuple[Game, ...]
    best_of: int
    half_points: tuple[int, int]
    winner: str | None
    over: bool

    @property
    def players(self) -> tuple[str, str]:
        return self.games[0].players

    def score(self, player: str) -> str:
        """Return the points of a player and of the opponent, for people: "1.5–0.5"."""
        own, other = self.half_points if player == self.players[0] else self.half_points[::-1]
        return f"{number_of_wins(own)}–{number_of_wins(other)}"


def match_of(event: Event, games: Sequence[Game]) -> MultiGameMatch:
    """Return the match of some games in their order. ``event``: with the results of the rounds before.

    :raises EventError: if a game is drawn that cannot be
    """
    stage, (one, other) = games[0].stage, games[0].players
    most = best_of(event, stage)
    played = [game for game in games if game.winner is not None]
    for number, game in enumerate(played, start=1):
        if most > 1 and game.winner is Winner.DRAW and (number > most or not draws_count(event)):
            raise event_error(
                "{one} – {other}, game {number}: no draws here; with equal discs the holder of the draw right "
                "wins, name the winner",
                one=event.called(one),
                other=event.called(other),
                number=number,
            )
    points = sum(game.half_points(one) for game in played), sum(game.half_points(other) for game in played)
    missed = any(game.winner is Winner.NEITHER for game in played)
    winner = None
    if max(points) > most and points[0] != points[1]:
        winner = one if points[0] > points[1] else other
    elif len(played) >= most and not missed:
        winner = _level(event, played, one, other)
    return MultiGameMatch(tuple(games), most, points, winner, winner is not None or missed)


def _level(event: Event, played: Sequence[Game], one: str, other: str) -> str | None:
    """Return who wins a match that is level after all its games; None: a further game decides."""
    rule = spec.MATCH_LEVEL.of(event)
    if rule == "rank":
        order = _order(event)
        return next((name for name in order if name in (one, other)), None)
    if rule == "discs":
        discs = sum(game.discs(one) or 0 for game in played)
        other_discs = sum(game.discs(other) or 0 for game in played)
        return None if discs == other_discs else one if discs > other_discs else other
    return None


def _order(event: Event) -> list[str]:
    """Return the players in the order that stands before the finals: of the league, or of the seeds."""
    if spec.FINALS in event.facts.choices:
        return swiss_order(event, min(spec.ROUNDS.of(event) or 0, len(event.rounds)))
    seeded = [player for player in event.players if player.seed is not None]
    return [player.id for player in sorted(seeded, key=lambda player: player.seed or 0)]


@dataclass(frozen=True, slots=True)
class NextGame:
    """The next game of a match. ``designated``: its colours are given, Black first; else the players settle them.
    ``draws``: whether it can be a draw."""

    players: tuple[str, str]
    designated: bool
    draws: bool


def next_game(event: Event, match: MultiGameMatch) -> NextGame | None:
    """Return the next game of a match whose games have results; None if it is over."""
    return None if match.over else game_after(event, match.players, match.games, match.best_of)


def game_after(event: Event, players: tuple[str, str], games: Sequence[Game], best_of: int) -> NextGame:
    """Return the game that follows the others of its match."""
    number = len(games) + 1
    draws = number <= best_of and draws_count(event)
    anew = spec.MATCH_COLOURS.of(event) != "exchanged" and number == best_of and number % 2 == 1
    if number == 1 or anew or not draws:
        return NextGame(players, False, draws)
    black, white = games[-1].players
    return NextGame((white, black), True, draws)


def part_words(number: int, best_of: int, score: str = "") -> Text:
    """Return which game of a match it is, for people. ``score``: of the match after it, Black's first."""
    if number > best_of:
        part = say("deciding game after {n} games", n=best_of)
    else:
        part = say("game {number} of {n}", number=number, n=best_of)
    return say("{part}: match {score}", part=part, score=score) if score else part


def places_in_matches(event: Event, games: Sequence[Game]) -> list[int]:
    """Return for each game of a round its number in its match, from 1; 0: a single game."""
    seen: Counter[tuple[Stage, frozenset[str]]] = Counter()
    places = []
    for game in games:
        seen[match := (game.stage, frozenset(game.players))] += 1
        places.append(seen[match] if best_of(event, game.stage) > 1 else 0)
    return places


def parts_of(event: Event, games: Sequence[Game]) -> list[Text | None]:
    """Return for each game of a round which one of its match it is, with the score after it; None: a single game."""
    found: list[Text | None] = []
    for at, (game, place) in enumerate(zip(games, places_in_matches(event, games), strict=True), start=1):
        if not place:
            found.append(None)
            continue
        before = [one for one in games[:at] if one.stage is game.stage and set(one.players) == set(game.players)]
        points = [sum(one.half_points(name) for one in before) for name in game.players]
        score = "–".join(map(number_of_wins, points)) if game.winner is not None else ""
        found.append(part_words(place, best_of(event, game.stage), score))
    return found


def has_matches(event: Event) -> bool:
    return any(best_of(event, stage) > 1 for stage in GAMES)


def matches_in(event: Event, round_: Round) -> Iterator[MultiGameMatch]:
    """Yield the matches of a round in their order; a single game is a match of one."""
    groups: dict[tuple[Stage, frozenset[str]] | int, list[Game]] = {}
    for at, game in enumerate(round_.games):
        several = best_of(event, game.stage) > 1
        groups.setdefault((game.stage, frozenset(game.players)) if several else at, []).append(game)
    for games in groups.values():
        yield match_of(event, games)


def single_games(event: Event) -> Event:
    """Return the event with each match as one game, which has the winner of the match and the discs of all its games;
    it has no winner as long as the match has none."""
    if not has_matches(event):
        return event
    rounds = tuple(
        replace(round_, games=tuple(_as_game(match) for match in matches_in(event, round_))) for round_ in event.rounds
    )
    names = {option.name for option in GAMES.values()}
    readings = {name: value for name, value in event.options.readings.items() if name not in names}
    return replace(event, rounds=rounds, options=replace(event.options, readings=readings))


def _as_game(match: MultiGameMatch) -> Game:
    first = match.games[0]
    if match.best_of == 1:
        return first
    (black, white), table = first.players, first.table
    if match.winner is None and match.over:
        return Game(black, white, first.stage, table, None, 0, 0, Winner.NEITHER, EndReason.FORFEIT, False)
    winner = None if match.winner is None else Winner.BLACK if match.winner == black else Winner.WHITE
    played = next((game.end for game in match.games if game.over_the_board), match.games[-1].end)
    black_discs, white_discs = (
        sum(game.discs(name) or 0 for game in match.games) if winner else None for name in (black, white)
    )
    return Game(black, white, first.stage, table, None, black_discs, white_discs, winner, played)


def open_match(event: Event) -> tuple[int, MultiGameMatch] | None:
    """Return the first match of which a game is still to be played, though all that the event has are finished, and
    its round."""
    for round_ in event.rounds:
        for match in matches_in(event, round_):
            if match.best_of > 1 and not match.over and all(game.winner is not None for game in match.games):
                return round_.number, match
    return None
