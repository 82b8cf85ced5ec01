"""Format ``team``: teams of three on three boards (RULES.md 6.9).

- A Swiss of five rounds, winners meet winners (TEAM-1.0), round 1 by lot; no rematch before round 5 if avoidable
  (AMB-45). In round 5 the first two play the final and the others their neighbours in rank.
- In the event file a match is three games, one per board: match m has the tables 3m - 2, 3m - 1 and 3m, in the order of
  the boards, the better placed teams on the lower tables; a board without players has no game there.
- ``black`` and ``white`` only identify the two players, since a hidden disc settles the colours (TEAM-5).
- A team's bye is a bye for each of its three boards (TEAM-1.5).
- The players of the boards are in the team's ``orders`` for the round; pairing again with the sheets in the file keeps
  the matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from engine.i18n import Text, say, say_in
from engine.tournament import format_spec_and_options as spec
from engine.tournament.adjacent_pairing import cost_of_neighbours, pair_neighbours
from engine.tournament.event_model import Bye, Event, Game, Round, Stage, Team, event_error
from engine.tournament.formats import final_rounds
from engine.tournament.formats import format_interface as base
from engine.tournament.formats import team_matches_and_ranking as team_matches
from engine.tournament.lots_and_leagues import LotDraw
from engine.tournament.min_cost_matching import MatchingError, Pair, min_cost_matching, total_cost
from engine.tournament.othello_system_pairing import PoolPairing
from engine.tournament.pairing_history_and_constraints import History, constraints_of, present_entries
from engine.tournament.standings_and_tie_breaks import Standings, StandingsRow, shared_ranks

#: TEAM-1.0
USUAL_ROUNDS = 5
LOT_BITS = 32
KEY_NAMES = ("match_wins", "individual_wins", "discs", "captain_wins", "previous_rank")


#: whether rematches are avoided before the last round: AMB-45
REMATCHES = spec.ChoiceOption("rematches", None, ("avoid", "allowed"))


class TeamSwiss(base.Format):
    """TEAM-1 to TEAM-4 as functions of the event file."""

    facts = spec.FormatSpec(
        "team",
        (
            spec.DivisionPreset(
                "team", "others", "team", say_in("team", "Teams"),
                say("Teams of three, five rounds, the last with the final."),
                "2– teams",
            ),
        ),
        choices=(spec.TEAM_ROUNDS, spec.BYE_DISCS),
        readings=(*spec.COMMON, REMATCHES, spec.FINAL_DECIDES),
        settled_by_players=True,
        teams=True,
        rules="team",
    )  # fmt: skip

    def next_round(self, event: Event) -> base.PairedRound:
        round_ = len(event.rounds) + 1
        here = frozenset(player.id for player in present_entries(event, round_))
        teams = [team.id for team in event.teams if here.intersection(team.players)]
        final = _plan(event).step(round_) is final_rounds.FinalStage.FINAL
        resting = () if final else constraints_of(event, round_).byes
        if (n := sum(team not in resting for team in teams)) < 2:
            raise event_error("{n} team(s) present; a round needs two or more, check 'teams' and 'absent'", n=n)
        draw = _last_round(event, round_, teams) if final else _swiss_round(event, round_, teams)
        entries: list[Game | Bye] = []
        warnings = _warnings(event, draw, round_, final)
        for number, match in enumerate(draw.pairs):
            stage = Stage.LEAGUE if not final else Stage.FINAL if number == 0 else Stage.PLACEMENT
            entries += _boards(event, match, stage, 3 * number + 1, here, warnings)
        for team in (*([draw.bye] if draw.bye else []), *draw.requested):
            stage = Stage.PLACEMENT if final else Stage.LEAGUE
            order, _ = team_matches.board_order(event, _team(event, team), round_, sorted(here))
            entries += [Bye(name, stage) for name in order]
        cost = {"second_byes": draw.cost[0], "rematches": draw.cost[1], "distance": sum(draw.cost[3:])}
        return base.PairedRound(round_, tuple(entries), cost, tuple(warnings))

    def standings_after(self, event: Event, after: int) -> Standings:
        keys = team_matches.team_keys(event, after)
        rows = []
        for team, rank in shared_ranks(team_matches.team_groups(event, after)).items():
            wins, boards, discs, captain, previous = keys[team]
            rows.append(StandingsRow(rank, team, wins, discs, (wins, boards, discs, captain, -previous), KEY_NAMES))
        return Standings(after, tuple(rows))

    def costs_of_round(self, before: Event, played: Round) -> tuple[Sequence[int], Sequence[int]]:
        matches = [match.teams for match in team_matches.matches_of(before, played) if match.stage is not Stage.FINAL]
        byes = team_matches.byes_of(before, played)
        teams = [team for match in matches for team in match] + byes[:1]
        if not matches:
            return (0, 0), (0, 0)  # the final alone
        if _plan(before).step(played.number) is final_rounds.FinalStage.FINAL:
            order = [team for team in _order(before, played.number - 1) if team in teams]
            history = _without_meetings(team_matches.team_history(before, played.number))
            return cost_of_neighbours(history, order, matches), pair_neighbours(history, order).cost
        history = _counted_meetings(before, played.number)
        played_draw = PoolPairing(tuple(matches), byes[0] if byes else None, ())
        return _cost(before, history, played_draw), _swiss_round(before, played.number, teams).cost

    def planned_rounds(self, event: Event) -> int:
        return spec.TEAM_ROUNDS.of(event) or USUAL_ROUNDS

    def champion(self, event: Event) -> str | None:
        """Return the winner of the final, a team's id; if the final decides nothing, the first of the last round
        (TEAM-4)."""
        if spec.FINAL_DECIDES.of(event) is False:
            return _order(event, len(event.rounds))[0] if self.is_over(event) else None
        places = team_matches.final_places(event, len(event.rounds))
        return next((team for team, place in places.items() if place == 1), None)


def _plan(event: Event) -> final_rounds.FinalsPlan:
    return final_rounds.FinalsPlan((spec.TEAM_ROUNDS.of(event) or USUAL_ROUNDS) - 1, (final_rounds.FinalStage.FINAL,))


def _swiss_round(event: Event, round_: int, teams: Sequence[str]) -> PoolPairing:
    """Return the cheapest round (TEAM-1.1, TEAM-1.4): as few second byes, then rematches as possible, also in the round
    after this; then as few matches of unequal wins, the largest differences first; equal rounds are decided by lot."""
    history = _counted_meetings(event, round_)
    requested = tuple(team for team in teams if team in history.wishes.byes)
    teams = [team for team in teams if team not in requested]
    order = _order(event, round_ - 1)
    places = len(teams) + len(teams) % 2
    digit = places.bit_length()
    lots = LotDraw(event.options.random_seed or 0, round_, purpose=4)
    costs: dict[Pair, int] = {}
    for j in range(places):
        for i in range(j):
            lot = lots.next64() >> (64 - LOT_BITS)
            other = teams[j] if j < len(teams) else None
            if not history.wishes.allows_entry(teams[i], other):
                continue
            weight = 0
            for part in _pair_cost(history, teams[i], other):
                weight = (weight << digit) + part
            costs[i, j] = (weight << (LOT_BITS + digit)) + lot

    def draw_of(pairs: Sequence[Pair]) -> PoolPairing:
        bye = next((teams[i] for i, j in pairs if j == len(teams)), None)
        matches = [sorted((teams[i], teams[j]), key=order.index) for i, j in pairs if j < len(teams)]
        matches.sort(key=lambda match: order.index(match[0]))
        draw = PoolPairing(tuple((one, other) for one, other in matches), bye, (), requested)
        return replace(draw, cost=_cost(event, history, draw))

    best = min_cost_matching(places, costs)
    if draw_of(best).cost[2]:  # a dead end: the cheapest round that differs in at least one pair
        others = []
        for pair in best:
            with suppress(MatchingError):
                others.append(min_cost_matching(places, {p: c for p, c in costs.items() if p != pair}))
        best = min((best, *others), key=lambda pairs: (draw_of(pairs).cost[:3], total_cost(pairs, costs)))
    return draw_of(best)


def _pair_cost(history: History, one: str, other: str | None) -> tuple[int, ...]:
    """Return (second bye, rematch, then a 1 in the column of the difference in wins, the largest first)."""
    record = history.records[one]
    wins = record.score // 2
    difference = wins + 1 if other is None else abs(wins - history.records[other].score // 2)
    columns = [int(d == difference) for d in range(history.round, 0, -1)]
    if other is None:
        return (int(record.byes > 0), 0, *columns)
    return (0, int(bool(history.met(one, other))), *columns)


def _cost(event: Event, history: History, draw: PoolPairing) -> tuple[int, ...]:
    """Return second byes, rematches, whether the next round must have one of them, and the columns of
    ``_pair_cost``."""
    costs = [_pair_cost(history, one, other) for one, other in draw.pairs]
    if draw.bye is not None:
        costs.append(_pair_cost(history, draw.bye, None))
    second_byes, rematches, *columns = (sum(column) for column in zip(*costs, strict=True))
    return (second_byes, rematches, int(_is_dead_end(event, history, draw)), *columns)


def _is_dead_end(event: Event, history: History, draw: PoolPairing) -> bool:
    """Return whether this round allows no next one without second byes and rematches. That happens to six teams, or
    five, that split into halves which have all met each other; it does not matter in the round before the final."""
    if history.round >= (_plan(event).league_rounds or 0):
        return False
    names = [name for match in draw.pairs for name in match] + ([draw.bye] if draw.bye else [])
    new = {frozenset(match) for match in draw.pairs}
    fresh = {
        (i, j): 1
        for j in range(len(names))
        for i in range(j)
        if frozenset((names[i], names[j])) not in new and not history.met(names[i], names[j])
    }
    if draw.bye is not None:
        fresh |= {(i, len(names)): 1 for i, name in enumerate(names[:-1]) if not history.records[name].byes}
    try:
        min_cost_matching(len(names) + len(names) % 2, fresh)
    except MatchingError:
        return True
    return False


def _last_round(event: Event, round_: int, teams: Sequence[str]) -> PoolPairing:
    """Return the last round (TEAM-4.1): the first two play the final; the others meet their neighbours for their
    places, rematches allowed."""
    order = [team for team in _order(event, round_ - 1) if team in teams]
    history = _without_meetings(team_matches.team_history(event, round_))
    free = [team for team in order[2:] if team not in history.wishes.byes]
    if len(free) < 2:
        requested = tuple(team for team in order[2:] if team not in free)
        return PoolPairing(((order[0], order[1]),), free[0] if free else None, (0, 0, 0), requested)
    rest = pair_neighbours(history, order[2:])
    second_byes, rematches, *gaps = rest.cost
    return PoolPairing(
        ((order[0], order[1]), *rest.pairs), rest.bye, (second_byes, rematches, 0, *gaps), rest.requested
    )


def _counted_meetings(event: Event, round_: int) -> History:
    """Return the history with the meetings that count as rematches (AMB-45): before the last round, or none if
    rematches are allowed."""
    history = team_matches.team_history(event, round_)
    return _without_meetings(history) if REMATCHES.of(event) == "allowed" else history


def _without_meetings(history: History) -> History:
    return replace(history, meetings={})


def _order(event: Event, after: int) -> list[str]:
    """Return the teams in order of TEAM-3, equal ones by lot."""
    shuffled = LotDraw(event.options.random_seed or 0, after, purpose=5).shuffled([team.id for team in event.teams])
    return [team for group in team_matches.team_groups(event, after) for team in sorted(group, key=shuffled.index)]


def _boards(
    event: Event, match: tuple[str, str], stage: Stage, table: int, here: frozenset[str], warnings: list[Text]
) -> list[Game]:
    """Return the games of a match (TEAM-1.2): the players with the same number on the order sheets meet. An absent
    player loses 64-0 (AMB-26); if both players of a board are missing, nobody wins it and its table stays empty in the
    record."""
    round_ = len(event.rounds) + 1
    sheets = []
    for team in (_team(event, name) for name in match):
        order, handed_in = team_matches.board_order(event, team, round_, sorted(here))
        sheets.append(order)
        if not handed_in:
            warnings.append(
                say(
                    "order sheet: {label} has none for round {round_}; the order of entry is used",
                    label=event.called(team.id),
                    round_=round_,
                )
            )
    games = []
    for number, (one, other) in enumerate(zip(*sheets, strict=True)):
        game = Game(one, other, stage, table + number)
        missing = [name for name in (one, other) if name not in here]
        if len(missing) == 2:
            warnings.append(
                say(
                    "table {table}: {one} and {other} are both absent; the board goes to nobody",
                    table=game.table,
                    one=event.called(one),
                    other=event.called(other),
                )
            )
            continue
        if missing:
            game = base.forfeited(event, game, missing[0])
            warnings.append(
                say(
                    "table {table}: {label} is absent; the board is lost by forfeit",
                    table=game.table,
                    label=event.called(missing[0]),
                )
            )
        games.append(game)
    return games


def _warnings(event: Event, draw: PoolPairing, round_: int, final: bool) -> list[Text]:
    history = team_matches.team_history(event, round_)
    warnings = [*base.seed_warnings(event), *base.rematch_warnings(event, history, draw.pairs)]
    if draw.bye is not None and history.records[draw.bye].byes:
        warnings.append(say("second bye: {label} already had a bye", label=event.called(draw.bye)))
    if final:
        keys = team_matches.team_keys(event, round_ - 1)
        second = draw.pairs[0][1]
        level = [team for match in draw.pairs[1:] for team in match if keys[team] == keys[second]]
        if level:
            names = [event.called(team) for team in (second, *level)]
            warnings.append(say("last seat of the final: {names} are level in all of TEAM-3; by lot", names=names))
    return warnings


def _team(event: Event, team_id: str) -> Team:
    return next(team for team in event.teams if team.id == team_id)
