"""Subjects of the QR codes on paper; ``Access.token`` turns them into codes that cannot be guessed."""

from __future__ import annotations


def game_subject(game: str) -> str:
    """Return the subject of the code on a slip."""
    return f"game {game}"


def player_subject(division: str, player: str) -> str:
    """Return the subject of the code on a badge."""
    return f"player {division} {player}"
