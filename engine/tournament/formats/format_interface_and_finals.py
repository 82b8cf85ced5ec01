"""Interface of a tournament format, functions shared by formats, and the finals after a league."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby, pairwise

from engine.end_reason import EndReason
from engine.i18n import Text, say
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import (
    COLOURS,
    WIN,
    Bye,
    Event,
    EventError,
    Game,
    Player,
    Round,
    Stage,
    Team,
    Winner,
    event_error,
    round_of,
)
from engine.tournament.lots_and_leagues import lots_of_entries
from engine.tournament.multi_game_matches import open_match, single_games
from engine.tournament.pairing_history_and_constraints import History, present_entries
from engine.tournament.standings_and_tie_breaks import (
    STAGE_NAMES,
    STAGES,
    Standings,
    after_round,
    forfeit_discs,
    shared_ranks,
)
from engine.tournament.swiss_pairing import Pairing

#: the cost of a round: a sum of penalties, or a list of numbers that compare from the left
Cost = int | Sequence[int]


@dataclass(frozen=True, slots=True)
class PairedRound:
    """Round as it should be played: its games in the order of their tables, and its byes. Where a hidden disc decides
    the colours (``FormatSpec.designates``), black and white are just the two players."""

    round: int
    games: tuple[Game | Bye, ...]
    cost: Mapping[str, object]
    warnings: tuple[Text, ...] = ()

    def as_round(self) -> Round:
        """Return the round for the event, ready to be played, swapped or priced."""
        return round_of(self.round, self.games)


class Format(ABC):
    """Tournament format. Every method takes the whole event: ``standings`` and ``planned_rounds`` as it is in the file,
    the others with each match of several games as one game (``single_games``). Formats are stateless."""

    facts: spec.FormatSpec

    def check(self, event: Event) -> None:
        """Check that the format can produce the results."""
        check_winners(event)

    @abstractmethod
    def next_round(self, event: Event) -> PairedRound:
        """Return the round after the last one; every game has a result.

        :raises EventError: if the event is over
        """

    def standings(self, event: Event, after: int | None = None) -> Standings:
        """Return the ranking after a round, by default the last finished one."""
        event = single_games(event)
        after = after_round(event, after)
        self.check(event)
        return self.standings_after(event, after)

    @abstractmethod
    def standings_after(self, event: Event, after: int) -> Standings:
        """Return the ranking after a round of an event whose results have been checked."""

    @abstractmethod
    def costs_of_round(self, before: Event, played: Round) -> tuple[Cost, Cost]:
        """Return (played, optimum): the cost of a round as it was played, and the smallest cost possible with the same
        players. ``before`` is the event without that round. Where the rules left no choice both are 0."""

    def planned_rounds(self, event: Event) -> int | None:
        """Return how many rounds the event has in all; None where the operator or the games decide it."""
        return None

    def is_over(self, event: Event) -> bool:
        last = self.planned_rounds(event)
        return last is not None and event.last_finished_round >= last

    @abstractmethod
    def champion(self, event: Event) -> str | None:
        """Return the winner's id, None as long as there is none."""


def games_of(pairing: Pairing, stage: Stage) -> list[Game | Bye]:
    """Return the games of a pairing, the byes last."""
    byes = [pairing.bye, *pairing.requested]
    return [
        *(Game(black, white, stage) for black, white in pairing.pairs),
        *(Bye(name, stage) for name in byes if name is not None),
    ]


def forfeited(event: Event, game: Game, absent: str) -> Game:
    """Return a game lost by the absent player: with no disc and unrated (AMB-09, AMB-26), or as ``forfeit_discs``
    says."""
    total, most = event.variant.total, forfeit_discs(event)
    won = Winner.WHITE if absent == game.black else Winner.BLACK
    black = most if won is Winner.BLACK else total - most
    return replace(game, winner=won, black_discs=black, white_discs=total - black, end=EndReason.FORFEIT, rated=False)


def double_forfeit(game: Game) -> Game:
    """Return a game that both players lose because neither came: without discs and unrated (AMB-49)."""
    return replace(game, winner=Winner.NEITHER, black_discs=0, white_discs=0, end=EndReason.FORFEIT, rated=False)


def missed_by_both(event: Event, game: Game) -> Game:
    """Return a game for which neither player came, by the event's reading of AMB-49: both lose; or it is a draw, where
    the format knows draws. A knock-out game is always lost by both."""
    if spec.DOUBLE_FORFEIT.of(event) != "draw" or not event.facts.designates(game.stage) or event.facts.captures:
        return double_forfeit(game)
    half = event.half
    return replace(game, winner=Winner.DRAW, black_discs=half, white_discs=half, end=EndReason.FORFEIT, rated=False)


def require_results(event: Event) -> None:
    """Check that the last round is complete, as pairing the next one requires."""
    for round_ in event.rounds:
        for game in round_.games:
            if game.winner is None:
                raise event_error(
                    "{game} has no winner, so the round is not finished; enter the result first",
                    game=event.game_called(round_.number, game),
                )
    if found := open_match(event):
        round_number, match = found
        raise event_error(
            "{game} stands {score} in a match of {n} games; enter its next game first",
            game=event.game_called(round_number, match.games[0]),
            score=match.score(match.players[0]),
            n=match.best_of,
        )


def check_winners(event: Event) -> None:
    """Check that there are no draws where the players settle the colours: one of them has the draw right (FS-04). A
    match of several games may have some, once one of its games is decided."""
    games = [game for round_ in event.rounds for game in round_.games]
    decided = {(game.stage, frozenset(game.players)) for game in games if game.decided}
    for round_ in event.rounds:
        for game in round_.games:
            if game.winner is not Winner.DRAW or (game.stage, frozenset(game.players)) in decided:
                continue
            if not event.facts.designates(game.stage):
                problem = say("no draws here; with equal discs the holder of the draw right wins, name the winner")
                raise _result_error(event, round_.number, game, problem)


def check_draws(event: Event) -> None:
    """Check that equal discs are a draw where colours are designated, since nobody has a draw right (M43-1)."""
    for round_ in event.rounds:
        for game in round_.games:
            level = game.black_discs is not None and game.black_discs == game.white_discs
            if level and game.decided and game.end in (EndReason.NORMAL, None) and event.facts.designates(game.stage):
                problem = say("equal discs are a draw; correct the winner or the discs, or say how it ended")
                raise _result_error(event, round_.number, game, problem)


def _result_error(event: Event, number: int, game: Game, problem: Text) -> EventError:
    where, stage = event.game_called(number, game), STAGES.get(game.stage, STAGE_NAMES[game.stage])
    return event_error("{where} ({stage}): {problem}", where=where, stage=stage, problem=problem)


def seed_warnings(event: Event) -> list[Text]:
    if event.options.random_seed is None:
        return [say("options.random_seed is missing, so lots are drawn with 0; record a seed in the event")]
    return []


def rematch_warnings(event: Event, history: History, pairs: Iterable[tuple[str, str]]) -> list[Text]:
    return [
        say(
            "rematch: {one} and {other} already met in round {rounds}",
            one=event.called(one),
            other=event.called(other),
            rounds=rounds,
        )
        for one, other in pairs
        if (rounds := history.met(one, other))
    ]


def pairing_warnings(event: Event, history: History, pairing: Pairing, balance_limit: int) -> list[Text]:
    """Return warnings for the operator before publishing: rematches, second byes, colours out of balance."""
    warnings = [*seed_warnings(event), *rematch_warnings(event, history, pairing.pairs)]
    for black, white in pairing.pairs:
        if pairing.penalty.rule and event.player(black).seed and event.player(white).seed and history.round == 1:
            warnings.append(
                say(
                    "seeds meet: {one} and {other}; there are too few other players",
                    one=event.called(black),
                    other=event.called(white),
                )
            )
        for player, sign in ((black, 1), (white, -1)):
            balance = history.records[player].balance + sign
            if abs(balance) > balance_limit:
                more = COLOURS[Winner.BLACK if balance > 0 else Winner.WHITE]
                warnings.append(
                    say(
                        "colours: {label} will have had {more} {abs} times more often",
                        label=event.called(player),
                        more=more,
                        abs=abs(balance),
                    )
                )
    if pairing.bye is not None and history.records[pairing.bye].byes:
        warnings.append(say("second bye: {label} already had a bye", label=event.called(pairing.bye)))
    return warnings


def groups_by(entries: Sequence[Player | Team], key: Mapping[str, tuple[int, ...]]) -> list[list[str]]:
    """Return the ids in rising order of their keys, equal ones together; the order of the event file within a group."""
    ordered = sorted((entry.id for entry in entries), key=key.__getitem__)
    return [list(group) for _, group in groupby(ordered, key=key.__getitem__)]


def in_order(event: Event, keys: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Return all players who have keys, in rising order of them, level players by lot."""
    lots = lots_of_entries(event)
    return sorted(keys, key=lambda name: (keys[name], -lots[name]))


# Semi-finals, final and 3rd-place game, shared by formats with finals.
#
# The finals order only their own players, regardless of the league, and the rules determine their pairings.

Entry = Game | Bye
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
