"""Tests of languages: each is one file; missing texts are shown in English; ``make lint`` reports them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from markupsafe import Markup
from messages import catalogues

from engine.i18n import say, say_n
from hardware.errors import say as say_of_hardware
from kiosk import locale
from kiosk.table.strings import arbiter_strings

HEAD = 'msgid ""\nmsgstr ""\n"Language: pl\\n"\n"Content-Type: text/plain; charset=utf-8\\n"\n'
PLURAL = '"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);\\n"\n'


@pytest.fixture
def polish_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A third language: one file."""
    file = tmp_path / "pl.po"
    file.write_text(
        HEAD
        + PLURAL
        + '\nmsgid "round {n}"\nmsgstr "runda {n}"\n'
        + '\nmsgid "{n} game"\nmsgid_plural "{n} games"\n'
        + 'msgstr[0] "{n} partia"\nmsgstr[1] "{n} partie"\nmsgstr[2] "{n} partii"\n'
        + '\n#, fuzzy\nmsgid "unsure"\nmsgstr "niepewne"\n'
    )
    monkeypatch.setattr(locale, "FOLDER", tmp_path)
    locale._catalogue.cache_clear()
    yield file
    locale._catalogue.cache_clear()


def test_a_third_language_is_one_new_file(polish_catalogue: Path) -> None:
    assert "pl" in locale.languages()
    assert locale.render(say("round {n}", n=3), "pl") == "runda 3"


def test_a_language_has_its_own_plural_forms(polish_catalogue: Path) -> None:
    said = [locale.render(say_n("{n} game", "{n} games", n), "pl") for n in (1, 3, 5, 22)]
    assert said == ["1 partia", "3 partie", "5 partii", "22 partie"]


def test_missing_and_fuzzy_translations_are_shown_in_english(polish_catalogue: Path) -> None:
    assert locale.render(say("table {n}", n=3), "pl") == "table 3"
    assert locale.render(say("unsure"), "pl") == "unsure"


def test_a_catalogue_is_read_as_babel_reads_it() -> None:
    """Babel writes the catalogues; the programs read them without it."""
    for file in locale.FOLDER.glob("*.po"):
        wanted = {
            (one.context or "", one.id if isinstance(one.id, str) else one.id[0]): (
                (one.string,) if isinstance(one.string, str) else tuple(one.string)
            )
            for one in catalogues.read(file)
            if one.id and one.string and not one.fuzzy
        }
        assert locale.Catalogue(file)._translations == wanted


def test_texts_of_the_hardware_package_are_rendered_the_same_way(polish_catalogue: Path) -> None:
    assert locale.render(say_of_hardware("round {n}", n=3), "pl") == "runda 3"


def test_values_in_a_sentence_with_html_are_escaped(polish_catalogue: Path) -> None:
    gettext = locale.jinja_names("en")["_"]
    said = gettext("{b} & {player}, {what}", b=Markup("<b>1</b>"), player="<i>", what=say("a < b"))
    assert said == Markup("<b>1</b> &amp; &lt;i&gt;, a &lt; b")
    assert gettext("{player} & co", player="<i>") == "<i> & co"  # the template of the page escapes it


def test_every_catalogue_has_every_sentence() -> None:
    """No entry is missing, unused, fuzzy or without a field."""
    present = catalogues.extracted()
    assert len(present) > 1
    for file in locale.FOLDER.glob("*.po"):
        catalogue = catalogues.read(file)
        assert list(catalogues.problems(catalogue, catalogues.wanted(file, catalogue, present))) == []


def test_a_language_variant_is_for_players_at_a_table_only() -> None:
    """Children's Japanese is never offered for pages, prints and commands; missing texts are shown in Japanese."""
    assert "ja-kana" in locale.players_languages() and "ja-kana" not in locale.languages()
    assert locale.render(say("Game clock"), "ja-kana") == "とけい"
    kana, japanese = (locale.render(arbiter_strings.NO_NOTES, language) for language in ("ja-kana", "ja"))
    assert kana == japanese != "There are no notes"
    assert locale.own_name("ja-kana") == "ひらがな"


def test_the_check_finds_faults_of_a_catalogue() -> None:
    present = Catalog()
    for template in ("kept {a}", "new", "empty", "renamed {a}", "doubted"):
        present.add(template, locations=[("x.py", 1)])
    mine = Catalog(locale="ja")
    mine.add("kept {a}", "保 {a}")
    mine.add("empty", "")
    mine.add("renamed {a}", "改 {b}")
    mine.add("doubted", "疑", flags=["fuzzy"])
    mine.add("gone", "消")
    assert list(catalogues.problems(mine, present)) == [
        "x.py: 'new': missing",
        "x.py: 'empty': not translated",
        "x.py: 'renamed {a}': the translation lacks {a}",
        "x.py: 'renamed {a}': nobody fills {b}",
        "x.py: 'doubted': fuzzy",
        "catalogue: 'gone': nobody says it any more",
    ]


def test_an_update_keeps_adds_and_removes_entries() -> None:
    present = Catalog()
    present.add("kept", locations=[("x.py", 7)])
    present.add("new", locations=[("a.py", 7)])
    mine = Catalog(locale="ja")
    mine.add("kept", "保")
    mine.add("gone", "消")
    made = catalogues.updated(mine, present)
    assert {message.id: message.string for message in made if message.id} == {"kept": "保", "new": ""}
    assert b"x.py:7" not in catalogues.file_content(made)


def test_no_line_begins_with_the_dot_between_two_functions() -> None:
    assert list(locale.line_pieces("Left: next square · Hold: next row")) == [
        "Left: ", "next ", "square · ", "Hold: ", "next ", "row"
    ]  # fmt: skip
