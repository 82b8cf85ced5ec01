"""Standings after a round: points, discs and Brightwell points, and the order they give.

- Brightwell points are the sum over games of own discs + C x the opponent's final points (BW-1).
- A bye, a round without a game, and a game against a player who withdrew or never came count as a draw against oneself:
  half the discs of the board + C x own points (BW-4, AMB-10).
- Half points make halves of Brightwell points, so they are computed as integers of twice the value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from engine.board.variants import STANDARD
from engine.end_reason import EndReason
from engine.i18n import say
from engine.tournament.event_model import WIN, Event, EventError, Game, Stage
from engine.tournament.player_history import has_withdrawn, ranked_entries
from engine.tournament.shared_format_options import BYE_BRIGHTWELL, BYE_DISCS, FORFEIT_DISCS

#: C if the event sets none (BW-1)
USUAL_C = 6


def number(twice: int) -> int | float:
    """Return a value in halves as a JSON number: 9 -> 4.5, 10 -> 5."""
    return twice // 2 if twice % 2 == 0 else twice / 2


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """One line of the standings. ``keys`` are the deciding values in order, named by ``key_names``."""

    rank: int
    id: str
    wins: int | float
    discs: int
    keys: tuple[int | float, ...]
    key_names: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        return {
            "rank": self.rank,
            "id": self.id,
            "wins": self.wins,
            "discs": self.discs,
            "keys": list(self.keys),
            "key_names": list(self.key_names),
        }


@dataclass(frozen=True, slots=True)
class Standings:
    """All rows in order; players whom the rules leave equal share a rank. ``womens_champion``: the women's Meijin once
    she is determined (M43R-6)."""

    after_round: int
    rows: tuple[StandingsRow, ...]
    womens_champion: str | None = None

    def as_dict(self) -> dict[str, object]:
        data: dict[str, object] = {"after_round": self.after_round, "rows": [row.as_dict() for row in self.rows]}
        return data | ({"womens_champion": self.womens_champion} if self.womens_champion else {})


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """Totals of a player: ``score`` in half points, discs, and twice the Brightwell points. ``opponents``: the half
    points of the opponents, own ones for a round without one, as in Brightwell points. ``difference``: own discs less
    the opponents' discs."""

    score: int
    discs: int
    brightwell_twice: int
    opponents: int
    difference: int


def after_round(event: Event, after: int | None) -> int:
    """Return the requested round of the standings: by default the last finished one.

    :raises EventError: if the event has no such round
    """
    if after is None:
        return event.last_finished_round
    if not 0 <= after <= len(event.rounds):
        raise EventError(
            say("there is no round {after}; the event has rounds 0 to {n}", after=after, n=len(event.rounds))
        )
    return after


def tally(event: Event, after: int, stages: Iterable[Stage], bye_discs: int) -> dict[str, ScoreSummary]:
    """Return points, discs and Brightwell points over the games of ``stages`` up to round ``after``, of all but
    no-shows.

    :param bye_discs: the discs a bye is entered with; Brightwell points count half the board for it in any case
    """
    counted = frozenset(stages)
    played = [
        round_
        for round_ in event.rounds[:after]
        if any(game.stage in counted for game in round_.games) or any(bye.stage in counted for bye in round_.byes)
    ]
    rounds = [{player: game for game in r.games if game.stage in counted for player in game.players} for r in played]
    byes = [b.player for round_ in event.rounds[:after] for b in round_.byes if b.stage in counted]
    scores = {player.id: byes.count(player.id) * WIN for player in ranked_entries(event)}
    for round_ in rounds:
        for player in scores.keys() & round_.keys():
            scores[player] += round_[player].half_points(player)
    result: dict[str, ScoreSummary] = {}
    # a player who stayed to the last counted round counts as not withdrawn, even if he leaves before the finals
    last = max((round_.number for round_ in played), default=0)
    left = {p.id for p in event.players if has_withdrawn(p, last - 1) or p.id not in scores}
    for name, score in scores.items():
        games = [round_.get(name) for round_ in rounds]
        finished = [game for game in games if game is not None and game.winner is not None]
        discs = byes.count(name) * bye_discs + sum(discs_in(event, game, name) for game in finished)
        own = [_share(event, game, name, scores, left) for game in games if game is None or game.winner is not None]
        opponents = sum(share[1] for share in own)
        difference = byes.count(name) * (2 * bye_discs - event.variant.total)
        difference += sum((game.discs(name) or 0) - (game.discs(game.opponent(name)) or 0) for game in finished)
        if BYE_BRIGHTWELL.of(event) == "entered":  # AMB-10: the discs that the bye is entered with, instead of half
            own.append((byes.count(name) * (bye_discs - event.half), 0))
        twice = _twice_brightwell(event, own, len(rounds))
        result[name] = ScoreSummary(score, discs, twice, opponents, difference)
    return result


def discs_in(event: Event, game: Game, player: str) -> int:
    """Return a player's discs in a game. Where only won or lost was recorded: half the board, or all and none if one
    player did not come (AMB-05, AMB-09)."""
    discs = game.discs(player)
    if discs is not None:
        return discs
    if game.decided and game.end in (EndReason.FORFEIT, EndReason.LATE):
        most = forfeit_discs(event)
        return most if game.half_points(player) == WIN else event.variant.total - most
    return event.half


def forfeit_discs(event: Event) -> int:
    """Return the discs of a player whose opponent did not come."""
    return FORFEIT_DISCS.of(event) or event.variant.total


def bye_discs(event: Event, usual: int) -> int:
    """Return the discs that a bye is entered with. ``usual``: of 64, where the organiser sets none; on another board
    the same share of it, rounded up (AMB-48)."""
    return BYE_DISCS.of(event) or -(-usual * event.variant.total // STANDARD.total)


def _share(event: Event, game: Game | None, player: str, scores: dict[str, int], left: set[str]) -> tuple[int, int]:
    """Return (discs, half points) that one round adds to the Brightwell points."""
    if game is None or game.opponent(player) in left:
        return event.half, scores[player]
    return discs_in(event, game, player), scores[game.opponent(player)]


def _twice_brightwell(event: Event, shares: Sequence[tuple[int, int]], rounds: int) -> int:
    discs = sum(share[0] for share in shares)
    points = sum(share[1] for share in shares)
    c = event.options.brightwell_c
    if not rounds:
        return 0
    if c == "modified":
        # MBQ: C is 64 (the squares) / rounds exactly, and the sum is rounded
        return 2 * ((2 * rounds * discs + event.variant.total * points + rounds) // (2 * rounds))
    if c == "64/games":
        c = (2 * event.variant.total + rounds) // (2 * rounds)  # BW-2: the nearest integer
    return 2 * discs + (c if isinstance(c, int) else USUAL_C) * points


def shared_ranks(groups: Iterable[Sequence[str]], both_lost: Collection[str] = ()) -> dict[str, int]:
    """Return ranks from groups of equal players, in their order: the members of a group share the number.

    :param both_lost: players who lost the game for their places by double forfeit. A group of them shares the last of
        its places, as nobody has won the better one (AMB-49), and is never 1st.
    """
    ranks: dict[str, int] = {}
    rank = 0
    for group in groups:
        rank = max(rank, len(ranks)) + 1
        if group and all(name in both_lost for name in group):
            rank = max(rank, 2, len(ranks) + len(group))
        ranks.update(dict.fromkeys(group, rank))
    return ranks
