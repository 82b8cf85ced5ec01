"""Format ``m40-9-12``: a league of four rounds in one pool, with byes from the top (RULES.md 6.7).

- The byes of the table go to the provisional top, so that the number of unbeaten players falls as in a knock-out; the
  others are paired as one pool.
- The best four, or three, play for the places; the others play on to round 6.
"""

from __future__ import annotations

from engine.i18n import say
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import Bye, Event, Stage
from engine.tournament.formats import meijin40_ranking_pools_and_finals as m40
from engine.tournament.formats.meijin40_13_to_32_players import semi_finals_of
from engine.tournament.formats.meijin40_base_and_othello_pool import READINGS, M40Format, m40_spec
from engine.tournament.lots_and_leagues import FIRST_LOT, players_to_place

LEAGUE_ROUNDS = 4
#: M40P9-2: players -> byes from the top in rounds 1 to 3
TOP_BYES = {9: (1, 1, 1), 10: (2, 2, 0), 11: (1, 0, 0), 12: (0, 0, 0)}
#: M40F9-2: (players with 3-0, players with 2-1) after round 3 with which the 3-0 players rest in round 4
RESTING = frozenset({(2, 4), (1, 6)})


#: 4th place by the game, or by wins: AMB-43
FOURTH_PLACE = spec.ChoiceOption("fourth_place", None, ("game", "wins"))
#: who has the bye of an odd pool: the dummy's player, or from the top: AMB-24
ODD_POOL = spec.ChoiceOption("odd_pool", None, ("dummy", "from_top"))


class M409To12(M40Format):
    facts = m40_spec(
        "m40-9-12", say("9–12 players"), say("Four rounds, semi-finals, finals."), (9, 12), spec.LotRules(),
        readings=(*READINGS, FOURTH_PLACE, ODD_POOL), first_lot=FIRST_LOT,
    )  # fmt: skip
    why_bye = say("a bye given from the top down (M40P9-2, M40F9-2)")

    def plan(self, at: m40.RoundContext) -> m40.RoundPlan:
        if at.round > LEAGUE_ROUNDS + 1:
            return self._finals(at)
        if at.round > LEAGUE_ROUNDS:
            return self._semi_finals(at)
        resting = _idle_unbeaten(at) if at.round == LEAGUE_ROUNDS else _top_byes(at)
        byes = [Bye(name, Stage.LEAGUE) for name in resting]
        return m40.RoundPlan((m40.M40Pool(at.others(byes), Stage.LEAGUE),), tuple(byes))

    def _seats(self, at: m40.RoundContext) -> tuple[str, ...]:
        """Return the best four after round 4, or three if exactly three have 3-1 or better (M40F9-3)."""
        order = at.ranked(at.here)
        wins = m40.wins_of(order, at.results)
        return order[:3] if sum(won >= 3 for won in wins.values()) == 3 else order[:4]

    def _due_semi_finals(self, event: Event) -> list[m40.Duel]:
        """Return the semi-finals: of four players as in 13 to 16 (M40F9-4); of three, the 1st has a bye, and 2nd and
        3rd meet (M40F9-5)."""
        at = self.situation(event, LEAGUE_ROUNDS + 1)
        seats = self._seats(at)
        return [(seats[1], seats[2]), (seats[0], None)] if len(seats) == 3 else semi_finals_of(at, seats)

    def _semi_finals(self, at: m40.RoundContext) -> m40.RoundPlan:
        entries = at.games(self._due_semi_finals(at.event), Stage.SEMI_FINAL)
        return m40.RoundPlan((m40.M40Pool(at.others(entries), Stage.PLACEMENT),), tuple(entries))

    def expected_finals(self, at: m40.RoundContext) -> tuple[m40.Duel, m40.Duel]:
        semi_finals = self._due_semi_finals(at.event)
        return m40.winners_and_losers(m40.deciding_games(at.event, LEAGUE_ROUNDS + 1, Stage.SEMI_FINAL, semi_finals))

    def _finals(self, at: m40.RoundContext) -> m40.RoundPlan:
        """Return the finals; with three players, the loser of the semi-final is 3rd and has finished (M40F9-5)."""
        final, third = self.expected_finals(at)
        entries = at.games([final], Stage.FINAL)
        idle = [name for name in third if name]
        if len(idle) == 2:
            entries += at.games([third], Stage.THIRD_PLACE)
        pool = m40.M40Pool(at.others(entries, idle=idle), Stage.PLACEMENT)
        return m40.RoundPlan((pool,), tuple(entries), tuple(m40.no_final(at, final)))

    def has_fourth(self, event: Event) -> bool:
        """Return whether the loser of the 3rd-place game is 4th, or ranked by his wins (AMB-43)."""
        return FOURTH_PLACE.of(event) != "wins"


def _top_byes(at: m40.RoundContext) -> tuple[str, ...]:
    """Return the byes from the provisional top, no player twice (M40P9-1, M40P9-2). If a withdrawal makes the rest odd,
    there is one fewer: the dummy would only add another bye."""
    count = TOP_BYES.get(len(players_to_place(at.event)), (0, 0, 0))[at.round - 1]
    if count and (len(at.here) - count) % 2:
        count -= 1
    if ODD_POOL.of(at.event) == "from_top" and (len(at.here) - count) % 2:
        count += 1  # AMB-24: the bye that an odd field needs comes from the top too
    again = m40.ranked_pool(at, at.here).had_bye
    return tuple(name for name in at.ranked(at.here) if name not in again)[:count]


def _idle_unbeaten(at: m40.RoundContext) -> tuple[str, ...]:
    """Return the unbeaten players who rest after round 3 because the others reduce to the right number without them
    (M40F9-2)."""
    wins = m40.wins_of(at.ranked(at.here), at.results)
    unbeaten = tuple(name for name, won in wins.items() if won == 3)
    return unbeaten if (len(unbeaten), sum(won == 2 for won in wins.values())) in RESTING else ()
