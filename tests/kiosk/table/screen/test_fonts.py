"""Tests of the fonts that come with the kiosk: which characters they have on a machine without other fonts."""

from __future__ import annotations

from pathlib import Path

import pygame.font
import pytest
from tables.manual_time_table import StillTable

from kiosk.table.device import display_loop
from kiosk.table.screen.text_layout_and_font_fallback import (
    BOLD,
    FONTS,
    REGULAR,
    FallbackFonts,
    FontGlyphs,
    Typeface,
    can_draw,
    font_runs,
)
from kiosk.table.table_config import ScreenConfig


def test_every_kanji_of_levels_1_and_2_and_the_variants_in_names_are_drawn() -> None:
    pygame.font.init()
    pairs = [bytes((row, cell)) for row in range(0xB0, 0xF5) for cell in range(0xA1, 0xFF)]
    kanji = "".join(pair.decode("euc_jp", errors="ignore") for pair in pairs)
    assert len(kanji) == 6355
    for file in (REGULAR, BOLD):
        own = FontGlyphs(file)
        assert [character for character in kanji + "髙﨑濵德邉邊齋齊瀨凜𠮷桒栁槗" if not own.has(character)] == []


def parts(text: str, *places: Path) -> list[tuple[str, str]]:
    pygame.font.init()
    return [(path.name, part) for path, part in font_runs(text, FontGlyphs(BOLD), FallbackFonts(True, places))]


def test_a_name_in_another_script_is_set_in_a_font_that_has_it() -> None:
    """There is no replacement box: the kiosk's font is used for the letters it has, else another one, each run in
    one piece."""
    own, other = BOLD.name, "DejaVuSans-Bold.ttf"
    assert parts("長谷部 Ann", FONTS) == [(own, "長谷部 Ann")]
    assert parts("שרה כהן", FONTS) == [(other, "שרה כהן")]
    assert parts("אב Ann", FONTS) == [(other, "אב"), (own, " "), (own, "Ann")]
    assert parts("Łukasz", FONTS) == [(other, "Ł"), (own, "ukasz")]
    assert parts("Zo\u0301e", FONTS) == [(own, "Z\u00f3e")]


@pytest.mark.parametrize(
    "name", ["Łukasz Żółć", "Đorđe Šešelj", "Ğülçin", "Ольга Їжак", "Ζωή Άλφα", "שרה כהן", "محمد", "Արամ", "ნინო"]
)
def test_names_of_other_scripts_are_drawn_without_any_font_of_the_machine(name: str) -> None:
    assert "".join(part for _, part in parts(name, FONTS)) == name


def test_a_font_of_the_machine_is_used_for_missing_letters(tmp_path: Path) -> None:
    (tmp_path / "Other.ttf").write_bytes((FONTS / "DejaVuSans.ttf").read_bytes())
    assert parts("Ann Łee", tmp_path) == [(BOLD.name, "Ann "), ("Other.ttf", "Ł"), (BOLD.name, "ee")]


def test_a_letter_that_no_font_has_becomes_a_question_mark(tmp_path: Path) -> None:
    (tmp_path / "broken.ttf").write_bytes(b"no font")
    assert parts("Ann ש\u05b8 Lee", tmp_path) == [(BOLD.name, "Ann ? Lee")]


def test_other_scripts_are_measured_as_they_are_drawn() -> None:
    face = Typeface(BOLD, FallbackFonts(True, [FONTS]))
    for name in ("שרה כהן", "Łukasz Żółć", "محمد"):
        assert face.render(name, 30, (255, 255, 255), 27, 35).get_width() == face.width(name, 30)


def test_without_a_japanese_font_the_screen_is_english_and_names_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It shows no row of question marks."""
    assert can_draw("卓") and not can_draw("卓", tmp_path / "none.otf", [tmp_path])
    assert not can_draw("卓", FONTS / "DejaVuSans.ttf", [tmp_path])
    face = Typeface(tmp_path / "none.otf", FallbackFonts(True, [tmp_path]))
    assert face.width("12:34", 30) > 30
    monkeypatch.setattr(display_loop, "can_draw", lambda character: False)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    made = StillTable(rules="casual")
    window = ScreenConfig(window=True)
    nothing = lambda *_: None  # noqa: E731
    display = display_loop.Display(window, made.table.program, made.time, nothing, nothing, nothing)
    made.settle()
    display._show(made.state, made.time.now_ns())
    shown = display._screen._shown
    assert shown is not None
    said = " ".join(shown.texts())
    assert "Other time or rules" in said and not any("ぁ" <= letter <= "鿿" for letter in said.replace("ひらがな", ""))
    assert any(trouble.kind == "font" and "fonts-noto-cjk" in str(trouble.text) for trouble in made.state.troubles)
    made.close()
