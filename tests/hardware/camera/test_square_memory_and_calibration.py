"""Reading history of a board: stored appearances of its squares, without the rules of the game."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.camera.square_classifier import KINDS
from hardware.camera.square_memory_and_calibration import UNCHANGED, BoardMemory, Patches, Snapshot

SURE = 0.9
EMPTY = "-" * 64


def looks(level: float = 0.0) -> Patches:
    return np.full((64, 30, 3), level, np.float32)


def odds(cells: str, confidence: float) -> np.ndarray:
    out = np.full((64, len(KINDS)), (1 - confidence) / (len(KINDS) - 1), np.float32)
    out[np.arange(64), [KINDS.index(cell) for cell in cells]] = confidence
    return out


def test_without_history_only_sure_squares_are_read() -> None:
    assert BoardMemory().read(odds(EMPTY, 0.95), looks(), SURE) == EMPTY
    assert BoardMemory().read(odds(EMPTY, 0.85), looks(), SURE) == "?" * 64


@pytest.mark.parametrize("foreign", [0.4, 0.6, 0.95])
def test_unchanged_confirmed_square_keeps_its_reading(foreign: float) -> None:
    """Glare on a square that a person confirmed as empty stays empty while its image is unchanged."""
    memory = BoardMemory(learnt=Snapshot(EMPTY, looks()))
    seen = np.tile(np.array([0.98 - foreign, 0.01, 0.01, foreign], np.float32), (64, 1))
    assert memory.read(seen, looks(UNCHANGED / 2), SURE) == EMPTY


@pytest.mark.parametrize("confidence", [0.5, 0.99])
@pytest.mark.parametrize("level", [0.0, 0.06])
def test_unchanged_square_read_as_another_kind_is_unknown(confidence: float, level: float) -> None:
    """A disc read on a square whose image has changed little or not at all makes the square doubtful."""
    memory = BoardMemory(last=Snapshot(EMPTY, looks()))
    assert memory.read(odds("X" * 64, confidence), looks(level), SURE) == "?" * 64


@pytest.mark.parametrize(
    ("memory", "now", "another", "said"),
    [
        (BoardMemory(last=Snapshot(EMPTY, looks())), looks(), 0.3, "?"),
        (BoardMemory(Snapshot(EMPTY, looks()), Snapshot(EMPTY, looks())), looks(), 0.85, "-"),
        (BoardMemory(Snapshot(EMPTY, looks()), Snapshot(EMPTY, looks())), looks(), 0.95, "?"),
        (BoardMemory(Snapshot(EMPTY, looks()), Snapshot(EMPTY, looks())), looks(0.06), 0.12, "?"),
        (BoardMemory(Snapshot(EMPTY, looks()), Snapshot(EMPTY, looks())), looks(0.06), 0.04, "-"),
    ],
    ids=["was read", "was said", "was said, but it is likely", "merely alike", "merely alike, and likely so"],
)
def test_square_likely_to_be_another_kind_is_unknown(
    memory: BoardMemory, now: Patches, another: float, said: str
) -> None:
    """One picture of three with another content makes a square doubtful, less so if confirmed and unchanged."""
    seen = odds(EMPTY, 0.999)
    seen[27] = [0.99 - another, another, 0.0, 0.01]
    assert memory.read(seen, now, SURE) == "-" * 27 + said + "-" * 36


def test_changed_square_is_read_anew() -> None:
    memory = BoardMemory(Snapshot(EMPTY, looks()), Snapshot(EMPTY, looks()))
    assert memory.read(odds("X" * 64, 0.95), looks(0.5), SURE) == "X" * 64
    assert memory.read(odds("X" * 64, 0.85), looks(0.5), SURE) == "?" * 64


def memory_of_drifting_board(cells: str) -> BoardMemory:
    """Return four looks at a board confirmed as empty that changes a little each time.

    ``cells`` is the reading at the second look, with another appearance.
    """
    memory = BoardMemory(Snapshot(EMPTY, looks()), Snapshot(EMPTY, looks()))
    for level in (0.02, 0.06, 0.09, 0.12):
        other = level == 0.06 and cells != EMPTY
        memory = memory.seen(cells if other else EMPTY, looks(1.0 if other else level))
    return memory


def test_confirmed_reading_survives_small_changes_of_the_image() -> None:
    """Small steps since a confirmation keep the confirmed reading, but not across a look with another reading."""
    white = odds("O" * 64, 0.8)
    white[:, 0] += white[:, 3]
    assert memory_of_drifting_board(EMPTY).read(white, looks(0.14), SURE) == EMPTY
    assert memory_of_drifting_board("O" * 64).read(white, looks(0.14), SURE) == "?" * 64
    assert memory_of_drifting_board("O" * 64).seen(EMPTY, looks(0.01)).read(white, looks(0.02), SURE) == EMPTY
    begun_anew = BoardMemory(Snapshot(EMPTY, looks())).seen(
        "X" * 64, looks(-1.0)
    )  # a table that was switched off in a game
    assert begun_anew.read(white, looks(-1.0), SURE) == "?" * 64


def test_square_is_unknown_if_confirmed_and_last_readings_disagree() -> None:
    memory = BoardMemory(Snapshot(EMPTY, looks()), Snapshot("O" * 64, looks()))
    assert memory.read(odds(EMPTY, 0.99), looks(), SURE) == "?" * 64


def test_covered_square_keeps_its_last_reading() -> None:
    memory = BoardMemory().seen("X" * 64, looks()).seen("?" + "O" * 63, looks(1.0))
    assert memory.last is not None
    assert memory.last.cells == "X" + "O" * 63
    assert memory.read(odds("?" * 64, 0.99), looks(), SURE)[0] == "X"


def test_more_changes_than_a_move_makes_count_as_covered() -> None:
    """More changes than a move can make are an object over the board; unread squares are no changes."""
    board = "X" * 32 + "-" * 32
    memory = BoardMemory(last=Snapshot(board, looks()))
    assert not BoardMemory().is_covered(EMPTY)
    assert not memory.is_covered("-" + board[1:]) and memory.is_covered("--" + board[2:])
    assert not memory.is_covered("O" * 20 + board[20:]) and memory.is_covered("O" * 21 + board[21:])
    assert not memory.is_covered("?" * 30 + board[30:])


def test_a_snapshot_has_a_patch_for_every_cell() -> None:
    with pytest.raises(ValueError, match="63 cells"):
        Snapshot("-" * 63, looks())


def test_stored_images_of_another_shape_are_not_used() -> None:
    """Appearances stored before an update may have been sampled differently and are not used."""
    memory = BoardMemory(learnt=Snapshot("X" * 64, looks()[:, :20]))
    assert memory.read(odds(EMPTY, 0.95), looks(), SURE) == EMPTY


def test_difference_within_the_noise_is_no_change() -> None:
    """A difference within the noise is no change; a larger one is, however strong the noise."""
    random = np.random.default_rng(1)
    noise = random.normal(0, 0.1, (64, 30, 3)).astype(np.float32)
    known = np.full(64, 0.1**2, np.float32)
    memory = BoardMemory(last=Snapshot(EMPTY, looks()))
    seen = np.tile(np.array([0.7, 0.01, 0.02, 0.27], np.float32), (64, 1))
    assert memory.read(seen, noise, SURE) == "?" * 64
    assert memory.read(seen, noise, SURE, known) == EMPTY
    assert memory.last is not None
    assert not memory.last.alike(noise + np.float32(0.12), UNCHANGED, known).any()
