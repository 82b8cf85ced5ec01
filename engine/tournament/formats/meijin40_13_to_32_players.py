"""Formats ``m40-17-32`` and ``m40-13-16``: the new Othello system and its modified form (RULES.md 6.5 and 6.6).

The unbeaten play a knock-out. Players who lose late in it play a second one for 3rd place or for the semi-finals. All
others play the placement league with adjacent pairing (M40P17). Six rounds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence

from engine.i18n import Text, say
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import Bye, Event, Stage
from engine.tournament.formats import meijin40_ranking_pools_and_finals as m40
from engine.tournament.formats.format_interface import Entry
from engine.tournament.formats.meijin40_base_and_othello_pool import READINGS, M40Format, m40_spec
from engine.tournament.lots_and_leagues import designated_numbers, halved_block_sizes, players_to_place
from engine.tournament.othello_system_pairing import Direction

#: what the round counts in which the unbeaten wait: AMB-23
WAITING = spec.ChoiceOption("waiting", None, ("win", "nothing"))
#: the readings of a format with a bracket
BRACKET_READINGS = (*READINGS, spec.SEED_PLACES, WAITING)
LATE = (say("A late entry plays in the placement league only."),)


class M40Bracket(M40Format):
    """Base class. ``unbeaten_rounds``: after so many rounds the unbeaten tournament has its two finalists."""

    direction = Direction.HIGHEST
    ranking = m40.M40Ranking.M40K17
    unbeaten_rounds: int

    def knockout(self, at: m40.RoundContext) -> tuple[list[Entry], list[Text]]:
        """Return the games outside the placement league, and the warnings they need."""
        number = at.round
        if number == 1:
            return at.games(first_duels(at), Stage.KNOCKOUT), []
        if number > self.unbeaten_rounds + 1:
            return self.finals(at)
        unbeaten, losers = unbeaten_and_losers(at, min(number - 1, self.unbeaten_rounds))
        duels = paired(unbeaten) if number <= self.unbeaten_rounds else []
        idle = idle_byes(at, unbeaten) if number > self.unbeaten_rounds else []
        beside = self.second_knockout(at, losers) if number >= self.unbeaten_rounds else []
        return [*idle, *at.games([*duels, *beside], Stage.KNOCKOUT)], []

    @abstractmethod
    def second_knockout(self, at: m40.RoundContext, losers: Sequence[Sequence[str | None]]) -> list[m40.Duel]:
        """Return the games of the players who lost late, from the last round of the unbeaten tournament on. ``losers``:
        by round."""

    def plan(self, at: m40.RoundContext) -> m40.RoundPlan:
        entries, warnings = self.knockout(at)
        waiting = self.waiting(at.event, at.round).get(at.round, ())
        return m40.RoundPlan(
            (m40.M40Pool(at.others(entries, idle=waiting), Stage.PLACEMENT),), tuple(entries), tuple(warnings)
        )

    def waiting(self, event: Event, after: int) -> Mapping[int, Sequence[str]]:
        """Return the round in which the unbeaten have no opponent, and these players."""
        at_round = self.unbeaten_rounds + 1
        if after < at_round:
            return {}
        at = self.situation(event, at_round)
        slots, _ = unbeaten_and_losers(at, self.unbeaten_rounds)
        return {at_round: [name for name in slots if name is not None and name in at.here]}

    def idle(self, event: Event, after: int) -> Mapping[int, Sequence[str]]:
        """Return the rounds that waiting players win without a game (AMB-23)."""
        return {} if WAITING.of(event) == "nothing" else self.waiting(event, after)

    def has_fourth(self, event: Event) -> bool:
        """Return False: the loser of the 3rd-place game is ranked by M40K17 (M40K17-1)."""
        return False


def idle_byes(at: m40.RoundContext, slots: Sequence[str | None]) -> list[Entry]:
    """Return the byes of the waiting unbeaten players (AMB-23), none if ``waiting`` is "nothing"."""
    if WAITING.of(at.event) == "nothing":
        return []
    return [Bye(name, Stage.KNOCKOUT) for name in slots if name in at.here]


def semi_finals_of(at: m40.RoundContext, order: Sequence[str]) -> list[m40.Duel]:
    """Return the semi-finals of four by the rule of M40F13-3; of fewer, the first have byes, as in M40F9-5."""
    if len(order) < 4:
        first, second, third = [*order, None, None, None][:3]
        return [duel for duel in ((first, None), (second, third)) if any(duel)]
    losses = {name: sum(not r[name].won for r in at.results if name in r) for name in order}
    return m40.semi_final_pairs(order, losses, m40.ranked_pool(at, order).met)


class M4013To16(M40Bracket):
    """M40F13: unbeaten tournament in rounds 1 to 3, repechage in rounds 3 and 4, semi-finals in round 5."""

    facts = m40_spec(
        "m40-13-16", say("13–16 players"), say("A bracket with repechage, six rounds."), (13, 16),
        spec.LotRules(bracket=8), readings=BRACKET_READINGS, late=LATE,
    )  # fmt: skip
    unbeaten_rounds = 3

    def second_knockout(self, at: m40.RoundContext, losers: Sequence[Sequence[str | None]]) -> list[m40.Duel]:
        """Return the repechage games (M40F13-1, M40F17-8): in round 3, the round-2 losers of the same half; in round 4,
        a round-3 loser and the survivor of the other half."""
        duels_of_round = paired(losers[1])
        if at.round > 3:
            (first, second), _ = after_round(at, duels_of_round, 3)
            lost_first, lost_second = losers[2]
            duels_of_round = [(lost_first, second), (lost_second, first)]
        return duels_of_round

    def knockout(self, at: m40.RoundContext) -> tuple[list[Entry], list[Text]]:
        if at.round != 5:
            return super().knockout(at)
        pairs, warnings = self._semi_finals(at)
        return at.games(pairs, Stage.SEMI_FINAL), warnings

    def _semi_finals(self, at: m40.RoundContext) -> tuple[list[m40.Duel], list[Text]]:
        """Return the semi-finals of the two unbeaten and the two winners of the repechage (M40F13-2, M40F13-3); the
        next in rank replaces a player who has withdrawn."""
        unbeaten, losers = unbeaten_and_losers(at, 3)
        before = self.situation(at.event, 4)
        winners, _ = after_round(at, self.second_knockout(before, losers), 4)
        seats = at.ranked(name for name in (*unbeaten, *winners) if name is not None)
        added = [name for name in at.ranked(at.here) if name not in seats][: 4 - len(seats)]
        warnings = [
            say("{label} takes a free place in the semi-finals, as the next in rank", label=at.event.called(name))
            for name in added
        ]
        order = at.ranked([*seats, *added])
        return semi_finals_of(at, order), warnings

    def expected_finals(self, at: m40.RoundContext) -> tuple[m40.Duel, m40.Duel]:
        pairs, _ = self._semi_finals(self.situation(at.event, 5))
        decided = m40.deciding_games(at.event, 5, Stage.SEMI_FINAL, pairs)
        return m40.winners_and_losers(decided)


class M4017To32(M40Bracket):
    """M40F17: unbeaten tournament in rounds 1 to 4, 3rd-place tournament in rounds 4 and 5, final in round 6."""

    facts = m40_spec(
        "m40-17-32", say("17–32 players"), say("A bracket with placement games, six rounds."), (17, 32),
        spec.LotRules(bracket=16), readings=BRACKET_READINGS, late=LATE,
    )  # fmt: skip
    unbeaten_rounds = 4

    def second_knockout(self, at: m40.RoundContext, losers: Sequence[Sequence[str | None]]) -> list[m40.Duel]:
        """Return the games of the 3rd-place tournament (M40F17-5, M40F17-8): in round 4, the round-3 losers of the same
        half; in round 5, the two round-4 losers, and the two survivors; in round 6, the two winners."""
        duels_of_round = paired(losers[2])
        if at.round > 4:
            survivors, _ = after_round(at, duels_of_round, 4)
            duels_of_round = [*paired(losers[3]), *paired(survivors)]
        if at.round > 5:
            winners, _ = after_round(at, duels_of_round, 5)
            duels_of_round = paired(winners)
        return duels_of_round

    def expected_finals(self, at: m40.RoundContext) -> tuple[m40.Duel, m40.Duel]:
        unbeaten, losers = unbeaten_and_losers(at, 4)
        return paired(unbeaten)[0], self.second_knockout(at, losers)[0]


# M40 knock-out bracket in slots, replayed from the results (AMB-22).
#
# - Places in the bracket follow the lots; byes are only in its first round, spread as evenly as halving allows.
# - Once the first round has been played, its pairs in the order of their lots are the bracket.
# - A slot without a player is empty; a player who meets an empty slot advances.

Unit = tuple[str, ...]


def paired(slots: Sequence[str | None]) -> list[m40.Duel]:
    """Return the pairs of neighbouring slots."""
    return [(slots[index], slots[index + 1]) for index in range(0, len(slots), 2)]


def _games_of_a_full_round(event: Event) -> int:
    """Return the games of the first round when the bracket is full: of 32 players 16, of 16 players 8."""
    return event.facts.lots.bracket if event.facts.lots else 0


def bracket_units(event: Event, lots: Mapping[str, int], outside: Collection[str] = ()) -> list[Unit]:
    """Return the bracket as drawn: blocks of one or two players in rising order of lots; seeds 1 to 4 are apart, unless
    ``seed_places`` leaves them to their lots (AMB-22). ``outside``: players without a place in it."""
    count = _games_of_a_full_round(event)
    order = sorted((p.id for p in players_to_place(event) if p.id not in outside), key=lots.__getitem__)
    seeds = {p.seed: p.id for p in event.players if p.seed is not None and p.seed <= 4 and p.id in set(order)}
    if spec.SEED_PLACES.of(event) != "lots" and not _are_seeds_apart(order, seeds):
        designated = {seeds[seed]: number for seed, number in designated_numbers(len(order)).items() if seed in seeds}
        order = [name for name in order if name not in designated]
        for name, number in sorted(designated.items(), key=lambda item: item[1]):
            order.insert(number - 1, name)
    units, first = [], 0
    for size in halved_block_sizes(len(order), count):
        units.append(tuple(order[first : first + size]))
        first += size
    return units


def _are_seeds_apart(order: Sequence[str], seeds: dict[int, str]) -> bool:
    """Return whether seeds 1 to 4 are in the four quarters, 1 and 2 in different halves (AMB-22)."""
    ends = [sum(halved_block_sizes(len(order), 4)[: part + 1]) for part in range(4)]
    quarter = {seed: sum(order.index(name) >= end for end in ends) for seed, name in seeds.items()}
    halves_differ = 1 not in quarter or 2 not in quarter or quarter[1] // 2 != quarter[2] // 2
    return len(set(quarter.values())) == len(quarter) and halves_differ


def units(at: m40.RoundContext) -> list[Unit]:
    """Return the bracket as played: the recorded first round, in the drawn order if it is the drawn one. Pairs beyond a
    full bracket are late entries, last in the list, who only play in the placement league."""
    if not at.event.rounds:
        return bracket_units(at.event, at.lots)
    first = at.event.rounds[0]
    entered = {player.id: place for place, player in enumerate(at.event.players)}
    played: list[Unit] = [entry.players for entry in first.entries]
    played.sort(key=lambda unit: min(entered[name] for name in unit))
    late = {name for unit in played[_games_of_a_full_round(at.event) :] for name in unit}
    played = [unit for unit in played if not late.intersection(unit)]
    drawn = bracket_units(at.event, at.lots, late)
    recorded = {frozenset(unit) for unit in played}
    if all(frozenset(unit) in recorded for unit in drawn if len(unit) > 1):
        return drawn
    played.sort(key=lambda unit: min(at.lots[name] for name in unit))
    return [*played, *[()] * (_games_of_a_full_round(at.event) - len(played))]


def first_duels(at: m40.RoundContext) -> list[m40.Duel]:
    """Return the pairs of the first round; a player alone in his unit has no opponent."""
    return [((*unit, None, None)[0], (*unit, None, None)[1]) for unit in units(at)]


def winner_and_loser(at: m40.RoundContext, duel: m40.Duel, round_: int) -> m40.Duel:
    """Return (winner, loser) of a pair in a past round; (the player present, None) where the other was absent."""
    one, other = (name if name is not None and at.was_present(name, round_) else None for name in duel)
    if one is None or other is None:
        return one or other, None
    for winner, loser in ((one, other), (other, one)):
        result = at.results[round_ - 1].get(winner)
        if result is not None and result.won:
            return winner, loser
    return None, None


def after_round(
    at: m40.RoundContext, duels: Sequence[m40.Duel], round_: int
) -> tuple[list[str | None], list[str | None]]:
    """Return (the winners, the losers) of a round of the bracket, slot by slot."""
    decided = [winner_and_loser(at, duel, round_) for duel in duels]
    return [winner for winner, _ in decided], [loser for _, loser in decided]


def unbeaten_and_losers(at: m40.RoundContext, rounds: int) -> tuple[list[str | None], list[list[str | None]]]:
    """Return the slots of the unbeaten tournament after ``rounds`` rounds, and the losers of each of these rounds."""
    slots: list[str | None] = []
    losers: list[list[str | None]] = []
    for number in range(1, rounds + 1):
        slots, lost = after_round(at, paired(slots) if slots else first_duels(at), number)
        losers.append(lost)
    return slots, losers
