"""What the tables say they were given to play.

The law: it matters only to a head that knows less than its tables, because it was restored from a backup or lost its
disk, and in a division only until this head publishes a round of its own; except for a game that waits for a table or
is refused by its own (an older copy of the head's disk went on, and nobody said so). A table that was silent
meanwhile may tell of a game after this head gave it to another. No claim counts before a person at the desk saw which
table claims which game, and said that it plays it. A round that tables have begun is published again if it is paired
as the believed tables have it; a game stays where it is played. Of a game that two tables claim at most one is
believed, and nobody unless he was seen: the other lies, or died with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from engine.tournament.model import Game
from kiosk.head.event.names import game_id
from kiosk.head.event.pairing import Draft
from kiosk.head.event.state import MAIN, DivisionState
from kiosk.head.store import StoredRecord
from kiosk.head.store.chain import OperatorEvent
from kiosk.link.errors import MessageError
from kiosk.link.messages import Assigned, from_dict

#: the operator event by which a person at the desk said of games which table plays them
FOLLOW = "order-follow-tables"


@dataclass(frozen=True, slots=True)
class Claim:
    """A game that nobody at the desk has decided about: the ``tables`` that say they were given it, for ``players``."""

    division: DivisionState
    round: int
    game: str
    tables: tuple[int, ...]
    players: tuple[str, ...]


@dataclass(slots=True)
class BegunGames:
    """The tables that were given each game, and the two players it was given for. ``restored_after``: the last operator
    event of the store's life before (``Store.restored_after``), which may begin another while this head runs."""

    restored_after: Callable[[], int | None] = lambda: None
    #: what somebody at the desk said of a game: the operator event, and the table that plays it, None if no claim of it
    #: is believed
    _word: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    #: by division, the last operator event by which this head published a round of its own
    _published: dict[str, int] = field(default_factory=dict)
    #: how many records had come when a game was given its table
    _seated: dict[str, int] = field(default_factory=dict)
    #: by the beginning of their names, which is that of their round; by table the players, and the record's arrival
    _rounds: dict[str, dict[str, dict[int, tuple[frozenset[str], int]]]] = field(default_factory=dict)

    def note(self, event: OperatorEvent) -> None:
        """Takes an operator event."""
        if event.kind == FOLLOW and isinstance(games := event.body.get("games"), Mapping):
            for game, table in games.items():
                self._word[str(game)] = event.number, table if isinstance(table, int) else None
        elif event.kind == "round-published" and not event.body.get("told"):
            self._published[str(event.body.get("division", MAIN))] = event.number
        elif event.kind == "game-seated" and isinstance(arrived := event.body.get("arrived"), int):
            self._seated[str(event.body.get("game"))] = arrived

    def counts(self, slug: str) -> bool:
        """Whether the head may know less of a division than its tables."""
        after = self.restored_after()
        return after is not None and self._published.get(slug, 0) <= after

    def take(self, records: Iterable[StoredRecord]) -> bool:
        """Notes the games begun and taken back among ``records``; gives whether one was begun."""
        begun = False
        for record in records:
            if record.type == "withdrawn":
                self._claims(str(record.body.get("game"))).pop(record.table, None)
            if record.type != "assigned":
                continue
            begun = True
            try:
                given = from_dict(Assigned, record.body).assignment
            except MessageError:  # of another version: the table shows its game, the head cannot take it up
                continue
            claims = self._rounds.setdefault(_round(given.game), {}).setdefault(given.game, {})
            claims[record.table] = frozenset(player.id for player in given.players), record.arrival
        return begun

    def _claims(self, game: str) -> dict[int, tuple[frozenset[str], int]]:
        return self._rounds.get(_round(game), {}).get(game, {})

    def table(self, game: str) -> int | None:
        """The table that is believed to play the game."""
        table = self._word[game][1] if self._is_decided(game) else None
        return table if self.is_at(game, table) else None

    def tables(self, game: str) -> list[int]:
        """All that say that they were given the game."""
        return sorted(self._claims(game))

    def waits(self, game: str) -> bool:
        """Whether the desk still has to say who plays the game."""
        return bool(self._claims(game)) and not self._is_decided(game)

    def is_at(self, game: str, table: int | None) -> bool:
        """Whether a table was given the game, as it says, and has not given it back."""
        return table in self._claims(game)

    def is_elsewhere_too(self, game: str, seat: int | None) -> bool:
        """Whether another table than its own has said since it was seated there that it was given it."""
        seen = self._seated.get(game, 0)
        return any(table != seat and arrival > seen for table, (_, arrival) in self._claims(game).items())

    def since(self, game: str, table: int) -> int:
        """The record, as they arrived, with which a table said that it was given the game; 0 if it has just given it
        back."""
        return self._claims(game).get(table, (frozenset(), 0))[1]

    def _is_decided(self, game: str) -> bool:
        """Whether somebody at the desk said of it who plays it, in this life of the store."""
        return game in self._word and self._word[game][0] > (self.restored_after() or 0)

    def claim(self, division: DivisionState, round: int, game: str) -> Claim:
        """``game``: one that ``waits``."""
        tables = dict(self._claims(game))  # a record may come meanwhile
        players = sorted(set().union(*(players for players, _ in tables.values())))
        return Claim(division, round, game, tuple(sorted(tables)), tuple(players))

    def games(self, event_id: str, round: int) -> frozenset[str]:
        """The games of a round that tables say they were given, without those where the desk believes none."""
        named = tuple(self._rounds.get(_round(game_id(event_id, round, 0)), ()))
        return frozenset(game for game in named if self.waits(game) or self.table(game) is not None)

    def fits(self, begun: Iterable[str], division: DivisionState, made: Draft) -> bool:
        """Whether the draft has those of these games that a table is believed to play, with the same players."""
        drafted = {
            game_id(division.event_id, made.round, number, division.edition): frozenset(game.players)
            for number, game in enumerate(made.games, start=1)
            if isinstance(game, Game)
        }
        claimed = {game: table for game in begun if (table := self.table(game)) is not None}
        return all(drafted.get(game) == self._claims(game)[table][0] for game, table in claimed.items())


def _round(game: str) -> str:
    return game.rpartition("-")[0]
