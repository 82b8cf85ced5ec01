"""The door to ``engine.tournament``: drafts, standings and explanations of an event file.

The law: the head knows no pairing and no ranking rule; it hands the event file over and takes what comes back. Every
function here is a function of its arguments, so it may run in another process.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.text import Text, say, text_of
from engine.tournament import PairedRound, Standings, TournamentError, next_round
from engine.tournament import champion as engine_champion
from engine.tournament import is_over as engine_is_over
from engine.tournament import standings as engine_standings
from engine.tournament.constraints import without_constraints
from engine.tournament.explain import PairReason, describe_round, explain_round, explain_standings
from engine.tournament.model import Event
from engine.tournament.operator import price_of_manual, swap
from engine.tournament.ranking import Row
from kiosk.head.errors import HeadError
from kiosk.records.event_file import entries_of, entries_to_dicts, from_dict, to_dict

Games = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Draft:
    """A pairing that is not published. ``digest`` names exactly this one, so nobody publishes another by mistake."""

    round: int
    games: tuple[dict[str, Any], ...]
    cost: Mapping[str, object]
    warnings: tuple[Text, ...]
    digest: str
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """What a draft is, pair by pair; ``played`` and ``optimum``: its price and the best one's, where there is one;
    ``given_up``: the pairs of the best round that it has not, with what giving up each alone costs."""

    reasons: tuple[PairReason, ...]
    played: object = None
    optimum: object = None
    given_up: tuple[tuple[tuple[str, ...], int | tuple[int, ...] | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """The standings, why each row stands above the next, and whether they are final."""

    standings: Standings
    over: bool
    champion: str | None
    why: tuple[Text, ...] = ()


def _read(event: Mapping[str, Any]) -> Event:
    return from_dict(dict(event))


def normal_form(event: Mapping[str, Any]) -> dict[str, object]:
    """The event file in the order and with the fields of CONTRACT.md.

    :raises HeadError: the event cannot be used; the sentence names the field.
    """
    try:
        return to_dict(_read(event))
    except TournamentError as error:
        raise HeadError(say("the event cannot be used: {error}", error=error)) from error


def check_event(event: Mapping[str, Any]) -> None:
    """:raises HeadError: the event file cannot be used; the sentence names the field."""
    normal_form(event)


def draft_of(event: Mapping[str, Any], by_hand: Games | None = None) -> Draft:
    """The next round's pairing, or the one that was made by hand for it.

    :raises HeadError: the event is over, or cannot be paired; the sentence says why.
    """
    try:
        read = _read(event)
        if by_hand is None:
            paired = next_round(read)
            return _draft(paired.round, entries_to_dicts(read, paired), dict(paired.cost), paired.warnings)
        _paired(read, len(read.rounds) + 1, by_hand)
        return _draft(len(read.rounds) + 1, by_hand, {}, (), by_hand=True)
    except TournamentError as error:
        raise HeadError(text_of(error)) from error


def _paired(event: Event, round: int, games: Games, cost: Mapping[str, object] | None = None) -> PairedRound:
    return PairedRound(round, entries_of(event.facts, games), dict(cost or {}))


def _draft(
    round: int, games: Games, cost: Mapping[str, object], warnings: Sequence[Text], *, by_hand: bool = False
) -> Draft:
    lines = tuple(dict(game) for game in games)
    spelt = json.dumps([round, lines], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return Draft(round, lines, cost, tuple(warnings), hashlib.sha256(spelt.encode()).hexdigest()[:16], by_hand)


def look_of(event: Mapping[str, Any], draft: Draft, changed: bool) -> Look:
    """``changed``: somebody has changed the pairing by wishes or by hand, so it has a price against the optimum.

    :raises HeadError: the draft does not belong to the event.
    """
    try:
        read = _read(event)
        paired = _paired(read, draft.round, draft.games, draft.cost)
        if not changed:
            return Look(describe_round(read, paired))
        price = price_of_manual(without_constraints(read), paired.as_round())
        return Look(price.reasons, price.played, price.optimum, price.missing)
    except TournamentError as error:
        raise HeadError(text_of(error)) from error


def price_of_pair(event: Mapping[str, Any], draft: Draft, player: str) -> tuple[PairReason, ...]:
    """Why ``player`` meets whom he meets, with the price of any round without that pair.

    :raises HeadError: he is not in the draft.
    """
    try:
        read = _read(event)
        return explain_round(read, _paired(read, draft.round, draft.games, draft.cost), player)
    except TournamentError as error:
        raise HeadError(text_of(error)) from error


def swapped(event: Mapping[str, Any], draft: Draft, one: str, other: str) -> tuple[dict[str, Any], ...]:
    """The draft's games with two players in each other's places.

    :raises HeadError: one of them is not in the draft.
    """
    try:
        read = _read(event)
        changed = swap(_paired(read, draft.round, draft.games, draft.cost).as_round(), one, other)
    except TournamentError as error:
        raise HeadError(text_of(error)) from error
    places = {one: other, other: one}
    lines = []
    for line in draft.games:
        line = {
            key: places.get(value, value) if key in ("black", "white", "bye") else value for key, value in line.items()
        }
        lines.append(line)
    assert {frozenset(game.players) for game in changed.games} == {
        frozenset((line["black"], line["white"])) for line in lines if "bye" not in line
    }
    return tuple(lines)


def standings_of(event: Mapping[str, Any], after: int | None = None) -> Standings:
    """The standings after the last finished round, or after an earlier one.

    :raises HeadError: the results cannot be ranked.
    """
    try:
        return engine_standings(_read(event), after)
    except TournamentError as error:
        raise HeadError(text_of(error)) from error


def ranking_of(event: Mapping[str, Any]) -> Ranking:
    """The present standings with their reasons.

    :raises HeadError: the results cannot be ranked.
    """
    try:
        read = _read(event)
        table = engine_standings(read)
        return Ranking(table, engine_is_over(read), engine_champion(read), explain_standings(read, table))
    except TournamentError as error:
        raise HeadError(text_of(error)) from error


def is_over(event: Mapping[str, Any]) -> bool:
    """Whether the format has no further round."""
    try:
        return engine_is_over(_read(event))
    except TournamentError as error:
        raise HeadError(text_of(error)) from error


@dataclass(frozen=True, slots=True)
class RoundChange:
    """One later round, had a corrected result stood from the beginning. ``gone`` and ``new``: pairs that would not
    have been, and that would have been. ``problem``: why it could not be paired at all."""

    round: int
    gone: tuple[tuple[str, ...], ...]
    new: tuple[tuple[str, ...], ...]
    problem: Text | None = None


def later_pairings(event: Mapping[str, Any], after: int) -> tuple[RoundChange, ...]:
    """Each published round after round ``after`` against what would be paired now, its own past taken as it was
    played."""
    read = _read(event)
    found = []
    for played in read.rounds[after:]:
        before = replace(read, rounds=read.rounds[: played.number - 1])
        was = {entry.players for entry in played.entries}
        try:
            now = {game.players for game in next_round(before).games}
        except TournamentError as error:
            found.append(RoundChange(played.number, (), (), text_of(error)))
            continue
        gone = {frozenset(pair): pair for pair in was}
        new = {frozenset(pair): pair for pair in now}
        found.append(
            RoundChange(
                played.number,
                tuple(sorted(pair for key, pair in gone.items() if key not in new)),
                tuple(sorted(pair for key, pair in new.items() if key not in gone)),
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Consequences:
    """What a corrected result changed: (player, row before, row after) of those whose row is another one; and later
    rounds."""

    rows: tuple[tuple[str, Row | None, Row | None], ...]
    rounds: tuple[RoundChange, ...]


def consequences_of(event: Mapping[str, Any], before: Mapping[str, Any], round: int) -> Consequences:
    """``before``: the event as it was with the old result, which was one of round ``round``.

    :raises HeadError: one of them cannot be ranked.
    """
    now, then = standings_of(event).rows, standings_of(before).rows
    old, new = {row.id: row for row in then}, {row.id: row for row in now}
    changed = [id for id in new if _place(new[id]) != _place(old.get(id))]
    rows = tuple((id, old.get(id), new[id]) for id in changed)
    try:
        return Consequences(rows, later_pairings(event, round))
    except TournamentError as error:
        raise HeadError(text_of(error)) from error


def _place(row: Row | None) -> object:
    return None if row is None else (row.rank, row.wins, row.keys)
