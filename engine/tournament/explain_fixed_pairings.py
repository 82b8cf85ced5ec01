"""Explanations of pairings that no comparison chose: Berger tables, and team matches whose captains set the boards.

The reason is the format's own: the number in the Berger table, or the match of the teams.
"""

from __future__ import annotations

from engine.tournament.event_model import Bye, Event, Game
from engine.tournament.formats import PairedRound, format_of
from engine.tournament.formats.round_robin import RoundRobin
from engine.tournament.formats.team import TeamSwiss
from engine.tournament.formats.team_matches_and_ranking import BOARDS, team_history, team_of
from engine.tournament.ranking_and_stage_labels import number_of_wins
from engine.translatable_text import Text, say


def table_reasons(event: Event, paired: PairedRound, game: Game | Bye) -> tuple[Text, ...] | None:
    """Return the reasons of one game or bye; None where the pairing chose."""
    format_ = format_of(event)
    if isinstance(format_, RoundRobin):
        return (_berger(paired.round, isinstance(game, Bye)),)
    if isinstance(format_, TeamSwiss):
        return _team_bye(event, paired, game.player) if isinstance(game, Bye) else _match(event, paired, game)
    return None


def _berger(round_: int, rest: bool) -> Text:
    if rest:
        return say("a rest: the table has no opponent here in round {round}", round=round_)
    return say("round {round_} of the Berger table", round_=round_)


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
