"""Standings after a round: points, discs and Brightwell points, and the order they give.

- Brightwell points are the sum over games of own discs + C x the opponent's final points (BW-1).
- A bye, a round without a game, and a game against a player who withdrew or never came count as a draw against oneself:
  half the discs of the board + C x own points (BW-4, AMB-10).
- Half points make halves of Brightwell points, so they are computed as integers of twice the value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, groupby

from engine.board.variants import STANDARD
from engine.end_reason import EndReason
from engine.i18n import Text, say, say_in
from engine.tournament.event_model import WIN, Event, Game, Stage, event_error
from engine.tournament.format_spec_and_options import BYE_BRIGHTWELL, BYE_DISCS, FORFEIT_DISCS, TIE_BREAKS
from engine.tournament.lots_and_leagues import lots_of_entries
from engine.tournament.pairing_history_and_constraints import has_withdrawn, ranked_entries

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
        return {**asdict(self), "keys": list(self.keys), "key_names": list(self.key_names)}


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
        raise event_error("there is no round {after}; the event has rounds 0 to {n}", after=after, n=len(event.rounds))
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
        difference += sum(
            discs_in(event, game, name) - discs_in(event, game, game.opponent(name)) for game in finished
        )
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


# Labels of ranking keys, stages and game endings.

#: the keys of every ranking: (label, whether a smaller value is better)
KEYS: dict[str, tuple[Text, bool]] = {
    "wins": (say("wins"), False),
    "points": (say("points"), False),
    "brightwell": (say("Brightwell points"), False),
    "discs": (say("discs"), False),
    "disc_difference": (say("disc difference"), False),
    "opponents": (say("sum of the opponents' points"), False),
    "direct": (say("head-to-head points"), False),
    "lot": (say("lot number"), False),
    "wins_before_last_game": (say("wins before the latest game"), False),
    "previous_rank": (say("rank before the latest round"), True),
    "match_wins": (say("match wins"), False),
    "individual_wins": (say("individual wins"), False),
    "captain_wins": (say("wins of the captain"), False),
    "rounds_survived": (say("rounds survived"), False),
    "plus_minus": (say("sum of plus and minus points"), False),
    "highest_plus": (say("highest plus"), False),
    "worst_minus": (say("worst minus"), False),
} | {
    f"S_{k}": (
        say("criterion S{k} (wins of the best {k} beaten plus those of the worst {k} lost to)", k=k),
        False,
    )
    for k in range(1, 7)
}

#: stages whose games the rules name
STAGES: dict[str, Text] = {
    "semi-final": say("semi-final"),
    "final": say("final"),
    "third-place": say("3rd-place game"),
    "womens-final": say("women's final"),
    "knockout": say("knock-out"),
}

#: stage labels for a card, a list or a wall
STAGE_NAMES = {
    "league": say("League"),
    "semi-final": say("Semi-final"),
    "final": say("Final"),
    "third-place": say("3rd-place game"),
    "placement": say("Placement game"),
    "womens-final": say("Women's final"),
    "knockout": say("Knock-out"),
}

#: how a game ended (``EndReason``)
ENDINGS = {
    "normal": say("normal"),
    "time": say("on time"),
    "free-play": say("free play"),
    "both-flags": say("both flags"),
    "forfeit": say("forfeit"),
    "late": say("late"),
    "arbiter": say("arbiter"),
    "bye": say_in("how a game ended", "bye"),
    "not-played": say("not played"),
}


def key_words(name: str) -> Text:
    return KEYS[name][0] if name in KEYS else Text(name.replace("_", " "))


def short_key_words(name: str) -> Text:
    """Return the short label of a key of standings: "S3" for "S_3"."""
    return say("S{k}", k=name[2:]) if name.startswith("S_") else key_words(name)


def number_of_wins(half_points: int) -> str:
    """Return a number of wins: 5 -> "2.5"."""
    return f"{half_points // 2}.5" if half_points % 2 else str(half_points // 2)


# Ranking of a league by points, then by an ordered list of tie-breaks (``options.tie_breaks``).
#
# Each criterion orders only players who are level in all before it. A player level in all of them shares the rank,
# unless the last is the lot.

#: a bye is entered as 40-24, as in the published results of international events (AMB-16)
USUAL_BYE = 40
#: the criteria whose values are halves
_HALVES = frozenset({"wins", "brightwell", "opponents", "direct"})
#: lots up to here are shown as they are; longer ones, of the program, as their place from below
_MOST_SHOWN = 1_000_000

#: the criteria that are a total of ``ScoreSummary``
_TOTALS = {
    "brightwell": "brightwell_twice", "opponents": "opponents", "discs": "discs", "disc_difference": "difference",
}  # fmt: skip

#: half points, then the values of the criteria; larger is better
Key = tuple[int, ...]


def criteria_of(event: Event, usual: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tie-breaks of an event in their order; without a list of its own, ``usual``."""
    offered = TIE_BREAKS in event.facts.choices
    return TIE_BREAKS.of(event) or usual if offered else usual


def scores(event: Event, after: int, stages: Collection[Stage]) -> dict[str, ScoreSummary]:
    """Return the totals of the league over the games of ``stages``, of all but no-shows."""
    return tally(event, after, stages, bye_discs=bye_discs(event, USUAL_BYE))


def league_keys(event: Event, after: int, stages: Collection[Stage], criteria: Sequence[str]) -> dict[str, Key]:
    """Return what ranks the players after a round."""
    tallies = scores(event, after, stages)
    keys: dict[str, Key] = {name: (t.score,) for name, t in tallies.items()}
    for criterion in criteria:
        values = _values(event, after, stages, criterion, tallies, keys)
        keys = {name: (*key, values[name]) for name, key in keys.items()}
    return keys


def displayed_key(key: Key, criteria: Sequence[str]) -> tuple[int | float, ...]:
    """Return a key as it is shown in the standings, where halves are halves."""
    names = ("wins", *criteria)
    return tuple(number(value) if name in _HALVES else value for name, value in zip(names, key, strict=True))


def swiss_criteria(event: Event) -> tuple[str, ...]:
    return criteria_of(event, ("brightwell", "discs"))


def swiss_keys(event: Event, after: int) -> dict[str, Key]:
    return league_keys(event, after, (Stage.LEAGUE,), swiss_criteria(event))


def swiss_order(event: Event, after: int) -> list[str]:
    """Return all players in the order of the Swiss league, level players by lot."""
    keys, lots = swiss_keys(event, after), lots_of_entries(event)
    return sorted(keys, key=lambda name: (*keys[name], lots[name]), reverse=True)


def _values(
    event: Event,
    after: int,
    stages: Collection[Stage],
    criterion: str,
    tallies: Mapping[str, ScoreSummary],
    keys: Mapping[str, Key],
) -> Mapping[str, int]:
    if criterion == "direct":
        games = [game for round_ in event.rounds[:after] for game in round_.games if game.stage in stages]
        return _direct(games, keys)
    if criterion == "lot":
        return _lots(event, tallies)
    return {name: getattr(t, _TOTALS[criterion]) for name, t in tallies.items()}


def _direct(games: Iterable[Game], keys: Mapping[str, Key]) -> dict[str, int]:
    """Return the half points from the games among those who are level so far, where every two of them have met over the
    board; else 0, which leaves them level."""
    values = dict.fromkeys(keys, 0)
    met = [game for game in games if game.winner is not None and game.over_the_board]
    pairs = {frozenset(game.players) for game in met}
    for _, group in groupby(sorted(keys, key=keys.__getitem__), key=keys.__getitem__):
        level = set(group)
        if any(frozenset(pair) not in pairs for pair in combinations(level, 2)):
            continue
        for game in met:
            if level.issuperset(game.players):
                for name in game.players:
                    values[name] += game.half_points(name)
    return values


def _lots(event: Event, names: Iterable[str]) -> Mapping[str, int]:
    lots = lots_of_entries(event)
    if all(0 <= lots[name] <= _MOST_SHOWN for name in names):
        return lots
    return {name: place for place, name in enumerate(sorted(lots, key=lots.__getitem__), start=1)}
