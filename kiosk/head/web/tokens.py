"""What the QR codes on paper stand for; ``Access.token`` makes the code of it that nobody guesses."""

from __future__ import annotations


def of_game(game: str) -> str:
    """On a slip."""
    return f"game {game}"


def of_player(division: str, player: str) -> str:
    """On a badge."""
    return f"player {division} {player}"
