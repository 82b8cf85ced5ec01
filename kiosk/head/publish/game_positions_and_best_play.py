"""Replay of a published game: its positions ply by ply, the scores of best play, and the faults of its transcript.

An illegal move is named, and the positions end before it. The result on the card is compared and never changed. Scores
of best play come from a search to the last square; moves that were not searched have none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.board.color import Color
from engine.board.endgame_solver import values
from engine.board.errors import BoardError, IllegalMove
from engine.board.opening_recognition import Opening, recognise
from engine.board.position import Position
from engine.board.transcript import format_transcript, parse_transcript, plies
from engine.board.variants import STANDARD, Variant
from engine.end_reason import EndReason
from engine.i18n import Text, say
from engine.tournament.event_model import Game

#: empty squares from which moves are evaluated while the division plays (some hundredths of a second a game), and when
#: it is over (some tenths); earlier moves are evaluated in the background (``kiosk.head.export.endgame_analysis``)
SEARCHED, AFTERWARDS = 8, 10
#: endings after which an unfinished board is no fault of the transcript
_CUT_SHORT = frozenset(
    {EndReason.TIME, EndReason.FREE_PLAY, EndReason.BOTH_FLAGS, EndReason.FORFEIT, EndReason.LATE, EndReason.ARBITER}
)


@dataclass(frozen=True, slots=True)
class Ply:
    """A move or a pass and the board after it. ``number``: as counted on a diagram, where passes do not count.
    ``best``: Black's final disc difference if both play best from here, None where that was not searched; ``lost``:
    how many discs the move lost against the best one.
    """

    number: int
    by: Color
    move: str | None
    turned: tuple[str, ...]
    cells: str
    black: int
    white: int
    best: int | None = None
    lost: int = 0


@dataclass(frozen=True, slots=True)
class PublishedReplay:
    """A replayed transcript. ``numbers``: square -> (number, colour that played it). ``empties``: the number of empty
    squares from which best play is known.
    """

    start: str
    plies: tuple[Ply, ...]
    numbers: dict[str, tuple[int, Color]]
    text: str
    opening: Opening | None
    problems: tuple[Text, ...]
    empties: int = 0

    @property
    def is_evaluated(self) -> bool:
        """Check whether best play is known for some of the moves."""
        return any(ply.best is not None for ply in self.plies)

    @property
    def losing_move(self) -> Ply | None:
        """Return the losing move: the loser's last one before which best play did not lose, and after which it did."""
        over = self.plies[-1].best if self.plies else None
        if not over:
            return None
        loser = Color.BLACK if over < 0 else Color.WHITE
        found, held = None, False
        for ply in self.plies:
            if ply.best is None:
                continue
            holds = ply.best >= 0 if loser is Color.BLACK else ply.best <= 0
            if held and not holds and ply.by is loser:
                found = ply
            held = holds
        return found

    @property
    def final(self) -> str:
        """Return the last board."""
        return self.plies[-1].cells if self.plies else self.start


@lru_cache(maxsize=64)  # shared by the Japanese and the English page
def replay_of(
    game: Game, searched: int = SEARCHED, known: tuple[int, ...] = (), variant: Variant = STANDARD
) -> PublishedReplay:
    """Replay a game's transcript as far as it is legal; ``searched``: number of empty squares from which moves are
    evaluated, under the rules of Othello. ``known``: scores of its last positions that were proved before, the last
    position first.
    """
    start = Position.start(variant)
    try:
        moves = parse_transcript(game.transcript or "", start.geometry)
    except BoardError as error:
        problem = say("The transcript cannot be read: {text}", text=error)
        return PublishedReplay(start.cells(), (), {}, game.transcript or "", None, (problem,))
    played, boards, illegal = _replay(moves, start)
    position = boards[-1] if boards else start
    played, empties = _with_best_play(played, boards, searched if start.rules.are_othello else -1, known)
    problems = [illegal] if illegal else _card_problems(game, position, len(played))
    numbers = {ply.move: (ply.number, ply.by) for ply in played if ply.move}
    text, opening = format_transcript(moves, passes=False), recognise(moves, start)
    return PublishedReplay(start.cells(), tuple(played), numbers, text, opening, tuple(problems), empties)


def boards_of(transcript: str) -> list[Position]:
    """Return the positions of a game, after each move or pass, as far as they are legal."""
    try:
        return _replay(parse_transcript(transcript), Position.start())[1]
    except BoardError:
        return []


def opening_of(game: Game, variant: Variant) -> Opening | None:
    """Return the opening of a game that has a transcript; openings have names in games from the usual start only."""
    try:
        return recognise(parse_transcript(game.transcript or "", variant.geometry), Position.start(variant))
    except BoardError:
        return None


def _replay(moves: list[str | None], start: Position) -> tuple[list[Ply], list[Position], Text | None]:
    played: list[Ply] = []
    boards: list[Position] = []
    before, number, illegal = start, 0, None
    try:
        for move, after in plies(moves, start):
            turned: tuple[str, ...] = ()
            if move is not None:
                number += 1
                turned = before.geometry.names(before.flips(before.geometry.square(move)))
            counts = after.count(Color.BLACK), after.count(Color.WHITE)
            played.append(Ply(number, before.to_move, move, turned, after.cells(), *counts))
            boards.append(after)
            before = after
    except IllegalMove as error:
        at = error.ply or len(moves)
        move = moves[at - 1] if at <= len(moves) else None
        illegal = say(
            "Move {ply}, {move}, is not possible by the rules; the boards end before it.",
            ply=number + 1,
            move=move or "--",
        )
    return played, boards, illegal


def _with_best_play(
    played: list[Ply], boards: list[Position], searched: int, known: tuple[int, ...]
) -> tuple[list[Ply], int]:
    """Return the plies with Black's score after best play and each move's loss; and the number of empty squares from
    which they are known.
    """
    first = next((at for at, board in enumerate(boards) if board.empty.bit_count() <= searched), len(boards))
    proved = values(boards[first:]) if len(known) < len(boards) - first else list(reversed(known))
    first = len(boards) - len(proved)
    scores = [
        score if board.to_move is Color.BLACK else -score for board, score in zip(boards[first:], proved, strict=True)
    ]
    evaluated = played[: first + 1]  # the first of them only serves as a comparison for the next
    for ply, before, best in zip(played[first + 1 :], scores, scores[1:], strict=False):
        lost = before - best if ply.by is Color.BLACK else best - before
        evaluated.append(replace(ply, best=best, lost=max(0, lost)))
    return evaluated, boards[first].empty.bit_count() if scores else 0


def _card_problems(game: Game, final: Position, count: int) -> list[Text]:
    if not final.is_over:
        if game.end in _CUT_SHORT:
            return []
        return [say("The transcript ends after {plies} moves, before the game was over.", plies=count)]
    if game.end not in (EndReason.NORMAL, None) or game.black_discs is None or game.white_discs is None:
        return []
    black, white = final.final_score()
    if (black, white) == (game.black_discs, game.white_discs):
        return []
    return [
        say(
            "The moves end {of_moves}, the result card says {of_card}.",
            of_moves=f"{black}–{white}",
            of_card=f"{game.black_discs}–{game.white_discs}",
        )
    ]


def best_play_curve(played: tuple[Ply, ...]) -> str:
    """Return the score after best play from each position, where searched, on the same picture as
    ``disc_difference_curve``."""
    return _points(played, ((at, ply.best) for at, ply in enumerate(played, start=1) if ply.best is not None))


def disc_difference_curve(played: tuple[Ply, ...]) -> str:
    """Return the disc difference after each ply as the points of an SVG line, 60 wide, all discs White's at the bottom
    of 32."""
    curve = _points(played, ((at, ply.black - ply.white) for at, ply in enumerate(played, start=1)))
    return f"0,16 {curve}" if played else ""


def _points(played: tuple[Ply, ...], values: Iterable[tuple[int, int]]) -> str:
    width = max(len(played), 60)
    return " ".join(f"{60 * at / width:.2f},{16 - 16 * ahead / len(played[0].cells):.2f}" for at, ahead in values)
