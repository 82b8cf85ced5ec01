"""Game records of an event, for export to game files.

A game is included if it is finished, has a transcript, and its moves are legal; data without a place in game formats
stays in the event file.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count

from engine.board.errors import BoardError
from engine.board.position import Position
from engine.board.transcript import parse_transcript, plies
from engine.board.variants import STANDARD
from engine.tournament import Event
from engine.tournament.multi_game_matches import places_in_matches
from kiosk.records.game_file_formats import GameRecord
from kiosk.records.rating_list_numbers_and_names import latin_name

#: WTHOR and related formats hold 19 letters of a player's name and 25 of a tournament's
_PLAYER, _EVENT = 19, 25


def game_records(
    event: Event, *, latin: bool = False, times: Mapping[tuple[int, int], tuple[int, ...]] | None = None
) -> list[GameRecord]:
    """Return the games in the order they were played. ``latin``: names as files of ISO 8859-1 can hold them. ``times``:
    (round, game of the round from 1) -> milliseconds of its turns.
    """
    names = {player.id: player.name or player.id for player in event.players}
    title = event.name or ""
    if latin:
        names = {id: latin_name(name, id)[:_PLAYER] for id, name in names.items()}
        title = latin_name(event.name_en or title, event.date or "event")[:_EVENT]
    start, records = Position.start(event.variant), list[GameRecord]()
    if latin and event.variant != STANDARD:
        return records  # WTHOR has games on 8x8 from the usual start only
    numbered = [
        (round_.number, at, game, f"{round_.number}.{place}" if place else str(round_.number))
        for round_ in event.rounds
        for at, game, place in zip(count(1), round_.games, places_in_matches(event, round_.games), strict=False)
    ]
    for number, at, game, called in numbered:
        moves = _legal_moves(game.transcript, start)
        if moves is None or game.winner is None:
            continue
        over, score = moves[1].is_over, moves[1].final_score()
        discs = game.black_discs if game.black_discs is not None else score[0] if over else None
        if discs is None and latin:
            continue  # WTHOR needs a score, and M40 cards have none (M40-15.1)
        black, white = names[game.black], names[game.white]
        spent, day = (times or {}).get((number, at), ()), event.date or ""
        records.append(GameRecord(start, moves[0], title, day, black, white, discs, called, spent))
    return records


def _legal_moves(transcript: str | None, start: Position) -> tuple[tuple[str | None, ...], Position] | None:
    if not transcript:
        return None
    try:
        moves = tuple(parse_transcript(transcript, start.geometry))
        position = start
        for _, after in plies(moves, start):
            position = after
    except BoardError:
        return None
    return moves, position
