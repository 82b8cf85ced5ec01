"""Tests of a division on 6x6 at a head: cards of tables, entered results, forfeits, pages, to the final standings."""

from __future__ import annotations

from typing import Any

import pytest
from heads.staff import token
from heads.tournaments import RULES, publish_round
from heads.world import PlayedTable, event
from httpx import Client, Response

from engine.board.variants import VARIANTS
from kiosk.head.errors import HeadError
from kiosk.head.event.act_types import DivisionChanged, event_of
from kiosk.head.event.tournament_state import TableRules
from kiosk.head.program import HeadApplication


@pytest.fixture
def options() -> dict[str, Any]:
    return {"tables": 1, "event": None}


@pytest.fixture
def program(program: HeadApplication) -> HeadApplication:
    made = event_of(event(6, "swiss", variant="6x6", rounds=2, finals="none"))
    program.desk.divisions.create(made, RULES, tables=(1, 2, 3))
    return program


def typed(web: Client, table: int, discs: str) -> Response:
    form = {"table": str(table), "black": "", "black_discs": discs, "white_discs": "", "winner": "", "csrf": token(web)}
    return web.post("/division/main/typed.json", data=form)


def test_a_swiss_on_6x6_is_played_to_its_standings(program: HeadApplication, web: Client) -> None:
    for number in (1, 2):
        publish_round(program)
        table = PlayedTable(1, program.devices.collection, epoch=f"e{number}", at_ns=number * 10**13)
        table.execute_commands()
        assert table.assignment is not None and table.assignment.options["variant"] == "6x6"
        table.finish()
        card = table.card()
        assert (card.black_discs or 0) + (card.white_discs or 0) == 36 and card.rated is False
        program.desk.process_pending()
        played = next(game for game in program.desk.state.division().current if game.table == 1)
        assert played.outcome is not None and played.outcome.black_discs == card.black_discs
        refused = typed(web, 2, "40")
        assert refused.status_code == 400 and "36" in refused.text
        assert "not 36" in typed(web, 2, "20-20").text
        assert typed(web, 2, "20").status_code == 200
        left = next(game for game in program.desk.state.division().current if game.table == 3)
        if number == 1:
            assert typed(web, 3, "10").status_code == 200
        else:
            program.desk.players.leave("main", str(left.white), "ill", "forfeit")
            (lost,) = [game.outcome for game in program.desk.state.division().current if game.id == left.id]
            assert lost is not None and (lost.black_discs, lost.white_discs) == (36, 0)
    rows = web.get("/standings.json").json()["rows"]
    assert len(rows) == 6 and sum(row["discs"] for row in rows) == 6 * 36
    page = web.get("/division/main/results").text
    assert "follow from 36." in page
    replayed = program.desk.state.division().whole().rounds[0].games[0]
    assert replayed.transcript


def test_a_board_in_play_is_shown_with_its_own_squares(program: HeadApplication, web: Client) -> None:
    publish_round(program)
    table = PlayedTable(1, program.devices.collection)
    table.execute_commands()
    table.play(5)
    shown = next(one for one in web.get("/live.json").json()["games"] if one["table"] == 1)
    assert shown["start"] == VARIANTS["6x6"].start and len(shown["board"]) == 36 and len(shown["moves"]) == 5
    assert 'viewBox="0 0 6 6"' in web.get("/floor/1").text
    table.slip()
    assert web.get("/floor/1").status_code == 200


def test_the_board_is_an_option_of_the_division(program: HeadApplication) -> None:
    """It cannot be set by the tables' rules, changed after a round was published, or chosen under Meijin rules."""
    with pytest.raises(HeadError, match="option of the division"):
        program.desk.divisions.change(DivisionChanged(table=TableRules("wof", 1200, {"variant": "10x10"})))
    publish_round(program)
    with pytest.raises(HeadError, match="take them back first"):
        program.desk.divisions.change(DivisionChanged(options={"variant": "8x8"}))
    with pytest.raises(HeadError, match="8x8 only"):
        program.desk.divisions.create(event_of(event(6, "m43-open", variant="6x6")), RULES)
