"""大会終了: builds all files of the event into one zip, in the background.

A file that a format refuses is left out and listed, with what to do about it; the others are not affected. The previous
zip stays until the new one is complete.
"""

from __future__ import annotations

import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from engine.board.errors import BoardError
from engine.board.ggf import can_be_written
from engine.board.position import Position
from engine.i18n import Text, say, say_n, text_of
from engine.tournament import Event, TournamentError
from kiosk.errors import InputError
from kiosk.head.backup.signed_backup_creation import BACKUP_FILE
from kiosk.head.desk import Desk
from kiosk.head.errors import Conflict, HeadError
from kiosk.head.event.pairings_standings_and_correction_impact import is_over
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.head.export.published_event_builder import public_book, rating_list_files, rating_list_header, staff_book
from kiosk.head.publish import lists_for_national_federation
from kiosk.head.publish.export_files import ExportError, ExportFile
from kiosk.head.publish.published_event import Book
from kiosk.head.publish.static_site import Site
from kiosk.head.store import StoredRecord
from kiosk.head.tables.game_turn_times import turn_times_by_game
from kiosk.locale import languages, render
from kiosk.records.elo_result_file_reader import EloError
from kiosk.records.elo_result_file_writer import UNTOLD, write_elo
from kiosk.records.event_file_formats_and_csv import WRITERS
from kiosk.records.event_game_records import game_records
from kiosk.records.game_file_formats import ggf_text

#: the zip in the head's data directory
FILE = "event.zip"
_README = say(
    "record: the pages of the event, for any web server; the announcement is record/files/article-ja.md and .txt.\n"
    "rating-list: for the world rating list. federation: the lists for the national federation.\n"
    "event: the event files. games: with the time of each move. "
    "backup: with it a spare machine becomes this head; it holds the keys of the tables. "
    "Publish the folder record alone: all others have names as entered.\n"
)


@dataclass(frozen=True, slots=True)
class ArchiveProgress:
    """Progress of the zip. ``done`` of ``of`` files; ``refused``: files that could not be made. ``file``: the zip once
    it is complete.
    """

    done: int = 0
    of: int = 0
    running: bool = False
    refused: tuple[Text, ...] = ()
    file: Path | None = None
    seconds: float = 0.0

    @property
    def kilobytes(self) -> int:
        return 0 if self.file is None else -(-self.file.stat().st_size // 1000)


def unfinished_items(hall: TournamentState) -> tuple[Text, ...]:
    """Return what is still unfinished in the event."""
    found = []
    if hall.divisions and not hall.title:
        found.append(say('the tournament has no name for certificates and files; enter it at "Add a division"'))
    for division in hall.divisions.values():
        left = sum(game.is_open for game in division.current)
        if left:
            text = say_n(
                '{division}: {n} game of round {round} has no result; type it in at "Results"',
                '{division}: {n} games of round {round} have no result; type them in at "Results"',
                left,
            )
            found.append(text(division=division.name, round=len(division.rounds)))
            continue
        try:
            if not is_over(division.whole()):
                found.append(say("{division}: rounds are left to be played", division=division.name))
        except TournamentError as error:
            text = say("{division}: it cannot be told whether rounds are left ({error})")
            found.append(text(division=division.name, error=error))
    return tuple(found)


class ArchiveBuilder:
    """Builder of the zip. ``records``: the tables' records; ``back_up`` writes a backup into a folder; ``changed`` is
    called when the progress changes.
    """

    def __init__(
        self,
        desk: Desk,
        folder: Path,
        records: Callable[[], Iterable[StoredRecord]],
        back_up: Callable[[Path], object],
        changed: Callable[[], None],
    ) -> None:
        self._desk, self._folder, self._back_up, self._changed = desk, folder, back_up, changed
        self._records = records
        self._lock = threading.Lock()
        made = folder / FILE
        self.progress = ArchiveProgress(file=made if made.is_file() else None)
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    def start(self) -> None:
        """Start building.

        :raises Conflict: it is running already. :raises HeadError: there is no event.
        """
        with self._lock:
            if self.progress.running:
                raise Conflict.saying("the files are being made already; wait for them")
            if not self._desk.state.divisions:
                raise HeadError.saying("no event was created yet")
            self.progress = replace(self.progress, running=True, done=0, of=0, refused=())
        self._thread = threading.Thread(target=self._run, name="head-closing", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Cancel the files that are not made yet."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _set_progress(self, now: ArchiveProgress) -> None:
        self.progress = now
        self._changed()

    def _run(self) -> None:
        began, whole = time.monotonic(), None
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            whole = self._make()
        except (HeadError, OSError, InputError) as error:
            self._refuse(say("the zip cannot be made ({error}); look at the disk", error=text_of(error)))
        finally:
            now = self.progress
            self._set_progress(replace(now, running=False, seconds=time.monotonic() - began, file=whole or now.file))

    def _make(self) -> Path | None:
        files = list(self._files_to_make())
        self._set_progress(replace(self.progress, of=len(files)))
        draft, top = self._folder / f"{FILE}.new", f"othello-{staff_book(self._desk).date}".rstrip("-")
        draft.touch(mode=0o600)
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
            for number, (path, write) in enumerate(files, start=1):
                if self._stopping.is_set():
                    return None
                try:
                    data = write()
                except (ExportError, BoardError, EloError, TournamentError, InputError, HeadError) as error:
                    self._refuse(say("{file} is missing: {error}", file=path, error=text_of(error)))
                else:
                    archive.writestr(zipfile.ZipInfo(f"{top}/{path}"), data, zipfile.ZIP_DEFLATED)
                if number % 10 == 0:
                    self._set_progress(replace(self.progress, done=number))
        draft.replace(self._folder / FILE)
        self._set_progress(replace(self.progress, done=len(files)))
        return self._folder / FILE

    def _refuse(self, why: Text) -> None:
        self._set_progress(replace(self.progress, refused=(*self.progress.refused, why)))

    def _files_to_make(self) -> Iterator[tuple[str, Callable[[], str | bytes]]]:
        """Yield each file's path in the zip, with the function that writes it."""
        state, spent = self._desk.state, turn_times_by_game(self._records())
        files = rating_list_files(state)
        yield "README.txt", lambda: "\n".join(render(_README, lang) for lang in languages())
        for division in state.divisions.values():
            event, slug = state.named_event(division), division.slug
            sending = rating_list_header(state, division, state.country or UNTOLD, state.sender or UNTOLD)
            yield f"rating-list/{files[slug]}", partial(write_elo, event, sending)
            yield f"event/{slug}.json", partial(WRITERS[".json"], event)
            recorded = any(game.transcript for round_ in event.rounds for game in round_.games)
            if recorded and can_be_written(Position.start(event.variant)):
                yield f"games/{slug}.ggf", partial(_games_with_times, division, event, spent)
        staff = staff_book(self._desk)
        for kind in lists_for_national_federation.KINDS:
            for lang in languages():
                yield f"federation/{kind}-{lang}.csv", partial(_list, staff, kind, lang)
        for path, make in Site(public_book(self._desk)).files.items():
            yield f"record/{path}", partial(_page, make)
        yield f"backup/{BACKUP_FILE}", self._backup

    def _backup(self) -> bytes:
        self._back_up(self._folder)
        file = self._folder / BACKUP_FILE
        data = file.read_bytes()
        file.unlink()
        return data


def _games_with_times(division: DivisionState, event: Event, spent: Mapping[str, tuple[int, ...]]) -> bytes:
    """Return the games of a division with the time of each turn."""
    times = {
        (number, at): spent[game.id]
        for number, games in enumerate(division.rounds, start=1)
        for at, game in enumerate((game for game in games if not game.is_bye), start=1)
        if game.id in spent
    }
    return ggf_text(game_records(event, times=times)).encode()


def _list(book: Book, kind: str, lang: str) -> str:
    return lists_for_national_federation.sheet_of(book, kind, lang).csv()


def _page(make: Callable[[], ExportFile]) -> bytes:
    return make().data
