"""Format ``m43-open``: the open division of the 43rd Othello Meijin (RULES.md 6.1).

Six league rounds paired and coloured by computer (M43F-02, 03); the top four play semi-finals, final and 3rd-place
game, everybody else one placement game, and the best women their own final. Places follow M43R-1 to 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.end_reason import EndReason
from engine.i18n import Text, say, say_in
from engine.tournament import format_spec_and_options as spec
from engine.tournament import standings_and_tie_breaks as ranking
from engine.tournament import swiss_pairing as brightwell
from engine.tournament.adjacent_pairing import pair_neighbours
from engine.tournament.event_model import Bye, Event, EventError, Game, Round, Stage, Winner, event_error
from engine.tournament.formats import final_rounds
from engine.tournament.formats import format_interface as base
from engine.tournament.lots_and_leagues import LotDraw
from engine.tournament.pairing_history_and_constraints import History, history_before, present_entries, ranked_entries

# Ranking of ``m43-open``: M43R-1 to M43R-5.
#
# The finals order the four who played them; all others are ordered by wins, then Brightwell points. The rank
# immediately before is used only where an order must be decided.

LEAGUE_ROUNDS = 6
PLACEMENT_ROUND = 7
FINAL_ROUND = 8
#: stages that count for wins and Brightwell points; the finals of round 8 only order their own players
SCORED = (Stage.LEAGUE, Stage.PLACEMENT, Stage.SEMI_FINAL)


def tallies_after(event: Event, after: int) -> dict[str, ranking.ScoreSummary]:
    """Return points, discs and Brightwell points; a bye is entered with 32 discs (AMB-10)."""
    return ranking.tally(event, after, SCORED, bye_discs=spec.BYE_DISCS.of(event) or event.half)


def _key(event: Event, after: int) -> dict[str, tuple[int, ...]]:
    """Return the sort key of M43R-1 to M43R-4: place in the finals, more wins, more Brightwell points."""
    place = final_rounds.places_in_finals(event, after)
    return {
        name: (place.get(name, 5), -t.score, -t.brightwell_twice) for name, t in tallies_after(event, after).items()
    }


def keys_with_earlier_ranks(event: Event, after: int) -> dict[str, tuple[int, ...]]:
    """Return the keys of M43R-5: then the better rank immediately before, recursively round by round."""
    keys = _key(event, after)
    for earlier in range(after - 1, 0, -1):
        past = _key(event, earlier)
        keys = {name: (*key, *past[name]) for name, key in keys.items()}
    return keys


def ranked_groups(event: Event, after: int) -> list[list[str]]:
    """Return all players in order, equal players together. M43R-5 is applied only where the order must be decided: for
    the four seats of the semi-finals."""
    groups = base.groups_by(ranked_entries(event), _key(event, after))
    if after != LEAGUE_ROUNDS:
        return groups
    earlier = keys_with_earlier_ranks(event, after)
    decided: list[list[str]] = []
    for group in groups:
        must_be_decided = sum(map(len, decided)) < 4
        split = base.groups_by([event.player(name) for name in group], earlier) if must_be_decided else [group]
        decided.extend(split)
    return decided


def strict_order(event: Event, after: int) -> list[str]:
    """Return a strict order: M43R-1 to 5, then lots."""
    lots = LotDraw(event.options.random_seed or 0, after, purpose=1).shuffled([player.id for player in event.players])
    keys = keys_with_earlier_ranks(event, after)
    return sorted((name for name in lots if name in keys), key=keys.__getitem__)


#: M43F-12: colours within one of each other
BALANCE_LIMIT = 1
#: M43F-05 and M43F-06, in half points
LEADER_LEAD = 3
UNPLAYED_LEAD = 2


#: who has the bye of an odd field: a player of the lowest score, or where the penalty is least: AMB-15
ODD_BYE = spec.ChoiceOption("odd_bye", None, ("lowest_score", "penalty"))
#: the placement games by penalties, or neighbours in rank: AMB-12
PLACEMENT_PAIRING = spec.ChoiceOption("placement_pairing", None, ("penalties", "neighbours"))


class M43Open(base.Format):
    """M43F and M43R as functions of the event file."""

    facts = spec.FormatSpec(
        "m43-open",
        (
            spec.DivisionPreset(
                "open", "m43", "m43-open", say_in("m43_open", "Open"),
                say(
"Six league rounds (Brightwell), semi-finals and placement games, finals with the women's "
"final."),
                "8–", options={"division": "open"}, plan=("M43T", "open"),
            ),
        ),
        choices=(spec.BYE_DISCS,),
        readings=(*spec.COMMON, spec.BYE_BRIGHTWELL, ODD_BYE, PLACEMENT_PAIRING),
        certificate=("M43C", "open"),
    )  # fmt: skip

    def check(self, event: Event) -> None:
        super().check(event)
        base.check_draws(event)

    def next_round(self, event: Event) -> base.PairedRound:
        round_ = len(event.rounds) + 1
        if round_ <= LEAGUE_ROUNDS:
            return _league_round(event, round_)
        if round_ == PLACEMENT_ROUND:
            return _semi_finals_and_placement(event)
        if round_ == FINAL_ROUND:
            return _finals(event)
        raise event_error("the event is over: all {last_round} rounds have been played", last_round=FINAL_ROUND)

    def standings_after(self, event: Event, after: int) -> ranking.Standings:
        tallies = tallies_after(event, after)
        rows = []
        for name, rank in final_rounds.ranks_with_finals(event, after, ranked_groups(event, after)).items():
            t = tallies[name]
            wins = ranking.number(t.score)
            keys = (wins, ranking.number(t.brightwell_twice))
            rows.append(ranking.StandingsRow(rank, name, wins, t.discs, keys, ("wins", "brightwell")))
        return ranking.Standings(after, tuple(rows), self.womens_champion(event) if after == FINAL_ROUND else None)

    def costs_of_round(self, before: Event, played: Round) -> tuple[int, int]:
        stage = Stage.PLACEMENT if played.number == PLACEMENT_ROUND else Stage.LEAGUE
        leaders = leaders_after_5(before, played.players) if played.number == LEAGUE_ROUNDS else frozenset()
        names = (
            *(name for game in played.games if game.stage is stage for name in game.players),
            *(bye.player for bye in played.byes if bye.stage is stage and bye.player not in leaders),
        )
        return brightwell.cost_and_optimum(before, played, _pool(before, names, played.number))

    def planned_rounds(self, event: Event) -> int | None:
        return FINAL_ROUND

    def is_over(self, event: Event) -> bool:
        return event.last_finished_round >= FINAL_ROUND or (
            event.last_finished_round == PLACEMENT_ROUND
            and final_rounds.nobody_left_for_final(event)
            and not _women_in_final(event)
        )

    def champion(self, event: Event) -> str | None:
        """Return the winner of the final, who is Meijin (M43R-1)."""
        return final_rounds.winner_of_stage(event, Stage.FINAL)

    def womens_champion(self, event: Event) -> str | None:
        """Return the winner of the women's final; without one, the best placed woman once the event is over
        (M43R-6)."""
        if winner := final_rounds.winner_of_stage(event, Stage.WOMENS_FINAL):
            return winner
        if not self.is_over(event):
            return None
        return next((name for name in strict_order(event, FINAL_ROUND) if event.player(name).sex == "F"), None)


def _league_round(event: Event, round_: int) -> base.PairedRound:
    names = [player.id for player in present_entries(event, round_)]
    leaders = leaders_after_5(event, names) if round_ == LEAGUE_ROUNDS else frozenset()
    pool = _pool(event, [name for name in names if name not in leaders], round_)
    pairing, warnings = _draw(event, pool, round_)
    entries = base.games_of(pairing, Stage.LEAGUE)
    if round_ == LEAGUE_ROUNDS:
        lead = _lead(event, names)
        entries = [_unplayed_if_pointless(event, entry, lead) for entry in entries]
    byes = [Bye(name, Stage.LEAGUE) for name in names if name in leaders]
    return base.PairedRound(round_, (*entries, *byes), brightwell.as_cost(pairing.penalty), tuple(warnings))


def _draw(event: Event, pool: brightwell.SwissPool, round_: int) -> tuple[brightwell.Pairing, list[Text]]:
    """Return the pairing of a pool; one player left over by leaders or semi-finalists has the bye."""
    history = history_before(event, round_)
    free = [name for name in pool.players if name not in history.wishes.byes]
    if len(free) < 2 and round_ >= LEAGUE_ROUNDS:
        requested = tuple(name for name in pool.players if name not in free)
        pairing = brightwell.Pairing((), free[0] if free else None, requested=requested)
    elif round_ == PLACEMENT_ROUND and PLACEMENT_PAIRING.of(event) == "neighbours":
        pairing = _neighbours(event, history, pool)
    else:
        pairing = brightwell.cheapest_round(event, history, pool)
    return pairing, base.pairing_warnings(event, history, pairing, BALANCE_LIMIT)


def _neighbours(event: Event, history: History, pool: brightwell.SwissPool) -> brightwell.Pairing:
    """Return the pairing by AMB-12, the other reading of M43F-09: 5th meets 6th, 7th meets 8th; no rematch if
    avoidable."""
    order = [name for name in strict_order(event, LEAGUE_ROUNDS) if name in pool.players]
    pairing = pair_neighbours(history, order)
    prices = brightwell.Prices(event, history, pool)
    lots = LotDraw(event.options.random_seed or 0, history.round)
    pairs = tuple(brightwell.choose_colours(prices, history, *pair, lots) for pair in pairing.pairs)
    penalty = sum((prices.pair(*pair) for pair in pairs), brightwell.PairingPenalty())
    penalty += prices.bye(pairing.bye) if pairing.bye is not None else brightwell.PairingPenalty()
    return brightwell.Pairing(pairs, pairing.bye, penalty, pairing.requested)


def _pool(event: Event, names: Sequence[str], round_: int) -> brightwell.SwissPool:
    """Return the pool of a round. M43F-04: seeds do not meet in round 1. AMB-15: a bye goes to a player of the lowest
    score, nobody has two."""
    records = history_before(event, round_).records
    claims = {name: (records[name].byes, records[name].score) for name in names}
    lowest = min(claims.values(), default=(0, 0))
    seeds = frozenset(player.id for player in event.players if player.seed is not None)
    free = ODD_BYE.of(event) == "penalty"  # then the bye is priced like any other pair
    return brightwell.SwissPool(
        tuple(names),
        kept_from_bye=frozenset(name for name in names if claims[name] != lowest and not free),
        kept_apart=seeds if round_ == 1 else frozenset(),
    )


def _lead(event: Event, names: Sequence[str]) -> dict[str, int]:
    """Return the half points ahead of the provisional 5th after round 5, among the players still present."""
    tallies = tallies_after(event, LEAGUE_ROUNDS - 1)
    scores = {name: tallies[name].score for name in names if name in tallies}
    if len(scores) < 5:
        return dict.fromkeys(scores, 0)
    fifth = sorted(scores.values(), reverse=True)[4]
    return {name: score - fifth for name, score in scores.items()}


def leaders_after_5(event: Event, names: Sequence[str]) -> frozenset[str]:
    """Return the players with at least 1.5 wins more than the provisional 5th after round 5, who have a bye in round 6
    (M43F-05)."""
    return frozenset(name for name, lead in _lead(event, names).items() if lead >= LEADER_LEAD)


def _unplayed_if_pointless(event: Event, entry: Game | Bye, lead: dict[str, int]) -> Game | Bye:
    """Return the game as a draw without play if both players have exactly 1.0 wins more than the 5th
    (M43F-06)."""
    if isinstance(entry, Bye) or any(lead.get(name) != UNPLAYED_LEAD for name in entry.players):
        return entry
    half = event.half
    return replace(entry, black_discs=half, white_discs=half, winner=Winner.DRAW, end=EndReason.NOT_PLAYED, rated=False)


def _semi_finals_and_placement(event: Event) -> base.PairedRound:
    """Return round 7: 1st v 4th and 2nd v 3rd of the league, rematches allowed (M43F-07), and one placement game for
    the others (M43F-09)."""
    names = [player.id for player in present_entries(event, PLACEMENT_ROUND)]
    order, keys = strict_order(event, LEAGUE_ROUNDS), keys_with_earlier_ranks(event, LEAGUE_ROUNDS)
    top, warnings = final_rounds.take_seats(event, PLACEMENT_ROUND, order, keys, 4)
    others = [name for name in names if name not in top]
    pairing, more = _draw(event, _pool(event, others, PLACEMENT_ROUND), PLACEMENT_ROUND)
    entries = (*final_rounds.semi_finals(top), *base.games_of(pairing, Stage.PLACEMENT))
    return base.PairedRound(PLACEMENT_ROUND, entries, brightwell.as_cost(pairing.penalty), (*warnings, *more))


def _finals(event: Event) -> base.PairedRound:
    """Return the finals of round 8 (M43F-08, M43F-10, M43F-11)."""
    games = final_rounds.final_and_third_place(event)
    warnings = final_rounds.absent_finalists(event, FINAL_ROUND, games)
    if women := _women_in_final(event):
        order = [name for name in strict_order(event, PLACEMENT_ROUND) if name in women]
        keys = keys_with_earlier_ranks(event, PLACEMENT_ROUND)
        top, more = final_rounds.take_seats(event, FINAL_ROUND, order, keys, 2)
        games.append(Game(top[0], top[1], Stage.WOMENS_FINAL))
        warnings += more
    if not games:
        raise EventError(final_rounds.NOBODY_LEFT)
    return base.PairedRound(
        FINAL_ROUND, tuple(games), brightwell.as_cost(brightwell.Pairing(()).penalty), tuple(warnings)
    )


def _women_in_final(event: Event) -> frozenset[str]:
    """Return the women if they play a final of their own: none was in the semi-finals, and two are present."""
    women = frozenset(player.id for player in event.players if player.sex == "F")
    here = women.intersection(player.id for player in present_entries(event, FINAL_ROUND))
    semi_finals = final_rounds.entries_of_stage(event, Stage.SEMI_FINAL)
    reached_semi_final = {name for entry in semi_finals for name in entry.players}
    return women if len(here) >= 2 and not women & reached_semi_final else frozenset()
