"""The tournament formats, each in one module; the next round of an event, and the cost of a played one.

- A format is a set of pure functions of the event file. How an event continues is decided only by its format.
- The optimum of a round is computed over the players who took part in it and without constraints, so it never exceeds
  the cost as played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from engine.i18n import Text, say
from engine.tournament.event_model import Bye, Event, Game, event_error
from engine.tournament.formats.adjacent_pairing_league import Adjacent
from engine.tournament.formats.chouchou import ChouChou
from engine.tournament.formats.format_interface import Format, PairedRound, require_results
from engine.tournament.formats.knockout import Knockout
from engine.tournament.formats.meijin40_9_to_12_players import M409To12
from engine.tournament.formats.meijin40_13_to_32_players import M4013To16, M4017To32
from engine.tournament.formats.meijin40_base_and_othello_pool import OthelloPool
from engine.tournament.formats.meijin40_elementary import M40Elementary
from engine.tournament.formats.meijin40_open_and_33_to_64_players import M40Open, M4033To64
from engine.tournament.formats.meijin43_divisions_except_open import M43Division
from engine.tournament.formats.meijin43_open import M43Open
from engine.tournament.formats.round_robin import RoundRobin
from engine.tournament.formats.swiss import Swiss
from engine.tournament.formats.team_swiss import TeamSwiss
from engine.tournament.min_cost_matching import MatchingError
from engine.tournament.multi_game_matches import single_games
from engine.tournament.pairing_history_and_constraints import (
    Constraints,
    check_constraints_kept,
    constraints_of,
    stored_constraints,
    validate_constraints,
    with_stored_constraints,
    without_constraints,
)
from engine.tournament.player_entry_fields import grade_height

__all__ = ["FORMATS", "Format", "PairedRound", "format_of"]

_ALL: tuple[Format, ...] = (
    M43Open(), M43Division(), M40Open(), M4033To64(), M4017To32(), M4013To16(), M409To12(), M40Elementary(),
    TeamSwiss(), ChouChou(), Swiss(), RoundRobin(), Knockout(), Adjacent(), OthelloPool(),
)  # fmt: skip
#: every format by its name, in the order in which the desk offers them
FORMATS = {format_.facts.name: format_ for format_ in _ALL}


def format_of(event: Event) -> Format:
    """Return the format of an event."""
    return FORMATS[event.format]


def next_round(event: Event, constraints: Constraints | None = None) -> PairedRound:
    """Return the round after the last one.

    :param constraints: constraints for this round, besides those in the event's options
    :raises EventError: if a result is missing, nobody is present, the event is over, a constraint cannot be kept, or
        the format is not implemented
    """
    round_ = len(event.rounds) + 1
    if event.options.ended_after is not None and round_ > event.options.ended_after:
        raise event_error("the event was ended after round {n}", n=event.options.ended_after)
    if constraints is not None:
        event = with_stored_constraints(event, round_, stored_constraints(event, round_) | constraints)
    wishes = constraints_of(event, round_)
    validate_constraints(event, wishes)
    require_results(event)
    format_, single = format_of(event), single_games(event)
    format_.check(single)
    try:
        paired = format_.next_round(single)
    except MatchingError as error:
        if wishes:
            raise event_error(
                "round {round_}: no pairing meets all conditions ({error})", round_=round_, error=error
            ) from None
        raise
    check_constraints_kept(event, round_, wishes, paired.games)
    games, warnings = at_own_tables(event, paired.games if event.facts.teams else _on_numbered_tables(paired.games))
    return replace(paired, games=games, warnings=(*paired.warnings, *warnings, *_handicap_warnings(event, games)))


def _handicap_warnings(event: Event, games: Sequence[Game | Bye]) -> list[Text]:
    """OTH-HC-2: the weaker player takes Black. The pairing gives colours by its own rules, so return a warning for each
    game in which the grades, else the ratings, say that Black is the stronger."""
    if not event.variant.name.startswith("handicap-"):
        return []
    words = say("handicap: {black} has Black but is stronger than {white}; give {white} Black by hand")
    return [
        words(black=event.called(game.black), white=event.called(game.white))
        for game in games
        if isinstance(game, Game) and event.facts.designates(game.stage) and _black_is_stronger(event, game)
    ]


def _black_is_stronger(event: Event, game: Game) -> bool:
    black, white = event.player(game.black), event.player(game.white)
    if black.grade and white.grade and grade_height(black.grade) != grade_height(white.grade):
        return grade_height(black.grade) > grade_height(white.grade)
    return black.rating is not None and white.rating is not None and black.rating > white.rating


def _on_numbered_tables(entries: Sequence[Game | Bye]) -> list[Game | Bye]:
    tables = count(1)
    return [replace(entry, table=next(tables)) if isinstance(entry, Game) else entry for entry in entries]


def at_own_tables(event: Event, games: Sequence[Game | Bye]) -> tuple[tuple[Game | Bye, ...], list[Text]]:
    """Return the games with those of players who have a fixed table at it, the others at the remaining tables in order;
    and a warning for each player who cannot have his. The tables of a team match stay together."""
    own = {} if event.facts.teams else {player.id: player.table for player in event.players if player.table is not None}
    fixed: dict[int, int] = {}
    warnings = []
    for index, game in enumerate(games):
        for name in game.players if isinstance(game, Game) else ():
            if name in own and index not in fixed and own[name] not in fixed.values():
                fixed[index] = own[name]
            elif name in own and fixed.get(index) != own[name]:
                words = say("{player} cannot play at the fixed table {table} in this round")
                warnings.append(words(player=event.called(name), table=own[name]))
    if not fixed:
        return tuple(games), warnings
    numbers = {game.table for game in games if isinstance(game, Game) and game.table is not None}
    left = iter(sorted(numbers.difference(fixed.values())))
    return tuple(
        game if isinstance(game, Bye) else replace(game, table=fixed[index] if index in fixed else next(left, None))
        for index, game in enumerate(games)
    ), warnings


def cost_of_round(event: Event, number: int) -> dict[str, object]:
    """Return what round ``number`` cost as it was played, and the smallest possible cost.

    :returns: ``{"round", "played", "optimum"}``: numbers where penalties decide, else lists that compare from the left
    :raises EventError: if there is no such round
    """
    played = event.round(number)
    before = single_games(without_constraints(replace(event, rounds=event.rounds[: number - 1])))
    cost, optimum = format_of(event).costs_of_round(before, played)
    return {"round": number, "played": cost, "optimum": optimum}
