"""Transcriber as a board source: a helper taps the moves. ``transcribe(sheet, match, action) -> TranscriberResult``.

- The transcriber's board is the last one the match has read, so a restart loses nothing.
- A tap is the move of the oldest press that waits for its board, else of the player in turn. Its flips are drawn only
  on the transcriber's display (promise 3).
- A move that the rules do not allow is recorded as it is: the transcriber sets the discs one by one and confirms the
  board.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.board.color import Color
from engine.board.position import Position
from engine.board.variants import shape_of
from engine.i18n import say
from engine.match.match_state import MatchState
from engine.match.match_value_types import PendingPress, Phase
from kiosk.link.link_messages import TroubleInfo
from kiosk.table.board_sources.chouchou_game_transcriber import ChouChouSheet
from kiosk.table.board_sources.doubtful_board_readings import turn_of

#: actions of the transcriber's display; a square is ``square-e4``
PANEL = "transcriber"
SQUARE, UNCHANGED, EDIT, DONE, UNDO, AGAIN = "square-", "unchanged", "edit", "done", "undo", "again"
NO_SECOND_DISPLAY = TroubleInfo(
    "transcriber-display", say("The transcriber's display is not connected. Connect it and start the table again.")
)
_NEXT_CELL = {"-": "X", "X": "O", "O": "-", "?": "X"}


@dataclass(frozen=True, slots=True)
class TranscriberState:
    """State of the transcriber's display. ``draft``: the board being edited disc by disc; None while moves are tapped.
    ``again``: the last turn is being corrected. ``chouchou``: the record of a game of ChouChou.
    """

    draft: str | None = None
    again: bool = False
    chouchou: ChouChouSheet | None = None


@dataclass(frozen=True, slots=True)
class TranscriberResult:
    """Result of a tap. ``readings``: boards with the press each one answers; None: it answers none yet. ``reread``: the
    corrected board at the end of the last turn.
    """

    sheet: TranscriberState
    readings: tuple[tuple[str, int | None], ...] = ()
    reread: str | None = None


@dataclass(frozen=True, slots=True)
class PendingTurn:
    """The turn to transcribe next: the board ``before`` it (None: not read), whose turn it is, and the press that waits
    for it (None: not pressed yet).
    """

    before: str | None
    by: Color
    press: PendingPress | None = None


def pending_turn(match: MatchState) -> PendingTurn | None:
    """Return the turn to transcribe next; None if there is none."""
    press = match.pending[0] if match.pending else None
    if press is None and match.active_phase not in (Phase.TURN, Phase.CORR, Phase.FINISH, Phase.FREE):
        return None
    if match.active_phase is Phase.FREE and press is None:
        return PendingTurn(match.turn_board, _free_mover(match))
    return PendingTurn(*turn_of(match, None if press is None else press.number), press)


def transcribe(sheet: TranscriberState, match: MatchState, action: str) -> TranscriberResult:
    """Return the result of a touch on the transcriber's display."""
    now = pending_turn(match)
    number = None if now is None or now.press is None else now.press.number
    board = match.board
    if board is None:
        return TranscriberResult(sheet)
    if sheet.again and not can_be_corrected(match):
        sheet = TranscriberState()  # the game has continued meanwhile
    if sheet.again:
        return _correct_last(sheet, match, action)
    if action == AGAIN and can_be_corrected(match):
        return TranscriberResult(TranscriberState(again=True))
    if sheet.draft is not None:
        return _edit(sheet, sheet.draft, board, number, action)
    if action == EDIT:
        return TranscriberResult(TranscriberState(board))
    if now is None:
        return TranscriberResult(sheet)
    if action == UNCHANGED and number is not None:
        return TranscriberResult(sheet, ((match.turn_board or board, number),))
    if action == UNDO and number is None and match.turn_board not in (None, board):
        return TranscriberResult(sheet, ((match.turn_board or board, None),))
    if action.startswith(SQUARE):
        return _tap_move(sheet, match, now, action.removeprefix(SQUARE))
    return TranscriberResult(sheet)


def can_be_corrected(match: MatchState) -> bool:
    """Return whether the last turn can be corrected (``engine.match.state_machine``)."""
    free = bool(match.turns) and not match.pending and match.challenge is None
    return free and match.turns[-1].before is not None and match.active_phase in (Phase.TURN, Phase.CHECK)


def displayed_boards(sheet: TranscriberState, match: MatchState) -> tuple[str | None, str | None]:
    """Return the board to display to the transcriber, and the one it is compared with."""
    if sheet.again and match.turns:
        before = match.turns[-1].before
        return sheet.draft or before, before
    return sheet.draft or match.board, match.turn_board


def answers_at_once(match: MatchState) -> tuple[str, int] | None:
    """Return the answer to a press that the transcriber entered before the press was made."""
    now = pending_turn(match)
    if now is None or now.press is None or match.board is None or len(match.pending) != 1:
        return None
    return None if match.board == match.turn_board else (match.board, now.press.number)


def _tap_move(sheet: TranscriberState, match: MatchState, now: PendingTurn, name: str) -> TranscriberResult:
    before = now.before
    if before is None:
        return TranscriberResult(TranscriberState(match.board))  # edited disc by disc, as the board before is unknown
    position = match.position(before, now.by)
    square = position.geometry.square(name)
    after = _color_that_played(position, square)
    number = None if now.press is None else now.press.number
    if after is not None:
        return TranscriberResult(sheet, ((after, number),))
    if (
        number is not None
        and position.must_pass
        and (reply := _color_that_played(position.pass_turn(), square)) is not None
    ):
        # The press was a pass, and the reply has been played meanwhile.
        second = match.pending[1].number if len(match.pending) > 1 else None
        return TranscriberResult(sheet, ((before, number), (reply, second)))
    return TranscriberResult(TranscriberState(_place_disc(before, name, now.by)))


def _correct_last(sheet: TranscriberState, match: MatchState, action: str) -> TranscriberResult:
    """Handle a correction of the last turn, from the board before it."""
    turn = match.turns[-1]
    before = turn.before
    assert before is not None
    if sheet.draft is not None:
        edited = _edit(sheet, sheet.draft, "", None, action)
        return TranscriberResult(edited.sheet, reread=edited.readings[0][0] if edited.readings else None)
    if action in (UNDO, AGAIN):
        return TranscriberResult(TranscriberState())
    if action == EDIT:
        return TranscriberResult(TranscriberState(turn.after or before, again=True))
    if not action.startswith(SQUARE):
        return TranscriberResult(sheet)
    name = action.removeprefix(SQUARE)
    position = match.position(before, turn.by)
    after = _color_that_played(position, position.geometry.square(name))
    if after is not None:
        return TranscriberResult(TranscriberState(), reread=after)
    return TranscriberResult(TranscriberState(_place_disc(before, name, turn.by), again=True))


def _color_that_played(position: Position, square: int) -> str | None:
    names = position.geometry.names(position.legal_moves())
    return position.play(square).cells() if position.geometry.name(square) in names else None


def _place_disc(cells: str, name: str, color: Color) -> str:
    index = index_of(cells, name)
    return cells[:index] + color.symbol + cells[index + 1 :]


def _edit(sheet: TranscriberState, draft: str, board: str, number: int | None, action: str) -> TranscriberResult:
    """Handle editing of the drawn board disc by disc."""
    if action == UNDO:
        return TranscriberResult(TranscriberState())
    if action == DONE:
        return TranscriberResult(TranscriberState(), ((draft, number),) if number is not None or draft != board else ())
    if action.startswith(SQUARE):
        index = index_of(draft, action.removeprefix(SQUARE))
        return TranscriberResult(replace(sheet, draft=with_next_disc(draft, index)))
    return TranscriberResult(sheet)


def with_next_disc(cells: str, index: int) -> str:
    """Return the cells with one cell changed to the next of empty, black and white."""
    return cells[:index] + _NEXT_CELL[cells[index]] + cells[index + 1 :]


def index_of(cells: str, name: str) -> int:
    """Return the index of a square's name among the cells."""
    return shape_of(cells).square_names.index(name)


def _free_mover(match: MatchState) -> Color:
    """K-07: return who moves next in free play; colours alternate, with passes as usual."""
    board = match.turn_board
    if board is not None and match.position(board, match.to_move).must_pass:
        return match.to_move.opponent
    return match.to_move
