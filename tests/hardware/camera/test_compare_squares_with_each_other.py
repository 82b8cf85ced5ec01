"""Comparison of a board's squares with each other, on constructed patches with countable answers."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.camera import square_classifier
from hardware.camera.compare_squares_with_each_other import confirmed_and_contradicted, distances_to_kinds

KINDS = np.array([0] * 30 + [1] * 17 + [2] * 17)
SQUARES = np.arange(64)


def looks(levels: tuple[float, float, float] = (0.0, -1.0, 0.6)) -> np.ndarray:
    return np.broadcast_to(np.array(levels)[KINDS][:, None, None], (64, 30, 3)).astype(np.float32)


def far(patches: np.ndarray, kinds: np.ndarray = KINDS) -> np.ndarray:
    return distances_to_kinds(patches, patches, kinds, SQUARES)


def test_how_far_each_square_is_from_each_kind() -> None:
    assert np.allclose(far(looks())[[0, 40, 60]], [[0, 1, 0.6], [1, 0, 1.6], [0.6, 1.6, 0]], atol=1e-3)


def test_the_others_agree_or_say_something_else() -> None:
    said = KINDS.copy()
    said[[5, 45]] = 2, 0
    agreed, opposed = confirmed_and_contradicted(far(looks()), said)
    assert np.flatnonzero(~agreed).tolist() == np.flatnonzero(opposed).tolist() == [5, 45]


def test_kinds_that_look_alike_on_this_board_agree_to_nothing() -> None:
    """Black discs on a cloth as dark as they are confirm no reading."""
    agreed, _ = confirmed_and_contradicted(far(looks((-0.9, -1.0, 0.6))), KINDS)
    assert not agreed[:47].any() and agreed[47:].all()


def test_no_square_speaks_for_itself() -> None:
    """A kind needs three other squares as reference: of three white discs none is confirmed."""
    kinds = np.where(np.arange(64) < 61, 0, 2)
    assert np.isnan(far(looks(), kinds)[61:, 2]).all()
    assert not np.isnan(far(looks(), kinds)[:61, 2]).any()


@pytest.mark.parametrize("known", [0, 3])
def test_a_board_of_which_little_is_known_is_no_witness(known: int) -> None:
    patches = looks()
    nothing = distances_to_kinds(patches, patches[:known], KINDS[:known], SQUARES[:known])
    agreed, opposed = confirmed_and_contradicted(nothing, KINDS)
    assert not agreed.any() and not opposed.any()


def test_what_the_others_agree_to_is_believed_sooner_and_what_they_deny_later() -> None:
    odds = np.full((64, 4), 0.01, np.float32)
    odds[SQUARES, KINDS] = 0.97
    odds[5] = [0.12, 0.02, 0.85, 0.01]  # an empty square that is read as a white disc
    odds[45] = [0.35, 0.63, 0.01, 0.01]
    patches = looks()
    bars = square_classifier._bars(odds, patches)
    assert bars[5] == np.float32(square_classifier.OPPOSED) > 0.85
    assert bars[45] == np.float32(square_classifier.AGREED) < 0.63
    odds[36, 3] = 0.4  # something may lie there: its parts beside it may look like discs
    beside = square_classifier._bars(odds, patches)
    assert all(beside[at] == np.float32(square_classifier.OPPOSED) for at in (27, 28, 29, 35, 36, 37, 43, 44, 45))
    odds[36, 3] = 0.01
    patches[63] = 0.31  # about as near to one as to the other
    assert square_classifier._bars(odds, patches)[63] == np.float32(square_classifier.SURE)
