"""Explanations of pairings decided by rank: pools of the Othello system, adjacent pairing, finals, and additions of
M43.

The reason follows the order of the pairing, from the top; for every opponent who would have come before, it states what
excluded him.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.end_reason import EndReason
from engine.i18n import Text, say
from engine.tournament.event_model import Bye, Event, Game, Stage
from engine.tournament.formats import PairedRound, format_of
from engine.tournament.formats.adjacent_pairing_league import AdjacentLeague
from engine.tournament.formats.meijin40_base_and_othello_pool import M40Format
from engine.tournament.formats.meijin40_elementary import PAIRING
from engine.tournament.formats.meijin40_ranking_pools_and_finals import M40Pool, halves, ranked_pool
from engine.tournament.formats.meijin43_open import M43Open, leaders_after_5
from engine.tournament.othello_system_pairing import next_choice
from engine.tournament.pairing_history_and_constraints import History, history_before
from engine.tournament.standings_and_tie_breaks import STAGES

#: the most excluded opponents that are named
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class RankContext:
    """Players in the order in which a pool was paired. ``lowest``: each meets the lowest possible opponent."""

    players: tuple[str, ...]
    name: Text
    lowest: bool
    by_wins: bool


def rank_reasons(event: Event, paired: PairedRound, game: Game | Bye) -> tuple[Text, ...]:
    """Return ranks, and opponents who would have come before; empty where ranks do not decide."""
    history = history_before(event, paired.round, tuple(Stage))
    here = list(game.players)
    if set(here) & set(history.wishes.byes) or any(set(here) == set(pair) for pair in history.wishes.locked):
        return ()
    format_ = format_of(event)
    if isinstance(format_, M40Format):
        return _m40_reasons(event, format_, history, paired, game, here)
    if isinstance(format_, AdjacentLeague) and PAIRING.of(event) != "othello":
        drawn = players_in(paired, game.stage)
        order = tuple(name for name in format_.order(event, paired.round - 1) if name in drawn)
        pool = RankContext(order, say("those here"), lowest=False, by_wins=False)
        return _from_the_top(event, history, paired, pool, here)
    if isinstance(format_, M43Open):
        return _m43_reasons(event, paired, game, here)
    return ()


def stage_reasons(event: Event, paired: PairedRound, game: Game | Bye) -> tuple[Text, ...]:
    """Return why the rules determine the players of a semi-final, a final or a bracket's game."""
    stage = game.stage
    players = game.players
    what = STAGES[stage]
    format_ = format_of(event)
    if stage == Stage.SEMI_FINAL and isinstance(format_, M40Format) and format_.why_semi_final:
        return (format_.why_semi_final,)
    if stage in (Stage.SEMI_FINAL, Stage.WOMENS_FINAL):
        order = [row.id for row in format_.standings(event).rows]
        seated = sorted(players_in(paired, stage), key=order.index)
        places = sorted(seated.index(name) + 1 for name in players)
        if len(places) == 1:
            return (say("{what}: {place:ordinal} of those who reached it", what=what, place=places[0]),)
        return (
            say(
                "{what}: {one:ordinal} and {other:ordinal} of those who reached it",
                what=what,
                one=places[0],
                other=places[1],
            ),
        )
    if stage in (Stage.FINAL, Stage.THIRD_PLACE) and _had_semi_finals(event):
        won = stage == Stage.FINAL
        return (say("the winners of the semi-finals") if won else say("the losers of the semi-finals"),)
    if len(players) == 1:
        return (say("the bracket has no opponent here; the player goes on"),)
    if paired.round == 1:
        return (say("drawn in the bracket, by seeds and lots"),)
    return (say("next to each other in the bracket"),)


def _had_semi_finals(event: Event) -> bool:
    return any(game.stage is Stage.SEMI_FINAL for round_ in event.rounds for game in round_.games)


def players_in(paired: PairedRound, stage: Stage) -> list[str]:
    """Return the players with a game or a bye in this stage of the round."""
    return [name for game in paired.games if game.stage is stage for name in game.players]


def _m40_reasons(
    event: Event,
    format_: M40Format,
    history: History,
    paired: PairedRound,
    game: Game | Bye,
    here: list[str],
) -> tuple[Text, ...]:
    at = format_.situation(event, paired.round)
    plan = format_.plan(at)
    pool = next((pool for pool in plan.pools if set(here) <= set(pool.players)), None)
    if pool is None:
        return (format_.why_bye(league=game.league),) if len(here) == 1 else ()
    pairs, bye = halves(at, pool) or ([], None)
    if set(here) in [{bye}, *map(set, pairs)]:
        return (_by_halves(pool, pool.name, here),)
    rules = format_.rules(event)
    return _from_the_top(
        event, history, paired, RankContext(pool.players, pool.name, rules.direction == "lowest", True), here
    )


def next_of_pool(event: Event, paired: PairedRound, players: Sequence[str]) -> tuple[int, tuple[Text, ...]] | None:
    """Return what decided in a pool of the Othello system, where a round without this pair costs the same (PAIRING.md
    1, number 4): (the increase of the higher player's digit, his next opponent). None where something else decided."""
    format_ = format_of(event)
    if not isinstance(format_, M40Format):
        return None
    at = format_.situation(event, paired.round)
    pool = next((pool for pool in format_.plan(at).pools if set(players) <= set(pool.players)), None)
    if pool is None or halves(at, pool) is not None:
        return None
    rules = format_.rules(event)
    whole = ranked_pool(at, pool.players)
    here = tuple(name for name in whole.players if name not in whole.wishes.byes)
    games = [game for game in paired.games if set(game.players) <= set(here)]
    pairs = [game.players for game in games if isinstance(game, Game)]
    bye = next((game.player for game in games if isinstance(game, Bye)), None)
    rank = {name: place for place, name in enumerate(here, start=1)}
    if set(rank) != {name for game in games for name in game.players} or not set(players) <= set(rank):
        return None  # a league's winner rests beside its pool, the operator merged two, or asked for this bye
    high = min(players, key=rank.__getitem__)
    next_opponent = next_choice(replace(whole, players=here), pairs, bye, high, rules)
    if next_opponent is None:
        return None
    opponent = [name for name in players if name != high]
    below = len(rank) + 1
    steps = abs(
        rank.get(opponent[0] if opponent else "", below) - rank.get(next_opponent[0] if next_opponent else "", below)
    )
    wanted = say("the lowest") if rules.direction == "lowest" else say("the highest")
    return steps, (
        say(
            "what decided: the {rank:ordinal}, {name}, has the choice before all below, and of those who spend "
            "nothing {now} is {wanted}; without this pair it would be {then}, {steps} place(s) from there",
            rank=rank[high],
            name=event.called(high),
            now=_entry_name(event, opponent),
            wanted=wanted,
            then=_entry_name(event, next_opponent),
            steps=steps,
        ),
    )


def _entry_name(event: Event, names: Sequence[str]) -> Text | str:
    return event.called(names[0]) if names else say("the bye")


def _by_halves(pool: M40Pool, name: Text, here: list[str]) -> Text:
    """Return the reason by M40P-1 to 3."""
    if len(here) == 1:
        return say("{name} has an odd number of players; the highest lot has the bye (M40P-1)", name=name)
    rest = pool.players[len(pool.players) % 2 :]
    place = min(rest.index(player) for player in here) + 1
    return say("{name} in an upper and a lower half by lots: number {place} of each (M40P-3)", name=name, place=place)


def _from_the_top(
    event: Event, history: History, paired: PairedRound, pool: RankContext, here: list[str]
) -> tuple[Text, ...]:
    """Return the ranks of the two, the rule, and the opponents who were excluded before this one."""
    if not set(here) <= set(pool.players):
        return ()  # the operator merged two pools
    rank = {name: place for place, name in enumerate(pool.players, start=1)}
    high, low = min(here, key=rank.__getitem__), max(here, key=rank.__getitem__)
    if high == low:
        return (_bye_of(event, history, pool, high, rank[high]),)
    words = [
        say(
            "{high:ordinal} and {low:ordinal} of {pool}; {rule}",
            high=rank[high],
            low=rank[low],
            pool=pool.name,
            rule=_RULES[pool.lowest, pool.by_wins],
        )
    ]
    before = _who_comes_before(history, paired, pool, high, low)
    for other in before[:MOST_NAMED]:
        name = event.called(other)
        if history.met(high, other):
            words.append(say("{name} would come before, but they have met", name=name))
        else:
            words.append(
                say("{name} would come before, but then others would have to meet again or be further apart", name=name)
            )
    return tuple(words)


#: preferred opponent: (the lowest, or the highest; with as many wins)
_RULES = {
    (True, True): say("from the top, each meets the lowest unmet opponent with as many wins"),
    (False, True): say("from the top, each meets the highest unmet opponent with as many wins"),
    (False, False): say("from the top, each meets the highest unmet opponent"),
}


def _who_comes_before(history: History, paired: PairedRound, pool: RankContext, high: str, low: str) -> list[str]:
    """Return the free opponents whom the rule prefers to ``low``, the nearest to him first; of equal wins where those
    decide."""
    rank = {name: place for place, name in enumerate(pool.players)}
    unavailable: set[str] = set()
    for game in paired.games:
        if rank.keys() >= set(game.players) and min(rank[name] for name in game.players) < rank[high]:
            unavailable.update(game.players)
    below = [name for name in pool.players[rank[high] + 1 :] if name not in unavailable]
    at = below.index(low)
    before = below[at + 1 :] if pool.lowest else below[:at][::-1]
    wins = {name: history.records[name].score for name in pool.players}
    return [name for name in before if not pool.by_wins or wins[name] == wins[low]]


def _bye_of(event: Event, history: History, pool: RankContext, name: str, rank: int) -> Text:
    """Return the reason of a bye: the last of the pool has it. Where each meets the lowest, the top of the lowest group
    has it."""
    records = history.records
    if not pool.by_wins:
        below = pool.players[pool.players.index(name) + 1 :]
        if any(not records[player].byes for player in below) or records[name].byes:
            return say(
                "the {rank:ordinal} of those here; by rank alone the bye goes to the lowest without one so far",
                rank=rank,
            )
        return say(
            "odd number of players: the bye goes to the lowest without one so far, the {rank:ordinal}", rank=rank
        )
    fewest = min(records[player].score for player in pool.players)
    if not pool.lowest or records[name].score > fewest:
        return say(
            "{pool} has an odd number of players; the bye is paired like an opponent with -1 "
            "wins and goes to the {rank:ordinal}, {name}",
            pool=pool.name,
            rank=rank,
            name=event.called(name),
        )
    return say(
        "{pool} has an odd number of players; the bye is paired below everybody like an "
        "opponent with -1 wins and goes to the top player of the lowest group who can have "
        "it: the {rank:ordinal}, {name}",
        pool=pool.name,
        rank=rank,
        name=event.called(name),
    )


def _m43_reasons(event: Event, paired: PairedRound, game: Game | Bye, here: list[str]) -> tuple[Text, ...]:
    if isinstance(game, Game) and game.end is EndReason.NOT_PLAYED:
        return (say("both have exactly 1.0 wins more than the provisional 5th: not played, a draw (M43F-06)"),)
    if len(here) == 2:
        return ()
    present = players_in(paired, game.stage)
    if paired.round == 6 and here[0] in leaders_after_5(event, present):
        return (say("1.5 wins or more ahead of the 5th: a bye (M43F-05)"),)
    return (say("an odd number: the bye goes to a player with the fewest wins who has had none (AMB-15)"),)
