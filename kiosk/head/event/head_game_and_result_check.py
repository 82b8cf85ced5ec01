"""A game as the head sees it, and the validation of its result.

Every result is checked here and nowhere else, whether it comes from a table, from the desk or from the pairing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.board.variants import STANDARD
from engine.copy_with_changes import replace
from engine.end_reason import EndReason
from engine.i18n import Text, say, text_of
from engine.match.match_value_types import GameStage
from engine.tournament.event_and_result_validation import check_result
from engine.tournament.event_model import Bye, EventError, Game, Stage, Winner, place_called
from kiosk.head.errors import HeadError
from kiosk.link.link_messages import ResultCard

#: endings that are not rated (M43-13.3, M43-16.3, RULES.md 3.4 S14, S15)
UNRATED = frozenset({EndReason.BOTH_FLAGS, EndReason.LATE, EndReason.FORFEIT, EndReason.BYE, EndReason.NOT_PLAYED})

ENDS = tuple(end for end in EndReason if end is not EndReason.BYE)


@dataclass(frozen=True, slots=True)
class HeadGame:
    """A game or a bye of a published round: what the head knows besides the pairing and the result.

    ``paired``: as the round was published. ``outcome``: the result, whose colours may be others than the paired ones;
    its stage, league and table mean nothing. ``source``: who reported it: card, desk or pairing.
    """

    id: str
    round: int
    number: int
    paired: Game | Bye
    designated: bool
    must_have_winner: bool = False
    table: int | None = None
    outcome: Game | None = None
    source: str = ""
    since: str = field(default="", compare=False)  # when it was given to its table
    total: int | None = STANDARD.total  # of the discs on its card (K-14); None: the counts are captured pieces
    match_game: int = 1  # its number in a match of several games
    best_of: int = 1  # games of the match
    match_part: Text | None = None  # which game of the match it is, and the score after it

    @property
    def counts_captures(self) -> bool:
        """Check whether it is a game of ChouChou."""
        return self.total is None

    @property
    def stage(self) -> Stage:
        return self.paired.stage

    @property
    def stage_at_table(self) -> GameStage:
        return GameStage.KNOCKOUT if self.must_have_winner else GameStage.LEAGUE

    @property
    def black(self) -> str:
        return self.paired.players[0]

    @property
    def white(self) -> str | None:
        return self.paired.white if isinstance(self.paired, Game) else None

    @property
    def is_bye(self) -> bool:
        return isinstance(self.paired, Bye)

    @property
    def is_open(self) -> bool:
        """Check whether it still has to be played."""
        return self.outcome is None and not self.is_bye

    @property
    def players(self) -> frozenset[str]:
        return frozenset(self.paired.players)

    @property
    def description(self) -> Text:
        """Return a description of the game for people."""
        if self.table is None:
            return say("game {number} of round {round}", number=self.number, round=self.round)
        return place_called(self.round, self.table)

    def entry(self) -> Game | Bye:
        """Return the game as the standings count it."""
        paired = self.paired
        if isinstance(paired, Bye):
            return paired
        played = self.outcome or Game(paired.black, paired.white)
        return replace(played, stage=paired.stage, league=paired.league, table=self.table)


def same_score(one: Game, other: Game) -> bool:
    """Check whether both results count equally in the standings, whatever the transcript and the ending."""
    return _score(one) == _score(other)


def _score(game: Game) -> tuple[object, ...]:
    return game.black, game.white, game.winner, game.black_discs, game.white_discs, game.rated


def outcome_of_card(card: ResultCard) -> Game:
    """Return the result on a card.

    :raises HeadError: it names an end that no game has.
    """
    return Game(
        card.black_id,
        card.white_id,
        black_discs=card.black_discs,
        white_discs=card.white_discs,
        winner=Winner(card.winner),
        end=end_of(card.end),
        rated=card.rated,
        transcript=card.transcript or None,
    )


def by_table(games: Iterable[HeadGame]) -> list[HeadGame]:
    """Return games in the order in which people look for them: by table, then those without one, then byes."""
    return sorted(games, key=lambda game: (game.is_bye, game.table is None, game.table or 0))


def end_of(text: str) -> EndReason:
    """Return how a game ended.

    :raises HeadError: no game ends like that.
    """
    if text not in ENDS:
        raise HeadError.saying(
            "'{end}' is not a way a game can end; choose one of {ends}", end=text, ends=", ".join(ENDS)
        )
    return EndReason(text)


def winner_of(text: str) -> Winner:
    """Return who won.

    :raises HeadError: it is neither a colour, nor "draw" or "neither".
    """
    if text not in tuple(Winner):
        raise HeadError.saying(
            "the winner is black, white, draw or neither, not '{winner}'; choose one of them", winner=text
        )
    return Winner(text)


def outcome_of(game: Game) -> Game | None:
    """Return the outcome of a game that was paired with one (M43F-06: a draw that is not played); None
    for any other.
    """
    if game.winner is None:
        return None
    return replace(game, end=game.end or EndReason.NORMAL, rated=game.rated is not False)


def outcome_key(outcome: Game) -> str:
    """Return "p1 40-24 p2 (black, normal)", by which a stale form is detected."""
    score = "?-?" if outcome.black_discs is None else f"{outcome.black_discs}-{outcome.white_discs}"
    return f"{outcome.black} {score} {outcome.white} ({outcome.winner}, {outcome.end})"


def check(game: HeadGame, outcome: Game) -> None:
    """Check that a result is possible for this game.

    :raises HeadError: with the message that the operator sees.
    """
    if set(outcome.players) != game.players:
        raise HeadError.saying(
            "the players of that result are not the players of {game}; choose that game's players",
            game=game.description,
        )
    end_of(outcome.end or "")
    if game.must_have_winner and outcome.winner is Winner.DRAW:  # M43F-01, M40-1
        raise HeadError.saying(
            "{game} must have a winner; with equal discs the holder of the draw right has won: choose the winner",
            game=game.description,
        )
    try:
        check_result(game.total, outcome, game.description)
    except EventError as error:
        raise HeadError(text_of(error)) from error
