"""Tests of the transcriber, whose touches answer presses like any other board source."""

from __future__ import annotations

from random import Random

import pytest
from tables.manual_time_table import LEFT as LEFT_PIN
from tables.manual_time_table import MS, SECOND, StillTable
from tables.manual_time_table import RIGHT as RIGHT_PIN
from tables.panel_layout import check_layout
from tables.states import BLACK, LEFT, RIGHT, WHITE
from tables.transcriber_states import Helped, transcriber_states

from engine.board.board_geometry import scan
from engine.board.position import Position
from engine.match.match_value_types import Phase, TurnKind
from kiosk.locale import ENGLISH, JAPANESE, Lang, languages
from kiosk.table.board_sources.transcriber_source import TranscriberState, pending_turn, transcribe
from kiosk.table.scene import Touch
from kiosk.table.views import Facing, Layout, table_scene
from kiosk.table.views.transcriber_view import transcriber_scene

SEATS = {BLACK: LEFT, WHITE: RIGHT}


def kinds(game: Helped) -> list[TurnKind]:
    return [turn.kind for turn in game.match.turns]


@pytest.mark.parametrize("seed", range(3))
def test_a_game_is_transcribed_before_or_after_the_presses(seed: int) -> None:
    """Entered before the press, after it, or two turns late, the transcript is the same, and nothing is requested
    twice."""
    dice, game = Random(seed), Helped()
    played: list[str] = []
    position, late = Position.start(), []
    while not position.is_over:
        squares = list(scan(position.legal_moves()))
        square = dice.choice(squares) if squares else None
        name = "--" if square is None else position.geometry.name(square)
        played.append(name)
        action = "unchanged" if square is None else f"square-{name}"
        early = square is not None and not late and dice.random() < 0.4
        if early:
            game.touch(action)
        else:
            late.append(action)
        game.press(SEATS[position.to_move])
        if dice.random() < 0.7 or len(late) > 1:
            game.touch(*late)
            late = []
        position = position.pass_turn() if square is None else position.play(square)
    game.touch(*late)
    assert game.match.moves == tuple(played)
    assert game.match.phase is Phase.CHECK and game.match.pending == ()
    assert game.match.findings == ()


def test_a_tap_before_the_press_can_be_changed_and_taken_back() -> None:
    game = Helped()
    game.touch("square-f5", "square-d3")
    assert game.match.board == Position.start().play(Position.start().geometry.square("d3")).cells()
    assert game.match.mid_move, "M43-15.4: a move is in progress"
    game.touch("undo")
    assert game.match.board == game.match.start_board and not game.match.mid_move
    game.touch("square-f5")
    game.press(LEFT)
    assert game.match.transcript == "f5" and game.match.pending == ()


def test_a_press_waits_for_the_helper_and_two_presses_are_answered_in_their_order() -> None:
    game = Helped()
    game.press(LEFT)
    game.press(RIGHT)
    assert len(game.match.pending) == 2
    now = pending_turn(game.match)
    assert now is not None and now.by is BLACK
    game.touch("square-f5", "square-d6")
    assert game.match.transcript == "f5d6" and game.match.pending == ()


def test_an_unchallenged_illegal_move_is_recorded() -> None:
    """K-08, K-09, IM-5: without a challenge the next turn begins with the board as it is."""
    game = Helped()
    game.touch("square-f5")
    game.press(LEFT)
    game.press(RIGHT)
    game.touch("square-d7")  # not a legal move
    assert game.sheet.draft is not None and game.match.pending, "nothing is said before he says so"
    game.touch("square-d5", "square-d5", "square-d5", "done")  # and d5 was turned: X, O, -, X
    assert kinds(game)[1] in (TurnKind.ILLEGAL, TurnKind.TOO_LARGE)
    assert game.match.findings
    assert game.match.phase is Phase.TURN and game.match.side is BLACK, "the players are not told"
    board = game.match.board
    assert board is not None
    position = Position.from_cells(board, BLACK)
    name = position.geometry.names(position.legal_moves())[0]
    game.touch(f"square-{name}")
    game.press(LEFT)
    assert game.match.turns[-1].before == board and game.match.turns[-1].kind is TurnKind.MOVE


def test_a_challenge_and_its_correction_replace_the_turn() -> None:
    game = Helped()
    game.touch("square-f5")
    game.press(LEFT)
    game.press(RIGHT)
    game.touch("square-h8", "done")
    game.press(LEFT)
    game.touch("unchanged")
    assert game.match.phase is Phase.CORR and game.match.side is WHITE
    game.touch("square-d6")
    game.press(RIGHT)
    assert game.match.transcript == "f5d6"
    assert game.match.phase is Phase.TURN and game.match.side is BLACK


def test_a_wrong_tap_can_be_corrected_until_the_next_turn() -> None:
    game = Helped()
    game.touch("square-d3")
    game.press(LEFT)
    game.touch("again", "square-f5")
    assert game.match.transcript == "f5" and game.match.side is WHITE and game.sheet == TranscriberState()
    game.touch("again", "square-a1", "done")
    assert [finding.ply for finding in game.match.findings] == [1], "what stood there was no legal move after all"
    game.touch("again", "square-f5")
    assert game.match.findings == ()
    game.press(RIGHT)
    game.touch("again")
    assert not game.sheet.again, "the next press waits for its board: that comes first"
    game.touch("square-d6")
    assert game.match.transcript == "f5d6"


def test_a_pass_without_an_entry_is_inferred_from_the_reply() -> None:
    """A player who cannot move presses; the helper taps the reply at once."""
    before = "XXXXXXXX" + "XOOOOOOO" + "--------" * 6
    game = Helped()
    game.sheet = TranscriberState(before)
    game.touch("done")
    game.press(LEFT)  # Black's turn is not one move away from the start: too large, and it stands
    position = Position.from_cells(game.match.turn_board or "", WHITE)
    if position.must_pass:
        game.press(RIGHT)
        reply = position.pass_turn()
        name = reply.geometry.names(reply.legal_moves())[0]
        game.touch(f"square-{name}")
        assert game.match.turns[1].kind is TurnKind.PASS
        assert game.match.board == reply.play(reply.geometry.square(name)).cells()
    else:
        pytest.fail(f"White can move in {position.cells()}")


def test_a_tap_without_a_pending_turn_is_ignored() -> None:
    game = Helped()
    for action in ("done", "undo", "unchanged", "square-e4", "nonsense"):
        said = transcribe(game.sheet, game.match, action)
        assert said.readings == ()


# --- at the table ---------------------------------------------------------------------------------------------------


def test_the_finding_is_journalled_with_the_press_and_survives_a_kill() -> None:
    table = StillTable()
    table.press(LEFT_PIN)
    table.press(RIGHT_PIN)
    table.touch("transcriber", "square-a1")
    table.touch("transcriber", "done")
    table.press(LEFT_PIN)
    assert table.match.findings and table.match.pending == ()
    again = table.killed(5 * SECOND)
    assert again.match.findings == table.match.findings and again.match.board == table.match.board
    again.close()


def test_the_players_never_see_the_helpers_board() -> None:
    table = StillTable()
    table.press(LEFT_PIN)
    table.press(RIGHT_PIN)
    for facing in Facing:
        before = table_scene(table.state, table.time.now_ns(), Layout(facing=facing))
        table.touch("transcriber", "square-f5", 1 * MS)
        after = table_scene(table.state, table.time.now_ns(), Layout(facing=facing))
        assert [panel.name for panel in after.panels] == [panel.name for panel in before.panels]
        assert not any(item.name in ("square", "board") for panel in after.panels for item in panel.items)
    table.close()


# --- the helper's display -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(800, 480), (1024, 600), (480, 800)])
@pytest.mark.parametrize("language", languages())
def test_all_items_are_on_the_display_without_overlap(size: tuple[int, int], language: Lang) -> None:
    for name, state in transcriber_states(language).items():
        (panel,) = transcriber_scene(state, 100 * SECOND, size, language).panels
        check_layout(panel, name)
        assert all(item.box.w >= 30 and item.box.h >= 30 for item in panel.items if isinstance(item, Touch)), name


def test_the_flips_of_a_tap_are_marked() -> None:
    game = Helped()
    game.touch("square-f5")
    (panel,) = transcriber_scene(game.state(), 0, (800, 480), ENGLISH).panels
    assert len(panel.named("framed")) == 1, "e5 is turned"
    assert len(panel.named("filled")) == 1, "f5 was played"
    assert "legal" not in " ".join(panel.texts()).lower()


def test_the_helpers_display_shows_no_finding() -> None:
    game = Helped()
    game.touch("square-a1", "done")
    game.press(LEFT)
    assert game.match.findings
    assert "IM-" not in " ".join(transcriber_scene(game.state(), 0, (800, 480), JAPANESE).texts())
