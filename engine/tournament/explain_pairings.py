"""Explanations of pairings: why two players meet, in sentences for the organiser.

Explanations are computed from the event file, like the pairing. The price of a pair is found by forbidding it and
pairing the round again. ``explain_standings`` explains the standings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.i18n import Text, say, say_in
from engine.tournament.event_model import (
    WIN,
    Bye,
    Event,
    Game,
    KeepApartRule,
    Stage,
    TournamentError,
    event_error,
    round_of,
)
from engine.tournament.explain_pairings_by_rank_and_finals import next_of_pool, players_in, rank_reasons, stage_reasons
from engine.tournament.formats import PairedRound, format_of, next_round
from engine.tournament.formats.round_robin import RoundRobin
from engine.tournament.formats.swiss import Swiss
from engine.tournament.formats.team_matches_and_ranking import BOARDS, byes_of, matches_of, team_history, team_of
from engine.tournament.formats.team_swiss import TeamSwiss
from engine.tournament.multi_game_matches import single_games
from engine.tournament.pairing_history_and_constraints import (
    LEAGUE_STAGES,
    Constraints,
    History,
    history_before,
    present_entries,
)
from engine.tournament.standings_and_tie_breaks import STAGES, number_of_wins
from engine.tournament.swiss_pairing import RULE, Prices, SwissPool, cost_of_games, smallest_total

# Explanations of pairings that no comparison chose: Berger tables, and team matches whose captains set the boards.
#
# The reason is the format's own: the number in the Berger table, or the match of the teams.


def table_reasons(event: Event, paired: PairedRound, game: Game | Bye) -> tuple[Text, ...] | None:
    """Return the reasons of one game or bye; None where the pairing chose."""
    format_ = format_of(event)
    if isinstance(format_, RoundRobin):
        return (_berger(paired.round, isinstance(game, Bye)),)
    if isinstance(format_, TeamSwiss):
        _check_teams(event, paired)
        return _team_bye(event, paired, game.player) if isinstance(game, Bye) else _match(event, paired, game)
    return None


def _berger(round_: int, rest: bool) -> Text:
    if rest:
        return say("a rest: the table has no opponent here in round {round}", round=round_)
    return say("round {round_} of the Berger table", round_=round_)


def _check_teams(event: Event, paired: PairedRound) -> None:
    """Check that the boards of a round are of teams, which a round that was typed need not be.

    :raises EventError: as ``matches_of`` and ``byes_of``
    """
    round_ = round_of(paired.round, paired.games)
    matches_of(event, round_)
    byes_of(event, round_)


def _team_bye(event: Event, paired: PairedRound, player: str) -> tuple[Text, ...]:
    team = team_of(event)[player]
    wins = number_of_wins(team_history(event, paired.round).records[team].score)
    name = event.called(team)
    return (say("no opponent is left for {name} ({wins} match wins)", name=name, wins=wins),)


def _match(event: Event, paired: PairedRound, game: Game) -> tuple[Text, ...]:
    members = team_of(event)
    one, other = (members[name] for name in game.players)
    history = team_history(event, paired.round)
    match = [g for g in paired.games if isinstance(g, Game) and {members[name] for name in g.players} == {one, other}]
    # match m has the tables 3m - 2 to 3m
    board = match.index(game) + 1 if game.table is None else (game.table - 1) % BOARDS + 1
    names = event.called(one), event.called(other)
    wins = [number_of_wins(history.records[team].score) for team in (one, other)]
    met = history.met(one, other)
    return (
        say(
            "{names} ({wins} match wins) meets {names2} ({wins2})",
            names=names[0],
            wins=wins[0],
            names2=names[1],
            wins2=wins[1],
        ),
        say("both are number {board} on the order sheets of their teams", board=board),
        say("a rematch: the teams met in round {met}", met=met[0]) if met else say("the teams have not met"),
    )


#: the most players named of those who stay in their group
MOST_STAYING = 3


@dataclass(frozen=True, slots=True)
class PairReason:
    """Why two players meet, or why one has the bye. ``price``: the additional cost of the best round without this pair:
    a number where penalties decide, else the difference of the cost's columns; None where the rules leave no choice."""

    players: tuple[str, ...]
    reasons: tuple[Text, ...]
    price: int | tuple[int, ...] | None


def explain_round(
    event: Event, paired: PairedRound, player: str | None = None, *, priced: bool = True
) -> tuple[PairReason, ...]:
    """Return the reasons of every pair and bye of the next round, or only of one player's."""
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
        raise event_error(
            "{label} has no game and no bye in round {round}, so is not paired",
            label=event.called(player),
            round=paired.round,
        )
    return tuple(found)


def explain_played(event: Event, number: int, player: str | None = None) -> tuple[PairReason, ...]:
    """Return the reasons of the pairs and byes of a round in the file. One player's pair has its price, unless the
    round differs from the one the format would pair.

    :raises EventError: if there is no such round, or the player is not in it
    """
    event = single_games(event)
    played = event.round(number)
    before = replace(event, rounds=event.rounds[: number - 1])
    entries = played.entries
    if isinstance(format_of(event), Swiss):
        here = set(players_in(PairedRound(number, entries, {}), Stage.LEAGUE))
        pool = SwissPool(tuple(one.id for one in event.players if one.id in here))
        games = [game for game in played.games if game.stage is Stage.LEAGUE]
        bye = next((bye for bye in played.byes if bye.stage is Stage.LEAGUE), None)
        cost = {"penalty": cost_of_games(before, history_before(before, number), pool, games, bye)}
        return explain_round(before, PairedRound(number, entries, cost), player, priced=player is not None)
    try:
        paired = next_round(before)
    except TournamentError:
        return explain_round(before, PairedRound(number, entries, {}), player, priced=False)
    as_paired = {frozenset(entry.players) for entry in paired.games} == {frozenset(entry.players) for entry in entries}
    as_played = PairedRound(number, entries, paired.cost)
    return explain_round(before, as_played, player, priced=player is not None and as_paired)


def _explain(event: Event, history: History, paired: PairedRound, game: Game | Bye, priced: bool) -> PairReason:
    players, stage = game.players, game.stage
    if stage in STAGES:
        return PairReason(players, stage_reasons(event, paired, game), None)
    if tables := table_reasons(event, paired, game):
        return PairReason(players, tables, None)
    if isinstance(game, Bye):
        reasons = _bye_reasons(event, history, paired, game)
    else:
        reasons = _pair_reasons(event, history, paired, game)
        if "penalty" in paired.cost:
            reasons += _nearer_but_met(event, history, players_in(paired, stage), game.players)
            reasons.append(_penalty_words(event, history, players_in(paired, stage), game.players))
    reasons += rank_reasons(event, paired, game)
    if not priced:
        return PairReason(players, tuple(reasons), None)
    price, words = _without(event, paired, players)
    return PairReason(players, (*reasons, *words), price)


def cost_without(event: Event, paired: PairedRound, players: Sequence[str]) -> int | tuple[int, ...] | None:
    """Return the additional cost of the best round in which these two do not meet (one player: in which he has no
    bye)."""
    return _without(event, paired, players)[0]


def _without(
    event: Event, paired: PairedRound, players: Sequence[str]
) -> tuple[int | tuple[int, ...] | None, tuple[Text, ...]]:
    """Return (the additional cost of the best round without this pair, the sentences for it)."""
    format_ = format_of(event)
    try:
        if isinstance(format_, Swiss):
            history = history_before(event, paired.round)
            if any(name in history.wishes.byes for name in players):  # the operator's choice has no price
                return None, _cost_words(None)
            here = set(players_in(paired, Stage.LEAGUE))  # players of a played round may have left since
            pool = format_.pool(event, paired.round)
            pool = replace(pool, players=tuple(one.id for one in event.players if one.id in here))
            penalty: int = paired.cost["penalty"]  # type: ignore[assignment]
            price = smallest_total(event, history, pool, players) - penalty
            return price, _cost_words(price)
        if decided := next_of_pool(event, paired, players):
            steps, words = decided
            return (*(0 for _ in _columns(paired.cost)), steps), words
        constraints = Constraints(forbidden=((players[0], players[-1]),))
        other = _difference(paired.cost, next_round(event, constraints).cost)
        return other, _cost_words(other)
    except TournamentError:
        return None, _cost_words(None)


def cost_of_keep_apart(event: Event, paired: PairedRound, wish: KeepApartRule) -> int | tuple[int, ...]:
    """Return how much less the best round would cost without this one constraint for several rounds."""
    apart = tuple(one for one in event.options.apart if one != wish)
    free = replace(event, options=replace(event.options, apart=apart))
    return _difference(next_round(free).cost, paired.cost)


def _difference(cost: Mapping[str, Any], other: Mapping[str, Any]) -> int | tuple[int, ...]:
    if "penalty" in cost:
        return int(other["penalty"]) - int(cost["penalty"])
    one, two = _columns(cost), _columns(other)
    width = max(len(one), len(two))
    # the columns of a profile are aligned at the right, at a difference of one win
    one, two = (row[:2] + [0] * (width - len(row)) + row[2:] for row in (one, two))
    return tuple(b - a for a, b in zip(one, two, strict=True))


def _columns(cost: Mapping[str, Any]) -> list[int]:
    columns: list[int] = []
    for value in cost.values():
        columns += value if isinstance(value, list | tuple) else [value]
    return columns


def _cost_words(price: int | tuple[int, ...] | None) -> tuple[Text, ...]:
    """Return the sentences for the cost of the best other round; none where ranks decided between rounds of equal
    cost."""
    if price is None:
        return (say("the rules leave no other pairing"),)
    if isinstance(price, tuple):
        column = next((index for index, value in enumerate(price) if value), None)
        if column is None or column > 1 or price[column] < 0:
            return ()
        name = (say("second byes"), say("rematches"))[column]
        return (say("every pairing without this has more {name}", name=name),)
    if price < 0:
        return (say("without this pair, the penalty would be {n:,} lower: the pair was set by hand", n=-price),)
    if price == 0:
        return (say("another pairing has the same total penalty; decided by lot"),)
    if price >= RULE:
        return (say("every pairing without this breaks a rule of the format"),)
    return (say("without this pair, the best pairing has {price:,} more penalty points in total", price=price),)


def _pair_reasons(event: Event, history: History, paired: PairedRound, game: Game) -> list[Text]:
    """Return the reasons of a pair; the first is the answer in one sentence."""
    one, other = game.players
    scores = history.records[one].score, history.records[other].score
    met = history.met(one, other)
    again = say("a rematch: they met in round {rounds}", rounds=", ".join(map(str, met)))
    if scores[0] == scores[1] and not met:
        reasons = [say("both have {wins}, and they have not met", wins=words_of_wins(scores[0]))]
    elif scores[0] == scores[1]:
        reasons = [again, say("both have {wins}", wins=words_of_wins(scores[0]))]
    else:
        reasons = _float_words(event, history, paired, game)
        reasons.append(
            say(
                "{first} has {a}, {second} {b}: {gap} apart",
                first=event.called(one),
                a=words_of_wins(scores[0]),
                second=event.called(other),
                b=words_of_wins(scores[1]),
                gap=number_of_wins(abs(scores[0] - scores[1])),
            )
        )
        reasons = [again, *reasons] if met else [*reasons, say("they have not met")]
    if met:
        reasons += [_met_of_his_level(event, history, one), _met_of_his_level(event, history, other)]
    if event.facts.designates(game.stage):
        reasons.append(_colour_words(event, history, one, other))
        reasons.append(_why_these_colours(event, history, one, other))
    return reasons


def _level_with(event: Event, history: History, name: str) -> list[str]:
    """Return the other players present with as many points."""
    here = (player.id for player in present_entries(event, history.round))
    return [n for n in here if n != name and history.records[n].score == history.records[name].score]


def _met_of_his_level(event: Event, history: History, name: str) -> Text:
    level = _level_with(event, history, name)
    return say(
        "{label} has met {met} of the {count} others who have {points}",
        label=event.called(name),
        met=sum(bool(history.met(name, other)) for other in level),
        count=len(level),
        points=words_of_wins(history.records[name].score),
    )


def _float_words(event: Event, history: History, paired: PairedRound, game: Game) -> list[Text]:
    """Return why the higher of two players floats down: how many have his points, which of them stay, and why these."""
    high, low = sorted(game.players, key=lambda name: history.records[name].score, reverse=True)
    level = _level_with(event, history, high)
    label, points = event.called(high), words_of_wins(history.records[high].score)
    if not level:
        return [say("{label} is the only one with {points}, so meets somebody with fewer", label=label, points=points)]
    if len(level) % 2:
        text = say(
            "{label} plays in the group below: those with {points} cannot all have a new opponent",
            label=label,
            points=points,
        )
    else:
        text = say(
            "{label} plays in the group below: {count} have {points}, an odd number, so one "
            "meets {low}; {stay} and the others stay",
            label=label,
            count=len(level) + 1,
            points=points,
            low=event.called(low),
            stay=tuple(event.called(name) for name in level[:MOST_STAYING]),
        )
    return [text, *_why_they_stay(event, history, paired, game, (high, low), level)]


def _why_they_stay(
    event: Event, history: History, paired: PairedRound, game: Game, pair: tuple[str, str], level: Sequence[str]
) -> list[Text]:
    """Return, for players level with the floater, who has already met the opponent, and the cost if one of them floated
    and took his place. The cheapest come first."""
    high, low = pair
    partner = {name: other for g in paired.games if isinstance(g, Game) for name, other in (g.players, g.players[::-1])}
    met = [name for name in level if history.met(name, low)]
    words = []
    if met:
        names = tuple(event.called(name) for name in met[:MOST_STAYING])
        words.append(say("{names} stay(s): they have met {low} already", names=names, low=event.called(low)))
    if "penalty" not in paired.cost:
        return words
    prices = Prices(event, history, SwissPool(tuple(players_in(paired, game.stage))))
    cheaper = prices.cheaper
    more = {
        name: cheaper(name, low) + cheaper(high, partner[name]) - cheaper(high, low) - cheaper(name, partner[name])
        for name in level
        if name in partner and name not in met
    }
    for name in sorted(more, key=more.__getitem__)[:MOST_STAYING]:
        stays = event.called(name)
        if more[name] > 0:
            words.append(
                say(
                    "{name} stays: moving this player instead would raise the penalty by {n:,}",
                    name=stays,
                    n=more[name],
                )
            )
        else:
            words.append(
                say("{name} stays: moving this player instead would give the same penalty; decided by lot", name=stays)
            )
    return words


def _nearer_but_met(event: Event, history: History, names: Sequence[str], players: tuple[str, str]) -> list[Text]:
    """Return, for two players of different points, who is nearer in points to one of them but has already been his
    opponent."""
    score = {name: history.records[name].score for name in names}
    gap = abs(score[players[0]] - score[players[1]])
    found = []
    for one in players:
        met = [n for n in names if n != one and abs(score[n] - score[one]) < gap and history.met(one, n)]
        if met:
            label, others = event.called(one), [event.called(name) for name in met]
            found.append(say("{label} has already met {others}, who are nearer in points", label=label, others=others))
    return found


def words_of_wins(half_points: int) -> Text:
    """Return a number of wins, a draw as a half."""
    if half_points == WIN:
        return say("1 win")
    return say("{wins} wins", wins=number_of_wins(half_points))


def _colour_words(event: Event, history: History, black: str, white: str) -> Text:
    """Return the sentence on Black minus White so far, which the colours of this game should bring nearer to 0."""
    a, b = history.records[black].balance, history.records[white].balance
    return say(
        "Black is {label} (blacks minus whites so far {a:+d}), White {label2} ({b:+d})",
        label=event.called(black),
        a=a,
        label2=event.called(white),
        b=b,
    )


def _why_these_colours(event: Event, history: History, black: str, white: str) -> Text:
    """Return the reason of the colours, by the rules of ``choose_colours``."""
    wishes = history.wishes
    if wishes and not wishes.allows_colours(white, black):
        return say("the operator asked for these colours")
    prices = Prices(event, history, SwissPool((black, white)))
    more = prices.pair(white, black).total - prices.pair(black, white).total
    if more > 0:
        return say("with colours swapped, this pair's penalty would be {n:,} higher", n=more)
    if more < 0:
        return say(
            "with colours swapped, this pair's penalty would be {n:,} lower: the colours were set by hand", n=-more
        )
    sides = zip(history.records[black].sides, history.records[white].sides, strict=True)
    for back, (black_side, white_side) in enumerate(reversed(list(sides)), start=1):
        if black_side is not white_side:
            number = history.round - back
            return say("both ways have the same penalty; colours are swapped from round {number}", number=number)
    return say("both ways have the same penalty, and their colours were always the same: decided by lot")


def _penalty_words(event: Event, history: History, names: Sequence[str], players: tuple[str, str]) -> Text:
    penalty = Prices(event, history, SwissPool(tuple(names))).pair(*players)
    terms = (
        (say("colours {points:,}"), penalty.colour),
        (say("score difference {points:,}"), penalty.float),
        (say("rematch {points:,}"), penalty.repetition),
        (say("same country {points:,}"), penalty.country),
        (say("elitism {points:,}"), penalty.elitism),
    )
    some = tuple(term(points=points) for term, points in terms if points) or say_in("no penalty", "none")
    return say("penalty {total:,} ({terms})", total=penalty.total, terms=some)


def _bye_reasons(event: Event, history: History, paired: PairedRound, bye: Bye) -> list[Text]:
    """Return the reasons of a bye; the first is the answer in one sentence: an odd field, the lowest group, no bye
    before."""
    player, records = bye.player, history.records
    label, record = event.called(player), records[player]
    if player in history.wishes.byes:
        return [say("the operator asked for this bye")]
    names = [name for name in players_in(paired, bye.stage) if name not in history.wishes.byes]
    lowest = min(records[name].score for name in names)
    group = [name for name in names if records[name].score == lowest]
    fresh = [name for name in group if not records[name].byes]
    text = say("{label} has the bye with {wins}", label=label, wins=words_of_wins(record.score))
    if len(names) % 2 and record.score == lowest and not record.byes:
        text = say(
            "{label} has the bye: the number of players is odd, the bye goes to the lowest group "
            "({wins}, {count} player(s)), and {fresh} of them have had none",
            label=label,
            wins=words_of_wins(lowest),
            count=len(group),
            fresh=len(fresh),
        )
    reasons = [text]
    earlier = tuple(event.called(p.id) for p in present_entries(event, history.round) if records[p.id].byes)
    if earlier and not record.byes:
        reasons.append(say("these have had a bye already: {names}", names=earlier))
    if record.byes:
        reasons.append(say("bye number {byes} of this player", byes=record.byes + 1))
    return reasons
