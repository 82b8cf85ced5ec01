"""A game as the head sees it, and the validation of its result.

Every result is checked here and nowhere else, whether it comes from a table, from the desk or from the pairing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.tournament.event_model import Bye, EventError, Game, ResultEnd, Stage, Winner, place_called
from engine.tournament.result_validation import check_captures, check_result
from engine.translatable_text import Text, say, text_of
from kiosk.head.errors import HeadError
from kiosk.link.link_messages import ResultCard

#: endings that are not rated (M43-13.3, M43-16.3, RULES.md 3.4 S14, S15)
UNRATED = frozenset({"both-flags", "late", "forfeit", "bye", "not-played"})

ENDS = tuple(end.value for end in ResultEnd if end is not ResultEnd.BYE)


@dataclass(frozen=True, slots=True)
class CardOutcome:
    """A game's result. ``winner`` is a colour, "draw" or "neither"; discs are None where only win or
    loss is recorded.
    """

    black: str
    white: str
    winner: str
    black_discs: int | None
    white_discs: int | None
    end: str
    rated: bool
    transcript: str = ""

    def same_score(self, other: CardOutcome) -> bool:
        """Check whether both count equally in the standings, whatever the transcript and the ending."""
        mine = (self.black, self.white, self.winner, self.black_discs, self.white_discs, self.rated)
        return mine == (other.black, other.white, other.winner, other.black_discs, other.white_discs, other.rated)


@dataclass(frozen=True, slots=True)
class HeadGame:
    """A game or a bye of a published round. ``source``: who reported the outcome: card, desk or pairing."""

    id: str
    round: int
    number: int
    stage: str
    black: str
    white: str | None
    designated: bool
    must_have_winner: bool = False
    table: int | None = None
    outcome: CardOutcome | None = None
    source: str = ""
    league: str | None = None
    since: str = field(default="", compare=False)  # when it was given to its table
    counts_captures: bool = False  # ChouChou: both counts are captured pieces and have no fixed total

    @property
    def is_bye(self) -> bool:
        return self.white is None

    @property
    def is_open(self) -> bool:
        """Check whether it still has to be played."""
        return self.white is not None and self.outcome is None

    @property
    def players(self) -> frozenset[str]:
        return frozenset(name for name in (self.black, self.white) if name is not None)

    @property
    def spoken(self) -> Text:
        """Return a description of the game for people."""
        if self.table is None:
            return say("game {number} of round {round}", number=self.number, round=self.round)
        return place_called(self.round, self.table)

    def entry(self) -> Game | Bye:
        """Return the game in the engine's form."""
        stage, played = Stage(self.stage), self.outcome
        if self.white is None:
            return Bye(self.black, stage, self.league)
        if played is None:
            return Game(self.black, self.white, stage, self.table, self.league)
        return _engine_game(self, played, played.transcript or None)


def outcome_of_card(card: ResultCard) -> CardOutcome:
    return CardOutcome(
        card.black_id,
        card.white_id,
        card.winner,
        card.black_discs,
        card.white_discs,
        card.end,
        card.rated,
        card.transcript,
    )


def outcome_of(game: Game) -> CardOutcome | None:
    """Return the outcome of a game that was paired with one (M43F-06: a draw that is not played); None
    for any other.
    """
    if game.winner is None:
        return None
    end, rated = game.end or ResultEnd.NORMAL, game.rated is not False
    discs = game.black_discs, game.white_discs
    return CardOutcome(game.black, game.white, game.winner.value, *discs, end.value, rated, game.transcript or "")


def check(game: HeadGame, outcome: CardOutcome) -> None:
    """Check that a result is possible for this game.

    :raises HeadError: with the message that the operator sees.
    """
    if {outcome.black, outcome.white} != game.players:
        raise HeadError(
            say(
                "the players of that result are not the players of {game}; choose that game's players", game=game.spoken
            )
        )
    if outcome.end not in ENDS:
        raise HeadError(
            say("'{end}' is not a way a game can end; choose one of {ends}", end=outcome.end, ends=", ".join(ENDS))
        )
    if outcome.winner not in tuple(Winner):
        raise HeadError(
            say(
                "the winner is black, white, draw or neither, not '{winner}'; choose one of them", winner=outcome.winner
            )
        )
    if game.must_have_winner and outcome.winner == "draw":  # M43F-01, M40-1
        raise HeadError(
            say("{game} must have a winner; if it ended 32-32, the holder of the draw right has won", game=game.spoken)
        )
    try:
        rules = check_captures if game.counts_captures else check_result
        rules(_engine_game(game, outcome), game.spoken)
    except EventError as error:
        raise HeadError(text_of(error)) from error


def _engine_game(game: HeadGame, outcome: CardOutcome, transcript: str | None = None) -> Game:
    return Game(
        outcome.black,
        outcome.white,
        Stage(game.stage),
        game.table,
        game.league,
        black_discs=outcome.black_discs,
        white_discs=outcome.white_discs,
        winner=Winner(outcome.winner),
        end=ResultEnd(outcome.end),
        rated=outcome.rated,
        transcript=transcript,
    )
