"""Shapes and square names (OTH-01, VAR-07a)."""

from __future__ import annotations

import pytest

from engine.board.board_geometry import Geometry, scan
from engine.board.errors import BadSquare, UnknownVariant
from engine.board.variants import UNSPECIFIED, VARIANTS, variant

SIZES = {"8x8": 64, "6x6": 36, "4x4": 16, "10x10": 100, "88": 88, "nip-octagon": 52, "parallel": 64}


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_variants_have_their_board_size(name: str, size: int) -> None:
    assert variant(name).geometry.size == size


def test_squares_run_row_by_row() -> None:
    geometry = Geometry(8, 8)
    assert geometry.stride == 9
    assert " ".join(map(geometry.name, geometry.squares[:9])) == "a1 b1 c1 d1 e1 f1 g1 h1 a2"
    assert geometry.squares[8] == 9
    assert geometry.name(geometry.squares[-1]) == "h8"


@pytest.mark.parametrize("name", SIZES)
def test_names_and_squares_are_inverse(name: str) -> None:
    geometry = variant(name).geometry
    assert [geometry.square(geometry.name(square).upper()) for square in geometry.squares] == list(geometry.squares)
    assert scan(geometry.playable) == list(geometry.squares)


def test_ten_columns_are_a_to_j() -> None:
    geometry = VARIANTS["10x10"].geometry
    assert geometry.name(geometry.squares[-1]) == "j10"
    assert geometry.square("a10") == 9 * 11


@pytest.mark.parametrize("name", ["i1", "a9", "a0", "", "5f", "f", "f55"])
def test_an_invalid_square_is_refused(name: str) -> None:
    with pytest.raises(BadSquare, match=r"not a square of this board.*a1 to h8"):
        Geometry(8, 8).square(name)


def test_eight_stars_board_has_no_corners() -> None:
    geometry = VARIANTS["88"].geometry
    for name in ("a1", "b1", "a2", "i1", "j1", "j2", "a9", "a10", "b10", "j9", "i10", "j10"):
        with pytest.raises(BadSquare):
            geometry.square(name)


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("8x8", "a1 h1 a8 h8"),  # NOT-03: a corner disc can never be turned
        ("88", "c1 h1 a3 j3 a8 j8 c10 h10"),  # VAR-07b: the eight stars
        ("nip-octagon", "c1 f1 a3 h3 a6 h6 c8 f8"),  # VAR-08a
    ],
)
def test_squares_with_no_line_through_them_can_never_be_flipped(name: str, safe: str) -> None:
    geometry = variant(name).geometry

    def is_square(index: int) -> bool:
        return index >= 0 and bool(geometry.playable >> index & 1)

    never = [
        geometry.name(square)
        for square in geometry.squares
        if not any(is_square(square - shift) and is_square(square + shift) for shift in geometry.shifts)
    ]
    assert never == safe.split()


@pytest.mark.parametrize("name", UNSPECIFIED)
def test_unspecified_variants_are_refused_with_the_reason(name: str) -> None:
    """VAR-09 to VAR-14: variants whose sources leave rules open are refused."""
    with pytest.raises(UnknownVariant, match=rf"'{name}' cannot be played: .*VAR-\d\d.*source"):
        variant(name)


def test_an_unknown_variant_is_refused_by_name() -> None:
    with pytest.raises(UnknownVariant, match=r"no variant '9x9'; use one of 8x8, 6x6"):
        variant("9x9")
