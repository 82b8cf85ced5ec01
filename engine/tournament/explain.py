"""Why a pair meets, in words an organiser can read out; why a player stands above the next is in ``explain_ranks``.

The law: an explanation is computed from the event file like the decision itself; it never guesses. What a pair is worth
is found by forbidding it and pairing the round again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.text import Text, say, say_in
from engine.tournament.constraints import Constraints, with_constraints
from engine.tournament.explain_pools import deciding_digit, names_of, rank_reasons, stage_reasons
from engine.tournament.explain_ranks import explain_standings
from engine.tournament.explain_tables import table_reasons
from engine.tournament.formats import PairedRound, format_of
from engine.tournament.formats.swiss import Swiss
from engine.tournament.history import LEAGUE_STAGES, History, history_before, present
from engine.tournament.model import WIN, Bye, Event, EventError, Game, Stage, TournamentError
from engine.tournament.pairing import next_round
from engine.tournament.swiss import RULE, Pool, Prices, smallest_total
from engine.tournament.words import STAGES, number_of_wins

__all__ = ["PairReason", "describe_round", "explain_round", "explain_standings", "price_without"]


#: of those who stay in their group, so many are named
MOST_STAYING = 3


@dataclass(frozen=True, slots=True)
class PairReason:
    """Why two players meet, or why one has the bye. ``price``: how much more the best round without this pair costs: a
    number where penalties decide, else the difference of the cost's columns; None where the rules leave no choice."""

    players: tuple[str, ...]
    reasons: tuple[Text, ...]
    price: int | tuple[int, ...] | None


def explain_round(
    event: Event, paired: PairedRound, player: str | None = None, *, priced: bool = True
) -> tuple[PairReason, ...]:
    """The reasons of every pair and bye of the next round, or only of one player's."""
    if player is not None:
        event.player(player)
    penalties = "penalty" in paired.cost
    counted = LEAGUE_STAGES if penalties else tuple(Stage)
    history = history_before(event, paired.round, counted)
    found = [
        _explain(event, history, paired, game, priced)
        for game in paired.games
        if player is None or player in game.players
    ]
    if player is not None and not found:
        raise EventError(
            say(
                "{label} has no game and no bye in round {round}; he is not paired",
                label=event.label(player),
                round=paired.round,
            )
        )
    return tuple(found)


def describe_round(event: Event, drafted: PairedRound) -> tuple[PairReason, ...]:
    """What each pair of a round that was made by hand is, without prices."""
    return explain_round(event, drafted, priced=False)


def _explain(event: Event, history: History, paired: PairedRound, game: Game | Bye, priced: bool) -> PairReason:
    players, stage = game.players, game.stage
    if stage in STAGES:
        return PairReason(players, stage_reasons(event, paired, game), None)
    if tables := table_reasons(event, paired, game):
        return PairReason(players, tables, None)
    if isinstance(game, Bye):
        reasons = _bye_reasons(event, history, game.player)
    else:
        reasons = _pair_reasons(event, history, game)
        if "penalty" in paired.cost:
            reasons += _nearer_but_met(event, history, names_of(paired, stage), game.players)
            reasons.append(_penalty_words(event, history, names_of(paired, stage), game.players))
    reasons += rank_reasons(event, paired, game)
    if not priced:
        return PairReason(players, tuple(reasons), None)
    price, other = _without(event, paired, players)
    words = _price_words(price)
    if other is not None and isinstance(price, tuple) and not any(price):
        words = deciding_digit(event, paired, other, players)
    return PairReason(players, (*reasons, *words), price)


def price_without(event: Event, paired: PairedRound, players: Sequence[str]) -> int | tuple[int, ...] | None:
    """How much more the best round costs in which these two do not meet (one player: in which he has no bye)."""
    return _without(event, paired, players)[0]


def _without(
    event: Event, paired: PairedRound, players: Sequence[str]
) -> tuple[int | tuple[int, ...] | None, PairedRound | None]:
    """(how much more the best round costs without this pair, that round where it had to be made)."""
    wishes = Constraints(forbidden=((players[0], players[-1]),))
    format_ = format_of(event)
    try:
        if isinstance(format_, Swiss):
            wished = with_constraints(event, paired.round, wishes)
            history = history_before(wished, paired.round)
            penalty: int = paired.cost["penalty"]  # type: ignore[assignment]
            return smallest_total(wished, history, format_.pool(wished, paired.round)) - penalty, None
        other = next_round(event, wishes)
    except TournamentError:
        return None, None
    return _difference(paired.cost, other.cost), other


def _difference(cost: Mapping[str, Any], other: Mapping[str, Any]) -> int | tuple[int, ...]:
    if "penalty" in cost:
        return int(other["penalty"]) - int(cost["penalty"])
    one, two = _columns(cost), _columns(other)
    width = max(len(one), len(two))
    # the columns of a profile are counted from the right, where a difference of one win stands
    one, two = (row[:2] + [0] * (width - len(row)) + row[2:] for row in (one, two))
    return tuple(b - a for a, b in zip(one, two, strict=True))


def _columns(cost: Mapping[str, Any]) -> list[int]:
    columns: list[int] = []
    for value in cost.values():
        columns += value if isinstance(value, list | tuple) else [value]
    return columns


def _price_words(price: int | tuple[int, ...] | None) -> tuple[Text, ...]:
    """What the best other round would cost; nothing where ranks decided between rounds that cost the same."""
    if price is None:
        return (say("the rules leave no other pairing"),)
    if isinstance(price, tuple):
        column = next((index for index, value in enumerate(price) if value), None)
        if column is None or column > 1 or price[column] < 0:
            return ()
        name = (say("second byes"), say("rematches"))[column]
        return (say("any round without this has more {name}", name=name),)
    if price <= 0:
        return (say("another round has the same total penalty; the lot decided"),)
    if price >= RULE:
        return (say("any round without this breaks a rule of the format"),)
    return (say("without this pair the best round has {price:,} more penalty points in all", price=price),)


def _pair_reasons(event: Event, history: History, game: Game) -> list[Text]:
    one, other = game.players
    first, second = event.label(one), event.label(other)
    scores = history.records[one].score, history.records[other].score
    reasons = []
    if scores[0] == scores[1]:
        reasons.append(say("both have {wins}", wins=_wins(scores[0])))
    else:
        reasons += _float_words(event, history, one, other)
        reasons.append(
            say(
                "{first} has {a}, {second} {b}: {gap} apart",
                first=first,
                a=_wins(scores[0]),
                second=second,
                b=_wins(scores[1]),
                gap=number_of_wins(abs(scores[0] - scores[1])),
            )
        )
    if met := history.met(one, other):
        rounds = ", ".join(map(str, met))
        reasons.append(say("a rematch: they met in round {rounds}", rounds=rounds))
    else:
        reasons.append(say("they have not met"))
    if event.facts.designates(game.stage):
        reasons.append(_colour_words(event, history, one, other))
    return reasons


def _float_words(event: Event, history: History, one: str, other: str) -> list[Text]:
    """Why the higher of two floats down: how many have his points, and who of them stay."""
    high, low = sorted((one, other), key=lambda name: history.records[name].score, reverse=True)
    here = [player.id for player in present(event, history.round)]
    level = [name for name in here if history.records[name].score == history.records[high].score and name != high]
    label, points = event.label(high), _wins(history.records[high].score)
    if not level:
        return [say("{label} is alone with {points}, so he meets somebody with fewer", label=label, points=points)]
    if len(level) % 2:
        return [say("{label} floats: those with {points} cannot all meet somebody new", label=label, points=points)]
    stay = tuple(event.label(name) for name in level[:MOST_STAYING])
    text = say(
        "{label} floats: {count} have {points}, an odd number, so one meets {low}; {stay} and the others stay",
        label=label,
        count=len(level) + 1,
        points=points,
        low=event.label(low),
        stay=stay,
    )
    return [text]


def _nearer_but_met(event: Event, history: History, names: Sequence[str], players: tuple[str, str]) -> list[Text]:
    """For two of different points: who is nearer in points to one of them, but has been his opponent already."""
    score = {name: history.records[name].score for name in names}
    gap = abs(score[players[0]] - score[players[1]])
    found = []
    for one in players:
        met = [n for n in names if n != one and abs(score[n] - score[one]) < gap and history.met(one, n)]
        if met:
            label, others = event.label(one), [event.label(name) for name in met]
            found.append(say("{label} has already met {others}, who are nearer in points", label=label, others=others))
    return found


def _wins(half_points: int) -> Text:
    if half_points == WIN:
        return say("1 win")
    return say("{wins} wins", wins=number_of_wins(half_points))


def _colour_words(event: Event, history: History, black: str, white: str) -> Text:
    """Black minus White so far, which the colours of this game should bring nearer to 0."""
    a, b = history.records[black].balance, history.records[white].balance
    return say(
        "Black is {label} (blacks minus whites so far {a:+d}), White {label2} ({b:+d})",
        label=event.label(black),
        a=a,
        label2=event.label(white),
        b=b,
    )


def _penalty_words(event: Event, history: History, names: Sequence[str], players: tuple[str, str]) -> Text:
    penalty = Prices(event, history, Pool(tuple(names))).pair(*players)
    terms = (
        (say("colours {points:,}"), penalty.colour),
        (say("float {points:,}"), penalty.float),
        (say("repetition {points:,}"), penalty.repetition),
        (say("same country {points:,}"), penalty.country),
        (say("elitism {points:,}"), penalty.elitism),
    )
    some = tuple(term(points=points) for term, points in terms if points) or say_in("no penalty", "none")
    return say("penalty {total:,} ({terms})", total=penalty.total, terms=some)


def _bye_reasons(event: Event, history: History, player: str) -> list[Text]:
    record = history.records[player]
    reasons = [say("a bye with {wins}", wins=_wins(record.score))]
    if player in history.wishes.byes:
        reasons.append(say("the operator asked for this bye"))
    had = tuple(event.label(p.id) for p in present(event, history.round) if history.records[p.id].byes)
    if had and not record.byes:
        reasons.append(say("these have had a bye already: {names}", names=had))
    if record.byes:
        reasons.append(say("his bye number {byes}", byes=record.byes + 1))
    return reasons
