"""Player histories before a round: score, colours, last float, byes, meetings; and who is present, absent or
withdrawn.

Pairing reads the past only from here; this module reads it only from the event file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from engine.tournament.event_model import EVERY_ROUND, WIN, Event, Game, Player, Round, Stage, event_error
from engine.tournament.organiser_pairing_constraints import Constraints, constraints_of

#: stages that are paired as a league: their results are the score (M43-1)
LEAGUE_STAGES = (Stage.LEAGUE, Stage.PLACEMENT)


class ColorSide(StrEnum):
    BLACK = "black"
    WHITE = "white"


@dataclass(slots=True)
class PlayerHistory:
    """One player's past. ``sides`` has one entry per round, None where he played no game.

    ``last_float`` is his score minus his opponent's in the last round, in half points, before that game: positive means
    that he floated down. A bye is a float down. ``last_points`` are the half points of that game, None without one.
    """

    score: int = 0
    balance: int = 0  # games with Black minus games with White
    sides: list[ColorSide | None] = field(default_factory=list)
    last_float: int = 0
    last_points: int | None = None
    byes: int = 0

    @property
    def last_side(self) -> ColorSide | None:
        return self.sides[-1] if self.sides else None


@dataclass(slots=True)
class History:
    """Past of all players before round ``round``. ``meetings``: (black, white) -> the rounds in which they met with
    these colours. ``wishes``: the constraints of this round."""

    round: int
    records: dict[str, PlayerHistory]
    meetings: dict[tuple[str, str], list[int]]
    wishes: Constraints = field(default_factory=Constraints)

    def met(self, one: str, other: str) -> list[int]:
        """Return the rounds in which the two met, with either colours."""
        return sorted(self.meetings.get((one, other), []) + self.meetings.get((other, one), []))


def history_before(event: Event, round_: int, stages: Iterable[Stage] = LEAGUE_STAGES) -> History:
    """Return the past of every entry before round ``round_``; that of late entries is empty."""
    history = History(
        round_, {player.id: PlayerHistory() for player in event.players}, {}, constraints_of(event, round_)
    )
    counted = frozenset(stages)
    for past in event.rounds[: round_ - 1]:
        _add(history, past, counted)
    return history


def _add(history: History, past: Round, stages: frozenset[Stage]) -> None:
    records = history.records
    for record in records.values():
        record.sides.append(None)
        record.last_float, record.last_points = 0, None
    games = [game for game in past.games if game.stage in stages]
    floats = {game: records[game.black].score - records[game.white].score for game in games}
    for game in games:
        _add_game(history, game, floats[game], past.number)
    for bye in past.byes:
        if bye.stage in stages:
            record = records[bye.player]
            record.score += WIN
            record.byes += 1
            record.last_float = 1


def _add_game(history: History, game: Game, float_of_black: int, round_: int) -> None:
    signs = ((game.black, 1, ColorSide.BLACK), (game.white, -1, ColorSide.WHITE))
    for player, sign, side in signs:
        record = history.records[player]
        points = game.half_points(player)
        record.score += points
        record.last_float = sign * float_of_black
        record.last_points = points
        if game.over_the_board:
            record.balance += sign
            record.sides[-1] = side
    if game.over_the_board:
        history.meetings.setdefault((game.black, game.white), []).append(round_)


def present_entries(event: Event, round_: int) -> tuple[Player, ...]:
    """Return the entries to be paired in a round: not absent, not withdrawn before it, not away in it."""
    away = away_in_round(event, round_)
    return tuple(
        player
        for player in event.players
        if not player.absent and not has_withdrawn(player, round_ - 1) and player.id not in away
    )


def remaining_players(event: Event) -> list[Player]:
    """Return the players who are neither absent nor withdrawn, whatever the round."""
    return [player for player in event.players if not player.absent and player.withdrawn_after_round is None]


def check_enough_present(count: int) -> None:
    """Check that so many players can have a round.

    :raises EventError: if they are fewer than two
    """
    if count < 2:
        raise event_error("{n} player(s) present; a round needs two or more, check 'absent' and withdrawals", n=count)


def ranked_entries(event: Event) -> tuple[Player, ...]:
    """Return all entries but no-shows, who are absent and have had neither a game over the board nor a bye. A no-show
    is neither ranked nor counted, and a game that he forfeited does not count for his opponent's tie-breaks."""
    present = {name for round_ in event.rounds for game in round_.games if game.over_the_board for name in game.players}
    present.update(bye.player for round_ in event.rounds for bye in round_.byes)
    return tuple(player for player in event.players if not player.absent or player.id in present)


def who_came(event: Event) -> frozenset[str]:
    """Return the players who played a game, or were there to be given one."""
    games = [game for round_ in event.rounds for game in round_.games]
    present = {name for game in games for name in game.players if game.over_the_board or game.half_points(name)}
    return frozenset(present.union(bye.player for round_ in event.rounds for bye in round_.byes))


def away_in_round(event: Event, round_: int) -> frozenset[str]:
    """Return who misses this round by ``options.absences``; a team stands for all its players."""
    named = {name for key in (EVERY_ROUND, str(round_)) for name in event.options.absences.get(key, ())}
    return frozenset(named.union(*(team.players for team in event.teams if team.id in named)))


def has_withdrawn(player: Player, after: int) -> bool:
    """Return whether a player withdrew by the end of round ``after``."""
    return player.withdrawn_after_round is not None and player.withdrawn_after_round <= after
