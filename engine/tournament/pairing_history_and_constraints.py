"""What a pairing reads besides the pool: who is present, the players' histories before a round (score, colours, last
float, byes, meetings), and the operator's constraints on it (PAIRING.md 4).

- Pairing reads the past only from here; this module reads it only from the event file.
- Constraints are stored in the event file under ``options``, by round, so that the pairing can be reproduced. ``"*"``
  stands for every round. Constraints over several rounds (``KeepApartRule``) apply to each of them alike.
- A constraint is kept exactly, or the pairing is refused with the constraint's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from engine.i18n import Text, say
from engine.tournament.event_model import (
    COLOURS,
    EVERY_ROUND,
    WIN,
    Bye,
    Event,
    EventError,
    Game,
    KeepApartRule,
    Player,
    Round,
    Stage,
    Winner,
    event_error,
)

# Constraints.

PairOfIds = tuple[str, str]
T = TypeVar("T")
_NOWHERE: frozenset[int | str] = frozenset()


@dataclass(frozen=True, slots=True)
class Constraints:
    """Constraints of one round.

    - ``locked``: pairs that must meet. ``forbidden``: pairs that must not meet; a player paired with himself gets no
      bye.
    - ``byes``: players who have a bye, which is a win and counts as theirs. ``colours``: player -> "black" or "white".
    - ``groups``: player -> groups that are kept apart; players who share one do not meet.
    """

    locked: tuple[PairOfIds, ...] = ()
    forbidden: tuple[PairOfIds, ...] = ()
    byes: tuple[str, ...] = ()
    colours: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, frozenset[int | str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.locked or self.forbidden or self.byes or self.colours or self.groups)

    def __or__(self, more: Constraints) -> Constraints:
        return Constraints(
            (*self.locked, *more.locked),
            (*self.forbidden, *more.forbidden),
            (*self.byes, *more.byes),
            {**self.colours, **more.colours},
        )

    def apart(self, one: str, other: str) -> bool:
        """Return whether the two share a group that is kept apart."""
        return not self.groups.get(one, _NOWHERE).isdisjoint(self.groups.get(other, _NOWHERE))

    def allows(self, one: str, other: str) -> bool:
        """Return whether the two may meet. ``other`` may be any name that stands for the bye."""
        for pair in self.locked:
            if (one in pair or other in pair) and {one, other} != set(pair):
                return False
        if any({one, other} == set(pair) for pair in self.forbidden) or self.apart(one, other):
            return False
        color = self.colours.get(one)
        return color is None or color != self.colours.get(other)

    def allows_bye(self, player: str) -> bool:
        return not any(player in pair for pair in self.locked) and (player, player) not in self.forbidden

    def allows_entry(self, one: str, other: str | None) -> bool:
        """Return whether the two may meet; without ``other``, whether the player may have a bye."""
        return self.allows_bye(one) if other is None else self.allows(one, other)

    def allows_colours(self, black: str, white: str) -> bool:
        return self.colours.get(black) != "white" and self.colours.get(white) != "black"


def constraints_of(event: Event, round_: int) -> Constraints:
    """Return the constraints of a round from the event's options."""
    groups = _groups(event, [wish for wish in event.options.apart if wish.holds_in(round_)])
    return replace(stored_constraints(event, EVERY_ROUND) | stored_constraints(event, round_), groups=groups)


def stored_constraints(event: Event, round_: int | str) -> Constraints:
    """Return the constraints that the options have for this one round, or for every round."""
    options, key = event.options, str(round_)
    pairs = options.locked.get(key, ()), options.forbidden.get(key, ())
    return Constraints(*pairs, options.byes.get(key, ()), options.colours.get(key, {}))


def with_stored_constraints(event: Event, round_: int | str, wishes: Constraints) -> Event:
    """Return the event with these as all constraints of one round, or for every round, without those of several
    rounds."""
    options, key = event.options, str(round_)
    changed = replace(
        options,
        locked=set_for_round(options.locked, key, wishes.locked),
        forbidden=set_for_round(options.forbidden, key, wishes.forbidden),
        byes=set_for_round(options.byes, key, wishes.byes),
        colours=set_for_round(options.colours, key, dict(wishes.colours)),
    )
    return replace(event, options=changed)


def set_for_round(old: Mapping[str, T], key: str, value: T) -> dict[str, T]:
    """Return ``old`` with another value for a round; an empty value removes the round."""
    return {name: one for name, one in {**old, key: value}.items() if one}


def _groups(event: Event, wishes: Sequence[KeepApartRule]) -> dict[str, frozenset[int | str]]:
    """Return every player's groups. A team has a club or a country if all its players have the same."""
    groups: dict[str, frozenset[int | str]] = {}
    people = {player.id: player for player in event.players}
    named = {team.id: [people[name] for name in team.players] for team in event.teams}
    members = named if event.facts.teams else {name: [player] for name, player in people.items()}
    for number, wish in enumerate(wishes):
        group_of: dict[str, int | str] = dict.fromkeys(wish.players, number)
        if wish.by is not None:
            group_of = {name: f"{wish.by} {one}" for name, of in members.items() if (one := _common(wish.by, of))}
        for name, group in group_of.items():
            groups[name] = groups.get(name, _NOWHERE) | {group}
    return groups


def _common(by: str, players: Sequence[Player]) -> str | None:
    values = {player.club if by == "club" else player.country for player in players}
    return values.pop() if len(values) == 1 else None


def without_constraints(event: Event) -> Event:
    """Return the event without any constraints, as the basis of an optimum."""
    return replace(event, options=replace(event.options, locked={}, forbidden={}, byes={}, colours={}, apart=()))


def validate_constraints(event: Event, wishes: Constraints) -> None:
    """Check that constraints do not contradict each other and name only known players.

    :raises EventError: naming the constraint
    """
    known = {player.id for player in event.players} | {team.id for team in event.teams}
    named = [name for pair in (*wishes.locked, *wishes.forbidden) for name in pair]
    for name in (*named, *wishes.byes, *wishes.colours):
        if name not in known:
            raise event_error("a wish names {name!r}, which is no id of 'players'; correct the id", name=name)
    busy: set[str] = set()
    for one, other in wishes.locked:
        if one == other or busy & {one, other}:
            text = say("locked pair {label} - {label2}: a player can be in one locked pair only; remove the other")
            raise _constraint_error(event, text, one, other)
        busy |= {one, other}
    for one, other in wishes.locked:
        if any({one, other} == set(pair) for pair in wishes.forbidden):
            text = say("{label} and {label2} are set both to meet and not to meet; remove one of the two")
            raise _constraint_error(event, text, one, other)
        if wishes.apart(one, other):
            text = say("{label} and {label2} are set both to meet and to be kept apart; remove one of the two")
            raise _constraint_error(event, text, one, other)
        if not wishes.allows(one, other):
            text = say("{label} and {label2} are set to meet, but cannot have these colours; remove one of the two")
            raise _constraint_error(event, text, one, other)
    for name in wishes.byes:
        if name in busy:
            text = say("{label} is in a locked pair and asks for a bye; remove one of the two")
            raise _constraint_error(event, text, name)
        if (name, name) in wishes.forbidden:
            text = say("{label} is set both to get a bye and to get none; remove one of the two")
            raise _constraint_error(event, text, name)


def check_constraints_kept(event: Event, round_: int, wishes: Constraints, games: Sequence[Game | Bye]) -> None:
    """Check that a finished pairing keeps every constraint, independently of the format that made it.

    :raises EventError: naming the constraint that was broken
    """
    byes = {entry.player for entry in games if isinstance(entry, Bye)}
    pairs = [entry.players for entry in games if isinstance(entry, Game)]
    # a constraint may name teams: all their boards meet, or all have the bye
    team_of = {name: team.id for team in event.teams for name in team.players}
    teams = [tuple(team_of.get(name, name) for name in pair) for pair in pairs]
    met = dict.fromkeys(frozenset(pair) for pair in (*pairs, *teams))
    byes |= {team_of.get(name, name) for name in byes}
    where = say("round {round_} cannot meet a pairing condition:", round_=round_)
    for one, other in wishes.locked:
        if frozenset((one, other)) not in met:
            text = say("{where} {label} and {label2} are locked but not in one draw")
            raise _constraint_error(event, text, one, other, where=where)
    for one, other in wishes.forbidden:
        if one == other and one in byes:
            raise _constraint_error(event, say("{where} {label} is to get no bye but gets one"), one, where=where)
        if frozenset((one, other)) in met:
            text = say("{where} {label} and {label2} are forbidden but drawn")
            raise _constraint_error(event, text, one, other, where=where)
    for pair in met:
        if len(pair) == 2 and wishes.apart(*pair):
            text = say("{where} {label} and {label2} are kept apart but drawn")
            raise _constraint_error(event, text, *sorted(pair), where=where)
    for name in wishes.byes:
        if name not in byes:
            text = say("{where} {label} asks for a bye but is due to play, or is not present")
            raise _constraint_error(event, text, name, where=where)
    for game in games:
        for side, name in zip(("black", "white"), game.players, strict=False):
            color = wishes.colours.get(name) if isinstance(game, Game) else None
            if color is not None and not event.facts.designates(game.stage):
                text = say("{where} the players settle the colours themselves, so none can be forced")
                raise _constraint_error(event, text, where=where)
            if color is not None and color != side:
                text = say("{where} {label} cannot have {wished}")
                raise _constraint_error(event, text, name, where=where, wished=COLOURS[Winner(color)])


def _constraint_error(event: Event, text: Text, *names: str, **fields: Text) -> EventError:
    """Return the error. ``names``: the entries that fill ``{label}`` and ``{label2}`` of the sentence."""
    return EventError(text(**dict(zip(("label", "label2"), map(event.called, names), strict=False)), **fields))


# Histories and presence.

#: stages that are paired as a league: their results are the score (M43-1)
LEAGUE_STAGES = (Stage.LEAGUE, Stage.PLACEMENT)


class ColorSide(StrEnum):
    BLACK = "black"
    WHITE = "white"


@dataclass(slots=True)
class PlayerHistory:
    """One player's past. ``sides`` has one entry per round, None where he played no game.

    ``last_float`` is his score minus his opponent's in the last round, in half points, before that game: positive means
    that he floated down. A bye is a float down. ``last_points`` are the half points of that game, None without one.
    """

    score: int = 0
    balance: int = 0  # games with Black minus games with White
    sides: list[ColorSide | None] = field(default_factory=list)
    last_float: int = 0
    last_points: int | None = None
    byes: int = 0

    @property
    def last_side(self) -> ColorSide | None:
        return self.sides[-1] if self.sides else None


@dataclass(slots=True)
class History:
    """Past of all players before round ``round``. ``meetings``: (black, white) -> the rounds in which they met with
    these colours. ``wishes``: the constraints of this round."""

    round: int
    records: dict[str, PlayerHistory]
    meetings: dict[tuple[str, str], list[int]]
    wishes: Constraints = field(default_factory=Constraints)

    def met(self, one: str, other: str) -> list[int]:
        """Return the rounds in which the two met, with either colours."""
        return sorted(self.meetings.get((one, other), []) + self.meetings.get((other, one), []))


def history_before(event: Event, round_: int, stages: Iterable[Stage] = LEAGUE_STAGES) -> History:
    """Return the past of every entry before round ``round_``; that of late entries is empty."""
    history = History(
        round_, {player.id: PlayerHistory() for player in event.players}, {}, constraints_of(event, round_)
    )
    counted = frozenset(stages)
    for past in event.rounds[: round_ - 1]:
        _add(history, past, counted)
    return history


def _add(history: History, past: Round, stages: frozenset[Stage]) -> None:
    records = history.records
    for record in records.values():
        record.sides.append(None)
        record.last_float, record.last_points = 0, None
    games = [game for game in past.games if game.stage in stages]
    floats = {game: records[game.black].score - records[game.white].score for game in games}
    for game in games:
        _add_game(history, game, floats[game], past.number)
    for bye in past.byes:
        if bye.stage in stages:
            record = records[bye.player]
            record.score += WIN
            record.byes += 1
            record.last_float = 1


def _add_game(history: History, game: Game, float_of_black: int, round_: int) -> None:
    signs = ((game.black, 1, ColorSide.BLACK), (game.white, -1, ColorSide.WHITE))
    for player, sign, side in signs:
        record = history.records[player]
        points = game.half_points(player)
        record.score += points
        record.last_float = sign * float_of_black
        record.last_points = points
        if game.over_the_board:
            record.balance += sign
            record.sides[-1] = side
    if game.over_the_board:
        history.meetings.setdefault((game.black, game.white), []).append(round_)


def present_entries(event: Event, round_: int) -> tuple[Player, ...]:
    """Return the entries to be paired in a round: not absent, not withdrawn before it, not away in it."""
    away = away_in_round(event, round_)
    return tuple(
        player
        for player in event.players
        if not player.absent and not has_withdrawn(player, round_ - 1) and player.id not in away
    )


def remaining_players(event: Event) -> list[Player]:
    """Return the players who are neither absent nor withdrawn, whatever the round."""
    return [player for player in event.players if not player.absent and player.withdrawn_after_round is None]


def check_enough_present(count: int) -> None:
    """Check that so many players can have a round.

    :raises EventError: if they are fewer than two
    """
    if count < 2:
        raise event_error("{n} player(s) present; a round needs two or more, check 'absent' and withdrawals", n=count)


def ranked_entries(event: Event) -> tuple[Player, ...]:
    """Return all entries but no-shows, who are absent and have had neither a game over the board nor a bye. A no-show
    is neither ranked nor counted, and a game that he forfeited does not count for his opponent's tie-breaks."""
    present = {name for round_ in event.rounds for game in round_.games if game.over_the_board for name in game.players}
    present.update(bye.player for round_ in event.rounds for bye in round_.byes)
    return tuple(player for player in event.players if not player.absent or player.id in present)


def who_came(event: Event) -> frozenset[str]:
    """Return the players who played a game, or were there to be given one."""
    games = [game for round_ in event.rounds for game in round_.games]
    present = {name for game in games for name in game.players if game.over_the_board or game.half_points(name)}
    return frozenset(present.union(bye.player for round_ in event.rounds for bye in round_.byes))


def away_in_round(event: Event, round_: int) -> frozenset[str]:
    """Return who misses this round by ``options.absences``; a team stands for all its players."""
    named = {name for key in (EVERY_ROUND, str(round_)) for name in event.options.absences.get(key, ())}
    return frozenset(named.union(*(team.players for team in event.teams if team.id in named)))


def has_withdrawn(player: Player, after: int) -> bool:
    """Return whether a player withdrew by the end of round ``after``."""
    return player.withdrawn_after_round is not None and player.withdrawn_after_round <= after
