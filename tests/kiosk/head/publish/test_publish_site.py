"""Tests of the published site: complete, with valid links, no external content, and no hidden name."""

from __future__ import annotations

import html as html_module
import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from posixpath import dirname, join, normpath
from typing import Any

import pytest
from events.random_events import event_of
from events.recorded_events import recorded_event

from engine.board.ggf import read_ggf
from engine.board.transcript import format_transcript
from engine.board.wthor import read_wthor
from engine.tournament.event_model import Event
from kiosk.head.event.publication_redaction_and_latin_names import redact_event
from kiosk.head.event.spectator_visibility import NamePolicy, NameStyle, VisibilityRules
from kiosk.head.publish.export_files import KINDS, file_of, kinds_of
from kiosk.head.publish.published_event import Book, PublishedDivision, book_of
from kiosk.head.publish.results_article import Heading, article_of
from kiosk.head.publish.static_site import Site, zipped
from kiosk.records.elo_result_file_reader import read_elo
from kiosk.records.event_file import from_dict, to_dict
from kiosk.records.event_file_formats_and_csv import read_csv
from kiosk.records.rating_list_numbers_and_names import FIRST_NEWCOMER

AS_ENTERED = NamePolicy()


def _public(event: Event, naming: NamePolicy) -> Event:
    return redact_event(event, VisibilityRules(naming=naming), over=True)


@pytest.fixture(scope="module")
def event() -> dict[str, Any]:
    return recorded_event("m43-open", players=8, rounds=3)


def book(event: dict[str, Any], naming: NamePolicy = AS_ENTERED) -> Book:
    other = recorded_event("round-robin", players=5, seed=9, rounds=2)
    return book_of(
        [
            PublishedDivision("open", ("一般の部", "Open"), _public(from_dict(event), naming)),
            PublishedDivision("masters", ("名人の部", "Masters"), from_dict(other)),
        ]
    )


@pytest.fixture(scope="module")
def pages(event: dict[str, Any]) -> dict[str, bytes]:
    return {path: make().data for path, make in Site(book(event)).files.items()}


def html(pages: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    return ((path, data.decode()) for path, data in pages.items() if path.endswith(".html"))


def test_every_link_and_anchor_is_valid(pages: dict[str, bytes]) -> None:
    checked = 0
    for path, text in html(pages):
        ids = set(re.findall(r'\sid="([^"]+)"', text))
        for target in re.findall(r'(?:href|src)="([^"]+)"', text):
            file, _, anchor = target.partition("#")
            assert not re.match(r"[a-z]+:|//|/", file), (path, target)
            if file:
                assert normpath(join(dirname(path), file)) in pages, (path, target)
            if anchor and not file:
                assert anchor in ids, (path, target)
            checked += 1
    assert checked > 1000


def test_pages_need_no_script_and_no_style_of_their_own(pages: dict[str, bytes]) -> None:
    for path, text in html(pages):
        assert "<script" not in text and " style=" not in text and "<style" not in text and " onclick" not in text, path


def test_every_page_is_in_both_languages(pages: dict[str, bytes]) -> None:
    for path in pages:
        if path.startswith("ja/"):
            assert "en" + path[2:] in pages
    for path, text in html(pages):
        assert f'<html lang="{path[:2] if path[:2] in ("ja", "en") else "ja"}">' in text


def test_a_division_without_a_ranking_yet_does_not_prevent_publication() -> None:
    """A seed is wrong, and no round was played."""
    data = event_of("m40-open", 20)
    data["players"][0]["seed"] = 31
    site = Site(book_of([PublishedDivision("open", ("一般の部", "Open"), from_dict(data))]))
    made = [make() for path, make in site.files.items() if path.endswith(".html") or "article" in path]
    assert len(made) > 10


def test_the_archive_holds_the_same_files(event: dict[str, Any], pages: dict[str, bytes]) -> None:
    with zipfile.ZipFile(io.BytesIO(zipped(book(event), "event"))) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == {f"event/{p}": d for p, d in pages.items()}


def test_the_standings_explain_each_of_their_columns_and_their_order(
    event: dict[str, Any], pages: dict[str, bytes]
) -> None:
    text = pages["en/open/standings.html"].decode()
    assert "<dt>Brightwell points</dt>" in text and "own discs + 6 × the opponent" in text
    assert "ブライトウェルポイント" in pages["ja/open/standings.html"].decode()
    made = book(event).divisions[0]
    assert text.count("<li value=") == len(made.standings.rows) - 1
    assert str(made.reasons[0]) in html_module.unescape(text)


def test_hidden_names_are_in_no_page_and_no_file(event: dict[str, Any]) -> None:
    initials = _public(from_dict(event), NamePolicy(NameStyle.INITIALS, NameStyle.INITIALS))
    site = Site(book_of([PublishedDivision("open", ("一般", "Open"), initials)]))
    words = {word for player in event["players"] for word in player["name"].split() if len(word) > 2}
    words |= {player["club"] for player in event["players"]}
    for path, make in site.files.items():
        data = make().data
        if path.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                data = b"".join(archive.read(name) for name in archive.namelist())
        text = data.decode("utf-8", "ignore") + data.decode("latin-1")
        assert not [word for word in words if word in text], path


# files


@pytest.fixture(scope="module")
def swiss() -> PublishedDivision:
    event = from_dict(recorded_event("swiss", players=11, rounds=5))
    known = tuple(replace(player, latin=f"PLAYER {player.id}") for player in event.players)
    return PublishedDivision("open", ("一般", "Open"), replace(event, players=known))


def test_an_announcement_names_places_when_no_round_follows(swiss: PublishedDivision) -> None:
    for options, places in ((swiss.event.options, 0), (replace(swiss.event.options, ended_after=5), 1)):
        division = PublishedDivision("open", swiss.title, replace(swiss.event, options=options))
        blocks = article_of(book_of([division]), "en")
        assert sum(block == Heading(3, "Places") for block in blocks) == places == division.is_over


def written(division: PublishedDivision, kind: str) -> bytes:
    return file_of(division, kind).data


def test_every_kind_of_file_can_be_written(swiss: PublishedDivision) -> None:
    of_othello = tuple(kind for kind in KINDS if kind != "sheet")  # the score sheet is for ChouChou
    assert kinds_of(swiss) == of_othello
    assert len({file_of(swiss, kind).name for kind in of_othello}) == len(of_othello)
    japanese = PublishedDivision("open", ("一般", "Open"), from_dict(recorded_event("swiss", players=11, rounds=5)))
    assert kinds_of(japanese) == tuple(kind for kind in of_othello if kind != "elo")  # Latin letters only


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_page_of_files_names_every_file(swiss: PublishedDivision, lang: str) -> None:
    """An English page shows names in Latin letters; the files are made of the names as entered."""
    named = tuple(replace(player, name="青木 みどり") for player in swiss.event.players)
    division = PublishedDivision("open", swiss.title, replace(swiss.event, players=named))
    page = Site(book_of([division])).files[f"{lang}/open/files.html"]().data.decode()
    assert [kind for kind in kinds_of(division) if f">{file_of(division, kind).name}<" in page] == [*kinds_of(division)]


def test_json_and_csv_give_the_same_event_back(swiss: PublishedDivision) -> None:
    assert to_dict(from_dict(json.loads(written(swiss, "json")))) == to_dict(swiss.event)
    again = from_dict(read_csv(written(swiss, "csv").decode("utf-8-sig")))
    assert to_dict(again)["rounds"] == to_dict(swiss.event)["rounds"]


def test_the_elo_file_has_every_result(swiss: PublishedDivision) -> None:
    again = from_dict(read_elo(written(swiss, "elo").decode()))
    number = {player.id: str(at) for at, player in enumerate(swiss.event.players, start=FIRST_NEWCOMER)}

    def results(event: Any, names: dict[str, str]) -> set[tuple[Any, ...]]:
        return {
            (round_.number, names[game.black], names[game.white], game.black_discs, game.winner)
            for round_ in event.rounds
            for game in round_.games
        }

    assert results(again, {player.id: player.id for player in again.players}) == results(swiss.event, number)


def test_the_games_come_back_from_ggf_and_wthor(swiss: PublishedDivision) -> None:
    due = [played.game.transcript for played in swiss.recorded]
    assert written(swiss, "txt").decode().split() == due
    games = list(read_ggf(written(swiss, "ggf").decode()))
    assert [format_transcript(game.moves, passes=False) for game in games] == due
    with zipfile.ZipFile(io.BytesIO(written(swiss, "wtb"))) as archive:
        assert sorted(archive.namelist()) == ["open.jou", "open.trn", "open.wtb"]
        file = read_wthor(archive.read("open.wtb"))
        assert b"Jonas Marr" in archive.read("open.jou") and b"p1\0" in archive.read(
            "open.jou"
        )  # 青木 is not in Latin letters
    assert [format_transcript(game.moves, passes=False) for game in file.games] == due
    assert [game.black_discs for game in file.games] == [played.game.black_discs for played in swiss.recorded]


def test_chouchou_has_no_files_of_othello_games() -> None:
    made = PublishedDivision("d", ("", ""), from_dict(event_of("chouchou", 1)))
    assert kinds_of(made) == ("json", "csv", "sheet")
