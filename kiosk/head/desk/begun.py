"""What the tables say they were given to play.

The law: it matters only to a head that knows less than its tables, because it was restored from a backup or lost its
disk, and in a division only until this head publishes a round of its own. A round that tables have begun is published
again after a person at the desk said that the tables are right, if it is paired as the tables have it; a game stays
where it is played. Of a game that two tables claim nobody is believed: one of them lies, or died with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.tournament.model import Game
from kiosk.head.event.names import game_id
from kiosk.head.event.pairing import Draft
from kiosk.head.event.state import MAIN, DivisionState
from kiosk.head.store import StoredRecord
from kiosk.head.store.chain import OperatorEvent
from kiosk.link.errors import MessageError
from kiosk.link.messages import Assigned, from_dict

#: the operator event by which a person at the desk said that the tables are right
FOLLOW = "order-follow-tables"


@dataclass(slots=True)
class BegunGames:
    """The tables that were given each game, and the two players it was given for. ``restored_after``: the last operator
    event of the store's life before (``Store.restored_after``)."""

    restored_after: int | None = None
    #: whether somebody at the desk said that the tables are right
    followed: bool = False
    _over: set[str] = field(default_factory=set)
    _games: dict[str, dict[int, frozenset[str]]] = field(default_factory=dict)

    def note(self, event: OperatorEvent) -> None:
        """Takes an operator event."""
        if self.restored_after is None or event.number <= self.restored_after:
            return
        if event.kind == FOLLOW:
            self.followed = True
        elif event.kind == "round-published" and not event.body.get("told"):
            self._over.add(str(event.body.get("division", MAIN)))

    def counts(self, slug: str) -> bool:
        """Whether the head may know less of a division than its tables."""
        return self.restored_after is not None and slug not in self._over

    def take(self, records: Iterable[StoredRecord]) -> bool:
        """Notes the games begun and taken back among ``records``; gives whether one was begun."""
        begun = False
        for record in records:
            if record.type == "withdrawn":
                claims = self._games.get(game := str(record.body.get("game")), {})
                if claims.pop(record.table, None) is not None and not claims:
                    del self._games[game]
            if record.type != "assigned":
                continue
            begun = True
            try:
                given = from_dict(Assigned, record.body).assignment
            except MessageError:  # of another version: the table shows its game, the head cannot take it up
                continue
            claims = self._games.setdefault(given.game, {})
            claims[record.table] = frozenset(player.id for player in given.players)
        return begun

    def tables(self, game: str) -> list[int]:
        """The tables that say they were given the game."""
        return sorted(self._games.get(game, ()))

    def table(self, game: str) -> int | None:
        """The only table that says it was given the game."""
        tables = self.tables(game)
        return tables[0] if len(tables) == 1 else None

    def games(self, event_id: str, round: int) -> frozenset[str]:
        """The games of a round that tables say they were given."""
        start = game_id(event_id, round, 0)[:-1]
        return frozenset(game for game in tuple(self._games) if game.startswith(start))

    def fits(self, begun: Iterable[str], division: DivisionState, made: Draft) -> bool:
        """Whether the draft has these games with the same players."""
        drafted = {
            game_id(division.event_id, made.round, number, division.edition): frozenset(game.players)
            for number, game in enumerate(made.games, start=1)
            if isinstance(game, Game)
        }
        claimed = {game: table for game in begun if (table := self.table(game)) is not None}
        return all(drafted.get(game) == self._games[game][table] for game, table in claimed.items())
