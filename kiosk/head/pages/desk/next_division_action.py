"""The next action of a division, as a sentence that a newcomer understands.

There is always exactly one, and it links to the page where it is done.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.i18n import Text, say, say_n
from engine.tournament.pairing_history_and_constraints import present_entries
from kiosk.head.desk import Desk
from kiosk.head.errors import HeadError
from kiosk.head.event.pairings_standings_and_correction_impact import is_over
from kiosk.head.event.tournament_state import DivisionState


@dataclass(frozen=True, slots=True)
class NextAction:
    """The next action. ``page``: the division's page where it is done; ``waits``: nobody has to act now."""

    words: Text
    page: str
    button: Text
    waits: bool = False


_LOOK = "round", say("Look at the round")


def next_action(desk: Desk, division: DivisionState) -> NextAction:
    """Return the next action of the division."""
    if any(ahead.slug == division.slug for ahead, *_ in desk.claims.to_follow()):
        words = say(
            'The tables are already playing round {number}. Read "Needs attention" on the "Desk" '
            'page, and press "Publish these rounds as the tables have them".'
        )
        return NextAction(words(number=len(division.rounds) + 1), *_LOOK)
    if not division.rounds and (found := _before_round_1(division)) is not None:
        return found
    if not division.round_is_complete:
        return _action_in_round(desk, division)
    return _between(desk, division)


def _before_round_1(division: DivisionState) -> NextAction | None:
    present = division.present
    here = [player for player in present if player.id in division.here]
    if len(present) < 2:
        words = say("Enter the players: paste them from a spreadsheet, or type them one by one.")
        return NextAction(words, "players", say("Enter the players"))
    if division.event.facts.teams:
        in_teams = {id for team in division.event.teams for id in team.players}
        alone = sum(player.id not in in_teams for player in present)
        if alone or len(division.teams()) < 2:
            words = say("Make the teams: {alone} players are in no team yet.", alone=alone)
            return NextAction(words, "teams", say("Make the teams"))
    if here and len(here) < len(present):
        words = say("Check-in is on: {missing} have not come yet. Check them in, or mark them absent.")
        return NextAction(words(missing=len(present) - len(here)), "players", say("Continue check-in"))
    lots = division.event.facts.lots
    if lots is not None and lots.needed and not any(player.lot for player in present):
        words = say("{n} players. When everybody is there, draw the lots.", n=len(present))
        return NextAction(words, "lots", say("Draw the lots"))
    return None


def _action_in_round(desk: Desk, division: DivisionState) -> NextAction:
    number = len(division.rounds)
    open_games = [game for game in division.current if game.is_open]
    if not any(game.table for game in open_games):
        words = say("Round {number}: there is no table to play at. Assign tables to this division.", number=number)
        return NextAction(words, "settings", say("Assign tables"))
    for game, name in division.missing():
        words = say(
            "{label} has a game in round {number} and is absent. Enter the forfeit; if the "
            'player has arrived, mark that under "Players".'
        )
        words = words(label=division.called(name), number=number)
        return NextAction(words, f"game/{game.id}", say("Enter the result"))
    if by_hand := [game for game in open_games if game.table is not None and game.table not in desk.tables]:
        words = say_n(
            "Round {number}: {n} game is at a table without a kiosk. Enter its result from the slip.",
            "Round {number}: {n} games are at tables without a kiosk. Enter results from the slips.",
            len(by_hand),
            number=number,
        )
        return NextAction(words, "results", say("Enter results"))
    words = say(
        "Round {number} is being played, games left: {n}. Results arrive automatically; there is nothing to do."
    )
    return NextAction(words(number=number, n=len(open_games)), *_LOOK, waits=True)


def _between(desk: Desk, division: DivisionState) -> NextAction:
    number = len(division.rounds) + 1
    try:
        if division.rounds and is_over(division.whole()):
            words = say("All games are played. Check the standings; awards next.")
            return NextAction(words, "standings", say("See the final standings"), waits=True)
        if desk.auto(division):
            return NextAction(say("Automatic mode: the next round will be published at once."), *_LOOK, waits=True)
        if sheets := _missing_sheets(division, number):
            words = say("Enter the order sheets of round {number}; missing: {sheets}.")
            return NextAction(words(number=number, sheets=sheets), "teams", say("Enter order sheets"))
        draft = desk.rounds.ask_draft(division.slug)
        if not draft.done():
            return NextAction(say("Calculating the pairing of round {number} …", number=number), *_LOOK, waits=True)
        draft.result()
    except HeadError as error:
        words = say("Round {number} cannot be paired: {error}", number=number, error=error)
        return NextAction(words, "round", say("Review the pairing"))
    words = say("The pairing of round {number} is ready. Review it, then publish it.", number=number)
    return NextAction(words, "round", say("Review and publish"))


def _missing_sheets(division: DivisionState, round: int) -> int:
    if not division.event.facts.teams:
        return 0
    here = {player.id for player in present_entries(division.whole(), round)}
    return sum(not team.orders.get(str(round)) and not here.isdisjoint(team.players) for team in division.event.teams)
