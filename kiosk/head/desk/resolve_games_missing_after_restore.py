"""Resolution of the games that tables claim to play and this head has no record of, after a restore or a lost store.

A table's claim is never rejected automatically. A person who has seen the boards decides which tables are right; what
they have begun is published again, round after round.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from kiosk.head.desk.act_commit_and_games_claimed_by_tables import (
    FOLLOW,
    EventCore,
    GameClaim,
    ReportedGames,
    under_lock,
)
from kiosk.head.desk.table_assignment import TableAssigner
from kiosk.head.errors import Conflict
from kiosk.head.event.tournament_state import DivisionState

#: most claims decided together
MOST_CLAIMS = 500


class ClaimResolver:
    def __init__(
        self, core: EventCore, seating: TableAssigner, begun: ReportedGames, has_sent_all_records: Callable[[], bool]
    ) -> None:
        """``has_sent_all_records``: whether the tables have sent all their records."""
        self._core, self._seating, self._begun, self._has_sent_all_records = core, seating, begun, has_sent_all_records

    def open(self) -> list[GameClaim]:
        """Return what the desk has to decide, at most ``MOST_CLAIMS`` games that tables report they were given:

        - games of rounds that this head does not have;
        - games it has that wait for a table or were refused by theirs;
        - at a restored head, games given to one table before another reported them.
        """
        found = []
        for division in self._core.state.divisions.values():
            if not self._has_sent_all_records():
                continue
            knows_less = self._begun.counts(division.slug)
            games = [
                (game.round, game.id)
                for game in division.current
                if (game.is_open and game.table is None)
                or self._seating.is_reported_elsewhere(game)
                or (knows_less and game.is_open and self._begun.is_at_another_table(game.id, game.table))
            ]
            number = len(division.rounds) + 1
            goes_on = knows_less and division.round_is_complete and number > max(division.published_at, default=0)
            while goes_on and len(games) <= MOST_CLAIMS and (begun := self._begun.games(division.event_id, number)):
                games += [(number, game) for game in sorted(begun, key=lambda game: (len(game), game))]
                number += 1
            found += [self._begun.claim(division, round, game) for round, game in games if self._begun.waits(game)]
        return found[:MOST_CLAIMS]

    def to_follow(self) -> list[tuple[DivisionState, int, list[int], list[list[int]]]]:
        """Group the claims by round: a division, its round, the tables that report playing it, and those of them that
        report the same game.
        """
        found = []
        for (_, number), group in groupby(self.open(), key=lambda claim: (claim.division.slug, claim.round)):
            claims = list(group)
            tables = sorted({table for claim in claims for table in claim.tables})
            disputed = [list(claim.tables) for claim in claims if len(claim.tables) > 1]
            found.append((claims[0].division, number, tables, disputed))
        return found

    @under_lock
    def follow_tables(self, digest: str | None = None, believed: Mapping[str, int] | None = None) -> None:
        """Apply a person's decision which tables are right: what they have begun is published again, round after round.

        ``digest``: of the claims that the person saw; ``believed``: the games seen played, each with one of the tables
        that claim it. None: all that only one table claims.

        :raises Conflict: the claims have changed meanwhile.
        """
        claims = self.open()
        if not claims:
            raise Conflict.saying("no table has newer data than this head any more; reload the page")
        if digest is not None and digest != claims_digest(claims):
            raise Conflict.saying("the tables report something else now; reload the page")
        if believed is None:
            believed = {claim.game: claim.tables[0] for claim in claims if len(claim.tables) == 1}
        plays = {claim.game: table if (table := believed.get(claim.game)) in claim.tables else None for claim in claims}
        wrong = [
            (claim.game, table)
            for claim in claims
            if (game := self._core.state.game(claim.game)) is not None and game.table in claim.tables
            for table in claim.tables
            if table not in (game.table, plays[claim.game])
        ]
        self._core.append_note(FOLLOW, {"games": plays}, self._seating.release(wrong))


def claims_digest(claims: Sequence[GameClaim]) -> str:
    """Return a digest that identifies the claims a person saw."""
    return hashlib.sha256(repr([(claim.game, claim.tables) for claim in claims]).encode()).hexdigest()[:16]
