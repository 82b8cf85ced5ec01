"""Tests of searching and sorting Japanese names."""

from __future__ import annotations

import pytest

from engine.tournament.event_model import Player
from engine.tournament.player_entry_fields import in_latin_letters
from kiosk.records.japanese_name_search_and_order import VARIANTS, collation_key, index_row, matches_search, search_key
from kiosk.records.kana_to_romaji import romaji_of

SPELT = Player("p1", "髙﨑 ハル", kana="タカサキ ハル")


@pytest.mark.parametrize("typed", ["高崎", "髙﨑", "たかさき", "タカサキ", "ﾀｶｻｷ", "ハル", "はる", "高崎　ﾊﾙ", ""])
def test_a_name_is_found_however_it_is_written(typed: str) -> None:
    """Variant characters, half-width kana, hiragana for katakana, and the reading are found."""
    assert matches_search(SPELT, typed)
    assert not matches_search(SPELT, "やまだ")


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("O'Neill Siobhán", "o’neill"),
        ("D’Angelo Niccolò", "d'angelo nicco"),
        ("Lindström Åsa", "lindstrom"),
        ("Lindström Åsa", "Åsa"),
        ("Bjørn Øverås", "bjorn overas"),
        ("Dvořák Jiří", "dvorak"),
    ],
)
def test_a_name_is_found_without_its_accents_and_with_any_apostrophe(name: str, typed: str) -> None:
    """As a phone, or a keyboard of another country, types it."""
    assert matches_search(Player("p1", name), typed)


def test_names_are_sorted_by_kana() -> None:
    """Voiced and small kana are sorted with the plain ones; names without a reading follow, letters first."""
    said = ["わだ", "キモト", "ぎんや", "あおき", "かとう", "ガルシア", None, "ヴィクトル"]
    players = [Player(f"p{at}", "Lund" if kana is None else f"名{at}", kana=kana) for at, kana in enumerate(said)]
    players.append(Player("p9", "青木"))
    ordered = [player.kana or player.name for player in sorted(players, key=collation_key)]
    assert ordered == ["あおき", "ヴィクトル", "かとう", "ガルシア", "キモト", "ぎんや", "わだ", "Lund", "青木"]
    assert [index_row(player) for player in players] == ["わ", "か", "か", "あ", "か", "か", "A", "あ", ""]


def test_an_english_list_is_in_the_order_of_the_latin_letters() -> None:
    """A name in other letters, of any script, is shown and ordered by the one in Latin letters, if it is known."""
    players = [
        Player("p1", "鈴木 一郎", kana="すずき いちろう", latin="Suzuki Ichiro"),
        Player("p2", "Иванов Пётр", latin="Ivanov Petr"),
        Player("p3", "สมชาย", latin="Somchai"),
        Player("p4", "Dvořák Jiří", latin="Dvorak Jiri"),
        Player("p5", "青木 緑", kana="あおき みどり"),
    ]
    english = sorted(map(in_latin_letters, players), key=collation_key)
    assert [player.name for player in english] == ["青木 緑", "Dvořák Jiří", "Ivanov Petr", "Somchai", "Suzuki Ichiro"]
    assert [index_row(player) for player in english] == ["あ", "A", "A", "A", "A"]
    assert all(matches_search(english[4], typed) for typed in ("suzuki", "鈴木", "すずき"))


def test_every_variant_character_has_one_standard_form() -> None:
    written, meant = VARIANTS[::2], VARIANTS[1::2]
    assert len(written) == len(meant) == len(set(written)) and not set(written) & set(meant)
    assert search_key("ＳＡＴＯ") == "sato"


@pytest.mark.parametrize(
    ("kana", "latin"),
    [
        ("おおの こういち", "Ono Koichi"),
        ("ｻﾄｳ ｼｮｳﾀ", "Sato Shota"),
        ("はっとり・りょうへい", "Hattori Ryohei"),
        ("ほっち じゅんいち", "Hotchi Junichi"),
        ("なんば じゅんぺい", "Namba Jumpei"),
        ("いのうえ ゆうき", "Inoue Yuki"),
        ("まつうら とおる", "Matsuura Toru"),
        ("おおうち いいじま", "Ouchi Iijima"),
        ("ティナ ジェームズ", "Tina Jemuzu"),
        ("青木 みどり", ""),
        ("Aoki", ""),
        ("ー っ", ""),
        ("", ""),
    ],
)
def test_a_name_in_latin_letters_is_proposed_from_the_reading(kana: str, latin: str) -> None:
    """Spelled as in passports: no macrons, m before b, m and p, tch for a doubled ch; nothing if there is no kana."""
    assert romaji_of(kana) == latin
