"""Places in ``m43-open``: M43R-1 to M43R-5.

The law: the finals order the four who played them; everybody else is ordered by wins, then Brightwell points. The rank
immediately before is used only where an order must be decided.
"""

from __future__ import annotations

from engine.tournament.formats.base import groups_by
from engine.tournament.lots import Lots
from engine.tournament.model import WIN, End, Event, EventError, Game, Stage, Winner
from engine.tournament.ranking import Tally, tally

LEAGUE_ROUNDS = 6
PLACEMENT_ROUND = 7
FINAL_ROUND = 8
#: the rounds that make wins and Brightwell points; the finals of round 8 only order their own players
SCORED = (Stage.LEAGUE, Stage.PLACEMENT, Stage.SEMI_FINAL)


def games_of_stage(event: Event, stage: Stage) -> list[Game]:
    games = [game for round_ in event.rounds for game in round_.games if game.stage is stage]
    if stage is Stage.SEMI_FINAL and len(games) != 2:
        raise EventError(f"round {PLACEMENT_ROUND} has {len(games)} games of stage 'semi-final'; it must have two")
    return games


def winner_of_stage(event: Event, stage: Stage) -> str | None:
    games = [game for game in games_of_stage(event, stage) if game.winner not in (None, Winner.DRAW)]
    return winner(games[0]) if games else None


def winner(game: Game) -> str:
    return game.black if game.half_points(game.black) == WIN else game.white


def loser(game: Game) -> str:
    return game.opponent(winner(game))


def check_results(event: Event) -> None:
    """M43F-01: no draws in semi-finals, final, 3rd-place game and women's final. M43-1: elsewhere 32-32 is a draw."""
    for round_ in event.rounds:
        for game in round_.games:
            if game.winner is None:
                continue
            drawn = game.winner is Winner.DRAW
            level = game.black_discs is not None and game.black_discs == game.white_discs
            by_discs = game.end in (End.NORMAL, None)
            if drawn and not game.stage.designated:
                problem = "no draws here; at 32-32 the holder of the draw right wins, name the winner"
            elif level and by_discs and not drawn and game.stage.designated:
                problem = "32-32 is a draw; correct the winner or the discs, or say how it ended"
            else:
                continue
            pair = f"{event.label(game.black)} - {event.label(game.white)}"
            raise EventError(f"round {round_.number}, {game.stage.value}, {pair}: {problem}")


def tallies_after(event: Event, after: int) -> dict[str, Tally]:
    return tally(event, after, SCORED)


def _bracket(event: Event, after: int) -> dict[str, int]:
    """M43R-1, M43R-2: the place of the finalists among themselves; 5 for everybody else."""
    place: dict[str, int] = {}
    if after >= PLACEMENT_ROUND:
        for game in (g for g in games_of_stage(event, Stage.SEMI_FINAL) if g.winner is not None):
            place |= {winner(game): 1, loser(game): 3}
    if after >= FINAL_ROUND:
        for game in (g for g in games_of_stage(event, Stage.FINAL) if g.winner is not None):
            place |= {winner(game): 1, loser(game): 2}
        for game in (g for g in games_of_stage(event, Stage.THIRD_PLACE) if g.winner is not None):
            place |= {winner(game): 3, loser(game): 4}
    return place


def _key(event: Event, after: int) -> dict[str, tuple[int, ...]]:
    """M43R-1 to M43R-4: place in the finals, more wins, more Brightwell points."""
    place = _bracket(event, after)
    return {
        name: (place.get(name, 5), -t.score, -t.brightwell_twice) for name, t in tallies_after(event, after).items()
    }


def _with_earlier_ranks(event: Event, after: int) -> dict[str, tuple[int, ...]]:
    """M43R-5: then the better rank immediately before, which looks back round by round."""
    keys = _key(event, after)
    for earlier in range(after - 1, 0, -1):
        past = _key(event, earlier)
        keys = {name: (*key, *past[name]) for name, key in keys.items()}
    return keys


def ranked_groups(event: Event, after: int) -> list[list[str]]:
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


def strict_order(event: Event, after: int) -> list[str]:
    """A strict order for whoever must choose: M43R-1 to 5, then lots."""
    lots = Lots(event.options.random_seed or 0, after, purpose=1).shuffled([player.id for player in event.players])
    keys = _with_earlier_ranks(event, after)
    return sorted(lots, key=keys.__getitem__)
