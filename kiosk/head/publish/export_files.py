"""Files for other programs: event file, CSV, .ELO, PAPP, transcripts, GGF, WTHOR.

``kiosk.records`` writes the formats; this module only selects their content. A format that cannot represent an event or
a game is reported, and the others are not affected.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.board.errors import BoardError
from engine.board.ggf import can_be_written
from engine.board.position import Position
from engine.board.variants import STANDARD
from engine.i18n import LocalizedError
from engine.tournament import TournamentError
from kiosk.head.publish.published_event import Book, PublishedDivision
from kiosk.head.publish.results_article import Block, article_of, as_markdown, as_text
from kiosk.locale import Lang
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


def _event(extension: str, division: PublishedDivision) -> bytes:
    return event_file_formats_and_csv.WRITERS[extension](division.event).encode()


def _games(extension: str, division: PublishedDivision) -> bytes:
    return WRITERS[extension](game_records(division.event)).encode()


def _wthor(division: PublishedDivision) -> bytes:
    """Return a zip with the games and the names: a .wtb alone has only numbers for names."""
    packed = io.BytesIO()
    files = wthor_files(Path(division.key + ".wtb"), game_records(division.event, latin=True))
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path.name), data)
    return packed.getvalue()


_TEXT = "text/plain; charset=utf-8"
#: ending of an announcement's file -> its renderer
ARTICLES: dict[str, Callable[[Sequence[Block]], str]] = {"md": as_markdown, "txt": as_text}
#: kind -> ending of the file's name, MIME type, writer; in the order of the list on a page
KINDS: dict[str, tuple[str, str, Callable[[PublishedDivision], bytes]]] = {
    "json": (".json", "application/json", partial(_event, ".json")),
    "csv": (".csv", "text/csv; charset=utf-8", partial(_event, ".csv")),
    "sheet": (
        "-sheet.xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        lambda division: write_sheet(division.event),
    ),
    "elo": (".ELO", _TEXT, lambda division: write_elo(division.event, EloHeader(title=division.title[1])).encode()),
    "papp": ("-papp-internal-workfile.txt", _TEXT, lambda division: write_work_file(division.event).encode()),
    "players": ("-joueurs.txt", _TEXT, lambda division: write_work_players(division.event).encode()),
    "txt": ("-games.txt", _TEXT, partial(_games, ".txt")),
    "ggf": (".ggf", _TEXT, partial(_games, ".ggf")),
    "pgn": (".pgn", _TEXT, partial(_games, ".pgn")),
    "wtb": ("-wthor.zip", "application/zip", _wthor),
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


def name_of(division: PublishedDivision, kind: str) -> str:
    """Return the name of a division's file."""
    return division.key + KINDS[kind][0]


def file_of(division: PublishedDivision, kind: str) -> ExportFile:
    """Return one file of a division.

    :raises ExportError: the format cannot represent it. :raises KeyError: there is no such kind.
    """
    ending, media, write = KINDS[kind]
    try:
        return ExportFile(name_of(division, kind), media, write(division))
    except (BoardError, TournamentError, EloError) as error:
        raise ExportError.saying("{key}{ending}: {error}", key=division.key, ending=ending, error=error) from error


def article_file(name: str, ending: str, book: Book, lang: Lang) -> ExportFile:
    """Return a file of the announcement."""
    return ExportFile(name, _TEXT, ARTICLES[ending](article_of(book, lang)).encode())
