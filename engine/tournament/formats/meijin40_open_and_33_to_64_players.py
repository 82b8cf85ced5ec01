"""Formats ``m40-open`` and ``m40-33-64``: four leagues, each won by its only unbeaten player (RULES.md 6.3 and 6.4).

- A league continues by itself until the number of its unbeaten players is a power of two; then its other players join
  the placement league, which is one for all four (M40F-2, AMB-18).
- League winners rest until the semi-finals A1 v D1 and B1 v C1.
- The open division has no 3rd-place game, the others have (M40R-1, M40F33-3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.i18n import Text, say, say_in
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import Bye, Event, Stage
from engine.tournament.formats import meijin40_ranking_pools_and_finals as m40
from engine.tournament.formats.format_interface import Entry
from engine.tournament.formats.meijin40_base_and_othello_pool import READINGS, M40Format, m40_spec
from engine.tournament.lots_and_leagues import FIRST_LOT, draw_lots
from engine.tournament.pairing_history_and_constraints import away_in_round, has_withdrawn

#: M40F-3: the leagues whose winners meet
SEMI_FINALS = (("A", "D"), ("B", "C"))


@dataclass(frozen=True, slots=True)
class LeagueProgress:
    """State of a league before a round: the players who have won every round so far, whether the others have left it,
    and the rounds that a winner of the league spent without a game."""

    unbeaten: tuple[str, ...]
    others_left: bool
    idle: Mapping[int, str]


def course_of(event: Event, members: Sequence[str], before: int) -> LeagueProgress:
    """Return the state of a league (M40F-1, M40F-2), replayed from the results."""
    results = m40.results_of(event, before - 1)
    withdrawn = {player.id for player in event.players if has_withdrawn(player, before - 1)}
    last_rounds = {player.id: player.withdrawn_after_round for player in event.players if player.id in withdrawn}

    def still_there(name: str, round_: int) -> bool:
        last = last_rounds.get(name)
        return last is None or last >= round_

    def there(names: Sequence[str], round_: int) -> list[str]:
        """Return the players who continue in the league; a winner of it who is away for a round misses nothing."""
        away = away_in_round(event, round_) if len(names) > 1 else frozenset[str]()
        return [name for name in names if still_there(name, round_) and name not in away]

    unbeaten = there(members, 1)
    others_left = False
    idle: dict[int, str] = {}
    for number, entries in enumerate(results, start=1):
        # a player alone from round 1 has a bye in it; without one he entered later and has won nothing
        if number > 1 and len(unbeaten) == 1 and unbeaten[0] not in entries:
            idle[number] = unbeaten[0]
            won = unbeaten
        else:
            won = [name for name in unbeaten if name in entries and entries[name].won]
        unbeaten = there(won, number + 1)
        # M40F-2; a league whose unbeaten players have all withdrawn has no winner
        others_left = others_left or len(unbeaten).bit_count() <= 1
    return LeagueProgress(tuple(unbeaten), others_left, idle)


#: one placement pool, or one for each league: AMB-18
PLACEMENT_POOL = spec.ChoiceOption("placement_pool", None, ("common", "by_league"))
LATE = (say("A late entry is not unbeaten and cannot win the league."),)


class M40Leagues(M40Format):
    """Base class. The semi-finals are in ``semi_final_round``, the final in the round after, which is the last."""

    why_semi_final = say("A1 meets D1 and B1 meets C1 (M40F-3)")
    semi_final_round: int

    def plan(self, at: m40.RoundContext) -> m40.RoundPlan:
        if at.round > self.semi_final_round:
            return self._finals(at)
        if at.round == self.semi_final_round:
            return self._semi_finals(at)
        return self._leagues(at)

    def idle(self, event: Event, after: int) -> Mapping[int, Sequence[str]]:
        """Return the rounds in which a league's winner rested, which count as won (M40K-11)."""
        idle: dict[int, list[str]] = {}
        leagues = draw_lots(event, leagues=True).leagues
        for members in leagues.values():
            for number, name in course_of(event, members, min(after, self.semi_final_round - 1) + 1).idle.items():
                idle.setdefault(number, []).append(name)
        return idle

    def _leagues(self, at: m40.RoundContext) -> m40.RoundPlan:
        draw = draw_lots(at.event, leagues=True)
        pools: list[m40.M40Pool] = []
        byes: list[Entry] = []
        for league, members in draw.leagues.items():
            course = course_of(at.event, members, at.round)
            unbeaten = at.ranked(course.unbeaten)
            if len(unbeaten) == 1:
                byes.append(Bye(unbeaten[0], Stage.LEAGUE, league))  # M40P-4, even a second one
            elif at.round == 1:
                pools.append(m40.M40Pool(at.ranked(members), Stage.LEAGUE, league, by_halves=True))
            else:
                pools.append(m40.M40Pool(unbeaten if course.others_left else at.ranked(members), Stage.LEAGUE, league))
        placement = _placement(at, at.others(byes, pools))
        return m40.RoundPlan((*(pool for pool in pools if pool.players), *placement), tuple(byes))

    def _seats(self, at: m40.RoundContext) -> tuple[dict[str, str | None], list[Text]]:
        """Return the winner of each league; if he has withdrawn, or nobody is unbeaten, the best of the players present
        who were in it from round 1."""
        seats: dict[str, str | None] = {}
        warnings = []
        late = {player.id for player in at.event.players}.difference(at.event.rounds[0].players)
        for league, everybody in draw_lots(at.event, leagues=True).leagues.items():
            members = [name for name in everybody if name not in late]
            unbeaten = at.ranked(course_of(at.event, members, self.semi_final_round).unbeaten)
            best = (*unbeaten, *at.ranked(members))[:1]
            seats[league] = best[0] if best else None
            if len(unbeaten) != 1:
                text = say("league {league} has {n} unbeaten players; the place stays empty")
                if best:
                    text = say("league {league} has {n} unbeaten players; {who} as its best player takes the place")
                    text = text(who=at.event.called(best[0]))
                warnings.append(text(league=league, n=len(unbeaten)))
        return seats, warnings

    def _semi_finals(self, at: m40.RoundContext) -> m40.RoundPlan:
        seats, warnings = self._seats(at)
        entries = at.games(((seats[one], seats[other]) for one, other in SEMI_FINALS), Stage.SEMI_FINAL)
        return m40.RoundPlan(_placement(at, at.others(entries)), tuple(entries), tuple(warnings))

    def expected_finals(self, at: m40.RoundContext) -> tuple[m40.Duel, m40.Duel]:
        """Return the winners and the losers of A1 v D1 and B1 v C1 (M40F-3)."""
        seats, _ = self._seats(self.situation(at.event, self.semi_final_round))
        due = [(seats[one], seats[other]) for one, other in SEMI_FINALS]
        return m40.winners_and_losers(m40.deciding_games(at.event, self.semi_final_round, Stage.SEMI_FINAL, due))

    def _finals(self, at: m40.RoundContext) -> m40.RoundPlan:
        """Return the game of the semi-final winners (M40F-3), of the losers too (M40F33-3), and a placement game for
        the others."""
        entries, warnings = self.finals(at)
        busy = [name for duel in self.expected_finals(at) for name in duel if name is not None]
        placement = _placement(at, at.others(entries, idle=busy)) if self.third_place else ()
        return m40.RoundPlan(placement, tuple(entries), tuple(warnings))


def _placement(at: m40.RoundContext, names: Sequence[str]) -> tuple[m40.M40Pool, ...]:
    """Return one pool for all four leagues (M40P-10); or one for each, if ``placement_pool`` says so (AMB-18)."""
    if PLACEMENT_POOL.of(at.event) != "by_league":
        return (m40.M40Pool(at.ranked(names), Stage.PLACEMENT),) if names else ()
    leagues = draw_lots(at.event, leagues=True).leagues
    pools = ((at.ranked(set(names).intersection(members)), league) for league, members in leagues.items())
    return tuple(m40.M40Pool(members, Stage.PLACEMENT, league) for members, league in pools if members)


class M4033To64(M40Leagues):
    facts = m40_spec(
        "m40-33-64", say("33–64 players"), say("Four leagues, four rounds, semi-finals, finals."), (33, 64),
        spec.LotRules(leagues=True), readings=(*READINGS, PLACEMENT_POOL), first_lot=FIRST_LOT, late=LATE,
    )  # fmt: skip
    semi_final_round = 5


class M40Open(M40Leagues):
    facts = m40_spec(
        "m40-open", say_in("m43_open", "Open"), say("Four leagues, six rounds, finals; lots from ballots."), (4, 256),
        spec.LotRules(leagues=True, generator=True), readings=(*READINGS, PLACEMENT_POOL), usual_players="65–256",
        division="open", first_lot=FIRST_LOT, late=LATE,
    )  # fmt: skip
    last_round = 8
    semi_final_round = 7
    third_place = False
