"""``m43-open``: the open division of the 43rd Othello Meijin (RULES.md 6.1).

The law: six league rounds paired and coloured by computer (M43F-02, 03), the top four play semi-finals, final and
3rd-place game, everybody else one placement game, and the best women their own final. Places follow M43R-1 to 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.tournament.formats.base import (
    PairedRound,
    entry_dicts,
    games_of,
    groups_by,
    pairing_warnings,
    require_results,
)
from engine.tournament.history import history_before, present
from engine.tournament.lots import Lots
from engine.tournament.model import WIN, Bye, End, Event, EventError, Game, Round, Stage, Winner
from engine.tournament.ranking import Row, Standings, Tally, after_round, number, shared_ranks, tally
from engine.tournament.swiss import Pairing, Pool, as_cost, cheapest_round

LEAGUE_ROUNDS = 6
PLACEMENT_ROUND = 7
FINAL_ROUND = 8
#: the rounds that make wins and Brightwell points; the finals of round 8 only order their own players
SCORED = (Stage.LEAGUE, Stage.PLACEMENT, Stage.SEMI_FINAL)
#: M43F-12: colours within one of each other
BALANCE_LIMIT = 1
#: M43F-05 and M43F-06, in half points
LEADER_LEAD = 3
UNPLAYED_LEAD = 2


class M43Open:
    """M43F and M43R as functions of the event file."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        return (
            Stage.LEAGUE, Stage.PLACEMENT, Stage.SEMI_FINAL, Stage.FINAL, Stage.THIRD_PLACE, Stage.WOMENS_FINAL,
        )  # fmt: skip

    def next_round(self, event: Event) -> PairedRound:
        require_results(event)
        _check_knockout(event)
        round_ = len(event.rounds) + 1
        if round_ <= LEAGUE_ROUNDS:
            return _league_round(event, round_)
        if round_ == PLACEMENT_ROUND:
            return _semi_finals_and_placement(event)
        if round_ == FINAL_ROUND:
            return _finals(event)
        raise EventError(
            f"the event is over after round {FINAL_ROUND}; there is no round {round_} in format 'm43-open'"
        )

    def standings(self, event: Event, after: int | None = None) -> Standings:
        after = after_round(event, after)
        _check_knockout(event)
        tallies = _tallies(event, after)
        groups = _ranked_groups(event, after)
        ranks = shared_ranks(groups)
        rows = []
        for name in (name for group in groups for name in group):
            t = tallies[name]
            wins = number(t.score)
            keys = (wins, number(t.brightwell_twice))
            rows.append(Row(ranks[name], name, wins, t.discs, keys, ("wins", "brightwell")))
        return Standings(after, tuple(rows))

    def priced_pool(self, before: Event, played: Round) -> Pool:
        stage = Stage.PLACEMENT if played.number == PLACEMENT_ROUND else Stage.LEAGUE
        leaders = _leaders(before) if played.number == LEAGUE_ROUNDS else frozenset()
        names = (
            *(name for game in played.games if game.stage is stage for name in game.players),
            *(bye.player for bye in played.byes if bye.stage is stage and bye.player not in leaders),
        )
        return _pool(before, names, played.number)

    def is_over(self, event: Event) -> bool:
        return event.last_finished_round >= FINAL_ROUND

    def champion(self, event: Event) -> str | None:
        """M43R-1: the winner of the final is Meijin."""
        return _winner_of(event, Stage.FINAL)

    def womens_champion(self, event: Event) -> str | None:
        """M43R-6: the winner of the women's final; without one, the best placed woman once the event is over."""
        if winner := _winner_of(event, Stage.WOMENS_FINAL):
            return winner
        if not self.is_over(event):
            return None
        return next((name for name in _order(event, FINAL_ROUND) if event.player(name).sex == "F"), None)


# --- the league, rounds 1 to 6 ---------------------------------------------------------------------------------------


def _league_round(event: Event, round_: int) -> PairedRound:
    names = [player.id for player in present(event, round_)]
    leaders = _leaders(event) if round_ == LEAGUE_ROUNDS else frozenset()
    pool = _pool(event, [name for name in names if name not in leaders], round_)
    pairing, warnings = _draw(event, pool, round_)
    entries = games_of(pairing, Stage.LEAGUE)
    if round_ == LEAGUE_ROUNDS:
        entries = [_unplayed_if_pointless(event, entry) for entry in entries]
    byes = [Bye(name, Stage.LEAGUE) for name in names if name in leaders]
    return PairedRound(round_, entry_dicts([*entries, *byes]), as_cost(pairing.penalty), tuple(warnings))


def _draw(event: Event, pool: Pool, round_: int) -> tuple[Pairing, list[str]]:
    history = history_before(event, round_)
    pairing = cheapest_round(event, history, pool)
    return pairing, pairing_warnings(event, history, pairing, BALANCE_LIMIT)


def _pool(event: Event, names: Sequence[str], round_: int) -> Pool:
    """M43F-04: seeds do not meet in round 1. AMB-15: a bye goes to a player of the lowest score, nobody has two."""
    records = history_before(event, round_).records
    claims = {name: (records[name].byes, records[name].score) for name in names}
    lowest = min(claims.values(), default=(0, 0))
    seeds = frozenset(player.id for player in event.players if player.seed is not None)
    return Pool(
        tuple(names),
        kept_from_bye=frozenset(name for name in names if claims[name] != lowest),
        kept_apart=seeds if round_ == 1 else frozenset(),
    )


def _lead(event: Event) -> dict[str, int]:
    """Half points ahead of the provisional 5th after round 5, of everybody still present."""
    tallies = _tallies(event, LEAGUE_ROUNDS - 1)
    scores = {player.id: tallies[player.id].score for player in present(event, LEAGUE_ROUNDS)}
    if len(scores) < 5:
        return dict.fromkeys(scores, 0)
    fifth = sorted(scores.values(), reverse=True)[4]
    return {name: score - fifth for name, score in scores.items()}


def _leaders(event: Event) -> frozenset[str]:
    """M43F-05: after round 5, at least 1.5 wins more than the provisional 5th is a bye in round 6."""
    return frozenset(name for name, lead in _lead(event).items() if lead >= LEADER_LEAD)


def _unplayed_if_pointless(event: Event, entry: Game | Bye) -> Game | Bye:
    """M43F-06: two players who both have exactly 1.0 wins more than the 5th do not play; the game is a draw, 32-32."""
    lead = _lead(event)
    if isinstance(entry, Bye) or any(lead[name] != UNPLAYED_LEAD for name in entry.players):
        return entry
    return replace(entry, black_discs=32, white_discs=32, winner=Winner.DRAW, end=End.NOT_PLAYED, rated=False)


# --- semi-finals, placement, finals ----------------------------------------------------------------------------------


def _semi_finals_and_placement(event: Event) -> PairedRound:
    """M43F-07: 1st v 4th and 2nd v 3rd of the league, rematches allowed. M43F-09: one placement game for the others."""
    names = [player.id for player in present(event, PLACEMENT_ROUND)]
    if len(names) < 4:
        raise EventError(f"only {len(names)} players are present; the semi-finals need four")
    order = _order(event, LEAGUE_ROUNDS)
    top = [name for name in order if name in names][:4]
    warnings = [
        f"{event.label(name)} qualified for the semi-finals but is not present; the next in rank plays"
        for name in order[: order.index(top[3])]
        if name not in names
    ]
    warnings += _undecided_seats(event, top[3])
    semis: list[Game | Bye] = [
        Game(top[0], top[3], Stage.SEMI_FINAL, 1),
        Game(top[1], top[2], Stage.SEMI_FINAL, 2),
    ]
    others = [name for name in names if name not in top]
    pairing = Pairing((), others[0] if others else None)
    if len(others) > 1:
        pairing, more = _draw(event, _pool(event, others, PLACEMENT_ROUND), PLACEMENT_ROUND)
        warnings += more
    entries = (*semis, *games_of(pairing, Stage.PLACEMENT, first_table=3))
    return PairedRound(PLACEMENT_ROUND, entry_dicts(entries), as_cost(pairing.penalty), tuple(warnings))


def _undecided_seats(event: Event, fourth: str) -> list[str]:
    """A tie that M43R-3 to 5 leave open across the last seat is decided by lot, and said aloud."""
    for group in _ranked_groups(event, LEAGUE_ROUNDS):
        if fourth in group and len(group) > 1:
            names = ", ".join(event.label(name) for name in group)
            return [f"semi-finals: wins, Brightwell points and all earlier ranks are equal for {names}; decided by lot"]
    return []


def _finals(event: Event) -> PairedRound:
    """M43F-08, M43F-10, M43F-11."""
    first, second = _games(event, Stage.SEMI_FINAL)
    games: list[Game | Bye] = [
        Game(_winner(first), _winner(second), Stage.FINAL, 1),
        Game(_loser(first), _loser(second), Stage.THIRD_PLACE, 2),
    ]
    semi_finalists = {*first.players, *second.players}
    here = {player.id for player in present(event, FINAL_ROUND)}
    women = [name for name in _order(event, PLACEMENT_ROUND) if event.player(name).sex == "F" and name in here]
    if len(women) >= 2 and not semi_finalists.intersection(women):
        games.append(Game(women[0], women[1], Stage.WOMENS_FINAL, 3))
    return PairedRound(FINAL_ROUND, entry_dicts(games), as_cost(Pairing(()).penalty))


def _games(event: Event, stage: Stage) -> list[Game]:
    games = [game for round_ in event.rounds for game in round_.games if game.stage is stage]
    if stage is Stage.SEMI_FINAL and len(games) != 2:
        raise EventError(f"round {PLACEMENT_ROUND} has {len(games)} games of stage 'semi-final'; it must have two")
    return games


def _winner_of(event: Event, stage: Stage) -> str | None:
    games = [game for game in _games(event, stage) if game.winner not in (None, Winner.DRAW)]
    return _winner(games[0]) if games else None


def _winner(game: Game) -> str:
    return game.black if game.half_points(game.black) == WIN else game.white


def _loser(game: Game) -> str:
    return game.opponent(_winner(game))


def _check_knockout(event: Event) -> None:
    """M43F-01: draws exist except in semi-finals, final, 3rd-place game and women's final (M43-2a)."""
    for round_ in event.rounds:
        for game in round_.games:
            if game.winner is Winner.DRAW and not game.stage.designated:
                pair = f"{event.label(game.black)} - {event.label(game.white)}"
                raise EventError(
                    f"round {round_.number}: the {game.stage.value} {pair} is a draw; "
                    "at 32-32 the holder of the draw right wins, so name the winner"
                )


# --- ranking ---------------------------------------------------------------------------------------------------------


def _tallies(event: Event, after: int) -> dict[str, Tally]:
    return tally(event, after, SCORED)


def _bracket(event: Event, after: int) -> dict[str, int]:
    """M43R-1, M43R-2: the place of the finalists among themselves; 5 for everybody else."""
    place: dict[str, int] = {}
    if after >= PLACEMENT_ROUND:
        for game in (g for g in _games(event, Stage.SEMI_FINAL) if g.winner is not None):
            place |= {_winner(game): 1, _loser(game): 3}
    if after >= FINAL_ROUND:
        for game in (g for g in _games(event, Stage.FINAL) if g.winner is not None):
            place |= {_winner(game): 1, _loser(game): 2}
        for game in (g for g in _games(event, Stage.THIRD_PLACE) if g.winner is not None):
            place |= {_winner(game): 3, _loser(game): 4}
    return place


def _key(event: Event, after: int) -> dict[str, tuple[int, ...]]:
    """M43R-1 to M43R-4: place in the finals, more wins, more Brightwell points."""
    place = _bracket(event, after)
    return {name: (place.get(name, 5), -t.score, -t.brightwell_twice) for name, t in _tallies(event, after).items()}


def _with_earlier_ranks(event: Event, after: int) -> dict[str, tuple[int, ...]]:
    """M43R-5: then the better rank immediately before, which looks back round by round."""
    keys = _key(event, after)
    for earlier in range(after - 1, 0, -1):
        past = _key(event, earlier)
        keys = {name: (*key, *past[name]) for name, key in keys.items()}
    return keys


def _ranked_groups(event: Event, after: int) -> list[list[str]]:
    """Everybody in order, equal players together. M43R-5 is applied only where the order must be decided: for the four
    seats of the semi-finals."""
    groups = groups_by(event.players, _key(event, after))
    if after != LEAGUE_ROUNDS:
        return groups
    earlier = _with_earlier_ranks(event, after)
    decided: list[list[str]] = []
    for group in groups:
        must_be_decided = sum(map(len, decided)) < 4
        split = groups_by([event.player(name) for name in group], earlier) if must_be_decided else [group]
        decided.extend(split)
    return decided


def _order(event: Event, after: int) -> list[str]:
    """A strict order for whoever must choose: M43R-1 to 5, then lots."""
    lots = Lots(event.options.random_seed or 0, after, purpose=1).shuffled([player.id for player in event.players])
    keys = _with_earlier_ranks(event, after)
    return sorted(lots, key=keys.__getitem__)
