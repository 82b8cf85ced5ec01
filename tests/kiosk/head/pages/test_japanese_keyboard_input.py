"""Tests that numbers, times and ranges are read as a Japanese keyboard types them."""

from __future__ import annotations

import pytest
from heads.forms import the_form
from heads.staff import token
from httpx import Client

from engine.tournament import planned_rounds
from kiosk.head.program import HeadApplication
from kiosk.head.web.form_player_and_result_parsing import ascii_digits


@pytest.fixture
def options() -> dict[str, object]:
    return {"event": None, "tables": 0}


def _make_division(web: Client, **typed: str) -> None:
    form, button = the_form(web, "/desk/new?kind=adjacent", "/desk/new")
    assert form.send(web, button, **typed).status_code == 303


@pytest.mark.parametrize("typed", ["４０－２４", "４０ー２４", "40−24", "40–24"])
def test_a_dash_is_what_the_key_of_a_dash_types(typed: str) -> None:
    assert ascii_digits(typed) == "40-24"


@pytest.mark.parametrize("tables", ["２１～３０、５２", "21ー30,52", "２１－３０　５２", "21〜30 52"])
def test_a_division_is_made_with_full_width_figures(program: HeadApplication, web: Client, tables: str) -> None:
    _make_division(web, tables=tables, main="１５", **{"choice-rounds": "４"})
    division = program.desk.state.division()
    assert division.tables == (*range(21, 31), 52)
    assert (division.table_rules.main_s, planned_rounds(division.event)) == (900, 4)


def test_the_settings_show_tables_as_they_are_typed(program: HeadApplication, web: Client) -> None:
    _make_division(web, tables="1-120")
    form, button = the_form(web, "/division/adjacent/settings", "/settings")
    assert next(one.value for one in form.fields if one.name == "tables") == "1-120"
    assert form.send(web, button).status_code == 303
    assert program.desk.state.division().tables == tuple(range(1, 121))


def test_the_time_of_round_1_may_be_full_width(program: HeadApplication, web: Client) -> None:
    _make_division(web)
    form, button = the_form(web, "/division/adjacent/timetable", "/timetable/own")
    assert form.send(web, button, first="９：４０", rounds="３", slot="４０", pause="５").status_code == 303
    assert program.desk.state.division().plan.first == 580


def test_ballots_may_be_full_width(program: HeadApplication, web: Client) -> None:
    form, button = the_form(web, "/desk/new?kind=m40-33-64", "/desk/new")
    form.send(web, button)
    division = next(iter(program.desk.state.divisions))
    names = "\n".join(f"選手{number}" for number in range(1, 35))
    list_ = {"csrf": token(web), "text": names}
    web.post(f"/division/{division}/import/take", data=list_)
    form, button = the_form(web, f"/division/{division}/lots", "/lots")
    typed = {"ballot1": "１２３４５", "ballot2": "６７８９０", "ballot3": "０００４２"}
    assert form.send(web, button, **typed).status_code == 303
    drawn = program.desk.state.division().drawn
    assert drawn is not None and drawn.ballots == ("12345", "67890", "00042")
