"""Games reported by tables that this head has no record of, after a restore.

- Reports matter only to a head that knows less than its tables, because it was restored from a backup or lost its disk,
  and in each division only until this head publishes a round of its own. Exception: a game that waits for a table or is
  refused by its own (an older copy of the head's disk was started without a restore).
- A table that was offline may report a game after this head gave it to another table.
- No claim counts before a person at the desk has seen which table claims which game and has confirmed the table.
- A round that tables have begun is published again if its pairing agrees with the believed tables; a game stays at its
  table.
- Of a game that two tables claim at most one is believed, and none without confirmation: the other table is wrong or
  broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from engine.tournament.event_model import Game
from engine.tournament.multi_game_matches import most_games
from kiosk.head.event.due_games_of_round import game_id, match_number
from kiosk.head.event.pairings_and_standings import Draft
from kiosk.head.event.tournament_state import MAIN, DivisionState
from kiosk.head.store import StoredRecord
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.link.errors import MessageError
from kiosk.link.link_messages import Assigned, from_dict

#: the operator event by which a person at the desk confirmed which table plays which game
FOLLOW = "order-follow-tables"


@dataclass(frozen=True, slots=True)
class GameClaim:
    """A game that the desk has not decided about: the ``tables`` that report they were given it, for ``players``."""

    division: DivisionState
    round: int
    game: str
    tables: tuple[int, ...]
    players: tuple[str, ...]


@dataclass(slots=True)
class ReportedGames:
    """The tables that were given each game, and the two players of each.

    ``restored_after``: the last operator event before the restore (``Store.restored_after``); another restore may
    happen while this head runs.
    """

    restored_after: Callable[[], int | None] = lambda: None
    #: the desk's decision about a game: number of the operator event, and the table that plays it; None if no claim is
    #: believed
    _word: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    #: by division, the last operator event by which this head published a round of its own
    _published: dict[str, int] = field(default_factory=dict)
    #: number of records that had arrived when a game was given its table
    _seated: dict[str, int] = field(default_factory=dict)
    #: by the common prefix of their names, which is that of their round; by table the players, and the record's arrival
    #: number
    _rounds: dict[str, dict[str, dict[int, tuple[frozenset[str], int]]]] = field(default_factory=dict)

    def note(self, event: OperatorEvent) -> None:
        """Apply an operator event."""
        if event.kind == FOLLOW and isinstance(games := event.body.get("games"), Mapping):
            for game, table in games.items():
                self._word[str(game)] = event.number, table if isinstance(table, int) else None
        elif event.kind == "round-published" and not event.body.get("told"):
            self._published[str(event.body.get("division", MAIN))] = event.number
        elif event.kind == "game-seated" and isinstance(arrived := event.body.get("arrived"), int):
            self._seated[str(event.body.get("game"))] = arrived

    def counts(self, slug: str) -> bool:
        """Check whether the head may know less of a division than its tables."""
        after = self.restored_after()
        return after is not None and self._published.get(slug, 0) <= after

    def ingest(self, records: Iterable[StoredRecord]) -> bool:
        """Note the games begun and taken back among ``records``; return whether one was begun."""
        begun = False
        for record in records:
            if record.type == "withdrawn":
                self._claims(str(record.body.get("game"))).pop(record.table, None)
            if record.type != "assigned":
                continue
            begun = True
            try:
                assignment = from_dict(Assigned, record.body).assignment
            except MessageError:  # another version's record: the table shows its game, but the head cannot use it
                continue
            claims = self._rounds.setdefault(_round(assignment.game), {}).setdefault(assignment.game, {})
            claims[record.table] = frozenset(player.id for player in assignment.players), record.arrival
        return begun

    def _claims(self, game: str) -> dict[int, tuple[frozenset[str], int]]:
        return self._rounds.get(_round(game), {}).get(game, {})

    def table(self, game: str) -> int | None:
        """Return the table that is believed to play the game."""
        table = self._word[game][1] if self._is_decided(game) else None
        return table if self.is_at(game, table) else None

    def tables(self, game: str) -> list[int]:
        """Return all tables that report they were given the game."""
        return sorted(self._claims(game))

    def waits(self, game: str) -> bool:
        """Check whether the desk has to decide which table plays the game."""
        return bool(self._claims(game)) and not self._is_decided(game)

    def is_at(self, game: str, table: int | None) -> bool:
        """Check whether a table reports that it was given a game and has not given it back."""
        return table in self._claims(game)

    def is_at_another_table(self, game: str, seat: int | None) -> bool:
        """Check whether another table has reported being given the game after it was seated at its own."""
        seen = self._seated.get(game, 0)
        return any(table != seat and arrival > seen for table, (_, arrival) in self._claims(game).items())

    def since(self, game: str, table: int) -> int:
        """Return the arrival number of the record with which a table reported the game; 0 if the table has given it
        back.
        """
        return self._claims(game).get(table, (frozenset(), 0))[1]

    def _is_decided(self, game: str) -> bool:
        """Check whether the desk has decided, in this life of the store, which table plays the game."""
        return game in self._word and self._word[game][0] > (self.restored_after() or 0)

    def claim(self, division: DivisionState, round: int, game: str) -> GameClaim:
        """Return the claim of a game that ``waits``."""
        tables = dict(self._claims(game))  # a record may arrive meanwhile
        players = sorted(set().union(*(players for players, _ in tables.values())))
        return GameClaim(division, round, game, tuple(sorted(tables)), tuple(players))

    def games(self, event_id: str, round: int) -> frozenset[str]:
        """Return the games of a round that tables report, without those for which the desk accepts no table's
        report."""
        named = tuple(self._rounds.get(_round(game_id(event_id, round, 0)), ()))
        return frozenset(game for game in named if self.waits(game) or self.table(game) is not None)

    def games_of_next_round(self, division: DivisionState) -> frozenset[str]:
        """Return the reported games of the round after the last ever published here. Empty unless this head was
        restored from a backup or lost its disk.
        """
        number = max(division.published_at, default=0) + 1
        if number != len(division.rounds) + 1 or not self.counts(division.slug):
            return frozenset()
        return self.games(division.event_id, number)

    def fits(self, begun: Iterable[str], division: DivisionState, made: Draft) -> bool:
        """Check whether the draft contains those of these games that a table is believed to play, with the same
        players.
        """
        drafted = {
            game_id(division.event_id, made.round, at, division.edition): frozenset(game.players)
            for number, game in enumerate(made.games, start=1)
            if isinstance(game, Game)
            for match_game in range(1, most_games(division.event, game.stage) + 1)
            for at in [match_number(number, len(made.games), match_game)]
        }
        claimed = {game: table for game in begun if (table := self.table(game)) is not None}
        return all(drafted.get(game) == self._claims(game)[table][0] for game, table in claimed.items())


def _round(game: str) -> str:
    return game.rpartition("-")[0]
