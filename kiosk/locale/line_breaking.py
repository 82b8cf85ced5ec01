"""Line breaking for Japanese and for languages with spaces."""

from __future__ import annotations

from collections.abc import Iterator

NEVER_FIRST = "、。，．・：；！？」』）】〉》ー々),.:;!?＝ 　"
NEVER_LAST = "「『（【〈《("
BREAK_AFTER = "、。，．：；！？」』）】〉》"
#: characters from here on are full-width (Japanese)
WIDE = 0x2E80


def line_pieces(text: str) -> Iterator[str]:
    """Return the pieces between which a line may break: Latin words with their space, and Japanese phrases, which
    nearly always end in hiragana or a punctuation mark and begin with something else.
    """
    piece = ""
    for character in text:
        if piece and _may_break(piece, character):
            yield piece
            piece = ""
        piece += character
    if piece:
        yield piece


def _may_break(piece: str, after: str) -> bool:
    before = piece[-1]
    if before in " 　":
        return after not in " 　"
    if ord(before) < WIDE and ord(after) < WIDE:
        return before == "-" and after.isalpha() and piece[-2:-1].isalnum()  # within a word; not of an --option
    if after in NEVER_FIRST or before in NEVER_LAST:
        return False
    return before in BREAK_AFTER or (_is_hiragana(before) and not _is_hiragana(after))


def _is_hiragana(character: str) -> bool:
    return "ぁ" <= character <= "ゖ"
