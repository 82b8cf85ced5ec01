"""Readers, writers and converters of game files, selected by file extension.

A file is converted completely or not at all; an error names file, record, byte and reason. From a format to itself
everything the format can hold is kept; between formats, start, moves, names, event, date and result are kept as far as
the target can hold them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

from engine.board.errors import BadRecord, BoardError
from engine.board.ggf import GgfGame, read_ggf, write_ggf
from engine.board.obf_positions import ObfPosition, read_obf, write_obf
from engine.board.pgn import TAGS, PgnGame, read_pgn, write_pgn
from engine.board.position import Position
from engine.board.transcript import byte_at, format_transcript, parse_transcript, plies
from engine.board.variants import STANDARD
from engine.board.wthor import (
    NameKind,
    WthorFile,
    WthorGame,
    WthorNames,
    assign_numbers,
    date_bytes,
    read_names,
    read_wthor,
    write_names,
    write_wthor,
)
from engine.i18n import raised_as, reason_of, say, text_of
from kiosk.errors import UNREADABLE, InputError
from kiosk.records.event_file_formats_and_csv import csv_text, plain_text

_T = TypeVar("_T")
_COLUMNS = ("event", "date", "black", "white", "black_discs", "transcript")


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game in any format. ``moves`` may leave passes out; ``black_discs``: Black's final score, None if unknown.
    ``spent_ms``: the time of each turn, passes too; empty: unknown.
    """

    start: Position
    moves: tuple[str | None, ...] = ()
    event: str = ""
    date: str = ""
    black: str = ""
    white: str = ""
    black_discs: int | None = None
    round: str = ""
    spent_ms: tuple[int, ...] = ()


def convert_games(source: Path, target: Path) -> dict[str, int]:
    """Convert a file of games and return their number: ``{"games": 12}``. For a ``.wtb`` target, ``.jou`` and ``.trn``
    files with the names are written beside it.

    :raises InputError: if a file cannot be read or written, with file, record, byte and reason.
    """
    for path in (source, target):
        if path.suffix.lower() not in (".wtb", *READERS):
            known = ", ".join((".wtb", *READERS))
            raise InputError.saying("{path} is no file of games; they end in {known}", path=path, known=known)
    try:
        data = source.read_bytes()
        files, count = _convert(source, target, data)
    except OSError as error:
        raise InputError(UNREADABLE(path=error.filename, why=reason_of(error))) from None
    except BoardError as error:
        raise InputError(text_of(error)) from None
    for path, content in files.items():
        with raised_as(InputError, say("cannot write {path}: {why}; choose another path", path=path), OSError):
            path.write_bytes(content)
    return {"games": count}


def _convert(source: Path, target: Path, data: bytes) -> tuple[dict[Path, bytes], int]:
    kind = source.suffix.lower()
    if kind == target.suffix.lower() and (copied := _of(source, lambda: _lossless_copy(kind, data))):
        return {target: copied[0]}, copied[1]
    games = read_games(source, data)
    if target.suffix.lower() == ".wtb":
        kinds = (NameKind.PLAYERS, NameKind.TOURNAMENTS) if target.parent.is_dir() else ()
        beside = [_names_beside(target, kind) for kind in kinds]
        return _of(target, lambda: wthor_files(target, games, *beside)), len(games)
    return {target: _of(target, lambda: WRITERS[target.suffix.lower()](games)).encode()}, len(games)


def _lossless_copy(kind: str, data: bytes) -> tuple[bytes, int] | None:
    """Return a file in its own format with everything that the format can hold, and the number of its records; None: a
    format that ``GameRecord`` holds completely."""
    match kind:
        case ".wtb":
            file = read_wthor(data)
            return write_wthor(file), len(file.games)
        case ".ggf":
            games = list(read_ggf(_text(data)))
            return write_ggf(games).encode(), len(games)
        case ".obf":
            positions = list(read_obf(_text(data)))
            return write_obf(positions).encode(), len(positions)
        case _:
            return None


def read_games(path: Path, data: bytes | None = None) -> list[GameRecord]:
    """Return the games of a file.

    :raises BadRecord: with file, record, byte and reason.
    """
    content = path.read_bytes() if data is None else data
    if path.suffix.lower() == ".wtb":
        return _of(path, lambda: _read_wtb(path, content))
    return _of(path, lambda: READERS[path.suffix.lower()](_text(content)))


def _of(path: Path, work: Callable[[], _T]) -> _T:
    try:
        return work()
    except BadRecord as error:
        raise error.within(file=error.file or str(path)) from None


def _text(data: bytes) -> str:
    """Return the text of a file; spaces replace the Windows byte order mark, so that byte positions stay correct."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise BadRecord(say("this is not UTF-8 text"), byte=error.start) from None
    return "   " + text[1:] if text.startswith("\ufeff") else text


# WTHOR


def _read_wtb(path: Path, data: bytes) -> list[GameRecord]:
    file = read_wthor(data)
    players, events = _names_beside(path, NameKind.PLAYERS), _names_beside(path, NameKind.TOURNAMENTS)
    start = Position.start()
    return [
        GameRecord(
            start,
            game.moves,
            _name(events, game.tournament),
            str(file.year or ""),
            _name(players, game.black),
            _name(players, game.white),
            game.black_discs,
        )
        for game in file.games
    ]


def _names_beside(path: Path, kind: NameKind) -> tuple[str, ...]:
    """Return the names in ``games.jou`` or ``WTHOR.JOU`` (``.trn``) in the folder of ``games.wtb``; empty if there is
    no such file.
    """
    suffix = ".jou" if kind is NameKind.PLAYERS else ".trn"
    wanted = [(stem.lower(), suffix) for stem in (path.stem, "WTHOR")]
    beside = {(file.stem.lower(), file.suffix.lower()): file for file in path.resolve().parent.iterdir()}
    found = next((beside[key] for key in wanted if key in beside), None)
    return () if found is None else _of(found, lambda: read_names(found.read_bytes(), kind).names)


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) else ""


def wthor_files(
    path: Path, games: Sequence[GameRecord], people: Sequence[str] = (), tournaments: Sequence[str] = ()
) -> dict[Path, bytes]:
    """Return the files of the games and of their names in ``.jou`` and ``.trn``. Names in ``people`` and
    ``tournaments`` keep their numbers.
    """
    today = date.today()
    stamp = date_bytes(today.year, today.month, today.day)
    players = assign_numbers(people, (name for game in games for name in (game.black, game.white)))
    events = assign_numbers(tournaments, (game.event for game in games))
    years = {found[0] for game in games if (found := re.match("[0-9]{4}", game.date))}
    if len(years) > 1:
        raise BadRecord(
            say("a .wtb file is of one year, and these games are of {years}", years=", ".join(sorted(years)))
        )
    records = []
    for number, game in enumerate(games, start=1):
        moves, discs = _for_wthor(game, number)
        ids = events[game.event], players[game.black], players[game.white]
        records.append(WthorGame(*ids, discs, discs, moves))
    year = int(years.pop()) if years else today.year
    files = {path: write_wthor(WthorFile(stamp, year, tuple(records)))}
    for suffix, kind, held, numbers in (
        (".jou", NameKind.PLAYERS, people, players),
        (".trn", NameKind.TOURNAMENTS, tournaments, events),
    ):
        if any(numbers):
            new = (name for name, number in numbers.items() if number >= len(held))
            files[path.with_suffix(suffix)] = write_names(WthorNames(stamp, (*held, *new)), kind)
    return files


def _for_wthor(game: GameRecord, number: int) -> tuple[tuple[str, ...], int]:
    if game.start != Position.start():
        raise BadRecord(say("WTHOR has only games from the usual set-up"), record=number)
    end = _plies(game, number)[-1][1] if game.moves else game.start
    if game.black_discs is None and not end.is_over:
        raise BadRecord(say("the game is not over; WTHOR needs Black's final score"), record=number)
    discs = end.final_score()[0] if game.black_discs is None else game.black_discs
    return tuple(move for move in game.moves if move), discs


def _plies(game: GameRecord, number: int) -> list[tuple[str | None, Position]]:
    try:
        return list(plies(game.moves, game.start))
    except BoardError as error:
        raise BadRecord(text_of(error), record=number) from None



# GGF

#: characters that end a property, a game or a line in some reader
_GGF_SIGNS, _GGF_TEXT = str.maketrans("[]\\;", "()/,"), re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


def _from_ggf(game: GgfGame) -> GameRecord:
    difference, size = game.difference, game.start.geometry.size
    discs = None if difference is None or (size + difference) % 2 else (size + difference) // 2
    event, day, black, white = (game.tag(name) or "" for name in ("PC", "DT", "PB", "PW"))
    return GameRecord(game.start, game.moves, event, day, black, white, discs)


def ggf_text(games: Iterable[GameRecord]) -> str:
    """Return the games as GGF.

    :raises BadRecord: a game does not fit into the format.
    """
    return write_ggf(_to_ggf(game, number) for number, game in enumerate(games, start=1))


def _to_ggf(game: GameRecord, number: int) -> GgfGame:
    size = game.start.geometry
    result = "?" if game.black_discs is None else f"{2 * game.black_discs - size.size:+}"
    named = (("PC", game.event), ("DT", game.date), ("PB", game.black), ("PW", game.white))
    tags = tuple((name, _GGF_TEXT.sub(" ", value.translate(_GGF_SIGNS))) for name, value in named)
    moves = tuple(move for move, _ in _plies(game, number))
    notes = tuple(f"//{ms / 1000:.2f}" for ms in game.spent_ms) if len(game.spent_ms) == len(moves) else ()
    return GgfGame(game.start, moves, (*tags, ("RE", result), ("TY", str(size.columns))), notes)


# PGN


def _from_pgn(game: PgnGame) -> GameRecord:
    event, day, round_, black, white, result = map(game.tag, TAGS)
    score = re.fullmatch(r"(\d{1,2})-\d{1,2}", result)
    discs = int(score[1]) if score else None
    return GameRecord(Position.start(), game.moves, event, day.replace(".", "-"), black, white, discs, round_)


def pgn_text(games: Iterable[GameRecord]) -> str:
    """Return the games as PGN.

    :raises BadRecord: a game does not fit into the format.
    """
    return write_pgn(_to_pgn(game, number) for number, game in enumerate(games, start=1))


def _to_pgn(game: GameRecord, number: int) -> PgnGame:
    if game.start != Position.start():
        raise BadRecord(say("PGN has only games from the usual set-up"), record=number)
    result = "*" if game.black_discs is None else f"{game.black_discs}-{STANDARD.total - game.black_discs}"
    day = game.date.replace("-", ".") or "????.??.??"
    tags = (game.event or "?", day, game.round or "?", game.black or "?", game.white or "?", result)
    moves = tuple(move for move, _ in _plies(game, number))
    return PgnGame(moves, tuple(zip(TAGS, tags, strict=True)))


# transcripts, one per line


def _read_txt(text: str) -> list[GameRecord]:
    start, begin, games = Position.start(), 0, []
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            moves = parse_transcript(line)
        except BadRecord as error:
            raise error.within(record=number, start=byte_at(text, begin)) from None
        if moves:
            games.append(GameRecord(start, tuple(moves)))
        begin += len(line) + 1
    return games


def _write_txt(games: Sequence[GameRecord]) -> str:
    return "".join(_transcript(game, number) + "\n" for number, game in enumerate(games, start=1))


def _transcript(game: GameRecord, number: int) -> str:
    if game.start != Position.start():
        raise BadRecord(say("a transcript begins from the usual set-up, this game does not"), record=number)
    return format_transcript(game.moves, passes=False)


# OBF


def _write_obf(games: Sequence[GameRecord]) -> str:
    for number, game in enumerate(games, start=1):
        if game.moves:
            raise BadRecord(say("OBF holds positions, and this record is a game with moves"), record=number)
    return write_obf(ObfPosition(game.start) for game in games)


# CSV


def _read_csv(text: str) -> list[GameRecord]:
    rows = csv.reader(io.StringIO(text.lstrip(), newline=""), strict=True)
    try:
        head = next(rows, [])
        if tuple(head) != _COLUMNS:
            raise BadRecord(say("the first line is not {columns}", columns=",".join(_COLUMNS)), record=1, byte=0)
        games = [_from_row([plain_text(cell) for cell in row], rows.line_num) for row in rows if row]
    except csv.Error as error:
        raise BadRecord(say("this is no CSV: {why}", why=error), record=rows.line_num) from None
    return games


def _from_row(row: list[str], number: int) -> GameRecord:
    if len(row) != len(_COLUMNS):
        raise BadRecord(say("a line has {n} columns, this one {here}", n=len(_COLUMNS), here=len(row)), record=number)
    event, day, black, white, discs, transcript = row
    if discs and not (discs.isascii() and discs.isdigit() and int(discs[:3]) <= STANDARD.total and len(discs) < 4):
        text = say("black_discs is {discs}; it is a number up to {total}, or empty")
        raise BadRecord(text(discs=repr(discs), total=STANDARD.total), record=number)
    try:
        moves = tuple(parse_transcript(transcript))
    except BadRecord as error:
        raise BadRecord(say("transcript: {why}", why=error), record=number) from None
    return GameRecord(Position.start(), moves, event, day, black, white, int(discs) if discs else None)


def _write_csv(games: Sequence[GameRecord]) -> str:
    rows: list[Sequence[object]] = [_COLUMNS]
    for number, game in enumerate(games, start=1):
        discs = "" if game.black_discs is None else game.black_discs
        rows.append((game.event, game.date, game.black, game.white, discs, _transcript(game, number)))
    return csv_text(rows)


#: extension -> reader of a text
READERS: dict[str, Callable[[str], list[GameRecord]]] = {
    ".ggf": lambda text: list(map(_from_ggf, read_ggf(text))),
    ".pgn": lambda text: list(map(_from_pgn, read_pgn(text.lstrip()))),
    ".txt": _read_txt,
    ".obf": lambda text: [GameRecord(entry.position) for entry in read_obf(text)],
    ".csv": _read_csv,
}
#: extension -> writer of a text
WRITERS: dict[str, Callable[[Sequence[GameRecord]], str]] = {
    ".ggf": ggf_text,
    ".pgn": pgn_text,
    ".txt": _write_txt,
    ".obf": _write_obf,
    ".csv": _write_csv,
}
