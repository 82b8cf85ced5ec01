"""Semi-finals, final and 3rd-place game, shared by formats with finals.

The finals order only their own players, regardless of the league, and the rules determine their pairings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from engine.i18n import Text, say
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import WIN, Bye, Event, EventError, Game, Stage, Winner, event_error
from engine.tournament.formats.format_interface import Entry
from engine.tournament.pairing_history_and_constraints import present_entries
from engine.tournament.standings_and_tie_breaks import shared_ranks

NOBODY_LEFT = say("nobody is left for the final: both semi-finals are double forfeits; the event is over")


class FinalStage(StrEnum):
    """Round after the league."""

    PLAY_OFF = "play-off"
    SEMI_FINALS = "semi-finals"
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class FinalsPlan:
    """Number of league rounds (None: as many as the operator decides), and the rounds after them."""

    league_rounds: int | None
    steps: tuple[FinalStage, ...] = ()

    @property
    def last_round(self) -> int | None:
        return None if self.league_rounds is None else self.league_rounds + len(self.steps)

    def step(self, round_: int) -> FinalStage | None:
        """Return the stage of round ``round_``; None for a league round.

        :raises EventError: if the event is over before it
        """
        if self.league_rounds is None or round_ <= self.league_rounds:
            return None
        if round_ - self.league_rounds > len(self.steps):
            raise event_error("the event is over: all {last_round} rounds have been played", last_round=self.last_round)
        return self.steps[round_ - self.league_rounds - 1]

    def round_of(self, step: FinalStage) -> int | None:
        if self.league_rounds is None or step not in self.steps:
            return None
        return self.league_rounds + 1 + self.steps.index(step)


#: options.finals
STEPS: dict[str, tuple[FinalStage, ...]] = {
    "none": (),
    "1-2": (FinalStage.FINAL,),
    "1-4": (FinalStage.SEMI_FINALS, FinalStage.FINAL),
}


def plan_of(event: Event) -> FinalsPlan:
    """Return the plan set by the options.

    :raises EventError: if finals are set without the number of league rounds
    """
    rounds, finals = spec.ROUNDS.of(event), spec.FINALS.of(event) or "none"
    if rounds is None and (finals != "none" or spec.PLAY_OFF.of(event)):
        raise event_error("options.rounds is missing; say after how many rounds the finals begin")
    return FinalsPlan(rounds, STEPS[finals])


def winner(game: Game) -> str:
    return game.black if game.half_points(game.black) == WIN else game.white


def loser(game: Game) -> str:
    return game.opponent(winner(game))


def entries_of_stage(event: Event, stage: Stage) -> list[Entry]:
    """Return the games of a stage, then its byes: players without an opponent in a semi-final or a final.

    :raises EventError: if the semi-finals are not two
    """
    games = [game for round_ in event.rounds for game in round_.games if game.stage is stage]
    byes = [bye for round_ in event.rounds for bye in round_.byes if bye.stage is stage]
    if stage is Stage.SEMI_FINAL and len(games) + len(byes) not in (0, 2):
        raise event_error("the event has {n} games of stage 'semi-final'; it must have two", n=len(games))
    return [*games, *byes]


def winner_of_stage(event: Event, stage: Stage) -> str | None:
    for entry in entries_of_stage(event, stage):
        if isinstance(entry, Bye):
            return entry.player
        if entry.decided:
            return winner(entry)
    return None


def take_seats(
    event: Event, round_: int, order: Sequence[str], keys: Mapping[str, tuple[int, ...]], seats: int
) -> tuple[list[str], list[Text]]:
    """Return (the players with a seat in the finals of round ``round_``, the operator's warnings about how the seats
    were decided).

    :param order: everybody in rank order, level players by lot
    :param keys: what ranked them; a seat that only the lot decided gives a warning
    """
    here = {player.id for player in present_entries(event, round_)}
    top = [name for name in order if name in here][:seats]
    if len(top) < 2:
        raise event_error(
            "only {n} player(s) present in round {round_}; the finals need two or more", n=len(top), round_=round_
        )
    warnings = (
        [say("only {n} players are present; the first in rank has no opponent", n=len(top))] if len(top) < seats else []
    )
    warnings += [
        say("{label} qualified for the finals but is not present; the next in rank plays", label=event.called(name))
        for name in order[: order.index(top[-1])]
        if name not in here
    ]
    for name, after in pairwise(order):
        if name in top and keys[name] == keys[after]:
            warnings.append(
                say(
                    "seats of the finals: {label} and {label2} are level; by lot",
                    label=event.called(name),
                    label2=event.called(after),
                )
            )
    return top, warnings


def semi_finals(top: Sequence[str]) -> list[Entry]:
    """Return 1st v 4th and 2nd v 3rd, rematches allowed (M43F-07). Of three the 1st has a bye, of two both have one, as
    in M40F9-5."""
    third, fourth = [*top[2:], None, None][:2]
    return [
        Bye(high, Stage.SEMI_FINAL) if low is None else Game(high, low, Stage.SEMI_FINAL)
        for high, low in ((top[0], fourth), (top[1], third))
    ]


def final_and_third_place(event: Event) -> list[Entry]:
    """The winners of the semi-finals play the final, the losers the 3rd-place game (M43F-08); where only one lost, he
    is 3rd without a game."""
    entries = entries_of_stage(event, Stage.SEMI_FINAL)
    if not entries:
        raise event_error("no round has games of stage 'semi-final', so nobody is in the final; name the two games")
    games = [entry for entry in entries if isinstance(entry, Game)]
    # a bye was the first semi-final
    decided = [game for game in games if game.decided]
    finalists = [*(e.player for e in entries if isinstance(e, Bye)), *(winner(game) for game in decided)]
    if not finalists:
        return []
    if len(finalists) < 2:  # the other semi-final was a double forfeit
        return [Bye(finalists[0], Stage.FINAL)]
    final: list[Entry] = [Game(finalists[0], finalists[1], Stage.FINAL)]
    if len(decided) < 2:
        return final
    return [*final, Game(loser(decided[0]), loser(decided[1]), Stage.THIRD_PLACE)]


def entries_of_step(
    event: Event,
    round_: int,
    step: FinalStage,
    plan: FinalsPlan,
    order: Sequence[str],
    keys: Mapping[str, tuple[int, ...]],
) -> tuple[Sequence[Entry], list[Text]]:
    """Return the semi-finals, or the final with the 3rd-place game, and the operator's warnings about their players.

    :param order: everybody in rank order before the round, level players by lot; ``keys``: what ranked them
    """
    if step is FinalStage.SEMI_FINALS:
        top, warnings = take_seats(event, round_, order, keys, 4)
        return semi_finals(top), warnings
    if plan.round_of(FinalStage.SEMI_FINALS):
        games = final_and_third_place(event)
        if not games:
            raise EventError(NOBODY_LEFT)
        return games, absent_finalists(event, round_, games)
    top, warnings = take_seats(event, round_, order, keys, 2)
    return [Game(top[0], top[1], Stage.FINAL)], warnings


def absent_finalists(event: Event, round_: int, games: Sequence[Entry]) -> list[Text]:
    """Return what to do about a finalist who has left: nobody takes his place (M43-13)."""
    here = {player.id for player in present_entries(event, round_)}
    return [
        say(
            "{label} is due in the {value} game but not present; enter it as a forfeit",
            label=event.called(name),
            value=game.stage.value,
        )
        for game in games
        for name in game.players
        if name not in here
    ]


#: the places of the winner and of the loser of a game of the finals, in the order in which they are played
_PLACES = {Stage.SEMI_FINAL: (1, 3), Stage.FINAL: (1, 2), Stage.THIRD_PLACE: (3, 4)}


def places_in_finals(event: Event, after: int) -> dict[str, int]:
    """Return the place of the finalists among themselves after a round, for a sort: 1 and 3 after the semi-finals, then
    1 to 4 (M43R-1, M43R-2). Other players are not included."""
    place: dict[str, int] = {}
    for stage, (won, lost) in _PLACES.items():
        for round_ in event.rounds[:after]:
            place |= {bye.player: won for bye in round_.byes if bye.stage is stage}
            for game in round_.games:
                if game.stage is stage and game.decided:
                    place |= {winner(game): won, loser(game): lost}
                elif game.stage is stage and game.winner is Winner.NEITHER:
                    place |= dict.fromkeys(game.players, 4 if stage is Stage.SEMI_FINAL else lost)
    return place


def nobody_left_for_final(event: Event) -> bool:
    """Check whether nobody came to either semi-final, so that there is no final."""
    entries = entries_of_stage(event, Stage.SEMI_FINAL)
    return bool(entries) and all(isinstance(one, Game) and one.winner is Winner.NEITHER for one in entries)


def ranks_with_finals(event: Event, after: int, groups: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the ranks of groups of equal players in order. Two who did not come to their game of the finals are level,
    whatever they did before: both are 2nd after a final (AMB-49)."""
    games = [game for round_ in event.rounds[:after] for game in round_.games if game.stage in _PLACES]
    missed = {name for game in games if game.winner is Winner.NEITHER for name in game.players}
    places = places_in_finals(event, after)
    merged: list[list[str]] = []
    for group in groups:
        level = merged and missed.issuperset((*merged[-1], *group)) and places[merged[-1][0]] == places[group[0]]
        if level:
            merged[-1].extend(group)
        else:
            merged.append([*group])
    return shared_ranks(merged, missed)
