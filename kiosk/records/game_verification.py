"""Verification of recorded games for ``kiosk replay``: whether every move is legal and the final board matches the
record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from engine.board.errors import BoardError, IllegalMove
from engine.board.ggf import read_ggf
from engine.board.position import Position
from engine.board.transcript import parse_transcript, plies
from engine.board.variants import STANDARD
from engine.board.wthor import read_wtb
from engine.chouchou.errors import ChouChouError
from engine.chouchou.game_records_and_rule_check import RemarkKind, check_record, read_records
from engine.i18n import raised_as, say
from kiosk.errors import InputError
from kiosk.untrusted_file_sandbox import MOST_GAMES, check_size

#: extension of a file of ChouChou records (``engine.chouchou.game_records_and_rule_check``)
CHOUCHOU = ".chouchou"
#: characters of a file of transcripts that are split into lines at a time
_CHUNK = 1 << 16
#: the moves of many games, a row each, and Black's discs (``engine.board.batch_replay``, which is imported on demand)
_Columns: TypeAlias = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game of any file; ``difference`` is Black's score less White's, None if the file does not have it."""

    start: Position
    moves: Sequence[str | None]
    difference: int | None = None


@dataclass(slots=True)
class ReplayTally:
    """The counts of ``kiosk replay``. A game with an illegal move ends there and is in no other count."""

    games: int = 0
    moves: int = 0
    illegal: int = 0
    unfinished: int = 0
    score_mismatches: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[dict[str, Any]] | None = None  # of ChouChou: captures missed and penalties; None without such games

    def add_files(self, paths: Sequence[Path], variant: str = STANDARD.name) -> None:
        """Add files of games. Games of all valid ``.wtb`` files are replayed as one batch; those with a fault and all
        other games are replayed one by one. ``variant``: of the transcripts, which do not say it.

        :raises InputError: a file is not one of recorded games
        """
        start = Position.start(variant)
        for path in paths:
            if path.suffix.lower() == CHOUCHOU:
                self._add_chouchou(path)
        paths = [path for path in paths if path.suffix.lower() != CHOUCHOU]
        suspects = self._replay([_columns(path) for path in paths])
        for path, suspect in zip(paths, suspects, strict=True):
            if suspect is None or suspect.any():
                for number, game in _games(path, start):
                    if suspect is None or suspect[number - 1]:
                        self._add(path.name, number, game)

    def _add(self, file: str, number: int, game: RecordedGame) -> None:
        """Replay one game; ``number`` is its position in the file, from 1."""
        self.games += 1
        position = game.start
        try:
            for move, after in plies(game.moves, game.start):
                position = after
                self.moves += move is not None
        except IllegalMove as error:
            self.illegal += 1
            self._report(file, number, error.ply, str(error))
            return
        if not position.is_over:
            self.unfinished += 1
            return
        black, white = position.final_score()
        if game.difference is not None and game.difference != black - white:
            self.score_mismatches += 1
            text = f"the board ends {black}-{white}, the record says {game.difference:+} for black"
            self._report(file, number, len(game.moves), text)

    def _add_chouchou(self, path: Path) -> None:
        """Add a file of ChouChou records."""
        self.remarks = self.remarks or []
        try:
            for number, record in enumerate(read_records(_text(path)), start=1):
                checked = check_record(record)
                self.games += 1
                self.moves += len(checked.state.turns)
                for remark in checked.remarks:
                    problem = {"file": path.name, "game": number, "ply": remark.turn, "text": str(remark.text)}
                    if remark.kind is RemarkKind.ILLEGAL:
                        self.problems.append(problem)
                    else:
                        self.remarks.append({**problem, "kind": remark.kind.value, "cells": list(remark.cells)})
                if checked.illegal:
                    self.illegal += 1
                elif checked.state.result is None:
                    self.unfinished += 1
        except UnicodeDecodeError as error:
            raise InputError.saying("{path}: byte {start} is not UTF-8 text", path=path, start=error.start) from None
        except ChouChouError as error:
            raise InputError.saying("{path}: {why}", path=path, why=error) from None

    def _replay(self, files: Sequence[_Columns | None]) -> Sequence[Any]:
        """Replay the games of all files that have columns; return by file which games have something to report."""
        whole = [columns for columns in files if columns is not None]
        if not whole:
            return [None] * len(files)
        import numpy as np

        from engine.board import batch_replay

        moves, black_discs = (np.concatenate(column) for column in zip(*whole, strict=True))
        replays = batch_replay.replay(moves)
        suspect = (replays.illegal > 0) | (replays.is_over & (replays.black != black_discs))
        self.games += int((~suspect).sum())
        self.moves += int(replays.moves[~suspect].sum())
        self.unfinished += int((~suspect & ~replays.is_over).sum())
        parts = iter(np.split(suspect, np.cumsum([len(games) for games, _ in whole])))
        return [None if columns is None else next(parts) for columns in files]

    def _report(self, file: str, number: int, ply: int | None, text: str) -> None:
        self.problems.append({"file": file, "game": number, "ply": ply, "text": text})


def _columns(path: Path) -> _Columns | None:
    """Return the columns of a ``.wtb`` file for ``bulk``; None for another or an invalid file, or without NumPy."""
    if path.suffix.lower() != ".wtb" or not find_spec("numpy"):
        return None
    from engine.board import batch_replay

    return batch_replay.wtb_columns(check_size(path, MOST_GAMES).read_bytes())


def _games(path: Path, start: Position) -> Iterator[tuple[int, RecordedGame]]:
    """Return the games of a file by its extension, numbered from 1."""
    readers: dict[str, Callable[[Path], Iterator[RecordedGame]]] = {
        ".wtb": _wthor, ".ggf": _ggf, ".txt": partial(_transcripts, start=start)
    }  # fmt: skip
    reader = readers.get(path.suffix.lower())
    if reader is None:
        known = ", ".join((*readers, CHOUCHOU))
        raise InputError.saying("{path}: only {known} files can be replayed", path=path, known=known)
    try:
        yield from enumerate(reader(path), start=1)
    except UnicodeDecodeError as error:
        raise InputError.saying("{path}: byte {start} is not UTF-8 text", path=path, start=error.start) from None
    except BoardError as error:
        raise InputError.saying("{path}: {why}", path=path, why=error) from None


def _text(path: Path) -> str:
    return check_size(path, MOST_GAMES).read_text(encoding="utf-8-sig")


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text. Unlike ``splitlines``, it does not hold all of them at once."""
    at = 0
    while at < len(text):
        end = text.find("\n", at + _CHUNK) + 1 or len(text)
        yield from text[at:end].splitlines()
        at = end


def _wthor(path: Path) -> Iterator[RecordedGame]:
    start = Position.start()
    for game in read_wtb(check_size(path, MOST_GAMES).read_bytes()):
        yield RecordedGame(start, game.moves, 2 * game.black_discs - start.geometry.size)


def _ggf(path: Path) -> Iterator[RecordedGame]:
    for game in read_ggf(_text(path)):
        yield RecordedGame(game.start, game.moves, game.difference)


def _transcripts(path: Path, start: Position) -> Iterator[RecordedGame]:
    for number, line in enumerate(_lines(_text(path)), start=1):
        if not line or line.isspace():
            continue
        with raised_as(InputError, say("{path}: line {number}, {why}", path=path, number=number), BoardError):
            moves = parse_transcript(line, start.geometry)
        if moves:
            yield RecordedGame(start, moves)
