"""Whole events with transcripts: every game is a random legal game with a matching card."""

from __future__ import annotations

import random
from typing import Any

from events.random_events import Json, event_of, play_round

from engine.board.position import Position
from engine.board.transcript import format_transcript
from engine.tournament import is_over
from kiosk.records.event_file import from_dict

NAMES = (
    "青木 みどり", "Beatrix Lund", "千葉 海斗", "Dario Fenn", "遠藤 さくら", "Farid Oster", "後藤 大和", "Hanne Quill",
    "石田 結衣", "Jonas Marr", "加藤 隼人", "Lena Vögt", "森 千尋", "Nils Orre", "小川 拓海", "Petra Sund",
)  # fmt: skip


def random_game(rng: random.Random) -> tuple[str, int, int]:
    """Return a transcript without passes, and the final score."""
    position, moves = Position.start(), []
    while not position.is_over:
        if position.must_pass:
            position = position.pass_turn()
            continue
        legal = position.legal_moves()
        square = rng.choice([square for square in position.geometry.squares if legal >> square & 1])
        moves.append(position.geometry.name(square))
        position = position.play(square)
    return format_transcript(moves, passes=False), *position.final_score()


def recorded_result(game: Json, rng: random.Random) -> Json:
    transcript, black, white = random_game(rng)
    winner = "black" if black > white else "white" if white > black else "draw"
    if winner == "draw" and game.get("designated") is False:
        winner = rng.choice(("black", "white"))
    return {
        "winner": winner, "black_discs": black, "white_discs": white, "end": "normal", "rated": True,
        "transcript": transcript,
    }  # fmt: skip


def recorded_event(format: str, players: int = 12, seed: int = 4, rounds: int = 4, **more: Any) -> Json:
    """Return an event of invented people with the transcripts of all its games."""
    rng = random.Random(seed)
    event = event_of(format, players, seed) | {"name": "春のオセロ大会 Spring Open", "date": "2031-04-05"} | more
    for number, player in enumerate(event["players"]):
        player |= {
            "name": NAMES[number % len(NAMES)],
            "grade": f"{number % 5 + 1}d",
            "birth_year": 1990 + 2 * (number % 16),
        }
        player |= {"club": f"Club {number}", "country": "JPN" if number % 2 else "SWE"}
    while len(event["rounds"]) < rounds and not is_over(from_dict(event)):
        play_round(event, rng, recorded_result)
    return event
