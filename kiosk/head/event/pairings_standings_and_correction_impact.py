"""Access to ``engine.tournament``: drafts, standings and explanations of an event, and the effects of a correction.

The head contains no pairing or ranking rule; it passes the event on and uses the result. All functions here are pure,
so they may run in another process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import ParamSpec, TypeVar

from engine.i18n import Text, text_of
from engine.tournament import PairedRound, Standings, TournamentError, explain_pairings, next_round
from engine.tournament import champion as engine_champion
from engine.tournament import is_over as engine_is_over
from engine.tournament import standings as engine_standings
from engine.tournament.event_edits import DraftReview, enter_result, review_of_manual, swap_players
from engine.tournament.event_model import Bye, Event, Game
from engine.tournament.explain_pairings import PairReason
from engine.tournament.explain_standings import explain_place, explain_standings
from engine.tournament.formats import at_own_tables
from engine.tournament.pairing_history_and_constraints import without_constraints
from engine.tournament.standings_and_tie_breaks import StandingsRow
from kiosk.head.errors import HeadError
from kiosk.head.event.tournament_state import DivisionState

P = ParamSpec("P")
T = TypeVar("T")


def _convert_errors(answer: Callable[P, T]) -> Callable[P, T]:
    """Convert the engine's errors to the head's."""

    @wraps(answer)
    def asked(*about: P.args, **more: P.kwargs) -> T:
        try:
            return answer(*about, **more)
        except TournamentError as error:
            raise HeadError(text_of(error)) from error

    return asked


@dataclass(frozen=True, slots=True)
class Draft(PairedRound):
    """A pairing that is not published. ``digest`` identifies it, so that nobody publishes another one by mistake."""

    by_hand: bool = False

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr((self.round, self.games)).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class PlayerExplanation:
    """Explanations for a player. ``game``: why he meets his last opponent, or has a bye; ``place``: who stands above
    whom, and why; for a member of a team, of the team.
    """

    round: int
    game: PairReason | None
    place: tuple[str, str, Text] | None


@dataclass(frozen=True, slots=True)
class ExplainedStandings:
    """The standings, why each row stands above the next, and whether they are final."""

    standings: Standings
    over: bool
    champion: str | None
    why: tuple[Text, ...] = ()


@_convert_errors
def draft_of(event: Event, by_hand: Sequence[Game | Bye] | None = None) -> Draft:
    """Return the next round's pairing, or the one that was made by hand for it.

    :raises HeadError: the event is over, or cannot be paired; the message says why.
    """
    try:
        paired = next_round(event)
    except TournamentError:
        if by_hand is None:
            raise
    else:
        if by_hand is None or at_own_tables(event, by_hand)[0] == paired.games:  # a swap was reverted
            return Draft(paired.round, paired.games, paired.cost, paired.warnings)
    games, warnings = at_own_tables(event, by_hand)
    return Draft(len(event.rounds) + 1, games, {}, tuple(warnings), by_hand=True)


def draft_review(event: Event, draft: Draft, changed: bool) -> DraftReview:
    """Return a draft's details. ``changed``: the pairing was changed by constraints or by hand, so it has a cost
    against the optimum.

    :raises HeadError: the draft does not belong to the event.
    """
    if not changed:
        return DraftReview(explain_pairings.explain_round(event, draft, priced=False))
    return review_of_manual(without_constraints(event), draft.as_round())


def player_explanation(event: Event, player: str, other: str | None) -> PlayerExplanation:
    """Return the explanations for a player. ``other``: the player to whom his place is compared; None: the one above
    him.

    :raises HeadError: the event cannot be ranked.
    """
    number = next((round_.number for round_ in reversed(event.rounds) if player in round_.players), 0)
    game = explain_pairings.explain_played(event, number, player)[0] if number else None
    table = engine_standings(event)
    team = {name: team.id for team in event.teams for name in team.players}
    one, two = (None if name is None else team.get(name, name) for name in (player, other))
    rows = {row.id for row in table.rows}
    asked = table.after_round and one in rows and len(rows) > 1 and (two is None or two in rows - {one})
    return PlayerExplanation(number, game, explain_place(event, table, one, two) if asked and one is not None else None)


@_convert_errors
def swap_draft_players(draft: Draft, one: str, other: str) -> tuple[Game | Bye, ...]:
    """Return the draft's games with two players exchanged.

    :raises HeadError: one of them is not in the draft.
    """
    return swap_players(draft.as_round(), one, other).entries


@_convert_errors
def standings_of(event: Event) -> Standings:
    """Return the standings after the last finished round.

    :raises HeadError: the results cannot be ranked.
    """
    return engine_standings(event)


@_convert_errors
def explained_standings(event: Event) -> ExplainedStandings:
    """Return the present standings with their reasons.

    :raises HeadError: the results cannot be ranked.
    """
    table = engine_standings(event)
    return ExplainedStandings(table, engine_is_over(event), engine_champion(event), explain_standings(event, table))


@_convert_errors
def is_over(event: Event) -> bool:
    """Check whether the format has no further round."""
    return engine_is_over(event)


def is_finished(division: DivisionState) -> bool:
    """Check whether a division has played its last round; false if its results cannot be used."""
    try:
        return bool(division.rounds) and division.round_is_complete and is_over(division.whole())
    except HeadError:
        return False


@dataclass(frozen=True, slots=True)
class RoundChange:
    """One later round, paired as if the corrected result had been there from the beginning. ``gone`` and ``new``: pairs
    that would disappear and appear. ``problem``: why it could not be paired at all.
    """

    round: int
    gone: tuple[tuple[str, ...], ...]
    new: tuple[tuple[str, ...], ...]
    problem: Text | None = None


def later_pairings(event: Event, after: int) -> tuple[RoundChange, ...]:
    """Compare each published round after round ``after`` with what would be paired now, with the rounds before it as
    they were played.
    """
    found = []
    for played in event.rounds[after:]:
        before = replace(event, rounds=event.rounds[: played.number - 1])
        was = {frozenset(entry.players): entry.players for entry in played.entries}
        try:
            now = {frozenset(game.players): game.players for game in next_round(before).games}
        except TournamentError as error:
            found.append(RoundChange(played.number, (), (), text_of(error)))
            continue
        gone, new = (
            tuple(sorted(pair for key, pair in one.items() if key not in other))
            for one, other in ((was, now), (now, was))
        )
        found.append(RoundChange(played.number, gone, new))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class CorrectionImpact:
    """Effects of a corrected result: (player, row before, row after) of those whose row differs; and later rounds.
    ``problem``: why there are no standings now. The rows before are None if there were no standings.
    """

    rows: tuple[tuple[str, StandingsRow | None, StandingsRow | None], ...]
    rounds: tuple[RoundChange, ...]
    problem: Text | None = None


def correction_impact(event: Event, old: Game, round: int, match_game: int = 1) -> CorrectionImpact:
    """Return the effects of a correction. ``old``: the result before, of a game of round ``round``; ``match_game``: its
    number in a match of several games. A stored result can be one that the format refuses, such as one of ChouChou
    without pieces.
    """
    rounds = later_pairings(event, round)
    try:
        now = {row.id: row for row in engine_standings(event).rows}
    except TournamentError as error:
        return CorrectionImpact((), rounds, text_of(error))
    try:
        before = {row.id: row for row in engine_standings(enter_result(event, round, old, match_game)).rows}
    except TournamentError:
        before = {}
    changed = [id for id in now if _place(now[id]) != _place(before.get(id))]
    return CorrectionImpact(tuple((id, before.get(id), now[id]) for id in changed), rounds)


def _place(row: StandingsRow | None) -> object:
    return None if row is None else (row.rank, row.wins, row.keys)
