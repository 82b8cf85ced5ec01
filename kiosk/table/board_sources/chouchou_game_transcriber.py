"""Record of a game of ChouChou by a transcriber: the moves are tapped, the engine proposes the captures. Pure.

- A tap in the mode "place" is a turn; two taps are two pieces moved, or an exchange. What the turn captures is
  proposed; a tap on such a cell says that it was forgotten (CC-CAP-7).
- A movement in consecutive turns is taken back, and the opponents receive pieces (CC-SUP-1).
- Proposals are drawn only on the transcriber's display (AMB-36).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.chouchou import game_options_state_and_events as chouchou
from engine.chouchou.board_shapes import SHAPES, BoardKind
from engine.chouchou.errors import ChouChouError
from engine.chouchou.game_records_and_rule_check import check_record, format_record, read_records
from engine.chouchou.state_machine import new_game, step
from engine.i18n import Text, text_of
from engine.match.match_state import MatchState

#: actions of the display; a cell is ``cell-4``
CELL, BOARD, MODE, ENTER, BACK = "cell-", "chouchou-board", "mode-", "enter", "back"
PLACE, TWO, EXCHANGE = "place", "two", "exchange"


@dataclass(frozen=True, slots=True)
class ChouChouSheet:
    """State of the display. ``states``: the game after each step, the present one last; ``picked``: the first cell of a
    movement; ``forgotten``: cells whose capture the player overlooked; ``refusal``: why the last tap was refused.
    ``mode``: what is tapped; ``exchange-1`` names the colour of the enemy piece."""

    game: str
    states: tuple[chouchou.ChouChouState, ...]
    mode: str = PLACE
    picked: int | None = None
    forgotten: frozenset[int] = frozenset()
    refusal: Text | None = None

    @property
    def now(self) -> chouchou.ChouChouState:
        return self.states[-1]

    @property
    def can_change_board(self) -> bool:
        return len(self.states) == 1

    @property
    def modes(self) -> tuple[str, ...]:
        """Return the kinds of turns that can be tapped."""
        enemies = (color for color in range(self.now.setup.colors) if color != self.now.color)
        return PLACE, TWO, *(f"{EXCHANGE}-{color}" for color in enemies)

    @property
    def scores(self) -> tuple[int, ...]:
        """Return the pieces of every player, in turn order."""
        return tuple(self.now.score(seat) for seat in self.now.setup.seats)

    @property
    def record(self) -> str:
        """Return the game so far as a file that ``kiosk replay`` reads."""
        return format_record(self.now.setup, self.now.turns)


def new_sheet(game: str, match: MatchState, record: str = "") -> ChouChouSheet:
    """Return the sheet of a game, continued from its ``record``."""
    options = match.options
    board = BoardKind.FOUR if options.target == SHAPES[BoardKind.FOUR].target else BoardKind.THREE
    setup = chouchou.ChouChouSetup(board, options.players, options.pairs, first=0, target=options.target)
    state = new_game(setup)
    try:
        for known in read_records(record):
            state = check_record(known).state
    except ChouChouError:
        pass  # a damaged record begins anew; the score is the table's
    return ChouChouSheet(game, (state,))


def tap(sheet: ChouChouSheet, action: str) -> ChouChouSheet:
    """Return the sheet after a touch."""
    sheet = replace(sheet, refusal=None)
    try:
        return _after_tap(sheet, action)
    except ChouChouError as error:
        return replace(sheet, picked=None, refusal=text_of(error))


def _after_tap(sheet: ChouChouSheet, action: str) -> ChouChouSheet:
    now = sheet.now
    if action == BOARD and sheet.can_change_board:
        boards = list(BoardKind)
        setup = replace(now.setup, board=boards[(boards.index(now.setup.board) + 1) % len(boards)])
        return replace(sheet, states=(new_game(setup),))
    if action == BACK:
        if sheet.picked is not None or len(sheet.states) == 1:
            return replace(sheet, picked=None)
        return replace(sheet, states=sheet.states[:-1], forgotten=frozenset())
    if action.startswith(MODE) and action.removeprefix(MODE) in sheet.modes:
        return replace(sheet, mode=action.removeprefix(MODE), picked=None)
    if now.result is not None:
        return sheet
    if action == ENTER:
        return _after_entry(sheet)
    if not action.startswith(CELL):
        return sheet
    cell = int(action.removeprefix(CELL))
    if now.acted:
        return replace(sheet, forgotten=sheet.forgotten ^ ({cell} & now.due_cells()))
    if sheet.mode != PLACE and sheet.picked is None:
        return replace(sheet, picked=cell)
    return _after_act(sheet, cell)


def _after_act(sheet: ChouChouSheet, cell: int) -> ChouChouSheet:
    """Return the sheet after an act; a turn that captures nothing is complete with it."""
    act: chouchou.Act = chouchou.Placement(cell)
    if sheet.mode != PLACE and sheet.picked is not None:
        _, _, color = sheet.mode.partition("-")
        act = chouchou.Exchange(sheet.picked, cell, int(color)) if color else chouchou.TwoPieces(sheet.picked, cell)
    after = replace(sheet, states=(*sheet.states, step(sheet.now, chouchou.Play(act))), picked=None, mode=PLACE)
    return after if after.now.due_cells() or not after.now.acted else _after_switch(after)


def _after_entry(sheet: ChouChouSheet) -> ChouChouSheet:
    """Take the proposed pieces but those forgotten. A chain is proposed in its turn (CC-CAP-4)."""
    taken = sheet.now.due_cells() - sheet.forgotten
    if taken:
        sheet = replace(sheet, states=(*sheet.states, step(sheet.now, chouchou.Take(taken))))
    if sheet.now.result is not None:
        return replace(sheet, forgotten=frozenset())
    return sheet if sheet.now.due_cells() - sheet.forgotten else _after_switch(sheet)


def _after_switch(sheet: ChouChouSheet) -> ChouChouSheet:
    if sheet.now.result is not None:
        return sheet
    states = (*sheet.states[:-1], step(sheet.now, chouchou.Switch()))
    return replace(sheet, states=states, forgotten=frozenset())
