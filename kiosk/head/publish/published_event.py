"""Input of the pages and prints: an event of one or more divisions.

A division wraps its event, which ``engine.tournament`` has checked; it is read-only. For publication the caller passes
the event as returned by ``kiosk.head.event.publication_redaction_and_latin_names``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from engine.i18n import Text
from engine.tournament import Event, Standings, champion, is_over, standings
from engine.tournament.event_model import Game, Team, TournamentError
from engine.tournament.explain_standings import explain_standings
from engine.tournament.grade_and_oza_awards import Award, awards
from engine.tournament.multi_game_matches import matches_in, parts_of, single_games
from engine.tournament.player_entry_fields import Player, in_latin_letters, name_key
from engine.tournament.standings_and_tie_breaks import number_of_wins
from kiosk.locale import ENGLISH, Lang

#: form of a key that is valid in an address and in a file name on every system
_KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")


@dataclass(frozen=True, slots=True)
class PublishedGame:
    """A game and its place in its division. ``key`` is its address: ``r3g2`` is the second game of round 3. ``part``:
    which game of a match of several games it is, and the score after it. ``points``: those of Black and White in a
    whole match.
    """

    key: str
    round: int
    game: Game
    part: Text | None = None
    points: tuple[str, str] | None = None


class PublishedDivision:
    """One division. All values are computed on first use."""

    def __init__(
        self,
        key: str,
        title: tuple[str, str],
        event: Event,
        standings: Standings | None = None,
        endings: Mapping[str, tuple[int, ...]] | None = None,
    ) -> None:
        """``title``: its name in Japanese and in English. ``standings``: if they have been computed already.
        ``endings``: by transcript, the proved scores of its last positions, the last position first.

        :raises ValueError: ``key`` is not valid in an address.
        """
        if not _KEY.fullmatch(key):
            raise ValueError(f"division key {key!r} must be small letters, digits and hyphens, for addresses")
        self.key = key
        self.title = title
        self.event = event
        self._standings = standings
        self.endings = {} if endings is None else endings

    @cached_property
    def in_latin(self) -> PublishedDivision:
        """Return the division with names of other letters in Latin ones, where they are known."""
        players = tuple(map(in_latin_letters, self.event.players))
        event = replace(self.event, players=players, name=self.event.name_en or self.event.name)
        return PublishedDivision(self.key, self.title, event, self._standings, self.endings)

    @cached_property
    def standings(self) -> Standings:
        """Return the ranking; nobody is in it while the settings and players of a division without rounds allow none.

        :raises TournamentError: the results of its rounds cannot be ranked.
        """
        try:
            return self._standings or standings(self.event)
        except TournamentError:
            if self.event.rounds:
                raise
            return Standings(0, ())

    @cached_property
    def reasons(self) -> tuple[Text, ...]:
        """Return for each row of the standings why it stands above the next."""
        return explain_standings(self.event, self.standings)

    @cached_property
    def is_over(self) -> bool:
        return is_over(self.event)

    @cached_property
    def champion(self) -> str | None:
        return champion(self.event)

    @cached_property
    def awards(self) -> tuple[Award, ...]:
        """Return grades and Oza qualifications; none where the format has no table or the table lacks the division."""
        if self.event.facts.certificate is None or not self.standings.after_round:
            return ()
        try:
            return awards(self.event)
        except TournamentError:
            return ()

    def promotes(self, award: Award | None) -> bool:
        """Check whether the award is another grade than the present one: a grade that was kept is no new certificate
        (M43C-11).
        """
        return award is not None and award.grade is not None and award.grade != self.player(award.id).grade

    @cached_property
    def rank(self) -> dict[str, int]:
        """Return the rank of everybody in the standings, by id."""
        return {row.id: row.rank for row in self.standings.rows}

    @cached_property
    def games(self) -> tuple[PublishedGame, ...]:
        """Return all games with two players, in order."""
        found = []
        for round_ in self.event.rounds:
            parts = parts_of(self.event, round_.games)
            for number, (game, part) in enumerate(zip(round_.games, parts, strict=True), start=1):
                found.append(PublishedGame(f"r{round_.number}g{number}", round_.number, game, part))
        return tuple(found)

    @cached_property
    def matches(self) -> tuple[PublishedGame, ...]:
        """Return all games with two players, in order; a match of several games is one, with its points."""
        found = []
        keys = {id(one.game): one.key for one in self.games}
        singles = single_games(self.event).rounds
        for round_, single in zip(self.event.rounds, singles, strict=True):
            for match, game in zip(matches_in(self.event, round_), single.games, strict=True):
                points = None
                if match.best_of > 1:
                    points = number_of_wins(match.half_points[0]), number_of_wins(match.half_points[1])
                found.append(PublishedGame(keys[id(match.games[0])], round_.number, game, points=points))
        return tuple(found)

    @cached_property
    def recorded(self) -> tuple[PublishedGame, ...]:
        """Return the finished games with a transcript. A game in progress may not be published."""
        return tuple(played for played in self.games if played.game.transcript and played.game.winner is not None)

    @cached_property
    def brightwell_c(self) -> str:
        c = self.event.options.brightwell_c
        return "64÷n" if isinstance(c, str) else str(c or 6)

    @cached_property
    def _names(self) -> dict[str, str | None]:
        entries: tuple[Player | Team, ...] = (*self.event.players, *self.event.teams)
        return {entry.id: entry.name for entry in entries}

    @cached_property
    def _players(self) -> dict[str, Player]:
        return {player.id: player for player in self.event.players}

    def player(self, id: str) -> Player:
        """Return a player; of any other id, as a team's, one without a name and numbers."""
        return self._players.get(id) or Player(id)

    def name(self, id: str) -> str:
        """Return the name of a player or a team; the id if there is none."""
        return self._names.get(id) or id

    @cached_property
    def _distinct_names(self) -> dict[str, str]:
        names = {id: self.name(id) for id in self._names}
        known = Counter(map(name_key, names.values()))
        of_a_team = {id for team in self.event.teams for id in team.players}
        return {
            id: self.event.called(id) if id in of_a_team or known[name_key(name)] > 1 else name
            for id, name in names.items()
        }

    def distinct_name(self, id: str) -> str:
        """Return the name of a player, with his team's, or of a team, with what distinguishes namesakes, for lists and
        papers of the division."""
        return self._distinct_names.get(id, id)


@dataclass(frozen=True, slots=True)
class Book:
    """An event: its name, day, and divisions; ``place``: venue, if entered; ``organiser``: with the addresses of two
    pictures for its papers.
    """

    name: str
    date: str
    divisions: tuple[PublishedDivision, ...]
    place: str = ""
    organiser: str = ""
    seal: str = ""
    logo: str = ""
    name_en: str = ""

    def in_language(self, lang: Lang) -> Book:
        """Return the event with its name and its players as a page in that language shows them."""
        if lang != ENGLISH:
            return self
        divisions = tuple(division.in_latin for division in self.divisions)
        return replace(self, name=self.name_en or self.name, divisions=divisions)

    def division(self, key: str) -> PublishedDivision | None:
        return next((division for division in self.divisions if division.key == key), None)


def book_of(
    divisions: Sequence[PublishedDivision], name: str = "", date: str = "", place: str = "", name_en: str = ""
) -> Book:
    """Return the book of some divisions; unless given, names and day are those of the first that has one."""
    events = [division.event for division in divisions]
    found = name or next((event.name for event in events if event.name), "")
    day = date or next((event.date for event in events if event.date), "")
    english = name_en or next((event.name_en for event in events if event.name_en), "")
    return Book(found, day, tuple(divisions), place, name_en=english)
