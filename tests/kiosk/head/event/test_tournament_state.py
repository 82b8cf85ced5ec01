"""Tests of the names, tables and texts that follow from the state of a tournament."""

from __future__ import annotations

from dataclasses import replace

import pytest
from heads.tournaments import RULES, outcome
from heads.world import event

from engine.tournament.event_model import Game, Winner
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.records.event_file import from_dict

EVENT = replace(from_dict(event(6, "adjacent")), name=None, date=None)
GAME = HeadGame("g", 1, 1, Game("p1", "p2"), True)


def division(slug: str, title: tuple[str, str], name: str = "", en: str = "") -> DivisionState:
    named = replace(EVENT, name=name or None, name_en=en or None)
    return DivisionState(slug, named, "e", RULES, title, rounds=((GAME,),))


OPEN, JUNIORS = division("open", ("一般", "Open")), division("juniors", ("小学生", "Juniors"))
SUMMER, AUTUMN = division("open", ("一般", "Open"), "夏", "Summer"), division("open", ("一般", "Open"), "秋", "Autumn")


@pytest.mark.parametrize(
    ("title", "name", "shown"),
    [
        (("一般", "Open"), "春", "一般 Open"), (("Open", "Open"), "春", "Open"), (("一般", ""), "春", "一般"),
        (("", "Open"), "春", "Open"), (("", ""), "春", "春"), (("", ""), "", "open"),
    ],
)  # fmt: skip
def test_a_division_is_named_by_its_titles_else_its_event(title: tuple[str, str], name: str, shown: str) -> None:
    assert division("open", title, name).name == shown


@pytest.mark.parametrize(
    ("divisions", "name", "english", "in_files"),
    [
        ([OPEN], "春", "Spring", ("春", "Spring")), ([OPEN], "", "", ("一般 Open", None)),
        ([SUMMER], "春", "Spring", ("春", "Spring")), ([SUMMER], "", "", ("夏", "Summer")),
        ([OPEN, JUNIORS], "春", "Spring", ("春 一般 Open", "Spring Open")),
        ([OPEN, JUNIORS], "春", "Spring Open", ("春 一般 Open", "Spring Open")),
    ],
)  # fmt: skip
def test_files_have_the_tournament_s_name_with_the_division_s_if_there_are_several(
    divisions: list[DivisionState], name: str, english: str, in_files: tuple[str, str | None]
) -> None:
    state = TournamentState({one.slug: one for one in divisions}, name, english, "2031-04-05")
    named = state.named_event(state.first)
    assert (named.name, named.name_en, named.date) == (*in_files, "2031-04-05")


def test_a_tournament_without_a_name_has_the_one_of_all_its_divisions() -> None:
    same, other = {"a": SUMMER, "b": SUMMER}, {"a": SUMMER, "b": AUTUMN}
    titles = [(state.title, state.english_title) for state in (TournamentState(same), TournamentState(other))]
    assert titles == [("夏", "Summer"), ("", "")]
    assert TournamentState(same, "春").english_title == "Summer" and TournamentState(other, "春").english_title == "春"


def test_a_division_has_its_own_tables_else_those_that_no_other_has() -> None:
    """Without kiosks, there are as many plain tables as the games of both divisions need."""
    state = TournamentState({"open": replace(OPEN, tables=(1, 2)), "juniors": JUNIORS})
    assert [state.tables_of(slug, (1, 2, 3, 4)) for slug in state.divisions] == [(1, 2), (3, 4)]
    assert state.tables_of("juniors", ()) == (3, 4)


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (outcome(GAME, 40), "青木 みどり 40–24 Beatrix Lund"),
        (Game("p1", "p2", winner=Winner.WHITE), "青木 みどり ×–○ Beatrix Lund"),
        (outcome(GAME, 0, 0, "neither", "forfeit"), "青木 みどり ×–× Beatrix Lund"),
    ],
)
def test_a_result_is_shown_by_discs_or_signs(result: Game, shown: str) -> None:
    assert OPEN.scored(result) == shown


@pytest.mark.parametrize(("rounds", "finished"), [("", 0), ("o", 0), ("f", 1), ("fo", 1)])
def test_a_round_with_an_open_game_is_not_finished(rounds: str, finished: int) -> None:
    games = {"o": GAME, "f": replace(GAME, outcome=outcome(GAME, 40))}
    division = replace(OPEN, rounds=tuple((games[one],) for one in rounds), editions={finished + 1: 3})
    assert (division.finished_rounds, division.edition) == (finished, 3 if "o" not in rounds else 0)


def test_absences_are_in_the_order_of_the_rounds() -> None:
    """As they are written to the event file."""
    away = replace(EVENT, options=replace(EVENT.options, absences={"10": ("p1",), "2": ("p2",)}))
    state = replace(OPEN, event=away)
    assert list(state.whole().options.absences) == ["2", "10"] and state.away_in("p1") == [10]
