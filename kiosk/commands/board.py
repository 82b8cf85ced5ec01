"""``kiosk check``, ``kiosk replay`` and ``kiosk perft``: the rules of the board, for scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from engine.board.color import Color
from engine.board.diagnosis import Finding, diagnose
from engine.board.errors import BadBoard, BoardError, IllegalMove, UnknownVariant
from engine.board.ggf import read_ggf
from engine.board.perft import perft as count_leaves
from engine.board.position import Position
from engine.board.transcript import parse_transcript, plies
from engine.board.wthor import read_wtb
from engine.text import say, text_of
from kiosk.commands.output import as_json_option, tell
from kiosk.errors import UnusableInput
from kiosk.locale import both

#: From this depth on a perft takes longer than the import of numpy.
_WORTH_NUMPY = 8

_variant = click.option("--variant", default="8x8", show_default=True, help="Board and set-up.")


# A board string may begin with '-', so an unknown "option" is taken as an argument.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("before")
@click.argument("after")
@click.option("--to-move", type=click.Choice([str(color) for color in Color]), required=True, help="Who moved.")
@_variant
@as_json_option
def check(before: str, after: str, to_move: str, variant: str, as_json: bool) -> None:
    """Say what is wrong with the move that turned BEFORE into AFTER.

    A board is 64 characters, rows 1 to 8, columns a to h: X black, O white, - empty; in AFTER also ? for a square
    that could not be read. Where accounts of the board are equally likely, the others are listed as "ties"; where
    squares were not read, "deciding" has those that could change the answer and "possible" the moves that fit.
    """
    try:
        position = Position.from_cells(before, Color(to_move), variant)
    except BadBoard as error:
        raise UnusableInput(say("BEFORE: {why}", why=error)) from None
    except UnknownVariant as error:
        raise UnusableInput(text_of(error)) from None
    try:
        diagnosis = diagnose(position, after)
    except BadBoard as error:
        raise UnusableInput(say("AFTER: {why}", why=error)) from None
    if as_json:
        fields = asdict(diagnosis) | {
            "findings": _plain(diagnosis.findings),
            "ties": [asdict(tie) | {"findings": _plain(tie.findings)} for tie in diagnosis.ties],
        }
        for extra in ("ties", "deciding", "possible"):
            if not fields[extra]:
                del fields[extra]
        click.echo(json.dumps(fields, ensure_ascii=False))
        return
    move = f" {diagnosis.move}" if diagnosis.move else ""
    turned = f" ({' '.join(diagnosis.flipped)})" if diagnosis.flipped else ""
    click.echo(f"{diagnosis.verdict}{move}{turned}")
    for finding in diagnosis.findings:
        click.echo(f"{finding.kind} {both(finding.text)}")
    for tie in diagnosis.ties:
        click.echo("or: " + "; ".join(f"{finding.kind} {both(finding.text)}" for finding in tie.findings))
    if diagnosis.deciding:
        click.echo(f"{both(say('not read, and may decide'))}: {' '.join(diagnosis.deciding)}")
    if diagnosis.possible:
        moves = " ".join(move or both(say("no move")) for move in diagnosis.possible)
        click.echo(f"{both(say('fits what was read'))}: {moves}")


def _plain(findings: Sequence[Finding]) -> list[dict[str, object]]:
    return [asdict(finding) | {"text": both(finding.text)} for finding in findings]


@click.command()
@click.argument("depth", type=click.IntRange(min=0))
@_variant
@as_json_option
def perft(depth: int, variant: str, as_json: bool) -> None:
    """Count the lines of DEPTH plies from the start; a pass is a ply, a finished game one leaf."""
    try:
        position = Position.start(variant)
    except UnknownVariant as error:
        raise UnusableInput(text_of(error)) from None
    began = perf_counter()
    leaves = _leaves(position, depth)
    seconds = round(perf_counter() - began, 3)
    if as_json:
        click.echo(json.dumps({"variant": variant, "depth": depth, "leaves": leaves, "seconds": seconds}))
    else:
        tell(
            say(
                "{variant}, depth {depth}: {leaves} leaves in {seconds} s",
                variant=variant,
                depth=depth,
                leaves=leaves,
                seconds=seconds,
            )
        )


def _leaves(position: Position, depth: int) -> int:
    if depth >= _WORTH_NUMPY:
        from engine.board import breadth

        if breadth.can_count(position):
            return breadth.perft(position, depth)
    return count_leaves(position, depth)


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@as_json_option
def replay(files: tuple[Path, ...], as_json: bool) -> None:
    """Verify the games of FILES: WTHOR (.wtb), GGF (.ggf), transcripts (.txt, one a line)."""
    began = perf_counter()
    tally = Tally()
    for path in files:
        if path.suffix.lower() != ".wtb" or not tally.add_wthor(path):
            for number, game in _games(path):
                tally.add(path.name, number, game)
    seconds = round(perf_counter() - began, 3)
    if as_json:
        click.echo(json.dumps({**asdict(tally), "seconds": seconds}, ensure_ascii=False))
        return
    tell(
        say(
            "{games} games, {moves} moves, {illegal} illegal, {unfinished} unfinished, {score_mismatches} "
            "score mismatches, {seconds} s",
            games=tally.games,
            moves=tally.moves,
            illegal=tally.illegal,
            unfinished=tally.unfinished,
            score_mismatches=tally.score_mismatches,
            seconds=seconds,
        )
    )
    for problem in tally.problems:
        click.echo("{file}, game {game}: {text}".format_map(problem))


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game as some file has it; ``difference`` is Black's score less White's, None if the file does not say."""

    start: Position
    moves: Sequence[str | None]
    difference: int | None = None


@dataclass(slots=True)
class Tally:
    """The counts of ``kiosk replay``. A game with an illegal move ends there and is in no other count."""

    games: int = 0
    moves: int = 0
    illegal: int = 0
    unfinished: int = 0
    score_mismatches: int = 0
    problems: list[dict[str, Any]] = field(default_factory=list)

    def add(self, file: str, number: int, game: RecordedGame) -> None:
        """Replays one game; ``number`` is its place in the file, from 1."""
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

    def add_wthor(self, path: Path) -> bool:
        """Replays a whole ``.wtb`` file at once; False if it is not in order. Games with something to report go the
        plain way."""
        from engine.board import bulk

        columns = bulk.wtb_columns(path.read_bytes())
        if columns is None:
            return False
        moves, black_discs = columns
        replays = bulk.replay(moves)
        suspect = (replays.illegal > 0) | (replays.is_over & (replays.black != black_discs))
        self.games += int((~suspect).sum())
        self.moves += int(replays.moves[~suspect].sum())
        self.unfinished += int((~suspect & ~replays.is_over).sum())
        if suspect.any():
            for number, game in _games(path):
                if suspect[number - 1]:
                    self.add(path.name, number, game)
        return True

    def _report(self, file: str, number: int, ply: int | None, text: str) -> None:
        self.problems.append({"file": file, "game": number, "ply": ply, "text": text})


def _games(path: Path) -> Iterator[tuple[int, RecordedGame]]:
    """The games of a file by its extension, numbered from 1."""
    readers = {".wtb": _wthor, ".ggf": _ggf, ".txt": _transcripts}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise UnusableInput(say("{path}: only {known} files can be replayed", path=path, known=", ".join(readers)))
    try:
        yield from enumerate(reader(path), start=1)
    except UnicodeDecodeError as error:
        raise UnusableInput(say("{path}: byte {start} is not UTF-8 text", path=path, start=error.start)) from None
    except BoardError as error:
        raise UnusableInput(say("{path}: {why}", path=path, why=error)) from None


def _wthor(path: Path) -> Iterator[RecordedGame]:
    start = Position.start()
    for game in read_wtb(path.read_bytes()):
        yield RecordedGame(start, game.moves, 2 * game.black_discs - start.geometry.size)


def _ggf(path: Path) -> Iterator[RecordedGame]:
    for game in read_ggf(path.read_text(encoding="utf-8-sig")):
        yield RecordedGame(game.start, game.moves, game.difference)


def _transcripts(path: Path) -> Iterator[RecordedGame]:
    start = Position.start()
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        try:
            moves = parse_transcript(line)
        except BoardError as error:
            raise UnusableInput(say("{path}: line {number}, {why}", path=path, number=number, why=error)) from None
        if moves:
            yield RecordedGame(start, moves)
