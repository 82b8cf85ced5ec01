"""Reading history of a board: stored appearances of its squares, without the rules of the game."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.camera.square_classifier import KINDS
from hardware.camera.square_memory_and_calibration import FEWEST, UNCHANGED, BoardMemory, Patches, Snapshot, distances

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
    """A square covered by a hand keeps its last reading."""
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


def three_kinds() -> tuple[str, Patches]:
    """Return the readings and appearances of rows of empty squares, black and white discs, each kind distinct."""
    cells = "-" * 24 + "X" * 16 + "O" * 24
    level = np.array([{"-": 0.0, "X": -1.0, "O": 0.6}[cell] for cell in cells], np.float32)
    return cells, np.broadcast_to(level[:, None, None], (64, 30, 3)).copy()


def test_reading_confirmed_by_similar_squares_needs_less_confidence() -> None:
    """A white disc that might be a foreign object is confirmed by other discs that look the same."""
    cells, looked = three_kinds()
    memory = BoardMemory(Snapshot(cells, looked), Snapshot(cells, looked))
    seen, now = odds(cells, 0.7), looked + np.float32(0.06)
    seen[:, :3] = np.where(seen[:, :3] < 0.5, 0.1, 0.7)
    assert memory.read(seen, now, SURE) == cells
    seen[63] = [0.35, 0, 0.6, 0.05]
    assert memory.read(seen, now, SURE) == cells[:-1] + "?"


@pytest.mark.parametrize(("likely", "said"), [(0.7, "-"), (0.92, "?")])
def test_confirmed_square_outweighs_the_network_up_to_a_limit(likely: float, said: str) -> None:
    """A confirmed, unchanged empty square stays empty if the network reads a disc at 0.7, and is doubtful at 0.92."""
    cells, looked = three_kinds()
    seen = odds(cells, 0.99)
    seen[0] = [1 - likely, 0, likely, 0]
    assert BoardMemory(Snapshot(cells, looked), Snapshot(cells, looked)).read(seen, looked, SURE)[0] == said
    assert BoardMemory(last=Snapshot(cells, looked)).read(seen, looked, SURE)[0] == "?"


def test_square_that_resembles_another_kind_more_is_unknown() -> None:
    """A white disc laid on a square that a lamp had made nearly white is doubtful."""
    cells, looked = three_kinds()
    looked[0] = 0.55
    memory = BoardMemory(Snapshot(cells, looked), Snapshot(cells, looked))
    now = looked.copy()
    now[0] += np.float32(0.05)
    seen = odds(cells, 0.7)
    assert memory.read(seen, now, SURE)[0] == "?"


def test_kind_without_squares_on_the_board_confirms_nothing() -> None:
    cells, looked = three_kinds()
    two = Snapshot(cells.replace("O", "-"), np.minimum(looked, 0))
    assert BoardMemory(last=two).read(odds(two.cells, 0.7), two.patches + np.float32(0.06), SURE) == "?" * 64


def test_stored_images_of_another_shape_are_not_used() -> None:
    """Appearances stored before an update may have been sampled differently and are not used."""
    cells, looked = three_kinds()
    memory = BoardMemory(learnt=Snapshot(cells, looked[:, :20]))
    assert memory.read(odds(cells, 0.95), looked, SURE) == cells


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


def test_square_is_not_compared_with_itself() -> None:
    """A square is compared with the nearest others of a kind."""
    _, looked = three_kinds()
    white = list(range(40, 64))
    far = distances(looked, looked, white)
    assert np.allclose(far[[0, 30, 63]], [0.6, 1.6, 0.0], atol=1e-3)
    assert np.isinf(distances(looked, looked, white[:FEWEST])[40:43]).all()
