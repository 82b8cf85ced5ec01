"""What is published: an event of one or more divisions, as its pages and prints want it.

The law: a division is its event, checked by ``engine.tournament``, and only looked at. Who publishes it gives the event
as ``spectators.shown_event`` has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.text import Text
from engine.tournament import Event, Standings, champion, is_over, standings
from engine.tournament.certificates import Award, awards
from engine.tournament.explain import explain_standings
from engine.tournament.formats.team_ranking import team_of
from engine.tournament.model import Game, TournamentError

#: what a key must be so that it can stand in an address and in a file name on every system
_KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")


@dataclass(frozen=True, slots=True)
class Played:
    """One game of a division. ``key`` names it in addresses: ``r3g2`` is the second game of round 3."""

    key: str
    round: int
    game: Game


class Division:
    """One division. Everything is worked out when it is first asked for."""

    def __init__(
        self,
        key: str,
        title: tuple[str, str],
        event: Event,
        standings: Standings | None = None,
        endings: Mapping[str, tuple[int, ...]] | None = None,
    ) -> None:
        """``title``: its name in Japanese and in English. ``standings``: if somebody has worked them out already.
        ``endings``: by transcript, the proved scores of its last boards, the last one's first.

        :raises ValueError: ``key`` cannot stand in an address.
        """
        if not _KEY.fullmatch(key):
            raise ValueError(f"division key {key!r} must be small letters, digits and hyphens, for addresses")
        self.key = key
        self.title = title
        self.event = event
        self._standings = standings
        self.endings = {} if endings is None else endings

    @cached_property
    def standings(self) -> Standings:
        return self._standings or standings(self.event)

    @cached_property
    def reasons(self) -> tuple[Text, ...]:
        """For each row of the standings why it stands above the next."""
        return explain_standings(self.event, self.standings)

    @cached_property
    def is_over(self) -> bool:
        return is_over(self.event)

    @cached_property
    def champion(self) -> str | None:
        return champion(self.event)

    @cached_property
    def awards(self) -> tuple[Award, ...]:
        """Grades and Oza qualifications; none where the format has no table or the table lacks the division."""
        if self.event.facts.certificate is None or not self.standings.after_round:
            return ()
        try:
            return awards(self.event)
        except TournamentError:
            return ()

    def promotes(self, award: Award | None) -> bool:
        """Whether it is another grade than he has: one that was kept is no new certificate (M43C-11)."""
        return award is not None and award.grade is not None and award.grade != self.grade(award.id)

    @cached_property
    def rank(self) -> dict[str, int]:
        """Rank by id of everybody in the standings."""
        return {row.id: row.rank for row in self.standings.rows}

    @cached_property
    def games(self) -> tuple[Played, ...]:
        """All games with two players, in order."""
        return tuple(
            Played(f"r{round_.number}g{number}", round_.number, game)
            for round_ in self.event.rounds
            for number, game in enumerate(round_.games, start=1)
        )

    @cached_property
    def recorded(self) -> tuple[Played, ...]:
        """The finished games with a transcript. A game in progress is nobody's to publish."""
        return tuple(played for played in self.games if played.game.transcript and played.game.winner is not None)

    @cached_property
    def team_of(self) -> dict[str, str]:
        return team_of(self.event)

    @cached_property
    def brightwell_c(self) -> str:
        c = self.event.options.brightwell_c
        return "64÷n" if isinstance(c, str) else str(c or 6)

    @cached_property
    def _names(self) -> dict[str, str]:
        players = {player.id: player.name or player.id for player in self.event.players}
        return players | {team.id: team.name or team.id for team in self.event.teams}

    @cached_property
    def _grades(self) -> dict[str, str | None]:
        return {player.id: player.grade for player in self.event.players}

    def name(self, id: str) -> str:
        """The name of a player or a team; the id if there is none."""
        return self._names.get(id, id)

    def seat_name(self, id: str) -> str:
        """The name of a player as he looks for himself: with his team's."""
        team = next((team for team in self.event.teams if id in team.players), None)
        return f"{self.name(id)} ({team.name or team.id})" if team is not None else self.name(id)

    def grade(self, id: str) -> str | None:
        return self._grades.get(id)


@dataclass(frozen=True, slots=True)
class Book:
    """An event: its name, day, and divisions; ``place``: where it was held, if somebody said; ``organiser``: who holds
    it, with the addresses of two pictures for its papers."""

    name: str
    date: str
    divisions: tuple[Division, ...]
    place: str = ""
    organiser: str = ""
    seal: str = ""
    logo: str = ""

    def division(self, key: str) -> Division | None:
        return next((division for division in self.divisions if division.key == key), None)


def book_of(divisions: Sequence[Division], name: str = "", date: str = "", place: str = "") -> Book:
    """The book of some divisions; name and day are those of the first that has one, unless given."""
    events = [division.event for division in divisions]
    found = name or next((event.name for event in events if event.name), "")
    day = date or next((event.date for event in events if event.date), "")
    return Book(found, day, tuple(divisions), place)
