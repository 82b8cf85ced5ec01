"""Generators of deliberately faulty moves, for tests of the diagnosis.

Each error changes a board as players do and notes the squares to be named; it shares no code with the diagnosis.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.position import Position
from engine.board.variant_rules_and_move_generation import flips, legal_moves


class NoRoomError(Exception):
    """The error cannot be made in this position."""


@dataclass
class AlteredBoard:
    """A board being altered: the mover's discs, the other side's, and what should be reported."""

    before: Position
    choice: random.Random
    own: int = 0
    enemy: int = 0
    expected: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    square: int = 0
    turned: int = 0

    def __post_init__(self) -> None:
        self.own, self.enemy = self.before.own, self.before.enemy

    def one(self, squares: int) -> int:
        return self.some(squares, 1)

    def some(self, squares: int, most: int = 4) -> int:
        """Return one to ``most`` of the squares."""
        if not squares:
            raise NoRoomError
        known = scan(squares)
        return sum(1 << square for square in self.choice.sample(known, self.choice.randint(1, min(most, len(known)))))

    def empty(self) -> int:
        return self.before.geometry.playable & ~(self.own | self.enemy)

    def near(self, disc: int) -> int:
        """Return the empty neighbours of a disc."""
        around = 0
        for shift in self.before.geometry.shifts:
            around |= disc << shift | disc >> shift
        return around & self.empty()

    def name(self, kind: str, squares: int) -> None:
        self.expected.add((kind, self.before.geometry.names(squares)))

    def turn(self, discs: int) -> None:
        self.own ^= discs
        self.enemy ^= discs

    def play(self) -> None:
        """Make a legal move correctly."""
        disc = self.one(self.before.legal_moves())
        self.square, self.turned = disc, self.before.flips(disc.bit_length() - 1)
        self.own |= disc
        self.turn(self.turned)

    def move_disc(self, disc: int, to: int) -> None:
        if self.own & disc:
            self.own ^= disc | to
        else:
            self.enemy ^= disc | to


def wrong_color(m: AlteredBoard) -> None:
    m.play()
    m.turn(m.square)
    m.name("IM-1", m.square)


def out_of_turn(m: AlteredBoard) -> None:
    disc = m.one(legal_moves(m.before.geometry, m.enemy, m.own))
    turned = flips(m.before.geometry, m.enemy, m.own, disc.bit_length() - 1)
    m.enemy |= disc
    m.turn(turned)
    m.name("IM-2", disc)


def impossible_square(m: AlteredBoard) -> None:
    disc = m.one(m.empty() & ~m.before.legal_moves())
    m.own |= disc
    m.name("IM-3", disc)


def under_turned(m: AlteredBoard) -> None:
    m.play()
    forgotten = m.some(m.turned)
    m.turn(forgotten)
    m.name("IM-4", forgotten)


def over_turned(m: AlteredBoard, most: int = 4) -> None:
    m.play()
    too_many = m.some((m.before.own | m.before.enemy) & ~m.turned, most)
    m.turn(too_many)
    m.name("IM-5", too_many)


def slid(m: AlteredBoard) -> None:
    m.play()
    disc = m.one(m.before.own | m.before.enemy)
    displace(m, disc, m.one(m.near(disc)))


def jumped(m: AlteredBoard) -> None:
    m.play()
    displace(m, m.one(m.before.own | m.before.enemy), m.one(m.empty()))


def slid_without_a_move(m: AlteredBoard) -> None:
    disc = m.one(m.own | m.enemy)
    displace(m, disc, m.one(m.near(disc)))


def jumped_without_a_move(m: AlteredBoard) -> None:
    displace(m, m.one(m.own | m.enemy), m.one(m.empty()))


def displace(m: AlteredBoard, disc: int, to: int) -> None:
    m.move_disc(disc, to)
    m.expected.add(("IM-6", tuple(name for s in (disc, to) for name in m.before.geometry.names(s))))


def taken_off(m: AlteredBoard) -> None:
    m.play()
    disc = m.one(m.before.own | m.before.enemy)
    m.own, m.enemy = m.own & ~disc, m.enemy & ~disc
    m.name("IM-6", disc)


def two_taken_off(m: AlteredBoard) -> None:
    m.play()
    for _ in range(2):
        disc = m.one((m.before.own | m.before.enemy) & (m.own | m.enemy))
        m.own, m.enemy = m.own & ~disc, m.enemy & ~disc
        m.name("IM-6", disc)


def one_disc_too_many(m: AlteredBoard) -> None:
    m.play()
    disc = m.one(m.empty())
    m.own |= disc
    m.name("IM-6", disc)


def wrong_color_and_under_turned(m: AlteredBoard) -> None:
    under_turned(m)
    m.turn(m.square)
    m.name("IM-1", m.square)


def wrong_color_and_over_turned(m: AlteredBoard) -> None:
    over_turned(m, 2)
    m.turn(m.square)
    m.name("IM-1", m.square)


def under_and_over_turned(m: AlteredBoard) -> None:
    over_turned(m, 2)
    forgotten = m.some(m.turned)
    m.turn(forgotten)
    m.name("IM-4", forgotten)


def impossible_square_and_a_disc_turned(m: AlteredBoard) -> None:
    enemy = m.enemy
    impossible_square(m)
    turned = m.some(enemy, 2)
    m.turn(turned)
    m.name("IM-5", turned)


def impossible_square_and_a_moves_discs_turned(m: AlteredBoard) -> None:
    """Place on an impossible square and flip what a move elsewhere would have flipped, as if that move's disc had
    slid."""
    move = m.one(m.before.legal_moves())
    turned = m.before.flips(move.bit_length() - 1)
    impossible_square(m)
    m.turn(turned)
    m.name("IM-5", turned)


def slid_and_under_turned(m: AlteredBoard) -> None:
    slid(m)
    forgotten = m.one(m.turned & m.own)
    m.turn(forgotten)
    m.name("IM-4", forgotten)


def one_disc_too_many_and_over_turned(m: AlteredBoard) -> None:
    over_turned(m, 1)
    disc = m.one(m.empty())
    m.own |= disc
    m.name("IM-6", disc)


def two_discs_placed(m: AlteredBoard) -> None:
    """Make a move, and place a second disc on a square that flips nothing."""
    m.play()
    disc = m.one(m.empty() & ~legal_moves(m.before.geometry, m.own, m.enemy))
    m.own |= disc
    m.name("IM-6", disc)


def two_moves_made(m: AlteredBoard) -> None:
    """Make a move and a second move of the same side, both with all their flips."""
    m.play()
    disc = m.one(legal_moves(m.before.geometry, m.own, m.enemy))
    turned = flips(m.before.geometry, m.own, m.enemy, disc.bit_length() - 1)
    m.own |= disc
    m.turn(turned)
    m.name("IM-6", disc)
    m.name("IM-5", turned)


def out_of_turn_and_under_turned(m: AlteredBoard) -> None:
    disc = m.one(legal_moves(m.before.geometry, m.enemy, m.own))
    turned = flips(m.before.geometry, m.enemy, m.own, disc.bit_length() - 1)
    if turned.bit_count() < 2:
        raise NoRoomError
    forgotten = m.one(turned)
    m.enemy |= disc
    m.turn(turned ^ forgotten)
    m.name("IM-2", disc)
    m.name("IM-4", forgotten)


def taken_off_and_under_turned(m: AlteredBoard) -> None:
    taken_off(m)
    forgotten = m.one(m.turned & m.own)
    m.turn(forgotten)
    m.name("IM-4", forgotten)


def hands_through_the_board(m: AlteredBoard) -> None:
    """Make a move, flip five discs and displace two: too much to be claimed disc by disc (IM-10)."""
    m.play()
    turned = m.choice.sample(scan((m.before.own | m.before.enemy) & ~m.turned), 5)
    m.turn(sum(1 << square for square in turned))
    for origin in m.choice.sample(scan((m.before.own | m.before.enemy) & ~sum(1 << square for square in turned)), 2):
        m.move_disc(1 << origin, m.one(m.empty() & ~(1 << origin)))


#: The errors of the rule book (RULES.md 4.1) alone, then together.
MOVE_ERRORS: tuple[Callable[[AlteredBoard], None], ...] = (
    wrong_color,
    out_of_turn,
    impossible_square,
    under_turned,
    over_turned,
    slid,
    jumped,
    slid_without_a_move,
    jumped_without_a_move,
    taken_off,
    two_taken_off,
    one_disc_too_many,
    two_discs_placed,
    two_moves_made,
    wrong_color_and_under_turned,
    wrong_color_and_over_turned,
    out_of_turn_and_under_turned,
    under_and_over_turned,
    impossible_square_and_a_disc_turned,
    impossible_square_and_a_moves_discs_turned,
    slid_and_under_turned,
    taken_off_and_under_turned,
    one_disc_too_many_and_over_turned,
)


@dataclass(frozen=True)
class FaultyTurn:
    """A board with an error, and what should be reported: kinds with their squares."""

    before: Position
    after: str
    expected: frozenset[tuple[str, tuple[str, ...]]]


def spoil(before: Position, move_error: Callable[[AlteredBoard], None], choice: random.Random) -> FaultyTurn | None:
    """Return the board after the error; None if the position does not allow it."""
    board = AlteredBoard(before, choice)
    try:
        move_error(board)
    except NoRoomError:
        return None
    black, white = (board.own, board.enemy)[:: 1 if before.to_move is Color.BLACK else -1]
    return FaultyTurn(before, replace(before, black=black, white=white).cells(), frozenset(board.expected))
