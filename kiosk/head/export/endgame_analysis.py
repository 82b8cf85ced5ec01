"""Exact endgame analysis of all games, in the background after the event.

- Nothing is searched while a division plays. Another process searches one game at a time, each within a time limit, and
  it is stopped as soon as a round is to be played again.
- Proved scores are kept, however few, and written beside the store and into its backups, so that a later run continues
  with the games that are missing.
"""

from __future__ import annotations

import json
import multiprocessing
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

from engine.board.endgame_solver import MOST_EMPTIES, values_backwards
from engine.board.variants import STANDARD
from kiosk.head.backup.non_database_files_and_config_checks import ENDINGS
from kiosk.head.desk import Desk
from kiosk.head.desk.background_pairings_and_standings import init_worker_process
from kiosk.head.errors import Conflict
from kiosk.head.event.tournament_state import TournamentState
from kiosk.head.export.event_archive import unfinished_items
from kiosk.head.publish.game_positions_and_best_play import boards_of
from kiosk.platform_compat import lower_priority, write_secret

#: seconds for one game
BOX_S = 120.0
#: seconds between checks whether the search may continue
_LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class AnalysisProgress:
    """Progress of the analysis. ``done`` of ``of`` games; ``empties``: how far back the present one is proved.
    ``shallow``: how many finished games were not proved as far back as asked, for lack of time.
    """

    running: bool = False
    done: int = 0
    of: int = 0
    empties: int = 0
    shallow: int = 0
    refused: bool = False


class EndgameAnalyser:
    """The background analysis. ``changed`` is called when the progress changes; ``box_s``: seconds for one game;
    ``most``: number of empty squares from which positions are proved.
    """

    def __init__(
        self, desk: Desk, data: Path, changed: Callable[[], None], box_s: float = BOX_S, most: int = MOST_EMPTIES
    ) -> None:
        self._desk, self._file, self._changed = desk, data / ENDINGS, changed
        self._box_s, self._most = box_s, most
        self._lock, self._stopping = threading.Lock(), threading.Event()
        self._thread: threading.Thread | None = None
        self.progress = AnalysisProgress()
        desk.endings = _read(self._file)

    def start(self) -> None:
        """Start the analysis.

        :raises Conflict: it runs already, or an event is still being played.
        """
        with self._lock:
            if self.progress.running:
                raise Conflict.saying("the endings are being searched already; wait for them")
            if not self._desk.state.divisions or unfinished_items(self._desk.state):
                raise Conflict.saying("games are still to be played; the endings are searched when the event is over")
            self.progress = AnalysisProgress(running=True)
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, name="head-endings", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop it and keep what has been proved."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _set_progress(self, now: AnalysisProgress) -> None:
        self.progress = now
        self._changed()

    def _run(self) -> None:
        try:
            wanted = [one for one in _transcripts(self._desk.state) if one not in self._desk.endings]
            self._set_progress(replace(self.progress, of=len(wanted)))
            for number, transcript in enumerate(wanted, start=1):
                scores, whole = self._search(transcript)
                if scores is None:
                    return
                self._desk.endings = {**self._desk.endings, transcript: scores}
                write_secret(self._file, json.dumps(self._desk.endings).encode())
                shallow = self.progress.shallow + (not whole)
                self._set_progress(replace(self.progress, done=number, empties=0, shallow=shallow))
        except OSError:
            self._set_progress(replace(self.progress, refused=True))
        finally:
            self._set_progress(replace(self.progress, running=False))

    def _search(self, transcript: str) -> tuple[tuple[int, ...] | None, bool]:
        """Return what is proved of one game, the last position's score first, and whether that is all; None: it was
        stopped.
        """
        boards = [board for board in boards_of(transcript) if board.empty.bit_count() <= self._most]
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe(duplex=False)
        searcher = spawn.Process(target=_searcher, args=(theirs, transcript, self._most, self._box_s), daemon=True)
        searcher.start()
        theirs.close()
        scores: list[int] = []
        # checked at least once: a round may have been taken back since the start
        state: TournamentState | None = None
        try:
            while not self._stopping.is_set():
                if self._desk.state is not state:
                    state = self._desk.state
                    if unfinished_items(state):
                        return None, False
                if ours.poll(_LOOK_S):
                    scores.append(ours.recv())
                    empties = boards[-len(scores)].empty.bit_count()
                    self._set_progress(replace(self.progress, empties=empties))
        except EOFError:
            return tuple(scores), len(scores) == len(boards)
        finally:
            searcher.terminate()
            searcher.join()
            ours.close()
        return None, False


def _searcher(pipe: Connection, transcript: str, most: int, box_s: float) -> None:
    """Run in the other process: send each score as soon as it is proved."""
    init_worker_process()
    lower_priority()
    until = time.monotonic() + box_s
    boards = [board for board in boards_of(transcript) if board.empty.bit_count() <= most]
    for score in values_backwards(boards, lambda: time.monotonic() < until):
        pipe.send(score)


def _transcripts(state: TournamentState) -> list[str]:
    """Return the transcripts of games on 8x8 from the usual start."""
    events = [one.whole() for one in state.divisions.values() if one.event.variant == STANDARD]
    found = (game.transcript for event in events for round_ in event.rounds for game in round_.games)
    return list(dict.fromkeys(one for one in found if one))


def _read(file: Path) -> dict[str, tuple[int, ...]]:
    """Read what an earlier run proved; an invalid file counts as empty, because everything can be searched again."""
    try:
        data = json.loads(file.read_bytes())
        return {str(one): tuple(int(score) for score in scores) for one, scores in data.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
