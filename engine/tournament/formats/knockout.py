"""Format ``knockout``: single elimination.

- Seeds are as far apart as possible, 1 and 2 in different halves; unseeded players are drawn by lot from the event's
  recorded seed.
- If the number of players is not a power of two, round 1 has byes, the best seeds first.
- The bracket of round 1 is the bracket of the event; a constraint of the operator changes as few of its pairs as
  possible, and a player who was moved keeps the new place.
- The losers of the semi-finals share 3rd place; with ``options.third_place`` they play for it. Other players who lose
  in the same round share a rank.
- A hidden disc settles the colours, and there are no draws (M43-2).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.i18n import say, say_in
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import Bye, Event, Game, Round, Stage, event_error
from engine.tournament.formats import final_rounds
from engine.tournament.formats import format_interface as base
from engine.tournament.lots_and_leagues import LotDraw, participating_players
from engine.tournament.min_cost_matching import min_cost_matching
from engine.tournament.pairing_history_and_constraints import (
    Constraints,
    check_enough_present,
    constraints_of,
    present_entries,
)
from engine.tournament.standings_and_tie_breaks import Standings, StandingsRow, discs_in, shared_ranks

#: a place of the bracket: its player, None if it is empty
Slot = str | None
KEY_NAMES = ("rounds_survived", "wins")


#: a 3rd-place game; without it the losers of the semi-finals share 3rd place
THIRD_PLACE = spec.BoolOption("third_place", say("3rd-place game"))


class Knockout(base.Format):
    """Bracket of as many rounds as its size needs."""

    facts = spec.FormatSpec(
        "knockout",
        (
            spec.DivisionPreset(
                "knockout", "free", "knockout", say_in("knockout", "Knock-out"),
                say("The loser is out; seeds are placed far apart."), "2–",
                options={"third_place": True},
            ),
        ),
        choices=(THIRD_PLACE, *spec.MATCHES, spec.VARIANT),
        readings=spec.COMMON,
        late=(say("The bracket is drawn: a late entry has no game."),),
    )  # fmt: skip

    def next_round(self, event: Event) -> base.PairedRound:
        if self.is_over(event):
            raise event_error("the event is over after round {n}; the final is played", n=len(event.rounds))
        round_ = len(event.rounds) + 1
        here = {player.id for player in present_entries(event, round_)}
        slots = _apply_constraints(
            constraints_of(event, round_), [slot if slot in here else None for slot in _slots(event)], round_
        )
        stage = {2: Stage.FINAL, 4: Stage.SEMI_FINAL}.get(len(slots), Stage.KNOCKOUT)
        entries: list[Game | Bye] = []
        for one, other in _units(slots):
            if one is not None and other is not None:
                entries.append(Game(one, other, stage))
            elif left := one or other:
                entries.append(Bye(left, stage))
        if stage is Stage.FINAL and THIRD_PLACE.of(event):
            losers = [final_rounds.loser(game) for round_ in event.rounds[-1:] for game in round_.games if game.decided]
            if len(losers) == 2 and here.issuperset(losers):
                entries.append(Game(losers[0], losers[1], Stage.THIRD_PLACE))
        if not entries:
            raise event_error(
                "nobody who is left in the bracket is present for round {round_}; check withdrawals", round_=round_
            )
        return base.PairedRound(round_, tuple(entries), {}, tuple(base.seed_warnings(event)))

    def standings_after(self, event: Event, after: int) -> Standings:
        reached = {player.id: 0 for player in event.players}
        wins = dict.fromkeys(reached, 0)
        discs = dict.fromkeys(reached, 0)
        missed: set[str] = set()
        below: set[str] = set()  # who did not come to a semi-final stands below its losers (AMB-49)
        for round_ in event.rounds[:after]:
            for bye in round_.byes:
                reached[bye.player] = 2 * round_.number + 1
            for game in (game for game in round_.games if game.winner is not None):
                for name in game.players:
                    discs[name] += discs_in(event, game, name)
                if not game.decided:  # both are out; who has won nothing has come no further than an absentee
                    reached |= {name: 0 for name in game.players if not wins[name]}
                    missed.update(game.players)
                    below |= {name for name in game.players if wins[name] and game.stage is Stage.SEMI_FINAL}
                    continue
                wins[final_rounds.winner(game)] += 1
                if game.stage is Stage.THIRD_PLACE:
                    reached[final_rounds.winner(game)] += (
                        1  # better than the other loser of a semi-final, worse than the finalists
                    )
                else:
                    reached[final_rounds.winner(game)] = 2 * round_.number + 1
                    reached[final_rounds.loser(game)] = 2 * round_.number - 1
        keys = {name: (-value, name in below) for name, value in reached.items()}
        groups = base.groups_by(participating_players(event), keys)
        rows = [
            StandingsRow(rank, name, wins[name], discs[name], (max(0, reached[name] - 1) // 2, wins[name]), KEY_NAMES)
            for name, rank in shared_ranks(groups, missed).items()
        ]
        return Standings(after, tuple(rows))

    def costs_of_round(self, before: Event, played: Round) -> tuple[int, int]:
        """Return how many games and byes differ from the bracket. In a first round made by lots only seeds count: how
        many of them meet, or lack a bye that another player has, against the rules."""
        if played.number == 1:
            return _seeds_out_of_place(before, played), 0
        here = set(played.players)
        units = {frozenset(slot for slot in unit if slot in here) for unit in _units(_slots(before))}
        return sum(frozenset(unit) not in units for unit in _bracket_entries(played)), 0

    def is_over(self, event: Event) -> bool:
        if not event.rounds or event.last_finished_round < len(event.rounds):
            return False
        # with both finalists gone the last round may be the 3rd-place game alone
        slots = _slots(event)
        return self.champion(event) is not None or len(slots) == 1 or not any(slots)

    def champion(self, event: Event) -> str | None:
        """Return the winner of the final; a player alone in the bracket wins without one."""
        byes = [bye.player for round_ in event.rounds for bye in round_.byes if bye.stage is Stage.FINAL]
        return final_rounds.winner_of_stage(event, Stage.FINAL) or (byes[0] if byes else None)


def bracket_order(size: int) -> list[int]:
    """Return the seed numbers from the top of a bracket of ``size`` places, a power of two: 1 8 4 5 2 7 3 6 for
    eight."""
    order = [1]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    return order


def _seed_order(event: Event, names: set[str]) -> list[str]:
    """Return the seeds in their order, then the others by lot."""
    seeded = [player for player in event.players if player.id in names and player.seed is not None]
    others = [player.id for player in event.players if player.id in names and player.seed is None]
    seeded.sort(key=lambda player: player.seed or 0)
    lots = LotDraw(event.options.random_seed or 0, purpose=6)
    return [*(player.id for player in seeded), *lots.shuffled(others)]


def _units(slots: Sequence[Slot]) -> list[tuple[Slot, Slot]]:
    """Return the pairs of neighbouring places."""
    return list(zip(slots[::2], slots[1::2], strict=True))


def _bracket_entries(round_: Round) -> list[tuple[str, ...]]:
    """Return the games of a round that belong to the bracket, then its byes."""
    games = [game.players for game in round_.games if game.stage is not Stage.THIRD_PLACE]
    return [*{frozenset(pair): pair for pair in games}.values(), *((bye.player,) for bye in round_.byes)]


def _slots(event: Event) -> list[Slot]:
    """Return the players of all places before the next round: the bracket of round 1, then the winners of every pair of
    places."""
    names = set(event.rounds[0].players) if event.rounds else {player.id for player in present_entries(event, 1)}
    check_enough_present(len(names))
    ranked = _seed_order(event, names)
    size = 1 << (len(ranked) - 1).bit_length()
    slots: list[Slot] = [ranked[seed - 1] if seed <= len(ranked) else None for seed in bracket_order(size)]
    for round_ in event.rounds:
        survivors = {bye.player for bye in round_.byes}
        survivors |= {
            final_rounds.winner(game) for game in round_.games if game.decided and game.stage is not Stage.THIRD_PLACE
        }
        units = _units(_slots_of_round(round_, slots))
        slots = [next((slot for slot in unit if slot in survivors), None) for unit in units]
    return slots


def _slots_of_round(round_: Round, slots: Sequence[Slot]) -> list[Slot]:
    """Return the places with the pairs as they were played, which an operator may have changed: every pair is where its
    upper player was, or, in a first round without byes, in the order of the file."""
    half = len(slots) // 2
    pairs = _bracket_entries(round_)
    if len(pairs) > half or (round_.number == 1 and len(pairs) < half):
        raise event_error(
            "round {number} has {n} games and byes; a bracket of this field has {half}",
            number=round_.number,
            n=len(pairs),
            half=half,
        )
    if round_.number > 1 or round_.byes:
        pairs.sort(key=lambda pair: _upper_place(slots, pair))
    units: list[tuple[Slot, Slot]] = [(None, None)] * half
    for order, pair in enumerate(pairs):
        at = order if round_.number == 1 else min(_upper_place(slots, pair) // 2, half - 1)
        while units[at] != (None, None):
            at = (at + 1) % half
        units[at] = (pair[0], pair[1] if len(pair) > 1 else None)
    return [slot for unit in units for slot in unit]


def _upper_place(slots: Sequence[Slot], pair: Sequence[str]) -> int:
    return min((slots.index(name) for name in pair if name in slots), default=len(slots))


def _apply_constraints(wishes: Constraints, slots: list[Slot], round_: int) -> list[Slot]:
    """Return the places with as few pairs changed as the constraints allow. In round 1 every empty place gives a bye.

    :raises MatchingError: if no pairs keep them, as a bye where the bracket is full
    """
    if not wishes or all(
        _allows(wishes, one, other) for one, other in _units(slots) if one is not None or other is not None
    ):
        return slots
    costs = {
        (i, j): int(i // 2 != j // 2)
        for j in range(len(slots))
        for i in range(j)
        if (round_ > 1 if slots[i] is slots[j] is None else _allows(wishes, slots[i], slots[j]))
    }
    return [slots[place] for pair in min_cost_matching(len(slots), costs) for place in pair]


def _allows(wishes: Constraints, one: Slot, other: Slot) -> bool:
    if one is not None and other is not None:
        return wishes.allows(one, other) and not {one, other}.intersection(wishes.byes)
    return wishes.allows_bye(str(one or other))


def _seeds_out_of_place(event: Event, played: Round) -> int:
    """Return, for a first round, the number of pairs of two seeds from the better half of the field, plus byes of
    others while a better seed plays."""
    names = set(played.players)
    ranked = _seed_order(event, names)
    seeds = [player.id for player in event.players if player.id in names and player.seed is not None]
    size = 1 << (len(ranked) - 1).bit_length()
    better = set(ranked[: size // 2]).intersection(seeds)
    due = set(ranked[: size - len(ranked)]).intersection(seeds)
    byes = {bye.player for bye in played.byes}
    pairs = [pair for pair in _bracket_entries(played) if len(pair) == 2]
    return sum(better.issuperset(pair) for pair in pairs) + len(due - byes)
