"""The bracket of a division: the final and the games that led to it, as a tree.

It is derived backwards from the last games: the latest bracket game that a player won before leads to a game. This
draws any knock-out, whatever its seeding; where it gives no tree, the rounds are shown side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.tournament.event_model import WIN, Game, Stage
from kiosk.head.publish.published_event import PublishedDivision, PublishedGame

_TREE = frozenset({Stage.KNOCKOUT, Stage.SEMI_FINAL, Stage.FINAL})
_BESIDE = frozenset({Stage.THIRD_PLACE, Stage.WOMENS_FINAL})


@dataclass(frozen=True, slots=True)
class BracketSlot:
    """One slot of a column: a game, or a player without a game there (a bye), or nothing."""

    played: PublishedGame | None = None
    waiting: str | None = None

    @property
    def game(self) -> Game | None:
        return self.played.game if self.played else None


@dataclass(frozen=True, slots=True)
class Bracket:
    """The bracket of a division. ``columns``: the slots of each step, the first one first. ``tree``: whether two slots
    lead to each of the next column; else a column is a round, because losers continue (M40F17, M40F13). ``beside``:
    games for 3rd place and the like.
    """

    columns: tuple[tuple[BracketSlot, ...], ...]
    beside: tuple[PublishedGame, ...]
    tree: bool = True


def bracket_of(division: PublishedDivision) -> Bracket | None:
    """Return the bracket; None if nothing of it has been paired, or where teams meet."""
    if division.event.facts.teams:
        return None
    games = [played for played in division.matches if played.game.stage in _TREE]
    if not games:
        return None
    beside = tuple(played for played in division.matches if played.game.stage in _BESIDE)
    columns = _tree(games)
    shown = [place.played.key for column in columns for place in column if place.played]
    if len(shown) == len(games) == len(set(shown)):
        return Bracket(columns, beside)
    rounds = sorted({played.round for played in games})
    by_round = tuple(tuple(BracketSlot(played) for played in games if played.round == number) for number in rounds)
    return Bracket(by_round, beside, tree=False)


def _tree(games: Sequence[PublishedGame]) -> tuple[tuple[BracketSlot, ...], ...]:
    last = max(played.round for played in games)
    columns = [tuple(BracketSlot(played) for played in games if played.round == last)]
    while True:
        before = tuple(source for place in columns[0] for source in _sources(games, place))
        if not any(place.played for place in before):
            return tuple(columns)
        columns.insert(0, before)


def _sources(games: Sequence[PublishedGame], place: BracketSlot) -> tuple[BracketSlot, BracketSlot]:
    """Return the slots from which the two players of a slot came."""
    if place.played is None:
        return BracketSlot(), BracketSlot()
    first, second = (_slot_won_before(games, id, place.played.round) for id in place.played.game.players)
    return first, second


def _slot_won_before(games: Sequence[PublishedGame], id: str, round_: int) -> BracketSlot:
    won = [
        played
        for played in games
        if played.round < round_ and id in played.game.players and played.game.half_points(id) == WIN
    ]
    return BracketSlot(max(won, key=lambda played: played.round)) if won else BracketSlot(waiting=id)
