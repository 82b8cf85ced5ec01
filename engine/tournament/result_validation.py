"""Validation of game results: the disc counts of RULES.md 3.4 against winner and end.

A result that the rule books cannot produce is refused before any pairing uses it.
"""

from __future__ import annotations

from engine.end_reason import EndReason
from engine.i18n import Text, say
from engine.tournament.event_model import COLOURS, EventError, Game, Winner

#: ends in which the discs alone decide the winner
BY_DISCS = frozenset({EndReason.NORMAL, None})
#: the most captured pieces in ChouChou: a pair's count is that of both partners
MOST_CAPTURED = 200


def check_entry_result(total: int | None, game: Game, path: Text | str) -> None:
    """Check whether a game can have its result. ``total``: of the two counts; None for captured pieces.

    :raises EventError: with the path of the field; if ``path`` is a text that names the game, with that
    """
    most = MOST_CAPTURED if total is None else total
    for name, discs in (("black_discs", game.black_discs), ("white_discs", game.white_discs)):
        if discs is not None and not 0 <= discs <= most:
            raise EventError(
                say(
                    "{path}: {discs} discs; it must be from 0 to {most}",
                    path=_of(path, name),
                    discs=discs,
                    most=most,
                )
            )
    check_result(total, game, path)


def check_result(total: int | None, game: Game, path: Text | str) -> None:
    """Check that winner, discs and end agree (RULES.md 3.4, S1 to S16).

    :raises EventError: if they do not
    """
    _check_whole(game, path)
    if total is None:
        _check_captures(game, path)
        return
    black, white = game.black_discs, game.white_discs
    if game.winner in (None, Winner.NEITHER) or black is None or white is None:
        return  # only won, lost or drawn was recorded (M40-15.1)
    # M43-17, M43-18.5: the figures on a card always total the squares of the board
    if black + white != total:
        raise EventError(
            say(
                "{path} has {black}-{white} discs; the two counts must total {board}",
                path=path,
                black=black,
                white=white,
                board=total,
            )
        )
    if game.winner is Winner.DRAW:
        if black != white:
            raise EventError(
                say(
                    "{path}: a draw, but the discs are {black}-{white}; a draw is {half}-{half}",
                    path=_of(path, "winner"),
                    black=black,
                    white=white,
                    half=total // 2,
                )
            )
        return
    more = Winner.BLACK if black > white else Winner.WHITE
    # equal discs with a winner: a game with a draw right; after a flag or a ruling the winner may have fewer discs (S6)
    if game.end in BY_DISCS and black != white and more is not game.winner:
        raise EventError(
            say(
                "{path}: {winner} is the winner, but {more} has more discs ({black}-{white}); correct one of them, or "
                "say how the game ended",
                path=_of(path, "winner"),
                winner=COLOURS[game.winner],
                more=COLOURS[more],
                black=black,
                white=white,
            )
        )


def _check_captures(game: Game, path: Text | str) -> None:
    """Check a result of ChouChou, whose ``black_discs`` and ``white_discs`` are the pieces that the two captured; a
    pair can win with fewer pieces than its opponents (CC-WIN-4).
    """
    if game.winner is Winner.DRAW:
        raise EventError(
            say("{path}: a draw; ChouChou has no draws (CC-WIN-1), name the winner", path=_of(path, "winner"))
        )


def _check_whole(game: Game, path: Text | str) -> None:
    """Check that a result is complete or absent, and belongs to two players."""
    black, white = game.black_discs, game.white_discs
    if game.black == game.white:
        raise EventError(
            say("{path} pairs {black!r} with {black!r}; correct one of the two ids", path=path, black=game.black)
        )
    if game.end is EndReason.BYE:
        raise EventError(say("{path} is 'bye'; write a bye as {{\"bye\": id}}", path=_of(path, "end")))
    if (black is None) != (white is None):
        missing = "black_discs" if black is None else "white_discs"
        raise EventError(say("{path}: one of the two counts is missing; give both or none", path=_of(path, missing)))
    if game.winner is Winner.NEITHER and (
        game.end is not EndReason.FORFEIT or (black or 0, white or 0) != (0, 0) or game.rated
    ):
        raise EventError(
            say(
                "{path}: nobody won, which is a double forfeit: it ends as 'forfeit' with 0-0 discs and is not rated",
                path=_of(path, "winner"),
            )
        )
    if game.winner is None and (black is not None or game.end is not None):
        raise EventError(
            say(
                "{path}: the game has a result but no winner; give the winner, or remove the result",
                path=_of(path, "winner"),
            )
        )


def _of(path: Text | str, field: str) -> Text | str:
    """Return a path in a file extended by its field; a text that names the game is returned unchanged."""
    return f"{path}.{field}" if isinstance(path, str) else path
