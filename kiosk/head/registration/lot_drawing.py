"""Drawing of lots by three ballots and the generator of M40L, by a seed, or by hand.

A draw is recorded with its method, so that anybody can recompute it on paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.i18n import text_of
from engine.tournament import TournamentError
from engine.tournament.event_edits import with_lots
from engine.tournament.format_spec_and_options import LotRules
from engine.tournament.lots_and_leagues import (
    INCREMENT,
    MODULUS,
    MULTIPLIER,
    draw_lots,
    initial_number,
    preliminary_numbers,
)
from kiosk.head.errors import HeadError
from kiosk.head.event.act_types import LotsDrawn
from kiosk.head.event.tournament_state import DivisionState


def _rules_of(division: DivisionState) -> LotRules:
    """Return the rules of the division's lots; the default is for a format that uses them only to order tied
    players."""
    return division.event.facts.lots or LotRules()


@dataclass(frozen=True, slots=True)
class DrawLine:
    """One player in the draw. ``number``: the generator's number, where it made the lot."""

    lot: int
    player: str
    number: int | None
    league: str | None


@dataclass(frozen=True, slots=True)
class DrawTrace:
    """A draw for display. ``method``: ballots, seed or hand."""

    method: str
    lines: tuple[DrawLine, ...]
    ballots: tuple[str, ...]
    initial: int | None
    seed: int | None
    rolls: tuple[tuple[str, int, int], ...]  # player, number before, number after
    moves: tuple[tuple[str, str, str], ...]


def lots_from_ballots(division: DivisionState, ballots: Sequence[str]) -> LotsDrawn:
    """Return the lots that three ballots give (M40L-1 to 5).

    :raises HeadError: the ballots are not three times five digits, or the format's lots are places in a bracket.
    """
    if _rules_of(division).bracket:
        raise HeadError.saying("the lots of this format are places in a bracket; draw them by hand or from a seed")
    players = list(division.players())
    try:
        initial = initial_number(ballots)
    except TournamentError as error:
        raise HeadError.saying("give the three drawn ballots, five digits each, such as 12345 67890 00042") from error
    numbers = dict(zip(players, preliminary_numbers(initial, len(players)), strict=True))
    first = division.event.facts.first_lot
    order = sorted(players, key=numbers.__getitem__)
    lots = {player: lot for lot, player in enumerate(order, start=first)}
    if first > 1:  # M40L-5: the number of a seeded player stays empty
        lots |= {player.id: player.seed for player in division.event.players if player.seed}
    options = {"lot_ballots": list(ballots)} if _rules_of(division).generator else {}
    return LotsDrawn(division.slug, lots=lots, method="ballots", ballots=tuple(ballots), options=options)


def lots_from_seed(division: DivisionState, seed: int) -> LotsDrawn:
    """Return the lots that a seed gives by the rules of the format.

    :raises HeadError: the format's draw refuses the entries.
    """
    event = with_lots(division.whole(), {}, replace(division.event.options, random_seed=seed, lot_ballots=()))
    event = replace(event, players=tuple(replace(player, league=None) for player in event.players))
    try:
        lots = draw_lots(event, leagues=False).lots
    except TournamentError as error:
        raise HeadError(text_of(error)) from error
    return LotsDrawn(division.slug, lots=dict(lots), method="seed", seed=seed, options={"random_seed": seed})


def draw_trace_of(division: DivisionState) -> DrawTrace | None:
    """Return the draw of a division step by step; None before it."""
    if (drawn := division.drawn) is None:
        return None
    lots = [(player.lot, player.id) for player in division.event.players if player.lot is not None]
    leagues, moves = _leagues(division)
    rolls: tuple[tuple[str, int, int], ...] = ()
    initial = None
    if drawn.method == "ballots":
        initial = initial_number(drawn.ballots)
        numbers = preliminary_numbers(initial, len(drawn.order))
        rolls = tuple(zip(drawn.order, (initial, *numbers), numbers, strict=False))
    after = {id: number for id, _, number in rolls}
    in_order = sorted(lots, key=lambda one: one[0])
    lines = tuple(DrawLine(lot, id, after.get(id), leagues.get(id)) for lot, id in in_order)
    return DrawTrace(drawn.method, lines, drawn.ballots, initial, drawn.seed, rolls, moves)


def _leagues(division: DivisionState) -> tuple[Mapping[str, str], tuple[tuple[str, str, str], ...]]:
    if not _rules_of(division).leagues:
        return {}, ()
    try:
        draw = draw_lots(division.whole(), leagues=True)
    except TournamentError:
        return {}, ()  # too few players yet; the draft reports it
    return {name: league for league, names in draw.leagues.items() for name in names}, draw.moves


#: the generator's constants, for the page that shows it
GENERATOR = MULTIPLIER, INCREMENT, MODULUS
