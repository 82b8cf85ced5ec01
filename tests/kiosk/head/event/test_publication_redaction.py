"""Tests of what is published of an event and its players."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from events.recorded_events import recorded_event
from heads.tournaments import RULES

from engine.tournament.event_model import Event, Game, Player, round_of
from kiosk.head.event.publication_redaction_and_latin_names import (
    initials,
    is_minor,
    named_players,
    public_division,
    redact_event,
)
from kiosk.head.event.spectator_visibility import Boards, NamePolicy, NameStyle, VisibilityRules
from kiosk.head.event.tournament_state import DivisionState, ManualDraft, UndoneRound
from kiosk.records.event_file import from_dict

SWISS = from_dict({"schema": "othello-event/1", "format": "swiss", "date": "2031-04-05", "players": []})


def _public(event: Event, naming: NamePolicy, *, details: bool = False) -> Event:
    return redact_event(event, VisibilityRules(naming=naming, details=details), over=True)


@pytest.fixture(scope="module")
def event() -> dict[str, Any]:
    return recorded_event("m43-open")


def test_a_player_under_18_in_the_year_of_the_event_is_a_minor(event: dict[str, Any]) -> None:
    read = from_dict(event)
    minors = [player.id for player in read.players if is_minor(player, read)]
    assert minors == [player["id"] for player in event["players"] if player["birth_year"] > 2031 - 18]


def test_a_player_of_unknown_age_counts_as_a_minor() -> None:
    """Also with a birth year if the event has no date, and with an impossible age."""
    undated, dated = replace(SWISS, date=None), SWISS
    for year in (None, 1, 1910, 2014, 2031, 2040):
        assert is_minor(Player("x", birth_year=year), dated)
    for year in (None, 1970, 2020):
        assert is_minor(Player("x", birth_year=year), undated)
        assert is_minor(Player("x", birth_year=year), replace(undated, date="spring"))
    for year in (1911, 1970, 2013):  # 120, 61 and 18
        assert not is_minor(Player("x", birth_year=year), dated)


@pytest.mark.parametrize("year", [None, 1970, 2020])
def test_hiding_all_names_hides_those_of_minors(year: int | None) -> None:
    event = replace(SWISS, players=(Player("a", "Ann Berg", birth_year=year),))
    assert _public(event, NamePolicy(NameStyle.IDS, NameStyle.FULL)).players[0].name is None


@pytest.mark.parametrize(
    ("player", "shown"),
    [
        (Player("x", "林 健"), None),
        (Player("x", "林 健", latin="HAYASHI Ken"), "H. K."),
        (Player("x", "林 健太", kana="はやし けんた"), "は. け."),
        (Player("x", "山田 健太", latin="YAMADA Kenta"), "山. 健."),
        (Player("x"), None),
    ],
)
def test_initials_never_contain_a_complete_part_of_a_name(player: Player, shown: str | None) -> None:
    assert initials(player) == shown


def test_equal_initials_are_distinguished() -> None:
    players = Player("a", "Ann Berg"), Player("b", "Ada Bo"), Player("c", "Cy Bo"), Player("d", "林 健"), Player("e")
    hidden = _public(replace(SWISS, players=players), NamePolicy(NameStyle.INITIALS, NameStyle.INITIALS))
    assert [player.name for player in hidden.players] == ["A. B. (a)", "A. B. (b)", "C. B.", None, None]


def test_only_minors_are_hidden_if_so_configured(event: dict[str, Any]) -> None:
    read = from_dict(event)
    hidden = _public(read, NamePolicy(NameStyle.FULL, NameStyle.IDS), details=True)
    for before, after in zip(read.players, hidden.players, strict=True):
        assert (after.name is not None) == (not is_minor(before, read))
        assert (after.birth_year is not None) == (after.name is not None)
    assert hidden.rounds == read.rounds


def test_birth_years_and_numbers_are_published_only_if_configured() -> None:
    """Remarks and fees are never published."""
    player = Player("a", "Ann Berg", birth_year=1970, national="12-345", wof=5301, remark="pays later", fee=2000)
    event = replace(SWISS, players=(player,))
    for details in (False, True):
        (shown,) = _public(event, NamePolicy(), details=details).players
        told = (player.birth_year, player.national, player.wof) if details else (None, None, None)
        assert (shown.birth_year, shown.national, shown.wof) == told
        assert (shown.name, shown.remark, shown.fee) == ("Ann Berg", None, None)


@pytest.mark.parametrize("style", [NameStyle.IDS, NameStyle.INITIALS])
def test_a_hidden_name_is_hidden_in_every_script(style: NameStyle) -> None:
    """The name in kana and the name in Latin letters are hidden too."""
    event = replace(SWISS, players=(
        Player("a", "髙木 花", kana="たかぎ はな", latin="TAKAGI Hana", national="12-345", wof=5301),
    ))  # fmt: skip
    (hidden,) = _public(event, NamePolicy(style, style)).players
    assert (hidden.kana, hidden.latin, hidden.national, hidden.wof) == (None,) * 4 and hidden.name != "髙木 花"


def test_a_player_whose_name_looks_like_initials_is_hidden_too() -> None:
    """The name is hidden even if the published initials equal the entered name."""
    event = replace(SWISS, players=(Player("a", "B. L."), Player("b", "Al Bo", birth_year=1990)))
    assert set(named_players(event, NamePolicy(NameStyle.FULL, NameStyle.INITIALS))) == {"b"}


def test_an_event_without_a_date_has_the_tournament_s() -> None:
    """It decides who is a minor, and it never replaces the event's own."""
    player = Player("a", "Ann Berg", birth_year=1990)
    undated, dated = replace(SWISS, date=None, players=(player,)), replace(SWISS, date="2001-04-05", players=(player,))
    naming = NamePolicy(NameStyle.FULL, NameStyle.IDS)
    for event, day, name in ((undated, "", None), (undated, "2031-04-05", "Ann Berg"), (dated, "2031-04-05", None)):
        shown = redact_event(event, VisibilityRules(naming=naming), over=True, day=day)
        assert (shown.players[0].name, shown.date) == (name, event.date or day or None)
        assert list(named_players(event, naming, day)) == (["a"] if name else [])


@pytest.mark.parametrize("boards", Boards)
@pytest.mark.parametrize("over", [True, False])
def test_hidden_boards_have_no_transcripts_before_the_end(boards: Boards, over: bool) -> None:
    played = replace(SWISS, rounds=(round_of(1, [Game("a", "b", transcript="F5D6")]),))
    (game,) = redact_event(played, VisibilityRules(boards), over=over).rounds[0].games
    assert game.transcript == (None if boards is Boards.OFF and not over else "F5D6")


def test_a_public_division_has_nothing_of_the_desk() -> None:
    event = replace(SWISS, players=(Player("a", "Ann Berg", fee=2000),))
    undone, draft = (UndoneRound(1, (), "wrong list", ""),), ManualDraft(1, ())
    state = DivisionState("open", event, "e", RULES, paid=frozenset("a"), undone=undone, hand_made=draft)
    shown = public_division(state)
    assert (shown.paid, shown.undone, shown.hand_made) == (frozenset(), (), None)
    assert (shown.players()["a"].name, shown.players()["a"].fee) == ("Ann Berg", None)
