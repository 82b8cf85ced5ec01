"""Files for other programs: event file, CSV, .ELO, PAPP, transcripts, GGF, WTHOR.

``kiosk.records`` writes the formats; this module only selects their content. A format that cannot represent an event or
a game is reported, and the others are not affected.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.board.errors import BoardError
from engine.board.ggf import can_be_written
from engine.board.position import Position
from engine.board.variants import STANDARD
from engine.i18n import LocalizedError, say
from engine.tournament import TournamentError
from kiosk.head.publish.published_event import PublishedDivision
from kiosk.head.publish.results_article import Block, as_markdown, as_text
from kiosk.records import event_file_formats_and_csv
from kiosk.records.chouchou_score_sheet_workbook import write_sheet
from kiosk.records.elo_result_file_reader import EloError
from kiosk.records.elo_result_file_writer import EloHeader, rejection_reason, write_elo
from kiosk.records.event_game_records import game_records
from kiosk.records.game_file_formats import WRITERS, wthor_files
from kiosk.records.papp_files import write_work_file, write_work_players


@dataclass(frozen=True, slots=True)
class ExportFile:
    """A file for download. ``media``: its MIME type."""

    name: str
    media: str
    data: bytes


class ExportError(LocalizedError, ValueError):
    """The format cannot represent this event or its games; the message says why."""


_TEXT = "text/plain; charset=utf-8"
#: ending of an announcement's file -> its renderer
ARTICLES: dict[str, Callable[[Sequence[Block]], str]] = {"md": as_markdown, "txt": as_text}
#: kind -> (ending of the file's name, MIME type); in the order of the list on a page
KINDS: dict[str, tuple[str, str]] = {
    "json": (".json", "application/json"),
    "csv": (".csv", "text/csv; charset=utf-8"),
    "sheet": ("-sheet.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "elo": (".ELO", _TEXT),
    "papp": ("-papp-internal-workfile.txt", _TEXT),
    "players": ("-joueurs.txt", _TEXT),
    "txt": ("-games.txt", _TEXT),
    "ggf": (".ggf", _TEXT),
    "pgn": (".pgn", _TEXT),
    "wtb": ("-wthor.zip", "application/zip"),
}
_GAMES = frozenset({"txt", "ggf", "pgn", "wtb"})


def kinds_of(division: PublishedDivision) -> tuple[str, ...]:
    """Return the kinds that this division's event can be written as."""
    event = division.event
    # all other formats are for discs on 8x8 from the usual start; GGF is for any start on a square board
    kinds = set(KINDS) - {"sheet"} if event.total and event.variant == STANDARD else {"json", "csv"}
    if event.total is None:
        kinds.add("sheet")
    elif can_be_written(Position.start(event.variant)):
        kinds.add("ggf")
    if not division.recorded:
        kinds -= _GAMES
    if rejection_reason(event) is not None:
        kinds.discard("elo")
    return tuple(kind for kind in KINDS if kind in kinds)


def file_of(division: PublishedDivision, kind: str) -> ExportFile:
    """Return one file of a division.

    :raises ExportError: the format cannot represent it. :raises KeyError: there is no such kind.
    """
    ending, media = KINDS[kind]
    try:
        return ExportFile(division.key + ending, media, _WRITERS[kind](division))
    except (BoardError, TournamentError, EloError) as error:
        raise ExportError(say("{key}{ending}: {error}", key=division.key, ending=ending, error=error)) from error


def _event(extension: str) -> Callable[[PublishedDivision], bytes]:
    def write(division: PublishedDivision) -> bytes:
        return event_file_formats_and_csv.WRITERS[extension](division.event).encode()

    return write


def _games(extension: str) -> Callable[[PublishedDivision], bytes]:
    def write(division: PublishedDivision) -> bytes:
        return WRITERS[extension](game_records(division.event)).encode()

    return write


def _wthor(division: PublishedDivision) -> bytes:
    """Return a zip with the games and the names: a .wtb alone has only numbers for names."""
    packed = io.BytesIO()
    files = wthor_files(Path(division.key + ".wtb"), game_records(division.event, latin=True))
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path.name), data)
    return packed.getvalue()


_WRITERS: dict[str, Callable[[PublishedDivision], bytes]] = {
    "json": _event(".json"),
    "csv": _event(".csv"),
    "sheet": lambda division: write_sheet(division.event),
    "elo": lambda division: write_elo(division.event, EloHeader(title=division.title[1])).encode(),
    "papp": lambda division: write_work_file(division.event).encode(),
    "players": lambda division: write_work_players(division.event).encode(),
    "txt": _games(".txt"),
    "ggf": _games(".ggf"),
    "pgn": _games(".pgn"),
    "wtb": _wthor,
}
