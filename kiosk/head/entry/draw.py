"""Drawing lots, so that the hall can follow: by three ballots and the generator of M40L, by a seed, by hand.

The law: what was drawn is recorded with how it was drawn, and can be worked out again by anybody with paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.text import say, text_of
from engine.tournament import TournamentError
from engine.tournament.facts import Lottery
from engine.tournament.formats import FORMATS
from engine.tournament.m40_lots import (
    FIRST_LOT,
    INCREMENT,
    MODULUS,
    MULTIPLIER,
    draw_lots,
    initial_number,
    preliminary_numbers,
)
from kiosk.head.errors import HeadError
from kiosk.head.event.state import DivisionState
from kiosk.records.event_file import from_dict

#: a format without lots of its own draws them for the order of level players
_PLAIN = Lottery()


def lottery_of(division: DivisionState) -> Lottery:
    """What the lots of the division are for."""
    return FORMATS[division.format].facts.lots or _PLAIN


@dataclass(frozen=True, slots=True)
class Line:
    """One player in the draw. ``number``: the generator's number, where it made the lot."""

    lot: int
    player: str
    number: int | None = None
    league: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """A draw to be shown. ``method``: ballots, seed or hand."""

    method: str
    lines: tuple[Line, ...]
    ballots: tuple[str, ...] = ()
    joined: str = ""
    initial: int | None = None
    seed: int | None = None
    rolls: tuple[tuple[str, int, int], ...] = ()  # player, number before, number after
    moves: tuple[tuple[str, str, str], ...] = ()


def from_ballots(division: DivisionState, ballots: Sequence[str]) -> tuple[dict[str, int], dict[str, Any]]:
    """The lots that three ballots give (M40L-1 to 5), and how, for the record.

    :raises HeadError: the ballots are not three times five digits, or the format's lots are places in a bracket.
    """
    if lottery_of(division).bracket:
        raise HeadError(say("the lots of this format are places in a bracket; draw them by hand or from a seed"))
    players = list(division.players())
    try:
        initial = initial_number(ballots)
    except TournamentError as error:
        raise HeadError(say("give the three drawn ballots, five digits each, such as 12345 67890 00042")) from error
    numbers = dict(zip(players, preliminary_numbers(initial, len(players)), strict=True))
    first = FIRST_LOT if division.format.startswith("m40") else 1
    order = sorted(players, key=numbers.__getitem__)
    lots = {player: lot for lot, player in enumerate(order, start=first)}
    if division.format.startswith("m40"):  # M40L-5: a seed's own number stays empty
        lots |= {id: int(p["seed"]) for id, p in division.players().items() if p.get("seed")}
    how: dict[str, Any] = {"method": "ballots", "ballots": list(ballots)}
    if lottery_of(division).generator:
        how["options"] = {"lot_ballots": list(ballots)}
    return lots, how


def from_seed(division: DivisionState, seed: int) -> tuple[dict[str, int], dict[str, Any]]:
    """The lots that a seed gives by the rules of the format.

    :raises HeadError: the format's draw refuses the entries.
    """
    event = division.event_file()
    event["options"] = {**event.get("options", {}), "random_seed": seed, "lot_ballots": []}
    event["players"] = [{k: v for k, v in player.items() if k not in ("lot", "league")} for player in event["players"]]
    try:
        lots = draw_lots(from_dict(event), leagues=False).lots
    except TournamentError as error:
        raise HeadError(text_of(error)) from error
    return dict(lots), {"method": "seed", "seed": seed, "options": {"random_seed": seed}}


def shown(division: DivisionState) -> Shown | None:
    """The draw of a division step by step; None before it."""
    drawn = division.drawn
    if not drawn:
        return None
    players = division.players()
    lots = {id: int(player["lot"]) for id, player in players.items() if player.get("lot") is not None}
    leagues, moves = _leagues(division)
    method = str(drawn["method"])
    ballots = tuple(drawn.get("ballots", ()))
    rolls: tuple[tuple[str, int, int], ...] = ()
    initial = None
    if method == "ballots":
        initial = initial_number(ballots)
        order = [id for id in players if id in drawn["lots"]]
        numbers = preliminary_numbers(initial, len(order))
        rolls = tuple(zip(order, (initial, *numbers), numbers, strict=False))
    after = {id: number for id, _, number in rolls}
    lines = tuple(
        Line(lot, id, after.get(id), leagues.get(id)) for id, lot in sorted(lots.items(), key=lambda one: one[1])
    )
    return Shown(method, lines, ballots, "".join(ballots), initial, drawn.get("seed"), rolls, moves)


def _leagues(division: DivisionState) -> tuple[Mapping[str, str], tuple[tuple[str, str, str], ...]]:
    if not lottery_of(division).leagues:
        return {}, ()
    try:
        draw = draw_lots(from_dict(division.event_file()), leagues=True)
    except TournamentError:
        return {}, ()  # too few players yet; the draft says so
    return {name: league for league, names in draw.leagues.items() for name in names}, draw.moves


#: the generator in words, for the page that shows it
GENERATOR = MULTIPLIER, INCREMENT, MODULUS
