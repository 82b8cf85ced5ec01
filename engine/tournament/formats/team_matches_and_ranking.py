"""Team matches and the ranking of teams (TEAM-3).

An event file lists the games of the boards; a match is all games of two teams in one round, won by the team that won
more boards. All team results are computed here from those games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.i18n import say
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import WIN, Event, Game, Round, Stage, Team, event_error
from engine.tournament.formats.format_interface import groups_by
from engine.tournament.pairing_history_and_constraints import History, PlayerHistory, constraints_of
from engine.tournament.standings_and_tie_breaks import discs_in, shared_ranks

#: TEAM-1.3
BOARDS = 3
#: TEAM-1.5: a bye is three board wins of 33-31 each (AMB-26)
USUAL_BYE = 33

#: match wins, individual wins, discs, captain wins, and the rank after the round before as a negative number
Key = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Match:
    """Boards of two teams in one round, in the order of the event file."""

    teams: tuple[str, str]
    games: tuple[Game, ...]
    stage: Stage

    def board_wins(self, event: Event, team: str) -> int:
        members = team_of(event)
        return sum(
            game.half_points(name) == WIN for game in self.games for name in game.players if members[name] == team
        )

    def winner(self, event: Event) -> str | None:
        """Return the team with more boards (TEAM-1.3); None while a board is open, or if each won as many."""
        if any(game.winner is None for game in self.games):
            return None
        one, other = (self.board_wins(event, team) for team in self.teams)
        return None if one == other else self.teams[0] if one > other else self.teams[1]


def team_of(event: Event) -> dict[str, str]:
    """Return player -> team, for every player who has one."""
    return {name: team.id for team in event.teams for name in team.players}


def captain_of(team: Team) -> str | None:
    """Return the captain; the first player of a team that names none."""
    return team.captain or (team.players[0] if team.players else None)


def matches_of(event: Event, round_: Round) -> list[Match]:
    """Return the matches of a round.

    :raises EventError: if a game has a player without a team, two of one team, or a team has two opponents
    """
    members = team_of(event)
    games: dict[tuple[str, str], list[Game]] = {}
    opponent: dict[str, str] = {}
    for game in round_.games:
        where = event.game_called(round_.number, game)
        if strangers := [name for name in game.players if name not in members]:
            raise event_error(
                "{where}: {label} is in no team; add the player to the 'players' of one",
                where=where,
                label=event.called(strangers[0]),
            )
        one, other = sorted(members[name] for name in game.players)
        if one == other:
            raise event_error("{where}: both are in team {one!r}; correct one of them", where=where, one=one)
        if opponent.setdefault(one, other) != other or opponent.setdefault(other, one) != one:
            raise event_error("{where}: a team has one opponent in a round; correct one of the two", where=where)
        games.setdefault((one, other), []).append(game)
    return [Match(teams, tuple(boards), boards[0].stage) for teams, boards in games.items()]


def byes_of(event: Event, round_: Round) -> list[str]:
    """Return the teams that had no opponent: each of their boards is a bye."""
    members = team_of(event)
    if strangers := [bye.player for bye in round_.byes if bye.player not in members]:
        raise event_error(
            "round {number}: {label} has a bye but is in no team",
            number=round_.number,
            label=event.called(strangers[0]),
        )
    return list(dict.fromkeys(members[bye.player] for bye in round_.byes))


def team_history(event: Event, round_: int) -> History:
    """Return the past of the teams before a round: match wins in half points, byes, meetings; and the constraints,
    which name teams."""
    history = History(round_, {team.id: PlayerHistory() for team in event.teams}, {}, constraints_of(event, round_))
    for past in event.rounds[: round_ - 1]:
        for match in matches_of(event, past):
            if won := match.winner(event):
                history.records[won].score += WIN
            if any(game.over_the_board for game in match.games):
                history.meetings.setdefault(match.teams, []).append(past.number)
        for team in byes_of(event, past):
            history.records[team].score += WIN
            history.records[team].byes += 1
    return history


def team_keys(event: Event, after: int) -> dict[str, Key]:
    """Return the keys of TEAM-3.1 to TEAM-3.5, larger is better."""
    previous = team_ranks(event, after - 1) if after > 0 else {team.id: 0 for team in event.teams}
    history = team_history(event, after + 1)
    keys: dict[str, Key] = {}
    bye_discs = spec.BYE_DISCS.of(event) or USUAL_BYE
    for team in event.teams:
        wins = discs = captain_wins = 0
        captain = captain_of(team)
        for round_ in event.rounds[:after]:
            for name, won, own in _boards(event, round_, frozenset(team.players), bye_discs):
                wins += won
                discs += own
                captain_wins += won and name == captain
        keys[team.id] = (history.records[team.id].score // WIN, wins, discs, captain_wins, -previous[team.id])
    return keys


def _boards(event: Event, round_: Round, members: frozenset[str], bye_discs: int) -> list[tuple[str, bool, int]]:
    """Return (player, whether he won, his discs) of every finished board of a team."""
    boards = [(bye.player, True, bye_discs) for bye in round_.byes if bye.player in members]
    for game in round_.games:
        boards += [
            (name, game.half_points(name) == WIN, discs_in(event, game, name))
            for name in game.players
            if name in members and game.winner is not None
        ]
    return boards


def team_groups(event: Event, after: int) -> list[list[str]]:
    """Return the teams in order, those that TEAM-3 leaves equal together. The final decides places 1 and 2 (AMB-45)."""
    keys = team_keys(event, after)
    final = final_places(event, after)
    return groups_by(
        event.teams, {team: (final.get(team, 3), *(-value for value in key)) for team, key in keys.items()}
    )


def team_ranks(event: Event, after: int) -> dict[str, int]:
    return shared_ranks(team_groups(event, after))


def final_places(event: Event, after: int) -> dict[str, int]:
    """Return 1 and 2 for the teams of the final once it is decided (TEAM-4); none if ``final_decides`` is false
    (AMB-45)."""
    if spec.FINAL_DECIDES.of(event) is False:
        return {}
    return next(
        (
            {team: 1 if team == won else 2 for team in match.teams}
            for round_ in event.rounds[:after]
            for match in matches_of(event, round_)
            if match.stage is Stage.FINAL and (won := match.winner(event))
        ),
        {},
    )


def board_order(event: Event, team: Team, round_: int, here: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Return (the players on boards 1, 2, 3, whether a sheet was submitted) by TEAM-1.2. Without a sheet, the order of
    entry, present players first.

    :raises EventError: if the sheet does not name three players
    """
    sheet = team.orders.get(str(round_))
    order = sheet or tuple(sorted(team.players, key=lambda name: name not in here))[:BOARDS]
    if len(order) != BOARDS:
        name = event.called(team.id)
        of_round = say("the order sheet of team {name} for round {round}", name=name, round=round_)
        where = of_round if sheet else say("team {name}", name=name)
        raise event_error(
            "{where} has {n} players; a match has {boards} boards", where=where, n=len(order), boards=BOARDS
        )
    return order, sheet is not None
