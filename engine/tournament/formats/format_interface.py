"""Interface of a tournament format, and functions shared by formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from engine.end_reason import EndReason
from engine.i18n import Text, say
from engine.tournament import format_spec_and_options as spec
from engine.tournament.event_model import (
    COLOURS,
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
from engine.tournament.pairing_history_and_constraints import History
from engine.tournament.standings_and_tie_breaks import STAGE_NAMES, STAGES, Standings, after_round, forfeit_discs
from engine.tournament.swiss_pairing import Pairing

Entry = Game | Bye
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

    def result_problem(self, event: Event, game: Game) -> Text | None:
        """Return why a game of this format cannot have ended so, beyond what its discs say; None if it can."""
        return None

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
