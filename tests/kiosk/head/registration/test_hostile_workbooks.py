"""Tests that no workbook crashes, blocks or exhausts the program that reads it: the answer is a list or one message.

A reader without limits would take up to 550 GB for these files: set ``ulimit -v`` before experiments.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from heads import hostile_files as made

from kiosk.head.registration.player_list_columns_and_cells import UnreadableList
from kiosk.head.registration.player_list_import import parse_list
from kiosk.head.registration.workbook_reader import sheets_of
from kiosk.locale import JAPANESE, render, render_both

HARMFUL: dict[str, Callable[[], bytes]] = {
    "550 GB": lambda: made.far_apart("XFD1048576"),
    "3.3 GB": lambda: made.far_apart("CV1048576"),
    "a row of an .ods that is repeated": lambda: made.repeated(1_000_000, 100),
    "1.26 GB and 29 s": lambda: made.one_string(400, 1_000_000),
    "a string of 30 MB": lambda: made.one_string(20, 30_000_000),
    "a zip in a zip": lambda: made.packed({"a.zip": made.packed({"b.zip": made.far_apart("XFD1048576")})}),
    "100 MB in one file": lambda: made.packed({"xl/workbook.xml": bytes(100_000_000)}),
    "cut off": lambda: made.players(600)[:-2_000],
    "a head of .xls alone": lambda: b"\xd0\xcf\x11\xe0" + b"\xff" * 2_000_000,
}


@pytest.mark.fault(31, "workbooks that ask for any memory")
@pytest.mark.parametrize("which", HARMFUL)
def test_an_oversized_workbook_is_refused_with_a_message(which: str) -> None:
    """The message is in both languages, and the parent process survives."""
    with pytest.raises(UnreadableList) as refused:
        sheets_of(HARMFUL[which]())
    assert render(refused.value.text, JAPANESE) != str(refused.value) and "\n" not in str(refused.value)
    assert len(render_both(refused.value.text)) < 500


@pytest.mark.parametrize("which", ["cut off", "a head of .xls alone"])
def test_a_damaged_workbook_is_refused_without_the_sentence_of_a_library(which: str) -> None:
    with pytest.raises(UnreadableList) as refused:
        sheets_of(HARMFUL[which]())
    assert str(refused.value) == "the workbook cannot be read; save its list as CSV"


@pytest.mark.parametrize("content", [made.deep_xml(200_000), made.repeated(1, 2_000_000_000)], ids=["deep XML", ".ods"])
def test_deep_xml_and_repeated_cells_give_a_short_text_or_a_message(content: bytes) -> None:
    try:
        sheets = sheets_of(content)
    except UnreadableList:
        return
    assert sum(len(text) for _, text in sheets) < 10_000


def test_a_long_cell_is_cut_off_so_that_its_line_is_refused() -> None:
    ((_, text),) = sheets_of(made.one_string(50, 100_000))
    assert len(text) < 1_000_000
    with pytest.raises(UnreadableList, match="line 1 is longer"):
        parse_list(text)


def test_a_list_of_600_players_is_within_the_limits() -> None:
    ((name, text),) = sheets_of(made.players(600))
    listing = parse_list(text)
    assert name == "名簿" and len(listing.entries) == 600 and not listing.problems
