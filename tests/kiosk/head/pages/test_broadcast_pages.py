"""Tests of the broadcast over HTTP: slots that the desk assigns to tables, the document, records and stream of a
game."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from heads.staff import token
from heads.world import PlayedTable
from httpx import Client
from waiting import until

from engine.board.ggf import read_ggf
from engine.board.pgn import read_pgn
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.spectator_visibility import Boards, NamePolicy, NameStyle, VisibilityRules
from kiosk.head.program import HeadApplication
from kiosk.head.tables.live_game_json_and_document_cache import Broadcast, board_changes


@pytest.fixture
def options() -> dict[str, Any]:
    return {"auto": True}


def game(web: Client, name: str = "1") -> dict[str, Any]:
    found: dict[str, Any] = web.get(f"/live/{name}.json").raise_for_status().json()
    return found


def test_a_document_has_the_state_of_the_table(spectator: Client, tables: list[PlayedTable]) -> None:
    """Board, clocks, moves with their times and flips, and the opening are in the document."""
    table = tables[0]
    until(lambda: len(game(spectator)["moves"]) == 9)
    told, match = game(spectator), table.match
    assert told["board"] == match.board and told["state"] == "playing"
    assert [line["move"] for line in told["moves"]] == list(match.moves)
    assert {line["ms"] for line in told["moves"]} == {7300}
    assert [side["left_ms"] for side in told["sides"]] == [
        match.remaining_ns(color, table.at_ns) // 1_000_000 for color in (match.first, match.first.opponent)
    ]
    assert [side["running"] for side in told["sides"]].count(True) == 1
    assert [side["discs"] for side in told["sides"]] == [match.board.count("X"), match.board.count("O")]
    assert told["opening"]["ja"] and told["opening"]["en"]
    board = told["start"]
    for line, turn in zip(told["moves"], match.turns, strict=True):
        assert line["changes"] == board_changes(board, turn.after)
        board = turn.after
    assert (
        board_changes("-" * 64, "X" + "-" * 63) == "Xa1" and board_changes("XO" + "-" * 62, "OX" + "-" * 62) == "Oa1Xb1"
    )


def test_a_slot_keeps_its_address_when_its_table_changes(
    program: HeadApplication, web: Client, spectator: Client
) -> None:
    assert spectator.get("/live/final.json").status_code == 404 and spectator.get("/live/final").status_code == 200
    for number in (1, 2):
        form = {"csrf": token(web), "slot": "final", "table": str(number)}
        assert web.post("/overlays", data=form).status_code == 303
        assert game(spectator, "final")["table"] == number
    acts = [event for event in program.store.operator_events() if event.kind == "slot-set"]
    assert [(event.person, event.body["table"]) for event in acts] == [("審判長 Chief", 1), ("審判長 Chief", 2)]
    assert "final" in web.get("/audit").text
    assert web.post("/overlays", data={"csrf": token(web), "slot": "final", "table": ""}).status_code == 303
    assert spectator.get("/live/final.json").status_code == 404 and not program.desk.state.slots


def test_slots_need_permission_and_a_valid_name(program: HeadApplication, web: Client, spectator: Client) -> None:
    assert spectator.post("/overlays", data={"slot": "final", "table": "1"}).status_code in (303, 403)
    assert spectator.get("/overlays").status_code == 303
    for slot in ("", "7", "Final", "a/b", "x" * 32):
        assert web.post("/overlays", data={"csrf": token(web), "slot": slot, "table": "1"}).status_code == 400
    assert not program.desk.state.slots


def test_a_stream_has_changes_of_its_table_only(
    program: HeadApplication, spectator: Client, tables: list[PlayedTable]
) -> None:
    with spectator.stream("GET", "/stream/live/1") as stream:
        lines = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        assert [one["table"] for one in next(lines)["games"]] == [1]
        tables[1].play(2)
        tables[0].play(1)
        said = next(one for one in lines if one["games"])
        while len(said["games"][0]["moves"]) < 10:
            said = next(one for one in lines if one["games"])
        assert [one["table"] for one in said["games"]] == said["tables"] == [1]
    with spectator.stream("GET", "/stream/live") as stream:
        first = next(json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        assert {1, 2} <= set(first["tables"])
    until(lambda: not program.outbound.stages._watchers)


def test_ggf_and_pgn_while_games_run(program: HeadApplication, spectator: Client, tables: list[PlayedTable]) -> None:
    """The records have the moves so far, delayed as the board is."""
    table = tables[0]
    until(lambda: len(game(spectator)["moves"]) == 9)
    moves = tuple(turn.move for turn in table.match.turns)
    (ggf,) = read_ggf(spectator.get("/live/1.ggf").text)
    (pgn,) = read_pgn(spectator.get("/live.pgn").text)
    assert (
        (ggf.moves, pgn.moves) == (moves, moves)
        and pgn.tag("Result") == "*"
        and "青木" in ggf.tag("PB") + ggf.tag("PW")
    )
    program.desk.divisions.change(DivisionChanged("main", spectators=VisibilityRules(Boards.DELAYED, 4)))
    until(lambda: len(game(spectator)["moves"]) == 5)
    assert next(read_pgn(spectator.get("/live/1.pgn").text)).moves == moves[:5]
    assert spectator.get("/live/99.pgn").status_code == 404


def test_a_document_has_the_published_names(program: HeadApplication, tables: list[PlayedTable]) -> None:
    hidden = VisibilityRules(naming=NamePolicy(NameStyle.IDS, NameStyle.IDS))
    program.desk.divisions.change(DivisionChanged("main", spectators=hidden))
    for side in Broadcast(program.desk, program.live).documents()[1].document.sides:
        assert side.name == side.id


def test_a_document_has_the_name_of_english_pages_too(program: HeadApplication, tables: list[PlayedTable]) -> None:
    """As on other pages: a name in kanji has its Latin letters beside it, if they may be published."""

    def latin() -> dict[str, object]:
        sides = msgspec.to_builtins(Broadcast(program.desk, program.live).documents()[1].document)["sides"]
        return {side["id"]: side.get("latin") for side in sides}

    kanji, other = sorted(latin(), key=lambda id: str(program.desk.state.division("main").called(id)).isascii())
    program.desk.players.change("main", kanji, {"name": "青木 みどり", "latin": "Aoki Midori"})
    program.desk.players.change("main", other, {"name": "Beatrix Lund", "latin": "LUND Beatrix"})
    assert latin() == {kanji: "Aoki Midori", other: None}
    hidden = VisibilityRules(naming=NamePolicy(NameStyle.IDS, NameStyle.IDS))
    program.desk.divisions.change(DivisionChanged("main", spectators=hidden))
    assert latin() == {kanji: None, other: None}


def test_a_finished_game_stays_with_its_result(spectator: Client, tables: list[PlayedTable]) -> None:
    table = tables[0]
    table.finish()
    until(lambda: game(spectator)["state"] == "over")
    told = game(spectator)
    assert told["score"] == [table.match.result.black_discs, table.match.result.white_discs]
    assert len(told["moves"]) == len(table.match.turns) and told["board"] == table.match.board
