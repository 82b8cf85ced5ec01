"""Input of the transcriber at this table: touches become readings like those of any other source; at ChouChou a record
beside the journal, and the pieces on the score board."""

from __future__ import annotations

import hashlib
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from engine.match.match_events_and_effects import CorrectReading
from engine.match.match_state import MatchState
from engine.match.rule_sets_and_options import ScoreRule
from hardware.reading_stability_filter import StableReading
from kiosk.table.board_sources.chouchou_game_transcriber import new_sheet, tap
from kiosk.table.board_sources.transcriber_source import answers_at_once, transcribe
from kiosk.table.game.journaled_state_and_recovery import JournaledTable
from kiosk.table.game.match_steps_and_head_commands import TableGame

log = logging.getLogger(__name__)


class TranscriberInput:
    """The transcriber's touches, and the sheet of a game of ChouChou. ``data``: folder for its record."""

    def __init__(self, table: JournaledTable, game: TableGame, data: Path) -> None:
        self._table = table
        self._game = game
        self._data = data
        self._writer = ThreadPoolExecutor(1, "chouchou-record")

    def touch(self, action: str) -> None:
        state = self._table.state
        if state.sheet is None or state.match is None:
            return
        if state.match.rules.score is ScoreRule.CAPTURES:
            self._touch_chouchou(state.match, action)
            return
        transcription = transcribe(state.sheet, state.match, action)
        self._table.change(sheet=transcription.sheet)
        for cells, answers in transcription.readings:
            self._read(cells, answers)
        if transcription.reread is not None:
            self._game.notify(CorrectReading(self._table.time.now_ns(), transcription.reread))

    def _open_sheet(self) -> None:
        """Open the sheet of a game of ChouChou that has just come."""
        state = self._table.state
        if state.sheet is None or state.match is None or state.assignment is None:
            return
        known = state.sheet.chouchou
        if state.match.rules.score is not ScoreRule.CAPTURES or (known and known.game == state.assignment.game):
            return
        try:
            record = self._file(state.assignment.game).read_text(encoding="utf-8")
        except (OSError, ValueError):
            record = ""
        opened = new_sheet(state.assignment.game, state.match, record)
        self._table.change(sheet=replace(state.sheet, chouchou=opened))

    def _touch_chouchou(self, match: MatchState, action: str) -> None:
        self._open_sheet()
        sheet = self._table.state.sheet
        if sheet is None or sheet.chouchou is None:
            return
        after = tap(sheet.chouchou, action)
        captures = after.scores if after.scores != sheet.chouchou.scores else self._table.state.captures
        self._table.change(sheet=replace(sheet, chouchou=after), captures=captures)
        if after.now.turns != sheet.chouchou.now.turns:
            self._writer.submit(_save, self._file(after.game), after.record)  # the loop waits for no disk

    def _file(self, game: str) -> Path:
        return self._data / f"{hashlib.sha256(game.encode()).hexdigest()[:16]}.chouchou"

    def answer(self) -> None:
        """Answer a press at once if the transcriber has already entered the board; open the sheet of a game of
        ChouChou."""
        state = self._table.state
        if state.sheet is None or state.sheet.draft is not None or state.match is None:
            return
        if state.match.rules.score is ScoreRule.CAPTURES:
            self._open_sheet()
        elif state.match.pending and (ready := answers_at_once(state.match)) is not None:
            self._read(*ready)

    def _read(self, cells: str, answers: int | None) -> None:
        self._game.read_board(StableReading(cells, answers, self._table.time.now_ns()))


def _save(path: Path, record: str) -> None:
    try:
        path.write_text(record, encoding="utf-8")
    except OSError as error:
        log.warning("%s was not saved: %s", path, error)
