"""Amendment of a round that is being played: two players get a game together, and nobody else's game changes.

- Games with a result stay. The opponents that the two players had meet each other; one who is left alone has the bye.
- The colours are those that the format gives the pairs. A pair that its rules do not allow is refused.
- Only league and placement games can be paired otherwise: brackets, finals, Berger tables and team matches follow from
  the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.i18n import say
from engine.tournament.event_model import Bye, Event, EventError, Game, Round, round_of
from engine.tournament.explain_pairings import PairReason, explain_round
from engine.tournament.formats import PairedRound
from engine.tournament.next_round_pairing import cost_of_round, next_round
from engine.tournament.pairing_constraints import Constraints, without_constraints

Entry = Game | Bye


@dataclass(frozen=True, slots=True)
class Amendment:
    """A changed round. ``removed``: games and byes that end; ``added``: those that replace them, each with its
    ``reasons``. ``before`` and ``after``: the cost of the round as it was and as it is changed; ``optimum``: that of
    the best round of its players."""

    round: Round
    removed: tuple[Entry, ...]
    added: tuple[Entry, ...]
    reasons: tuple[PairReason, ...]
    before: object
    after: object
    optimum: object


def amend_pair(event: Event, one: str, other: str) -> Amendment:
    """Return the last round with a game of these two players.

    :raises EventError: if one of their games has a result, or the rules do not allow it
    """
    played = event.rounds[-1]
    removed = tuple(entry for entry in played.entries if {one, other} & set(entry.players))
    _check(event, played, removed, (one, other))
    model = next((entry for entry in (*removed, *played.entries) if entry.stage.designated), None)
    if model is None:
        raise EventError(say("this round has finals only, so no game can be added"))
    left = [name for entry in removed for name in entry.players if name not in (one, other)]
    added: list[Entry] = [Game(one, other, model.stage, league=model.league)]
    if len(left) == 2:
        added.append(Game(left[0], left[1], model.stage, league=model.league))
    elif left:
        added.append(Bye(left[0], model.stage, model.league))
    kept = [entry for entry in played.entries if entry not in removed]
    before = _before(event, [*kept, *added])
    paired = next_round(before, _all_of([*kept, *added]))
    drawn = {frozenset(entry.players): entry for entry in paired.games if isinstance(entry, Game)}
    added = [replace(drawn[frozenset(one.players)], table=None) if isinstance(one, Game) else one for one in added]
    entries = (*kept, *added)
    amended = round_of(played.number, entries)
    made = PairedRound(played.number, entries, paired.cost)
    price = cost_of_round(replace(before, rounds=(*before.rounds, amended)), played.number)
    return Amendment(
        amended,
        removed,
        tuple(added),
        tuple(reason for one in added for reason in explain_round(before, made, one.players[0], priced=False)),
        cost_of_round(event, played.number)["played"],
        price["played"],
        price["optimum"],
    )


def _check(event: Event, played: Round, removed: Sequence[Entry], players: Sequence[str]) -> None:
    if event.facts.teams or event.facts.all_meet:
        raise EventError(say("in this format the rules give every pair, so only tables can be changed"))
    if len(set(players)) < 2 or any(len(set(players) & set(entry.players)) == 2 for entry in removed):
        raise EventError(say("choose two players who do not meet in this round"))
    for entry in removed:
        if not entry.stage.designated:
            raise EventError(say("the rules give the games of finals and brackets, so only tables can be changed"))
        if isinstance(entry, Game) and entry.winner is not None:
            raise EventError(say("{game} has a result, so it stays", game=event.game_called(played.number, entry)))
    if len({(entry.stage, entry.league) for entry in removed}) > 1:
        raise EventError(say("the two play in different leagues or stages, so they cannot meet in this round"))


def _before(event: Event, entries: Sequence[Entry]) -> Event:
    """Return the event before its last round, in which exactly the players of these entries are present."""
    paired = {name for entry in entries for name in entry.players}
    number = str(event.rounds[-1].number)
    away = tuple(player.id for player in event.players if player.id not in paired)
    players = tuple(
        replace(player, absent=False, withdrawn_after_round=None) if player.id in paired else player
        for player in event.players
    )
    absences = {**event.options.absences, number: away}
    options = replace(without_constraints(event).options, absences=absences)
    return replace(event, players=players, options=options, rounds=event.rounds[:-1])


def _all_of(entries: Sequence[Entry]) -> Constraints:
    """Return the constraints that leave the colours alone open."""
    league = [entry for entry in entries if entry.stage.designated]
    return Constraints(
        locked=tuple(entry.players for entry in league if isinstance(entry, Game)),
        byes=tuple(entry.player for entry in league if isinstance(entry, Bye)),
    )
