"""Input of the transcriber at this table: touches become readings like those of any other source."""

from __future__ import annotations

from engine.match.match_events import CorrectReading
from hardware.reading_stability_filter import StableReading
from kiosk.table.board_sources.transcriber_source import answers_at_once, transcribe
from kiosk.table.game.journaled_table import JournaledTable
from kiosk.table.game.table_game import TableGame


class TranscriberInput:
    def __init__(self, table: JournaledTable, game: TableGame) -> None:
        self._table = table
        self._game = game

    def touch(self, action: str) -> None:
        state = self._table.state
        if state.sheet is None or state.match is None:
            return
        said = transcribe(state.sheet, state.match, action)
        self._table.change(sheet=said.sheet)
        for cells, answers in said.readings:
            self._read(cells, answers)
        if said.reread is not None:
            self._game.notify(CorrectReading(self._table.time.now_ns(), said.reread))

    def answer(self) -> None:
        """Answer a press at once if the transcriber has already entered the board."""
        state = self._table.state
        if state.sheet is None or state.sheet.draft is not None or state.match is None or not state.match.pending:
            return
        ready = answers_at_once(state.match)
        if ready is not None:
            self._read(*ready)

    def _read(self, cells: str, answers: int | None) -> None:
        self._game.read_board(StableReading(cells, answers, self._table.time.now_ns()))
