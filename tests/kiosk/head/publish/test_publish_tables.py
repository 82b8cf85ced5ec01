"""Tests that crosstables, brackets, prizes and certificates agree with the event file, in every format."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from events.event_generator import GeneratorSettings, simulate

from engine.tournament import standings
from engine.tournament.formats import FORMATS
from engine.tournament.grade_and_oza_awards import awards
from kiosk.head.publish.crosstable_and_bracket import bracket_of, by_round, matrices
from kiosk.head.publish.print_sheets import sheet as sheet_of
from kiosk.head.publish.print_sheets import slips_of
from kiosk.head.publish.prizes_and_certificates import certificates_of, prizes_of
from kiosk.head.publish.published_event import PublishedDivision, book_of
from kiosk.records.event_file import from_dict

SIZES = {"m40-9-12": 12, "m40-13-16": 16, "m40-17-32": 21, "m40-33-64": 34, "team": 12, "round-robin": 9}
MIRRORED = {"win": "loss", "loss": "win", "draw": "draw", "open": "open"}


@cache
def division(format: str, seed: int = 3) -> PublishedDivision:
    settings = GeneratorSettings(format, SIZES.get(format, 18), seed, 5, restless=format == "swiss")
    file: dict[str, Any] = simulate(settings)
    return PublishedDivision("d", ("部門", "Division"), from_dict(file))


@pytest.mark.parametrize("format", FORMATS)
def test_a_crosstable_has_every_game_twice_once_from_each_side(format: str) -> None:
    made = division(format)
    seen: Counter[tuple[int, str, str, str, str]] = Counter()
    table = by_round(made)
    assert [line.row for line in table.lines] == list(made.standings.rows)
    for line in table.lines:
        for number, cell in zip(table.columns, line.cells, strict=True):
            for one in cell:
                seen[int(number), line.row.id, one.opponent, one.outcome, one.score] += 1
    for (number, id, opponent, outcome, score), count in seen.items():
        if outcome == "bye":
            continue
        back = score if format == "chouchou" else "–".join(reversed(score.split("–")))
        matching = [key for key in seen if key[:3] == (number, opponent, id) and key[3] == MIRRORED[outcome]]
        assert matching and count == 1, (number, id, opponent)
        assert format == "chouchou" or matching[0][4] == back
    players = [id for round_ in made.event.rounds for game in round_.games for id in game.players]
    if format != "team":
        byes = sum(len(round_.byes) for round_ in made.event.rounds)
        assert sum(seen.values()) == len(players) + byes


def test_a_round_robin_is_also_everybody_against_everybody() -> None:
    (table,) = matrices(division("round-robin"))
    for at, line in enumerate(table.lines):
        assert line.row.id == table.columns[at] and line.cells[at] == ()
        for other, cell in enumerate(line.cells):
            if other != at:
                (one,) = cell
                assert table.lines[other].cells[at][0].outcome == MIRRORED[one.outcome]


def test_the_leagues_of_m40_have_a_table_each() -> None:
    tables = matrices(division("m40-open"))
    leagues = {game.league for round_ in division("m40-open").event.rounds for game in round_.games if game.league}
    assert {table.league for table in tables} == leagues and len(leagues) >= 2


def test_chouchou_shows_plus_and_minus_points() -> None:
    """CC-RANK-7: with target 10, a winner with 12 and a loser with 7 have +2 and -3."""
    game = {"black": "a", "white": "b", "black_discs": 12, "white_discs": 7, "winner": "black"}
    file = {"schema": "othello-event/1", "format": "chouchou", "players": [{"id": "a"}, {"id": "b"}]}
    file["rounds"] = [{"round": 1, "games": [game]}]
    first, second = by_round(PublishedDivision("d", ("", ""), from_dict(file))).lines
    assert (first.cells[0][0].score, second.cells[0][0].score) == ("+2", "−3")


def test_the_table_shows_teams_with_their_boards() -> None:
    made = division("team")
    scores = [one.score for line in by_round(made).lines for cell in line.cells for one in cell if one.outcome != "bye"]
    assert scores and all(sum(map(int, score.split("–"))) == 3 for score in scores)
    assert {line.row.id for line in by_round(made).lines} == {team.id for team in made.event.teams}


def test_a_knock_out_is_a_tree_that_ends_with_the_champion() -> None:
    made = division("knockout")
    bracket = bracket_of(made)
    assert bracket is not None and bracket.tree
    shown = [place.played.key for column in bracket.columns for place in column if place.played]
    assert sorted(shown) == sorted(played.key for played in made.games if played not in bracket.beside)
    (final,) = bracket.columns[-1]
    assert final.game is not None and made.champion in final.game.players
    for column, following in zip(bracket.columns, bracket.columns[1:], strict=False):
        assert len(column) == 2 * len(following)
        for at, place in enumerate(following):
            for source in column[2 * at : 2 * at + 2]:
                if place.game and source.game:
                    winner = next(id for id in source.game.players if source.game.half_points(id) == 2)
                    assert winner in place.game.players


@pytest.mark.parametrize("format", ["m40-13-16", "m40-17-32", "m43-open"])
def test_every_bracket_shows_each_game_once(format: str) -> None:
    made = division(format)
    bracket = bracket_of(made)
    assert bracket is not None
    shown = [place.played.key for column in bracket.columns for place in column if place.played]
    assert len(shown) == len(set(shown))


def test_formats_without_a_knock_out_have_no_bracket() -> None:
    assert bracket_of(division("adjacent")) is None and bracket_of(division("team")) is None


@pytest.mark.parametrize("format", [name for name in FORMATS if name.startswith(("m43", "m40"))])
def test_prizes_are_the_engines_awards_and_the_three_places(format: str) -> None:
    made = division(format)
    lines = prizes_of(made)
    assert {line.award for line in lines if line.award} == set(awards(made.event))
    assert {line.id for line in lines if line.place} == {row.id for row in made.standings.rows if row.rank <= 3}
    sheets = certificates_of(book_of([made]))
    for kind, due in (
        ("oza", sum(award.oza for award in made.awards)),
        ("place", sum(row.rank <= 3 for row in made.standings.rows)),
        ("grade", sum(bool(award.grade and award.grade != made.player(award.id).grade) for award in made.awards)),
    ):
        assert sum(sheet.kind == kind for sheet in sheets) == due
    assert sheets[-1].rank == 1  # the winner is called last


def test_the_womens_meijin_has_a_certificate_of_her_own() -> None:
    """M43R-6: it has her title, whatever her place; no other player and no other format has one."""
    whole = division("m43-open").event
    standing = [row.id for row in standings(whole).rows]
    for woman in (standing[0], standing[-1]):
        players = tuple(replace(player, sex="F" if player.id == woman else "M") for player in whole.players)
        made = PublishedDivision("d", ("", ""), replace(whole, players=players))
        sheets = [sheet for sheet in certificates_of(book_of([made])) if sheet.kind == "title"]
        assert [(sheet.id, str(sheet.honour)) for sheet in sheets] == [(woman, "Women's Meijin")]
        printed = sheet_of(book_of([made]), "certificates", "ja", style="", kinds=("title",))
        assert printed.count("女流名人") == 1
    assert not [sheet for sheet in certificates_of(book_of([division("m40-open")])) if sheet.kind == "title"]


def test_nobody_gets_a_certificate_before_the_end() -> None:
    whole = division("m43-open").event
    event = replace(whole, rounds=whole.rounds[:4])
    assert certificates_of(book_of([PublishedDivision("d", ("", ""), event)])) == ()


@pytest.mark.parametrize("format", FORMATS)
def test_a_slip_has_the_fields_of_its_format(format: str) -> None:
    """M40-15.1: the winner alone, in a pool of the Othello system too; pieces at ChouChou, else discs."""
    of_m40 = format.startswith("m40-") or format == "othello-pool"
    counted = "captures" if format == "chouchou" else "none" if of_m40 else "discs"
    assert {slip.score for slip in slips_of([division(format)])} == {counted}


def test_only_the_othello_pool_has_no_fixed_end() -> None:
    assert [name for name, one in FORMATS.items() if one.facts.endless] == ["othello-pool"]
