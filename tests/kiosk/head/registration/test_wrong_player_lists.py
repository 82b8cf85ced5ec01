"""Tests of files that are no list of players: they do not replace the list that a head or a federation has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from kiosk.head.errors import HeadError
from kiosk.head.registration.rating_and_member_lookup import read_file

LETTER = "拝啓 皆様\n大会のご案内です。\nよろしくお願いします。\n"


@pytest.mark.parametrize("text", [LETTER, "氏名\n青木 みどり\n"])
def test_a_text_of_which_only_names_can_be_read_is_refused(text: str) -> None:
    with pytest.raises(HeadError, match="nothing but names"):
        read_file(text.encode())


@pytest.mark.parametrize("text", ["氏名,段位\n青木 みどり,三段\n", "name,wof\nAoki Midori,501\n"])
def test_a_list_that_says_more_is_read(text: str) -> None:
    found: Iterator[Mapping[str, object]] = read_file(text.encode())
    assert len(list(found)) == 1
