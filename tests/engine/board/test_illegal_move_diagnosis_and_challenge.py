"""Diagnosis of the seven illegal moves, alone and combined (RULES.md 4.1), and of legal moves."""

from __future__ import annotations

import random

import pytest
from boards.random_boards import BOARDS, COLORS, positions
from hypothesis import given
from hypothesis import strategies as st
from messages.bilingual import both
from oracles.simple_othello import Mailbox

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.errors import BadBoard
from engine.board.illegal_move_diagnosis_and_challenge import (
    ChallengeAnswer,
    Diagnosis,
    Verdict,
    ViolationKind,
    confirm,
    diagnose,
)
from engine.board.position import Position
from engine.board.transcript import parse_transcript, replay

#: Black to move: g5 turns f4, e5 and f5.
RAT = "--------------------X------OXO-----XOO-------O------------------"
FORCED_PASS = "--------------------------XXX--O---XXXOO-----X-O-----X----------"


def edit(cells: str, **squares: str) -> str:
    """Return the board string with some squares changed: edit(cells, f5="X")."""
    board = list(cells)
    for name, cell in squares.items():
        board["abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)] = cell
    return "".join(board)


def summary(diagnosis: Diagnosis) -> str:
    """Return the findings in one line: ``IM-4 e5 f5, IM-5 e3``."""
    return ", ".join(f"{finding.kind} {' '.join(finding.squares)}" for finding in diagnosis.findings)


def diagnose_rat(**squares: str) -> Diagnosis:
    return diagnose(Position.from_cells(RAT, Color.BLACK), edit(RAT, **squares))


def test_a_legal_move() -> None:
    diagnosis = diagnose_rat(g5="X", f4="X", e5="X", f5="X")
    assert diagnosis.verdict is Verdict.LEGAL
    assert (diagnosis.move, diagnosis.flipped, diagnosis.findings) == ("g5", ("f4", "e5", "f5"), ())
    assert (
        diagnosis.legal_moves == ("c3", "c4", "g4", "c5", "g5", "d6", "e6", "f6", "g7")[0:0]
        or "g5" in diagnosis.legal_moves
    )


@pytest.mark.parametrize(
    ("kind", "squares", "move"),
    [
        # IM-1: the move is made, its own disc shows the wrong side; or nothing at all is turned
        ("IM-1 g5", {"g5": "O", "f4": "X", "e5": "X", "f5": "X"}, "g5"),
        ("IM-1 g5, IM-4 f5", {"g5": "O", "f4": "X", "e5": "X"}, "g5"),
        ("IM-1 g5, IM-4 f4 e5 f5", {"g5": "O"}, "g5"),
        ("IM-1 g5, IM-5 d4", {"g5": "O", "f4": "X", "e5": "X", "f5": "X", "d4": "X"}, "g5"),
        ("IM-1 a1, IM-3 a1", {"a1": "O"}, "a1"),
        # IM-2: White's move, with White's flips
        ("IM-2 e2", {"e2": "O", "e3": "O", "e4": "O"}, "e2"),
        ("IM-2 c5", {"c5": "O", "d5": "O"}, "c5"),
        ("IM-2 c5, IM-5 e4", {"c5": "O", "d5": "O", "e4": "O"}, "c5"),
        # IM-3
        ("IM-3 a1", {"a1": "X"}, "a1"),
        ("IM-3 a1, IM-5 d4", {"a1": "X", "d4": "X"}, "a1"),
        # IM-4
        ("IM-4 f4", {"g5": "X", "e5": "X", "f5": "X"}, "g5"),
        ("IM-4 e5 f5", {"g5": "X", "f4": "X"}, "g5"),
        ("IM-4 f4 e5 f5", {"g5": "X"}, "g5"),
        # IM-5: too many, of the enemy's and of his own
        ("IM-5 d4", {"g5": "X", "f4": "X", "e5": "X", "f5": "X", "d4": "X"}, "g5"),
        ("IM-5 e3", {"g5": "X", "f4": "X", "e5": "X", "f5": "X", "e3": "O"}, "g5"),
        ("IM-5 d4", {"d4": "X"}, None),
        # IM-4 and IM-5
        ("IM-4 f4, IM-5 d4", {"g5": "X", "e5": "X", "f5": "X", "d4": "X"}, "g5"),
        # IM-6: slid, slid far, slid without a move, taken off, one too many, with turns forgotten, two discs
        ("IM-6 e3 e2", {"g5": "X", "f4": "X", "e5": "X", "f5": "X", "e3": "-", "e2": "X"}, "g5"),
        ("IM-6 f6 a8", {"g5": "X", "f4": "X", "e5": "X", "f5": "X", "f6": "-", "a8": "O"}, "g5"),
        ("IM-6 f5 g6", {"g5": "X", "f4": "X", "e5": "X", "f5": "-", "g6": "X"}, "g5"),
        ("IM-6 e3 e2", {"e3": "-", "e2": "X"}, None),
        ("IM-6 e3", {"g5": "X", "f4": "X", "e5": "X", "f5": "X", "e3": "-"}, "g5"),
        ("IM-6 e3", {"e3": "-"}, None),
        ("IM-6 a1", {"g5": "X", "f4": "X", "e5": "X", "f5": "X", "a1": "X"}, "g5"),
        ("IM-4 f4, IM-6 e3 e2", {"g5": "X", "e5": "X", "f5": "X", "e3": "-", "e2": "X"}, "g5"),
        ("IM-5 e3, IM-6 e3 e2", {"g5": "X", "f4": "X", "e5": "X", "f5": "X", "e3": "-", "e2": "O"}, "g5"),
        ("IM-6 e3 e2, IM-6 f6 f7", {"e3": "-", "e2": "X", "f6": "-", "f7": "O"}, None),
        # ... which went where: the colours are kept, then the shortest way
        ("IM-6 e3 h8, IM-6 f6 a1", {"e3": "-", "h8": "X", "f6": "-", "a1": "O"}, None),
        ("IM-6 d4 c5, IM-6 f4 g3", {"d4": "-", "c5": "O", "f4": "-", "g3": "O"}, None),
        # ... with discs turned for it; that the disc of a move slid there (IM-6) is a tie
        ("IM-3 h5, IM-5 f4 e5 f5", {"h5": "X", "f4": "X", "e5": "X", "f5": "X"}, "h5"),
        # IM-6 of the disc just placed: it is gone
        ("IM-6 g5", {"f4": "X", "e5": "X", "f5": "X"}, "g5"),
    ],
)
def test_an_illegal_move(kind: str, squares: dict[str, str], move: str | None) -> None:
    diagnosis = diagnose_rat(**squares)
    assert diagnosis.verdict is Verdict.ILLEGAL
    assert (summary(diagnosis), diagnosis.move) == (kind, move)


def test_a_disc_beside_a_move_with_all_its_flips_ties_with_a_displaced_disc() -> None:
    diagnosis = diagnose_rat(h5="X", f4="X", e5="X", f5="X")
    (tie,) = diagnosis.ties
    assert (tie.move, [(str(one.kind), one.squares) for one in tie.findings]) == ("g5", [("IM-6", ("g5", "h5"))])
    assert confirm(diagnosis, ViolationKind.IMPOSSIBLE_SQUARE).answer is ChallengeAnswer.UNSETTLED


def test_forgotten_flips_are_likelier_than_a_displaced_disc() -> None:
    """f7 flips f3, f4, f5 and f6, its neighbour g6 only f6.

    With f7 placed and f6 flipped, three forgotten flips are named.
    """
    before = Position.from_cells("-------------X----X-XO----OOOOX----OOO-----OXO----XXX-----------", Color.BLACK)
    assert summary(diagnose(before, edit(before.cells(), f7="X", f6="X"))) == "IM-4 f3 f4 f5"


def test_flipped_lists_every_disc_that_changed_colour() -> None:
    assert diagnose_rat(g5="X", f4="X", e3="O").flipped == ("e3", "f4")


@pytest.mark.parametrize(
    "squares",
    [
        {"g5": "X", "f4": "X", "e5": "X", "f5": "X", "g6": "O", "h7": "O"},  # two discs too many
        {"g5": "X", "f4": "O", "e5": "X", "f5": "X", "g4": "O", "e4": "O"},  # Black moved, then White at g4
        {"e3": "-", "e4": "-", "f4": "-"},
        {"e3": "-", "e4": "-", "f4": "-", "a1": "X", "b1": "X", "c1": "O"},
        dict.fromkeys(("a1", "b1", "c1", "d1", "e1"), "X"),
    ],
)
def test_more_than_one_move_is_too_large_to_point_out(squares: dict[str, str]) -> None:
    """IM-10: a change larger than one move is not named disc by disc."""
    diagnosis = diagnose_rat(**squares)
    assert (diagnosis.verdict, diagnosis.move, diagnosis.findings) == (Verdict.TOO_LARGE, None, ())


@given(positions(), st.randoms())
def test_a_move_of_each_side_is_too_large(before: Position, choice: random.Random) -> None:
    """IM-10: two moves, one of each side, between two readings are not reported as an error of one player."""
    first = before.play(choice.choice(scan(before.legal_moves())))
    for square in scan(first.legal_moves()):
        assert diagnose(before, first.play(square).cells()).verdict is Verdict.TOO_LARGE


def test_a_board_with_every_disc_turned_is_too_large() -> None:
    """IM-10: a sensor board upside down is no violation by a player."""
    before = replay(parse_transcript("f5d6c5f4e3c6d3f6e6"))
    after = before.cells().translate(str.maketrans("XO", "OX"))
    assert diagnose(before, after).verdict is Verdict.TOO_LARGE


@given(positions())
def test_a_move_without_any_flips_is_named_disc_by_disc(before: Position) -> None:
    """Forgotten flips (IM-4) are named however many discs the move flips."""
    for move in before.geometry.names(before.legal_moves()):
        diagnosis = diagnose(before, edit(before.cells(), **{move: before.to_move.symbol}))
        turned = before.geometry.names(before.flips(before.geometry.square(move)))
        assert summary(diagnosis) == f"IM-4 {' '.join(turned)}"


def test_an_unchanged_board() -> None:
    diagnosis = diagnose_rat()
    assert (diagnosis.verdict, diagnosis.move, diagnosis.findings) == (Verdict.UNCHANGED, None, ())


def test_a_forced_pass() -> None:
    """OTH-09: a forced pass is legal, declared or not."""
    before = Position.from_cells(FORCED_PASS, Color.BLACK)
    assert diagnose(before, FORCED_PASS).verdict is Verdict.PASS
    assert diagnose(before, FORCED_PASS, declared_pass=True) == diagnose(before, FORCED_PASS)


def test_a_false_pass_names_every_square_that_can_be_played() -> None:
    """IM-7, M43-6a.5: the finding of a false pass lists every legal square."""
    start = Position.start()
    diagnosis = diagnose(start, start.cells(), declared_pass=True)
    assert (diagnosis.verdict, summary(diagnosis)) == (Verdict.ILLEGAL, "IM-7 d3 c4 f5 e6")


def test_the_board_overrides_a_declared_pass() -> None:
    start = Position.start()
    moved = start.play(start.geometry.square("f5")).cells()
    assert diagnose(start, moved, declared_pass=True).verdict is Verdict.LEGAL
    slid = edit(start.cells(), d4="-", c4="O")
    assert summary(diagnose(start, slid, declared_pass=True)) == "IM-6 d4 c4, IM-7 d3 c4 f5 e6"


def test_a_move_after_an_uncorrected_error_is_judged_by_itself() -> None:
    """K-09, IM-12: on a board that no legal game reaches, the next move is judged from that board."""
    forgotten = edit(RAT, g5="X", f5="X")  # e5 and f4 were not turned
    before = Position.from_cells(forgotten, Color.WHITE)
    square = before.geometry.square("h5")
    assert diagnose(before, before.play(square).cells()).verdict is Verdict.LEGAL


def test_findings_are_formatted_in_both_languages() -> None:
    (finding,) = diagnose_rat(g5="X", e5="X", f5="X").findings
    assert both(finding.text) == "not turned: f4 / 返し忘れ f4"


def test_moves_on_other_boards_are_diagnosed() -> None:
    start = Position.start("88")
    legal = start.play(start.geometry.square("g6")).cells()
    assert diagnose(start, legal).move == "g6"
    c1 = start.geometry.squares.index(start.geometry.square("c1"))
    assert summary(diagnose(start, start.cells()[:c1] + "X" + start.cells()[c1 + 1 :])) == "IM-3 c1"


@pytest.mark.parametrize("after", [RAT[:-1], RAT[:-1] + "*", RAT[:-1] + " "])
def test_an_unusable_board_is_refused(after: str) -> None:
    with pytest.raises(BadBoard):
        diagnose(Position.start(), after)


@given(positions())
def test_every_legal_move_is_legal(before: Position) -> None:
    for move in before.geometry.names(before.legal_moves()):
        square = before.geometry.square(move)
        diagnosis = diagnose(before, before.play(square).cells())
        assert diagnosis.verdict is Verdict.LEGAL
        assert diagnosis.move == move
        assert diagnosis.flipped == before.geometry.names(before.flips(square))


@given(BOARDS, BOARDS, COLORS)
def test_diagnosis_of_arbitrary_boards_is_consistent(before: str, after: str, mover: Color) -> None:
    check_consistency(before, after, mover)


@given(positions(), positions())
def test_diagnosis_of_boards_of_games_is_consistent(before: Position, after: Position) -> None:
    check_consistency(before.cells(), after.cells(), before.to_move)


def check_consistency(before: str, after: str, mover: Color) -> None:
    """Check that exactly the boards one legal move of a mailbox board leads to are called legal."""
    diagnosis = diagnose(Position.from_cells(before, mover), after)
    reached = {}
    for move in Mailbox.from_cells(before, mover.symbol).legal():
        mailbox = Mailbox.from_cells(before, mover.symbol)
        mailbox.play(move)
        reached[mailbox.text()] = move
    assert (diagnosis.verdict is Verdict.LEGAL) == (after in reached)
    assert diagnosis.move == reached.get(after, diagnosis.move)
    assert (diagnosis.verdict is Verdict.ILLEGAL) == bool(diagnosis.findings)
    assert (before == after) == (diagnosis.verdict in (Verdict.UNCHANGED, Verdict.PASS))
    assert all(finding.squares for finding in diagnosis.findings)


def test_two_discs_placed() -> None:
    """The second disc of the mover is named, and the discs that it flipped."""
    assert summary(diagnose_rat(g5="X", f4="X", e5="X", f5="X", h8="X")) == "IM-6 h8"
    second = diagnose_rat(g5="X", f4="X", e5="X", f5="X", c4="X", d4="X")
    assert (second.verdict, second.move) == (Verdict.ILLEGAL, "c4")
    assert summary(second) == "IM-5 f4 e5 f5, IM-6 g5"
    assert [(tie.move, [str(finding.kind) for finding in tie.findings]) for tie in second.ties] == [
        ("g5", ["IM-5", "IM-6"])
    ]


def test_an_additional_disc_beside_another_error() -> None:
    """An additional disc is named beside another error, unless it flipped discs, which means a move of each side."""
    assert summary(diagnose_rat(g5="X", f4="X", e5="X", h5="O")) == "IM-4 f5, IM-6 h5"
    assert summary(diagnose_rat(g5="X", f4="X", e5="X", f5="X", d4="X", a8="O")) == "IM-5 d4, IM-6 a8"


def test_ties_are_reported() -> None:
    """Where either of two discs may be the move, the other hypothesis is among the ties."""
    diagnosis = diagnose_rat(a1="X", h8="X")
    assert (diagnosis.move, summary(diagnosis)) == ("a1", "IM-3 a1, IM-6 h8")
    (tie,) = diagnosis.ties
    assert (tie.move, [(str(f.kind), f.squares) for f in tie.findings]) == (
        "h8",
        [("IM-3", ("h8",)), ("IM-6", ("a1",))],
    )
    assert diagnose_rat(g5="X").ties == ()


@pytest.mark.parametrize(
    ("squares", "answer"),
    [
        # the only move that fits; an unread square that was empty and is not the move's cannot contradict it
        ({"g5": "X", "f4": "X", "e5": "X", "f5": "X", "a1": "?"}, ("legal", "g5", "", "g5")),
        # a disc that the move turns, or any other that may have been turned
        ({"g5": "X", "f4": "X", "e5": "?", "f5": "X"}, ("too_large", "g5", "e5", "g5")),
        ({"g5": "X", "f4": "X", "e5": "X", "f5": "X", "d4": "?"}, ("too_large", "g5", "d4", "g5")),
        # the move's own square
        ({"g5": "?", "f4": "X", "e5": "X", "f5": "X"}, ("too_large", "g5", "g5", "g5")),
        # nothing at all was seen to change
        ({"a1": "?"}, ("too_large", "None", "a1", "None")),
        ({"g5": "?", "f4": "?", "e5": "?", "f5": "?"}, ("too_large", "None", "f4 e5 f5 g5", "None g5")),
        # certainly illegal: no unread square could make it legal
        ({"g5": "X", "f4": "?", "e5": "O", "f5": "X"}, ("illegal", "g5", "f4", "")),
        ({"a1": "X", "d4": "?"}, ("illegal", "a1", "d4", "")),
    ],
)
def test_squares_that_were_not_read(squares: dict[str, str], answer: tuple[str, str, str, str]) -> None:
    diagnosis = diagnose_rat(**squares)
    deciding, possible = " ".join(diagnosis.deciding), " ".join(map(str, diagnosis.possible))
    assert (str(diagnosis.verdict), str(diagnosis.move), deciding, possible) == answer
    assert bool(diagnosis.findings) == (diagnosis.verdict is Verdict.ILLEGAL)


def test_certain_errors_are_named_despite_unread_squares() -> None:
    assert summary(diagnose_rat(g5="X", f4="?", e5="O", f5="X")) == "IM-4 e5"


def test_a_board_with_every_square_unread() -> None:
    diagnosis = diagnose(Position.start(), "?" * 64)
    assert (diagnosis.verdict, diagnosis.move) == (Verdict.TOO_LARGE, None)
    assert diagnosis.possible == (None, "d3", "c4", "f5", "e6")
    assert len(diagnosis.deciding) == 64
